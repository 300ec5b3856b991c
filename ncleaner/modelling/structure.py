"""The structure model: it tells main text from boilerplate by the structure of the page, in any language.

Two forests of small trees judge each segment. The first forest sees the segment and the blocks above it. The
second forest also sees what follows from the first judgement of all segments of the page: where the text is
concentrated, how segments of the same style are judged, what is before and after. Between the two, a forest
judges the kind of the page: article, forum, listing and so on. The second judgement of an article comes from
a forest that was trained on articles only. The scores of the n-grams are one feature among many. The model
contains only words of class names, so it serves any language.

Plain text has a structure model of its own, which was trained on text dumps of the same pages: it has no
blocks and no names, but a segment still has its length, its signs, its place, and the segments around it.

`_decision` then chooses the kept segments for the page as a whole. A last forest estimates how good the
result is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, KINDS, NOTICE, Kept
from ncleaner.document.tags import HASHES_VERSION
from ncleaner.errors import ModelError
from ncleaner.fastclass import fastclass
from ncleaner.modelling._decision import figures_of_decision
from ncleaner.modelling._forest import Forest
from ncleaner.modelling._judge import StructureJudge
from ncleaner.modelling.container import Card, ModelFile, Parts, Table, about_of, integers, pages_of, reals
from ncleaner.modelling.features import (
    FEATURES,
    KIND_COLUMN,
    OUTSIDE,
    PAGE_FEATURES,
    PLAIN,
    SEGMENT_COLUMNS,
    WEIGHTS,
)
from ncleaner.modelling.files import model_bytes
from ncleaner.text.visible import counted

# Model files store the weights of names as small integers, in steps of this size.
STEP = 1 / 32

# Largest part of a page that is judged together. The matrix of its features takes 90 MB. The largest gold
# page has 2,640 segments.
PART = 100_000
# Largest part of a plain text that is judged together: a long text is many pages, which are better judged one
# by one (docs/hybrid.md).
PART_OF_TEXT = 4_000

# Beta of the F-score whose expectation the decision maximises: the weight of recall against precision.
BALANCES: dict[str, float] = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}
# The second forest's trees after the first `EARLY` skip segments that are clear by then.
EARLY = 20
_KINDS = (*KINDS, NOTICE)
# Figures of a decision and of its page, from which the quality of the output is estimated. The first fourteen
# are those of `_decision.figures_of_decision`: the F-score, precision and recall that the scores promise;
# logarithms of the kept characters and of all; the share that is kept; the variance of the probabilities, per
# kept character, of what is kept and of what is left; characters of segments whose score is close to the
# border, per kept character; the mean scores of what is kept and left; the share of what is left between kept
# segments; and the shares of characters in links, of what is kept and of the page. The others are the
# probabilities of the kinds of pages.
QUALITY = (
    "expected-f", "expected-precision", "expected-recall", "kept", "page", "share-kept", "unsure-kept",
    "unsure-left", "close", "score-kept", "score-left", "holes", "links-kept", "links", *_KINDS,
)  # fmt: skip
_COLUMNS = {feature.name: column for column, feature in enumerate(FEATURES)}
_SUSPECT = [_COLUMNS[f"in-{name}"] for name in ("nav", "footer", "aside", "related")]
# Layout and constants of the judgement, by their names in compiled code.
#
# The second forest skips segments whose first probability is below `plain`, and its trees after the first
# `early` skip segments whose log-odds are beyond ±`clear` nats: they change no figure (docs/hybrid.md). The
# forest of articles makes the second judgement from the probability `is_article` on, the general forest up to
# `no_article`; between them it is a mean of the two. On a page without boilerplate, a segment is likelier to
# be clean by `favour`, in nats, unless it is mostly links or in a block for other things. A smaller
# probability of such a page than `no_fragment` has no effect.
_RULES: dict[str, float] = {
    "width": len(FEATURES), "segment_columns": SEGMENT_COLUMNS, "kind_column": KIND_COLUMN,
    "n_kinds": len(KINDS), "article": KINDS.index("article"), "fragment": KINDS.index(FRAGMENT),
    "links": _COLUMNS["link-density"], "outside": OUTSIDE, "plain": PLAIN, "early": EARLY, "clear": 1.5,
    "no_article": 0.7, "is_article": 0.9, "favour": 3.0, "no_fragment": 0.1, "many_links": 0.5, "most": PART,
    "most_of_text": PART_OF_TEXT,
}  # fmt: skip


@fastclass
class Trees:
    """A forest as arrays.

    Attributes:
        features: shape (nodes,), column of the feature that a node tests.
        rows: shape (nodes,), row that a node tests: 0 is the segment itself, −1 the segment before.
        thresholds: shape (nodes,), float32; values up to the threshold go left.
        left, right: shape (nodes,), children within the tree; leaf k is −1 − k.
        leaves: shape (leaves,), float32, log-odds.
        sizes: shape (trees,), number of nodes of each tree.
    """

    features: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    thresholds: npt.NDArray[np.float32]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    leaves: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any]) -> Trees:
        """Makes the arrays from sequences of numbers."""
        return cls(
            **{
                column.name: np.asarray(
                    columns[column.name], np.float32 if column.name in ("thresholds", "leaves") else np.int64
                )
                for column in fields(cls)
            }  # type: ignore[arg-type]
        )

    def forest(self, width: int = len(FEATURES)) -> Forest:
        """Returns the compiled forest for matrices of `width` columns.

        Raises:
            ValueError: the arrays do not belong together.
        """
        return Forest(
            self.features, self.rows, self.thresholds, self.left, self.right, self.leaves, self.sizes, width,
        )  # fmt: skip


@fastclass
class Stock:
    """Stock phrases: short segments that are boilerplate on many sites.

    Such a segment is boilerplate in the middle of the text, too, where structure gives no hint.

    Attributes:
        phrases: shape (phrases,), uint32, ascending: hashes of their words; see `_terms.pyx`.
        weights: shape (phrases,), float32: loss of log-odds of each, in nats; multiples of `STEP`.
    """

    phrases: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float32]

    @classmethod
    def of(cls, weights: Mapping[int, float]) -> Stock:
        """Makes the table from {hash of a phrase: its loss}."""
        known = sorted(weights)
        return cls(np.array(known, np.uint32), np.array([weights[phrase] for phrase in known], np.float32))


class StructureJudgement(NamedTuple):
    """StructureJudgement of a page by a structure model.

    Attributes:
        odds: shape (segments,), float64: log-odds that each segment is clean, in nats.
        kinds: shape (len(KINDS),), float64: probability of each kind of page; all 0 if the model does not
            know kinds.
    """

    odds: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.float64]


def quality_row(document: Document, kept: Kept) -> npt.NDArray[np.float32]:
    """Returns what the quality of an output is estimated from: shape (len(QUALITY),).

    Raises ValueError: the decision has no scores, or does not fit the document.
    """
    if kept.scores is None:
        raise ValueError("a decision without scores says nothing about its quality")
    row = np.zeros(len(QUALITY), np.float32)
    if kept.kinds:
        row[-len(_KINDS) :] = [kept.kinds[kind] for kind in _KINDS]
    figures_of_decision(document.tables, kept.mask, kept.scores, row)
    return row


@fastclass
class Structure(ModelFile):
    """A trained structure model.

    Attributes:
        weights: shape (WEIGHTS,), float32: weights of the hashed words in class, id and role, multiples of
            `STEP`.
        first, second: the forests of the two judgements.
        kinds: the forest of the kinds of pages, over `PAGE_FEATURES`; its trees follow each other in the
            order of `KINDS`. None for a model that does not know kinds.
        articles: the forest of the second judgement of articles; None for a model without `kinds`.
        stock: stock phrases, by their words; see `_terms.pyx`.
        about: other entries of the header: training data and figures.
        quality: the forest that estimates the quality of an output, over `QUALITY`; None for a model whose
            outputs were not compared with the gold text of enough pages.
    """

    KIND: ClassVar[str] = "structure"
    CALLED: ClassVar[str] = "a structure model"

    weights: npt.NDArray[np.float32]
    first: Trees
    second: Trees
    kinds: Trees | None = None
    articles: Trees | None = None
    stock: Stock = field(default_factory=lambda: Stock.of({}))
    about: dict[str, Any] = field(default_factory=dict)
    quality: Trees | None = None

    @cached_property
    def forests(self) -> dict[str, Forest]:
        """The compiled forests, by their names in `trees`."""
        return {name: trees.forest(len(_TESTED[name][2])) for name, trees in self.trees().items()}

    def trees(self) -> dict[str, Trees]:
        """Returns {name: trees} of the forests that the model has."""
        found = {name: getattr(self, name) for name in _TESTED}
        return {name: trees for name, trees in found.items() if trees is not None}

    def judge(
        self,
        document: Document,
        odds: npt.NDArray[np.float64],
        posterior: npt.NDArray[np.float64],
        news: bool = False,
    ) -> StructureJudgement:
        """Judges the segments and the kind of an HTML page.

        A page of more than `PART` segments, or a plain text of more than `PART_OF_TEXT`, is judged in parts
        of this size, each as a page.

        Args:
            document: the page.
            odds, posterior: shape (segments,): log-odds and statistics of the n-grams, in bits.
            news: the page is an article, whatever it looks like.
        """
        return StructureJudgement(
            *self.compiled.read(document.tables, document.title.encode(), odds, posterior, news)
        )

    def estimate(self, document: Document, kept: Kept) -> float:
        """Estimates the quality of a page's output: the F1 of its words against a gold text, 0 to 1.

        Args:
            document: the page.
            kept: the decision, with scores that are log-odds in bits. Its mask may have been changed
                afterwards.

        Raises:
            ValueError: the model has no forest for it, or the decision does not fit the document.
        """
        if self.quality is None:
            raise ValueError("the model does not estimate quality")
        return 1 / (1 + math.exp(-self.forests["quality"].score(quality_row(document, kept))))

    @cached_property
    def compiled(self) -> StructureJudge:
        """The model in compiled code."""
        forests = self.forests
        return StructureJudge(
            forests["first"], forests["second"], forests.get("kinds"), forests.get("articles"), self.weights,
            self.stock.phrases, self.stock.weights, _SUSPECT, _RULES,
        )  # fmt: skip

    def parts(self) -> Parts:
        """Returns the entries of the header, and the arrays."""
        header = {
            "hashes": HASHES_VERSION,
            "features": [feature.name for feature in FEATURES],
            "page_features": PAGE_FEATURES,
            "kinds": KINDS,
            "quality": QUALITY,
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            "weights": np.rint(self.weights / STEP).astype(np.int16),
            "stock.phrases": self.stock.phrases,
            "stock.losses": np.rint(self.stock.weights / STEP).astype(np.int16),
        }
        for name, trees in self.trees().items():
            for column in fields(Trees):
                values = getattr(trees, column.name)
                kind = _STORED[column.name]
                if values.dtype.kind == "i" and not np.array_equal(values, values.astype(kind)):
                    raise ValueError(f"{name}: {column.name} is out of range")
                arrays[f"{name}.{column.name}"] = values.astype(kind)
        return header, arrays

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Structure:
        """Makes the model from an unpacked file.

        Raises:
            ModelError: this version computes other hashes of names.
            ValueError: the tables do not belong together, or the features are not those of this version.
        """
        hashes = header["hashes"]
        if hashes != HASHES_VERSION:
            raise ModelError(
                f"{name} was trained with version {hashes!r} of the hashes of names, and this ncleaner has "
                f"version {HASHES_VERSION}: train it again"
            )
        names = {key: list(header[key]) for key in ("features", "page_features", "kinds", "quality")}
        weights = _weights_of("weights", arrays, WEIGHTS)
        known = integers(arrays["stock.phrases"])
        if np.any(np.diff(known, prepend=0) <= 0):
            raise ValueError("its stock phrases are not in order")
        stock = Stock(known.astype(np.uint32), _weights_of("stock.losses", arrays, len(known)))
        first, second, kinds, articles, quality = (_trees_of(name, names, arrays) for name in _TESTED)
        if first is None or second is None:
            raise ValueError("it lacks a forest")
        if kinds is None and articles is not None:
            raise ValueError("it has a forest of articles, but does not know articles")
        if kinds is not None and (tuple(names["kinds"]) != KINDS or len(kinds.sizes) % len(KINDS)):
            raise ValueError("it knows other kinds of pages: train it again")
        about = about_of(header, "hashes", *names)
        model = cls(weights, first, second, kinds, articles, stock, about, quality)
        _ = model.compiled  # raises ValueError if the trees are wrong, or do not fit each other
        return model

    def summary(self) -> str:
        """Describes the model in a few words."""
        numbers = [str(len(trees.sizes)) for trees in self.trees().values()]
        return f"{', '.join(numbers[:-1])} and {numbers[-1]} trees"

    def card(self, number: int = 20) -> Card:
        """Describes training, trees, and the features that the trees test most often."""
        training = self.about.get("training") or {}
        asked: Counter[int] = Counter()
        for name, trees in self.trees().items():
            if _TESTED[name][1] == "features":
                asked.update(trees.features.tolist())
        ranked = sorted(asked.items(), key=lambda item: (-item[1], item[0]))[:number]
        facts = [
            ("name", self.name),
            ("training", pages_of(training)),
            (
                "trees",
                ", ".join(f"{len(trees.sizes)} {_TESTED[name][0]}" for name, trees in self.trees().items()),
            ),
            ("names", f"{counted(int(np.count_nonzero(self.weights)), 'hashed word')} of class, id and role"),
            ("phrases", f"{counted(len(self.stock.phrases), 'hashed phrase')}, boilerplate wherever found"),
            ("sources", str(self.about.get("sources", "-"))),
        ]
        rows = [(FEATURES[column].name, str(times), FEATURES[column].about) for column, times in ranked]
        return Card(facts, [Table("tested most often", ("feature", "times", "what it is"), rows, (0, 2))])


def _trees_of(
    name: str, names: Mapping[str, list[str]], arrays: Mapping[str, npt.NDArray[Any]]
) -> Trees | None:
    """Makes a forest from the tables of a file; None if it has none of this name. Raises ValueError."""
    if f"{name}.sizes" not in arrays:
        return None
    _, key, known = _TESTED[name]
    features = names[key]
    here = {feature: column for column, feature in enumerate(known)}
    place = np.array([here.get(feature, -1) for feature in features], np.int64)
    columns: dict[str, npt.NDArray[Any]] = {}
    for column in fields(Trees):
        checked = reals if column.name in ("thresholds", "leaves") else integers
        columns[column.name] = checked(arrays[f"{name}.{column.name}"])
    asked = columns.pop("features")
    if np.any(asked < 0) or np.any(asked >= len(features)):
        raise ValueError("its trees test features that it does not name")
    unknown = sorted({features[number] for number in asked.tolist() if place[number] < 0})
    if unknown:
        shown = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else "")
        raise ValueError(
            f"its trees use unknown features ({shown}): it is of another version of ncleaner; train it again"
        )
    return Trees.of_columns({**columns, "features": place[asked]})


def _weights_of(name: str, arrays: Mapping[str, npt.NDArray[Any]], size: int) -> npt.NDArray[np.float32]:
    """Returns a table of weights from a file. Raises ValueError: it is of another size."""
    steps = integers(arrays[name])
    if steps.shape != (size,) or np.any(steps != steps.astype(np.int16)):
        raise ValueError(f"the weights of {name} are of another size")
    return steps.astype(np.float32) * np.float32(STEP)


# {forest: what it is for, key of what it tests in the header of a file, and the columns of its matrices}
_NAMES = [feature.name for feature in FEATURES]
_TESTED: dict[str, tuple[str, str, Sequence[str]]] = {
    "first": ("for the first judgement", "features", _NAMES),
    "second": ("for the second", "features", _NAMES),
    "kinds": ("for the kind of the page", "page_features", PAGE_FEATURES),
    "articles": ("for the second judgement of articles", "features", _NAMES),
    "quality": ("for the quality of the output", "quality", QUALITY),
}
# element types of the arrays of trees in a file
_STORED = {
    "features": "<u2", "rows": "i1", "thresholds": "<f4", "left": "<i2", "right": "<i2", "leaves": "<f4",
    "sizes": "<u2",
}  # fmt: skip


@cache
def shipped_structure(name: Literal["structure", "text"] = "structure") -> Structure:
    """Returns the shipped structure model of pages, or that of plain text, loaded once.

    Raises ModelError: it cannot be read."""
    return Structure.from_bytes(model_bytes(name), name)
