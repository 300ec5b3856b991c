"""Text in Unicode's normalisation form C, where it matters: an accent typed as a character of its own is
scored like the letter that carries it.

The Document keeps its text as the page has it; only what the n-grams see is composed.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt

from ncleaner._letters import may_compose

__all__ = ["compose"]

Offsets = npt.NDArray[np.uint32]


def compose(data: bytes, starts: Offsets, ends: Offsets) -> tuple[bytes, Offsets, Offsets]:
    """The segments [starts, ends) of UTF-8 text in normalisation form C: a buffer and new offsets. All but a
    few pages are in that form, and come back as they are."""
    if not may_compose(data):
        return data, starts, ends
    parts = [
        data[start:end].decode("utf-8", "replace")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    if all(unicodedata.is_normalized("NFC", part) for part in parts):
        return data, starts, ends
    composed = [unicodedata.normalize("NFC", part).encode() for part in parts]
    lengths = np.fromiter(map(len, composed), np.uint32, len(composed))
    new_ends = np.cumsum(lengths, dtype=np.uint32)
    return b"".join(composed), new_ends - lengths, new_ends
