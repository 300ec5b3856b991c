"""Learning curves and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ncleaner.cli.cards import card_text
from ncleaner.errors import ModelError, TrainingError
from ncleaner.lab.training.curve import LearningCurve, LearningPoint, fit, learning_curve, verdict, with_curve
from ncleaner.lab.training.pairs import Pair, read_pairs
from ncleaner.modelling.hybrid import HybridModel

from ..annotating import made

PAIRS = [
    pair for pair in read_pairs(made.EXAMPLES / "pages", made.EXAMPLES / "gold") if pair.name in made.ENGLISH
]


@pytest.fixture(scope="module")
def model() -> HybridModel:
    return fit(PAIRS)


# it trains ten models
@pytest.mark.slow
def test_the_curve_of_a_few_pages() -> None:
    curve = learning_curve(PAIRS)
    # five folds of eight pages: six or seven others, and half of them
    assert [point.pages for point in curve.points] == [3.4, 6.4]
    assert all(0.5 < point.f <= 1 and point.error > 0 for point in curve.points)
    assert not np.isnan(curve.scores).any()
    again = learning_curve(PAIRS)
    assert again.points == curve.points and again.gain == curve.gain


def test_no_page_is_tested_by_a_model_that_has_seen_its_site(model: HybridModel) -> None:
    pairs = [
        Pair(pair.name, pair.document, pair.gold, f"site{number // 2}.example")
        for number, pair in enumerate(PAIRS)
    ]
    trained: list[set[str]] = []

    def train(chosen: Sequence[Pair], alphabet: str) -> HybridModel:
        trained.append({pair.site for pair in chosen})
        return model

    learning_curve(pairs, "nonlexical", train)
    # four sites are four folds, and the largest training set of each misses its own
    assert {frozenset(sites) for sites in trained if len(sites) == 3} and not any(
        len(sites) == 4 for sites in trained
    )


def test_pages_of_one_site_give_no_curve() -> None:
    pairs = [Pair(pair.name, pair.document, pair.gold, "one.example") for pair in PAIRS]
    curve = learning_curve(pairs)
    assert curve.points == [] and np.isnan(curve.scores).all() and math.isnan(curve.gain)
    assert "Too few" in verdict(curve, 8)[1]


def test_a_model_that_cannot_be_trained_is_no_point() -> None:
    def train(chosen: Sequence[Pair], alphabet: str) -> HybridModel:
        raise TrainingError("no")

    assert learning_curve(PAIRS, train=train).points == []


@pytest.mark.parametrize(
    ("pages", "gain", "error", "enough", "said"),
    [
        (40, 0.001, 0.002, True, "More pages hardly help"),
        (
            40,
            0.03,
            0.01,
            False,
            "More pages help: the last doubling of the pages changed F by +3.0 ± 1.0 points",
        ),
        (40, 0.005, 0.03, False, "More pages help"),
        (8, 0.0, 0.0, False, "Go on"),
        (4, math.nan, math.nan, False, "too few to see"),
    ],
)
def test_what_the_curve_says(pages: int, gain: float, error: float, enough: bool, said: str) -> None:
    curve = LearningCurve([LearningPoint(5, 0.9, 0.01)], np.zeros(pages), gain, error)
    found, sentence = verdict(curve, pages)
    assert found is enough and said in sentence


@pytest.mark.slow
def test_a_model_keeps_its_curve(model: HybridModel) -> None:
    model, said = with_curve(model, [*PAIRS, Pair("x", PAIRS[0].document, "Quite another text stood here.")])
    points = model.about["learning_curve"]
    curve = learning_curve(PAIRS)
    assert [(each["pages"], each["f_score"]) for each in points] == [(p.pages, p.f) for p in curve.points]
    assert said == verdict(curve, len(PAIRS))[1]
    again = HybridModel.from_bytes(model.to_bytes())
    assert again.about == model.about
    assert f"F by pages {points[0]['pages']:g}: " in card_text(again.card(1))


@pytest.mark.parametrize("points", [7, [7], [{"pages": "x", "f_score": 1}], [{"pages": 1}]])
def test_a_curve_that_is_damaged(points: object, model: HybridModel) -> None:
    broken = replace(model, about={**model.about, "learning_curve": points}).to_bytes()
    with pytest.raises(ModelError, match="its learning curve is not a list"):
        HybridModel.from_bytes(broken)
