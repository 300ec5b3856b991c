from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncleaner.modelling._forest import MAX_DEPTH, MAX_TREES, Forest

NAMES = ("features", "rows", "thresholds", "left", "right", "leaves", "sizes")
WIDTH = 4

Node = tuple[int, int, float, Any, Any]


def arrays(trees: list[Node]) -> dict[str, list[Any]]:
    """Nested tuples (feature, row, threshold, left, right) with numbers for leaves, as arrays."""
    found: dict[str, list[Any]] = {name: [] for name in NAMES}
    for tree in trees:
        nodes: list[list[Any]] = []
        leaves: list[float] = []

        def add(tree: Any, nodes: list[list[Any]] = nodes, leaves: list[float] = leaves) -> int:
            if not isinstance(tree, tuple):
                leaves.append(tree)
                return -len(leaves)
            feature, row, threshold, left, right = tree
            node = [feature, row, threshold, 0, 0]
            nodes.append(node)
            place = len(nodes) - 1
            node[3:] = add(left), add(right)
            return place

        add(tree)
        for name, column in zip(NAMES[:5], zip(*nodes, strict=True), strict=True):
            found[name] += column
        found["leaves"] += leaves
        found["sizes"].append(len(nodes))
    return found


def forest(trees: list[Node], **changed: Any) -> Forest:
    return Forest(**{**arrays(trees), **changed}, width=WIDTH)


def naive(tree: Any, matrix: np.ndarray, row: int) -> float:
    while isinstance(tree, tuple):
        feature, away, threshold, left, right = tree
        tree = left if matrix[row + away, feature] <= threshold else right
    return float(tree)


VALUES = st.integers(-4, 4).map(float)
TREES = st.builds(
    lambda feature, row, threshold, left, right: (feature, row, threshold, left, right),
    st.integers(0, WIDTH - 1), st.integers(-2, 2), VALUES,
    *[
        st.recursive(
            VALUES,
            lambda below: st.tuples(st.integers(0, WIDTH - 1), st.integers(-2, 2), VALUES, below, below),
            max_leaves=8,
        )
    ] * 2,
)  # fmt: skip


@given(
    trees=st.lists(TREES, max_size=5),
    size=st.integers(0, 30),
    more=st.integers(0, 2),
    seed=st.integers(0, 99),
)
@example(trees=[(0, -2, 0.0, 1.0, 2.0), (3, 2, 0.0, -1.0, 0.5)], size=200, more=1, seed=1)
def test_predictions_are_those_of_the_trees(trees: list[Node], size: int, more: int, seed: int) -> None:
    model = forest(trees)
    spare = model.reach + more
    matrix = np.random.default_rng(seed).integers(-4, 5, (size + 2 * spare, WIDTH)).astype(np.float32)
    expected = [sum(naive(tree, matrix, spare + row) for tree in trees) for row in range(size)]
    np.testing.assert_allclose(model.predict(matrix, spare), np.array(expected), atol=1e-9)
    assert model.predict(matrix, spare).dtype == np.float64
    if model.reach:
        with pytest.raises(ValueError, match="does not fit"):
            model.score(np.zeros(WIDTH, np.float32))
    else:
        scores = [model.score(row) for row in matrix[spare : spare + size]]
        np.testing.assert_allclose(scores, np.array(expected), atol=1e-9)
    chosen = np.flatnonzero(matrix[spare : spare + size, 0] > 0).astype(np.int32)
    for split in range(len(trees) + 1):
        parts = model.predict(matrix, spare, last=split), model.predict(matrix, spare, first=split)
        np.testing.assert_allclose(sum(parts), np.array(expected), atol=1e-9)
    every = np.arange(size, dtype=np.int32)
    base, added = model.contributions(matrix, spare, every, chosen)
    assert added.shape == (size, 2 * model.reach + 1, WIDTH)
    np.testing.assert_allclose(base + added.sum(axis=(1, 2)), np.array(expected) if size else [], atol=1e-9)


def test_contributions_are_what_tests_change_in_the_mean_of_the_background() -> None:
    model = forest([(1, 0, 0.0, (2, 1, 0.0, 0.0, 8.0), 6.0)])
    matrix = np.zeros((6, WIDTH), np.float32)
    matrix[1:5, 1] = [0, 0, 0, 1]
    matrix[2:6, 2] = [0, 0, 1, 0]
    rows = np.arange(4, dtype=np.int32)
    base, added = model.contributions(matrix, 1, rows, rows)
    # leaves 0, 8 and 6 with 2, 1 and 1 rows, and a quarter, a quarter and a half besides
    left = 8 * 1.25 / 3.5
    assert base == pytest.approx((3.5 * left + 1.5 * 6) / 5)
    assert added[:, 1, 1] == pytest.approx([left - base] * 3 + [6 - base])
    assert added[:, 2, 2] == pytest.approx([-left, -left, 8 - left, 0])
    assert np.count_nonzero(added) == 7
    with pytest.raises(ValueError, match="does not fit"):
        model.score(np.zeros(WIDTH + 1, np.float32))
    with pytest.raises(ValueError, match="no such row"):
        model.contributions(matrix, 1, rows, rows + 1)
    with pytest.raises(ValueError, match="does not fit"):
        model.contributions(matrix, 0, rows, rows)


def chain(depth: int) -> Any:
    tree: Any = float(depth)
    for level in reversed(range(depth)):
        tree = (0, 0, float(level), float(level), tree)
    return tree


def test_trees_of_one_side_are_deep_and_there_is_an_end_to_it() -> None:
    matrix = np.zeros((MAX_DEPTH + 1, WIDTH), np.float32)
    matrix[:, 0] = np.arange(MAX_DEPTH + 1)
    assert forest([chain(MAX_DEPTH)]).predict(matrix, 0).tolist() == list(range(MAX_DEPTH + 1))
    with pytest.raises(ValueError, match=f"{MAX_DEPTH + 1} levels deep"):
        forest([chain(MAX_DEPTH + 1)])


def test_values_that_are_no_numbers_go_one_way() -> None:
    matrix = np.full((9, WIDTH), np.nan, np.float32)
    assert len(set(forest([(0, 0, 0.0, 1.0, 2.0)]).predict(matrix, 0).tolist())) == 1


def test_no_trees() -> None:
    assert forest([]).predict(np.ones((3, WIDTH), np.float32), 1).tolist() == [0]
    assert forest([]).reach == 0


TWO = [(0, -1, 0.5, 1.0, (1, 2, 0.0, 2.0, 3.0)), (3, 0, 1.5, 4.0, 5.0)]


def test_reach_is_the_farthest_row() -> None:
    assert forest(TWO).reach == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rows": [0, 0]}, "different lengths"),
        ({"thresholds": [0.0] * 4}, "different lengths"),
        ({"left": [-1]}, "different lengths"),
        ({"right": []}, "different lengths"),
        ({"features": [0, 1]}, "different lengths"),
        ({"leaves": [1.0] * 4}, "sizes do not fit"),
        ({"leaves": [1.0] * 6}, "sizes do not fit"),
        ({"sizes": [2, 2]}, "sizes do not fit"),
        ({"sizes": [3]}, "sizes do not fit"),
        ({"sizes": [2, 1, 0]}, "sizes do not fit"),
        ({"sizes": [4, -1]}, "sizes do not fit"),
        ({"sizes": []}, "sizes do not fit"),
        ({"features": [0, 4, 0]}, "feature that does not exist"),
        ({"features": [0, -1, 0]}, "feature that does not exist"),
        ({"thresholds": [0.0, np.nan, 0.0]}, "not a number"),
        ({"leaves": [1.0, np.inf, 3.0, 4.0, 5.0]}, "not a number"),
        # a node that is its own child, one above it, one of the next tree, a leaf that there is not
        ({"left": [0, -2, -1]}, "do not form a tree"),
        ({"right": [1, 0, -2]}, "do not form a tree"),
        ({"left": [2, -2, -1]}, "do not form a tree"),
        ({"right": [1, -4, -2]}, "do not form a tree"),
        ({"right": [1, -3, -3]}, "do not form a tree"),
        ({"right": [1, -3, 1]}, "do not form a tree"),
        ({"left": [-(2**40), -2, -1]}, "do not form a tree"),
        # a leaf or a node twice, a node that is nobody's child
        ({"left": [-2, -2, -1]}, "do not form a tree"),
        ({"left": [1, -2, -1]}, "do not form a tree"),
        ({"right": [-2, -3, -2]}, "do not form a tree"),
    ],
)
def test_arrays_that_do_not_belong_together(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        forest(TWO, **changed)


@pytest.mark.parametrize("shape", [(10, WIDTH - 1), (10, WIDTH + 1), (3, WIDTH), (0, WIDTH)])
def test_matrices_that_do_not_fit(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="does not fit the trees"):
        forest(TWO).predict(np.zeros(shape, np.float32), 2)


def test_too_few_spare_rows() -> None:
    matrix = np.zeros((10, WIDTH), np.float32)
    for spare in (-1, 0, 1):
        with pytest.raises(ValueError, match="does not fit the trees"):
            forest(TWO).predict(matrix, spare)
    assert len(forest(TWO).predict(matrix, 2)) == 6


def test_trees_that_there_are_not() -> None:
    matrix = np.zeros((10, WIDTH), np.float32)
    assert not forest(TWO).predict(matrix, 2, first=2).any()
    assert forest(TWO).predict(matrix, 2, last=9).tolist() == forest(TWO).predict(matrix, 2).tolist()
    with pytest.raises(ValueError, match="no such tree"):
        forest(TWO).predict(matrix, 2, first=-1)


@given(st.data())
def test_what_is_taken_can_be_used(data: st.DataObject) -> None:
    """Whatever the arrays hold: an error that says so, or trees that end."""
    whole = arrays(TWO)
    for name in data.draw(st.lists(st.sampled_from(NAMES), max_size=3)):
        place = data.draw(st.integers(0, len(whole[name]) - 1))
        whole[name][place] = data.draw(st.integers(-6, 6))
    try:
        model = Forest(**whole, width=WIDTH)
    except ValueError:
        return
    spare = model.reach
    assert np.isfinite(model.predict(np.zeros((10 + 2 * spare, WIDTH), np.float32), spare)).all()


TREE = ([0], [0], [0.5], [-1], [-2], [0.0, 1.0], [1], 3)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (1, [-(2**63)], "too far away"),
        (1, [101], "too far away"),
        (6, [2**62, 2**62, 2**62, 2**62, 1], "do not fit"),
        (6, [1] * (MAX_TREES + 1), "are the most"),
        (0, [[0]], "dimension"),
        (5, [[0.0], [1.0]], "dimension"),
    ],
)
def test_trees_that_are_none(place: int, value: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parts: list[Any] = list(TREE)
        parts[place] = value
        Forest(*parts)
