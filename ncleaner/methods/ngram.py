"""NCleaner: two character n-gram models, one of clean and one of dirty text (Evert 2008)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.methods.heuristics import Heuristics
from ncleaner.modelling.ngrams import NGramModel

__all__ = ["NGram"]

# a page with fewer segments may well be all clean or all dirty
_MANY = 5
# share of unfamiliar letters from which a page is unfamiliar to a model
_UNFAMILIAR = 0.5


class NGram:
    """Keeps the segments whose characters are likelier under the clean model than under the dirty one.

    Args:
        model: the pair of models, and the decision that goes with it.
    """

    name = "ngram"

    def __init__(self, model: NGramModel) -> None:
        self.model = model
        self._heuristics = Heuristics()
        _ = self.model.ratio  # built here, once, not on the first page

    def keep(self, document: Document) -> Kept:
        """Scores are log-odds in bits: per character, per segment, or given the whole page, as the model's
        decision has it."""
        table = document.segments
        scores = self.model.statistics(document.data, table["start"], table["end"])
        mask = (scores >= self.model.decision.threshold) & ~self._heuristics.remove(document)
        return Kept(mask, scores).remarked(unfamiliar=self.is_unfamiliar(document, mask))

    def is_unfamiliar(self, document: Document, mask: npt.NDArray[np.bool_]) -> bool:
        """Whether all or nothing was kept of a page whose letters the model hardly knows."""
        # a look at the letters only where the outcome is suspicious
        return bool(
            len(mask) >= _MANY
            and (mask.all() or not mask.any())
            and self.model.unfamiliarity(document.data) > _UNFAMILIAR
        )
