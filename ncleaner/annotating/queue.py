"""Which page comes next: the one that teaches most.

A page teaches more the less sure the model is of it, and less the more pages of its site and of its kind are
finished: two pages of one site have the same menus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Candidate", "in_order"]

# A page counts as at most so many times as doubtful as the mean: the most doubtful ones are often odd pages, and
# to begin with them teaches little about the others (docs/annotation.md).
_MOST: Final = 1.5


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
    known = [page.doubt for page in left if page.doubt is not None]
    usual = sum(known) / len(known) if known else 1.0
    scored = [(-_value(page, usual, sites, kinds, len(finished)), page.page) for page in left]
    return [name for _, name in sorted(scored)]


def _value(
    page: Candidate, usual: float, sites: Mapping[str, int], kinds: Mapping[str, int], done: int
) -> float:
    doubt = usual if page.doubt is None else page.doubt
    if page.doubt is not None and not page.words:
        return 0.0
    seen = sites.get(page.site, 0) if page.site else 0
    alike = kinds.get(page.kind, 0) / done if page.kind and done else 0.0
    return min(doubt, _MOST * usual) / ((1 + seen) ** 2 * (1 + alike))
