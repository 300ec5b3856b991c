"""Words, as the alignment with gold text and the search for prose count them, and ends of sentences."""

import re

# Characters of the scripts that do not separate words, as ranges of a regular expression's character class.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

# Patterns with many characters beyond ASCII take milliseconds to compile, and most runs need none: `re`
# compiles them when they are first used.
_WORD = f"[{UNSPACED}]|[^\\W{UNSPACED}]+"


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case; each character in scripts that do not separate words."""
    return re.findall(_WORD, text.lower())


_FINAL = ".!?…。！？।؟۔"
CLOSING = "\"'”’»)]」』）"


def is_final(text: str) -> bool:
    """Tells whether a text ends as a sentence does."""
    last = text.rstrip(CLOSING)[-1:]
    return bool(last) and last in _FINAL
