from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.explaining.shapley import Paths, leaf_counts
from ncleaner.modelling.structure import Trees

from ..modelling.test_forest import TREES, WIDTH, Node, arrays, naive


def trees_of(trees: list[Node]) -> Trees:
    return Trees.of_columns(arrays(trees))


def matrix_of(size: int, spare: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, (size + 2 * spare, WIDTH)).astype(np.float32)


@given(
    trees=st.lists(TREES, min_size=1, max_size=4),
    size=st.integers(1, 90),
    seed=st.integers(0, 99),
    some=st.integers(0, 3),
)
def test_what_is_added_sums_up_to_the_forest(trees: list[Node], size: int, seed: int, some: int) -> None:
    model, matrix = trees_of(trees), matrix_of(size, 2, seed)
    counts = leaf_counts(model, matrix, 2, np.arange(size)[::2])
    tests = Paths(model, counts)
    for first, last in ((0, None), (0, some), (some, None)):
        found = tests.of(matrix, 2, range(size), first, last)
        expected = [sum(naive(tree, matrix, 2 + row) for tree in trees[first:last]) for row in range(size)]
        assert found.base + found.values.sum(axis=1) == pytest.approx(expected, abs=1e-9)


def expectation(
    tree: Node | float, leaves: list[float], matrix: np.ndarray, row: int, known: set[tuple[int, int]]
) -> float:
    """The expected output of a tree where only some features are known; `leaves` has the counts from left to
    right."""

    def walk(tree: Node | float) -> tuple[float, float]:
        if not isinstance(tree, tuple):
            return float(tree), leaves.pop(0)
        feature, away, threshold, left, right = tree
        (low, few), (high, many) = walk(left), walk(right)
        if (feature, away) in known:
            return (low if matrix[row + away, feature] <= threshold else high), few + many
        return (low * few + high * many) / (few + many), few + many

    return walk(tree)[0]


@given(tree=TREES, seed=st.integers(0, 99))
def test_they_are_shapley_values(tree: Node, seed: int) -> None:
    model, matrix = trees_of([tree]), matrix_of(12, 2, seed)
    counts = leaf_counts(model, matrix, 2, np.arange(12))
    tests = Paths(model, counts)
    players = tests.players
    if len(players) > 5:
        return
    weighed = [float(count) + 1 for count in counts]

    def value(known: tuple[tuple[int, int], ...]) -> float:
        return expectation(tree, list(weighed), matrix, 5, set(known))

    found = tests.of(matrix, 2, [3])
    assert found.base == pytest.approx(value(()), abs=1e-9)
    for number, player in enumerate(players):
        rest = [other for other in players if other != player]
        expected = sum(
            factorial(size) * factorial(len(rest) - size) / factorial(len(players))
            * (value((*known, player)) - value(known))
            for size in range(len(players))
            for known in combinations(rest, size)
        )  # fmt: skip
        assert found.values[0, number] == pytest.approx(expected, abs=1e-9)


@given(trees=st.lists(TREES, min_size=1, max_size=3), size=st.integers(0, 40), seed=st.integers(0, 99))
def test_each_row_ends_in_one_leaf_of_each_tree(trees: list[Node], size: int, seed: int) -> None:
    model, matrix = trees_of(trees), matrix_of(size, 2, seed)
    counts = leaf_counts(model, matrix, 2, np.arange(size))
    assert counts.sum() == size * len(trees)
    total = sum(naive(tree, matrix, 2 + row) for tree in trees for row in range(size))
    assert (counts * model.leaves).sum() == pytest.approx(total, abs=1e-6)


def test_counts_of_another_forest() -> None:
    with pytest.raises(ValueError, match="one count for each leaf"):
        Paths(trees_of([(0, 0, 0.5, 1.0, 2.0)]), np.zeros(3, np.int64))
