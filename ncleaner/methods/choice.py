"""Which method decides, and with which models."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ncleaner.errors import ModelError
from ncleaner.methods.base import Method
from ncleaner.modelling.container import kind_of
from ncleaner.modelling.decision import Preset
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.shipped import model_bytes, shipped_models

if TYPE_CHECKING:
    from ncleaner.modelling.victor import VictorModel

__all__ = [
    "AUTO",
    "METHODS",
    "ByLanguage",
    "Models",
    "fingerprint",
    "load_models",
    "make_method",
    "model_names",
    "needs_model",
]

# the name that stands for a model per page, and the model for languages without one
AUTO = "auto"
_FALLBACK = "nonlexical"
LanguageModel = TypeVar("LanguageModel", NGramModel, HybridModel)


class ByLanguage(Mapping[str, LanguageModel]):
    """The models by language, each loaded when it is asked for. It pickles.

    Args:
        load: `load_hybrid` or `load_ngrams`, what to make of a name or a file.
        folder: a directory with models of one's own (`*.ncm`), which go before those that are shipped. Models
            that are of no language, such as structure models, are passed over.
        threshold: instead of each model's own.

    Raises:
        ModelError: the directory holds no model, or one that cannot be read.
    """

    def __init__(
        self,
        load: Callable[[str | Path], LanguageModel],
        folder: Path | None = None,
        threshold: float | Preset | None = None,
    ) -> None:
        self._load: Callable[[str | Path], LanguageModel] = load
        self._threshold = threshold
        self._names: dict[str, str | Path] = {name: name for name in shipped_models() if name != _FALLBACK}
        self._names[""] = _FALLBACK
        self._loaded: dict[str, LanguageModel] = {}
        if folder is None:
            return
        paths = sorted(folder.glob("*.ncm"))
        paths = [path for path in paths if kind_of(model_bytes(path), str(path)) in ("ngram", "hybrid")]
        if not paths:
            raise ModelError(f"there is no model of a language (*.ncm) in the directory {folder}")
        for path in paths:
            model = load(path)
            language = str(model.about.get("language", ""))
            if not language:
                raise ModelError(f"{path} does not say its language: train it with --language")
            code = "" if language == "any" else language
            self._names[code], self._loaded[code] = path, self._ready(model)

    def __getitem__(self, language: str) -> LanguageModel:
        if language not in self._loaded:
            self._loaded[language] = self._ready(self._load(self._names[language]))
        return self._loaded[language]

    def _ready(self, model: LanguageModel) -> LanguageModel:
        return model if self._threshold is None else model.with_parameters(threshold=self._threshold)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def model_names(method: str, model: str | Path) -> list[str | Path]:
    """The shipped models and files that a method may use; none for a method without a model.

    Args:
        method, model: as `load_models` takes them.
    """
    kind = needs_model(method)
    if not kind:
        return []
    if kind == "victor":
        # where the name is that of a model of another kind, as the default is, victor has its own
        return ["victor" if model in (AUTO, *shipped_models()) else model]
    names: list[str | Path] = [model]
    if model == AUTO or Path(model).is_dir():
        names = [*shipped_models(), *(sorted(Path(model).glob("*.ncm")) if model != AUTO else ())]
    return [*names, "structure"] if kind == "hybrid" else names


def fingerprint(method: str, model: str | Path) -> str:
    """A hash of all the model files that a method may use, hexadecimal; empty for a method without a model.

    Args:
        method, model: as `load_models` takes them.

    Raises:
        ModelError: no such model.
    """
    files = [hashlib.sha256(model_bytes(name)).digest() for name in model_names(method, model)]
    return hashlib.sha256(b"".join(files)).hexdigest()[:16] if files else ""


Models: TypeAlias = (
    "NGramModel | HybridModel | VictorModel | Mapping[str, NGramModel] | Mapping[str, HybridModel] | None"
)
"""What a method is given: one model, one for each language (`ByLanguage`), or none."""


def _everything(model: Models) -> Method:
    from ncleaner.methods.everything import Everything

    return Everything()


def _heuristics(model: Models) -> Method:
    from ncleaner.methods.heuristics import Heuristics

    return Heuristics()


def _ngram(model: Models) -> Method:
    from ncleaner.methods.by_language import PerLanguage
    from ncleaner.methods.ngram import NGram
    from ncleaner.modelling.hybrid import HybridModel

    if isinstance(model, Mapping):
        return PerLanguage("ngram", model, _ngram)
    if isinstance(model, HybridModel):
        model = model.ngrams
    if isinstance(model, NGramModel):
        return NGram(model)
    raise ValueError("the method ngram needs a model of n-grams")


def _hybrid(model: Models) -> Method:
    from ncleaner.methods.by_language import PerLanguage
    from ncleaner.methods.hybrid import Hybrid
    from ncleaner.modelling.hybrid import HybridModel

    if isinstance(model, Mapping):
        return PerLanguage("hybrid", model, _hybrid)
    if isinstance(model, NGramModel):
        model = HybridModel.of_ngrams(model)
    if isinstance(model, HybridModel):
        return Hybrid(model)
    raise ValueError("the method hybrid needs a model of n-grams or a hybrid")


def _victor(model: Models) -> Method:
    from ncleaner.methods.victor import Victor
    from ncleaner.modelling.victor import VictorModel, load_victor

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
    from ncleaner.modelling.hybrid import load_hybrid, load_ngrams

    kind = needs_model(name)
    if kind == "victor":
        from ncleaner.modelling.victor import load_victor

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
