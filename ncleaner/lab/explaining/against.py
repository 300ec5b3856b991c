"""The verdicts about a page against a gold text, and against the verdicts of another cleaner."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ncleaner.errors import InputError, TrainingError
from ncleaner.lab.explaining.verdicts import Against, Verdicts, Why, said_of_segment
from ncleaner.lab.training.alignment import align
from ncleaner.lab.training.examples import belongs
from ncleaner.lab.training.pairs import HTML_SUFFIXES, Pair, read_text
from ncleaner.text.visible import counted, visible

Explained = TypeVar("Explained", bound=Verdicts)


def gold_of(given: Path, page: str) -> tuple[Path, str]:
    """Returns the file of the gold text for a page, and the text.

    Args:
        given: the file; or a directory with a file of the page's name, whatever its suffix, or with a
            directory `clean` that has one.
        page: path of the page.

    Raises:
        TrainingError: there is no such file, or several, or it is not UTF-8.
    """
    if not given.is_dir():
        return given, read_text(given)
    stem = Path(page).name
    while (shorter := Path(stem).stem) != stem:
        stem = shorter
    folders = [folder for folder in (given, given / "clean") if folder.is_dir()]
    names = {Path(page).stem, stem}
    found = [
        path
        for folder in folders
        for path in sorted(folder.iterdir())
        if path.is_file() and path.stem in names
    ]
    # a gold directory may have the pages beside their text
    found = [path for path in found if path.suffix.lower() not in HTML_SUFFIXES] or found
    if len(found) != 1:
        there = f"{counted(len(found), 'file')} of this name" if found else "no file of this name"
        raise TrainingError(f"expected one gold text for {page} in {given}: {there}")
    return found[0], read_text(found[0])


def with_gold(explanation: Explained, gold: str, source: str = "the gold text") -> Explained:
    """Returns an explanation in which each verdict is compared with a gold text.

    A segment is clean if at least half of its words are aligned with the gold text
    (`lab.training.alignment`), as in training. Kept segments are aligned first: of two segments with the
    words of the gold text, the kept one is right. A segment without words is neither right nor wrong.

    Args:
        explanation: of the page.
        gold: UTF-8 text, plain or with CleanEval's markup.
        source: where it is from, for messages.
    """
    pair = Pair(source, explanation.document, gold)
    alignment = align(explanation.document, gold, explanation.mask)
    notes = list(explanation.notes)
    if not alignment.gold_words:
        notes.append("the gold text is empty: all that is kept is wrong")
    elif not belongs(pair):
        notes.append(
            f"the gold text does not seem to belong to this page: the page has {alignment.found:.0%} of its "
            f"{counted(alignment.gold_words, 'word')}"
        )
    elif alignment.found < 0.995:
        lost = round((1 - alignment.found) * alignment.gold_words)
        if lost:
            notes.append(
                f"{counted(lost, 'word')} of the gold text {'is' if lost == 1 else 'are'} nowhere on the "
                "page, or in another order: no verdict can find them"
            )
    segments = []
    for why, matched in zip(explanation.segments, alignment.matched.tolist(), strict=True):
        if math.isnan(matched):
            segments.append(replace(why, against="unknown", matched=None))
            continue
        clean = matched >= 0.5
        against: Against = "right" if clean == why.kept else "wrongly kept" if why.kept else "wrongly removed"
        segments.append(replace(why, against=against, matched=matched))
    return replace(
        explanation, segments=tuple(segments), notes=tuple(notes), gold=source, found=alignment.found
    )


@dataclass(frozen=True, eq=False)
class Differences:
    """Two explanations of one page.

    Attributes:
        names: of the two cleaners.
        first, second: their explanations of the page.

    Raises:
        InputError: they are of pages with other segments.
    """

    names: tuple[str, str]
    first: Verdicts
    second: Verdicts

    def __post_init__(self) -> None:
        if self.first.document.texts != self.second.document.texts:
            raise InputError("the two explanations are of different pages")

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
        """Returns the numbers of segments and words that differ, and with whom the gold text agrees."""
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
        """Yields the differences as lines of text, with control characters escaped: the verdicts of both (`+`
        kept, `-` removed), the number of the segment, its words, and its text."""
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
