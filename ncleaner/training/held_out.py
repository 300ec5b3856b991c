"""Cleaning of held-out pages with given scores of n-grams, by the methods `hybrid` and `ngram`.

What decides on the pages of a fold, thresholds and calibrations, is fitted on the pages of all other folds.
So no page influences its own decision directly. It does influence the n-grams that score the pages for the
fit, as in any cross-validation of one level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ncleaner.document.kept import Kept
from ncleaner.methods.heuristics import Heuristics
from ncleaner.methods.hybrid import finished
from ncleaner.methods.zones import Wanted
from ncleaner.modelling.alphabet import alphabet, compose
from ncleaner.modelling.decision import Decision, Statistic
from ncleaner.modelling.hybrid import keep_of
from ncleaner.modelling.notices import shipped_notices
from ncleaner.modelling.structure import Reading, shipped_structure
from ncleaner.spawning import spawn_context
from ncleaner.training.calibration import Scored, fit_calibration, fit_decision
from ncleaner.training.examples import labelled
from ncleaner.training.pairs import Pair
from ncleaner.training.validation import Figures, figures_of_pages, page_figures

__all__ = ["Judge", "judging"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Judging = Callable[[Iterable[Floats]], Iterable[dict[str, Figures]]]
# both methods keep the headline by default
_WANTED = Wanted(headline=True)


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
        self._removed = [Heuristics().remove(pair.document) for pair in pairs]

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
                kept = Kept((values >= decision.threshold) & ~self._removed[number])
                found[number] = _WANTED.applied(self._pairs[number].document, kept).mask
        return found

    def _by_hybrid(self, pages: Mapping[int, Scored], decisions: Sequence[Decision]) -> dict[int, Mask]:
        structure, notices = shipped_structure(), shipped_notices()
        # plain text has no structure: n-grams decide
        found = self._by_ngrams(pages, decisions)
        read: dict[int, Reading] = {}
        for fold, decision in zip(self._folds, decisions, strict=True):
            for number in fold:
                document, page = self._pairs[number].document, pages[number]
                if len(document.elements):
                    posterior = decision.statistics(page.sums, page.counts)
                    read[number] = structure.judge(document, page.sums, posterior)
        for fold in self._folds:
            others = [number for number in read if number not in fold]
            alignments = [self._pairs[number].alignment for number in others]
            labels = [(np.nan_to_num(each.matched), each.words.astype(np.float64)) for each in alignments]
            calibration = fit_calibration(labels, [read[number].odds for number in others])
            for number in fold:
                if number in read:
                    document = self._pairs[number].document
                    mask = keep_of(document, calibration(read[number].odds))
                    mask, kinds = finished(document, mask, read[number].kinds, notices)
                    found[number] = _WANTED.applied(document, Kept(mask, kinds=kinds)).mask
        return found


def _unscored(pair: Pair) -> Scored:
    """Returns a page with its labels and without scores."""
    table = pair.document.segments
    any_symbols = alphabet("ascii").encoder
    codes, where = any_symbols.encode(*compose(pair.document.data, table["start"], table["end"]), 1)
    return labelled(pair, np.zeros(0), np.diff(where, append=len(codes)).astype(np.uint32))


_worker_judge: Judge | None = None


def _start_worker(judge: Judge) -> None:
    global _worker_judge
    _worker_judge = judge


def _judge_in_worker(sums: Floats) -> dict[str, Figures]:
    assert _worker_judge is not None
    return _worker_judge(sums)


@contextmanager
def judging(judge: Judge, jobs: int) -> Iterator[Judging]:
    """Yields a function that maps the judge over scores, in this process or in several; the order is kept."""
    if jobs == 1:
        yield lambda scores: map(judge, scores)
        return
    context = spawn_context()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(judge,))
    try:
        yield lambda scores: pool.map(_judge_in_worker, scores)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
