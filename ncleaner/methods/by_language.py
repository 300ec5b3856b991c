"""A model for each page, by its language; whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.methods.base import Entry, Method, Value
from ncleaner.methods.language import Found, find_language, foreign_segments

if TYPE_CHECKING:
    from ncleaner.modelling.container import Stored
    from ncleaner.modelling.decision import Preset
    from ncleaner.modelling.ngrams import NGramModel

__all__ = ["PerLanguage", "key_of"]


def key_of(language: str, models: Mapping[str, Stored]) -> str:
    """Returns the key of a language's model in {code: model}: empty if it has no model of its own."""
    return language if language in models else ""


class PerLanguage:
    """A method with a model per page.

    On a page in two languages, the n-grams of the page's model would judge all foreign text as boilerplate.
    So its longer segments in another script, or with frequent words of another language, get the n-grams of
    that language, or the non-lexical ones. Everything else is decided by the page's model.

    Args:
        entry: the method.
        models: {ISO 639-1 code: model}; the one under an empty code is for all other pages.
        threshold: in bits, or a preset, instead of each model's own.
        news: all pages are articles.
        parameters: of the method.
    """

    def __init__(
        self,
        entry: Entry,
        models: Mapping[str, Stored],
        threshold: float | Preset | None = None,
        news: bool = False,
        parameters: Mapping[str, Value] = MappingProxyType({}),
    ) -> None:
        self.name = entry.name
        self._parameters = dict(parameters)
        self._threshold = threshold
        self._news = news
        self._entry = entry
        self._models = models
        self._methods: dict[str, tuple[str, Method]] = {}

    def keep(self, document: Document) -> Kept:
        """Decides as the method does, and remarks the model and the language of the page."""
        method, name, language = self.method_of(document)
        return method.keep(document).remarked(model=name, language=language)

    def method_of(self, document: Document) -> tuple[Method, str, str]:
        """Returns the method with the model of a page, the name of this model, and the page's language."""
        found = find_language(document)
        chosen = key_of(found.language, self._models)
        if chosen not in self._methods:
            # loaded for the first page that needs it
            model = self._models[chosen]
            self._methods[chosen] = (
                model.name,
                self._entry.make(model, self._threshold, self._news, self._parameters),
            )
        name, method = self._methods[chosen]
        # the non-lexical model is for no language, and needs no other
        if found.mixed and chosen:
            method = self._mixed(method, document, found)
        return method, name, found.language

    def _mixed(self, method: Any, document: Document, found: Found) -> Method:
        """Returns the method with further n-grams for the segments that are not in the page's language."""
        from ncleaner.modelling.ngrams import NGramModel

        others = [
            (rows, NGramModel.of_model(self._models[key_of(language, self._models)]))
            for language, rows in foreign_segments(document, found).items()
        ]
        if not others:
            return method  # type: ignore[no-any-return]
        model: Stored = method.model
        ngrams: NGramModel = NGramModel.of_model(model).with_others(others)
        mixed: Any = ngrams if isinstance(model, NGramModel) else replace(model, ngrams=ngrams)  # type: ignore
        made: Method = type(method)(mixed, **self._entry.settled(self._parameters))
        return made
