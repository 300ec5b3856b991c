"""A model for each page, by its language; whatever the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.methods.base import Method
from ncleaner.methods.language import page_language

if TYPE_CHECKING:
    from ncleaner.modelling.hybrid import HybridModel
    from ncleaner.modelling.ngrams import NGramModel

__all__ = ["PerLanguage"]


class PerLanguage:
    """A method with a model per page.

    Args:
        name: of the method.
        models: {ISO 639-1 code: model}; the one under an empty code is for all other pages.
        make: the method with one model.
    """

    def __init__(
        self,
        name: str,
        models: Mapping[str, NGramModel] | Mapping[str, HybridModel],
        make: Callable[[NGramModel | HybridModel], Method],
    ) -> None:
        self.name = name
        self._models = models
        self._make = make
        self._methods: dict[str, tuple[str, Method]] = {}

    def keep(self, document: Document) -> Kept:
        """As the method, with the model and the language that were found."""
        language = page_language(document)
        chosen = language if language in self._models else ""
        if chosen not in self._methods:
            # loaded for the first page that needs it
            model = self._models[chosen]
            self._methods[chosen] = model.name, self._make(model)
        name, method = self._methods[chosen]
        return method.keep(document)._replace(model=name, language=language)
