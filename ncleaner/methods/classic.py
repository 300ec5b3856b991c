"""Methods with models that others have described: Victor, FIASCO, and a decision tree over lines.

Victor (Marek, Pecina and Spousta 2007): a conditional random field labels the blocks of a page.

FIASCO (Bauer et al. 2007): a support vector machine keeps target nodes.

Lines by their length, or by a decision tree over block elements (Hofmann and Weerkamp 2007).

The systems of K. Hofmann and W. Weerkamp, "Web Corpus Cleaning using Content and Structure" (WAC-3, 2007), as
V. Baisa's thesis (2009, section 1.2) describes them. The rule takes the lines of at least 3 characters; those
with more than 10 words, and on average more than 3 characters a word, are paragraphs, the others headings,
and it has no list items. A line is a segment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import run_chars
from ncleaner.methods.baselines import kept_whole
from ncleaner.modelling.classic import CLASSES, FiascoModel, LinesModel, line_features, target_nodes
from ncleaner.modelling.victor import VictorModel
from ncleaner.options import option

_CODES = np.frombuffer(CLASSES.encode(), np.uint8)
# bound for log-odds of Victor, in bits
_CERTAIN = 40.0


class Victor:
    """Keeps the segments whose characters are likely to be in blocks that are not labelled `o`.

    Args:
        model: the conditional random field.
    """

    name = "victor"

    def __init__(self, model: VictorModel) -> None:
        self.model = model

    def keep(self, document: Document) -> Kept:
        """Decides with scores that are log-odds, in bits, of a character of the segment being clean.

        The kinds of segments stay those of the document: the kinds of the labels lost eleven points of
        labelled segmentation on CleanEval's development set.
        """
        owners, chars = document.runs["segment"], run_chars(document)
        size = len(document)
        clean = np.bincount(owners, chars * self.model.read(document), minlength=size)
        whole = np.bincount(owners, chars, minlength=size)
        with np.errstate(divide="ignore"):
            scores = np.log2(clean) - np.log2(np.maximum(whole - clean, 0))
        scores = np.clip(scores, -_CERTAIN, _CERTAIN)
        return Kept(scores >= self.model.threshold, scores)


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


@dataclass(frozen=True)
class Lines:
    """Keeps the segments that the tree takes for headings, items or paragraphs; or all lines of some length.
    It has no scores. Plain text has no elements: there the rule decides.

    Args:
        model: the decision tree.
    """

    model: LinesModel
    tree: bool = option(True, "use the decision tree; no: the rule for the length of lines")
    characters: int = option(3, "rule: fewest characters of a line", low=0)
    words: int = option(10, "rule: words that a paragraph has more than", low=0)
    word_length: float = option(3.0, "rule: mean length of words that a paragraph has more than", low=0)

    name = "lines"

    def keep(self, document: Document) -> Kept:
        """Decides, and gives each segment the kind that the tree or the rule takes it for."""
        table = document.segments
        if self.tree and len(document.elements) and len(document):
            classes = _CODES[self.model.judge(line_features(document))]
            kept = document.visible & (classes != ord("n"))
            return Kept(kept, marks=np.where(kept, classes, table["kind"]))
        long = (table["words"] > self.words) & (table["chars"] > self.word_length * table["words"])
        marks = np.where(long, np.uint8(ord("p")), np.uint8(ord("h")))
        return Kept(document.visible & (table["chars"] >= self.characters), marks=marks)
