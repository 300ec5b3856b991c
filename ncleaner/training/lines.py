"""Trains the decision tree over lines from pages with their gold text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ncleaner.errors import TrainingError
from ncleaner.modelling.labels import gold_of
from ncleaner.modelling.lines import CLASSES, LinesModel, line_features
from ncleaner.training.annotations import labels_from_alignment
from ncleaner.training.examples import checked_pairs
from ncleaner.training.pairs import Pair
from ncleaner.training.sites import count_sites

__all__ = ["train_lines"]


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
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as error:
        raise TrainingError(
            "training this kind of model takes scikit-learn: pip install 'ncleaner[train]'"
        ) from error
    if not pairs:
        raise TrainingError("no pages to train on: give pages with their clean text")
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
    grown = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
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
