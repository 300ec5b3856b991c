"""Sentences by their punctuation, in any language, as the systems of the CleanEval competition count them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Span", "count_ends", "is_final", "phrase_marks", "sentences_of"]

_FINAL = ".!?…。！？।؟۔"
_CLOSING = "\"'”’»)]」』）"
# A sentence ends at final punctuation before white space; scripts without spaces need none.
_SENTENCE = re.compile(
    rf"[^\s].*?(?:[.!?…।؟۔]+[{re.escape(_CLOSING)}]*(?=\s|\Z)|[。！？]+[{re.escape(_CLOSING)}]*|\Z)",
    re.DOTALL,
)

Span = tuple[int, int]
"""Begin and end, in code points."""


def sentences_of(text: str) -> list[Span]:
    """The sentences of one segment; what stands after the last final punctuation is one, too."""
    return [found.span() for found in _SENTENCE.finditer(text)]


def is_final(text: str) -> bool:
    """Tells whether a text ends as a sentence does."""
    last = text.rstrip(_CLOSING)[-1:]
    return bool(last) and last in _FINAL


def _counted(
    marks: npt.NDArray[np.bool_], starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    before = np.concatenate(([0], np.cumsum(marks)))
    found: npt.NDArray[np.int64] = before[ends] - before[starts]
    return found


def _marks(data: bytes, ascii_marks: bytes, wide: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Where marks are in UTF-8 text: ASCII ones before white space or at the end, full-width ones anywhere;
    each at its last byte."""
    codes = np.frombuffer(data, np.uint8)
    known = np.zeros(256, bool)
    known[np.frombuffer(ascii_marks, np.uint8)] = True
    found = known[codes]
    if len(codes):
        found[:-1] &= codes[1:] <= 0x20
    if len(codes) > 2 and codes.max() >= 0xE3:
        for character in wide:
            first, second, third = character.encode()
            found[2:] |= (codes[:-2] == first) & (codes[1:-1] == second) & (codes[2:] == third)
    return found


def count_ends(
    data: bytes, starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    """The number of sentences of each segment [starts, ends) of UTF-8 text that end with final
    punctuation."""
    return _counted(_marks(data, b".!?", "\u3002\uff01\uff1f"), starts, ends)


def phrase_marks(
    data: bytes, starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    """The number of punctuation marks at the end of a phrase in each segment [starts, ends) of UTF-8 text:
    not those in times, numbers and names."""
    return _counted(_marks(data, b".,;:!?\"'", "\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f"), starts, ends)
