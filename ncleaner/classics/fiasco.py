"""FIASCO: a linear support vector machine over the target nodes of a page (Bauer et al. 2007).

D. Bauer, J. Degen, X. Deng et al., "FIASCO: Filtering the Internet by Automatic Subtree Classification"
(WAC-3, 2007), as V. Baisa's thesis (2009, section 1.2) describes it. A target node is an element with at
least 10 % of its text in text nodes among its children. Its features are linguistic (length, tokens and
types, sentences and their mean length, frequency of keywords: words that prevail strongly in dirty nodes),
structural (depth, whether it is a heading or a paragraph, shares of links and of items) and visual (shape and
width of its box).

A page is not rendered here: in place of the visual features it has the position in reading order and the
share of the page's text. Text between inline elements counts as the text of the block around them. Lengths
are taken as logarithms, so that a linear function of them can be of use.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ncleaner.classics.genieknows import innermost
from ncleaner.classics.punctuation import count_ends
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CODE, HEADINGS
from ncleaner.methods.baselines import kept_whole
from ncleaner.modelling.container import Card, ModelFile, Parts, Table, about_of, reals
from ncleaner.text.visible import counted

FIASCO_FEATURES: tuple[str, ...] = (
    "characters", "words", "types", "sentences", "sentence-length", "keywords", "depth", "heading",
    "paragraph", "links", "items", "position", "share",
)  # fmt: skip
# Least share of the text of a target node that is its own.
_OWN = 0.1


class Nodes(NamedTuple):
    """The target nodes of a page.

    Attributes:
        of_segment: shape (segments,), int64: the number of each segment's node.
        words: the words of each node, in lower case.
        values: shape (nodes, len(FIASCO_FEATURES)), float64; the column of the keywords is 0.
    """

    of_segment: npt.NDArray[np.int64]
    words: list[list[str]]
    values: npt.NDArray[np.float64]


def target_nodes(document: Document) -> Nodes:
    """Finds the target nodes of a page and their features.

    A segment belongs to the nearest target node around it, or to its own element if none is around it.
    """
    elements, table = document.elements, document.segments
    own = np.zeros(len(elements), np.int64)
    inside = table["element"] >= 0
    np.add.at(own, table["element"][inside], table["chars"][inside])
    around = innermost(document, own >= _OWN * np.maximum(elements["chars"], 1))
    chosen = np.where(around >= 0, around, table["element"])
    rows, owners = np.unique(chosen, return_inverse=True)
    size = len(rows)

    def total(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return np.bincount(owners, values, minlength=size).astype(np.float64)

    words: list[list[str]] = [[] for _ in range(size)]
    for owner, text in zip(owners.tolist(), document.texts, strict=True):
        words[owner] += text.lower().split()
    chars, number = total(table["chars"]), total(table["words"])
    sentences = total(count_ends(document.data, table["start"], table["end"]))
    tags = np.append(elements["tag"], np.uint16(0))[rows]
    depth = np.append(elements["depth"], np.uint16(0))[rows]
    places = np.arange(len(table)) / max(len(table), 1)
    counts = np.maximum(total(np.ones(len(table))), 1)
    items = total(table["kind"] == ord("l"))
    values = np.column_stack((
        np.log1p(chars), np.log1p(number), np.log1p([len(set(found)) for found in words]),
        np.log1p(sentences), np.log1p(number / np.maximum(sentences, 1)), np.zeros(size), depth,
        np.isin(tags, HEADINGS), tags == CODE["p"], total(table["link_chars"]) / np.maximum(chars, 1),
        items / counts, total(places) / counts, chars / max(chars.sum(), 1),
    )).astype(np.float64)  # fmt: skip
    return Nodes(owners.astype(np.int64), words, values)


@dataclass(frozen=True, eq=False, repr=False)
class FiascoModel(ModelFile):
    """A linear function of the features of a target node.

    Attributes:
        weights: shape (len(FIASCO_FEATURES),), float32: for values that are not scaled.
        bias: is added.
        keywords: words of dirty nodes, in lower case.
        threshold: the least value of the function for a node that is kept.
        about: further entries of the header: name, language, training, sources.
    """

    KIND: ClassVar[str] = "fiasco"
    CALLED: ClassVar[str] = "a support vector machine of FIASCO's"

    weights: npt.NDArray[np.float32]
    bias: float
    keywords: tuple[str, ...]
    threshold: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)

    def values(self, nodes: Nodes) -> npt.NDArray[np.float64]:
        """The features of target nodes with the share of keywords among their words: shape (nodes,
        features)."""
        found = nodes.values.copy()
        found[:, FIASCO_FEATURES.index("keywords")] = keyword_shares(nodes.words, frozenset(self.keywords))
        return found

    def scores(self, nodes: Nodes) -> npt.NDArray[np.float64]:
        """The function's value of each node, without unit: shape (nodes,)."""
        return self.values(nodes) @ self.weights.astype(np.float64) + self.bias

    def parts(self) -> Parts:
        """Returns the entries of the header, and the arrays."""
        header = {
            "features": list(FIASCO_FEATURES),
            "bias": self.bias,
            "keywords": list(self.keywords),
            "threshold": self.threshold,
        }
        return header, {"weights": self.weights}

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Self:
        """Returns the model of an unpacked file."""
        weights = reals(arrays["weights"])
        bias, threshold = float(header["bias"]), float(header["threshold"])
        keywords = tuple(map(str, header["keywords"]))
        if (
            header["features"] != list(FIASCO_FEATURES)
            or weights.shape != (len(FIASCO_FEATURES),)
            or not (math.isfinite(bias) and math.isfinite(threshold))
        ):
            raise ValueError("features and weights do not belong together")
        about = about_of(header, "features", "bias", "keywords", "threshold")
        return cls(weights, bias, keywords, threshold, about)

    def summary(self) -> str:
        """Describes the model in a few words."""
        return f"{counted(len(FIASCO_FEATURES), 'feature')}, {counted(len(self.keywords), 'keyword')}"

    def card(self, number: int = 20) -> Card:
        """Returns the training, the weights, and the first `number` keywords."""
        training = self.about.get("training") or {}
        facts = self.trained_facts(f"{training.get('nodes', 0):,} target nodes")
        weights = [
            (name, f"{weight:+.3f}")
            for name, weight in zip(FIASCO_FEATURES, self.weights.tolist(), strict=True)
        ]
        return Card(
            facts,
            [
                Table("weights", ("feature", "weight"), weights),
                Table("keywords of dirty text", ("word",), [(word,) for word in self.keywords[:number]]),
            ],
        )


def keyword_shares(words: Sequence[Sequence[str]], keywords: frozenset[str]) -> list[float]:
    """The share of keywords among the words of each node."""
    return [sum(map(keywords.__contains__, found)) / len(found) if found else 0.0 for found in words]


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
        return Kept(document.readable & (scores >= self.model.threshold), scores)
