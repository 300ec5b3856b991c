"""Calibrates decisions on labelled pages: evidence, chain and thresholds of n-grams, log-odds of a hybrid."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.lab.scoring.measures import clusters_of
from ncleaner.modelling import Statistic
from ncleaner.modelling._decision import SATURATION, probabilities_of
from ncleaner.modelling.decision import Decision
from ncleaner.modelling.hybrid import Calibration

# grid of thresholds, in bits: largest distance from 0, and step
_GRID: dict[Statistic, tuple[float, float]] = {
    "page": (6.0, 0.1),
    "segment": (60.0, 1.0),
    "character": (1.5, 0.01),
}
# smaller differences of F do not count in the choice of a threshold
_TOLERANCE = 0.005
# A preset leaves at most this share of the errors of its kind (wrong words, or lost ones), as far as it
# leaves at least the second share of the other measure (recall, or precision).
_LEFT, _SPARED = 0.75, 0.85
# Multiplies the fitted evidence slope: neighbouring segments correlate, and the chain would otherwise
# over-trust transitions.
_SHARPENING = 1.5


def saturated(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns log-odds in bits, bounded smoothly to −1 … 1: the evidence of a long segment saturates."""
    return np.tanh(sums / SATURATION)


# pseudo-pages on which the structure model is taken to be calibrated
_PRIOR_PAGES = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A page with labels, and scores by a model that was trained without its site.

    Attributes:
        site: registered domain; if it is empty, the page counts as a site of its own.
        sums: shape (segments,), float64: log-odds of each segment, in bits.
        counts: shape (segments,), uint32: characters of each segment plus one boundary.
        words: shape (segments,), int64.
        clean: shape (segments,), bool: segments that the annotator kept.
        gold_words: words of the gold text.
        matched: shape (segments,), float64: words of each segment that align with the gold text.
    """

    site: str
    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.uint32]
    words: npt.NDArray[np.int64]
    clean: npt.NDArray[np.bool_]
    gold_words: int
    matched: npt.NDArray[np.float64]


def _rounded(value: float) -> float:
    """Rounds to six decimals: later decimals differ between processors, and a model's bytes must not."""
    return round(float(value), 6)


def fit_logistic(
    values: npt.NDArray[np.float64],
    labels: npt.NDArray[np.bool_ | np.float64],
    weights: npt.NDArray[np.float64],
) -> tuple[float, float]:
    """Fits a logistic regression of one variable by Newton's method; returns (slope, intercept).

    A small ridge on the slope keeps the slope finite if the classes do not overlap.
    """
    scale = float(np.sqrt(np.average(values**2, weights=weights))) or 1.0
    x = np.stack((values / scale, np.ones(len(values))), axis=1)
    weights = weights / weights.mean()
    beta = np.zeros(2)
    ridge = np.diag((1e-3 * len(values), 1e-9))
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weights * (labels - p)) - ridge @ beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + ridge
        step = np.linalg.solve(hessian, gradient)
        beta += np.clip(step, -3, 3)
        if np.abs(step).max() < 1e-8:
            break
    return float(beta[0] / scale), float(beta[1])


def _transitions(pages: Sequence[Scored]) -> dict[str, Any]:
    """Returns the parameters of the chain: relative frequencies of labels, with add-one smoothing."""
    seen = np.ones((2, 2))
    ends = np.ones((2, 2))  # rows: dirty, clean; columns: first segment, last segment
    for page in pages:
        states = page.clean.astype(np.int64)
        np.add.at(seen, (states[:-1], states[1:]), 1)
        if len(states):
            ends[states[0], 0] += 1
            ends[states[-1], 1] += 1
    all_dirty, all_clean = seen.sum(1) + ends[:, 1]
    to_clean, stay_clean = seen[:, 1] / seen.sum(1)
    return {
        "to_clean": _rounded(to_clean),
        "stay_clean": _rounded(stay_clean),
        "opening": _rounded(math.log2(ends[1, 0] / ends[0, 0])),
        "closing": _rounded(math.log2(ends[1, 1] / all_clean * all_dirty / ends[0, 1])),
    }


def curves(
    pages: Sequence[Scored],
    statistics: Sequence[npt.NDArray[np.float64]],
    thresholds: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns, for each page and threshold, the kept words and the kept words that align with the gold text:
    two arrays of shape (pages, thresholds); and the words of each gold text, shape (pages, 1)."""
    kept = np.zeros((len(pages), len(thresholds)))
    hits = np.zeros_like(kept)
    for row, (page, values) in enumerate(zip(pages, statistics, strict=True)):
        order = np.argsort(values, kind="stable")
        at = np.searchsorted(values[order], thresholds)
        for table, amounts in ((kept, page.words), (hits, page.matched)):
            table[row] = np.concatenate((np.cumsum(amounts[order][::-1])[::-1], [0]))[at]
    return kept, hits, np.array([[page.gold_words] for page in pages], np.float64)


def _site_means(pages: Sequence[Scored], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the mean over sites of the means over their pages, along the first axis."""
    homes: dict[str, list[int]] = {}
    for row, site in enumerate(clusters_of(page.site for page in pages)):
        homes.setdefault(site, []).append(row)
    means: npt.NDArray[np.float64] = np.mean([values[rows].mean(0) for rows in homes.values()], axis=0)
    return means


def _preset(
    thresholds: npt.NDArray[np.float64],
    f_scores: npt.NDArray[np.float64],
    own: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
    balanced: float,
    side: int,
) -> float:
    """Returns the threshold of a preset, always beyond the balanced one: the best F_β among the thresholds
    that leave at most `_LEFT` of the errors, or else the one that leaves the fewest.

    `own` is the measure that the preset is for, `other` the one that it costs; `side` is 1 for larger
    thresholds (precision), −1 for smaller ones (recall).
    """
    now = int(np.argmin(np.abs(thresholds - balanced)))
    beyond = np.flatnonzero(side * (thresholds - balanced) > 1e-9)
    if not len(beyond):
        return balanced
    spared = beyond[other[beyond] >= _SPARED * other[now]]
    if not len(spared):
        spared = beyond[:1] if side > 0 else beyond[-1:]
    errors = 1 - own[spared]
    few = spared[errors <= max(_LEFT * (1 - own[now]), errors.min()) + 1e-12]
    good = thresholds[few][f_scores[few] >= f_scores[few].max() - _TOLERANCE]
    return float(good[np.argmin(np.abs(good - balanced))])


def _nearest(thresholds: npt.NDArray[np.float64], f_scores: npt.NDArray[np.float64]) -> float:
    """Returns the threshold nearest to 0 whose F is within `_TOLERANCE` of the best.

    F is flat around its maximum. The expected threshold is 0, where both sides are equally likely, and a few
    pages do not justify a small distance from it.
    """
    good = thresholds[f_scores >= f_scores.max() - _TOLERANCE]
    return float(good[np.argmin(np.abs(good))])


def fit_decision(pages: Sequence[Scored], statistic: Statistic) -> Decision:
    """Calibrates a decision on labelled pages.

    The thresholds have the best F of words, averaged by page and then by site, so that neither long pages nor
    large sites dominate. The presets are two other points of the curve: precision with F0.5 and at most three
    quarters of the wrong words, recall with F2 and at most three quarters of the lost words.
    """
    decision = Decision(statistic)
    if statistic == "page":
        values = saturated(np.concatenate([page.sums for page in pages]))
        clean = np.concatenate([page.clean for page in pages])
        # weights grow with the square root of words: neither many short segments nor one long segment
        # dominates
        weights = np.sqrt(np.concatenate([page.words for page in pages])) + 1e-3
        slope, intercept = fit_logistic(values, clean, weights)
        prior = np.log((weights * clean).sum() + 1e-3) - np.log((weights * ~clean).sum() + 1e-3)
        decision = replace(
            decision,
            slope=_rounded(_SHARPENING * slope / math.log(2)),
            offset=_rounded(_SHARPENING * (intercept - float(prior)) / math.log(2)),
            **_transitions(pages),
        )
        odds = [decision.statistics(page.sums, page.counts) for page in pages]
        words = np.concatenate([page.words for page in pages])
        scale, shift = fit_logistic(np.concatenate(odds), clean, words + 1e-3)
        decision = replace(decision, scale=_rounded(scale / math.log(2)), shift=_rounded(shift / math.log(2)))
    farthest, step = _GRID[statistic]
    steps = round(farthest / step)
    thresholds = np.arange(-steps, steps + 1, dtype=np.float64) * step
    statistics = [decision.statistics(page.sums, page.counts) for page in pages]
    kept, hits, gold = curves(pages, statistics, thresholds)
    balanced = round(_nearest(thresholds, _site_means(pages, 2 * hits / np.maximum(gold + kept, 1))), 2)
    # Presets take all pages as one text, in which each page has the same size: a page of which nothing is
    # left must not count as one without precision.
    sizes = np.maximum(gold, 1)
    right, output = _site_means(pages, hits / sizes), _site_means(pages, kept / sizes)
    precision = right / np.maximum(output, 1e-9)

    def beyond(beta: float, *measures: Any) -> float:
        f_scores = (1 + beta**2) * right / (beta**2 + output)
        return round(_preset(thresholds, f_scores, *measures), 2)

    presets = {
        "precision": beyond(0.5, precision, right, balanced, 1),
        "recall": beyond(2.0, right, precision, balanced, -1),
    }
    return replace(decision, threshold=balanced, presets=presets)


def fit_calibration(
    pages: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    start: Calibration | None = None,
) -> Calibration:
    """Fits a logistic regression of the labels on the log-odds of a structure model, all pages weighing the
    same.

    `_PRIOR_PAGES` pseudo-pages, on which the log-odds are right, pull it towards no change.

    Args:
        pages: of each page, for its segments: the clean share of their words, 0 to 1; their words; and their
            log-odds, in nats.
        start: the result without pages; no change by default.
    """
    if not pages:
        return start or Calibration()
    clean, words, odds = zip(*pages, strict=True)
    values = np.concatenate(odds)
    weights = np.concatenate([each / max(each.sum(), 1.0) for each in words])
    slope, offset = fit_logistic(
        np.concatenate((values, values)),
        np.concatenate((*clean, probabilities_of(values))),
        np.concatenate((weights, weights * _PRIOR_PAGES / len(pages))),
    )
    return Calibration(round(slope, 6), round(offset, 6)) if slope > 0 else Calibration()
