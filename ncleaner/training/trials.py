"""Results of a search over n, q, alphabet and training scheme."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ncleaner.modelling.decision import Statistic
from ncleaner.training.examples import SCHEMES, Scheme
from ncleaner.training.ngrams import DEFAULT_ALPHABET, DEFAULT_Q
from ncleaner.training.validation import Figures

__all__ = ["Trial", "Tuning"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One combination of parameters, and its figures on held-out pages.

    Attributes:
        alphabet, scheme, order, q: the parameters, as `train` takes them.
        clean_entropy: cross-entropy of clean text under the clean model, in bits per character.
        dirty_entropy: cross-entropy of dirty text under the dirty model, in bits per character.
        figures: of the method that the search is for.
        by_method: figures of `hybrid` and of `ngram`.
    """

    alphabet: str
    scheme: Scheme
    order: int
    q: float
    clean_entropy: float
    dirty_entropy: float
    figures: Figures
    by_method: Mapping[str, Figures]

    def to_dict(self) -> dict[str, Any]:
        """Returns the parameters and figures for JSON."""
        return {
            "alphabet": self.alphabet,
            "scheme": self.scheme,
            "order": self.order,
            "q": self.q,
            "clean_entropy": self.clean_entropy,
            "dirty_entropy": self.dirty_entropy,
            **self.figures.to_dict(),
            **{method: figures.to_dict() for method, figures in self.by_method.items()},
        }


@dataclass(frozen=True, slots=True)
class Tuning:
    """Results of a search.

    Attributes:
        trials: all combinations, ordered by alphabet, scheme, n and q.
        pages, sites, folds: size of the cross-validation.
        statistic: statistic by which n-grams decide.
        method: the method that the search is for: its F decides.
        order: the n that `train` takes for these pages.
    """

    trials: tuple[Trial, ...]
    pages: int
    sites: int
    folds: int
    statistic: Statistic
    method: str = "hybrid"
    order: int = 2

    def is_default(self, trial: Trial) -> bool:
        """Tells whether a trial has the parameters that `train` takes for these pages."""
        defaults = (DEFAULT_ALPHABET, SCHEMES[0], self.order, DEFAULT_Q)
        return (trial.alphabet, trial.scheme, trial.order, trial.q) == defaults

    @property
    def ranking(self) -> list[Trial]:
        """The trials by F, best first."""
        return sorted(self.trials, key=lambda trial: (-trial.figures.f_score, *_plainness(trial)))

    @property
    def level(self) -> list[Trial]:
        """The trials whose F is within one standard error of the best one, in order."""
        best = self.ranking[0].figures
        error = best.f_score_error or 0.0
        return [trial for trial in self.trials if trial.figures.f_score >= best.f_score - error]

    @property
    def best(self) -> Trial:
        """The chosen trial, the plainest of those that are `level`: the defaults of `train`; else the one
        with the smallest n, then with the q nearest to 0.8, then with the best F."""
        level = self.level
        return min(
            level,
            key=lambda trial: (not self.is_default(trial), *_plainness(trial), -trial.figures.f_score),
        )

    def groups(self) -> dict[tuple[str, Scheme], dict[tuple[int, float], Trial]]:
        """Returns {(alphabet, scheme): {(n, q): trial}} in the order of `trials`."""
        found: dict[tuple[str, Scheme], dict[tuple[int, float], Trial]] = {}
        for trial in self.trials:
            found.setdefault((trial.alphabet, trial.scheme), {})[trial.order, trial.q] = trial
        return found

    def to_dict(self) -> dict[str, Any]:
        """Returns all figures for JSON: shares from 0 to 1, cross-entropies in bits per character."""
        return {
            "pages": self.pages,
            "sites": self.sites,
            "folds": self.folds,
            "statistic": self.statistic,
            "method": self.method,
            "level": len(self.level),
            "best": self.best.to_dict(),
            "trials": [trial.to_dict() for trial in self.trials],
        }


def _plainness(trial: Trial) -> tuple[int, float]:
    # rounded: 0.7 and 0.9 are equally far from 0.8
    return trial.order, round(abs(trial.q - DEFAULT_Q), 6)
