"""Unicode's normalisation form C (NFC) for the text that n-grams are counted in.

A page may write an accented letter as one character or as a letter and a mark. Both give the same n-grams.
The Document keeps the text of the page unchanged; only the n-gram models read the composed form.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from ncleaner.text._compose import compose_segments
from ncleaner.text._letters import may_compose

__all__ = ["compose", "composed"]

Offsets = npt.NDArray[np.uint32]

# After so many marks in a row an invisible joiner is inserted, as in Unicode's stream-safe text format (UAX
# #15, section 13): the time to order the marks grows with the square of their number.
_MARKS = 30
# At most so many characters are composed at once: Python's buffer grows by ten characters at a time, and each
# growth may copy the whole buffer.
_PIECE = 1 << 16
# A quick test that nearly all pages pass. A mark takes two bytes or more, and its first byte never begins a
# Latin letter, an ideograph or a Hangul syllable. So a text without a long run of such bytes has no long run
# of marks.
_FOREIGN = re.compile(rb"[\x80-\xbf\xcc-\xe3\xea\xef\xf0]{%d}" % (2 * _MARKS))
# Three Tibetan signs are not marks, but they decompose to marks.
_MADE_OF_MARKS = "\u0f73\u0f75\u0f81"


@cache
def _run_of_marks() -> re.Pattern[str]:
    """Returns a pattern that matches `_MARKS` marks in a row if a further mark follows."""
    # From 0x20000 on there are only ideographs and no marks.
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, 0x20000)))) + _MADE_OF_MARKS
    return re.compile(f"[{marks}]{{{_MARKS}}}(?=[{marks}])")


def _begins(character: str) -> bool:
    """Whether a piece of text may begin with this character: it neither composes nor changes places with the
    character before."""
    return not unicodedata.combining(character) and not may_compose(character.encode())


def composed(text: str) -> str:
    """Returns text in normalisation form C."""
    if _crowded(text.encode("utf-8", "surrogatepass")):
        text = _run_of_marks().sub("\\g<0>\u034f", text)

    pieces = []
    start = 0
    while len(text) - start > _PIECE:
        most = start + _PIECE
        cut = next((at for at in range(most, most - _PIECE // 2, -1) if _begins(text[at])), most)
        pieces.append(unicodedata.normalize("NFC", text[start:cut]))
        start = cut
    return "".join(pieces) + unicodedata.normalize("NFC", text[start:])


def _crowded(data: bytes) -> bool:
    """Whether UTF-8 text may have more marks in a row than `_MARKS`."""
    return _FOREIGN.search(data) is not None


def compose(data: bytes, starts: Offsets, ends: Offsets) -> tuple[bytes, Offsets, Offsets]:
    """Returns the segments [starts, ends) of UTF-8 text in normalisation form C: a buffer and new offsets.

    Most pages are in that form already. For them the function returns the arguments themselves.

    Args:
        data: UTF-8 text.
        starts, ends: shape (segments,), uint32: byte offsets into `data`.
    """
    if not may_compose(data):
        return data, starts, ends
    found = compose_segments(data, starts, ends, _composed_bytes)
    if found is None:
        return data, starts, ends
    text, lengths = found
    new_ends = np.cumsum(lengths, dtype=np.uint32)
    return text, new_ends - lengths, new_ends


def _composed_bytes(data: bytes) -> bytes:
    return composed(data.decode("utf-8", "replace")).encode()
