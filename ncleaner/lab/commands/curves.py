"""Precision against recall of words at all thresholds: its points, as a table and as a plot."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.errors import EvaluationError, ModelError
from ncleaner.lab.commands.plots import Panel, Series, drawing, plot_path, write_plot
from ncleaner.lab.commands.steps import CountDisplay
from ncleaner.lab.training.calibration import curves
from ncleaner.lab.training.examples import score_page
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods._forms import removed_forms
from ncleaner.methods.choice import ngrams_by_page
from ncleaner.modelling.decision import PRESETS, Preset
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.recipe import Recipe
from ncleaner.text.visible import counted, visible

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


# (threshold, preset, words that are kept, words of these that the gold texts have)
_Kept = tuple[float | None, str, float, float]


def _points(found: Iterable[_Kept], words: float, gold: float) -> tuple[Point, ...]:
    """Returns the points of all pages as one, from their number of words and that of their gold texts."""
    return tuple(
        Point(
            threshold=threshold,
            precision=float(hits / max(kept, 1)),
            recall=float(hits / max(gold, 1)),
            f_score=float(2 * hits / max(kept + gold, 1)),
            kept=float(kept / words),
            preset=preset,
        )
        for threshold, preset, kept, hits in found
    )


def _spread(
    scores: Sequence[np.ndarray], words: Sequence[np.ndarray], steps: int
) -> tuple[np.ndarray, float]:
    """Returns scores at equal steps of the share of words that are kept, and the number of all words.

    Raises:
        EvaluationError: there are no words.
    """
    sizes = np.concatenate([np.zeros(0), *words])
    total = float(sizes.sum())
    if not total:
        raise EvaluationError("the pages hold no words, so there is no curve")
    values = np.concatenate(scores)
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(sizes[order]) / total
    return values[order][np.searchsorted(shares, np.linspace(0, 1, steps + 1)[:-1])], total


def precision_recall(pairs: Sequence[Pair], model_of: Callable[[Document], NGramModel]) -> Curve:
    """Computes precision and recall of words at thresholds over the whole range and at the model's presets.

    Each page has the model that `model_of` gives. If they are several, the curve has no presets, because each
    model has its own.

    A word counts as right when it is in the gold text in order (by the longest common subsequence of page
    and gold text). Segments that the heuristics remove are removed at every threshold.

    Raises:
        EvaluationError: no pages, or none of them has any words.
    """
    models = [model_of(pair.document) for pair in pairs]
    pages = [score_page(pair, model) for pair, model in zip(pairs, models, strict=True)]
    statistics = []
    for pair, model, page in zip(pairs, models, pages, strict=True):
        values = model.decision.statistics(page.sums, page.counts)
        values[removed_forms(pair.document.tables)] = -np.inf
        statistics.append(values)
    spread, words = _spread(statistics, [page.words for page in pages], _STEPS)
    names: dict[float, str] = {}
    used = {model.name for model in models}
    if len(used) == 1:
        decision = models[-1].decision
        names = {decision.threshold: "balanced"}
        names |= {value: name for name, value in decision.presets.items() if name in PRESETS}
    thresholds = np.unique(np.concatenate((np.round(spread[np.isfinite(spread)], 2), list(names))))
    kept, hits, gold = curves(pages, statistics, thresholds)
    points = (
        (threshold, names.get(threshold, ""), kept[:, column].sum(), hits[:, column].sum())
        for column, threshold in enumerate(thresholds.tolist())
    )
    return Curve(", ".join(sorted(used)), len(pages), _points(points, words, gold.sum()))


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
    balanced = [own.keep(pair.document) for pair in pairs]
    scores = [each.scores for each in balanced if each.scores is not None]
    if len(scores) < len(balanced):
        raise EvaluationError(f"the method {name} has no scores, so there is no curve")
    words = [np.asarray(pair.alignment.words, np.float64) for pair in pairs]
    hits = [pair.alignment.shares * pair.alignment.words for pair in pairs]
    spread, all_words = _spread(scores, words, _FEWER_STEPS)

    def kept_by(cleaner: Cleaner | None) -> tuple[float, float]:
        decided = [cleaner.keep(pair.document) for pair in pairs] if cleaner else balanced
        masks = [each.mask for each in decided]
        return (
            float(sum(each[mask].sum() for each, mask in zip(words, masks, strict=True))),
            float(sum(each[mask].sum() for each, mask in zip(hits, masks, strict=True))),
        )

    thresholds: list[float] = np.unique(np.round(spread, 2)).tolist()
    total = len(thresholds) + len(PRESETS)
    found: list[_Kept] = []
    for done, threshold in enumerate(thresholds, 1):
        found.append((threshold, "", *kept_by(cleaner_of(threshold))))
        progress(done, total)
    if len(thresholds) > 1 and found[0][2] == found[-1][2]:
        raise EvaluationError(f"the method {name} has scores, but no threshold, so there is no curve")
    found.append((None, "balanced", *kept_by(None)))
    for preset in ("precision", "recall"):
        # models of some methods have no presets
        with suppress(ModelError):
            found.append((None, preset, *kept_by(cleaner_of(preset))))
    progress(total, total)
    models = sorted({each.remarks.model for each in balanced} - {""})
    gold = float(sum(pair.alignment.gold_words for pair in pairs))
    return Curve(", ".join(models) or name, len(pairs), _points(found, all_words, gold), name)


def curve_of(pairs: list[Pair], recipe: Recipe, is_cleaner: bool, quiet: bool) -> Curve:
    """Returns the curve of n-grams from their scores alone; with `is_cleaner`, that of the recipe's method,
    by cleaning at each threshold."""
    if not is_cleaner:
        return precision_recall(pairs, ngrams_by_page(str(recipe.model)))
    with CountDisplay("threshold tried", "thresholds tried", quiet=quiet) as display:
        return precision_recall_of(
            pairs, lambda threshold: Cleaner(replace(recipe, threshold=threshold)), display.advance
        )


def curve_table(curve: Curve) -> str:
    """Returns a curve as a table."""
    lines = [
        f"{counted(curve.pages, 'page')}, {curve.method}, model {visible(curve.model)}; words in per cent",
        "",
        "threshold  precision  recall       F    kept",
    ]
    for point in curve.points:
        threshold = "by page" if point.threshold is None else f"{point.threshold:+.2f}"
        lines.append(
            f"{threshold:>9}  {100 * point.precision:>9.2f}  {100 * point.recall:>6.2f}  "
            f"{100 * point.f_score:>6.2f}  {100 * point.kept:>6.2f}"
            + (f"  {point.preset}" if point.preset else "")
        )
    return "\n".join(lines)


def curve_drawing(curve: Curve) -> str:
    """Returns precision against recall as SVG, with the model's presets."""
    line = [(100 * p.recall, 100 * p.precision) for p in curve.points if p.threshold is not None]
    presets = [point for point in curve.points if point.preset]
    names = [
        (
            100 * point.recall,
            100 * point.precision,
            point.preset if point.threshold is None else f"{point.preset} {point.threshold:g}",
        )
        for point in presets
    ]
    panel = Panel(
        f"{counted(curve.pages, 'page')}, {curve.method}, model {curve.model}",
        "recall of words, per cent",
        "precision of words, per cent",
        [
            Series("", line, "#2f6db5", mark="", is_line=True),
            Series("", [(x, y) for x, y, _ in names], "currentColor"),
        ],
        names,
    )
    return drawing([[panel]])


def write_curve(drawn: str, prefix: Path) -> str:
    """Writes the drawing of a curve to a file, and returns what to say of it. Raises OutputError."""
    path = plot_path(prefix)
    write_plot(path, drawn)
    return f"Plot (SVG): {path}"
