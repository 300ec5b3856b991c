"""What a cleaning method is, and what the table of methods says of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ncleaner.document import Document
    from ncleaner.document.kept import Kept
    from ncleaner.modelling.container import Stored
    from ncleaner.modelling.decision import Preset

__all__ = ["Entry", "Method", "ModelKind"]


class Method(Protocol):
    """A cleaning method: a function of a Document, and of a model where it has one.

    A class of the table of methods takes its model as the only argument; one without a model takes no
    argument.
    """

    name: str

    def keep(self, document: Document) -> Kept:
        """Says which segments to keep."""
        ...


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of model file.

    Attributes:
        name: as the header of the file says it (`kind`).
        path: `module:class` of the model, a subclass of `Stored`; it is imported when a file of this kind is
            read.
    """

    name: str
    path: str

    @property
    def model(self) -> type[Stored]:
        """The class of the model."""
        found: type[Stored] = resolve_name(self.path)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """All that the rest of the package knows of a method.

    Attributes:
        name: as users give it.
        about: a few words for help texts.
        path: `module:class` of the method; it is imported when the method is asked for.
        kinds: kinds of model file that the method takes; the first is its own kind, which a model of the
            others can become (`Stored.of_model`). None for a method without a model.
        default: its shipped model, for a method with one model for all languages.
        by_language: there is a model for each language, so that each page can have the model of its own.
        keeps_headline: the headline of a page is kept unless the user says otherwise.
        parts: shipped models that it uses besides, by name.
    """

    name: str
    about: str
    path: str
    kinds: tuple[ModelKind, ...] = ()
    default: str = ""
    by_language: bool = False
    keeps_headline: bool = False
    parts: Mapping[str, ModelKind] = field(default_factory=dict)

    def make(
        self, model: Stored | None = None, threshold: float | Preset | None = None, news: bool = False
    ) -> Method:
        """The method with this model.

        Args:
            model: of one of the kinds; the method gets it as a model of its own kind.
            threshold: in bits, or a preset, instead of the model's own.
            news: all pages are articles; only a model that tells articles from other pages minds it.

        Raises:
            ValueError: the model is missing, or of a kind that the method does not take.
            ModelError: the model has no such preset.
        """
        made: Callable[..., Method] = resolve_name(self.path)
        if not self.kinds:
            return made()
        if model is None or model.KIND not in (kind.name for kind in self.kinds):
            wanted = " or ".join(kind.model.CALLED for kind in self.kinds)
            raise ValueError(f"the method {self.name} needs a model: {wanted}")
        own = self.kinds[0].model.of_model(model)
        if threshold is not None:
            own = own.with_threshold(threshold)
        return made(own.for_news() if news else own)
