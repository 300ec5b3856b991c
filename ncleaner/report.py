"""What a run did, in numbers: counted page by page, added up over batches, inputs and workers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from ncleaner.document import Document
from ncleaner.methods import Kept
from ncleaner.page import Damage, Skip

__all__ = ["Tally"]

# messages and places of damage that a tally carries along: a hopeless input must not fill the memory
_MESSAGES = 100


@dataclass(slots=True)
class Tally:
    """Counts of one batch, one input or a whole run; tallies add up with `+=`.

    Attributes:
        inputs: input files finished.
        resumed: input files that an earlier run had finished.
        unread: input files that could not be read at all.
        pages: pages read.
        cleaned: pages with clean text.
        empty: pages of which nothing was left.
        skipped: records that are no pages, by reason.
        lost: pages given up, by reason.
        damaged: places where an input is broken.
        damages: (byte offset, what is broken) of the first hundred of these.
        flattened: pages of which tags were dropped to keep within the limits.
        bytes: of page bodies.
        segments_kept, segments_removed, words_kept, words_removed: of all cleaned and empty pages.
        strange: pages in letters that the model hardly knows, of which all or nothing was kept.
        instead: pages that another method cleaned than the one asked for, by that method.
        encodings: pages by encoding.
        languages: pages by the language found, where a model was chosen for each page.
        messages: a sentence for each lost page and damage, the first hundred of a batch.
    """

    inputs: int = 0
    resumed: int = 0
    unread: int = 0
    pages: int = 0
    cleaned: int = 0
    empty: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    damaged: int = 0
    damages: list[tuple[int, str]] = field(default_factory=list)
    flattened: int = 0
    bytes: int = 0
    segments_kept: int = 0
    segments_removed: int = 0
    words_kept: int = 0
    words_removed: int = 0
    strange: int = 0
    instead: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, Counter):
                mine.update(theirs)
            elif isinstance(mine, int):
                setattr(self, each.name, mine + theirs)
        # messages are for whoever gets the tally, and are not added up
        self.damages += other.damages[: _MESSAGES - len(self.damages)]
        return self

    @property
    def complete(self) -> bool:
        """Whether every input was read whole and no page was given up."""
        return not self.damaged and not self.lost

    def add_page(self, document: Document, kept: Kept, size: int) -> None:
        """Counts a cleaned page of `size` bytes."""
        words = document.segments["words"]
        kept_words = int(words[kept.mask].sum())
        kept_segments = int(kept.mask.sum())
        self.pages += 1
        self.bytes += size
        if kept_segments:
            self.cleaned += 1
        else:
            self.empty += 1
        self.segments_kept += kept_segments
        self.segments_removed += len(words) - kept_segments
        self.words_kept += kept_words
        self.words_removed += int(words.sum()) - kept_words
        self.flattened += document.dropped_tags > 0
        self.encodings[document.encoding or "decoded"] += 1
        self.strange += kept.strange
        if kept.instead:
            self.instead[kept.instead] += 1
        if kept.model:
            self.languages[kept.language or "unknown"] += 1

    def add_skip(self, skip: Skip) -> None:
        """Counts a record that is no page, or a page that the reader gave up."""
        if skip.lost:
            self.add_lost(skip.reason, skip.reason, skip.url, skip.source, skip.offset)
        else:
            self.skipped[skip.reason] += 1

    def add_lost(self, reason: str, detail: str, url: str, source: str, offset: int) -> None:
        """Counts a page that was given up; `detail` is for people."""
        self.pages += 1
        self.lost[reason] += 1
        self._say(f"{_where(source, offset)}: page given up: {detail}" + (f" ({url})" if url else ""))

    def add_damage(self, damage: Damage) -> None:
        """Counts a place where an input is broken."""
        self.damaged += 1
        if len(self.damages) < _MESSAGES:
            self.damages.append((damage.offset, damage.what))
        self._say(
            f"{_where(damage.source, damage.offset)}: {damage.what}"
            + (f" ({damage.url})" if damage.url else "")
        )

    def add_unread(self, path: str, why: str) -> None:
        """Counts an input that cannot be read at all."""
        self.unread += 1
        self.add_damage(Damage(why, path))

    def record(self) -> dict[str, Any]:
        """The counts of one input, as JSON has them."""
        return {
            "unread": bool(self.unread),
            "pages": self.pages,
            "cleaned": self.cleaned,
            "empty": self.empty,
            "given_up": dict(sorted(self.lost.items())),
            "records_skipped": dict(sorted(self.skipped.items())),
            "flattened": self.flattened,
            "damaged": self.damaged,
            "damage": [{"offset": offset, "what": what} for offset, what in self.damages],
            "bytes": self.bytes,
            "segments_kept": self.segments_kept,
            "segments_removed": self.segments_removed,
            "words_kept": self.words_kept,
            "words_removed": self.words_removed,
            "encodings": dict(sorted(self.encodings.items())),
            "languages": dict(sorted(self.languages.items())),
        }

    def _say(self, message: str) -> None:
        if len(self.messages) < _MESSAGES:
            self.messages.append(message)

    def summary(self) -> str:
        """The end of a run, for people."""
        lines = [
            f"{self.pages:,} pages read: {self.cleaned:,} cleaned, {self.empty:,} empty, "
            f"{self.lost.total():,} given up{_by_reason(self.lost)}",
            f"{self.segments_kept:,} segments kept, {self.segments_removed:,} removed; "
            f"{self.words_kept:,} words kept, {self.words_removed:,} removed",
        ]
        if self.resumed:
            lines.append(f"{self.resumed:,} inputs were finished by an earlier run, and are as they were")
        if self.languages:
            lines.append(f"languages{_by_reason(self.languages)}")
        for method, number in sorted(self.instead.items()):
            lines.append(
                f"{number:,} pages are plain text, without structure: cleaned by the method {method}"
            )
        if self.strange:
            lines.append(
                f"{self.strange:,} pages are in letters that the model hardly knows, and were kept or removed"
                " whole: use a model of their language, or --model auto"
            )
        if self.skipped:
            lines.append(f"{self.skipped.total():,} records skipped{_by_reason(self.skipped)}")
        if self.flattened:
            lines.append(f"{self.flattened:,} pages were flattened: nested deeper than the parser can take")
        if self.damaged:
            lines.append(
                f"{self.damaged:,} places of damage in the inputs; what could be read around them was"
            )
        return "\n".join(lines)


def _by_reason(counter: Counter[str]) -> str:
    if not counter:
        return ""
    ranked = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return " (" + ", ".join(f"{reason}: {number:,}" for reason, number in ranked) + ")"


def _where(source: str, offset: int) -> str:
    name = source or "input"
    return f"{name} at byte {offset:,}" if offset >= 0 else name
