"""Models of two classic methods: FIASCO's support vector machine, and a decision tree over lines.

FIASCO: a linear support vector machine over the target nodes of a page (Bauer et al. 2007).

D. Bauer, J. Degen, X. Deng et al., "FIASCO: Filtering the Internet by Automatic Subtree Classification"
(WAC-3, 2007), as V. Baisa's thesis (2009, section 1.2) describes it. A target node is an element with at
least 10 % of its text in text nodes among its children. Its features are linguistic (length, tokens and
types, sentences and their mean length, frequency of keywords: words that prevail strongly in dirty nodes),
structural (depth, whether it is a heading or a paragraph, shares of links and of items) and visual (shape and
width of its box).

A page is not rendered here: in place of the visual features it has the position in reading order and the
share of the page's text. Text between inline elements counts as the text of the block around them. Lengths
are taken as logarithms, so that a linear function of them can be of use.

A decision tree over the features of block elements (Hofmann and Weerkamp 2007).

K. Hofmann and W. Weerkamp, "Web Corpus Cleaning using Content and Structure" (WAC-3, 2007), as V. Baisa's
thesis (2009, section 1.2) describes it: a decision tree takes each block element for a heading (h), an item
of a list (l), a paragraph (p), or what is not to be included (n). Its features are the number of words, the
type of the parent tag, capitalised words and punctuation relative to all words, and others that are not
named; here these are the length of words, the share of links, final punctuation, and the tag of the block
itself. A block element is a segment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.tags import CODE, HEADINGS
from ncleaner.modelling.container import Card, Parts, Stored, Table, about_of, integers, reals
from ncleaner.text.visible import counted
from ncleaner.text.words import count_capitals, count_ends, phrase_marks

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
    parents = elements["parent"].tolist()
    own = np.zeros(len(elements), np.int64)
    inside = table["element"] >= 0
    np.add.at(own, table["element"][inside], table["chars"][inside])
    is_target = (own >= _OWN * np.maximum(elements["chars"], 1)).tolist()
    nearest: list[int] = []
    for row, parent in enumerate(parents):
        above = nearest[parent] if parent >= 0 else -1
        nearest.append(row if is_target[row] else above)
    around = np.append(np.array(nearest, np.int64), -1)[table["element"]]
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
    values = np.column_stack(
        (
            np.log1p(chars),
            np.log1p(number),
            np.log1p([len(set(found)) for found in words]),
            np.log1p(sentences),
            np.log1p(number / np.maximum(sentences, 1)),
            np.zeros(size),
            depth,
            np.isin(tags, HEADINGS),
            tags == CODE["p"],
            total(table["link_chars"]) / np.maximum(chars, 1),
            items / counts,
            total(places) / counts,
            chars / max(chars.sum(), 1),
        )
    ).astype(np.float64)
    return Nodes(owners.astype(np.int64), words, values)


@dataclass(frozen=True, eq=False, repr=False)
class FiascoModel(Stored):
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
        scores: npt.NDArray[np.float64] = self.values(nodes) @ self.weights.astype(np.float64) + self.bias
        return scores

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
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> FiascoModel:
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


# ------------------------------------------------------------------------------------------------
# Lines.

CLASSES = "phln"
_TAGS = "p div li td th h1 h2 h3 h4 h5 h6 a span blockquote pre dd article section body".split()
_KNOWN = [(name, CODE[name]) for name in _TAGS if name in CODE]
LINES_FEATURES: tuple[str, ...] = (
    "words", "word-length", "capitals", "punctuation", "sentences", "links",
    *(f"tag.{name}" for name, _ in _KNOWN), *(f"parent.{name}" for name, _ in _KNOWN),
)  # fmt: skip


def line_features(document: Document) -> npt.NDArray[np.float32]:
    """The features of each segment: shape (segments, len(LINES_FEATURES)), float32."""
    table, elements = document.segments, document.elements
    words = np.maximum(table["words"], 1).astype(np.float64)
    places = table["start"], table["end"]
    tags = np.append(elements["tag"], np.uint16(0))
    parents = np.append(elements["parent"], np.int32(-1))
    own = tags[table["element"]]
    parent = tags[parents[table["element"]]]
    return np.column_stack(
        (
            table["words"],
            table["chars"] / words,
            count_capitals(document.data, *places) / words,
            phrase_marks(document.data, *places) / words,
            count_ends(document.data, *places),
            table["link_chars"] / np.maximum(table["chars"], 1),
            *(own == code for _, code in _KNOWN),
            *(parent == code for _, code in _KNOWN),
        )
    ).astype(np.float32)


@dataclass(frozen=True, eq=False, repr=False)
class LinesModel(Stored):
    """A binary decision tree. A node tests whether a feature is at most a value, and its children follow it.

    Attributes:
        features: shape (nodes,), int64: the feature of each node, -1 for a leaf.
        values: shape (nodes,), float32: thresholds of the features.
        left, right: shape (nodes,), int64: the nodes for smaller or equal and for larger values.
        classes: shape (nodes,), int64: the position in `CLASSES` of a leaf's class.
        about: further entries of the header: name, language, training, sources.
    """

    KIND: ClassVar[str] = "lines"
    CALLED: ClassVar[str] = "a decision tree over lines"

    features: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]
    about: dict[str, Any] = field(default_factory=dict)

    def judge(self, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
        """The class of each row of features, as positions in `CLASSES`: shape (rows,)."""
        nodes = np.zeros(len(rows), np.int64)
        active = np.flatnonzero(self.features[nodes] >= 0)
        while len(active):
            here = nodes[active]
            small = rows[active, self.features[here]] <= self.values[here]
            nodes[active] = np.where(small, self.left[here], self.right[here])
            active = active[self.features[nodes[active]] >= 0]
        found: npt.NDArray[np.int64] = self.classes[nodes]
        return found

    def parts(self) -> Parts:
        """Returns the entries of the header, and the arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "tests": (self.features + 1).astype(np.uint16),
            "values": self.values,
            "left": self.left.astype(np.uint16),
            "right": self.right.astype(np.uint16),
            "classes": self.classes.astype(np.uint8),
        }
        return {"features": list(LINES_FEATURES), "classes": CLASSES}, arrays

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> LinesModel:
        """Returns the model of an unpacked file."""
        tests, left, right, classes = (
            integers(arrays[part]) for part in ("tests", "left", "right", "classes")
        )
        values = reals(arrays["values"])
        size = len(tests)
        features = tests - 1
        inner = np.flatnonzero(features >= 0)
        if (
            header["features"] != list(LINES_FEATURES)
            or header["classes"] != CLASSES
            or not size
            or not len(left) == len(right) == len(classes) == size
            or values.shape != (size,)
            or features.max() >= len(LINES_FEATURES)
            or classes.max() >= len(CLASSES)
            # children come after their node, so that each walk ends
            or not (np.all(left[inner] > inner) and np.all(right[inner] > inner))
            or max(left[inner].max(initial=0), right[inner].max(initial=0)) >= size
        ):
            raise ValueError("the parts of the tree do not belong together")
        return cls(features, values, left, right, classes, about_of(header, "features", "classes"))

    def summary(self) -> str:
        """Describes the model in a few words."""
        return f"a tree of {counted(len(self.features), 'node')}, depth {self._depth()}"

    def _depth(self) -> int:
        depths = np.zeros(len(self.features), np.int64)
        for node in np.flatnonzero(self.features >= 0).tolist():
            depths[[self.left[node], self.right[node]]] = depths[node] + 1
        return int(depths.max())

    def card(self, number: int = 20) -> Card:
        """Returns the training, and how often the tree tests each feature."""
        training = self.about.get("training") or {}
        facts = self.trained_facts(counted(training.get("segments", 0), "segment"))
        tested = np.bincount(self.features[self.features >= 0], minlength=len(LINES_FEATURES))
        order = np.argsort(-tested, kind="stable")[:number]
        rows = [(LINES_FEATURES[row], str(tested[row])) for row in order.tolist() if tested[row]]
        return Card(facts, [Table("tests", ("feature", "nodes"), rows)])
