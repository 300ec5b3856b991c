"""Words, as the alignment with gold text and the search for prose count them."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["UNSPACED", "numbered", "words_of"]

# Characters of the scripts that do not separate words, as ranges of a regular expression's character class.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_WORD = re.compile(f"[{UNSPACED}]|[^\\W{UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case; each character in scripts that do not separate words."""
    return _WORD.findall(text.lower())


def numbered(texts: Iterable[str], numbers: dict[str, int]) -> tuple[list[int], list[int]]:
    """Returns the words of several texts as numbers, and for each word the index of its text.

    Args:
        texts: in order.
        numbers: {word: number} of the words known so far; new words are added with the next number.

    Returns:
        Two lists of the same length: the words' numbers, and the indices of their texts.
    """
    found: list[int] = []
    owners: list[int] = []
    for index, text in enumerate(texts):
        words = words_of(text)
        found += [numbers.setdefault(word, len(numbers)) for word in words]
        owners += [index] * len(words)
    return found, owners
