"""Counts of a run: counted page by page, and added up over batches, inputs and workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ncleaner.document import Document
from ncleaner.document._kept import sums_of
from ncleaner.document.kept import NOTICE, Kept
from ncleaner.page import Damage, Page, Skip
from ncleaner.text.visible import visible

__all__ = ["LENGTHS", "OTHERS", "SHARES", "TIMES", "Note", "Tally", "note_of"]

# Most notes and most places of damage in a tally, so that a badly damaged input does not fill the memory.
_MAX_NOTES = 100
_SLOWEST = 5
OTHERS = "others"

# The bins of the distributions: each has the name of its lower bound, and ends at the next one.
# Words kept of 100 words of a page: none, 1 to 9, …, 90 to 99, all.
SHARES = ("0", "1", *(str(share) for share in range(10, 100, 10)), "100")
# Words that are kept of a page, by the number of bits: 0, 1, 2 to 3, 4 to 7, … The last bin has no end.
LENGTHS = ("0", *(str(1 << bits) for bits in range(21)))
# Milliseconds for a page, likewise: below 1/8, from 1/8, 1/4, 1/2, 1, 2, …
TIMES = ("0", *(f"{(1 << bits) / 8:g}" for bits in range(21)))


@dataclass(frozen=True, slots=True)
class Note:
    """An event that is reported to the user; `str` gives a sentence, in which nothing acts on a terminal.

    Attributes:
        event: `page_given_up`, `damage`, `unread` (an input, or the rest of one), `cleaned_again`, `waiting`,
            or `worker_replaced`.
        what: a description in words.
        source, offset, url: the place; see `Page`.
    """

    event: str
    what: str
    source: str = ""
    offset: int = -1
    url: str = ""

    def __str__(self) -> str:
        where = visible(self.source)
        if where and self.offset >= 0:
            where = f"{where} at byte {self.offset:,}"
        what = visible(self.what)
        if self.event == "page_given_up":
            what = f"page given up: {what}"
        return (f"{where}: " if where else "") + what + (f" ({visible(self.url)})" if self.url else "")


def note_of(item: Skip | Damage) -> Note:
    """Returns what a run reports of damage, or of a page that the reader has given up."""
    if isinstance(item, Skip):
        return Note("page_given_up", item.reason, item.source, item.offset, item.url)
    return Note("unread" if item.unread else "damage", item.what, item.source, item.offset, item.url)


@dataclass(slots=True)
class Tally:
    """Counts of one batch, one input or a whole run; tallies add up with `+=`.

    Attributes:
        inputs: input files finished.
        resumed: input files that an earlier run had finished.
        unread: input files that could not be read, or not to their end, because of a disk or a network.
        pages: pages read.
        cleaned: pages with clean text.
        empty: pages without clean text.
        notices: empty pages that hold nothing but a notice, such as an error message.
        duplicates: pages that repeat another page, by the survey of sites.
        skipped: records that yield no page, by reason.
        lost: pages given up, by reason.
        damaged: places where an input is broken.
        damages: (byte offset, what is broken) of the first hundred of these places.
        quarantined: (byte offset, URL, reason) of the first hundred pages given up because they killed, held
            up or broke a worker.
        slowest: (seconds, byte offset, URL) of the five slowest pages, the slowest first.
        flattened: pages from which tags were dropped because of the limits.
        bytes: sum of the sizes of page bodies.
        segments_kept, segments_removed, words_kept, words_removed: of all cleaned and empty pages.
        unfamiliar: pages in letters that are rare in the model's training data.
        fallbacks: pages that another method cleaned instead of the chosen one, by that method.
        encodings: pages by encoding.
        languages: pages by language.
        models: pages by the model that decided; none for methods without a model.
        kinds: pages by their most probable kind; none for methods that do not judge it.
        shares: pages by the share of their words that is kept, in per cent; a bin has the name of its lower
            bound: `0` (nothing), `1`, `10`, …, `90`, `100` (everything). Without pages that have no words.
        lengths: pages by the number of words that are kept, likewise: `0`, `1`, `2`, `4`, `8`, …
        times: pages by milliseconds, likewise: `0`, `0.125`, `0.25`, `0.5`, `1`, `2`, …
        notes: one for each page given up and each place of damage, the first hundred of a batch.
    """

    inputs: int = 0
    resumed: int = 0
    unread: int = 0
    pages: int = 0
    cleaned: int = 0
    empty: int = 0
    notices: int = 0
    duplicates: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    damaged: int = 0
    damages: list[tuple[int, str]] = field(default_factory=list)
    quarantined: list[tuple[int, str, str]] = field(default_factory=list)
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    flattened: int = 0
    bytes: int = 0
    segments_kept: int = 0
    segments_removed: int = 0
    words_kept: int = 0
    words_removed: int = 0
    unfamiliar: int = 0
    fallbacks: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    shares: Counter[str] = field(default_factory=Counter)
    lengths: Counter[str] = field(default_factory=Counter)
    times: Counter[str] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, Counter):
                for reason, number in theirs.items():
                    _add(mine, reason, number)
            elif isinstance(mine, int):
                setattr(self, each.name, mine + theirs)
        # notes are not added up: the receiver of each tally reports them
        self.damages += other.damages[: _MAX_NOTES - len(self.damages)]
        self.quarantined += other.quarantined[: _MAX_NOTES - len(self.quarantined)]
        self.slowest = sorted([*self.slowest, *other.slowest], key=_slowest_first)[:_SLOWEST]
        return self

    @property
    def complete(self) -> bool:
        """Whether every input was read completely and no page was given up."""
        return not self.damaged and not self.lost

    def add_page(self, page: Page, document: Document, kept: Kept, seconds: float) -> None:
        """Counts a cleaned page, which took `seconds`."""
        kept_segments, kept_words, words, _chars, _links = sums_of(document.tables, kept.mask)
        self.pages += 1
        self.bytes += len(page.body)
        if len(self.slowest) < _SLOWEST or seconds > self.slowest[-1][0]:
            self.slowest = sorted([*self.slowest, (seconds, page.offset, page.url)], key=_slowest_first)[
                :_SLOWEST
            ]
        if kept_segments:
            self.cleaned += 1
        else:
            self.empty += 1
            self.notices += kept.kind == NOTICE
        self.segments_kept += kept_segments
        self.segments_removed += len(document) - kept_segments
        self.words_kept += kept_words
        self.words_removed += words - kept_words
        self.flattened += document.dropped_tags > 0
        self.encodings[document.encoding or "decoded"] += 1
        self.unfamiliar += kept.remarks.unfamiliar
        self.duplicates += bool(kept.remarks.duplicate_of)
        if kept.remarks.fallback:
            self.fallbacks[kept.remarks.fallback] += 1
        _add(self.languages, kept.remarks.language or "unknown", 1)
        if kept.remarks.model:
            _add(self.models, kept.remarks.model, 1)
        if kind := kept.kind:
            self.kinds[kind] += 1
        if words:
            self.shares[SHARES[10 * kept_words // words + 1 if kept_words else 0]] += 1
        self.lengths[LENGTHS[min(kept_words.bit_length(), len(LENGTHS) - 1)]] += 1
        self.times[TIMES[min(int(8000 * seconds).bit_length(), len(TIMES) - 1)]] += 1

    def add_item(self, item: Skip | Damage) -> None:
        """Counts a record that yielded no page: a Skip or a Damage."""
        if isinstance(item, Skip):
            self.add_skip(item)
        else:
            self.add_damage(item)

    def add_skip(self, skip: Skip) -> None:
        """Counts a record that yields no page, or a page that the reader has given up."""
        if skip.lost:
            self.add_lost(skip.reason, skip.reason, skip)
        else:
            _add(self.skipped, skip.reason, 1)

    def add_lost(self, reason: str, detail: str, page: Page | Skip) -> None:
        """Counts a page that was given up, by `reason`; `detail` is the text of the note."""
        self.pages += 1
        _add(self.lost, reason, 1)
        self._note("page_given_up", detail, page)

    def add_quarantined(self, reason: str, detail: str, page: Page) -> None:
        """Counts a page that was given up because it killed, held up or broke its worker."""
        self.add_lost(reason, detail, page)
        if len(self.quarantined) < _MAX_NOTES:
            self.quarantined.append((page.offset, page.url, detail))

    def add_damage(self, damage: Damage) -> None:
        """Counts a place where an input is broken, or cannot be read further."""
        self.damaged += 1
        self.unread += damage.unread
        if len(self.damages) < _MAX_NOTES:
            self.damages.append((damage.offset, damage.what))
        self._note("unread" if damage.unread else "damage", damage.what, damage)

    def record(self) -> dict[str, Any]:
        """Returns the counts of one input, for JSON."""
        return {
            "unread": bool(self.unread),
            "pages": self.pages,
            "cleaned": self.cleaned,
            "empty": self.empty,
            "notices": self.notices,
            "duplicates": self.duplicates,
            "given_up": dict(sorted(self.lost.items())),
            "records_skipped": dict(sorted(self.skipped.items())),
            "flattened": self.flattened,
            "damaged": self.damaged,
            "damage": [{"offset": offset, "what": what} for offset, what in self.damages],
            "quarantined": [
                {"offset": offset, "url": url, "why": why} for offset, url, why in self.quarantined
            ],
            "slowest": [
                {"seconds": round(seconds, 3), "offset": offset, "url": url}
                for seconds, offset, url in self.slowest
            ],
            "bytes": self.bytes,
            "segments_kept": self.segments_kept,
            "segments_removed": self.segments_removed,
            "words_kept": self.words_kept,
            "words_removed": self.words_removed,
            "unfamiliar": self.unfamiliar,
            "fallbacks": dict(sorted(self.fallbacks.items())),
            "encodings": dict(sorted(self.encodings.items())),
            "languages": dict(sorted(self.languages.items())),
            "models": dict(sorted(self.models.items())),
            "kinds": dict(sorted(self.kinds.items())),
            "shares": _in_order(self.shares),
            "lengths": _in_order(self.lengths),
            "times": _in_order(self.times),
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Tally:
        """Returns the counts of one input from a result of `record`.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: `record` is not such a result.
        """
        return cls(
            inputs=1,
            unread=_integer(record["unread"]),
            pages=_integer(record["pages"]),
            cleaned=_integer(record["cleaned"]),
            empty=_integer(record["empty"]),
            # a manifest of version 0.1.0 has none
            notices=_integer(record.get("notices", 0)),
            duplicates=_integer(record.get("duplicates", 0)),
            lost=_counter(record["given_up"]),
            skipped=_counter(record["records_skipped"]),
            flattened=_integer(record["flattened"]),
            damaged=_integer(record["damaged"]),
            damages=[(_integer(row["offset"]), str(row["what"])) for row in record["damage"]],
            quarantined=[
                (_integer(row["offset"]), str(row["url"]), str(row["why"])) for row in record["quarantined"]
            ],
            slowest=[
                (float(row["seconds"]), _integer(row["offset"]), str(row["url"])) for row in record["slowest"]
            ],
            bytes=_integer(record["bytes"]),
            segments_kept=_integer(record["segments_kept"]),
            segments_removed=_integer(record["segments_removed"]),
            words_kept=_integer(record["words_kept"]),
            words_removed=_integer(record["words_removed"]),
            unfamiliar=_integer(record.get("unfamiliar", 0)),
            fallbacks=_counter(record.get("fallbacks", {})),
            encodings=_counter(record["encodings"]),
            languages=_counter(record["languages"]),
            # a manifest of version 0.1.0 has none
            models=_counter(record.get("models", {})),
            # and neither these
            kinds=_counter(record.get("kinds", {})),
            shares=_distribution(record.get("shares", {})),
            lengths=_distribution(record.get("lengths", {})),
            times=_distribution(record.get("times", {})),
        )

    def _note(self, event: str, what: str, at: Page | Skip | Damage) -> None:
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(Note(event, what, at.source or "input", at.offset, at.url))


def _add(counter: Counter[str], reason: str, number: int) -> None:
    """Adds to a count. Reasons may come from the data: after a thousand, new ones are counted as `OTHERS`."""
    counter[reason if reason in counter or len(counter) < 10 * _MAX_NOTES else OTHERS] += number


def _integer(value: Any) -> int:
    """Returns an integer of a record. Raises TypeError for any other value."""
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not an integer")
    return int(value)


def _counter(record: Mapping[str, Any]) -> Counter[str]:
    return Counter({str(name): _integer(number) for name, number in record.items()})


def _in_order(counter: Counter[str]) -> dict[str, int]:
    """Returns a distribution in the order of its bins."""
    return dict(sorted(counter.items(), key=lambda item: float(item[0])))


def _distribution(record: Mapping[str, Any]) -> Counter[str]:
    """Returns a distribution of a record. Raises ValueError: a bin is no number."""
    for name in record:
        float(name)
    return _counter(record)


def _slowest_first(page: tuple[float, int, str]) -> tuple[float, int, str]:
    seconds, offset, url = page
    return -seconds, offset, url
