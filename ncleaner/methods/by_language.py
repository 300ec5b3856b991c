"""A model for each page, by its language; whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.methods.base import Entry, Method
from ncleaner.methods.language import page_language

if TYPE_CHECKING:
    from ncleaner.modelling.container import Stored
    from ncleaner.modelling.decision import Preset

__all__ = ["PerLanguage", "language_and_key"]


def language_and_key(document: Document, models: Mapping[str, Stored]) -> tuple[str, str]:
    """Returns the language of a page, and the key of its model in {ISO 639-1 code: model}: the language, or
    an empty string if it has no model of its own."""
    language = page_language(document)
    return language, language if language in models else ""


class PerLanguage:
    """A method with a model per page.

    Args:
        entry: the method.
        models: {ISO 639-1 code: model}; the one under an empty code is for all other pages.
        threshold: in bits, or a preset, instead of each model's own.
    """

    def __init__(
        self, entry: Entry, models: Mapping[str, Stored], threshold: float | Preset | None = None
    ) -> None:
        self.name = entry.name
        self._threshold = threshold
        self._entry = entry
        self._models = models
        self._methods: dict[str, tuple[str, Method]] = {}

    def keep(self, document: Document) -> Kept:
        """Decides as the method does, and remarks the model and the language of the page."""
        language, chosen = language_and_key(document, self._models)
        if chosen not in self._methods:
            # loaded for the first page that needs it
            model = self._models[chosen]
            self._methods[chosen] = model.name, self._entry.make(model, self._threshold)
        name, method = self._methods[chosen]
        return method.keep(document).remarked(model=name, language=language)
