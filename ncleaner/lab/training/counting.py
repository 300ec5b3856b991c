"""Counts of n-grams in clean and in dirty text, of which `modelling.ngrams` makes probabilities."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.modelling.alphabet import Alphabet, compose
from ncleaner.modelling.ngrams import Counts, Keys, Tally

# for each length the sorted keys and the frequency of each
Tallies = list[tuple[Keys, Tally]]
# symbols to count at once; bounds the memory of training
_CHUNK = 4_000_000


class GramCounter:
    """Counts n-grams of all lengths up to `order`, in bounded memory.

    It counts every predicted position once for each length: each character, and the boundary that ends a
    segment.
    """

    def __init__(self, alphabet: Alphabet, order: int) -> None:
        self._encoder = alphabet.encoder
        self._bits = alphabet.bits
        self._order = order
        self._tallies: Tallies = [(np.zeros(0, np.uint64), np.zeros(0, np.int64)) for _ in range(order)]
        self._waiting: list[tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]] = []
        self._waiting_symbols = 0

    def add(self, data: bytes, starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> None:
        """Counts the segments [starts, ends) of `data`."""
        if not len(starts):
            return
        symbols, where = self._encoder.encode(*compose(data, starts, ends), self._order)
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
            # the character k places back goes above the ones already in the key
            grams[k:] |= symbols[: len(symbols) - k] << np.uint64(k * self._bits)
            found, times = np.unique(grams[predicted], return_counts=True)
            self._tallies[k] = _merge(*self._tallies[k], found, times)

    def tallies(self) -> Tallies:
        """Returns, for k = 1 … order, the sorted keys and their frequencies."""
        self._flush()
        return list(self._tallies)


def _merge(keys: Keys, counts: Tally, more_keys: Keys, more_counts: Tally) -> tuple[Keys, Tally]:
    merged, inverse = np.unique(np.concatenate((keys, more_keys)), return_inverse=True)
    summed = np.bincount(inverse, np.concatenate((counts, more_counts)), len(merged)).astype(np.int64)
    return merged, summed


def _onto(keys: Keys, own: Keys, counts: Tally) -> Tally:
    """Spreads the counts of some keys over all keys; both lists are sorted."""
    full = np.zeros(len(keys), np.int64)
    full[np.searchsorted(keys, own)] = counts
    return full


def add_tallies(parts: Sequence[Tallies]) -> Tallies:
    """Returns the sum of one or more tallies of the same orders."""
    total = list(parts[0])
    for part in parts[1:]:
        total = [_merge(*level, *more) for level, more in zip(total, part, strict=True)]
    return total


def two_sides(clean: Tallies, other: Tallies, differential: bool) -> list[Counts]:
    """Returns the counts of clean and dirty text. With `differential`, `other` is all raw text, and the
    surplus of each n-gram over the clean text counts as dirty (Evert 2008, section 3)."""
    levels = []
    for (clean_keys, clean_counts), (other_keys, other_counts) in zip(clean, other, strict=True):
        keys = np.union1d(clean_keys, other_keys)
        known, others = _onto(keys, clean_keys, clean_counts), _onto(keys, other_keys, other_counts)
        levels.append(Counts(keys, known, np.maximum(others - known, 0) if differential else others))
    return levels


def add_counts(parts: Sequence[list[Counts]]) -> list[Counts]:
    """Returns the sum of one or more lists of counts of the same orders."""
    total = parts[0]
    for part in parts[1:]:
        levels = []
        for level, more in zip(total, part, strict=True):
            keys = np.union1d(level.keys, more.keys)
            clean, dirty = (
                _onto(keys, level.keys, getattr(level, side)) + _onto(keys, more.keys, getattr(more, side))
                for side in ("clean", "dirty")
            )
            levels.append(Counts(keys, clean, dirty))
        total = levels
    return total
