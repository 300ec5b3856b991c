"""Training of models with scikit-learn: FIASCO's support vector machine, and the decision tree over lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pkgutil import resolve_name
from typing import Any

import numpy as np

from ncleaner.errors import TrainingError, require
from ncleaner.modelling.classic import (
    CLASSES,
    FIASCO_FEATURES,
    FiascoModel,
    LinesModel,
    Nodes,
    keyword_shares,
    line_features,
    target_nodes,
)
from ncleaner.modelling.victor import gold_of
from ncleaner.training.annotations import labels_from_alignment
from ncleaner.training.examples import checked_pairs
from ncleaner.training.pairs import Pair
from ncleaner.training.sites import count_sites

__all__ = ["train_fiasco", "train_lines"]

_KEYWORDS = 100
# Least number of pages with a keyword in dirty nodes.
_PAGES = 5


def _learner(name: str, pairs: Sequence[Pair]) -> Any:
    """Returns a class of scikit-learn. Raises TrainingError: it is not installed, or there are no pages."""
    require("training this kind of model", "sklearn", "train", "scikit-learn", TrainingError)
    if not pairs:
        raise TrainingError("no pages to train on: give pages with their clean text")
    return resolve_name(name)


def _keywords(pages: Sequence[tuple[Nodes, Any]]) -> tuple[str, ...]:
    """The words that prevail most strongly in dirty nodes."""
    clean: Counter[str] = Counter()
    dirty: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for nodes, labels in pages:
        here: set[str] = set()
        for words, label in zip(nodes.words, labels.tolist(), strict=True):
            (clean if label else dirty).update(words)
            if not label:
                here.update(words)
        spread.update(here)
    evidence = {
        word: times * math.log((times + 0.5) / (clean[word] + 0.5))
        for word, times in dirty.items()
        if spread[word] >= _PAGES and any(map(str.isalpha, word))
    }
    return tuple(sorted(evidence, key=lambda word: (-evidence[word], word))[:_KEYWORDS])


def train_fiasco(
    pairs: Sequence[Pair], *, c: float = 1.0, about: Mapping[str, Any] | None = None
) -> FiascoModel:
    """Trains a model from pages with their cleaned text. A node is clean if most of its words are.

    Args:
        pairs: see `read_pairs`; labelled by alignment.
        c: inverse strength of the penalty.
        about: further entries of the header.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts.

    Raises:
        TrainingError: scikit-learn is not installed, there is nothing to train on, all text is clean or none,
            or most raw and clean texts do not belong together.
    """
    learner = _learner("sklearn.svm:LinearSVC", pairs)
    used = checked_pairs(pairs)
    pages = []
    for pair in used:
        if not len(pair.document.elements) or not len(pair.document):
            continue
        nodes = target_nodes(pair.document)
        words = pair.document.segments["words"]
        size = len(nodes.words)
        kept = np.bincount(nodes.of_segment, words * pair.alignment.clean, minlength=size)
        pages.append((nodes, 2 * kept >= np.maximum(np.bincount(nodes.of_segment, words, minlength=size), 1)))
    labels = np.concatenate([labels for _, labels in pages]) if pages else np.zeros(0, bool)
    if labels.all() or not labels.any():
        raise TrainingError("all target nodes of the pages are clean, or none is: there is nothing to learn")
    keywords = _keywords(pages)
    values = np.concatenate([nodes.values for nodes, _ in pages])
    values[:, FIASCO_FEATURES.index("keywords")] = [
        share for nodes, _ in pages for share in keyword_shares(nodes.words, frozenset(keywords))
    ]
    mean, deviation = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-9)
    machine = learner(C=c, dual=False, random_state=0, max_iter=10_000)
    machine.fit((values - mean) / deviation, labels)
    weights = machine.coef_[0] / deviation
    training = {
        "pages": len(pages),
        "sites": count_sites(pair.site for pair in used),
        "nodes": len(labels),
        "c": c,
    }
    return FiascoModel(
        weights.astype(np.float32),
        float(machine.intercept_[0] - weights @ mean),
        keywords,
        about={**dict(about or {}), "training": training},
    )


def train_lines(
    pairs: Sequence[Pair], *, depth: int = 10, leaf: int = 50, about: Mapping[str, Any] | None = None
) -> LinesModel:
    """Trains a tree from pages with their cleaned text; CleanEval's marks in it give the kinds of segments.

    Args:
        pairs: see `read_pairs`; labelled by alignment.
        depth: of the tree, at most.
        leaf: fewest segments of a leaf.
        about: further entries of the header.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts.

    Raises:
        TrainingError: scikit-learn is not installed, there is nothing to train on, all segments are of one
            class, or most raw and clean texts do not belong together.
    """
    learner = _learner("sklearn.tree:DecisionTreeClassifier", pairs)
    rows, labels = [], []
    used = checked_pairs(pairs)
    codes = np.zeros(256, np.int64)
    codes[np.frombuffer(CLASSES.encode(), np.uint8)] = range(len(CLASSES))
    for pair in used:
        gold = gold_of(pair.document, labels_from_alignment(pair))
        shown = pair.document.visible
        rows.append(line_features(pair.document)[shown])
        labels.append(np.where(gold.kept, codes[gold.kinds], CLASSES.index("n"))[shown])
    wanted = np.concatenate(labels)
    if len(np.unique(wanted)) < 2:
        raise TrainingError("all text of the training pages is of one class: there is nothing to learn")
    grown = learner(max_depth=depth, min_samples_leaf=leaf, random_state=0)
    training = {
        "pages": len(used),
        "sites": count_sites(pair.site for pair in used),
        "segments": len(wanted),
    }
    return model_of_tree(grown.fit(np.concatenate(rows), wanted), {**dict(about or {}), "training": training})


def model_of_tree(grown: Any, about: dict[str, Any]) -> LinesModel:
    """Returns the model of a fitted `DecisionTreeClassifier`, whose classes are positions in `CLASSES`."""
    tree = grown.tree_
    # features are float32: rounded down, the values of the tests divide them as before
    values = tree.threshold.astype(np.float32)
    values = np.where(values > tree.threshold, np.nextafter(values, np.float32(-np.inf)), values)
    return LinesModel(
        np.maximum(tree.feature.astype(np.int64), -1),
        values,
        np.maximum(tree.children_left, 0).astype(np.int64),
        np.maximum(tree.children_right, 0).astype(np.int64),
        grown.classes_[tree.value[:, 0, :].argmax(axis=1)].astype(np.int64),
        about=about,
    )
