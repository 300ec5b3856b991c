"""Structure models made by hand, for tests that need one but no training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncleaner.features import FEATURES, WEIGHTS
from ncleaner.structure import Structure, Trees

COLUMN = {feature.name: column for column, feature in enumerate(FEATURES)}


def stumps(*rules: tuple[str, int, float, float, float]) -> Trees:
    """A tree of one node for each rule: feature, row, threshold, log-odds at most and above it."""
    size = len(rules)
    return Trees.of_columns(
        {
            "features": [COLUMN[rule[0]] for rule in rules],
            "rows": [rule[1] for rule in rules],
            "thresholds": [rule[2] for rule in rules],
            "left": [-1] * size,
            "right": [-2] * size,
            "leaves": [leaf for rule in rules for leaf in rule[3:]],
            "sizes": [1] * size,
        }
    )


def structure(**about: Any) -> Structure:
    """Text of seven words and more outside of links is clean, and what stands before such text in a heading."""
    weights = np.zeros(WEIGHTS, np.float32)
    weights[::100] = -0.5
    return Structure(
        weights,
        stumps(("words", 0, 6.5, -2.0, 2.0), ("link-density", 0, 0.5, 1.0, -1.0)),
        stumps(("first", 0, 0.5, -3.0, 3.0), ("first", 1, 0.5, -1.0, 1.0), ("heading", 0, 0.5, 0.0, 3.0)),
        about,
    )
