"""Results of a search over n, q, alphabet and training scheme."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ncleaner.modelling.decision import Statistic
from ncleaner.training.examples import Scheme
from ncleaner.training.ngrams import DEFAULT_Q

__all__ = ["TIE", "Trial", "Tuning"]

# smaller differences of F do not count: a few pages cannot show them
TIE = 0.002


@dataclass(frozen=True, slots=True)
class Trial:
    """One combination of parameters, and its figures on held-out pages.

    Attributes:
        alphabet, scheme, order, q: the parameters, as `train` takes them.
        clean_entropy: cross-entropy of clean text under the clean model, in bits per character.
        dirty_entropy: cross-entropy of dirty text under the dirty model, in bits per character.
        precision, recall, f_score: of words, 0 to 1; means over sites of the means over their pages.
    """

    alphabet: str
    scheme: Scheme
    order: int
    q: float
    clean_entropy: float
    dirty_entropy: float
    precision: float
    recall: float
    f_score: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """Results of a search.

    Attributes:
        trials: all combinations, ordered by alphabet, scheme, n and q.
        pages, sites, folds: size of the cross-validation.
        statistic: statistic of the decision.
    """

    trials: tuple[Trial, ...]
    pages: int
    sites: int
    folds: int
    statistic: Statistic

    @property
    def ranking(self) -> list[Trial]:
        """The trials by F, best first."""
        return sorted(self.trials, key=lambda trial: (-trial.f_score, *_plainness(trial)))

    @property
    def best(self) -> Trial:
        """The chosen trial: among those whose F is within `TIE` of the best, the one with the smallest n,
        then with the q nearest to 0.8, then with the best F."""
        ranking = self.ranking
        level = [trial for trial in ranking if trial.f_score >= ranking[0].f_score - TIE]
        return min(level, key=lambda trial: (*_plainness(trial), -trial.f_score))

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
            "best": asdict(self.best),
            "trials": [asdict(trial) for trial in self.trials],
        }


def _plainness(trial: Trial) -> tuple[int, float]:
    # rounded: 0.7 and 0.9 are equally far from 0.8
    return trial.order, round(abs(trial.q - DEFAULT_Q), 6)
