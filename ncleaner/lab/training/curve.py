"""Learning curves: the quality of a model by the number of finished pages, and whether more of
them would help."""

import math
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.examples import belongs, folds
from ncleaner.lab.training.hybrid import train_hybrid
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.validation import cleaned_by, mean_and_error, page_figures
from ncleaner.modelling.container import LEARNING_CURVE
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.text.visible import counted

_FOLDS: Final = 5
# least number of pages for a curve
_LEAST: Final = 3
# below this number of pages the sum of words is small: no advice to stop
_ADVISED: Final = 16
# points of F that a doubling of the pages must bring to be worth the work
_WORTH: Final = 0.01


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """One point of a learning curve.

    Attributes:
        pages: mean number of pages that the models were trained on.
        f: F of words on pages of other sites, mean of the pages, 0 to 1.
        error: standard error of this mean, over sites.
    """

    pages: float
    f: float
    error: float


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """A learning curve.

    Attributes:
        points: from the smallest number of pages to the largest.
        scores: shape (pages,), the F of each page with the most training pages; NaN for a page that no model
            could be trained for.
        gain: F that the last doubling of the training pages has brought, mean over the pages; NaN if unknown.
        error: standard error of `gain`.
    """

    points: list[LearningPoint]
    scores: npt.NDArray[np.float64]
    gain: float
    error: float


def fit(pairs: Sequence[Pair], alphabet: str = "learned") -> HybridModel:
    """Trains a hybrid with the shipped structure model; without warnings about small numbers of pages.

    Raises:
        TrainingError: no model can be trained from these pages.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_hybrid(pairs, ngrams=NGramOptions(alphabet=alphabet))


def learning_curve(
    pairs: Sequence[Pair],
    alphabet: str = "learned",
    train: Callable[[Sequence[Pair], str], HybridModel] = fit,
) -> LearningCurve:
    """Trains on more and more pages, and tests on pages of other sites.

    The pages are divided into up to five folds by site. For each fold, models are trained on all of the
    other pages, on half of them, on a quarter, and so on. The same pages give the same curve.

    Args:
        pairs: finished pages.
        alphabet: of the n-grams.
        train: trains a model.
    """
    scores: dict[int, npt.NDArray[np.float64]] = {}
    sizes: dict[int, list[int]] = {}
    sites = [pair.site for pair in pairs]
    dealt = folds(sites, _FOLDS)
    for fold in dealt if len(dealt) > 1 else []:
        tested = set(fold)
        rest = [pair for number, pair in enumerate(pairs) if number not in tested]
        random.Random(len(rest)).shuffle(rest)
        size, step = len(rest), 0
        while size >= _LEAST:
            try:
                model = train(rest[:size], alphabet)
            except TrainingError:
                break
            row = scores.setdefault(step, np.full(len(pairs), np.nan))
            mask_of = cleaned_by("hybrid", model)
            row[fold] = [page_figures(pairs[page], mask_of(pairs[page].document))[2] for page in fold]
            sizes.setdefault(step, []).append(size)
            size, step = (size + 1) // 2, step + 1
            if size == sizes[step - 1][-1]:
                break
    # means over different pages would not compare
    told = [
        step
        for step in sorted(scores, reverse=True)
        if not (np.isnan(scores[step]) & ~np.isnan(scores[0])).any()
    ]
    points = [
        LearningPoint(round(float(np.mean(sizes[step])), 1), *_mean(scores[step], sites)) for step in told
    ]
    gain, error = _mean(scores[0] - scores[1], sites) if 1 in scores else (math.nan, math.nan)
    return LearningCurve(points, scores.get(0, np.full(len(pairs), np.nan)), gain, error)


def _mean(values: npt.NDArray[np.float64], sites: Sequence[str]) -> tuple[float, float]:
    if np.isnan(values).all():
        return math.nan, math.nan
    mean, error = mean_and_error(values, sites)
    return round(mean, 4), math.nan if error is None else round(error, 4)


def with_curve(
    model: HybridModel, pairs: Sequence[Pair], alphabet: str = "learned"
) -> tuple[HybridModel, str]:
    """Returns a model that keeps the learning curve of its pages in its header, and the advice that follows
    from it.

    Args:
        model: trained on these pages.
        pairs: pages with their gold text; those that do not belong to it are left out.
        alphabet: of the n-grams.
    """
    pairs = [pair for pair in pairs if belongs(pair)]
    curve = learning_curve(pairs, alphabet)
    points = [
        {"pages": point.pages, "f_score": point.f}
        | ({} if math.isnan(point.error) else {"f_score_error": point.error})
        for point in curve.points
    ]
    return replace(model, about={**model.about, LEARNING_CURVE: points}), verdict(curve, len(pairs))[1]


def verdict(curve: LearningCurve, pages: int) -> tuple[bool, str]:
    """Says whether more pages would help.

    Returns:
        Whether it is enough, and a sentence.
    """
    if not curve.points:
        return False, "Too few finished pages for a learning curve: it needs about five, of several sites."
    if np.isnan(curve.gain) or np.isnan(curve.error):
        return False, f"{counted(pages, 'page is', 'pages are')} too few to see whether more would help."
    change = f"{100 * curve.gain:+.1f} ± {100 * curve.error:.1f} points"
    told = f"the last doubling of the pages changed F by {change}"
    if pages < _ADVISED:
        return False, f"Go on: {told}, and {counted(pages, 'page is', 'pages are')} few."
    if curve.gain + curve.error < _WORTH:
        return True, f"More pages hardly help now: {told}."
    return False, f"More pages help: {told}."
