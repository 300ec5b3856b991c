"""Guesses of the current model about a page: a label for each segment, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ncleaner.annotating.labels import kinds_of
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.tables import ZONES

__all__ = ["Guess", "Guesser", "styles_of"]

_HEADLINE: Final = ZONES.index("headline")
_BY_RULE: Final = 0.9
# number of blocks that make the style of a segment: its own, and those around it
_LEVELS: Final = 3


@dataclass(frozen=True, slots=True)
class Guess:
    """The labels of a page by a model.

    Attributes:
        letters: one label for each segment.
        certainty: the probability that keeping or dropping the segment is right, 0 to 1, for each.
        doubt: expected share of the page's characters that are judged wrong, 0 to 1.
        language: of the page; empty if unknown.
        kind: of the page; empty if unknown.
        model: name of the model.
    """

    letters: str
    certainty: list[float]
    doubt: float
    language: str
    kind: str
    model: str


class Guesser:
    """Guesses the labels of pages.

    Args:
        model: `auto`, the name of a model, or a model file.
    """

    def __init__(self, model: str | Path = "auto") -> None:
        self._cleaner = Cleaner(model=model, notices=True)

    def guess(self, document: Document) -> Guess:
        """Guesses the labels of a page."""
        kept = self._cleaner.keep(document)
        scores = np.zeros(len(document)) if kept.scores is None else np.asarray(kept.scores, np.float64)
        clean = 1 / (1 + np.exp2(-np.clip(np.nan_to_num(scores), -60, 60)))
        certainty = np.where(kept.mask, clean, 1 - clean)
        # the headline is kept by rule, not by its score
        ruled = kept.mask & (document.segments["zone"] == _HEADLINE)
        certainty[ruled] = np.maximum(certainty[ruled], _BY_RULE)
        kinds = np.frombuffer(kinds_of(document).encode(), np.uint8).copy()
        kinds[~kept.mask] = ord("o")
        chars = document.segments["chars"].astype(np.float64)
        total = float(chars.sum())
        return Guess(
            kinds.tobytes().decode("ascii"),
            [round(value, 3) for value in certainty.tolist()],
            round(float((chars * (1 - certainty)).sum()) / total, 6) if total else 0.0,
            kept.remarks.language,
            kept.kind,
            kept.remarks.model,
        )


def styles_of(document: Document) -> list[int]:
    """Returns a number for each segment: the same for segments of the same kind whose block, and the two
    blocks around it, have the same tags and classes."""
    elements = document.elements
    parents, hashes = elements["parent"].tolist(), elements["style"].tolist()
    numbers: dict[tuple[int, ...], int] = {}
    found = []
    for element, kind in document.segments[["element", "kind"]].tolist():
        key = [kind]
        for _ in range(_LEVELS):
            if element < 0:
                break
            key.append(hashes[element])
            element = parents[element]
        found.append(numbers.setdefault(tuple(key), len(numbers)))
    return found
