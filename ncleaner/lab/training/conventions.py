"""The conventions of a gold standard: which zones of its pages the gold texts contain.

Annotators differ on headline, byline, standfirst, captions, readers' comments and related links. A cleaner is
measured by the convention of a gold standard only if it decides on these zones as its annotators did.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ncleaner.document.tables import ZONES
from ncleaner.lab.training.alignment import gold_text
from ncleaner.lab.training.examples import belongs
from ncleaner.lab.training.pairs import Pair

Convention = Literal["kept", "left out", "mixed", "unknown"]
# {zone that a user decides about: option of a recipe}
OPTIONS = {"headline": "headline", "comment": "comments", "caption": "captions"}
# Fewer pages with a zone tell no convention.
_FEW = 5
# A convention holds on two thirds of the pages.
_MOST = 2 / 3
# The gold text contains a zone if it contains this share of its words.
_HALF = 0.5
# A headline that belongs to the gold text is among this number of its first characters.
_BEGINNING = 250
_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ZoneUse:
    """Convention of a gold standard for a zone.

    Attributes:
        zone: name of the zone, one of `document.tables.ZONES`.
        pages: number of pages with such a zone.
        kept: number of those whose gold text contains it.
    """

    zone: str
    pages: int
    kept: int

    @property
    def share(self) -> float | None:
        """Share of the pages with the zone whose gold text contains it, 0 to 1; None without such a page."""
        return self.kept / self.pages if self.pages else None

    @property
    def convention(self) -> Convention:
        """The convention of at least two thirds of the pages; `unknown` for fewer than five pages."""
        if self.share is None or self.pages < _FEW:
            return "unknown"
        return "kept" if self.share >= _MOST else "left out" if self.share <= 1 - _MOST else "mixed"

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers and what they say, for JSON."""
        return {"pages": self.pages, "kept": self.kept, "share": self.share, "convention": self.convention}


def wishes_of(conventions: Mapping[str, ZoneUse]) -> dict[str, bool]:
    """Returns {option of a recipe: value} for a user who wants what the gold texts contain; nothing for zones
    without a convention."""
    wanted = {"kept": True, "left out": False}
    uses = {option: conventions[zone].convention for zone, option in OPTIONS.items()}
    return {option: wanted[use] for option, use in uses.items() if use in wanted}


def conventions_of(pairs: Iterable[Pair]) -> dict[str, ZoneUse]:
    """Returns what a gold standard does with each zone, by name.

    The gold text contains a headline if it is in the first 250 characters: the same words often occur on
    the page again. It contains another zone if it contains half of its words. Pages without gold text count
    for no zone, nor do pages that do not contain their gold text; comments do not count on forums, where they
    are the page.

    >>> import ncleaner
    >>> from ncleaner.lab.training.conventions import conventions_of
    >>> found = conventions_of(ncleaner.read_pairs("examples/pages", "examples/gold"))["headline"]
    >>> found.pages, found.kept, found.convention
    (15, 15, 'kept')

    Args:
        pairs: pages of one gold standard.
    """
    pages, kept = np.zeros(len(ZONES), int), np.zeros(len(ZONES), int)
    for pair in pairs:
        if not pair.alignment.gold_words or not belongs(pair):
            continue
        zones = pair.document.segments["zone"]
        for zone in np.unique(zones).tolist():
            inside = zones == zone
            if (ZONES[zone], pair.kind) == ("comment", "forum") or not pair.alignment.words[inside].any():
                continue
            pages[zone] += 1
            contains = _begins_with if ZONES[zone] == "headline" else _contains_half
            kept[zone] += contains(pair, inside)
    return {name: ZoneUse(name, int(pages[zone]), int(kept[zone])) for zone, name in enumerate(ZONES) if name}


def _begins_with(pair: Pair, inside: npt.NDArray[np.bool_]) -> bool:
    """Tells whether these segments, one after the other, are at the beginning of the gold text."""
    text = _letters("".join(str(pair.document[row]) for row in np.flatnonzero(inside).tolist()))
    return text in _letters(gold_text(pair.gold))[: _BEGINNING + len(text)]


def _contains_half(pair: Pair, inside: npt.NDArray[np.bool_]) -> bool:
    """Tells whether the gold text contains half of the words of these segments."""
    words = pair.alignment.words[inside]
    return bool((pair.alignment.shares[inside] * words).sum() >= _HALF * words.sum())


def _letters(text: str) -> str:
    return _NOT_WORD.sub("", text.lower())
