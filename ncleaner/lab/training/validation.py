"""Figures that hold for the next site: each page is cleaned by a model that has not seen its site.

A page is cleaned as `clean` does it by default, with the headline that the method keeps. Words are compared
in order, as in `lab.training.alignment`; in scripts that do not separate words, characters. The figures are
means over pages, and their standard errors take pages of one site as one (`lab.scoring.measures`).

`Judge` cleans held-out pages with given scores of n-grams, by the methods `hybrid` and `ngram`. Thresholds
and calibrations for the pages of a fold are fitted on the pages of all other folds. So no page influences its
own decision directly. It does influence the n-grams that score the pages for the fit, as in any
cross-validation of one level.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.errors import TrainingWarning
from ncleaner.lab.scoring.measures import clusters_of, ratio_error
from ncleaner.lab.training.calibration import Scored, fit_calibration, fit_decision
from ncleaner.lab.training.examples import labelled
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods._forms import removed_forms
from ncleaner.methods.hybrid import finished
from ncleaner.methods.registry import entry_of
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling import Statistic
from ncleaner.modelling._decision import decide, probabilities_of
from ncleaner.modelling.alphabet import alphabet, compose
from ncleaner.modelling.container import ModelFile, validation_of
from ncleaner.modelling.decision import PRESETS, Decision
from ncleaner.modelling.hybrid import Judgement, StructureChoice, part_of_text
from ncleaner.modelling.notices import shipped_notices
from ncleaner.modelling.structure import shipped_structure
from ncleaner.pools.pool import Worker, running
from ncleaner.text.visible import counted, joined

# A page with a smaller F is named, unless more than this share of the pages have one: then the model is weak.
_UNLIKE = 0.5
_FEW = 0.2

M = TypeVar("M", bound=ModelFile)
Floats = npt.NDArray[np.float64]


class Fold(NamedTuple, Generic[M]):
    """Pages, by their numbers, and a model that has seen no page of their sites."""

    pages: Sequence[int]
    model: M


class Figures(NamedTuple):
    """Precision, recall and F of words, 0 to 1, with the standard errors of these means.

    An error is None if there are fewer than two sites with such a figure.
    """

    precision: float
    recall: float
    f_score: float
    precision_error: float | None = None
    recall_error: float | None = None
    f_score_error: float | None = None

    def to_dict(self) -> dict[str, float]:
        """Returns the entry of a model's header; errors that are not known are left out."""
        return {name: round(value, 6) for name, value in self._asdict().items() if value is not None}


# nearly the bound of two thirds of Student's t with n degrees of freedom, which is 1 + 0.6 / n times that of
# the normal distribution
_WIDER = 0.6


def mean_and_error(values: Floats, sites: Sequence[str]) -> tuple[float, float | None]:
    """Returns the mean over pages and its standard error.

    Args:
        values: shape (pages,): NaN for a page that does not count.
        sites: of each page; a page without a known site (empty) is a site of its own.

    Returns:
        The mean, 0 without pages; and the error, None with fewer than two sites. Of few sites the error is
        itself uncertain, and is widened as Student's t is, so that two in three means are within it.
    """
    rows = np.flatnonzero(~np.isnan(values)).tolist()
    if not rows:
        return 0.0, None
    found = values[rows].tolist()
    clusters = clusters_of(sites[row] for row in rows)
    error = ratio_error(found, [1.0] * len(rows), clusters, 1.0)
    return float(np.mean(values[rows])), error and error * (1 + _WIDER / (len(set(clusters)) - 1))


def page_figures(pair: Pair, mask: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """Returns precision, recall and F of the words that a mask keeps of a page, 0 to 1.

    Without output there is no precision, and without a gold text no recall: NaN. F is 1 if there is neither.
    """
    alignment = pair.alignment
    kept, gold = float(alignment.words[mask].sum()), float(alignment.gold_words)
    right = float((alignment.shares * alignment.words)[mask].sum())
    return (
        right / kept if kept else np.nan,
        right / gold if gold else np.nan,
        2 * right / (kept + gold) if kept + gold else 1.0,
    )


def figures_of_pages(found: Sequence[tuple[float, float, float]], sites: Sequence[str]) -> Figures:
    """Returns the means over pages of what `page_figures` returns, with their errors."""
    columns = np.array(found, np.float64).reshape(len(found), 3).T
    means, errors = zip(*(mean_and_error(column, sites) for column in columns), strict=True)
    return Figures(*means, *errors)


def cleaned_by(
    method: str, model: ModelFile, preset: str | None = None
) -> Callable[[Document], npt.NDArray[np.bool_]]:
    """Returns a function that gives the mask of what `clean` keeps of a page by default."""
    entry = entry_of(method)
    wanted = ZoneOptions.by_default(entry)
    made = entry.make(model, preset)  # type: ignore[arg-type]
    return lambda document: wanted.applied(document, made.keep(document)).mask


def validated(pairs: Sequence[Pair], folds: Iterable[Fold[M]], method: str) -> Mapping[str, dict[str, Any]]:
    """Cleans all pages by a method, each by the model of its fold; `hybrid` warns of pages that come out
    quite unlike their gold text.

    Returns:
        The entries of a model's header with the figures, for each preset; see `modelling.container`.
    """
    found: dict[str, dict[int, tuple[float, float, float]]] = {preset: {} for preset in PRESETS}
    for fold in folds:
        for preset, pages in found.items():
            mask_of = cleaned_by(method, fold.model, None if preset == "balanced" else preset)
            for number in fold.pages:
                pages[number] = page_figures(pairs[number], mask_of(pairs[number].document))
    if method == "hybrid":
        _warn_of_unlike(pairs, {number: f_score for number, (*_, f_score) in found["balanced"].items()})
    sites = [pair.site for pair in pairs]
    return {
        validation_of(preset): figures_of_pages(
            [pages[number] for number in sorted(pages)], [sites[number] for number in sorted(pages)]
        ).to_dict()
        for preset, pages in found.items()
    }


def _warn_of_unlike(pairs: Sequence[Pair], f_scores: Mapping[int, float]) -> None:
    """Warns of a few pages that come out quite unlike their gold text, while most come out alike."""
    # plain text comes out worse; an empty gold text has a warning of its own
    unlike = [
        number
        for number, f_score in f_scores.items()
        if f_score < _UNLIKE and len(pairs[number].document.elements) and pairs[number].alignment.gold_words
    ]
    unlike.sort(key=f_scores.__getitem__)
    if not unlike or len(unlike) > _FEW * len(f_scores):
        return
    names = joined([f"{pairs[number].name} ({100 * f_scores[number]:.0f} %)" for number in unlike], 10)
    come, theirs = ("comes", "its") if len(unlike) == 1 else ("come", "their")
    warnings.warn(
        f"{counted(len(unlike), 'page')} {come} out quite unlike {theirs} clean text (in brackets F): {names}"
        "; look whether it is the whole clean text of the page, and follows the same rules as the others",
        TrainingWarning,
        stacklevel=4,
    )


Mask = npt.NDArray[np.bool_]
Judging = Callable[[Iterable[Floats]], Iterable[dict[str, Figures]]]
# as by default with both methods
_WANTED = ZoneOptions.by_default(entry_of("hybrid"))


class Judge:
    """Computes the figures of held-out pages.

    Args:
        pairs: the pages.
        folds: the numbers of the pages of each fold.
        statistic: the statistic by which n-grams decide.
    """

    def __init__(self, pairs: Sequence[Pair], folds: Sequence[Sequence[int]], statistic: Statistic) -> None:
        self._pairs = pairs
        self._folds = folds
        self._statistic = statistic
        self._pages = [_unscored(pair) for pair in pairs]
        self._removed = [removed_forms(pair.document.tables) for pair in pairs]

    def __call__(self, sums: Floats) -> dict[str, Figures]:
        """Returns the figures of each method, `hybrid` and `ngram`.

        Args:
            sums: shape (segments,), float64: the log-odds of all segments in bits, fold after fold.
        """
        pages: dict[int, Scored] = {}
        at = 0
        for number in (number for fold in self._folds for number in fold):
            page = self._pages[number]
            pages[number] = replace(page, sums=sums[at : at + len(page.words)])
            at += len(page.words)
        decisions = [
            fit_decision([page for number, page in pages.items() if number not in fold], self._statistic)
            for fold in map(set, self._folds)
        ]
        masks = {"hybrid": self._by_hybrid(pages, decisions), "ngram": self._by_ngrams(pages, decisions)}
        sites = [pair.site for pair in self._pairs]
        return {
            method: figures_of_pages(
                [page_figures(pair, found[number]) for number, pair in enumerate(self._pairs)], sites
            )
            for method, found in masks.items()
        }

    def _by_ngrams(self, pages: Mapping[int, Scored], decisions: Sequence[Decision]) -> dict[int, Mask]:
        found = {}
        for fold, decision in zip(self._folds, decisions, strict=True):
            for number in fold:
                values = decision.statistics(pages[number].sums, pages[number].counts)
                document = self._pairs[number].document
                mask = (values >= decision.threshold) & ~self._removed[number]
                found[number] = _WANTED.applied(document, Kept(mask)).mask
        return found

    def _by_hybrid(self, pages: Mapping[int, Scored], decisions: Sequence[Decision]) -> dict[int, Mask]:
        structure, notices = shipped_structure(), shipped_notices()
        odds: dict[int, Floats] = {}
        kinds: dict[int, Floats] = {}
        judged: dict[int, tuple[Floats, Floats, Floats]] = {}
        for fold, decision in zip(self._folds, decisions, strict=True):
            for number in fold:
                document, page = self._pairs[number].document, pages[number]
                part = part_of_text(decision) if document.is_text else StructureChoice(structure)
                posterior = decision.statistics(page.sums, page.counts)
                own, kinds[number] = part.structure.judge(document, page.sums, posterior)
                odds[number] = part.mixed(own, posterior)
                if not document.is_text:
                    alignment = self._pairs[number].alignment
                    judged[number] = alignment.shares, alignment.words.astype(np.float64), odds[number]
        found: dict[int, Mask] = {}
        for fold in self._folds:
            calibration = fit_calibration([page for number, page in judged.items() if number not in fold])
            for number in fold:
                document, own = self._pairs[number].document, odds[number]
                own = own if document.is_text else calibration(own)
                judgement = Judgement(_kept_by(document, own), own / np.log(2), kinds[number])
                mask, shares = finished(document, judgement, notices)
                found[number] = _WANTED.applied(document, Kept(mask, kinds=shares)).mask
        return found


def _kept_by(document: Document, odds: Floats) -> Mask:
    """Returns the segments of a page to keep by their log-odds, in nats: shape (segments,), bool."""
    # weigh by characters: not every script separates words
    return decide(probabilities_of(odds), document.segments["chars"].astype(np.float64))


def _unscored(pair: Pair) -> Scored:
    """Returns a page with its labels and without scores."""
    table = pair.document.segments
    any_symbols = alphabet("ascii").encoder
    codes, where = any_symbols.encode(*compose(pair.document.data, table["start"], table["end"]), 1)
    return labelled(pair, np.zeros(0), np.diff(where, append=len(codes)).astype(np.uint32))


@dataclass(frozen=True, slots=True)
class _FoldTask:
    """Scores to judge, as a task of a worker."""

    sums: Floats

    def __call__(self, worker: Worker) -> dict[str, Figures]:
        found: dict[str, Figures] = worker.shared(self.sums)
        return found


@contextmanager
def judging(judge: Judge, jobs: int) -> Iterator[Judging]:
    """Yields a function that maps the judge over scores, in this process or in several; the order is kept."""
    with running(jobs, shared=judge) as run:

        def judged(scores: Iterable[Floats]) -> list[dict[str, Figures]]:
            found = dict(run(map(_FoldTask, scores)))
            return [found[index] for index in range(len(found))]

        yield judged
