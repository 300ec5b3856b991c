"""The likeliest short words of clean text, read off an n-gram model."""

from __future__ import annotations

import numpy as np

from ncleaner._ngram import Grams
from ncleaner.modelling.ngrams import NGramModel

__all__ = ["LETTERS", "is_unspaced", "likely_words"]

# Most letters of a word that is looked for.
LETTERS = 4
# Beginnings of words that are looked at further, of each length.
_BEAM = 60
# Sharper than models for segments have it: here only words that were seen matter.
_Q = 0.1
# Spaces of all characters; in running text of spaced scripts, every fifth to eighth character is one.
_SPACED = 0.04


def is_unspaced(model: NGramModel) -> bool:
    """Tells whether the clean text of a model is in a script that does not separate words."""
    level = model.levels[0]
    spaces = [symbol for symbol, shown in enumerate(model.alphabet.characters) if " " in shown]
    return float(level.clean[np.isin(level.keys, spaces)].sum()) < _SPACED * float(level.clean.sum())


def likely_words(model: NGramModel, number: int) -> list[str]:
    """Returns the words of at most four letters that the clean n-grams find likeliest, the likeliest first.

    They are those that clean text has most, and some that only look like them; the latter stand on no page.
    In a script that does not separate words, they are its likeliest letters.

    Args:
        model: the n-grams.
        number: of words.
    """
    # the model keeps them; a copy for one page (`with_others`) has what the model had
    known: dict[int, list[str]] = model.__dict__.setdefault("_likely_words", {})
    if number not in known:
        known[number] = _likely_words(model, number)
    return known[number]


def _likely_words(model: NGramModel, number: int) -> list[str]:
    symbols = model.alphabet.characters
    letters = sorted(
        {shown for shown in symbols if len(shown) == 1 and shown.isalpha() and shown == shown.lower()}
    )
    if is_unspaced(model):
        level = model.levels[0]
        counts = dict(zip(level.keys.tolist(), level.clean.tolist(), strict=True))
        order = {shown: counts.get(symbol, 0) for symbol, shown in enumerate(symbols)}
        return sorted(letters, key=lambda letter: (-order[letter], letter))[:number]
    sharp = model.with_parameters(q=_Q)
    clean = sharp.interpolated("clean")
    levels = [(sharp._keys(k), np.log2(values)) for k, values in enumerate(clean, 1)]
    grams = Grams(levels, sharp.alphabet.bits)
    beginnings: list[tuple[float, str]] = [(0.0, "")]
    found: list[tuple[float, str]] = []
    for length in range(1, LETTERS + 1):
        longer: list[tuple[float, str]] = []
        for _, beginning in beginnings:
            for letter in letters:
                word = beginning + letter
                # behind the end of a sentence before; the last value but one is that of the space after the
                # word
                values = grams.values(sharp.alphabet.encoder, f". {word} ".encode())
                likely = float(values[2 : 2 + length].sum())
                longer.append((-likely, word))
                found.append((-likely - float(values[2 + length]), word))
        beginnings = sorted(longer)[:_BEAM]
    return [word for _, word in sorted(found)[:number]]
