"""What each feature adds to the judgement of each segment by the structure model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.explaining.background import paths_of
from ncleaner.explaining.shapley import Player
from ncleaner.explaining.structural import Looks
from ncleaner.modelling.structure import EARLY, Structure

__all__ = ["Added", "what_added"]


class Added(NamedTuple):
    """What the features add to a judgement, in nats.

    Attributes:
        base: shape (rows,), float64: the expected log-odds if nothing is known of a segment.
        players: the features.
        values: shape (rows, players), float64: what each adds; base and values sum up to the judgement.
    """

    base: npt.NDArray[np.float64]
    players: list[Player]
    values: npt.NDArray[np.float64]


def what_added(model: Structure, looks: Looks, name: str = "") -> Added:
    """Returns what the features add to the judgement of each segment; with `name` to that of the first forest
    only.

    A segment that is plainly boilerplate at first sight has the features of the first forest, the others
    those of the second judgement.
    """
    size = len(looks.first)
    base = np.zeros(size)
    found: dict[Player, npt.NDArray[np.float64]] = {}

    def add(
        forest: str, rows: npt.NDArray[np.int64], weight: float, first: int = 0, last: int | None = None
    ) -> None:
        tests = paths_of(model, forest, looks)
        given = tests.of(looks.matrix, looks.spare, rows.tolist(), first, last)
        base[rows] += weight * given.base
        for player, column in zip(tests.players, given.values.T, strict=True):
            found.setdefault(player, np.zeros(size))[rows] += weight * column

    if name == "first":
        add("first", np.arange(size), 1.0)
    else:
        add("first", np.flatnonzero(~looks.again), 1.0)
        for forest, whole in looks.whole.items():
            weight = looks.articles if forest == "articles" else 1 - looks.articles
            add(forest, np.flatnonzero(looks.again), weight, 0, EARLY)
            add(forest, np.flatnonzero(whole), weight, EARLY)
    players = sorted(found)
    return Added(base, players, np.stack([found[player] for player in players], axis=1))
