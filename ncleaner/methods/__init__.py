"""Cleaning methods: functions of a Document that say which segments to keep.

A method knows neither where a page came from nor where it goes. To add one, write a module with a class
that has `name` and `keep`, and enter it in `METHODS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ncleaner.decision import Preset
from ncleaner.document import Document
from ncleaner.model import NGramModel

if TYPE_CHECKING:
    from ncleaner.hybrid import HybridModel
    from ncleaner.victor import VictorModel

__all__ = ["METHODS", "Kept", "Method", "Models", "load_models", "make_method", "needs_model"]


class Kept(NamedTuple):
    """What a method says of a document's segments.

    Attributes:
        mask: shape (segments,), bool; True for those to keep.
        scores: shape (segments,), float64; larger is cleaner. None for a method without scores.
        model, language: the name of the model chosen for this page, and the language it was chosen for; empty
            where there was no choice.
        strange: all or nothing was kept, of a page in letters that the model hardly knows.
        instead: the name of the method that decided, where the one that was asked for could not; else empty.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None = None
    model: str = ""
    language: str = ""
    strange: bool = False
    instead: str = ""


class Method(Protocol):
    """A cleaning method."""

    name: str

    def keep(self, document: Document) -> Kept:
        """Which segments to keep."""
        ...


Models: TypeAlias = (
    "NGramModel | HybridModel | VictorModel | Mapping[str, NGramModel] | Mapping[str, HybridModel] | None"
)
"""What a method is given: one model, one for each language (`ncleaner.catalogue.ByLanguage`), or none."""


def _everything(model: Models) -> Method:
    from ncleaner.methods.everything import Everything

    return Everything()


def _heuristics(model: Models) -> Method:
    from ncleaner.methods.heuristics import Heuristics

    return Heuristics()


def _ngram(model: Models) -> Method:
    from ncleaner.hybrid import HybridModel
    from ncleaner.methods.by_language import PerLanguage
    from ncleaner.methods.ngram import NGram

    if isinstance(model, Mapping):
        return PerLanguage("ngram", model, _ngram)
    if isinstance(model, HybridModel):
        model = model.ngrams
    if isinstance(model, NGramModel):
        return NGram(model)
    raise ValueError("the method ngram needs a model of n-grams")


def _hybrid(model: Models) -> Method:
    from ncleaner.hybrid import HybridModel
    from ncleaner.methods.by_language import PerLanguage
    from ncleaner.methods.hybrid import Hybrid

    if isinstance(model, Mapping):
        return PerLanguage("hybrid", model, _hybrid)
    if isinstance(model, NGramModel):
        model = HybridModel.of_ngrams(model)
    if isinstance(model, HybridModel):
        return Hybrid(model)
    raise ValueError("the method hybrid needs a model of n-grams or a hybrid")


def _victor(model: Models) -> Method:
    from ncleaner.methods.victor import Victor
    from ncleaner.victor import VictorModel, load_victor

    # other kinds are what a caller has by default
    return Victor(model if isinstance(model, VictorModel) else load_victor())


METHODS: dict[str, Callable[[Models], Method]] = {
    "hybrid": _hybrid,
    "ngram": _ngram,
    "victor": _victor,
    "heuristics-only": _heuristics,
    "everything": _everything,
}


def needs_model(name: str) -> str:
    """The kind of model that a method works with, as in the headers of model files; empty for none."""
    return name if name in ("hybrid", "ngram", "victor") else ""


def load_models(name: str, model: str | Path, threshold: float | Preset | None = None) -> Models:
    """The model or models that a method needs.

    Args:
        name: of the method.
        model: a shipped model's name, or a file; but for victor also `auto` for a model per page by its
            language, or a directory of models of one's own that go first. Where a name is that of a shipped
            model of another kind, as a default may be, the method's own shipped model is taken. A hybrid
            takes n-grams alone, too, and `ngram` those of a hybrid.
        threshold: instead of the models' own.

    Raises:
        ModelError: no such model, or it has no such preset.
    """
    from ncleaner.catalogue import AUTO, ByLanguage, model_names
    from ncleaner.hybrid import load_hybrid, load_ngrams

    kind = needs_model(name)
    if kind == "victor":
        from ncleaner.victor import load_victor

        return load_victor(model_names(name, model)[0], threshold)
    if kind in ("hybrid", "ngram"):
        if model == AUTO or Path(model).is_dir():
            folder = None if model == AUTO else Path(model)
            if kind == "hybrid":
                return ByLanguage(load_hybrid, folder, threshold)
            return ByLanguage(load_ngrams, folder, threshold)
        loaded = load_hybrid(model) if kind == "hybrid" else load_ngrams(model)
        return loaded if threshold is None else loaded.with_parameters(threshold=threshold)
    return None


def make_method(name: str, model: Models = None) -> Method:
    """A method by its name.

    Raises:
        ValueError: no such method, or it needs a model and got none.
    """
    if name not in METHODS:
        raise ValueError(f"no method {name!r}: there are {', '.join(METHODS)}")
    return METHODS[name](model)
