"""Jobs for worker processes, and the events that they send back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ncleaner.cleaner import Cleaner
from ncleaner.document._document import reuse_memory
from ncleaner.errors import NcleanerError
from ncleaner.page import Damage, Page, Skip
from ncleaner.pools.pool import Activity, Doing, Pool
from ncleaner.reading.stretches import Layout, Stretch, open_stretch
from ncleaner.running.quarantine import warc_record
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.base import Sink

__all__ = ["Chunk", "FileJob", "GivenUp", "Job", "PagesJob", "StretchJob", "WorkerState", "pool_of"]

# A worker sends a chunk when one of these bounds is reached.
_CHUNK_PAGES = 64
_CHUNK_BYTES = 1 << 20
_CHUNK_SECONDS = 0.5


@dataclass(slots=True)
class Chunk:
    """A part of a job's results.

    Attributes:
        output: rendered pages, in order.
        tally: counts of this part.
        items: number of items of the input (pages, skipped records, damages) in this part.
        offset: byte offset of the last of these items in the input; -1 if it has none.
        quarantine: WARC records of pages that were given up because they killed, held up or broke a worker.
        began, ended: of a stretch, see `stretches.Stretch`: in a chunk before all others, and in one after
            them.
    """

    output: bytes
    tally: Tally
    items: int
    offset: int
    quarantine: bytes = b""
    began: int | None = None
    ended: int | None = None


class GivenUp(NamedTuple):
    """A page that is not cleaned because workers have died at it; with `quarantine`, its record is kept."""

    reason: str
    why: str
    quarantine: bool = True


@dataclass(slots=True)
class WorkerState:
    """The objects that a worker keeps from job to job."""

    settings: Settings
    cleaner: Cleaner
    sink: Sink
    activity: Activity


@dataclass(frozen=True, slots=True)
class _Setup:
    """Makes the state of a worker. Forked workers take the loaded cleaner over; it is not sent to others."""

    settings: Settings
    cleaner: Cleaner | None = None

    def __reduce__(self) -> tuple[type[_Setup], tuple[Settings]]:
        return _Setup, (self.settings,)

    def __call__(self, activity: Activity) -> WorkerState:
        reuse_memory()
        return WorkerState(
            self.settings, self.cleaner or self.settings.cleaner(), self.settings.sink(), activity
        )


def pool_of(jobs: int, settings: Settings, cleaner: Cleaner | None = None) -> Pool:
    """Returns workers that clean.

    Args:
        jobs: number of workers.
        settings: of all workers.
        cleaner: with these settings. Workers that are forked from this process take it over with the models
            that it has loaded, whose memory they share; it must have no open files.
    """
    limits = settings.recipe.limits
    return Pool(jobs, _Setup(settings, cleaner), seconds=limits.seconds, memory=limits.memory)


def _clean(page: Page, state: WorkerState, tally: Tally) -> bytes:
    """Returns a page's output, and counts the page. Only here, an error in a page is caught."""
    began = time.monotonic()
    try:
        document, kept = state.cleaner.page(page)
        is_piece = page.layout is not None and page.layout.is_piece
        single = (page.offset < 0 or is_piece) and not state.settings.many_pages
        part = state.sink.render(page, document, kept, single)
    except NcleanerError as error:
        tally.add_lost(type(error).__name__, str(error), page)
        return b""
    tally.add_page(page, document, kept, time.monotonic() - began)
    return part


@dataclass(frozen=True, slots=True)
class Job:
    """A job for a worker process; picklable.

    Attributes:
        skip: number of items that are done already.
        given_up: pages that are not cleaned, by the index of their item.
        send_each_until: results up to this item are sent one by one, so that fewer are lost if another worker
            dies.
    """

    skip: int = 0
    given_up: Mapping[int, GivenUp] = field(default_factory=dict)
    send_each_until: int = -1

    def items(self, settings: Settings, on_read: Callable[[], None]) -> Iterable[Page | Skip | Damage]:
        """Returns the items of the job; `on_read` is as for `read`.

        Raises:
            InputError: the input cannot be read at all.
        """
        raise NotImplementedError

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Cleans the items; yields the results in chunks."""
        parts: list[bytes] = []
        quarantine: list[bytes] = []
        size = count = 0
        offset = -1
        tally = Tally()
        since = time.monotonic()
        activity = state.activity
        activity.begin(Doing.READING)
        for number, item in enumerate(self.items(state.settings, activity.live)):
            if number < self.skip:
                activity.live()
                continue
            if isinstance(item, Page):
                activity.begin(Doing.ITEM, number)
                given_up = self.given_up.get(number)
                try:
                    part = b"" if given_up else _clean(item, state, tally)
                except MemoryError:
                    part, given_up = b"", GivenUp("out of memory", "not enough memory")
                if given_up:
                    tally.add_quarantined(given_up.reason, given_up.why, item)
                    if given_up.quarantine:
                        quarantine.append(warc_record(item, state.settings.recipe.limits))
                activity.begin(Doing.READING)
                parts.append(part)
                size += len(part)
            else:
                activity.live()
                tally.add_item(item)
            count += 1
            offset = item.offset
            if (
                count >= _CHUNK_PAGES
                or size >= _CHUNK_BYTES
                or number <= self.send_each_until
                or time.monotonic() - since >= _CHUNK_SECONDS
            ):
                activity.begin(Doing.SENDING)
                yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))
                activity.begin(Doing.READING)
                parts, quarantine, size, count = [], [], 0, 0
                tally, since = Tally(), time.monotonic()
        activity.begin(Doing.SENDING)
        if count:
            yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))


@dataclass(frozen=True, slots=True)
class FileJob(Job):
    """A whole input, which the worker reads and cleans."""

    path: str = ""

    def items(self, settings: Settings, on_read: Callable[[], None]) -> Iterable[Page | Skip | Damage]:
        """Reads the input."""
        return settings.read(self.path, on_read=on_read)


@dataclass(frozen=True, slots=True)
class PagesJob(Job):
    """Pages that the parent has read."""

    pages: tuple[Page, ...] = ()

    def items(self, settings: Settings, on_read: Callable[[], None]) -> Iterable[Page | Skip | Damage]:
        """Returns the pages."""
        return self.pages


@dataclass(frozen=True, slots=True)
class _OpenJob(Job):
    """A stretch that is open."""

    stretch: Stretch | None = None

    def items(self, settings: Settings, on_read: Callable[[], None]) -> Iterable[Page | Skip | Damage]:
        """Returns the stretch."""
        assert self.stretch is not None
        return self.stretch


_PLAIN = Layout("warc", "plain")


@dataclass(frozen=True, slots=True)
class StretchJob(Job):
    """A stretch of an archive, which the worker looks for, reads and cleans; see `reading.stretches`."""

    path: str = ""
    layout: Layout = _PLAIN
    start: int = 0
    end: int = -1
    is_beginning: bool = True

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Cleans the items; tells of the beginning before, and of the end after them."""
        state.activity.begin(Doing.READING)
        with open_stretch(
            self.path,
            self.layout,
            self.start,
            self.end,
            self.is_beginning,
            limits=state.settings.recipe.limits,
            on_read=state.activity.live,
        ) as stretch:
            yield Chunk(b"", Tally(), 0, -1, began=stretch.began)
            yield from _OpenJob(self.skip, self.given_up, self.send_each_until, stretch).run(state)
            yield Chunk(b"", Tally(), 0, -1, ended=stretch.ended)
