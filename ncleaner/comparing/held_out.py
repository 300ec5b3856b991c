"""Models for cross-validation on a gold standard: each is trained on the pages of other sites."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.methods.table import METHODS
from ncleaner.modelling.container import Stored
from ncleaner.training.hybrid import train_hybrid
from ncleaner.training.ngrams import train
from ncleaner.training.pairs import Pair
from ncleaner.training.sites import folds
from ncleaner.training.victor import train_victor

__all__ = ["Fold", "is_trainable", "train_folds"]

Trainer = Callable[[Sequence[Pair], int], Stored]

# By the kind of model that a method has as its own. The structure model is trained, too: the shipped one has
# seen the pages of the gold sets.
_TRAINERS: dict[str, Trainer] = {
    "ngram": lambda pairs, threads: train(pairs),
    "hybrid": lambda pairs, threads: train_hybrid(pairs, structure="own", threads=threads),
    "victor": lambda pairs, threads: train_victor(pairs),
}


class Fold(NamedTuple):
    """Names of pages, and the file of the model that has seen no page of their sites."""

    pages: frozenset[str]
    model: Path


def is_trainable(method: str) -> bool:
    """Tells whether the method has a model that can be trained here."""
    entry = METHODS.get(method)
    return entry is not None and bool(entry.kinds) and entry.kinds[0].name in _TRAINERS


def train_folds(method: str, pairs: Sequence[Pair], k: int, folder: Path, threads: int = 1) -> list[Fold]:
    """Trains the model of a method for each fold of the pages; no site is in two folds.

    Args:
        method: one that `is_trainable`.
        pairs: all pages.
        k: number of folds; fewer where there are fewer sites.
        folder: directory for the model files.
        threads: of LightGBM.

    Raises:
        TrainingError: all pages are of one site, no model can be trained, or a package is missing.
    """
    trainer = _TRAINERS[METHODS[method].kinds[0].name]
    dealt = folds([pair.site for pair in pairs], k)
    if len(dealt) < 2:
        raise TrainingError("all pages are of one site: cross-validation needs at least two")
    found = []
    for number, fold in enumerate(dealt):
        tested = set(fold)
        rest = [pair for page, pair in enumerate(pairs) if page not in tested]
        path = folder / f"{method}-{number}.ncm"
        with warnings.catch_warnings():
            # the same pairs would be named again in each fold
            warnings.simplefilter("ignore", TrainingWarning)
            trainer(rest, threads).save(path)
        found.append(Fold(frozenset(pairs[page].name for page in fold), path))
    return found
