"""FIASCO: a support vector machine keeps target nodes (Bauer et al. 2007); `modelling.fiasco` has the
features."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.methods.everything import kept_whole
from ncleaner.modelling.classic import FiascoModel, target_nodes

__all__ = ["Fiasco"]


class Fiasco:
    """Keeps the segments of the target nodes that the model keeps. Plain text has no elements and is kept
    whole.

    Args:
        model: the linear function.
    """

    name = "fiasco"

    def __init__(self, model: FiascoModel) -> None:
        self.model = model

    def keep(self, document: Document) -> Kept:
        """Decides with scores: the value of the linear function for each segment's node, without unit."""
        if not len(document.elements) or not len(document):
            return kept_whole(document)
        nodes = target_nodes(document)
        scores = self.model.scores(nodes)[nodes.of_segment]
        return Kept(document.visible & (scores >= self.model.threshold), scores)
