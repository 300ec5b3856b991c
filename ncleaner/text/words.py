"""Words, as the alignment with gold text and the search for prose count them, and ends of sentences."""

import re

# Characters of the scripts that do not separate words, as ranges of a regular expression's character class.
UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"

# Combining marks of the other scripts, such as vowel signs of Arabic and Devanagari, which `\w` leaves out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711"
    "\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0963\u0966-\u0df3\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)

# Patterns with many characters beyond ASCII take milliseconds to compile, and most runs need none: `re`
# compiles them when they are first used.
_WORD = f"[{UNSPACED}]|(?:[^\\W{UNSPACED}]|[{_MARKS}])+"


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case; each character in scripts that do not separate words."""
    return re.findall(_WORD, text.lower())


_FINAL = ".!?…。！？।॥؟۔։།༎။។៕።"
CLOSING = "\"'”’»)]」』）"


def is_final(text: str) -> bool:
    """Tells whether a text ends as a sentence does."""
    last = text.rstrip(CLOSING)[-1:]
    return bool(last) and last in _FINAL
