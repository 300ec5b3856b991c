"""Training: from pages and their cleaned text to a pair of n-gram models.

Two schemes. *Differential training* (Evert 2008, section 3) needs nothing but the two texts: the clean model
counts the gold text, the dirty one what the raw text has more of each n-gram, never below zero. *Aligned*
training first labels the page's own segments by alignment with the gold text and counts each side directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ncleaner._ngram import Encoder
from ncleaner.align import Alignment, align, gold_text
from ncleaner.alphabet import Alphabet
from ncleaner.alphabet import alphabet as named_alphabet
from ncleaner.document import Document
from ncleaner.dump import dump_html
from ncleaner.errors import TrainingError
from ncleaner.model import Counts, NGramModel
from ncleaner.textdump import dump_text

__all__ = ["SCHEMES", "GramCounter", "Pair", "read_pairs", "train"]

Scheme = Literal["aligned", "differential"]
SCHEMES: tuple[Scheme, ...] = ("aligned", "differential")
# for each length the sorted keys and how often each was seen
Tallies = list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]
# symbols that are counted at once: bounds the memory of training
_CHUNK = 4_000_000
# difference of F that decides nothing about a threshold
_TOLERANCE = 0.005


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A page and what a person made of it: its Document, the gold text, a name for messages."""

    name: str
    document: Document
    gold: str


class GramCounter:
    """Counts n-grams of all lengths up to `order`, in bounded memory.

    Every position that can be predicted is counted once for each length: each character, and the boundary
    that ends a segment.
    """

    def __init__(self, encoder: Encoder, bits: int, order: int) -> None:
        self._encoder = encoder
        self._bits = bits
        self._order = order
        self._tallies: Tallies = [(np.zeros(0, np.uint64), np.zeros(0, np.int64)) for _ in range(order)]
        self._waiting: list[tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]] = []
        self._waiting_symbols = 0

    def add(self, data: bytes, starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> None:
        """Counts the segments [starts, ends) of `data`."""
        if not len(starts):
            return
        symbols, where = self._encoder.encode(data, starts, ends, self._order)
        predicted = np.ones(len(symbols), bool)
        for lead in range(1, self._order):
            predicted[where - lead] = False
        self._waiting.append((symbols, predicted))
        self._waiting_symbols += len(symbols)
        if self._waiting_symbols >= _CHUNK:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        symbols = np.concatenate([part for part, _ in self._waiting]).astype(np.uint64)
        predicted = np.concatenate([part for _, part in self._waiting])
        self._waiting, self._waiting_symbols = [], 0
        grams = np.zeros(len(symbols), np.uint64)
        for k in range(self._order):
            # the character k places back moves in above those already there
            grams[k:] |= symbols[: len(symbols) - k] << np.uint64(k * self._bits)
            found, times = np.unique(grams[predicted], return_counts=True)
            self._tallies[k] = _merge(*self._tallies[k], found, times)

    def tallies(self) -> Tallies:
        """For k = 1 … order: sorted keys and how often each was seen."""
        self._flush()
        return list(self._tallies)


def _merge(
    keys: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.int64],
    more_keys: npt.NDArray[np.uint64],
    more_counts: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    merged, inverse = np.unique(np.concatenate((keys, more_keys)), return_inverse=True)
    summed = np.bincount(inverse, np.concatenate((counts, more_counts)), len(merged)).astype(np.int64)
    return merged, summed


def _together(clean: Tallies, other: Tallies, differential: bool) -> list[Counts]:
    levels = []
    for (clean_keys, clean_counts), (other_keys, other_counts) in zip(clean, other, strict=True):
        keys = np.union1d(clean_keys, other_keys)
        sides = []
        for side_keys, side_counts in ((clean_keys, clean_counts), (other_keys, other_counts)):
            full = np.zeros(len(keys), np.int64)
            full[np.searchsorted(keys, side_keys)] = side_counts
            sides.append(full)
        dirty = np.maximum(sides[1] - sides[0], 0) if differential else sides[1]
        levels.append(Counts(keys, sides[0], dirty))
    return levels


def _tally(
    pairs: Iterable[Pair], alignments: Iterable[Alignment], *, order: int, alphabet: Alphabet, scheme: Scheme
) -> tuple[Tallies, Tallies]:
    """Counts of clean text, and of dirty text (`aligned`) or all raw text (`differential`)."""
    clean = GramCounter(alphabet.encoder, alphabet.bits, order)
    other = GramCounter(alphabet.encoder, alphabet.bits, order)
    for pair, alignment in zip(pairs, alignments, strict=True):
        table = pair.document.segments
        if scheme == "differential":
            gold = dump_text(gold_text(pair.gold))
            clean.add(gold.data, gold.segments["start"], gold.segments["end"])
            other.add(pair.document.data, table["start"], table["end"])
        else:
            for counter, chosen in ((clean, table[alignment.clean]), (other, table[alignment.dirty])):
                counter.add(pair.document.data, chosen["start"], chosen["end"])
    return clean.tallies(), other.tallies()


def _sum(parts: Sequence[Tallies]) -> Tallies:
    total = list(parts[0])
    for part in parts[1:]:
        total = [_merge(*level, *more) for level, more in zip(total, part, strict=True)]
    return total


def _folds(size: int) -> list[range]:
    """Five runs of neighbours: pages of one site have similar names, and stay together."""
    k = min(5, size)
    return [range(size * fold // k, size * (fold + 1) // k) for fold in range(k)]


def _best_threshold(
    odds: npt.NDArray[np.float64], words: npt.NDArray[np.int64], clean: npt.NDArray[np.bool_]
) -> float:
    """The threshold nearest to 0 whose F score over words is within half a point of the best, in steps of
    0.01 bits. F is flat around its maximum; 0, where both models explain a segment equally well, is what is
    expected, and a few pages are no evidence for a small distance from it."""
    thresholds = np.round(np.arange(-1.5, 1.505, 0.01), 2)
    order = np.argsort(odds)
    kept_from = np.searchsorted(odds[order], thresholds)
    total = np.concatenate(([0], np.cumsum(words[order][::-1])))[::-1][kept_from]
    hits = np.concatenate(([0], np.cumsum((words * clean)[order][::-1])))[::-1][kept_from]
    f_scores = 2 * hits / np.maximum(total + (words * clean).sum(), 1)
    good = thresholds[f_scores >= f_scores.max() - _TOLERANCE]
    return float(good[np.argmin(np.abs(good))])


def train(
    pairs: Sequence[Pair],
    *,
    order: int = 3,
    q: float = 0.5,
    alphabet: str | Alphabet = "ascii",
    scheme: Scheme = "aligned",
    threshold: float | None = None,
    about: dict[str, Any] | None = None,
) -> NGramModel:
    """Trains a model from pages and their cleaned text.

    Args:
        pairs: see `read_pairs`; about 50 pages are enough.
        order: n, 1 to 8.
        q: interpolation factor, between 0 and 1.
        alphabet: `ascii`, `nonlexical`, or an alphabet of one's own.
        scheme: `aligned`, or `differential` as in Evert (2008).
        threshold: log-odds per character from which a segment is clean, in bits. By default the one
            nearest to 0 whose word F, in five-fold cross-validation within the training pages, is within half
            a point of the best.
        about: what the model's header is to record besides.

    Raises:
        TrainingError: nothing to train on, or no page has anything left to call clean or dirty.
    """
    if not pairs:
        raise TrainingError("no pages to train on")
    symbols = named_alphabet(alphabet) if isinstance(alphabet, str) else alphabet
    alignments = [align(pair.document, pair.gold) for pair in pairs]
    folds = _folds(len(pairs))
    parts = [
        _tally(
            [pairs[page] for page in fold], [alignments[page] for page in fold],
            order=order, alphabet=symbols, scheme=scheme,
        )
        for fold in folds
    ]  # fmt: skip

    def model_of(chosen: Sequence[tuple[Tallies, Tallies]]) -> NGramModel:
        clean, other = (_sum([part[side] for part in chosen]) for side in (0, 1))
        return NGramModel(order, q, symbols, _together(clean, other, scheme == "differential"))

    model = model_of(parts)
    characters = {side: int(getattr(model.levels[0], side).sum()) for side in ("clean", "dirty")}
    for side, number in characters.items():
        if number == 0:
            raise TrainingError(
                f"the training pages hold no {side} text: "
                + ("raw and clean are the same" if side == "dirty" else "do raw and clean belong together?")
            )
    if threshold is None:
        threshold = 0.0
        if len(folds) > 1:
            odds, words, clean = [], [], []
            for held_out, fold in enumerate(folds):
                unseen = model_of([part for position, part in enumerate(parts) if position != held_out])
                for page in fold:
                    table = pairs[page].document.segments
                    odds.append(unseen.log_odds(pairs[page].document.data, table["start"], table["end"]))
                    words.append(table["words"].astype(np.int64))
                    clean.append(alignments[page].clean)
            threshold = _best_threshold(np.concatenate(odds), np.concatenate(words), np.concatenate(clean))
    training = {
        "pages": len(pairs),
        "words": sum(int(pair.document.segments["words"].sum()) for pair in pairs),
        "clean_characters": characters["clean"],
        "dirty_characters": characters["dirty"],
        "scheme": scheme,
    }
    return replace(model, threshold=threshold, about={**(about or {}), "training": training})


def _stems(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise TrainingError(f"{folder} is not a directory")
    return {path.stem: path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."}


def read_pairs(
    raw: str | Path,
    clean: str | Path,
    *,
    encoding: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Pages of one directory with their cleaned text of another, matched by file name without suffix.

    Args:
        raw: HTML pages, or text dumps with the suffix `.txt`.
        clean: text files in UTF-8, plain or with CleanEval's `<p>`, `<h>`, `<l>`.
        encoding: WHATWG label of the raw pages, where it is known.
        progress: called with pages done and pages in all.

    Raises:
        TrainingError: a directory is missing, nothing matches, or a clean file is not UTF-8.
    """
    pages, texts = _stems(Path(raw)), _stems(Path(clean))
    common = sorted(pages.keys() & texts.keys())
    if not common:
        raise TrainingError(
            f"no file of {raw} ({len(pages)} files) has a counterpart of the same name in {clean} "
            f"({len(texts)} files): they are matched by name without suffix, page.html with page.txt"
        )
    pairs = []
    for position, stem in enumerate(common):
        path = pages[stem]
        body = path.read_bytes()
        document = (dump_text if path.suffix == ".txt" else dump_html)(body, encoding=encoding)
        try:
            gold = texts[stem].read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TrainingError(
                f"{texts[stem]} is not UTF-8 (byte {error.start}): convert it first"
            ) from error
        pairs.append(Pair(stem, document, gold))
        if progress is not None:
            progress(position + 1, len(common))
    return pairs


def describe(model: NGramModel, path: Path) -> str:
    """A sentence about a model that has just been trained, for people."""
    training = model.about["training"]
    size = path.stat().st_size
    return (
        f"{path}: {model.alphabet.name} {model.order}-grams, q {model.q}, from {training['pages']:,} pages "
        f"({training['clean_characters']:,} clean and {training['dirty_characters']:,} dirty characters); "
        f"{size / 1000:,.0f} kB"
    )
