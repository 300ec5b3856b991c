"""What each word and each n-gram of a segment says for and against clean text, in bits."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.modelling.alphabet import composed
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.text.words import UNSPACED

__all__ = ["Gram", "Piece", "Reader", "Spoken"]

# a word of a text, with its punctuation; a character of scripts that do not separate words
_PIECE = re.compile(f"[{UNSPACED}]|[^\\s{UNSPACED}]+")
_SPACE, _EDGE = "␣", "¶"


class Piece(NamedTuple):
    """A word of a segment, and the log-odds of the n-grams that end in it or in the white space behind it."""

    text: str
    bits: float

    def to_dict(self) -> dict[str, Any]:
        """Returns both, for JSON."""
        return {"text": self.text, "bits": self.bits}


class Gram(NamedTuple):
    """An n-gram of a segment: its characters (a space is `␣`, the edge of the segment `¶`), how often it
    stands there, and the log-odds of all these places together."""

    text: str
    times: int
    bits: float

    def to_dict(self) -> dict[str, Any]:
        """Returns all three, for JSON."""
        return self._asdict()


class Spoken(NamedTuple):
    """What the n-grams say of a segment.

    Attributes:
        bits: log-odds of the whole segment.
        pieces: its words in reading order; their bits sum up to those of the segment.
        grams: its n-grams, the strongest first; their bits sum up to those of the segment.
        model: name of the model.
    """

    bits: float
    pieces: tuple[Piece, ...]
    grams: tuple[Gram, ...]
    model: str


class Reader:
    """Reads the segments of a page with the n-grams of its model, and of other models where the page has
    other languages.

    Args:
        document: the page.
        model: the n-grams, as `PerLanguage.method_of` gives them.
    """

    def __init__(self, document: Document, model: NGramModel) -> None:
        self._texts = document.texts
        self._model = model
        self._others = {int(row): other for rows, other in model.others for row in rows.tolist()}

    def __getitem__(self, row: int) -> Spoken:
        """Reads one segment."""
        model = self._others.get(row, self._model)
        text = composed(self._texts[row])
        values = model.ratio.values(model.alphabet.encoder, text.encode("utf-8", "replace"))
        return Spoken(
            float(values.sum()),
            tuple(_pieces(text, values)),
            tuple(_grams(text, values, model.order)),
            model.name,
        )


def _pieces(text: str, values: npt.NDArray[np.float64]) -> list[Piece]:
    """Returns the words of a text; white space counts to the word before it, at the beginning to the first
    one."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    places = [found.span() for found in _PIECE.finditer(text)]
    found = []
    for number, (start, end) in enumerate(places):
        begin = 0 if number == 0 else start
        # the last word also has the n-gram at the end of the segment
        behind = len(values) if number + 1 == len(places) else places[number + 1][0]
        found.append(Piece(text[start:end], float(sums[behind] - sums[begin])))
    return found


def _grams(text: str, values: npt.NDArray[np.float64], order: int) -> list[Gram]:
    shown = _EDGE * (order - 1) + "".join(_SPACE if char.isspace() else char for char in text) + _EDGE
    bits: dict[str, float] = defaultdict(float)
    times: dict[str, int] = defaultdict(int)
    for place, value in enumerate(values.tolist()):
        gram = shown[place : place + order]
        bits[gram] += value
        times[gram] += 1
    return sorted(
        (Gram(gram, times[gram], bits[gram]) for gram in bits), key=lambda gram: (-abs(gram.bits), gram.text)
    )
