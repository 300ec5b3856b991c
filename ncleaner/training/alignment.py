"""Alignment of a page's segments with its gold text: the segments that the annotator kept.

The words of the dump and of the gold text are aligned by their longest common subsequence; a segment is clean
if at least half of its words are aligned. Aligned training counts by these labels, and they reveal pairs that
do not belong together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from ncleaner.document import Document
from ncleaner.text.words import numbered
from ncleaner.training.gold import gold_text

__all__ = ["Alignment", "align"]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Alignment of one page with its gold text.

    Attributes:
        words: shape (segments,), int64: words, or characters in scripts that do not separate words.
        matched: shape (segments,), float64: share of aligned words, 0 to 1; NaN for a segment without words.
        gold_words: number of words of the gold text.
        found: share of the gold words that the dump contains, 0 to 1.
    """

    words: npt.NDArray[np.int64]
    matched: npt.NDArray[np.float64]
    gold_words: int
    found: float

    @property
    def clean(self) -> npt.NDArray[np.bool_]:
        """Segments that the annotator kept: shape (segments,), bool. Comparisons with NaN are false."""
        with np.errstate(invalid="ignore"):
            return self.matched >= 0.5

    @property
    def dirty(self) -> npt.NDArray[np.bool_]:
        """Segments that the annotator removed: shape (segments,), bool."""
        with np.errstate(invalid="ignore"):
            return self.matched < 0.5


def align(document: Document, gold: str, first: npt.NDArray[np.bool_] | None = None) -> Alignment:
    """Aligns a document with its gold text (CleanEval markup allowed).

    Visible segments are aligned first, hidden segments with the rest of the gold text: a hidden copy never
    takes the place of the text that the annotator saw.

    Args:
        document: the page.
        gold: its clean text.
        first: shape (segments,), bool: segments that are aligned first, instead of the visible ones.
    """
    numbers: dict[str, int] = {}
    wanted, _ = numbered([gold_text(gold)], numbers)
    size = len(document)
    total = np.zeros(size, np.int64)
    hits = np.zeros(size)
    left = wanted
    before = document.visible if first is None else first
    for side in (before, ~before):
        positions = np.flatnonzero(side)
        tokens, places = numbered((str(document[position]) for position in positions.tolist()), numbers)
        if not tokens:
            continue
        owned = positions[places]
        total += np.bincount(owned, minlength=size)
        rest = []
        for opcode in LCSseq.opcodes(tokens, left):
            if opcode.tag == "equal":
                hits += np.bincount(owned[opcode.src_start : opcode.src_end], minlength=size)
            else:
                rest += left[opcode.dest_start : opcode.dest_end]
        left = rest
    matched = np.divide(hits, total, out=np.full(size, np.nan), where=total > 0)
    found = 1 - len(left) / len(wanted) if wanted else 1.0
    return Alignment(total, matched, len(wanted), found)
