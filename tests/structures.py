"""Structure models made by hand, and pages and settings for training small ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncleaner.lab.training import structure as structure_training
from ncleaner.modelling.features import FEATURES, WEIGHTS
from ncleaner.modelling.structure import Stock, Structure, Trees

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
        stock=Stock.of({5: 1.0, 9: 2.5}),
        about=about,
    )


PROSE = (
    "The ferry between the two islands was late again this morning, and nobody knew why.",
    "Those who had come early stood on the pier for an hour and talked about the weather.",
    "The harbour master would not say when the boat was to sail, or whether it would.",
)


def paragraphs(number: int) -> list[str]:
    """The article of a page."""
    return [PROSE[(number + i) % 3] for i in range(2 + number % 4)]


def page_html(number: int) -> str:
    """A page with a menu, a headline, an article and a footer, in one of three layouts."""
    body, menu = [("entry", "topnav"), ("post", "menubar"), ("story", "links")][number % 3]
    items = "".join(f"<li><a href=/{i}>Page {i} of {number}</a>" for i in range(3 + number % 5))
    article = "".join(f"<p>{text}" for text in paragraphs(number))
    return (
        f"<title>Ferry {number}</title><ul class={menu}>{items}</ul>"
        f"<div class='{body} wide'><h1>Ferry {number}</h1>{article}</div>"
        f"<div id=footer><p>© 20{10 + number} The Gazette</p></div>"
    )


def grow_small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few trees, and small leaves, as there are few pages; without LightGBM the test is skipped."""
    pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    monkeypatch.setitem(structure_training._PARAMETERS["first"], "rounds", 5)
    monkeypatch.setitem(structure_training._PARAMETERS["first-of-text"], "rounds", 5)
    monkeypatch.setitem(structure_training._PARAMETERS["second"], "rounds", 10)
    monkeypatch.setitem(structure_training._PARAMETERS["common"], "min_data_in_leaf", 5)
