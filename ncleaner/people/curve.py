"""Precision against recall of an n-gram model: what each threshold keeps of a gold standard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ncleaner.document import Document
from ncleaner.errors import EvaluationError
from ncleaner.methods.heuristics import Heuristics
from ncleaner.modelling.decision import PRESETS
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.training.calibration import Scored, curves
from ncleaner.training.examples import score_page
from ncleaner.training.pairs import Pair

__all__ = ["Curve", "Point", "precision_recall"]

# points of a curve, at equal steps of the share of words that are kept
_STEPS = 40


@dataclass(frozen=True, slots=True)
class Point:
    """Precision and recall at one threshold.

    Attributes:
        threshold: in bits, of the model's statistic.
        precision, recall, f_score: of words over all pages as one, 0 to 1.
        kept: share of the pages' words that are kept, 0 to 1.
        preset: the name of the model's preset that this is, or empty.
    """

    threshold: float
    precision: float
    recall: float
    f_score: float
    kept: float
    preset: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points by rising threshold, of `pages` pages under a model called `model`, or several of them."""

    model: str
    pages: int
    points: tuple[Point, ...]

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
