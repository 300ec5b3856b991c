"""The interface of cleaning methods, and the entries of the table of methods."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from ncleaner.errors import named
from ncleaner.options import Option, options_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ncleaner.document import Document
    from ncleaner.document.kept import Kept
    from ncleaner.modelling._judge import Steps
    from ncleaner.modelling.container import ModelFile
    from ncleaner.modelling.decision import Preset

Value = float | int | bool | str
"""A value of a parameter."""


class Method(Protocol):
    """A cleaning method: a function of a Document, and of a model where it has one.

    A class of the table of methods takes its model, if it has one, as its first argument. A class with
    parameters is a dataclass; its parameters are its options.
    """

    name: str

    def keep(self, document: "Document") -> "Kept":
        """Says which segments to keep."""
        ...


class Trace:
    """Record of the decision about one page, for explanations. A method that gets one fills it.

    Attributes:
        steps: the steps of the structure model's judgement; None for a method without one.
        rules: (name, mask after it) of each rule that was applied, in order. The first is the mask
            by scores.
        copied: shape (segments,): for each copy that was removed, the segment that it repeats.
    """

    def __init__(self) -> None:
        self.steps: Steps | None = None
        self.rules: list[tuple[str, npt.NDArray[np.bool_]]] = []
        self.copied: npt.NDArray[np.int32] | None = None

    def note(self, rule: str, mask: "npt.NDArray[np.bool_]") -> None:
        """Records the mask after a rule."""
        self.rules.append((rule, mask.copy()))


class ModelKind(NamedTuple):
    """A kind of model file.

    Attributes:
        name: as the header of the file says it (`kind`).
        path: `module:class` of the model, a subclass of `ModelFile`; it is imported when a file of this kind
            is read.
    """

    name: str
    path: str

    @property
    def model(self) -> "type[ModelFile]":
        """The class of the model."""
        found: type[ModelFile] = named(self.path)
        return found


class Entry(NamedTuple):
    """Description of a method for the rest of the package.

    Attributes:
        name: as users give it.
        about: a few words for help texts.
        path: `module:class` of the method; it is imported when the method is asked for.
        source: who published it, for the list of methods; empty for our own.
        kinds: kinds of model file that the method takes; the first is its own kind, which a model of the
            others can become (`ModelFile.of_model`). None for a method without a model.
        default: its shipped model, for a method with one model for all languages.
        by_language: there is a model for each language, so that each page can have the model of its own.
        needs_references: it needs a survey of sites with pages of theirs.
        by_zones: by default, the headline of a page is kept and readers' comments are left out.
        estimates: it estimates the quality of its text (`Kept.estimate`).
        parts: shipped models that it uses besides, by name.
        trainer: `module:function` that trains its model from pairs of pages and texts; empty for models of
            the engine, which the laboratory trains.
    """

    name: str
    about: str
    path: str
    source: str = ""
    kinds: tuple[ModelKind, ...] = ()
    default: str = ""
    by_language: bool = False
    needs_references: bool = False
    by_zones: bool = False
    estimates: bool = False
    parts: Mapping[str, ModelKind] = {}
    trainer: str = ""

    @property
    def parameters(self) -> tuple[Option, ...]:
        """The parameters that users may set."""
        made = named(self.path)
        return options_of(cast(type, made)) if is_dataclass(made) else ()

    def settled(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Returns parameters in their types. Raises ValueError: the parameter is unknown, or its
        value is of another type."""
        known = {each.name: each for each in self.parameters}
        for name in given:
            if name not in known:
                there = f"it has {', '.join(known)}" if known else "it has none"
                raise ValueError(f"the method {self.name} has no parameter {name!r}: {there}")
        return {name: known[name].read(value) for name, value in given.items()}

    def make(
        self,
        model: "ModelFile | None" = None,
        threshold: "float | Preset | None" = None,
        news: bool = False,
        parameters: Mapping[str, Value] = MappingProxyType({}),
    ) -> Method:
        """The method with this model.

        Args:
            model: of one of the kinds; the method gets it converted to its own kind.
            threshold: in bits, or a preset, instead of the model's own.
            news: all pages are articles; only a model that tells articles from other pages uses it.
            parameters: {name: value} for those that differ from the defaults.

        Raises:
            ValueError: the model is missing, or of a kind that the method does not take; or there is no such
                parameter, or its value is out of range.
            ModelError: the model has no such preset.
        """
        made: Callable[..., Method] = named(self.path)
        settled = self.settled(parameters)
        if not self.kinds:
            return made(**settled)
        if model is None or model.KIND not in (kind.name for kind in self.kinds):
            wanted = " or ".join(kind.model.CALLED for kind in self.kinds)
            raise ValueError(f"the method {self.name} needs a model: {wanted}")
        own = self.kinds[0].model.of_model(model)
        if threshold is not None:
            own = own.with_threshold(threshold)
        return made(own.for_news() if news else own, **settled)
