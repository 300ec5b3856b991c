"""Where two cleaners judge the segments of a page differently, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ncleaner.errors import InputError
from ncleaner.explaining.sentences import said_of_segment
from ncleaner.explaining.verdicts import Verdicts, Why
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible

__all__ = ["Differences", "differences_of"]


@dataclass(frozen=True, eq=False)
class Differences:
    """Two explanations of one page.

    Attributes:
        names: of the two cleaners.
        first, second: what they make of the page.
    """

    names: tuple[str, str]
    first: Verdicts
    second: Verdicts

    @property
    def pairs(self) -> list[tuple[Why, Why]]:
        """The segments with two verdicts, in the order of the page."""
        both = zip(self.first.segments, self.second.segments, strict=True)
        return [(one, other) for one, other in both if one.kept != other.kept]

    def right(self, one: Why, other: Why) -> str:
        """Returns the name of the cleaner with which a gold text agrees; empty without one."""
        if one.against in (None, "unknown"):
            return ""
        return self.names[0] if one.against == "right" else self.names[1]

    def summary(self) -> str:
        """Returns how many segments and words differ, and for whom the gold text speaks."""
        pairs = self.pairs
        if not pairs:
            return f"{self.names[0]} and {self.names[1]} keep the same segments"
        words = sum(one.segment.words for one, _ in pairs)
        said = [
            f"{counted(len(pairs), 'segment')} of {len(self.first.segments):,} ({counted(words, 'word')}) "
            f"{'has' if len(pairs) == 1 else 'have'} two verdicts"
        ]
        for name, side in zip(self.names, (0, 1), strict=True):
            kept = [pair[side] for pair in pairs if pair[side].kept]
            words = sum(why.segment.words for why in kept)
            said.append(f"{name} alone keeps {len(kept):,} ({counted(words, 'word')})")
        if self.first.gold:
            agrees = [self.right(one, other) for one, other in pairs]
            said += [
                f"the gold text agrees with {name} on {agrees.count(name):,}"
                for name in dict.fromkeys(self.names)
            ]
        return "; ".join(said)

    def lines(self, *, reasons: bool) -> Iterator[str]:
        """Yields the differences as lines of text, in which nothing acts on a terminal: the verdicts of both
        (`+` kept, `-` removed), the number of the segment, its words, and its text."""
        yield from map(visible, self.first.summary()[:2])
        left, right = (visible(name) for name in self.names)
        yield f"{left} {right}  #  words  text"
        for one, other in self.pairs:
            agreed = f"  gold: {visible(self.right(one, other))}" if self.right(one, other) else ""
            signs = f"{'+' if one.kept else '-':>{len(left)}} {'+' if other.kept else '-':>{len(right)}}"
            text = visible(one.segment.text.replace("\n", "⏎"))
            yield f"{signs} {one.segment.index:4} {one.segment.words:5}  {text}{agreed}"
            for name, why in zip((left, right), (one, other), strict=True):
                said = str(said_of_segment(why))
                if reasons and (said or why.score is not None):
                    score = "" if why.score is None else f"{why.score:+.2f}"
                    yield f"         {name} {score}: {said}".rstrip(": ")
        yield visible(self.summary())

    def to_dict(self, number: int = 0) -> dict[str, Any]:
        """Returns both explanations, and the numbers of the segments with two verdicts, for JSON."""
        return {
            "names": list(self.names),
            "differ": [one.segment.index for one, _ in self.pairs],
            "first": self.first.to_dict(number),
            "second": self.second.to_dict(number),
        }


def differences_of(names: tuple[str, str], first: Verdicts, second: Verdicts) -> Differences:
    """Puts two explanations of one page side by side. Raises InputError: they are of pages with other
    segments."""
    if first.document.texts != second.document.texts:
        raise InputError("the two explanations are of different pages")
    return Differences(names, first, second)
