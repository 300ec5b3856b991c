"""Methods with the models that a user asks for: loaded, listed, and by language."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ncleaner.arguments import check_path
from ncleaner.document.kept import Kept
from ncleaner.errors import ModelError
from ncleaner.methods.base import Entry, Method, ModelKind, Value
from ncleaner.methods.language import PageLanguage, find_language, foreign_segments, page_language
from ncleaner.methods.registry import AUTO, DEFAULT_MODEL, FALLBACK_MODEL, KINDS, SHIPPED, entry_of
from ncleaner.modelling.container import header_of, language_of, unpack, usable
from ncleaner.modelling.files import is_path, model_bytes, own_models, shipped_models

if TYPE_CHECKING:
    from ncleaner.document import Document
    from ncleaner.modelling.container import ModelFile
    from ncleaner.modelling.decision import Preset
    from ncleaner.modelling.ngrams import NGramModel

_NONE: Mapping[str, Value] = MappingProxyType({})


def load_model(name: str | Path, kinds: tuple[ModelKind, ...] = tuple(KINDS.values())) -> ModelFile:
    """Loads a shipped model or one of the user's own by its name (`en`), or the model of a file, of any kind.

    >>> import ncleaner
    >>> ncleaner.load_model("el").about["language"]
    'el'

    Args:
        name: the name or the path.
        kinds: those that will do; all by default.

    Raises:
        TypeError: `name` is neither a name nor a path.
        ModelError: no such model, its file cannot be read, or it is of another kind.
    """
    check_path("name", name, "the name of a model or the path of its file")
    header, arrays = unpack(model_bytes(name, [kind.name for kind in kinds]), str(name))
    for kind in kinds:
        if kind.name == header["kind"]:
            with usable(str(name)):
                return kind.model.of_parts(header, arrays, str(name))
    wanted = " or ".join(kind.model.CALLED for kind in kinds)
    raise ModelError(f"{name} holds a model of kind {header['kind']!r}, not {wanted}")


def read_ngrams(name: str | Path) -> NGramModel:
    """The n-grams of a shipped model or of a file, also of a hybrid. Raises as `load_model`."""
    from ncleaner.modelling.ngrams import NGramModel

    return NGramModel.of_model(load_model(name, entry_of("ngram").kinds))


class ByLanguage(Mapping[str, "ModelFile"]):
    """The models by language, each loaded when it is asked for. It pickles.

    Args:
        kinds: kinds of model that will do.
        paths: files of models of the user's own, which go before those that are shipped. Models of other
            kinds are passed over.

    Raises:
        ModelError: a model cannot be read.
    """

    def __init__(self, kinds: tuple[ModelKind, ...], paths: Iterable[Path] = ()) -> None:
        self._kinds = kinds
        self._names: dict[str, str] = {
            name: name for name in shipped_models("ngram") if name != FALLBACK_MODEL
        }
        self._names[""] = FALLBACK_MODEL
        self._loaded: dict[str, ModelFile] = {}
        for path in paths:
            if header_of(model_bytes(path), str(path))["kind"] not in (kind.name for kind in kinds):
                continue
            model = load_model(path, kinds)
            language = language_of(model.about)
            if not language:
                continue
            code = "" if language == "any" else language
            self._names[code], self._loaded[code] = str(path), model

    def __getitem__(self, language: str) -> ModelFile:
        if language not in self._loaded:
            self._loaded[language] = load_model(self._names[language], self._kinds)
        return self._loaded[language]

    def loaded(self) -> list[ModelFile]:
        """Returns the models that are loaded already; at first the user's own."""
        return list(self._loaded.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


# Languages that are written with the characters of another one, whose n-grams serve them better than none: of
# Japanese news, `ngram` keeps nothing without them (docs/languages.md).
_WRITTEN_LIKE = {"ja": "zh", "wuu": "zh", "yue": "zh"}


def key_of(language: str, models: Container[str]) -> str:
    """Returns the key of a language's model in {code: model}, or of a language that is written alike; empty
    if there is none."""
    found = language if language in models else _WRITTEN_LIKE.get(language, "")
    return found if found in models else ""


@dataclass(eq=False, repr=False)
class PerLanguage:
    """A method with a model per page.

    On a page in two languages, the n-grams of the page's model would judge all foreign text as boilerplate.
    So its longer segments in another script, or with frequent words of another language, get the n-grams of
    that language, or the non-lexical ones. Everything else is decided by the page's model.

    Attributes:
        entry: the method.
        models: {ISO 639-1 code: model}; the one under an empty code is for all other pages.
        threshold: in bits, or a preset, instead of each model's own.
        news: all pages are articles.
        parameters: of the method, in their types.
    """

    entry: Entry
    models: Mapping[str, ModelFile]
    threshold: float | Preset | None = None
    news: bool = False
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = self.entry.name
        self._methods: dict[str, tuple[str, Method]] = {}

    def keep(self, document: Document) -> Kept:
        """Decides as the method does, and remarks the model and the language of the page."""
        method, name, found = self.method_of(document)
        return method.keep(document).remarked(model=name, language=found.language, language_score=found.score)

    def method_of(self, document: Document) -> tuple[Method, str, PageLanguage]:
        """Returns the method with the model of a page, the name of this model, and the page's language."""
        found = find_language(document)
        chosen = key_of(found.language, self.models)
        if chosen not in self._methods:
            # loaded for the first page that needs it
            model = self.models[chosen]
            made = self.entry.make(model, self.threshold, self.news, self.parameters)
            self._methods[chosen] = model.name, made
        name, method = self._methods[chosen]
        # the non-lexical model is for no language, and needs no other
        if found.mixed and chosen:
            method = self._mixed(method, document, found)
        return method, name, found

    def _mixed(self, method: Any, document: Document, found: PageLanguage) -> Method:
        """Returns the method with further n-grams for the segments that are not in the page's language."""
        from ncleaner.modelling.ngrams import NGramModel

        others = [
            (rows, NGramModel.of_model(self.models[key_of(language, self.models)]))
            for language, rows in foreign_segments(document, found).items()
        ]
        if not others:
            return method  # type: ignore[no-any-return]
        model: ModelFile = method.model
        ngrams: NGramModel = NGramModel.of_model(model).with_others(others)
        mixed: Any = ngrams if isinstance(model, NGramModel) else replace(model, ngrams=ngrams)  # type: ignore
        made: Method = type(method)(mixed, **self.parameters)
        return made


def language_of_model(name: str | Path) -> str:
    """Returns the language that a model says it is for; empty without one. Raises as `load_model`."""
    return language_of(header_of(model_bytes(name), str(name)))


def ngrams_by_page(name: str | Path) -> Callable[[Document], NGramModel]:
    """Returns a function that gives the n-grams for a page: of one model, or for `auto` and a directory of
    the page's language. Raises as `load_model` and `ByLanguage`."""
    from ncleaner.modelling.ngrams import NGramModel

    if not _is_per_page(name):
        model = read_ngrams(name)
        return lambda document: model
    models = _by_language(entry_of("ngram"), name)
    return lambda document: NGramModel.of_model(models[key_of(page_language(document), models)])


def _is_per_page(model: str | Path) -> bool:
    return model in (AUTO, SHIPPED) or (is_path(model) and Path(model).is_dir())


def _by_language(entry: Entry, model: str | Path) -> ByLanguage:
    """Returns the models by language of `auto`, `shipped` or a directory."""
    if model == SHIPPED:
        return ByLanguage(entry.kinds)
    if model == AUTO:
        return ByLanguage(entry.kinds, own_models().values())
    files = sorted(Path(model).glob("*.ncm"))
    for path in files:
        if not language_of_model(path):
            raise ModelError(f"{path} does not say its language: train it with --language")
    models = ByLanguage(entry.kinds, files)
    if not models.loaded():
        raise ModelError(f"there is no model of a language (*.ncm) in the directory {model}")
    return models


def _own_model(entry: Entry, model: str | Path) -> str | Path:
    """The model to take for a method that has one for all languages: its own, where the one asked for is
    `auto` or the shipped model of a language, as a default may be."""
    return entry.default if model in (AUTO, SHIPPED, *shipped_models("ngram")) else model


def model_files(method: str, model: str | Path) -> list[str | Path]:
    """The shipped models and files that a method may use; none for a method without a model.

    Args:
        method, model: as `load_method` takes them.

    Raises:
        ValueError: no such method.
    """
    entry = entry_of(method)
    if not entry.kinds:
        return []
    if not entry.by_language:
        return [_own_model(entry, model), *entry.parts]
    if not _is_per_page(model):
        return [model, *entry.parts]
    own = own_models().values() if model == AUTO else ()
    files = () if model in (AUTO, SHIPPED) else sorted(Path(model).glob("*.ncm"))
    return [*shipped_models("ngram"), *own, *files, *entry.parts]


def fingerprint(method: str, model: str | Path) -> str:
    """A hash of all the model files that a method may use, hexadecimal; empty for a method without a model.

    Args:
        method, model: as `load_method` takes them.

    Raises:
        ModelError: no such model.
        ValueError: no such method.
    """
    files = [hashlib.sha256(model_bytes(name)).digest() for name in model_files(method, model)]
    return hashlib.sha256(b"".join(files)).hexdigest()[:16] if files else ""


def load_method(
    name: str,
    model: str | Path = DEFAULT_MODEL,
    threshold: float | Preset | None = None,
    news: bool = False,
    parameters: Mapping[str, Value] = _NONE,
) -> Method:
    """A method with the model or models that it needs.

    Args:
        name: of the method.
        model: `auto` for a model per page by its language, the user's own models first (`modelling.files`);
            `shipped` for the shipped ones alone; a directory of models that go first; a model's name; or a
            file. Directories and files are paths with a separator or the suffix `.ncm`. A method with one
            model for all languages takes its own where the name is `auto` or a language's. A method without
            a model ignores it.
        threshold: in bits, or a preset, instead of the models' own.
        news: all pages are articles.
        parameters: {name: value} of the method's parameters that differ from the defaults.

    Raises:
        ModelError: no such model, or it has no such preset.
        ValueError: no such method, no such parameter, or its value is out of range.
    """
    entry = entry_of(name)
    # an error is raised now, not at the first page of a language
    parameters = entry.settled(parameters)
    if not entry.kinds:
        return entry.make(parameters=parameters)
    if entry.by_language and _is_per_page(model):
        models = _by_language(entry, model)
        for own in models.loaded():
            # an error in one of the user's own models is raised now, not at the first page in its language
            entry.make(own, threshold)
        return PerLanguage(entry, models, threshold, news, parameters)
    chosen = model if entry.by_language else _own_model(entry, model)
    return entry.make(load_model(chosen, entry.kinds), threshold, news, parameters)
