"""Archives that all workers read together, stretch by stretch; the results are written in order.

Only clean text passes between processes, as with a worker for each input. A stretch is accepted if it begins
where the one before it has ended; otherwise a worker reads it again from there (see `reading.stretches`). The
results of the first stretch that is not written completely are written as they come; those of later ones
wait, up to a bound.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ncleaner.page import Damage
from ncleaner.pools.pool import Death, Done, Failed, Pool
from ncleaner.reading.inputs import Input
from ncleaner.reading.stretches import Layout
from ncleaner.running.jobs import Chunk, CleaningJob, Progress, StretchJob, TrackedJob, end_tally, events_of
from ncleaner.running.outputs import Opener, OpenOutput
from ncleaner.running.tally import Note, Tally

# Bytes of a stretch; between these bounds, each worker gets several of an archive.
_LEAST: Final = 1 << 18
_MOST: Final = 1 << 22
_EACH: Final = 8
# Stretches for each worker that are under way or wait to be written, and bytes of results that wait.
_AHEAD: Final = 4
_MOST_WAITING: Final = 1 << 25


@dataclass(slots=True)
class _OpenArchive:
    """An archive that is being read.

    Attributes:
        source, layout: the archive.
        reached: where the stretches that have been accepted end; -1 after the last one.
        items: number of their items.
        end: the event that ended the archive: `Done`, or why it could not be read on.
        refused: its output cannot be written.
    """

    source: Input
    layout: Layout
    reached: int = 0
    items: int = 0
    end: Done | Failed | Death = field(default_factory=Done)
    refused: bool = False


@dataclass(slots=True)
class _Stretch(TrackedJob):
    """A stretch with the results that wait to be written.

    Attributes:
        job: which reads it.
        archive: of which it is.
        began, ended: see `Stretch`; None if they are not known yet.
        chunks, waiting: the results that have not been written, and their size in bytes.
        end: the last event of its job.
        dropped: its results do not count.
    """

    job: StretchJob
    archive: _OpenArchive = field(kw_only=True)
    began: int | None = None
    ended: int | None = None
    chunks: deque[Chunk] = field(default_factory=deque)
    waiting: int = 0
    end: Done | Failed | Death | None = None
    dropped: bool = False

    def job_after(self, death: Death) -> CleaningJob | None:
        """Returns the job that continues after a death; None if its results do not count."""
        return None if self.dropped else TrackedJob.job_after(self, death)


class _Last(NamedTuple):
    """Marks the end of an archive's stretches."""

    archive: _OpenArchive


def _plan(archives: Iterable[tuple[Input, Layout]], jobs: int) -> Iterator[_Stretch | _Last]:
    """Yields the stretches of all archives; no more of one that has ended."""
    for source, layout in archives:
        archive = _OpenArchive(source, layout)
        step = min(max(layout.size // (_EACH * jobs), _LEAST), _MOST)
        # the last one is not much shorter than the others
        starts = range(0, max(layout.size - step // 2, 1), step)
        for start in starts:
            if archive.reached < 0:
                break
            stop = start + step if start != starts[-1] else -1
            yield _stretch(archive, start, stop, is_beginning=start == 0)
        yield _Last(archive)


def _stretch(archive: _OpenArchive, start: int, stop: int, is_beginning: bool) -> _Stretch:
    job = StretchJob(
        path=archive.source.path, layout=archive.layout, start=start, end=stop, is_beginning=is_beginning
    )
    return _Stretch(archive.source, job, archive=archive)


class CleaningInStretches:
    """Cleans archives one after the other, each with all workers.

    Args:
        archives: the archives with their layouts.
        opener: opens the output of an archive.
        pool: idle workers.
        jobs: their number.
        count: called with the counts of each part, its input, and the offset reached.
    """

    def __init__(
        self, archives: Iterable[tuple[Input, Layout]], opener: Opener, pool: Pool, jobs: int, count: Progress
    ) -> None:
        self._plan = _plan(archives, jobs)
        self._opener = opener
        self._pool = pool
        self._most_ahead = _AHEAD * jobs
        self._count = count
        # what is not written yet, in order; of these, what has not been given to a worker
        self._ahead: deque[_Stretch | _Last] = deque()
        self._to_submit: deque[_Stretch] = deque()
        self._running: dict[int, _Stretch] = {}
        self._all_planned = False
        # the output of the first archive, and what closes it
        self._output: OpenOutput | None = None
        self._closing = ExitStack()

    def run(self) -> None:
        """Cleans all archives."""
        # if there is an error, an output that is not complete does not appear
        with ExitStack() as leaving:
            leaving.push(self._discard)
            while True:
                self._submit()
                self._write()
                if self._all_planned and not self._ahead:
                    break
                self._receive(self._held())
            # stretches that do not count keep their workers from the next job
            while self._running:
                self._receive()

    def _discard(self, *error: Any) -> None:
        with suppress(OSError):
            self._closing.__exit__(*error)

    def _submit(self) -> None:
        """Gives stretches to the idle workers."""
        while self._pool.idle:
            while not self._to_submit and not self._all_planned and len(self._ahead) < self._most_ahead:
                planned = next(self._plan, None)
                if planned is None:
                    self._all_planned = True
                    break
                self._ahead.append(planned)
                if isinstance(planned, _Stretch):
                    self._to_submit.append(planned)
            if not self._to_submit:
                return
            stretch = self._to_submit.popleft()
            if not stretch.dropped:
                self._running[self._pool.submit(stretch.job)] = stretch

    def _held(self) -> set[int]:
        """Returns the jobs whose results have to wait, because too many are waiting already."""
        first = self._ahead[0] if self._ahead else None
        if all(stretch is not first for stretch in self._running.values()):
            # the first stretch waits for a worker
            return set()
        waiting = sum(stretch.waiting for stretch in self._ahead if isinstance(stretch, _Stretch))
        if waiting < _MOST_WAITING:
            return set()
        return {number for number, stretch in self._running.items() if stretch is not first}

    def _write(self) -> None:
        """Writes what can be written."""
        while self._ahead:
            first = self._ahead[0]
            archive = first.archive
            if self._output is None and not archive.refused:
                self._output = self._closing.enter_context(self._opener(archive.source))
                if self._output is None:
                    archive.refused, archive.reached = True, -1
            if isinstance(first, _Last):
                self._finish(archive)
                self._ahead.popleft()
                continue
            if archive.reached < 0 or 0 <= first.job.end <= archive.reached:
                # the stretches before it have read all of it
                self._drop(first)
                self._ahead.popleft()
                continue
            if first.began is None and first.end is None:
                return
            is_lost = first.began is None and isinstance(first.end, Failed | Death)
            if first.began != archive.reached and not (is_lost and first.job.is_beginning):
                self._drop(first)
                again = _stretch(archive, archive.reached, first.job.end, is_beginning=True)
                self._ahead[0] = again
                self._to_submit.appendleft(again)
                return
            while first.chunks:
                chunk = first.chunks.popleft()
                assert self._output is not None
                self._output.write(chunk)
                archive.items += chunk.items
                self._count(chunk.tally, first.source, chunk.offset)
            first.waiting = 0
            if first.end is None:
                return
            if isinstance(first.end, Done):
                assert first.ended is not None
                archive.reached = first.ended
            else:
                archive.end = first.end
                archive.reached = -1
            self._ahead.popleft()

    def _drop(self, stretch: _Stretch) -> None:
        stretch.dropped = True
        stretch.chunks.clear()
        stretch.waiting = 0

    def _finish(self, archive: _OpenArchive) -> None:
        """Counts the end of an archive and closes its output."""
        if not archive.refused:
            tally = end_tally(archive.source, archive.end)
            if not archive.items and isinstance(archive.end, Done):
                tally.add_item(Damage("empty", archive.source.path, 0, whole=True))
            self._count(tally, archive.source, archive.source.size)
        self._closing.close()
        self._output = None

    def _receive(self, held: Collection[int] = ()) -> None:
        for stretch, event in events_of(self._pool, self._running, held):
            if stretch.dropped:
                continue
            if isinstance(event, Note):
                self._count(Tally(notes=[event]), stretch.source, None)
            elif not isinstance(event, Chunk):
                stretch.end = event
            elif event.began is not None:
                stretch.began = event.began
            elif event.ended is not None:
                stretch.ended = event.ended
            else:
                stretch.chunks.append(event)
                stretch.waiting += len(event.output) + len(event.quarantine)
