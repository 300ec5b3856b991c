"""NCleaner: two character n-gram models, one of clean and one of dirty text (Evert 2008)."""

from __future__ import annotations

from collections.abc import Mapping

from ncleaner.document import Document
from ncleaner.language import page_language
from ncleaner.methods import Kept
from ncleaner.methods.heuristics import Heuristics
from ncleaner.model import NGramModel

__all__ = ["NGram", "NGramByLanguage"]

# a page with fewer segments may well be all clean or all dirty
_MANY = 5
# share of unknown letters from which a page is strange to a model
_STRANGE = 0.5


class NGram:
    """Keeps the segments whose characters are likelier under the clean model than under the dirty one.

    Args:
        model: the pair of models, and the decision that goes with it.
    """

    name = "ngram"

    def __init__(self, model: NGramModel) -> None:
        self.model = model
        self._heuristics = Heuristics()
        _ = model.ratio  # built here, once, not on the first page

    def keep(self, document: Document) -> Kept:
        """Scores are log-odds in bits: per character, per segment, or given the whole page, as the model's
        decision has it."""
        table = document.segments
        scores = self.model.statistics(document.data, table["start"], table["end"])
        mask = (scores >= self.model.decision.threshold) & ~self._heuristics.remove(document)
        # a look at the letters only where the outcome is suspicious
        strange = (
            len(mask) >= _MANY
            and (mask.all() or not mask.any())
            and self.model.strangeness(document.data) > _STRANGE
        )
        return Kept(mask, scores, strange=strange)


class NGramByLanguage:
    """A model per page, by its language.

    Args:
        models: {ISO 639-1 code: model}; the one under an empty code is for all other pages.
    """

    name = "ngram"

    def __init__(self, models: Mapping[str, NGramModel]) -> None:
        self._models = models
        self._methods: dict[str, NGram] = {}

    def keep(self, document: Document) -> Kept:
        """As `NGram.keep`, with the model and the language that were found."""
        language = page_language(document)
        chosen = language if language in self._models else ""
        method = self._methods.get(chosen)
        if method is None:
            # loaded for the first page that needs it
            method = self._methods[chosen] = NGram(self._models[chosen])
        return method.keep(document)._replace(model=method.model.name, language=language)
