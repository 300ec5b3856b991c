"""What a search over n, q, alphabet and training scheme has found, and how it is shown to people."""

from __future__ import annotations

import io
import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ncleaner.decision import Statistic
from ncleaner.training import DEFAULT_Q, Scheme

__all__ = ["TIE", "Trial", "Tuning", "render", "train_command"]

# difference of F that decides nothing: a few pages are no evidence for it
TIE = 0.002


@dataclass(frozen=True, slots=True)
class Trial:
    """One combination, and how it did on held-out pages.

    Attributes:
        alphabet, scheme, order, q: the parameters, as `train` takes them.
        clean_entropy: of clean text under the clean model, in bits per character.
        dirty_entropy: of dirty text under the dirty model, in bits per character.
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
    """What a search has found.

    Attributes:
        trials: all combinations: by alphabet, scheme, n and q, in this order.
        pages, sites, folds: what they were tried on.
        statistic: what segments were decided by.
    """

    trials: tuple[Trial, ...]
    pages: int
    sites: int
    folds: int
    statistic: Statistic

    @property
    def ranking(self) -> list[Trial]:
        """The trials by F, the best first."""
        return sorted(self.trials, key=lambda trial: (-trial.f_score, *_plainness(trial)))

    @property
    def best(self) -> Trial:
        """The trial to train by: of those whose F is within `TIE` of the best, that of the smallest n, then
        of the q nearest to 0.8, then of the best F."""
        ranking = self.ranking
        level = [trial for trial in ranking if trial.f_score >= ranking[0].f_score - TIE]
        return min(level, key=lambda trial: (*_plainness(trial), -trial.f_score))

    def groups(self) -> dict[tuple[str, Scheme], dict[tuple[int, float], Trial]]:
        """{(alphabet, scheme): {(n, q): trial}}, all in the order of `trials`."""
        found: dict[tuple[str, Scheme], dict[tuple[int, float], Trial]] = {}
        for trial in self.trials:
            found.setdefault((trial.alphabet, trial.scheme), {})[trial.order, trial.q] = trial
        return found

    def to_dict(self) -> dict[str, Any]:
        """All figures, for JSON: shares from 0 to 1, cross-entropies in bits per character."""
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


def _grid(trials: dict[tuple[int, float], Trial], title: str, value: Callable[[Trial], float]) -> str:
    """A table of n × q."""
    orders = dict.fromkeys(order for order, _ in trials)
    qs = list(dict.fromkeys(q for _, q in trials))
    lines = [title, "  n \\ q" + "".join(f"{q:>7g}" for q in qs)]
    lines += [f"  {n:>5}" + "".join(f"{value(trials[n, q]):>7.2f}" for q in qs) for n in orders]
    return "\n".join(lines)


def render(tuning: Tuning, rows: int = 10) -> str:
    """The best combinations, and for each alphabet and scheme the tables of n × q; plain text."""
    out = io.StringIO()

    def say(line: str = "") -> None:
        out.write(line + "\n")

    say(f"{tuning.pages} pages of {tuning.sites} sites, {tuning.folds}-fold cross-validation by site.")
    say("Words in per cent, mean by page and site; cross-entropy (H) in bits per character.")
    say()
    say("alphabet    scheme         n     q  precision  recall      F  H clean  H dirty")
    for trial in tuning.ranking[:rows]:
        say(_row(trial))
    for (name, scheme), trials in tuning.groups().items():
        say()
        say(f"{name}, {scheme}")
        say(_grid(trials, "F of words", lambda trial: 100 * trial.f_score))
        say(_grid(trials, "cross-entropy of clean text", lambda trial: trial.clean_entropy))
        say(_grid(trials, "cross-entropy of dirty text", lambda trial: trial.dirty_entropy))
    say()
    say(f"Chosen: of all within {100 * TIE:g} points of the best F the smallest n, then the q nearest to")
    say(f"{DEFAULT_Q:g}; a few dozen pages are no evidence for such differences.")
    say(_row(tuning.best))
    return out.getvalue()


def _row(trial: Trial) -> str:
    return (
        f"{trial.alphabet:<12}{trial.scheme:<13}{trial.order:>3}{trial.q:>6g}{100 * trial.precision:>11.2f}"
        f"{100 * trial.recall:>8.2f}{100 * trial.f_score:>7.2f}{trial.clean_entropy:>9.3f}"
        f"{trial.dirty_entropy:>9.3f}"
    )


def train_command(
    tuning: Tuning,
    *,
    raw: Path,
    clean: Path,
    output: Path,
    manifest: Path | None = None,
    encoding: str | None = None,
    size: int = 60,
    cased: bool = False,
) -> str:
    """The command line that trains by the parameters of the best trial, quoted for a shell."""
    trial = tuning.best
    words: list[object] = ["ncleaner", "train", "--raw", raw, "--clean", clean]
    words += ["--manifest", manifest] if manifest is not None else []
    words += ["--encoding", encoding] if encoding is not None else []
    words += ["--order", trial.order, "--q", trial.q]
    words += ["--alphabet", trial.alphabet, "--alphabet-size", size, *(["--cased"] if cased else [])]
    words += ["--scheme", trial.scheme, "--statistic", tuning.statistic, "--output", output]
    return shlex.join(map(str, words))
