"""Sentences and phrases by their punctuation, in any language, as the systems of CleanEval count them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.text.words import CLOSING

_SPACED, _UNSPACED = ".!?…।؟۔", "。！？"
# A sentence ends at final punctuation before white space; scripts without spaces need none. The search is for
# one character, which is fast; only the first of several marks is looked at further, so that it is linear.
_END = (
    rf"[{_SPACED}{_UNSPACED}](?:"
    rf"(?<=[{_SPACED}])(?<![{_SPACED}]{{2}})([{_SPACED}]*+)[{re.escape(CLOSING)}]*+(?=\s|\Z)"
    rf"|(?<=[{_UNSPACED}])([{_UNSPACED}]*+)[{re.escape(CLOSING)}]*+)"
)

Span = tuple[int, int]
"""Begin and end, in code points."""

Places = npt.NDArray[np.int64]


class Sentences(NamedTuple):
    """Sentences of segments, in reading order.

    Attributes:
        begins, ends: shape (sentences,), int64: where they are, in code points.
        owners: shape (sentences,), int64: the segment of each.
        final: shape (sentences,), bool: it ends with final punctuation.
    """

    begins: Places
    ends: Places
    owners: Places
    final: npt.NDArray[np.bool_]


def sentences_in(text: str, starts: Places, ends: Places) -> Sentences:
    """The sentences of the segments [starts, ends) of a text; what is after the last final punctuation of
    a segment is one, too.

    Args:
        text: its segments are in order, each followed by white space or the end.
        starts, ends: shape (segments,), in code points.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    # white space of a dump is spaces, tabs and line ends
    solid = np.flatnonzero(codes > 0x20)

    def solid_from(places: Places) -> Places:
        """The next characters that are no white space."""
        return np.append(solid, len(codes))[np.searchsorted(solid, places)]

    spans = [
        (found.start(), found.end(found.lastindex or 0), found.end()) for found in re.finditer(_END, text)
    ]
    marks, behind, cuts = np.array(spans, np.int64).reshape(-1, 3).T
    owners = np.searchsorted(starts, cuts) - 1
    before = np.maximum(starts[owners], np.concatenate(([0], cuts))[:-1])
    # one mark at the beginning of a sentence does not end it
    full = (marks != solid_from(before)) | (behind - marks > 1)
    after = solid_from(cuts)
    inner = full & (after < ends[owners])
    stops = ends.copy()
    # white space after the last sentence of a segment does not belong to it
    stops[owners[full & ~inner]] = cuts[full & ~inner]
    first = solid_from(starts)
    begins = np.sort(np.concatenate((first[first < ends], after[inner])))
    stops = np.sort(np.concatenate((stops[first < ends], cuts[inner])))
    return Sentences(begins, stops, np.searchsorted(starts, begins, side="right") - 1, np.isin(stops, cuts))


def _counted(
    marks: npt.NDArray[np.bool_], starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    places = np.flatnonzero(marks)
    return np.searchsorted(places, ends) - np.searchsorted(places, starts)


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


def count_capitals(
    data: bytes, starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
) -> npt.NDArray[np.int64]:
    """The number of words that begin with a capital in each segment [starts, ends) of UTF-8 text."""
    codes = np.frombuffer(data, np.uint8)
    solid = codes > 0x20
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    found = begins & (codes >= 0x41) & (codes <= 0x5A)
    others = np.flatnonzero(begins & (codes >= 0xC0))
    if len(others):
        # few characters begin many words: each is looked up once, by its bytes as one number
        firsts = codes[others]
        sizes = 2 + (firsts >= 0xE0) + (firsts >= 0xF0)
        padded = np.append(codes, np.zeros(3, np.uint8))
        numbers = np.zeros(len(others), np.uint32)
        for at in range(4):
            numbers = numbers << np.uint32(8) | np.where(sizes > at, padded[others + at], 0).astype(np.uint32)
        known, places = np.unique(numbers, return_inverse=True)
        capital = [number.to_bytes(4).rstrip(b"\0").decode().isupper() for number in known.tolist()]
        found[others] = np.array(capital)[places]
    return _counted(found, starts, ends)
