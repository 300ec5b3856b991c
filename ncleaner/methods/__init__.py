"""Cleaning methods: functions of a Document that say which segments to keep.

A method knows neither where a page came from nor where it goes. To add one, write a module with a class
that has `name` and `keep`, and enter it in `METHODS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.model import NGramModel

__all__ = ["METHODS", "Kept", "Method", "Models", "make_method", "needs_model"]


class Kept(NamedTuple):
    """What a method says of a document's segments.

    Attributes:
        mask: shape (segments,), bool; True for those to keep.
        scores: shape (segments,), float64; larger is cleaner. None for a method without scores.
        model, language: the name of the model chosen for this page, and the language it was chosen for; empty
            where there was no choice.
        strange: all or nothing was kept, of a page in letters that the model hardly knows.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None = None
    model: str = ""
    language: str = ""
    strange: bool = False


class Method(Protocol):
    """A cleaning method."""

    name: str

    def keep(self, document: Document) -> Kept:
        """Which segments to keep."""
        ...


Models = NGramModel | Mapping[str, NGramModel] | None
"""What a method is given: one model, one for each language (`ncleaner.catalogue.ByLanguage`), or none."""


def _everything(model: Models) -> Method:
    from ncleaner.methods.everything import Everything

    return Everything()


def _heuristics(model: Models) -> Method:
    from ncleaner.methods.heuristics import Heuristics

    return Heuristics()


def _ngram(model: Models) -> Method:
    from ncleaner.methods.ngram import NGram, NGramByLanguage

    if model is None:
        raise ValueError("the method ngram needs a model")
    return NGram(model) if isinstance(model, NGramModel) else NGramByLanguage(model)


METHODS: dict[str, Callable[[Models], Method]] = {
    "ngram": _ngram,
    "heuristics-only": _heuristics,
    "everything": _everything,
}


def needs_model(name: str) -> bool:
    """Whether a method works with a model."""
    return name == "ngram"


def make_method(name: str, model: Models = None) -> Method:
    """A method by its name.

    Raises:
        ValueError: no such method, or it needs a model and got none.
    """
    if name not in METHODS:
        raise ValueError(f"no method {name!r}: there are {', '.join(METHODS)}")
    return METHODS[name](model)
