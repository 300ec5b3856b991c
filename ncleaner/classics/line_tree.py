"""Lines by their length, or by a decision tree over block elements (Hofmann and Weerkamp 2007).

K. Hofmann and W. Weerkamp, "Web Corpus Cleaning using Content and Structure" (WAC-3, 2007), as V. Baisa's
thesis (2009, section 1.2) describes it: a decision tree takes each block element for a heading (h), an item
of a list (l), a paragraph (p), or what is not to be included (n). Its features are the number of words, the
type of the parent tag, capitalised words and punctuation relative to all words, and others that are not
named; here these are the length of words, the share of links, final punctuation, and the tag of the block
itself. A block element is a segment.

The rule by length takes the lines of at least 3 characters; those with more than 10 words, and on average
more than 3 characters a word, are paragraphs, the others headings, and it has no list items. A line is a
segment.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ncleaner.classics.punctuation import count_capitals, count_ends, phrase_marks
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CODE
from ncleaner.modelling.container import Card, ModelFile, Parts, Table, about_of, integers, reals
from ncleaner.options import option
from ncleaner.text.visible import counted

# ------------------------------------------------------------------------------------------------
# Lines.

CLASSES = "phln"
_CODES = np.frombuffer(CLASSES.encode(), np.uint8)
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
    return np.column_stack((
        table["words"], table["chars"] / words, count_capitals(document.data, *places) / words,
        phrase_marks(document.data, *places) / words, count_ends(document.data, *places),
        table["link_chars"] / np.maximum(table["chars"], 1),
        *(own == code for _, code in _KNOWN), *(parent == code for _, code in _KNOWN),
    )).astype(np.float32)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class LinesModel(ModelFile):
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
        return self.classes[nodes]

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
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> "LinesModel":
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
            kept = document.readable & (classes != ord("n"))
            return Kept(kept, marks=np.where(kept, classes, table["kind"]))
        long = (table["words"] > self.words) & (table["chars"] > self.word_length * table["words"])
        marks = np.where(long, np.uint8(ord("p")), np.uint8(ord("h")))
        return Kept(document.readable & (table["chars"] >= self.characters), marks=marks)
