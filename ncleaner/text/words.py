"""Words, where alignment and the search for prose count them."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["UNSPACED", "numbered", "words_of"]

# Characters of the scripts that do not separate words, as ranges of a character class.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_WORD = re.compile(f"[{UNSPACED}]|[^\\W{UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; of scripts that do not separate words, the characters."""
    return _WORD.findall(text.lower())


def numbered(texts: Iterable[str], numbers: dict[str, int]) -> tuple[list[int], list[int]]:
    """The words of several texts in a row as numbers, and for each the place of its text.

    Args:
        texts: in order.
        numbers: of the words known so far; new ones get the next.
    """
    found: list[int] = []
    places: list[int] = []
    for place, text in enumerate(texts):
        words = words_of(text)
        found += [numbers.setdefault(word, len(numbers)) for word in words]
        places += [place] * len(words)
    return found, places
