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

from ncleaner._letters import may_compose

__all__ = ["compose"]

Offsets = npt.NDArray[np.uint32]

# Marks on one letter beyond which a joiner that stands for nothing is put between them, as Unicode's
# stream-safe format has it (UAX #15, section 13): to order them takes time by the square of their number.
_MARKS = 30
# Most characters that are composed at once. Python makes room for ten at a time, and may move all each time.
_PIECE = 1 << 16


@cache
def _run_of_marks() -> re.Pattern[str]:
    """Finds as many marks as may stand in a row, where there are more."""
    # letters beyond the second plane, and all ideographs, have none
    first = (unicodedata.normalize("NFD", chr(code))[0] for code in range(0x300, 0x20000))
    marks = "".join(chr(code) for code, found in enumerate(first, 0x300) if unicodedata.combining(found))
    return re.compile(f"[{marks}]{{{_MARKS}}}(?=[{marks}])")


def _begins(character: str) -> bool:
    """Whether nothing that stands before a character composes with it, or changes places."""
    return not unicodedata.combining(character) and not may_compose(character.encode())


def _composed(text: str) -> str:
    if len(text) > 2 * _MARKS:
        text = _run_of_marks().sub("\\g<0>\u034f", text)
    pieces = []
    start = 0
    while len(text) - start > _PIECE:
        most = start + _PIECE
        cut = next((at for at in range(most, most - _PIECE // 2, -1) if _begins(text[at])), most)
        pieces.append(text[start:cut])
        start = cut
    return "".join(unicodedata.normalize("NFC", piece) for piece in [*pieces, text[start:]])


def compose(data: bytes, starts: Offsets, ends: Offsets) -> tuple[bytes, Offsets, Offsets]:
    """The segments [starts, ends) of UTF-8 text in normalisation form C: a buffer and new offsets. All but a
    few pages are in that form, and come back as they are."""
    if not may_compose(data):
        return data, starts, ends
    parts = [
        data[start:end].decode("utf-8", "replace")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    changed = [_composed(part) for part in parts]
    if changed == parts:
        return data, starts, ends
    composed = [part.encode() for part in changed]
    lengths = np.fromiter(map(len, composed), np.uint32, len(composed))
    new_ends = np.cumsum(lengths, dtype=np.uint32)
    return b"".join(composed), new_ends - lengths, new_ends
