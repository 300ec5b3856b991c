"""Work for a worker process, and what comes back from it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.context import BaseContext

from ncleaner.cleaner import Cleaner
from ncleaner.errors import NcleanerError
from ncleaner.methods.language import page_language
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import read
from ncleaner.running.quarantine import warc_record
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.base import Sink

__all__ = ["Chunk", "Death", "Done", "Event", "Failed", "FileJob", "GivenUp", "Job", "PagesJob"]

# A worker sends what it has when one of these is reached.
_CHUNK_PAGES = 64
_CHUNK_BYTES = 1 << 20
_CHUNK_SECONDS = 0.5


@dataclass(slots=True)
class Chunk:
    """Part of a job's results.

    Attributes:
        output: rendered pages, in order.
        tally: what they add to the counts.
        items: how many items of the input (pages, skipped records, damages) it covers.
        offset: byte offset in the input of the last of them; -1 where it has none.
        quarantine: WARC records of pages that were given up for what they did to a worker.
    """

    output: bytes
    tally: Tally
    items: int
    offset: int
    quarantine: bytes = b""


@dataclass(frozen=True, slots=True)
class Done:
    """A job is done; all its chunks have come."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The input of a job cannot be read at all. `why`: a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class Death:
    """A worker has ended in the middle of a job, or had to be ended.

    Attributes:
        reason: a few words, for counting.
        why: a sentence.
        item: number, in the job, of the page that it was at; -1 if at none.
        deaths: how many of this kind there have to be at a page before the page is to blame.
    """

    reason: str
    why: str
    item: int
    deaths: int = 2


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A page that is not to be cleaned: it has ended workers. `quarantine`: its record is to be kept."""

    reason: str
    why: str
    quarantine: bool = True


Event = Chunk | Done | Failed | Death
"""What comes back of a job: any number of chunks, then one of the others."""


class Watch:
    """What a worker is at, for its parent to see: it stays readable when the worker is dead or hangs."""

    def __init__(self, context: BaseContext) -> None:
        # two numbers, each written in one piece: the item, and since when; 0 where it is at no page
        self._at = context.RawArray("d", 2)

    def begin(self, item: int, now: float) -> None:
        self._at[0] = item
        self._at[1] = now

    def end(self) -> None:
        self._at[1] = 0.0

    @property
    def item(self) -> int:
        return int(self._at[0]) if self._at[1] else -1

    def seconds(self, now: float) -> float:
        """How long the worker has been at its page; 0 if it is at none."""
        since = self._at[1]
        return now - since if since else 0.0


@dataclass(slots=True)
class State:
    settings: Settings
    cleaner: Cleaner
    sink: Sink
    watch: Watch


def _clean(page: Page, state: State, tally: Tally) -> bytes:
    """A page's output. The one place where a page's failure is caught."""
    began = time.monotonic()
    try:
        document, kept = state.cleaner.page(page)
        if "language" in state.sink.needs and not kept.remarks.language and kept.mask.any():
            kept = kept.remarked(language=page_language(document))
        part = state.sink.render(page, document, kept, page.offset < 0 and not state.settings.set_off)
    except NcleanerError as error:
        tally.add_lost(type(error).__name__, str(error), page)
        return b""
    tally.add_page(page, document, kept, time.monotonic() - began)
    return part


@dataclass(frozen=True, slots=True)
class Job:
    """Work for a worker process; picklable.

    Attributes:
        skip: so many items have been dealt with before.
        given_up: pages that are not to be cleaned, by the number of their item.
        singly: results up to this item are sent one by one, lest they are lost with another worker.
    """

    skip: int = 0
    given_up: Mapping[int, GivenUp] = field(default_factory=dict)
    singly: int = -1

    def items(self, settings: Settings) -> Iterable[Page | Skip | Damage]:
        """What there is to do. Raises InputError if it cannot be read at all."""
        raise NotImplementedError

    def run(self, state: State) -> Iterator[Chunk]:
        """Does it, in chunks."""
        parts: list[bytes] = []
        quarantine: list[bytes] = []
        size = count = 0
        offset = -1
        tally = Tally()
        since = time.monotonic()
        for number, item in enumerate(self.items(state.settings)):
            if number < self.skip:
                continue
            if isinstance(item, Page):
                state.watch.begin(number, time.monotonic())
                known = self.given_up.get(number)
                try:
                    part = b"" if known else _clean(item, state, tally)
                except MemoryError:
                    part, known = b"", GivenUp("out of memory", "not enough memory")
                if known:
                    tally.add_quarantined(known.reason, known.why, item)
                    if known.quarantine:
                        quarantine.append(warc_record(item, state.settings.limits))
                state.watch.end()
                parts.append(part)
                size += len(part)
            else:
                tally.add_item(item)
            count += 1
            offset = item.offset
            if (
                count >= _CHUNK_PAGES
                or size >= _CHUNK_BYTES
                or number <= self.singly
                or time.monotonic() - since >= _CHUNK_SECONDS
            ):
                yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))
                parts, quarantine, size, count = [], [], 0, 0
                tally, since = Tally(), time.monotonic()
        if count:
            yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))


@dataclass(frozen=True, slots=True)
class FileJob(Job):
    """A whole input, read and cleaned in the worker."""

    path: str = ""

    def items(self, settings: Settings) -> Iterable[Page | Skip | Damage]:
        """Reads the file."""
        return read(
            self.path, input_format=settings.input_format, limits=settings.limits, marker=settings.marker
        )


@dataclass(frozen=True, slots=True)
class PagesJob(Job):
    """Pages that the parent has read."""

    pages: tuple[Page, ...] = ()

    def items(self, settings: Settings) -> Iterable[Page | Skip | Damage]:
        """They are at hand."""
        return self.pages
