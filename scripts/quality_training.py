"""Training of the estimate of quality: what F1 the output of a page will have, by the figures of its
decision.

The outputs to learn from are of pages that the structure model has not seen, nor any page of their sites: on
its own training pages it is surer, and better, than in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.lab.training.examples import folds
from ncleaner.lab.training.structure import grow, trees_of
from ncleaner.modelling import FOLDS
from ncleaner.modelling.structure import Trees, quality_row

__all__ = ["Unseen", "fit_quality", "unseen_quality"]

_SETTINGS: dict[str, Any] = {"rounds": 100, "num_leaves": 4, "learning_rate": 0.06, "min_data_in_leaf": 40}


class Unseen(NamedTuple):
    """The output of a page by a model that has not seen its site.

    Attributes:
        document, kept: the page, and what is kept of it.
        site: registered domain.
        score: F1 of the words of the output against the gold text, 0 to 1.
    """

    document: Document
    kept: Kept
    site: str
    score: float


def _table(outputs: Sequence[Unseen]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    rows = [quality_row(output.document, output.kept) for output in outputs]
    return np.array(rows), np.array([output.score for output in outputs])


def _grown(rows: npt.NDArray[np.float32], scores: npt.NDArray[np.float64], seed: int) -> Any:
    return grow(rows, scores, None, {**_SETTINGS, "seed": seed, "num_threads": 1})


def fit_quality(outputs: Sequence[Unseen], *, seed: int = 1) -> Trees:
    """Returns the forest that estimates the quality of outputs, for `Structure.quality`.

    Raises:
        TrainingError: LightGBM is not installed.
    """
    rows, scores = _table(outputs)
    return trees_of(_grown(rows, scores, seed), [(column, 0) for column in range(rows.shape[1])])


def unseen_quality(outputs: Sequence[Unseen], *, seed: int = 1) -> npt.NDArray[np.float64]:
    """Returns the estimate for each output by a forest that has not seen its site: shape (outputs,), 0 to 1.

    Raises:
        TrainingError: LightGBM is not installed.
    """
    rows, scores = _table(outputs)
    found = np.zeros(len(outputs))
    for fold in folds([output.site for output in outputs], FOLDS):
        rest = np.ones(len(outputs), bool)
        rest[list(fold)] = False
        found[list(fold)] = _grown(rows[rest], scores[rest], seed).predict(rows[list(fold)], num_threads=1)
    return found
