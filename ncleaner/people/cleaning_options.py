"""The options of commands that clean pages one by one in this process, and the cleaner that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ncleaner.methods.base import Value
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.people.options import (
    EncodingOption,
    F,
    HeadlineOption,
    ModelOption,
    NewsOption,
    NoCaptionsOption,
    NoCommentsOption,
    NoticesOption,
    PageMethod,
    PrecisionOption,
    RecallOption,
    SetOption,
    SitesOption,
    TextLayoutName,
    TextOption,
    ThresholdOption,
    parameters_of,
    threshold_of,
    with_options_of,
)

if TYPE_CHECKING:
    from ncleaner.cleaner import Cleaner
    from ncleaner.modelling.decision import Preset

__all__ = ["Cleaning", "with_cleaning"]


@dataclass(frozen=True, slots=True)
class Cleaning:
    """How pages are to be cleaned.

    Attributes:
        method: name of the method; empty if none is named.
        model: as `Cleaner` takes it.
        text: layout of plain text.
        named: the options that differ from their defaults, as they are written.
        arguments: further arguments of `Cleaner`.
    """

    method: str
    model: str
    text: str
    named: tuple[str, ...] = ()
    threshold: float | Preset | None = None
    parameters: dict[str, Value] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)

    def cleaner(self, method: str = "", model: str = "", threshold: float | Preset | None = None) -> Cleaner:
        """Returns the cleaner; with another method, model or threshold if they are given.

        Raises as `Cleaner` does.
        """
        from ncleaner.cleaner import Cleaner

        own = self.method or DEFAULT_METHOD
        name = method or own
        return Cleaner(
            name,
            model or self.model,
            threshold=self.threshold if threshold is None else threshold,
            parameters=self.parameters if name == own else {},
            facts=True,
            text=self.text,
            **self.arguments,
        )


def cleaning_of(
    method: Annotated[
        PageMethod | None,
        typer.Option(
            "--method",
            "-m",
            help=f"Cleaning method: {', '.join(PageMethod)}. `ncleaner methods` says what each does.",
        ),
    ] = PageMethod(DEFAULT_METHOD),
    parameters: SetOption = [],  # noqa: B006
    model: ModelOption = DEFAULT_MODEL,
    sites: SitesOption = None,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = False,
    recall: RecallOption = False,
    headline: HeadlineOption = None,
    no_comments: NoCommentsOption = False,
    no_captions: NoCaptionsOption = False,
    news: NewsOption = False,
    notices: NoticesOption = False,
    text: TextOption = TextLayoutName("auto"),
    encoding: EncodingOption = None,
) -> Cleaning:
    """Returns how pages are to be cleaned. Raises BadParameter for options that do not go together."""
    named = {
        "--method": method is not None,
        "--set": bool(parameters),
        "--model": model != DEFAULT_MODEL,
        "--sites": sites is not None,
        "--threshold": threshold is not None,
        "--precision": precision,
        "--recall": recall,
        "--headline": headline is not None,
        "--no-comments": no_comments,
        "--no-captions": no_captions,
        "--news": news,
        "--notices": notices,
        "--encoding": encoding is not None,
    }
    name = "" if method is None else method.value
    return Cleaning(
        name,
        model,
        text.value,
        tuple(option for option, given in named.items() if given),
        threshold_of(threshold, precision, recall),
        parameters_of(name or DEFAULT_METHOD, parameters),
        {
            "sites": sites,
            "headline": headline,
            "comments": not no_comments,
            "captions": not no_captions,
            "news": news,
            "notices": notices,
            "encoding": encoding,
        },
    )


def with_cleaning(**defaults: Any) -> Callable[[F], F]:
    """Decorates a command: puts the options of `cleaning_of` in the place of its parameter `cleaning`.

    Args:
        defaults: {option: default} where this command differs.
    """
    return with_options_of(cleaning_of, "cleaning", **defaults)
