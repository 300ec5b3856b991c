"""The options of a run over archives: what is read, how it is decided, what is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, cast

import typer

from ncleaner.limits import Limits
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL, entry_of
from ncleaner.people.options import (
    AltOption,
    EncodingOption,
    F,
    HeadlineOption,
    InputFormatName,
    InputFormatOption,
    MarkerOption,
    Method,
    MethodOption,
    ModelOption,
    NewsOption,
    NoCaptionsOption,
    NoCommentsOption,
    NoticesOption,
    PrecisionOption,
    RecallOption,
    SetOption,
    SitesOption,
    TextLayoutName,
    TextOption,
    ThresholdOption,
    check_marker,
    parameters_of,
    threshold_of,
    with_options_of,
)
from ncleaner.people.output_options import Output, output_of
from ncleaner.running.settings import Settings

__all__ = ["settings_of", "with_settings"]

MaxBytesOption = Annotated[
    int,
    typer.Option(
        min=1, help="Largest page, in bytes, before and after decompression; larger pages are given up."
    ),
]
MaxNestingOption = Annotated[
    int,
    typer.Option(
        min=16, help="Deepest nesting of elements in a page that is slow to parse; deeper tags are dropped."
    ),
]
MaxSegmentsOption = Annotated[
    int, typer.Option(min=1, help="Largest number of segments of a page; pages with more are given up.")
]
MaxSecondsOption = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0.1, help="Longest time for one page, in seconds; slower pages are given up."
    ),
]
MaxMemoryOption = Annotated[
    int | None,
    typer.Option(
        metavar="MB",
        min=200,
        help="Memory of a worker, in MB; pages that need more are given up (Linux).  [default: no limit]",
        show_default=False,
    ),
]


@with_options_of(output_of, "output")
def settings_of(
    output: Output,
    method: MethodOption = Method(DEFAULT_METHOD),
    parameters: SetOption = [],  # noqa: B006
    model: ModelOption = DEFAULT_MODEL,
    sites: SitesOption = None,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = False,
    recall: RecallOption = False,
    input_format: InputFormatOption = InputFormatName("auto"),
    marker: MarkerOption = None,
    text: TextOption = TextLayoutName("auto"),
    encoding: EncodingOption = None,
    alt_text: AltOption = False,
    headline: HeadlineOption = None,
    no_comments: NoCommentsOption = False,
    no_captions: NoCaptionsOption = False,
    news: NewsOption = False,
    notices: NoticesOption = False,
    max_bytes: MaxBytesOption = Limits().bytes,
    max_nesting: MaxNestingOption = Limits().nesting,
    max_segments: MaxSegmentsOption = Limits().segments,
    max_seconds: MaxSecondsOption = Limits().seconds,
    max_memory: MaxMemoryOption = None,
) -> Settings:
    """Returns the settings of a run. Raises BadParameter for options that do not go together, before anything
    is read."""
    check_marker(marker)
    if entry_of(method.value).needs_references and sites is None:
        raise typer.BadParameter(
            f"the method {method.value} needs --sites FILE, which `ncleaner survey --references` makes",
            param_hint="--method",
        )
    return Settings(
        method=method.value,
        model=model,
        threshold=threshold_of(threshold, precision, recall),
        output_format=output.format,
        sink_options=output.options,
        input_format=cast(Any, input_format.value),
        encoding=encoding,
        alt_text=alt_text,
        headline=headline,
        comments=not no_comments,
        captions=not no_captions,
        news=news,
        notices=notices,
        parameters=parameters_of(method.value, parameters),
        sites=sites,
        limits=Limits(
            bytes=max_bytes,
            nesting=max_nesting,
            segments=max_segments,
            seconds=max_seconds,
            memory=max_memory and max_memory * 1_000_000,
        ),
        marker=marker,
        text=text.value,
    )


def with_settings(**defaults: Any) -> Callable[[F], F]:
    """Decorates a command: puts the options of `settings_of` in the place of its parameter `settings`.

    Args:
        defaults: {option: default} where this command differs.
    """
    return with_options_of(settings_of, "settings", **defaults)
