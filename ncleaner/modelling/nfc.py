"""Text in Unicode's normalisation form C, where it matters: an accent typed as a character of its own is
scored like the letter that carries it.

The Document keeps its text as the page has it; only what the n-grams see is composed.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from ncleaner.text._letters import may_compose

__all__ = ["compose", "composed"]

Offsets = npt.NDArray[np.uint32]

# Marks on one letter beyond which a joiner that stands for nothing is put between them, as Unicode's
# stream-safe format has it (UAX #15, section 13): to order them takes time by the square of their number.
_MARKS = 30
# Most characters that are composed at once. Python makes room for ten at a time, and may move all each time.
_PIECE = 1 << 16
# Marks take two bytes and more, and no Latin letter, ideograph or Hangul syllable begins as they do: without
# so long a run of such bytes no text has that many marks, and nearly all pages are done.
_FOREIGN = re.compile(rb"[\x80-\xbf\xcc-\xe3\xea\xef\xf0]{%d}" % (2 * _MARKS))
# Three signs of Tibetan are no marks themselves, but are made of them.
_MADE_OF_MARKS = "\u0f73\u0f75\u0f81"


@cache
def _run_of_marks() -> re.Pattern[str]:
    """Finds as many marks as may stand in a row, where there are more."""
    # letters beyond the second plane, and all ideographs, have none
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, 0x20000)))) + _MADE_OF_MARKS
    return re.compile(f"[{marks}]{{{_MARKS}}}(?=[{marks}])")


def _begins(character: str) -> bool:
    """Whether nothing that stands before a character composes with it, or changes places."""
    return not unicodedata.combining(character) and not may_compose(character.encode())


def composed(text: str) -> str:
    """Text in normalisation form C."""
    return _composed(text, _crowded(text.encode("utf-8", "surrogatepass")))


def _crowded(data: bytes) -> bool:
    """Whether UTF-8 text may have more marks in a row than `_MARKS`."""
    return _FOREIGN.search(data) is not None


def _composed(text: str, crowded: bool) -> str:
    if crowded:
        text = _run_of_marks().sub("\\g<0>\u034f", text)
    pieces = []
    start = 0
    while len(text) - start > _PIECE:
        most = start + _PIECE
        cut = next((at for at in range(most, most - _PIECE // 2, -1) if _begins(text[at])), most)
        pieces.append(unicodedata.normalize("NFC", text[start:cut]))
        start = cut
    return "".join(pieces) + unicodedata.normalize("NFC", text[start:])


def compose(data: bytes, starts: Offsets, ends: Offsets) -> tuple[bytes, Offsets, Offsets]:
    """The segments [starts, ends) of UTF-8 text in normalisation form C: a buffer and new offsets. All but a
    few pages are in that form, and come back as they are."""
    if not may_compose(data):
        return data, starts, ends
    parts = [
        data[start:end].decode("utf-8", "replace")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    crowded = _crowded(data)
    changed = [_composed(part, crowded) for part in parts]
    if changed == parts:
        return data, starts, ends
    encoded = [part.encode() for part in changed]
    lengths = np.fromiter(map(len, encoded), np.uint32, len(encoded))
    new_ends = np.cumsum(lengths, dtype=np.uint32)
    return b"".join(encoded), new_ends - lengths, new_ends
