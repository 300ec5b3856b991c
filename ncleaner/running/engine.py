"""Moves the pages of all inputs through the workers into the outputs, and owns what happens when they fail.

Two ways to share work out. *By file*: a worker reads an input and streams the result back; nothing but
clean text crosses between processes. *Spread*: the parent reads and deals pages out to all workers, in
batches whose results are put together in order; for standard input and output, and for inputs so large that
the last worker would be left alone with one. Both give the same bytes.

Work whose worker dies is given to another: what was delivered stands, and the page at which a second worker
dies is given up.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.methods.choice import fingerprint
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import Chunk, Death, Done, Failed, FileJob, GivenUp, Job, PagesJob
from ncleaner.running.manifest import Manifest, open_manifest, settings_record
from ncleaner.running.outputs import Output, is_directory, opened, output_in, output_names, writing
from ncleaner.running.quarantine import warc_record
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.running.workers import Pool
from ncleaner.storage.base import Folder
from ncleaner.storage.places import folder_and_name, folder_at

__all__ = ["Progress", "cleaned", "cleaned_items", "no_progress", "run", "unfinished"]


_BATCH_PAGES = 32
_BATCH_BYTES = 2_000_000
_POLL_SECONDS = 0.2
# Workers that may die in a row, at no page, over the same place of an input.
_DEATHS = 5
# Items behind such a place whose results are sent one by one, lest they are lost with the next worker.
_DOUBTFUL = 200

# Called with a tally of what has been done since the last call, the input and the offset reached in it
# (-1: unknown), or the input's size when it is finished.
Progress = Callable[[Tally, Input, int], None]


def no_progress(tally: Tally, source: Input, offset: int) -> None:
    """Progress callback that ignores every report."""


@dataclass(slots=True)
class _Task:
    """A job, and what has become of it over the deaths of its workers.

    A page at which a worker dies is tried again: who knows what killed it. At the second death or, if it may
    have come from outside, the third, it is given up.
    """

    source: Input
    job: Job
    items: int = 0
    deaths: int = 0
    suspects: Counter[int] = field(default_factory=Counter)

    def advance(self, chunk: Chunk) -> None:
        """Counts what has been done."""
        self.items += chunk.items
        self.deaths = 0

    def rest(self, death: Death) -> Job | None:
        """What is left to do after a death; None if that leads nowhere."""
        given_up = {item: known for item, known in self.job.given_up.items() if item >= self.items}
        if death.item < 0:
            self.deaths += 1
            if self.deaths == _DEATHS:
                return None
        else:
            self.suspects[death.item] += 1
            if self.suspects[death.item] >= death.deaths:
                # a worker that dies while it saves the record must not do so again
                saved = death.item in given_up
                given_up[death.item] = GivenUp(death.reason, death.why, quarantine=not saved)
        singly = death.item if death.item >= 0 else self.items + _DOUBTFUL
        self.job = replace(self.job, skip=self.items, given_up=given_up, singly=singly)
        return self.job


@dataclass(slots=True)
class _File(_Task):
    """An input in the hands of a worker, and its output."""

    closing: ExitStack = field(default_factory=ExitStack)
    output: Output | None = None


@dataclass(slots=True)
class _Batch(_Task):
    """Pages that are cleaned together."""

    offset: int = -1
    chunks: list[Chunk] = field(default_factory=list)
    done: bool = False


class _Counted(NamedTuple):
    """What adds to the counts without having to be cleaned, and the offset reached in its input."""

    tally: Tally
    source: Input
    offset: int


@dataclass(slots=True)
class _Run:
    settings: Settings
    pool: Pool
    jobs: int
    progress: Progress
    total: Tally = field(default_factory=Tally)
    # of the inputs at work, where each has an output of its own
    tallies: dict[Input, Tally] = field(default_factory=dict)

    def count(self, tally: Tally, source: Input, offset: int) -> None:
        """Adds up what has been done, and tells who watches."""
        self.total += tally
        if source in self.tallies:
            self.tallies[source] += tally
        # offsets in a compressed text are those of the text
        self.progress(tally, source, min(offset, source.size) if source.size >= 0 else offset)

    def by_file(
        self, sources: Iterable[Input], opener: Callable[[Input], AbstractContextManager[Output]]
    ) -> None:
        """Gives each input to a worker of its own; `opener` opens its output."""
        waiting = deque(sources)
        running: dict[int, _File] = {}
        with ExitStack() as leaving:
            # what is finished is forgotten at once: there may be a hundred thousand
            leaving.push(partial(_abandon, running))

            def submit(file: _File) -> None:
                running[self.pool.submit(file.job)] = file

            while waiting or running:
                while waiting and self.pool.idle:
                    source = waiting.popleft()
                    file = _File(source, FileJob(path=source.path))
                    file.output = file.closing.enter_context(opener(source))
                    submit(file)
                for number, event in self.pool.poll(_POLL_SECONDS):
                    file = running[number]
                    if isinstance(event, Chunk):
                        assert file.output is not None
                        file.output.write(event)
                        file.advance(event)
                        self.count(event.tally, file.source, event.offset)
                        continue
                    del running[number]
                    if isinstance(event, Death) and file.rest(event):
                        submit(file)
                        continue
                    self.count(_ended(file, event), file.source, file.source.size)
                    file.closing.close()

    def _items(self, sources: Iterable[Input]) -> Iterator[tuple[Input, Page | Skip | Damage | None]]:
        """What the inputs hold, one after the other, or why nothing can be read; None at the end of each."""
        for source in sources:
            try:
                for item in read(
                    source.path,
                    input_format=self.settings.input_format,
                    limits=self.settings.limits,
                    marker=self.settings.marker,
                ):
                    yield source, item
            except InputError as error:
                yield source, Damage(str(error), source.path, unread=True)
            yield source, None

    def _gather(self, parts: Iterator[_Batch | _Counted]) -> _Batch | None:
        """The next pages; counts what comes before them. None at the end."""
        for part in parts:
            if isinstance(part, _Batch):
                return part
            self.count(*part)
        return None

    def spread(self, sources: Iterable[Input], output: Output) -> None:
        """Reads the inputs here and deals their pages out to all workers; the output keeps their order."""
        parts = _batches(self._items(sources))
        pending: deque[_Batch] = deque()
        running: dict[int, _Batch] = {}
        ended = False

        def submit(batch: _Batch) -> None:
            running[self.pool.submit(batch.job)] = batch

        while True:
            # no more batches than keep everybody busy: a slow reader of the output slows this loop down
            while not ended and self.pool.idle and len(pending) < 4 * self.jobs:
                batch = self._gather(parts)
                if batch is None:
                    ended = True
                else:
                    pending.append(batch)
                    submit(batch)
            while pending and pending[0].done:
                batch = pending.popleft()
                for chunk in batch.chunks:
                    output.write(chunk)
                    self.count(chunk.tally, batch.source, batch.offset)
            if ended and not pending:
                return
            for number, event in self.pool.poll(_POLL_SECONDS):
                batch = running[number]
                if isinstance(event, Chunk):
                    batch.chunks.append(event)
                    batch.advance(event)
                    continue
                del running[number]
                if isinstance(event, Death):
                    if batch.rest(event):
                        submit(batch)
                        continue
                    batch.chunks.append(_hopeless(batch, event, self.settings.limits))
                batch.done = True


def _batches(items: Iterable[tuple[Input, Page | Skip | Damage | None]]) -> Iterator[_Batch | _Counted]:
    """Puts pages together; all else comes as counts at once, ahead of the pages that still wait. None is the
    end of an input."""
    pages: list[Page] = []
    size = 0
    for source, item in items:
        if isinstance(item, Page):
            pages.append(item)
            size += len(item.body)
            if len(pages) == _BATCH_PAGES or size >= _BATCH_BYTES:
                yield _batch(source, pages)
                pages, size = [], 0
        elif item is None:
            yield _Counted(Tally(inputs=1), source, source.size)
        else:
            tally = Tally()
            tally.add_item(item)
            yield _Counted(tally, source, item.offset)
    if pages:
        yield _batch(source, pages)


def _batch(source: Input, pages: list[Page]) -> _Batch:
    return _Batch(source, PagesJob(pages=tuple(pages)), offset=pages[-1].offset)


def _abandon(running: Mapping[int, _File], *error: Any) -> None:
    """Leaves outputs that are not finished, because of an error."""
    for file in running.values():
        with suppress(OSError):
            file.closing.__exit__(*error)


def _ended(task: _Task, event: Done | Failed | Death) -> Tally:
    """What the end of an input adds to the counts."""
    tally = Tally(inputs=1)
    if not isinstance(event, Done):
        died = f"{_DEATHS} workers died here, at no page; at last " if isinstance(event, Death) else ""
        tally.add_damage(Damage(f"{died}{event.why}", task.source.path, unread=True))
    return tally


def _hopeless(batch: _Batch, death: Death, limits: Limits) -> Chunk:
    """What there is to say of pages that cannot be cleaned, and of which none is to blame."""
    assert isinstance(batch.job, PagesJob)
    tally = Tally()
    left = batch.job.pages[batch.items :]
    for page in left:
        tally.add_quarantined(death.reason, death.why, page)
    records = b"".join(warc_record(page, limits) for page in left)
    return Chunk(b"", tally, len(left), batch.offset, records)


# One input at a time, for those who share work out themselves


def _chunks(task: _Task, pool: Pool) -> Generator[Chunk, None, Done | Failed | Death]:
    """Does a task in an idle pool of one worker; returns how it ended."""
    pool.submit(task.job)
    while True:
        for _, event in pool.poll(_POLL_SECONDS):
            if isinstance(event, Chunk):
                task.advance(event)
                yield event
            elif isinstance(event, Death) and task.rest(event):
                pool.submit(task.job)
            else:
                return event


def cleaned(source: Input, pool: Pool) -> Iterator[Chunk]:
    """Cleans an input in an idle pool of one worker: the results in order, as they come.

    The last of them counts the input. Who leaves off earlier has to close the pool.

    Raises:
        WorkerError: workers end before they can begin.
    """
    task = _Task(source, FileJob(path=source.path))
    end = yield from _chunks(task, pool)
    yield Chunk(b"", _ended(task, end), 0, source.size)


def cleaned_items(items: Iterable[Page | Skip | Damage], pool: Pool, limits: Limits) -> Iterator[Chunk]:
    """Cleans what somebody else has read, as `cleaned` does. Limits are those that it was read with."""
    for part in _batches((Input(item.source, "", -1), item) for item in items):
        if isinstance(part, _Counted):
            yield Chunk(b"", part.tally, 1, part.offset)
            continue
        end = yield from _chunks(part, pool)
        if isinstance(end, Death):
            yield _hopeless(part, end, limits)


def run(
    inputs: list[Input],
    settings: Settings,
    *,
    output: str | Path | BinaryIO,
    jobs: int = 1,
    progress: Progress = no_progress,
    again: bool = False,
    quarantine: str | Path | None = None,
) -> Tally:
    """Cleans all inputs.

    Args:
        inputs: see `find_inputs`.
        settings: method, model, formats, limits.
        output: a directory that gets one file per input, a file (a path with a suffix) or a binary stream
            that gets everything, in the order of the inputs. Directory and file may be URLs for fsspec.
        jobs: worker processes. The output does not depend on it.
        progress: called after each part of the work.
        again: clean what an earlier run into the same directory has finished, too. Otherwise inputs are
            passed over whose output stands, if neither they nor the settings have changed.
        quarantine: a WARC that gets the records of pages given up because they killed, held up or broke a
            worker, where the output is no directory. In a directory they go to `QUARANTINE`, a WARC for each
            input that has any.

    Returns:
        What was done. `Tally.complete` tells whether every input was read whole.

    Raises:
        NcleanerError: the model, an option or the output cannot be used at all.
    """
    if not inputs:
        return Tally()
    to_directory = isinstance(output, str | Path) and is_directory(output)
    if not to_directory and len(inputs) > 1:
        settings = replace(settings, set_off=True)
    # what is wrong with method, model or encoding is said here, not by each worker
    settings.cleaner()
    with Pool(jobs, settings) as pool:
        work = _Run(settings, pool, jobs, progress)
        with writing(output):
            if isinstance(output, str | Path) and to_directory:
                _to_directory(work, inputs, folder_at(output), again)
            else:
                apart = folder_and_name(quarantine) if quarantine is not None else None
                file: AbstractContextManager[BinaryIO]
                if isinstance(output, str | Path):
                    folder, name = folder_and_name(output)
                    file = folder.file(name)
                else:
                    file = nullcontext(output)
                with opened(file, settings, apart) as out:
                    if jobs == 1 and not any(source.is_pipe for source in inputs):
                        work.by_file(inputs, lambda source: nullcontext(out))
                    else:
                        work.spread(inputs, out)
    return work.total


def _to_directory(work: _Run, inputs: list[Input], folder: Folder, again: bool) -> None:
    """An output for each input that has none yet, and a line in the manifest."""
    settings = work.settings
    names = output_names(inputs, settings.sink().suffix)
    record = settings_record(settings, fingerprint(settings.method, settings.model))
    with open_manifest(folder, record, again) as manifest:

        @contextmanager
        def output_of(source: Input) -> Iterator[Output]:
            began = time.monotonic()
            work.tallies[source] = Tally()
            with output_in(folder, names[source], settings) as output:
                yield output
            manifest.add(source, names[source], work.tallies.pop(source), time.monotonic() - began)

        left = unfinished(inputs, names, manifest, work.count)
        alone = _largest(left, work.jobs)
        for source in alone:
            with output_of(source) as output:
                work.spread([source], output)
        work.by_file([source for source in left if source not in alone], output_of)


def unfinished(
    inputs: Iterable[Input], names: Mapping[Input, str], manifest: Manifest, count: Progress
) -> list[Input]:
    """The inputs that are to be cleaned; those that an earlier run has finished are counted."""
    left: list[Input] = []
    for source in inputs:
        if manifest.is_finished(source, names[source]):
            count(Tally(resumed=1), source, source.size)
        else:
            left.append(source)
    if manifest.changed:
        count(Tally(notes=_reasons(manifest.changed)), left[0], 0)
    return left


def _reasons(changed: Mapping[str, int]) -> list[Note]:
    """Why inputs that were finished are cleaned again."""
    known = {"input": "that have changed since", "output": "whose output is not as it was written"}
    return [
        Note(
            "cleaned_again",
            f"cleaning {number:,} inputs again {known.get(name, f'that were cleaned with another {name}')}",
        )
        for name, number in sorted(changed.items())
    ]


def _largest(inputs: list[Input], jobs: int) -> list[Input]:
    """Inputs to spread over all workers: pipes, and those that alone are more than a worker's share."""
    share = sum(max(source.size, 0) for source in inputs) / jobs
    return [source for source in inputs if source.is_pipe or (jobs > 1 and source.size > share)]
