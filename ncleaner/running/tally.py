"""Counts of a run: counted page by page, and added up over batches, inputs and workers."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, NamedTuple

from ncleaner.document import Document
from ncleaner.document._kept import counts_of
from ncleaner.document.kept import NOTICE, Kept
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.inputs import place_in
from ncleaner.text.visible import visible

# Most notes and most places of damage in a tally, so that a badly damaged input does not fill the memory.
_MAX_NOTES = 100
_SLOWEST = 5
OTHERS = "others"

# The bins of the distributions: each has the name of its lower bound, and ends at the next one.
# Words kept of 100 words of a page: none, 1 to 9, …, 90 to 99, all.
SHARES = ("0", "1", *(str(share) for share in range(10, 100, 10)), "100")
# Words that are kept of a page, by the number of bits: 0, 1, 2 to 3, 4 to 7, … The last bin has no end.
LENGTHS = ("0", *(str(1 << bits) for bits in range(21)))
# Estimated quality of a page, in per cent.
QUALITIES = tuple(str(share) for share in range(0, 100, 10))
# Milliseconds for a page, likewise: below 1/8, from 1/8, 1/4, 1/2, 1, 2, …
TIMES = ("0", *(f"{(1 << bits) / 8:g}" for bits in range(21)))


class Note(NamedTuple):
    """An event that is reported to the user; `str` gives a sentence, with control characters escaped.

    Attributes:
        event: `page_given_up`, `damage`, `unread` (an input, or the rest of one), `flawed` (an input that an
            earlier run has finished), `cleaned_again`, `waiting`, or `worker_replaced`.
        what: a description in words.
        source, offset, url: the place; see `Page`.
    """

    event: str
    what: str
    source: str = ""
    offset: int = -1
    url: str = ""

    def __str__(self) -> str:
        where = "standard input" if self.source == "-" else visible(self.source)
        if where and (place := place_in(self.source, self.offset)):
            where = f"{where} at {place}"
        what = visible(self.what)
        if self.event == "page_given_up":
            what = f"page given up: {what}"
        return (
            (f"{where}: " if where else "")
            + what
            + (f" ({visible(self.url)})" if self.url not in ("", self.source) else "")
        )


def note_of(item: Page | Skip | Damage, why: str = "") -> Note:
    """Returns what a run reports of damage, or of a page that is given up; `why` is for a Page."""
    if isinstance(item, Damage):
        event, why = "unread" if item.unread else "damage", item.what
    else:
        event = "page_given_up"
        if isinstance(item, Skip):
            why = f"{item.reason}: {item.advice}" if item.advice else item.reason
    return Note(event, why, item.source or "input", item.offset, item.url)


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
    """Returns a distribution of a record. Raises ValueError: a bin is not a number."""
    for name in record:
        float(name)
    return _counter(record)


def _seconds(value: Any) -> float:
    return round(float(value), 3)


class _Recorded(NamedTuple):
    """How a count is recorded: its name there, and what writes and reads it."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    name: str


def _recorded(
    make: Callable[[], Any], write: Callable[[Any], Any], read: Callable[[Any], Any], name: str = ""
) -> Any:
    return field(default_factory=make, metadata={"record": _Recorded(write, read, name)})


def _number() -> Any:
    return _recorded(int, int, _integer)


def _counts(name: str = "") -> Any:
    return _recorded(Counter, lambda counter: dict(sorted(counter.items())), _counter, name)


def _bins() -> Any:
    return _recorded(Counter, _in_order, _distribution)


def _rows(name: str, **columns: Callable[[Any], Any]) -> Any:
    def write(rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
        return [
            {column: kind(value) for (column, kind), value in zip(columns.items(), row, strict=True)}
            for row in rows
        ]

    def read(rows: Any) -> list[tuple[Any, ...]]:
        return [tuple(kind(row[column]) for column, kind in columns.items()) for row in rows]

    return _recorded(list, write, read, name)


@dataclass(slots=True, repr=False)
class Tally:
    """Counts of one batch, one input or a whole run; tallies add up with `+=`.

    Attributes:
        inputs: input files finished.
        resumed: input files that an earlier run had finished.
        flawed: those of them that were damaged, or of which pages were given up.
        unread: input files that could not be read, or not to their end, because of a disk or a network.
        pages: pages read.
        cleaned: pages with clean text.
        empty: pages without clean text.
        notices: empty pages that hold nothing but a notice, such as an error message.
        left_out: empty pages that the user does not want, by reason (`document.kept.LEFT_OUT`).
        duplicates: pages that repeat another page, by the survey of sites.
        seen: segments that are left out because earlier pages have them (`Recipe.drop_seen`).
        skipped: records that yield no page, by reason.
        lost: pages given up, by reason.
        damaged: places where an input is broken.
        whole: those of them at which no byte is missing.
        damages: (byte offset, what is broken, file) of the first hundred of these places.
        quarantined: (byte offset, URL, reason, file) of the first hundred pages given up because they killed,
            held up or broke a worker.
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
        qualities: pages by their estimated quality, in per cent, likewise: `0`, `10`, …, `90`; none for
            methods that do not estimate it.
        times: pages by milliseconds, likewise: `0`, `0.125`, `0.25`, `0.5`, `1`, `2`, …
        notes: one for each page given up and each place of damage, the first hundred of a batch.
    """

    inputs: int = 0
    resumed: int = 0
    flawed: int = 0
    unread: int = _number()
    whole: int = 0
    pages: int = _number()
    cleaned: int = _number()
    empty: int = _number()
    notices: int = _number()
    left_out: Counter[str] = _counts()
    duplicates: int = _number()
    seen: int = _number()
    lost: Counter[str] = _counts("given_up")
    skipped: Counter[str] = _counts("records_skipped")
    flattened: int = _number()
    damaged: int = _number()
    damages: list[tuple[int, str, str]] = _rows("damage", offset=_integer, what=str, file=str)
    quarantined: list[tuple[int, str, str, str]] = _rows(
        "quarantined", offset=_integer, url=str, why=str, file=str
    )
    slowest: list[tuple[float, int, str]] = _rows("slowest", seconds=_seconds, offset=_integer, url=str)
    bytes: int = _number()
    segments_kept: int = _number()
    segments_removed: int = _number()
    words_kept: int = _number()
    words_removed: int = _number()
    unfamiliar: int = _number()
    fallbacks: Counter[str] = _counts()
    encodings: Counter[str] = _counts()
    languages: Counter[str] = _counts()
    models: Counter[str] = _counts()
    kinds: Counter[str] = _counts()
    shares: Counter[str] = _bins()
    lengths: Counter[str] = _bins()
    qualities: Counter[str] = _bins()
    times: Counter[str] = _bins()
    notes: list[Note] = field(default_factory=list)

    def __iadd__(self, other: "Tally") -> "Tally":
        for name in self.__slots__:
            theirs = getattr(other, name)
            if isinstance(theirs, Counter):
                for reason, number in theirs.items():
                    _add(getattr(self, name), reason, number)
            elif isinstance(theirs, int):
                setattr(self, name, getattr(self, name) + theirs)
        # notes are not added up: the receiver of each tally reports them
        self.damages += other.damages[: _MAX_NOTES - len(self.damages)]
        self.quarantined += other.quarantined[: _MAX_NOTES - len(self.quarantined)]
        self.slowest = _slowest([*self.slowest, *other.slowest])
        return self

    @property
    def complete(self) -> bool:
        """Whether every input was read completely and no page was given up, in earlier runs, too."""
        return not (self.damaged or self.lost or self.flawed)

    def add_page(self, page: Page, document: Document, kept: Kept, seconds: float) -> None:
        """Counts a cleaned page, which took `seconds`."""
        kept_segments, kept_words, words = counts_of(document.tables, kept.mask)
        model, language, fallback, unfamiliar, duplicate_of, left_out, seen, _ = kept.remarks
        kind = kept.kind
        self.pages += 1
        self.bytes += len(page.body)
        if len(self.slowest) < _SLOWEST or seconds > self.slowest[-1][0]:
            self.slowest = _slowest([*self.slowest, (seconds, page.offset, page.url)])
        if kept_segments:
            self.cleaned += 1
        else:
            self.empty += 1
            if left_out:
                self.left_out[left_out] += 1
            else:
                self.notices += kind == NOTICE
        self.segments_kept += kept_segments
        self.segments_removed += len(document) - kept_segments
        self.words_kept += kept_words
        self.words_removed += words - kept_words
        self.flattened += document.dropped_tags > 0
        self.encodings[document.encoding or "decoded"] += 1
        self.unfamiliar += unfamiliar
        self.duplicates += bool(duplicate_of)
        self.seen += seen
        if fallback:
            self.fallbacks[fallback] += 1
        _add(self.languages, language or "unknown", 1)
        if model:
            _add(self.models, model, 1)
        if kind:
            self.kinds[kind] += 1
        if words:
            self.shares[SHARES[10 * kept_words // words + 1 if kept_words else 0]] += 1
        self.lengths[LENGTHS[min(kept_words.bit_length(), len(LENGTHS) - 1)]] += 1
        if kept.quality is not None:
            self.qualities[QUALITIES[min(int(10 * kept.quality), 9)]] += 1
        self.times[TIMES[min(int(8000 * seconds).bit_length(), len(TIMES) - 1)]] += 1

    def add_item(self, item: Skip | Damage) -> None:
        """Counts an item that is no page: a record that yields none, a page that the reader has given up, a
        place where an input is broken or cannot be read further."""
        if isinstance(item, Damage):
            self.damaged += 1
            self.unread += item.unread
            self.whole += item.whole
            if len(self.damages) < _MAX_NOTES:
                self.damages.append((item.offset, item.what, item.source))
            self._note(item)
        elif item.lost:
            self.add_lost(item.reason, "", item)
        else:
            _add(self.skipped, item.reason, 1)

    def add_lost(self, reason: str, detail: str, page: Page | Skip) -> None:
        """Counts a page that was given up, by `reason`; `detail` is the text of the note on a Page."""
        self.pages += 1
        _add(self.lost, reason, 1)
        self._note(page, detail)

    def add_quarantined(self, reason: str, detail: str, page: Page) -> None:
        """Counts a page that was given up because it killed, held up or broke its worker."""
        self.add_lost(reason, detail, page)
        if len(self.quarantined) < _MAX_NOTES:
            self.quarantined.append((page.offset, page.url, detail, page.source))

    def record(self) -> dict[str, Any]:
        """Returns the counts of one input, for JSON."""
        return {how.name or each: how.write(getattr(self, each)) for each, how in _recorded_of(Tally)}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> "Tally":
        """Returns the counts of one input from a result of `record`.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: `record` is not such a result.
        """
        kind: Any = cls
        return cls(1, **{each: how.read(record[how.name or each]) for each, how in _recorded_of(kind)})

    def _note(self, item: Page | Skip | Damage, why: str = "") -> None:
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(note_of(item, why))


@cache
def _recorded_of(tally: Any) -> tuple[tuple[str, _Recorded], ...]:
    return tuple((each.name, each.metadata["record"]) for each in fields(tally) if "record" in each.metadata)


def _add(counter: Counter[str], reason: str, number: int) -> None:
    """Adds to a count. Reasons may come from the data: after a thousand, new ones are counted as `OTHERS`."""
    counter[reason if reason in counter or len(counter) < 10 * _MAX_NOTES else OTHERS] += number


def _slowest(pages: list[tuple[float, int, str]]) -> list[tuple[float, int, str]]:
    """Returns the slowest pages, the slowest first."""
    return sorted(pages, key=lambda page: (-page[0], *page[1:]))[:_SLOWEST]
