"""The search behind `ncleaner tune`: which n, q, alphabet and training scheme suit a set of pages.

Every combination is judged by k-fold cross-validation with no site on both sides. A page is scored by models
that were trained on the other folds; two things are measured on it:

*cross-entropy*, in bits per character: of the segments that the annotator kept under the clean model, of
those that were removed under the dirty one (Evert 2008, section 3, figure 2). The boundary that ends a
segment counts as a character. Segments without words have no label and are left out.

*cleaning*: precision, recall and F of words, averaged by page and then by site as `decision.fit_decision`
does. The decision for the pages of a fold, its threshold and its calibration, is fitted on the pages of all
other folds, by scores of models that have not seen their sites. No page has a part in its own decision, but
it has one in the models that scored the pages which its decision was fitted on, as in any cross-validation
of one level. And the best of many combinations is flattered by having been chosen: its F is no estimate for
new sites.

No model is built. For each alphabet and scheme the n-grams are counted once, up to the longest; for each
fold the relative frequency of every held-out character is looked up once for each length of history; all
else is a weighted sum of these (Evert 2008, equation 1).
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.errors import TrainingError
from ncleaner.modelling.alphabet import ALPHABET_NAMES, Alphabet
from ncleaner.modelling.alphabet import alphabet as named_alphabet
from ncleaner.modelling.counts import Counts, Keys, Tallies, Tally
from ncleaner.modelling.decision import Statistic
from ncleaner.modelling.nfc import compose
from ncleaner.modelling.ngrams import MAX_ORDER, conditional, interpolation_weights
from ncleaner.training.calibration import Scored, curves, fit_decision, word_figures
from ncleaner.training.examples import FOLDS, Examples, Scheme, checked_pairs, labelled
from ncleaner.training.ngrams import training_alphabet
from ncleaner.training.pairs import Pair
from ncleaner.training.trials import Trial, Tuning

__all__ = ["DEFAULT_QS", "Shares", "grid_sums", "tune"]

DEFAULT_QS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# characters that are scored at once: bounds the memory, and keeps the sums in the cache
_CHUNK = 1 << 15

Progress = Callable[[int, int], None]
Floats = npt.NDArray[np.float64]


# -------------------------------------------------------------------------------------------------
# Counts of all folds but one


class _Joint:
    """Counts of one length in all folds, over the keys of all of them."""

    def __init__(self, parts: Sequence[tuple[tuple[Keys, Tally], tuple[Keys, Tally]]]) -> None:
        self.keys: Keys = np.unique(np.concatenate([keys for part in parts for keys, _ in part]))
        self._parts = [
            [(np.searchsorted(self.keys, keys).astype(np.uint32), counts) for keys, counts in part]
            for part in parts
        ]
        self.totals = [np.zeros(len(self.keys), np.int64) for _ in range(2)]
        for part in self._parts:
            for total, (rows, counts) in zip(self.totals, part, strict=True):
                total[rows] += counts

    def without(self, fold: int, differential: bool) -> Counts:
        """Counts of the other folds. Keys that only this fold has stay, with counts of 0."""
        clean, other = (total.copy() for total in self.totals)
        for total, (rows, counts) in zip((clean, other), self._parts[fold], strict=True):
            total[rows] -= counts
        # differences of sums, not sums of differences (Evert 2008, section 3; counts.two_sides)
        return Counts(self.keys, clean, np.maximum(other - clean, 0) if differential else other)


def _joint(parts: Sequence[tuple[Tallies, Tallies]], order: int) -> list[_Joint]:
    return [_Joint([(clean[k], other[k]) for clean, other in parts]) for k in range(order)]


# -------------------------------------------------------------------------------------------------
# Scores of held-out text


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Relative frequencies of the n-grams of one length, each among those of the same history.

    Attributes:
        keys: sorted, distinct; shape (grams,), uint64.
        values: shape (2, grams), float64: in clean, in dirty text.
    """

    keys: Keys
    values: Floats

    @classmethod
    def of(cls, levels: Iterable[Counts], symbols: Alphabet) -> list[Shares]:
        """For the lengths 1 … n, as in a model; unigrams of all symbols, with add-one smoothing. At least one
        gram of each length."""
        shares = []
        for k, level in enumerate(levels, 1):
            sides = (level.clean, level.dirty)
            if k == 1:
                full = np.ones((2, symbols.size))
                for row, counts in zip(full, sides, strict=True):
                    row[level.keys.astype(np.int64)] += counts
                full /= full.sum(1, keepdims=True)
                shares.append(cls(np.arange(symbols.size, dtype=np.uint64), full))
            else:
                values = [conditional(level.keys, counts, symbols.bits) for counts in sides]
                shares.append(cls(level.keys, np.stack(values)))
        return shares

    def look_up(self, grams: Keys) -> Floats:
        """Shape (2, grams); 0 for a gram that was not seen."""
        at = np.minimum(np.searchsorted(self.keys, grams), len(self.keys) - 1)
        return np.where(self.keys[at] == grams, self.values[:, at], 0.0)


def grid_sums(
    documents: Sequence[Document],
    symbols: Alphabet,
    shares: Sequence[Shares],
    orders: Sequence[int],
    qs: Sequence[float],
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Log probabilities of all segments of some documents under all n and q (Evert 2008, equation 1).

    Args:
        documents: what is scored.
        symbols: the alphabet of the grams.
        shares: for the lengths 1 … n, at least to the largest of `orders`.
        orders: values of n.
        qs: interpolation factors, each between 0 and 1.

    Returns:
        log2 probability of each segment under the clean and under the dirty model, shape (2, orders, qs,
        segments), float64; the difference of the two is `NGramModel.log_odds`. And the characters of each
        segment, with one boundary: shape (segments,), int64.
    """
    top = max(orders)
    bits = np.uint64(symbols.bits)
    parts: list[npt.NDArray[np.uint8]] = []
    lengths: list[npt.NDArray[np.int64]] = []
    for document in documents:
        table = document.segments
        codes, where = symbols.encoder.encode(*compose(document.data, table["start"], table["end"]), top)
        parts.append(codes)
        # each segment has top − 1 boundaries before it and one behind
        lengths.append(np.diff(where, append=len(codes) + top - 1) - (top - 1))
    codes = np.concatenate(parts).astype(np.uint64)
    counts = np.concatenate(lengths)
    sums = np.zeros((2, len(orders), len(qs), len(counts)))
    if not len(counts):
        return sums, counts
    first = np.cumsum(counts) - counts
    # of every character, and the boundary behind: its place among the codes
    places = np.arange(counts.sum()) + np.repeat(np.arange(1, len(counts) + 1) * (top - 1), counts)
    grams = np.zeros(len(codes), np.uint64)
    seen = []
    for k in range(top):
        grams[k:] |= codes[: len(codes) - k] << (np.uint64(k) * bits)
        seen.append(shares[k].look_up(grams[places]))
    for column, q in enumerate(qs):
        # the sum of equation 1 without its factor: q · (that of n − 1) + the relative frequency at n
        total = np.zeros((2, len(places)))
        for k, values in enumerate(seen, 1):
            total *= q
            total += values
            if k in orders:
                factor = math.log2(interpolation_weights(k, q)[0])
                logs = np.add.reduceat(np.log2(total), first, axis=1)
                sums[:, orders.index(k), column] = logs + factor * counts
    return sums, counts


def _chunks(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Runs of pages of about `_CHUNK` characters, or one page that is longer."""
    chunk: list[Pair] = []
    size = 0
    for pair in pairs:
        chunk.append(pair)
        size += len(pair.document.data)
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _held_out(
    examples: Examples,
    symbols: Alphabet,
    scheme: Scheme,
    orders: Sequence[int],
    qs: Sequence[float],
    pool: Executor,
    scored: Callable[[int], None],
) -> tuple[Floats, Floats]:
    """Log-odds of all segments in bits, fold after fold: shape (orders, qs, segments). And cross-entropies of
    clean and of dirty text in bits per character: shape (2, orders, qs). `scored` gets the folds done."""
    top = max(orders)
    joint = _joint(examples.tallies(symbols, top, scheme), top)
    odds: list[Floats] = []
    bits = np.zeros((2, len(orders), len(qs)))
    characters = np.zeros(2)

    for number, fold in enumerate(examples.folds):
        shares = Shares.of([level.without(number, scheme == "differential") for level in joint], symbols)

        def score(
            chunk: Sequence[Pair], shares: Sequence[Shares] = shares
        ) -> tuple[Floats, list[Floats], list[int]]:
            sums, counts = grid_sums([pair.document for pair in chunk], symbols, shares, orders, qs)
            labels = [
                np.concatenate([getattr(pair.alignment, side) for pair in chunk])
                for side in ("clean", "dirty")
            ]
            side_bits = [side[..., label].sum(-1) for side, label in zip(sums, labels, strict=True)]
            return sums[0] - sums[1], side_bits, [int(counts[label].sum()) for label in labels]

        for chunk_odds, chunk_bits, chunk_characters in pool.map(
            score, _chunks([examples.pairs[page] for page in fold])
        ):
            odds.append(chunk_odds)
            bits -= chunk_bits
            characters += chunk_characters
        scored(number + 1)
    return np.concatenate(odds, axis=2), bits / characters[:, None, None]


# -------------------------------------------------------------------------------------------------
# Decisions


class _Judge:
    """Cleans held-out pages by decisions that were fitted on the other folds' pages.

    Args:
        folds: pages of each fold; their sums are not used.
        statistic: what segments are decided by.
    """

    def __init__(self, folds: Sequence[Sequence[Scored]], statistic: Statistic) -> None:
        self._folds = folds
        self._statistic = statistic

    def __call__(self, sums: Floats) -> tuple[float, float, float]:
        """Precision, recall and F of words from the log-odds of all segments, fold after fold."""
        folds: list[list[Scored]] = []
        at = 0
        for fold in self._folds:
            folds.append([])
            for page in fold:
                folds[-1].append(replace(page, sums=sums[at : at + len(page.words)]))
                at += len(page.words)
        found = []
        for number, fold in enumerate(folds):
            others = [page for position, pages in enumerate(folds) if position != number for page in pages]
            decision, _ = fit_decision(others, self._statistic)
            statistics = [decision.statistics(page.sums, page.counts) for page in fold]
            found.append(curves(fold, statistics, np.array([decision.threshold])))
        kept, hits, gold = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return word_figures([page for fold in folds for page in fold], kept, hits, gold)


def _unscored(pair: Pair) -> Scored:
    """A page with its labels, and no scores yet."""
    table = pair.document.segments
    any_symbols = named_alphabet("ascii").encoder
    codes, where = any_symbols.encode(*compose(pair.document.data, table["start"], table["end"]), 1)
    return labelled(pair, np.zeros(0), np.diff(where, append=len(codes)).astype(np.uint32))


_worker_judge: _Judge | None = None


def _start_worker(judge: _Judge) -> None:
    global _worker_judge
    _worker_judge = judge


def _judge_in_worker(sums: Floats) -> tuple[float, float, float]:
    assert _worker_judge is not None
    return _worker_judge(sums)


@contextmanager
def _judging(
    judge: _Judge, jobs: int
) -> Iterator[Callable[[Iterable[Floats]], Iterable[tuple[float, float, float]]]]:
    """A map of the judge over scores, in this process or in several; the results come in order."""
    if jobs == 1:
        yield lambda scores: map(judge, scores)
        return
    # not forked: the caller may run threads (a progress bar does), and a fork copies their locks
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(judge,))
    try:
        yield lambda scores: pool.map(_judge_in_worker, scores)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


# -------------------------------------------------------------------------------------------------


def tune(
    pairs: Sequence[Pair],
    *,
    orders: Sequence[int] = range(1, MAX_ORDER + 1),
    qs: Sequence[float] = DEFAULT_QS,
    alphabets: Sequence[str] = ALPHABET_NAMES,
    schemes: Sequence[Scheme] = ("aligned",),
    statistic: Statistic = "page",
    size: int = 60,
    cased: bool = False,
    k: int = FOLDS,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Tuning:
    """Tries all combinations of n, q, alphabet and scheme by cross-validation.

    The same pages in the same order give the same figures, whatever the number of processes.

    Args:
        pairs: see `read_pairs`.
        orders: values of n, 1 to 8. All eight of them take about 80 bytes of memory for each character of
            text, and less for the shorter ones.
        qs: interpolation factors, between 0 and 1.
        alphabets: names; a learned alphabet is learned once, from all pages.
        schemes: training schemes.
        statistic: what segments are decided by; its threshold and calibration are fitted.
        size, cased: of a learned alphabet.
        k: folds, at least 2; fewer are made where there are fewer sites.
        jobs: processes that fit decisions, and threads that score.
        progress: called with steps done, and all of them: each combination is scored, then judged.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts, very few pages.

    Raises:
        TrainingError: pages of fewer than two sites, no clean or no dirty text, or texts that do not belong
            together.
        ValueError: n or q out of range.
    """
    for order in orders:
        for q in qs:
            interpolation_weights(order, q)
    if len(pairs) < 2:
        raise TrainingError(
            "tuning takes at least two pages of different sites: it cleans each by models of the others, "
            f"but there {'is only one page' if pairs else 'are no pages'}"
        )
    examples = Examples(checked_pairs(pairs), k)
    if len(examples.folds) < 2:
        raise TrainingError(
            "all pages come from one site, or only one is left: tuning takes pages of at least two sites, "
            "since it cleans each by models of the others"
        )
    for side in ("clean", "dirty"):
        if not any(getattr(pair.alignment, side).any() for pair in examples.pairs):
            raise TrainingError(f"the pages hold no {side} segment: do raw and clean texts belong together?")
    orders = sorted(set(orders))
    qs = sorted(set(qs))
    groups = [(name, scheme) for name in dict.fromkeys(alphabets) for scheme in dict.fromkeys(schemes)]
    size_of_group = len(orders) * len(qs)
    judge = _Judge([[_unscored(examples.pairs[page]) for page in fold] for fold in examples.folds], statistic)
    trials: list[Trial] = []

    def step(scored_too: int) -> None:
        if progress is not None:
            progress(2 * len(trials) + scored_too, 2 * size_of_group * len(groups))

    with ThreadPoolExecutor(jobs) as threads, _judging(judge, jobs) as judged:
        for name, scheme in groups:
            symbols = training_alphabet(name, [pair.document for pair in examples.pairs], size, cased)
            odds, entropies = _held_out(
                examples,
                symbols,
                scheme,
                orders,
                qs,
                threads,
                lambda folds: step(size_of_group * folds // len(examples.folds)),
            )
            # row by row, as the combinations are made
            figures = judged(odds.reshape(-1, odds.shape[-1]))
            # large, and not to stand beside those of the next alphabet
            del odds
            combinations = ((row, column) for row in range(len(orders)) for column in range(len(qs)))
            for left, ((row, column), words) in enumerate(zip(combinations, figures, strict=True), 1):
                clean, dirty = entropies[:, row, column].tolist()
                trials.append(Trial(name, scheme, orders[row], qs[column], clean, dirty, *words))
                # of this group all are scored, but only some judged
                step(size_of_group - left)
    return Tuning(tuple(trials), len(examples.pairs), examples.sites, len(examples.folds), statistic)
