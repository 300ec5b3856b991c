"""What each feature adds to the output of a forest: Shapley values.

A forest is a sum of trees. For one row, the expected output if only some features are known follows each test
of a known feature, and goes both ways at a test of an unknown one, weighted by how many rows of a background
went either way. A feature's Shapley value is the mean, over all orders in which features can become known, of
how much the expectation changes when it does. All values and the expectation without any feature add up to
the output. This is the path-dependent TreeSHAP of Lundberg et al. (2020), "From local explanations to global
understanding with explainable AI for trees" (Nature Machine Intelligence 2), computed leaf by leaf.

For a leaf of value v let z_j be the share of the background that passes all tests of feature j on the way to
it, and o_j be 1 if the row passes them and 0 otherwise. The leaf's expectation with the features S known is v
times the product of o_j over S and z_j over the others. The Shapley weights are an integral,

    k! (d - 1 - k)! / d! = integral over t from 0 to 1 of t^k (1 - t)^(d - 1 - k),

so the value of feature j is v (o_j - z_j) times the integral of the product over i ≠ j of z_i (1 - t) + o_i
t. Its degree is d - 1, and Gauss-Legendre quadrature with d / 2 points is exact.

A feature of a neighbouring segment is a feature of its own: (column, distance of its row).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.modelling.structure import Trees

__all__ = ["Attribution", "Paths", "Player", "leaf_counts"]

Player = tuple[int, int]
"""Column of a feature, and row in which it is read: 0 is the segment itself, −1 the one before."""

# rows that are looked at together: some MB for each group of leaves
_ROWS = 64


class Attribution(NamedTuple):
    """What the features add to the output of trees.

    Attributes:
        base: the expected output if no feature is known.
        values: shape (rows, players), float64: what each adds.
    """

    base: float
    values: npt.NDArray[np.float64]


class _Group(NamedTuple):
    """Leaves with the same number of features on the way to them; arrays of shape (leaves, features)."""

    trees: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    players: npt.NDArray[np.int64]
    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float64]

    def of(self, used: npt.NDArray[np.bool_]) -> _Group:
        """Returns some of the leaves."""
        return _Group(
            self.trees[used], self.values[used], self.players[used], self.low[used], self.high[used],
            self.shares[used],
        )  # fmt: skip


class Paths:
    """The tests on the way to each leaf of a forest.

    Args:
        trees: the forest.
        counts: shape (leaves,): number of rows of a background that end in each leaf. One is added to each,
            so that no leaf is impossible.
    """

    def __init__(self, trees: Trees, counts: npt.NDArray[np.int64]) -> None:
        if len(counts) != len(trees.leaves):
            raise ValueError("there is not one count for each leaf")
        self.trees = trees
        self.players: list[Player] = sorted(
            set(zip(trees.features.tolist(), trees.rows.tolist(), strict=True))
        )
        place = {player: number for number, player in enumerate(self.players)}
        sizes = counts.astype(np.float64) + 1
        found: dict[int, list[tuple[int, float, list[tuple[int, float, float, float]]]]] = {}
        node, leaf = 0, 0
        for number, size in enumerate(trees.sizes.tolist()):
            for value, path in _leaf_paths(trees, node, leaf, size, sizes, place):
                tests = [(player, *test) for player, test in sorted(path.items())]
                found.setdefault(len(tests), []).append((number, value, tests))
            node += size
            leaf += size + 1
        self._groups = [_group(leaves) for _, leaves in sorted(found.items())]

    def of(
        self,
        matrix: npt.NDArray[np.float32],
        spare: int,
        rows: Sequence[int],
        first: int = 0,
        last: int | None = None,
    ) -> Attribution:
        """Returns what the features add to the trees first … last − 1, for some rows.

        Args:
            matrix: shape (segments + 2 · spare, columns), float32.
            spare: number of rows at either end that are outside of the page.
            rows: the segments.
            first, last: of the trees; all by default.
        """
        end = len(self.trees.sizes) if last is None else last
        columns, away = self._places
        values = np.zeros((len(rows), len(self.players)))
        base = 0.0
        for group in self._groups:
            used = (group.trees >= first) & (group.trees < end)
            if not used.any():
                continue
            group = group.of(used)
            base += float((group.values * group.shares.prod(axis=1)).sum())
            for begin in range(0, len(rows), _ROWS):
                some = np.asarray(rows[begin : begin + _ROWS], np.int64) + spare
                known = matrix[some[:, None] + away, columns]
                _add(group, known, values[begin : begin + _ROWS])
        return Attribution(base, values)

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        columns, away = zip(*self.players, strict=True)
        return np.array(columns, np.int64), np.array(away, np.int64)


def _leaf_paths(
    trees: Trees, node: int, leaf: int, size: int, sizes: npt.NDArray[np.float64], place: dict[Player, int]
) -> list[tuple[float, dict[int, tuple[float, float, float]]]]:
    """Returns for each leaf of a tree its value, and for each player the tests on the way to it: the value is
    above the first number and at most the second, and the third is the share of the background that passes
    them."""
    below = np.zeros(size)
    # children have larger numbers than their parents
    for at in range(size - 1, -1, -1):
        for child in (int(trees.left[node + at]), int(trees.right[node + at])):
            below[at] += below[child] if child >= 0 else sizes[leaf - child - 1]
    found = []
    open_: list[tuple[int, dict[int, tuple[float, float, float]]]] = [(0, {})]
    while open_:
        at, path = open_.pop()
        if at < 0:
            found.append((float(trees.leaves[leaf - at - 1]), path))
            continue
        player = place[int(trees.features[node + at]), int(trees.rows[node + at])]
        threshold = float(trees.thresholds[node + at])
        low, high, share = path.get(player, (-np.inf, np.inf, 1.0))
        for child, bounds in (
            (int(trees.left[node + at]), (low, min(high, threshold))),
            (int(trees.right[node + at]), (max(low, threshold), high)),
        ):
            passed = below[child] if child >= 0 else sizes[leaf - child - 1]
            open_.append((child, {**path, player: (*bounds, share * passed / below[at])}))
    return found


def _group(leaves: list[tuple[int, float, list[tuple[int, float, float, float]]]]) -> _Group:
    numbers, values, tests = zip(*leaves, strict=True)
    columns = np.array(tests, np.float64)
    return _Group(
        np.array(numbers, np.int64),
        np.array(values, np.float64),
        columns[:, :, 0].astype(np.int64),
        columns[:, :, 1].astype(np.float32),
        columns[:, :, 2].astype(np.float32),
        columns[:, :, 3],
    )


def _add(group: _Group, known: npt.NDArray[np.float32], out: npt.NDArray[np.float64]) -> None:
    """Adds the Shapley values of a group of leaves; `known`: shape (rows, players), what the players' values
    are."""
    asked = known[:, group.players]
    passed = ((asked > group.low) & (asked <= group.high)).astype(np.float64)
    size = group.players.shape[1]
    points, weights = np.polynomial.legendre.leggauss((size + 1) // 2)
    integral = np.zeros_like(passed)
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        factors = group.shares * (1 - point) + passed * point
        integral += weight * factors.prod(axis=2, keepdims=True) / factors
    found = group.values[:, None] * (passed - group.shares) * integral
    for row in range(len(found)):
        out[row] += np.bincount(group.players.ravel(), found[row].ravel(), minlength=out.shape[1])


def leaf_counts(
    trees: Trees, matrix: npt.NDArray[np.float32], spare: int, rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Counts the rows of a page that end in each leaf of a forest: shape (leaves,), int64.

    Args:
        trees: the forest.
        matrix, spare: as `Paths.of` takes them.
        rows: the segments.
    """
    counts = np.zeros(len(trees.leaves), np.int64)
    if not len(rows):
        return counts
    node, leaf = 0, 0
    for size in trees.sizes.tolist():
        at = np.zeros(len(rows), np.int64)
        inner = at >= 0
        while inner.any():
            nodes = node + at[inner]
            values = matrix[rows[inner] + spare + trees.rows[nodes], trees.features[nodes]]
            at[inner] = np.where(values <= trees.thresholds[nodes], trees.left[nodes], trees.right[nodes])
            inner = at >= 0
        counts[leaf : leaf + size + 1] += np.bincount(-at - 1, minlength=size + 1)
        node += size
        leaf += size + 1
    return counts
