"""Cleaning methods: functions of a Document that say which segments to keep.

A method knows neither where a page came from nor where it goes. To add one, write a module with a class
that has `name` and `keep`, and enter it in `METHODS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.model import NGramModel

__all__ = ["METHODS", "Kept", "Method", "make_method", "needs_model"]


class Kept(NamedTuple):
    """What a method says of a document's segments.

    Attributes:
        mask: shape (segments,), bool; True for those to keep.
        scores: shape (segments,), float64; larger is cleaner. None for a method without scores.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None = None


class Method(Protocol):
    """A cleaning method."""

    name: str

    def keep(self, document: Document) -> Kept:
        """Which segments to keep."""
        ...


def _everything(model: NGramModel | None) -> Method:
    from ncleaner.methods.everything import Everything

    return Everything()


def _heuristics(model: NGramModel | None) -> Method:
    from ncleaner.methods.heuristics import Heuristics

    return Heuristics()


def _ngram(model: NGramModel | None) -> Method:
    from ncleaner.methods.ngram import NGram

    if model is None:
        raise ValueError("the method ngram needs a model")
    return NGram(model)


METHODS: dict[str, Callable[[NGramModel | None], Method]] = {
    "ngram": _ngram,
    "heuristics-only": _heuristics,
    "everything": _everything,
}


def needs_model(name: str) -> bool:
    """Whether a method works with a model."""
    return name == "ngram"


def make_method(name: str, model: NGramModel | None = None) -> Method:
    """A method by its name.

    Raises:
        ValueError: no such method, or it needs a model and got none.
    """
    if name not in METHODS:
        raise ValueError(f"no method {name!r}: there are {', '.join(METHODS)}")
    return METHODS[name](model)
