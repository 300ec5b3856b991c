"""Jobs for worker processes, the events that they send back, and what happens when workers die at them.

Pages that are given up can be kept as WARC records: to examine, to report, or to try again. A record is
copied from its archive without a change. If that is not possible, because the input is a pipe or the archive
is damaged there, a new record is made from the page.
"""

import gzip
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Final, NamedTuple, TypeVar
from uuid import NAMESPACE_URL, uuid5

from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError, NcleanerError
from ncleaner.fastclass import fastclass
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.parsing._lexbor import reuse_memory
from ncleaner.pools.pool import Activity, Death, Doing, Done, Failed, Pool, Waiting
from ncleaner.reading._warc import split_head
from ncleaner.reading.archive import reread_record
from ncleaner.reading.inputs import Input
from ncleaner.reading.stretches import REPLACED, Layout, layout_of, open_stretch
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.sinks.sink import Sink

# A worker sends a chunk when one of these bounds is reached.
_CHUNK_PAGES = 256
_CHUNK_BYTES = 1 << 20
CHUNK_SECONDS = 0.5


class Chunk(NamedTuple):
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


class WorkerState(NamedTuple):
    """The objects that a worker keeps from job to job."""

    settings: Settings
    cleaner: Cleaner
    sink: Sink
    activity: Activity


@fastclass
class _Setup:
    """Makes the state of a worker. Forked workers take the loaded cleaner over; it is not sent to others."""

    settings: Settings
    cleaner: Cleaner | None = None

    def __reduce__(self) -> "tuple[type[_Setup], tuple[Settings]]":
        return _Setup, (self.settings,)

    def __call__(self, activity: Activity) -> WorkerState:
        reuse_memory()
        return WorkerState(
            self.settings, self.cleaner or self.settings.cleaner(), self.settings.output.sink(), activity
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


def _clean(page: Page, state: WorkerState, tally: Tally, began: float) -> bytes:
    """Returns a page's output, and counts the page. An error in the page costs this page alone."""
    try:
        dumps = state.settings.dumps
        dumped = dumps.get(page) if dumps else None
        document, kept = state.cleaner.page(page, dumped)
        if dumps and dumped is None:
            dumps.add(page, document)
        single = page.is_alone and not state.settings.many_pages
        part = state.sink.render(page, document, kept, single)
    except NcleanerError as error:
        tally.add_lost(type(error).__name__, str(error), page)
        return state.sink.lost(page, str(error))
    tally.add_page(page, document, kept, time.monotonic() - began)
    return part


@fastclass
class CleaningJob:
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

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Cleans the items; yields the results in chunks. Raises InputError: the input cannot be read."""
        raise NotImplementedError

    def _cleaned(self, items: "Iterable[Page | Skip | Damage | _End]", state: WorkerState) -> Iterator[Chunk]:
        parts: list[bytes] = []
        quarantine: list[bytes] = []
        size = count = 0
        offset = -1
        tally = Tally()
        since = time.monotonic()
        activity = state.activity
        activity.begin(Doing.READING)
        for number, item in enumerate(items):
            if number < self.skip:
                activity.live()
                continue
            if isinstance(item, Page):
                now = activity.begin(Doing.ITEM, number)
                given_up = self.given_up.get(number) if self.given_up else None
                try:
                    part = b"" if given_up else _clean(item, state, tally, now)
                except MemoryError:
                    given_up = GivenUp("out of memory", "not enough memory")
                if given_up:
                    part = state.sink.lost(item, given_up.why)
                    tally.add_quarantined(given_up.reason, given_up.why, item)
                    if given_up.quarantine:
                        quarantine.append(warc_record(item, state.settings.recipe.limits))
                now = activity.begin(Doing.READING)
                parts.append(part)
                size += len(part)
            else:
                now = activity.begin(Doing.READING)
                if not isinstance(item, _End):
                    tally.add_item(item)
                if isinstance(item, Skip) and item.lost:
                    parts.append(state.sink.lost(item, item.reason))
            count += 1
            offset = item.offset
            if (
                count >= _CHUNK_PAGES
                or size >= _CHUNK_BYTES
                or number <= self.send_each_until
                or now - since >= CHUNK_SECONDS
            ):
                activity.begin(Doing.SENDING)
                yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))
                activity.begin(Doing.READING)
                parts, quarantine, size, count = [], [], 0, 0
                tally, since = Tally(), time.monotonic()
        activity.begin(Doing.SENDING)
        if count:
            yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))


class _End(NamedTuple):
    """The end of one of several files, with the bytes of all that are read; an item of its own, so that the
    number of items that are done tells which file is being read."""

    offset: int


@fastclass
class FileJob(CleaningJob):
    """Whole files, which the worker reads one after the other and cleans.

    Attributes:
        source: their input.
        unread: why a file is read no further from an item on, by the index of that item.
    """

    source: Input = field(kw_only=True)
    unread: Mapping[int, str] = field(default_factory=dict)

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Reads the files and cleans them."""
        return self._cleaned(self._items(state), state)

    def _items(self, state: WorkerState) -> Iterator[Page | Skip | Damage | _End]:
        number = done = 0
        for source in self.source.files:
            for item in self._items_of(source, number, state):
                yield item
                number += 1
            done += source.size or 0
            if self.source.members:
                yield _End(done)
                number += 1

    def _items_of(self, source: Input, number: int, state: WorkerState) -> Iterator[Page | Skip | Damage]:
        """Yields the items of a file, of which the first is that of the number."""
        try:
            items = state.settings.read(source.path, pipes=False, on_read=state.activity.live)
            while (why := self.unread.get(number)) is None:
                item = next(items, None)
                if item is None:
                    return
                yield item
                number += 1
        except InputError as error:
            why = str(error)
        yield Damage(without(source.path, why), source.path, unread=True)


@fastclass
class PagesJob(CleaningJob):
    """Pages that the parent has read, or has given up."""

    pages: tuple[Page | Skip, ...] = ()

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Cleans the pages."""
        return self._cleaned(self.pages, state)


@fastclass(kw_only=True)
class PieceJob(CleaningJob):
    """A piece of an archive, which the parent has read from a pipe; see `reading.stretches.pieces`."""

    path: str
    start: int
    data: bytes

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Reads and cleans the pages. Raises InputError: something in the piece is damaged."""
        return self._cleaned(self._items(state), state)

    def _items(self, state: WorkerState) -> Iterator[Page | Skip]:
        for item in state.settings.read(BytesIO(self.data), name=self.path, on_read=state.activity.live):
            if isinstance(item, Damage):
                raise InputError(item.what)
            yield item._replace(offset=item.offset + self.start)


@fastclass(kw_only=True)
class StretchJob(CleaningJob):
    """A stretch of an archive, which the worker looks for, reads and cleans; see `reading.stretches`. The
    layout of another machine is not given, since the same file has other numbers there."""

    path: str
    layout: Layout | None = None
    start: int = 0
    end: int = -1
    is_beginning: bool = True

    def run(self, state: WorkerState) -> Iterator[Chunk]:
        """Cleans the items; tells of the beginning before, and of the end after them."""
        state.activity.begin(Doing.READING)
        layout = self.layout or layout_of(self.path, state.settings.reading.input_format)
        if layout is None:
            raise InputError(REPLACED.format(self.path))
        with open_stretch(
            self.path, layout, self.start, self.end, self.is_beginning, limits=state.settings.recipe.limits,
            on_read=state.activity.live,
        ) as stretch:  # fmt: skip
            yield Chunk(b"", Tally(), 0, -1, began=stretch.began)
            yield from self._cleaned(stretch, state)
            yield Chunk(b"", Tally(), 0, -1, ended=stretch.ended)


_MEDIA_TYPE: Final = {"html": "text/html", "text": "text/plain"}


def warc_record(page: Page, limits: Limits) -> bytes:
    """Returns a page's record as a gzip member of a WARC. `limits` are those that the page was read with."""
    record = None
    with suppress(OSError):
        record = reread_record(page, limits)
    if record is None or record.block is None:
        return _new_record("resource", page, page.body, page.content_type or _MEDIA_TYPE[page.kind])
    if record.head:
        return gzip.compress(record.head + record.block + b"\r\n\r\n", mtime=0)
    if split_head(record.block) is None:
        return _new_record("resource", page, record.block, record.content_type or _MEDIA_TYPE[page.kind])
    return _new_record("response", page, record.block, "application/http; msgtype=response")


def _new_record(kind: str, page: Page, block: bytes, content_type: str) -> bytes:
    # this import takes a tenth of the time of a start, and is needed in few runs
    from ncleaner.sinks.wet import NO_DATE, write_record

    url = " ".join(page.url.split()) or "urn:ncleaner:unknown"
    name = page.record_id or uuid5(NAMESPACE_URL, f"{url} {page.offset}").urn
    headers = [
        ("WARC-Record-ID", f"<{name}>"),
        ("WARC-Date", page.date or NO_DATE),
        ("WARC-Type", kind),
        ("WARC-Target-URI", url),
    ]
    return write_record(kind, headers, block, content_type)


# Workers that may die in a row, between pages, at the same place of an input.
_MAX_DEATHS = 5
# Items after such a place whose results are sent one by one, so that fewer are lost with the next worker.
_SEND_EACH = 200

# Called with the counts since the last call, the input, and the offset reached in it: its size when it is
# finished, None if it is unknown.
Progress = Callable[[Tally, Input, int | None], None]


@dataclass(slots=True, eq=False, repr=False)
class TrackedJob:
    """A job with its progress and the deaths of its workers.

    A page at which a worker dies is tried again, since the page may not be the cause. It is given up at the
    second death or, if the cause may lie outside, at the third.

    Attributes:
        source: the input of the job.
        job: the job; after a death, its remaining part.
        items: number of items that are done.
        deaths: deaths between pages since the last progress.
        deaths_at_item: deaths at each page, by the index of its item.
        events: what its workers have sent, and `in_order` has not given yet.
    """

    source: Input
    job: CleaningJob
    items: int = 0
    deaths: int = 0
    deaths_at_item: Counter[int] = field(default_factory=Counter)
    events: deque[Chunk | Note | Done | Failed | Death] = field(default_factory=deque)

    @property
    def path(self) -> str:
        """Path of the input that is read next."""
        return self.source.path

    def advance(self, chunk: Chunk) -> None:
        """Counts the items of a chunk as done."""
        self.items += chunk.items
        # the beginning of a stretch is sent again after each death
        if chunk.items:
            self.deaths = 0

    def job_after(self, death: Death) -> CleaningJob | None:
        """Returns the job that continues after a death; None if too many workers have died at one place."""
        given_up = {item: entry for item, entry in self.job.given_up.items() if item >= self.items}
        if death.item < 0:
            self.deaths += 1
            if self.deaths == _MAX_DEATHS:
                if not self.source.members or not isinstance(self.job, FileJob):
                    return None
                # of several files, it ends one
                self.deaths = 0
                self.job = replace(self.job, unread={**self.job.unread, self.items: _died(death.why)})
        else:
            self.deaths_at_item[death.item] += 1
            if self.deaths_at_item[death.item] >= death.deaths_to_give_up:
                # a page that was given up before has killed a worker again, which was saving its record
                is_again = death.item in given_up
                given_up[death.item] = GivenUp(death.reason, death.why, quarantine=not is_again)
        send_each_until = death.item if death.item >= 0 else self.items + _SEND_EACH
        self.job = replace(self.job, skip=self.items, given_up=given_up, send_each_until=send_each_until)
        return self.job


Task = TypeVar("Task", bound=TrackedJob)


def events_of(
    pool: Pool, running: dict[int, Task], held: Collection[int] = ()
) -> Iterator[tuple[Task, Chunk | Note | Done | Failed | Death]]:
    """Yields the chunks of the tasks that run, notes of workers that wait or are replaced, and the ends.

    A task whose worker has died continues with another one.

    Args:
        pool: the workers.
        running: the tasks, by the numbers of their jobs; those that have ended are removed.
        held: numbers of jobs whose events have to wait.
    """
    for number, event in pool.poll(held=held):
        task = running[number]
        if isinstance(event, Chunk):
            task.advance(event)
            yield task, event
            continue
        if isinstance(event, Waiting):
            yield task, Note("waiting", event.what, task.path)
            continue
        del running[number]
        if isinstance(event, Death):
            if event.item < 0:
                yield task, Note("worker_replaced", f"{event.why}; another one goes on", task.path)
            if task.job_after(event):
                running[pool.submit(task.job)] = task
                continue
        yield task, event


def in_order(
    tasks: Iterator[Task], pool: Pool, most: int
) -> Iterator[tuple[Task, Chunk | Note | Done | Failed | Death]]:
    """Gives tasks to the workers of an idle pool, and yields their events in the order of the tasks. A caller
    that stops before the end must close the pool.

    Args:
        tasks: are taken when a worker is idle.
        pool: the workers.
        most: tasks that run, or whose results wait for those before them: if these are used slowly, tasks are
            taken slowly.
    """
    waiting: deque[Task] = deque()
    running: dict[int, Task] = {}
    more = True
    while more or waiting:
        while more and pool.idle and len(waiting) < most:
            task = next(tasks, None)
            if task is None:
                more = False
            else:
                waiting.append(task)
                running[pool.submit(task.job)] = task
        if running:
            for task, event in events_of(pool, running):
                task.events.append(event)
        while waiting and (events := waiting[0].events):
            event = events.popleft()
            yield waiting[0], event
            if not isinstance(event, Chunk | Note):
                waiting.popleft()


def end_tally(source: Input, event: Done | Failed | Death) -> Tally:
    """Returns the counts of the end of an input: one input, and the damage if it was not read to the end."""
    tally = Tally(inputs=len(source.files))
    if not isinstance(event, Done):
        why = _died(event.why) if isinstance(event, Death) else without(source.path, event.why)
        tally.add_item(Damage(why, source.path, unread=True))
    return tally


def _died(why: str) -> str:
    return f"{_MAX_DEATHS} workers died here, between pages: {why}"


def without(path: str, what: str) -> str:
    """Returns an error without the path that it begins with, since damage names its input."""
    return what.removeprefix(f"{path}: ")
