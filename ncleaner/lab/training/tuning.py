"""The search of `ncleaner tune`: the n, q, alphabet and training scheme that fit a set of pages best.

Every combination is evaluated by k-fold cross-validation with no site on both sides. Models of the other
folds score each page. Two measures are computed:

*cross-entropy*, in bits per character: of the kept segments under the clean model, and of the removed
segments under the dirty model. Evert (2008, section 3, figure 2) has one model of all raw text instead. The
boundary that ends a segment counts as a character. Segments without words have no label and are left out.

*cleaning*: precision, recall and F of words, as `clean` has them with such a model (`validation`). The F of
the best combination is too high as an estimate for new sites, because it is the largest of many. So the
choice is the plainest combination within one standard error of the best (Breiman et al., "Classification and
Regression Trees", 1984, section 3.4.3).

No model is built. For each alphabet and scheme the n-grams are counted once, up to the longest. For each fold
the relative frequency of every held-out character is looked up once per length of history. All scores are
weighted sums of these frequencies (Evert 2008, equation 1).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.errors import TrainingError
from ncleaner.lab.training import DEFAULT_ALPHABET, NGramOptions
from ncleaner.lab.training.examples import Examples, checked_pairs
from ncleaner.lab.training.ngrams import default_order, training_alphabet
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.validation import Figures, Judge, judging
from ncleaner.modelling import ALPHABET_NAMES, DEFAULT_Q, FOLDS, MAX_ORDER, SCHEMES, Scheme, Statistic
from ncleaner.modelling.alphabet import Alphabet, compose
from ncleaner.modelling.ngrams import Counts, Keys, Tally, conditional, interpolation_weights

DEFAULT_QS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# Number of characters that are scored at once. It bounds the memory and keeps the sums in the cache.
_CHUNK = 1 << 15

Progress = Callable[[int, int], None]
Floats = npt.NDArray[np.float64]


# -------------------------------------------------------------------------------------------------
# Results


@dataclass(frozen=True, slots=True)
class Trial:
    """One combination of parameters, and its figures on held-out pages.

    Attributes:
        alphabet, scheme, order, q: the parameters, as `train` takes them.
        clean_entropy: cross-entropy of clean text under the clean model, in bits per character.
        dirty_entropy: cross-entropy of dirty text under the dirty model, in bits per character.
        figures: of the method that the search is for.
        by_method: figures of `hybrid` and of `ngram`.
    """

    alphabet: str
    scheme: Scheme
    order: int
    q: float
    clean_entropy: float
    dirty_entropy: float
    figures: Figures
    by_method: Mapping[str, Figures]

    def to_dict(self) -> dict[str, Any]:
        """Returns the parameters and figures for JSON."""
        return {
            "alphabet": self.alphabet,
            "scheme": self.scheme,
            "order": self.order,
            "q": self.q,
            "clean_entropy": self.clean_entropy,
            "dirty_entropy": self.dirty_entropy,
            **self.figures.to_dict(),
            **{method: figures.to_dict() for method, figures in self.by_method.items()},
        }


@dataclass(frozen=True, slots=True)
class Tuning:
    """Results of a search.

    Attributes:
        trials: all combinations, ordered by alphabet, scheme, n and q.
        pages, sites, folds: size of the cross-validation.
        statistic: statistic by which n-grams decide.
        method: the method that the search is for: its F decides.
        order: the n that `train` takes for these pages.
    """

    trials: tuple[Trial, ...]
    pages: int
    sites: int
    folds: int
    statistic: Statistic
    method: str = "hybrid"
    order: int = 2

    def is_default(self, trial: Trial) -> bool:
        """Tells whether a trial has the parameters that `train` takes for these pages."""
        defaults = (DEFAULT_ALPHABET, SCHEMES[0], self.order, DEFAULT_Q)
        return (trial.alphabet, trial.scheme, trial.order, trial.q) == defaults

    @property
    def ranking(self) -> list[Trial]:
        """The trials by F, best first."""
        return sorted(self.trials, key=lambda trial: (-trial.figures.f_score, *_plainness(trial)))

    @property
    def level(self) -> list[Trial]:
        """The trials whose F is within one standard error of the best one, in order."""
        best = self.ranking[0].figures
        error = best.f_score_error or 0.0
        return [trial for trial in self.trials if trial.figures.f_score >= best.f_score - error]

    @property
    def best(self) -> Trial:
        """The chosen trial, the plainest of those that are `level`: the defaults of `train`; else the one
        with the smallest n, then with the q nearest to 0.8, then with the best F."""
        level = self.level
        return min(
            level, key=lambda trial: (not self.is_default(trial), *_plainness(trial), -trial.figures.f_score)
        )

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
            "method": self.method,
            "level": len(self.level),
            "best": self.best.to_dict(),
            "trials": [trial.to_dict() for trial in self.trials],
        }


def _plainness(trial: Trial) -> tuple[int, float]:
    # rounded: 0.7 and 0.9 are equally far from 0.8
    return trial.order, round(abs(trial.q - DEFAULT_Q), 6)


# -------------------------------------------------------------------------------------------------
# Counts of all folds but one


class _Joint:
    """The counts of the n-grams of one length in each fold, over the keys of all folds."""

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
        """Returns the counts of the other folds. Keys that only this fold has stay, with counts of 0."""
        clean, other = (total.copy() for total in self.totals)
        for total, (rows, counts) in zip((clean, other), self._parts[fold], strict=True):
            total[rows] -= counts
        # The difference is taken after the sum over pages (Evert 2008, section 3; see `two_sides`).
        return Counts(self.keys, clean, np.maximum(other - clean, 0) if differential else other)


# -------------------------------------------------------------------------------------------------
# Scores of held-out text


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The relative frequency of each n-gram of one length among the n-grams with the same history.

    Attributes:
        keys: shape (grams,), uint64, sorted and distinct: the n-grams.
        values: shape (2, grams), float64: the frequencies in clean and in dirty text.
    """

    keys: Keys
    values: Floats

    @classmethod
    def of(cls, levels: Iterable[Counts], symbols: Alphabet) -> "list[Shares]":
        """Returns the shares for the lengths 1 … n, as in a model.

        The unigrams hold all symbols, with add-one smoothing. `levels` needs at least one n-gram of each
        length.
        """
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
        """Returns the shares of n-grams, shape (2, grams), float64; 0 for an unseen n-gram."""
        at = np.minimum(np.searchsorted(self.keys, grams), len(self.keys) - 1)
        return np.where(self.keys[at] == grams, self.values[:, at], 0.0)


def grid_sums(
    documents: Sequence[Document],
    symbols: Alphabet,
    shares: Sequence[Shares],
    orders: Sequence[int],
    qs: Sequence[float],
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Returns log probabilities of all segments of some documents for all n and q (Evert 2008, equation 1).

    Args:
        documents: the documents to score.
        symbols: the alphabet of the n-grams.
        shares: the shares for the lengths 1 … n, at least up to the largest of `orders`.
        orders: values of n.
        qs: interpolation factors, each between 0 and 1.

    Returns:
        Two arrays. The first, shape (2, orders, qs, segments), float64, holds the log2 probability of each
        segment under the clean and under the dirty model; the difference of the two is `NGramModel.log_odds`.
        The second, shape (segments,), int64, holds the number of characters of each segment, with one
        boundary.
    """
    top = max(orders)
    bits = np.uint64(symbols.bits)
    parts: list[npt.NDArray[np.uint8]] = []
    lengths: list[npt.NDArray[np.int64]] = []
    for document in documents:
        table = document.segments
        codes, where = symbols.encoder.encode(*compose(document.data, table["start"], table["end"]), top)
        parts.append(codes)
        # Each segment has top − 1 boundaries before it and one after it.
        lengths.append(np.diff(where, append=len(codes) + top - 1) - (top - 1))
    codes = np.concatenate(parts).astype(np.uint64)
    counts = np.concatenate(lengths)
    sums = np.zeros((2, len(orders), len(qs), len(counts)))
    if not len(counts):
        return sums, counts
    first = np.cumsum(counts) - counts
    # The place among the codes of every character and of the boundary after each segment.
    places = np.arange(counts.sum()) + np.repeat(np.arange(1, len(counts) + 1) * (top - 1), counts)
    grams = np.zeros(len(codes), np.uint64)
    seen = []
    for k in range(top):
        grams[k:] |= codes[: len(codes) - k] << (np.uint64(k) * bits)
        seen.append(shares[k].look_up(grams[places]))
    for column, q in enumerate(qs):
        # The sum of equation 1 without its factor: q · (the sum for n − 1) + the relative frequency for n.
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
    """Yields groups of consecutive pages of about `_CHUNK` characters; a longer page is a group alone."""
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
    """Scores the pages of each fold with counts of the other folds, in the threads of a pool.

    Returns:
        The log-odds of all segments in bits, fold after fold: shape (orders, qs, segments). And the
        cross-entropies of clean and of dirty text in bits per character: shape (2, orders, qs).
    """
    top = max(orders)
    parts = examples.tallies(symbols, top, scheme)
    joint = [_Joint([(clean[k], other[k]) for clean, other in parts]) for k in range(top)]
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


def tune(
    pairs: Sequence[Pair],
    *,
    orders: Sequence[int] = range(1, MAX_ORDER + 1),
    qs: Sequence[float] = DEFAULT_QS,
    alphabets: Sequence[str] = ALPHABET_NAMES,
    schemes: Sequence[Scheme] = ("aligned",),
    ngrams: NGramOptions = NGramOptions(),
    method: str = "hybrid",
    k: int = FOLDS,
    jobs: int = 1,
    progress: Progress = lambda done, total: None,
) -> Tuning:
    """Evaluates all combinations of n, q, alphabet and scheme by cross-validation.

    The same pages in the same order give the same figures for any number of processes.

    Args:
        pairs: the pages with their clean texts; see `read_pairs`.
        orders: values of n, 1 to 8. All eight together take about 80 bytes of memory per character of text.
        qs: interpolation factors, between 0 and 1.
        alphabets: names of alphabets. A learned alphabet is learned once, from all pages.
        schemes: training schemes.
        ngrams: the statistic by which n-grams decide, and size and case of a learned alphabet; threshold and
            calibration are fitted.
        method: the method to choose the best combination for, `hybrid` or `ngram`.
        k: number of folds, at least 2. With fewer sites there are fewer folds.
        jobs: number of processes that fit decisions, and number of threads that score.
        progress: called with the number of steps done and the number of all steps. Each combination is scored
            and then evaluated.

    Warns:
        TrainingWarning: texts that do not belong to their pages or are empty, or very few pages.

    Raises:
        TrainingError: fewer than two sites, no clean or no dirty text, or texts of other pages.
        ValueError: n or q is out of range.
    """
    orders, qs = sorted(set(orders)), sorted(set(qs))
    for order, q in product(orders, qs):
        interpolation_weights(order, q)
    examples = _checked_examples(pairs, k)
    groups = [(name, scheme) for name in dict.fromkeys(alphabets) for scheme in dict.fromkeys(schemes)]
    combinations, folds = [*product(range(len(orders)), range(len(qs)))], len(examples.folds)
    all_of_group = len(combinations)
    trials: list[Trial] = []

    def step(scored_too: int) -> None:
        progress(2 * len(trials) + scored_too, 2 * all_of_group * len(groups))

    judge = Judge(examples.pairs, examples.folds, ngrams.statistic)
    with ThreadPoolExecutor(jobs) as threads, judging(judge, jobs) as judged:
        for name, scheme in groups:
            symbols = training_alphabet(
                name, [pair.document for pair in examples.pairs], ngrams.size, ngrams.cased
            )
            odds, entropies = _held_out(
                examples, symbols, scheme, orders, qs, threads,
                lambda done: step(all_of_group * done // folds),
            )  # fmt: skip
            # Row by row, in the order of the combinations.
            judgements = judged(odds.reshape(-1, odds.shape[-1]))
            # The array is large; it is freed before the next alphabet needs another one.
            del odds
            for left, ((row, column), of_method) in enumerate(zip(combinations, judgements, strict=True), 1):
                clean, dirty = entropies[:, row, column].tolist()
                figures = of_method[method]
                trials.append(Trial(name, scheme, orders[row], qs[column], clean, dirty, figures, of_method))
                # All combinations of this group are scored, and some are evaluated.
                step(all_of_group - left)
    usual = default_order(examples.characters)
    return Tuning(tuple(trials), len(examples.pairs), examples.sites, folds, ngrams.statistic, method, usual)


def _checked_examples(pairs: Sequence[Pair], k: int) -> Examples:
    """Returns the pages in folds. Raises TrainingError: they are too few, or of one site or one side."""
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
    return examples
