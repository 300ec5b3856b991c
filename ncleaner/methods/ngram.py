"""NCleaner: two character n-gram models, one of clean and one of dirty text (Evert 2008)."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.methods import Kept
from ncleaner.methods.heuristics import Heuristics
from ncleaner.model import NGramModel

__all__ = ["NGram"]


class NGram:
    """Keeps the segments whose characters are likelier under the clean model than under the dirty one.

    Args:
        model: the pair of models; its threshold is in bits per character.
    """

    name = "ngram"

    def __init__(self, model: NGramModel) -> None:
        self.model = model
        self._heuristics = Heuristics()
        _ = model.ratio  # built here, once, not on the first page

    def keep(self, document: Document) -> Kept:
        """Scores are log-odds per character, in bits."""
        table = document.segments
        scores = self.model.log_odds(document.data, table["start"], table["end"])
        mask = (scores >= self.model.threshold) & ~self._heuristics.remove(document)
        return Kept(mask, scores)
