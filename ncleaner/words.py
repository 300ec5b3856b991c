"""Words, where alignment and the search for prose count them."""

from __future__ import annotations

import re

__all__ = ["UNSPACED", "words_of"]

# Characters of the scripts that do not separate words, as ranges of a character class.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

_WORD = re.compile(f"[{UNSPACED}]|[^\\W{UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; of scripts that do not separate words, the characters."""
    return _WORD.findall(text.lower())
