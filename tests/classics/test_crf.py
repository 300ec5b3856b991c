from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ncleaner.classics._victor import marginals, state_scores


def by_hand(scores: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """All sequences, one by one."""
    size, labels = scores.shape
    total = np.zeros_like(scores)
    for sequence in itertools.product(range(labels), repeat=size):
        score = sum(scores[t, y] for t, y in enumerate(sequence))
        score += sum(moves[a, b] for a, b in itertools.pairwise(sequence))
        for t, y in enumerate(sequence):
            total[t, y] += math.exp(score)
    found: np.ndarray = total / total.sum(axis=1, keepdims=True)
    return found


@pytest.mark.parametrize(("size", "labels", "seed"), [(1, 5, 0), (2, 1, 1), (4, 5, 2), (7, 3, 3), (9, 2, 4)])
def test_all_sequences_one_by_one(size: int, labels: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    scores, moves = random.normal(0, 2, (size, labels)), random.normal(0, 2, (labels, labels))
    assert marginals(scores, moves) == pytest.approx(by_hand(scores, moves), abs=1e-12)


@given(
    scores=arrays(float, st.tuples(st.integers(0, 20), st.just(5)), elements=st.floats(-1e6, 1e6)),
    moves=arrays(float, (5, 5), elements=st.floats(-1e6, 1e6)),
)
def test_any_scores_give_probabilities(scores: np.ndarray, moves: np.ndarray) -> None:
    found = marginals(scores, moves)
    assert np.isfinite(found).all()
    assert found.min(initial=0) >= 0
    assert found.sum(axis=1) == pytest.approx(np.ones(len(scores)))


@pytest.mark.untraced
def test_a_very_long_sequence() -> None:
    scores = np.tile(np.array([[0.0, 1, 2, 3, 4], [4.0, 3, 2, 1, 0]]), (50_000, 1))
    found = marginals(scores, np.zeros((5, 5)))
    assert found[:2] == pytest.approx(found[-2:])


def test_state_scores_look_ahead_and_behind() -> None:
    values = np.array([[1, 0], [2, 3]], np.uint8)
    slots = np.array([[0, 0], [1, 1], [0, -1]], np.int32)
    weights = np.zeros((48, 2), np.float32)
    weights[1], weights[2] = (1, -1), (10, -10)
    weights[16 + 3], weights[16 + 15] = (100, 0), (0, 1000)
    weights[32 + 1], weights[32 + 15] = (0, 0.5), (0.25, 0)
    assert state_scores(values, slots, weights).tolist() == [[101.25, -1], [10, 990.5]]


def test_what_does_not_belong_together() -> None:
    values, slots = np.zeros((2, 3), np.uint8), np.array([[3, 0]], np.int32)
    with pytest.raises(ValueError, match="belong together"):
        state_scores(values, slots, np.zeros((16, 5), np.float32))
    with pytest.raises(ValueError, match="belong together"):
        state_scores(values, slots - 1, np.zeros((15, 5), np.float32))
    with pytest.raises(ValueError, match="belong together"):
        marginals(np.zeros((2, 3)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="belong together"):
        marginals(np.zeros((2, 9)), np.zeros((9, 9)))
    assert (
        state_scores(values, np.zeros((0, 2), np.int32), np.zeros((0, 5), np.float32)).tolist()
        == [[0] * 5] * 2
    )


def test_agrees_with_crfsuite(tmp_path: object) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    random = np.random.default_rng(0)
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params({"c1": 0.1, "c2": 0.1, "max_iterations": 30})
    pages = [random.integers(0, 4, (20, 3)) for _ in range(20)]
    for page in pages:
        trainer.append(
            [[f"{k}:{value}" for k, value in enumerate(row)] for row in page.tolist()],
            ["phlco"[(row[0] + (row[1] > 1)) % 5] for row in page.tolist()],
        )
    path = f"{tmp_path}/crf"
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    info, labels = tagger.info(), tagger.labels()
    moves = np.array([[info.transitions.get((a, b), 0.0) for b in labels] for a in labels])
    for page in pages[:5]:
        rows = [[f"{k}:{value}" for k, value in enumerate(row)] for row in page.tolist()]
        scores = np.array(
            [[sum(info.state_features.get((x, y), 0.0) for x in row) for y in labels] for row in rows]
        )
        tagger.set(rows)
        expected = [[tagger.marginal(y, t) for y in labels] for t in range(len(rows))]
        assert marginals(scores, moves) == pytest.approx(np.array(expected), abs=1e-6)
