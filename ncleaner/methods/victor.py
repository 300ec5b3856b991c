"""Victor: a conditional random field labels the blocks of a page (Marek, Pecina and Spousta 2007)."""

from __future__ import annotations

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import run_chars
from ncleaner.modelling.victor import VictorModel, gold_of

__all__ = ["Victor"]

# bound for log-odds, in bits
_CERTAIN = 40.0


class Victor:
    """Keeps the segments with most of their characters in blocks that are not labelled `o`.

    Args:
        model: the conditional random field.
    """

    name = "victor"

    def __init__(self, model: VictorModel) -> None:
        self.model = model

    def keep(self, document: Document) -> Kept:
        """Decides with scores that are log-odds, in bits, of a character of the segment being clean.

        If the model has a threshold, the scores decide; else the likeliest labels do, as in the papers. The
        kinds of segments stay those of the document: the kinds of the labels lost eleven points of labelled
        segmentation on CleanEval's development set.
        """
        reading = self.model.read(document)
        mask = gold_of(document, reading.labels).kept
        owners, chars = document.runs["segment"], run_chars(document)
        size = len(document)
        clean = np.bincount(owners, chars * reading.clean, minlength=size)
        whole = np.bincount(owners, chars, minlength=size)
        with np.errstate(divide="ignore"):
            scores = np.log2(clean) - np.log2(np.maximum(whole - clean, 0))
        scores = np.clip(scores, -_CERTAIN, _CERTAIN)
        if self.model.threshold is not None:
            mask = scores >= self.model.threshold
        return Kept(mask, scores)
