"""Packs of small inputs, which go to a worker together: a message for each would cost as much as its page.

If each input has a separate output, the worker writes it, since this takes half as long as to clean a page.
"""

import time
from collections.abc import Iterator

from ncleaner.fastclass import fastclass
from ncleaner.page import Damage
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import CHUNK_SECONDS, Chunk, CleaningJob, FileJob, WorkerState
from ncleaner.running.manifest import line_of
from ncleaner.running.outputs import fault_of_one, open_output_in, output_errors
from ncleaner.running.tally import Tally
from ncleaner.storage.local import Folder


@fastclass(kw_only=True)
class WritingJob(CleaningJob):
    """A pack whose outputs the worker writes. Of a chunk, the output is lines of the manifest, and an item is
    an input. If the worker dies, the inputs that are left need a job each.

    Attributes:
        source: the pack.
        names: of the outputs, in the order of its members.
        folder: of the outputs.
        key: of the settings in the manifest.
    """

    source: Input
    names: tuple[str, ...]
    folder: Folder
    key: str

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Cleans the inputs and writes their outputs. Raises OutputError: none can be written."""
        lines, tally, size, count, since = b"", Tally(), 0, 0, time.monotonic()
        for source, name in zip(self.source.members, self.names, strict=True):
            line, found = self._written(source, name, state)
            lines += line
            tally += found
            tally.notes += found.notes
            size += source.size or 0
            count += 1
            if source is self.source.members[-1] or time.monotonic() - since >= CHUNK_SECONDS:
                yield Chunk(lines, tally, count, size)
                lines, tally, count, since = b"", Tally(), 0, time.monotonic()

    def _written(self, source: Input, name: str, state: WorkerState) -> tuple[bytes, Tally]:
        """Returns the line and the counts of an input; no line if its output cannot be written."""
        began, tally = time.monotonic(), Tally()
        try:
            with open_output_in(self.folder, name, state.settings) as output:
                for chunk in FileJob(source=source).run(state):
                    output.write(chunk)
                    tally += chunk.tally
                    tally.notes += chunk.tally.notes
        except OSError as error:
            with output_errors(str(self.folder)):
                tally.add_item(Damage(fault_of_one(error), source.path, unread=True))
            return b"", tally
        seconds = time.monotonic() - began
        return line_of(self.folder, source, (name, *output.parts), tally, seconds, self.key), tally
