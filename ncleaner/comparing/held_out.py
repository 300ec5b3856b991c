"""Models for cross-validation on a gold standard: each is trained on the pages of other sites."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.methods.table import METHODS
from ncleaner.modelling.container import Stored
from ncleaner.training.classic import train_fiasco, train_lines, train_victor
from ncleaner.training.hybrid import train, train_hybrid
from ncleaner.training.pairs import Pair, folds

__all__ = ["Fold", "Models", "is_trainable", "train_folds"]

Trainer = Callable[[Sequence[Pair], int], Stored]

# By the kind of model that a method has as its own. The structure model is trained, too: the shipped one has
# seen the pages of the gold sets.
_TRAINERS: dict[str, Trainer] = {
    "ngram": lambda pairs, threads: train(pairs, method="ngram"),
    "hybrid": lambda pairs, threads: train_hybrid(pairs, structure="own", threads=threads),
    "victor": lambda pairs, threads: train_victor(pairs),
    "fiasco": lambda pairs, threads: train_fiasco(pairs),
    "lines": lambda pairs, threads: train_lines(pairs),
}


class Fold(NamedTuple):
    """Names of pages, and the file of the model that has seen no page of their sites."""

    pages: frozenset[str]
    model: Path


Models = Mapping[str, "Sequence[Fold] | TrainingError"]
"""{method: its folds, or why there are none}."""


def is_trainable(method: str) -> bool:
    """Tells whether the method has a model that can be trained here."""
    entry = METHODS.get(method)
    return entry is not None and bool(entry.kinds) and entry.kinds[0].name in _TRAINERS


def train_folds(
    methods: Sequence[str],
    pairs: Sequence[Pair],
    k: int,
    folder: Path,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Models:
    """Trains the models of methods for each fold of the pages; no site is in two folds. Methods with the same
    kind of model share it.

    Args:
        methods: names; those that are not trainable are left out.
        pairs: all pages.
        k: number of folds; fewer where there are fewer sites.
        folder: directory for the model files.
        threads: of LightGBM.
        progress: called with the number of models trained and of all models.

    Returns:
        The folds of each trainable method; or an error: a package is missing, all pages are of one site, no
            model can be trained.
    """
    dealt = folds([pair.site for pair in pairs], k)
    methods_of: dict[str, list[str]] = {}
    for name in filter(is_trainable, methods):
        methods_of.setdefault(METHODS[name].kinds[0].name, []).append(name)
    found: dict[str, list[Fold] | TrainingError] = {}
    for place, (kind, names) in enumerate(methods_of.items()):
        trained: list[Fold] = []
        result: list[Fold] | TrainingError = trained
        try:
            for fold in _enough(dealt):
                path = folder / f"{kind}-{len(trained)}.ncm"
                tested = set(fold)
                rest = [pair for page, pair in enumerate(pairs) if page not in tested]
                _train(kind, rest, threads, path)
                trained.append(Fold(frozenset(pairs[page].name for page in fold), path))
                if progress is not None:
                    progress(place * len(dealt) + len(trained), len(methods_of) * len(dealt))
        except TrainingError as error:
            result = error
        found |= dict.fromkeys(names, result)
    return found


def _enough(dealt: list[list[int]]) -> list[list[int]]:
    if len(dealt) < 2:
        raise TrainingError("all pages are of one site: cross-validation needs at least two")
    return dealt


def _train(kind: str, pairs: Sequence[Pair], threads: int, path: Path) -> None:
    with warnings.catch_warnings():
        # the same pairs would be named again in each fold
        warnings.simplefilter("ignore", TrainingWarning)
        _TRAINERS[kind](pairs, threads).save(path)
