from __future__ import annotations

import itertools
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.errors import ModelError
from ncleaner.modelling._decision import SATURATION, Statistics
from ncleaner.modelling.decision import Decision


def by_hand(
    evidence: list[float], to_clean: float, stay_clean: float, opening: float, closing: float, empty: float
) -> list[float]:
    """The posterior by adding up all label sequences."""
    step = {(0, 0): 1 - to_clean, (0, 1): to_clean, (1, 0): 1 - stay_clean, (1, 1): stay_clean}
    total, clean = 0.0, [0.0] * len(evidence)
    dirty = 0.0
    for labels in itertools.product((0, 1), repeat=len(evidence)):
        weight = math.exp(sum(e for e, label in zip(evidence, labels, strict=True) if label))
        weight *= math.exp(opening * labels[0] + closing * labels[-1])
        for pair in itertools.pairwise(labels):
            weight *= step[pair]
        total += weight
        if not any(labels):
            dirty = weight
        for position, label in enumerate(labels):
            clean[position] += weight * label
    some = (total - dirty + empty * dirty) / total
    odds = [min(value / total / some, 1 - 1e-12) for value in clean]
    return [math.log(p / (1 - p)) for p in odds]


def posterior(
    evidence: np.ndarray,
    to_clean: float,
    stay_clean: float,
    opening: float = 0,
    closing: float = 0,
    empty: float = 1,
) -> np.ndarray:
    """The chain alone, from and to nats: the slope takes the evidence through the saturation as it is."""
    bit, slope = math.log(2), 1e12
    numbers = {"slope": slope, "offset": 0, "scale": bit, "shift": 0, "empty": empty}
    edges = {"opening": opening / bit, "closing": closing / bit}
    chain = Statistics("page", {**numbers, **edges, "to_clean": to_clean, "stay_clean": stay_clean})
    sums = SATURATION * np.asarray(evidence) / bit / slope
    return chain.of(sums, np.ones(len(sums), np.uint32))


probability = st.floats(0.01, 0.99)


@given(
    evidence=st.lists(st.floats(-8, 8), min_size=1, max_size=7),
    to_clean=probability,
    stay_clean=probability,
    opening=st.floats(-4, 4),
    closing=st.floats(-4, 4),
    empty=st.sampled_from([1.0, 0.05, 0.01]),
)
def test_posterior_is_exact(
    evidence: list[float], to_clean: float, stay_clean: float, opening: float, closing: float, empty: float
) -> None:
    found = posterior(np.array(evidence), to_clean, stay_clean, opening, closing, empty)
    expected = by_hand(evidence, to_clean, stay_clean, opening, closing, empty)
    assert found == pytest.approx(expected, abs=1e-5, rel=1e-5)


def test_posterior_of_long_and_hopeless_pages_is_finite() -> None:
    for value in (-1e9, 0.0, 1e9):
        found = posterior(np.full(100_000, value), 0.001, 0.999, empty=0.01)
        assert np.isfinite(found).all()
    assert posterior(np.zeros(0), 0.5, 0.5).shape == (0,)
    for wrong in ((0.0, 0.5, 1.0), (0.5, 1.0, 1.0), (0.5, 0.5, 0.0)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            posterior(np.zeros(3), *wrong[:2], empty=wrong[2])


def test_neighbours_decide_on_a_doubtful_segment() -> None:
    decision = Decision("page", slope=8.0, offset=0.0, to_clean=0.05, stay_clean=0.95)
    counts = np.full(5, 10, np.uint32)
    among_clean = decision.statistics(np.array([20.0, 20.0, -4.0, 20.0, 20.0]), counts)
    among_dirty = decision.statistics(np.array([-20.0, -20.0, 4.0, -20.0, -20.0]), counts)
    assert among_clean[2] > 0 > among_dirty[2]


def test_presets() -> None:
    decision = Decision(threshold=1.0, presets={"precision": 3.0})
    assert decision.with_threshold("precision").threshold == 3.0
    assert decision.with_threshold(-2).threshold == -2.0
    with pytest.raises(ModelError, match="no preset 'recall'"):
        decision.with_threshold("recall")
    with pytest.raises(ValueError, match="must be a number"):
        decision.with_threshold(float("nan"))


def test_header_round_trip() -> None:
    decision = Decision("page", -0.5, {"recall": -3.0}, 0.1, -1.0, 0.02, 0.8, -4.0, -2.0, 0.4, 1.0)
    assert Decision.of_header(asdict(decision)) == decision
