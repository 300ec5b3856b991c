"""Which page comes next: the one that teaches most.

The first few pages are typical ones, as sure or unsure as most. After them a page teaches more the less sure
the model is of it. It teaches less the more pages of its site and of its kind are finished: two pages of one
site have the same menus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["Candidate", "in_order"]

# The first pages are typical ones: a model of a few pages learns little from odd ones (docs/annotation.md).
_TYPICAL: Final = 8
# Then a page counts as at most so many times as doubtful as the mean.
_MOST: Final = 3.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page in the queue.

    Attributes:
        page: its id.
        site: its registered domain; empty if unknown.
        kind: of the page; empty if unknown.
        language: of the page; empty if unknown.
        doubt: expected share of characters that the model judges wrong, 0 to 1; None if nobody has looked.
        words: number of words; 0 if nobody has looked.
    """

    page: str
    site: str = ""
    kind: str = ""
    language: str = ""
    doubt: float | None = None
    words: int = 0


def in_order(pages: Iterable[Candidate], done: Iterable[Candidate]) -> list[str]:
    """Returns the ids of unfinished pages, the one that teaches most first.

    Args:
        pages: those that are not finished.
        done: those that are finished.
    """
    finished = list(done)
    sites = Counter(page.site for page in finished if page.site)
    kinds = Counter(page.kind for page in finished if page.kind)
    left = list(pages)
    # a page that nobody has looked at is taken to be like the others
    known = sorted(page.doubt for page in left if page.doubt is not None and page.words)
    usual = known[len(known) // 2] if known else 1.0
    mean = sum(known) / len(known) if known else 1.0

    def value(page: Candidate) -> float:
        if page.doubt is not None and not page.words:
            return 0.0
        doubt = usual if page.doubt is None else page.doubt
        if len(finished) < _TYPICAL:
            worth = min(doubt, usual) / max(doubt, usual, 1e-9)
        else:
            worth = min(doubt, _MOST * mean)
        seen = sites[page.site] if page.site else 0
        alike = kinds[page.kind] / len(finished) if page.kind and finished else 0.0
        return worth / ((1 + seen) ** 2 * (1 + alike))

    return [name for _, name in sorted((-value(page), page.page) for page in left)]
