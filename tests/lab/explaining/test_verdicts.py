from __future__ import annotations

import pytest

from ncleaner.lab.explaining.verdicts import feature_name, said_of
from ncleaner.modelling.features import FEATURES, OUTSIDE, Feature

COLUMNS = {feature.name: column for column, feature in enumerate(FEATURES)}


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_each_feature_says_something_else_with_another_value(feature: Feature) -> None:
    column = COLUMNS[feature.name]
    low, high = said_of(column, 0, 0.0), said_of(column, 0, 1.0)
    assert low != high and "{" not in low + high and feature.name not in ("", low)
    assert said_of(column, 0, -1.0) and said_of(column, -2, OUTSIDE) == "2 segments back: outside of the page"


@pytest.mark.parametrize(
    ("name", "row", "value", "said"),
    [
        ("words", 0, 1, "1 word"),
        ("words", 0, 1200, "1,200 words"),
        ("link-density", 1, 0.004, "next segment: under 1 % of it in links"),
        ("in-nav", 0, 1, "inside <nav>"),
        ("in-nav", -1, 0, "segment before: not inside <nav>"),
        ("tag-section", 0, 1, "its block is <section> or <article> or <main>"),
        ("cue-footer", 0, 2, "its block says “footer” in its class, id or role"),
        ("from-headline", 0, -3, "3 segments before the headline"),
        ("headline-above", 0, -1, "the page has no headline"),
        ("holder50-side", 0, 1, "behind the block with 50 % of the main text"),
        ("holder50-above", 0, -1, "outside the block with 50 % of the main text"),
        ("holder50-above", 0, 1, "1 level up to the block with 50 % of the main text"),
        ("kind-article", 0, 0.98, "kind of page: article 98 %"),
        ("posterior", 0, -2.25, "its n-grams, with those around it: -2.2 bits"),
        ("style-times", 0, 1, "the only segment of its style"),
        ("up2-siblings", 0, 3, "the block 2 levels up is one of 3 alike"),
        ("ends-sentence", 0, 0, "does not end as a sentence does"),
        ("style-odds", 0, 3.7, "segments of its style at first sight: +3.7"),
    ],
)  # fmt: skip
def test_in_words(name: str, row: int, value: float, said: str) -> None:
    assert said_of(COLUMNS[name], row, value) == said


def test_names() -> None:
    assert [feature_name(COLUMNS["words"], row) for row in (0, 1, -2)] == ["words", "words+1", "words-2"]
