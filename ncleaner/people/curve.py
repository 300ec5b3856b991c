"""Precision against recall: what each threshold of a method keeps of a gold standard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.errors import EvaluationError, ModelError
from ncleaner.methods.baselines import Heuristics
from ncleaner.modelling.decision import PRESETS, Preset
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.training.calibration import Scored, curves
from ncleaner.training.examples import score_page
from ncleaner.training.pairs import Pair

__all__ = ["Curve", "Point", "precision_recall", "precision_recall_of"]

# points of a curve, at equal steps of the share of words that are kept; for a method that cleans all pages at
# each of them
_STEPS, _FEWER_STEPS = 40, 25


@dataclass(frozen=True, slots=True)
class Point:
    """Precision and recall at one threshold.

    Attributes:
        threshold: of the method's scores, in bits for `ngram`, `hybrid` and `victor`; None for a preset that
            decides for each page as a whole.
        precision, recall, f_score: of words over all pages as one, 0 to 1.
        kept: share of the pages' words that are kept, 0 to 1.
        preset: the name of the model's preset that this is, or empty.
    """

    threshold: float | None
    precision: float
    recall: float
    f_score: float
    kept: float
    preset: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points by rising threshold, then presets without one, of `pages` pages under a model called `model`, or
    several of them, with a method."""

    model: str
    pages: int
    points: tuple[Point, ...]
    method: str = "ngram"

    def to_dict(self) -> dict[str, Any]:
        """Returns everything for JSON."""
        return asdict(self)


def precision_recall(pairs: Sequence[Pair], model_of: Callable[[Document], NGramModel]) -> Curve:
    """Computes precision and recall of words at thresholds over the whole range and at the model's presets.

    Each page has the model that `model_of` gives. If they are several, the curve has no presets, because each
    model has its own.

    A word counts as right when it stands in the gold text in order (by the longest common subsequence of page
    and gold text). Segments that the heuristics remove are removed at every threshold.

    Raises:
        EvaluationError: no pages, or none of them has any words.
    """
    pages: list[Scored] = []
    statistics = []
    models: dict[str, NGramModel] = {}
    for pair in pairs:
        model = model_of(pair.document)
        models[model.name] = model
        scored = score_page(pair, model)
        values = model.decision.statistics(scored.sums, scored.counts)
        values[Heuristics().remove(pair.document)] = -np.inf
        pages.append(scored)
        statistics.append(values)
    words = np.concatenate([page.words for page in pages]) if pages else np.zeros(0)
    if not words.sum():
        raise EvaluationError("the pages hold no words, so there is no curve")
    values = np.concatenate(statistics)
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(words[order]) / words.sum()
    places = np.searchsorted(shares, np.linspace(0, 1, _STEPS + 1)[:-1])
    spread = values[order][places]
    names = {}
    if len(models) == 1:
        decision = next(iter(models.values())).decision
        names = {decision.threshold: "balanced"}
        names |= {value: name for name, value in decision.presets.items() if name in PRESETS}
    thresholds = np.unique(np.concatenate((np.round(spread[np.isfinite(spread)], 2), list(names))))
    kept, hits, gold = curves(pages, statistics, thresholds)
    points = []
    for column, threshold in enumerate(thresholds.tolist()):
        hit, all_kept = hits[:, column].sum(), kept[:, column].sum()
        points.append(
            Point(
                threshold=threshold,
                precision=float(hit / max(all_kept, 1)),
                recall=float(hit / max(gold.sum(), 1)),
                f_score=float(2 * hit / max(all_kept + gold.sum(), 1)),
                kept=float(all_kept / words.sum()),
                preset=names.get(threshold, ""),
            )
        )
    return Curve(", ".join(sorted(models)), len(pages), tuple(points))


def precision_recall_of(
    pairs: Sequence[Pair],
    cleaner_of: Callable[[float | Preset | None], Cleaner],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Curve:
    """Computes precision and recall of words of any method with scores and a threshold.

    All pages are cleaned at each threshold, with everything that the method and the wishes of the user do
    besides. A word counts as right as in `precision_recall`.

    Args:
        pairs: the pages.
        cleaner_of: gives the cleaner for a threshold, a preset, or (None) the threshold of the model.
        progress: called with the number of thresholds done and of all thresholds.

    Raises:
        EvaluationError: there are no pages or none has words; or the method has no scores, or no threshold.
    """
    own = cleaner_of(None)
    name = own.method.name
    kept = [own.keep(pair.document) for pair in pairs]
    words = [np.asarray(pair.alignment.words, np.float64) for pair in pairs]
    if not sum(each.sum() for each in words):
        raise EvaluationError("the pages hold no words, so there is no curve")
    scores = [each.scores for each in kept]
    if any(each is None for each in scores):
        raise EvaluationError(f"the method {name} has no scores, so there is no curve")
    hits = [np.nan_to_num(pair.alignment.matched) * pair.alignment.words for pair in pairs]
    gold = float(sum(pair.alignment.gold_words for pair in pairs))
    values, weights = np.concatenate([each for each in scores if each is not None]), np.concatenate(words)
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(shares, np.linspace(0, 1, _FEWER_STEPS + 1)[:-1])
    thresholds: list[float] = np.unique(np.round(values[order][places], 2)).tolist()
    whole = float(weights.sum())

    def point(threshold: float | Preset | None, preset: str = "") -> Point:
        cleaner = own if threshold is None else cleaner_of(threshold)
        masks = [cleaner.keep(pair.document).mask for pair in pairs]
        all_kept = float(sum(each[mask].sum() for each, mask in zip(words, masks, strict=True)))
        hit = float(sum(each[mask].sum() for each, mask in zip(hits, masks, strict=True)))
        return Point(
            threshold=threshold if isinstance(threshold, float) else None,
            precision=hit / max(all_kept, 1),
            recall=hit / max(gold, 1),
            f_score=2 * hit / max(all_kept + gold, 1),
            kept=all_kept / whole,
            preset=preset,
        )

    total = len(thresholds) + len(PRESETS)
    points = []
    for done, threshold in enumerate(thresholds, 1):
        points.append(point(threshold))
        progress(done, total)
    if len(thresholds) > 1 and points[0].kept == points[-1].kept:
        raise EvaluationError(f"the method {name} has scores, but no threshold, so there is no curve")
    points.append(point(None, "balanced"))
    for preset in ("precision", "recall"):
        # models of some methods have no presets
        with suppress(ModelError):
            points.append(point(preset, preset))
    progress(total, total)
    models = sorted({each.remarks.model for each in kept} - {""})
    return Curve(", ".join(models) or name, len(pairs), tuple(points), name)
