"""What commands share: options, what they become, and how a command ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from ncleaner.errors import InputError, NcleanerError
from ncleaner.limits import Limits
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL, METHODS
from ncleaner.running.settings import Settings
from ncleaner.sinks.base import SinkOptions
from ncleaner.sinks.choice import COMPRESSIONS, FORMATS, make_sink

if TYPE_CHECKING:
    from ncleaner.modelling.decision import Preset
    from ncleaner.reading.inputs import Input

__all__ = [
    "AltOption",
    "EncodingOption",
    "Format",
    "InputArgument",
    "InputFormatName",
    "InputFormatOption",
    "InputsFromOption",
    "JobsOption",
    "LogJsonOption",
    "MarkerOption",
    "Method",
    "MethodOption",
    "ModelOption",
    "PrecisionOption",
    "PrefixOption",
    "QuietOption",
    "RecallOption",
    "ThresholdOption",
    "check_marker",
    "cores",
    "ending_on_signals",
    "logged_as_json",
    "or_stdin",
    "said",
    "sources_of",
    "threshold_of",
    "with_settings",
]

# Choices are read off the tables, so that a new entry is an option at once; mypy cannot see the members.
Method = StrEnum("Method", [(name, name) for name in METHODS])  # type: ignore[misc]
Format = StrEnum("Format", [(name, name) for name in FORMATS])  # type: ignore[misc]
InputFormatName = StrEnum("InputFormatName", [(name, name) for name in ("auto", "warc", "html", "text")])  # type: ignore[misc]
Compression = StrEnum("Compression", [(name, name) for name in COMPRESSIONS])  # type: ignore[misc]

F = TypeVar("F", bound=Callable[..., Any])


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a run as SIGINT does."""


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """SIGINT and SIGTERM end the run inside, and leave no half outputs; a second one ends the process."""

    def end(number: int, _: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        raise _Terminated if number == signal.SIGTERM else KeyboardInterrupt

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        # who started us may want one of them ignored
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def said(function: F) -> F:
    """Turns errors that are about the user's data into a line on standard error and status 1."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except NcleanerError as error:
            print(f"ncleaner: {error}", file=sys.stderr)
            raise typer.Exit(1) from None
        except BrokenPipeError:
            # the reader of our output has seen enough; what is still buffered goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except KeyboardInterrupt as interrupt:
            print("ncleaner: interrupted; finished outputs are kept", file=sys.stderr)
            raise typer.Exit(143 if isinstance(interrupt, _Terminated) else 130) from None

    return cast(F, wrapper)


InputArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Archives (.warc, .arc, .wet; plain, .gz, .zst), HTML or text files, directories of these, URLs "
        "(s3://…, https://…); - or nothing for standard input.",
    ),
]
InputFormatOption = Annotated[
    InputFormatName, typer.Option("--input-format", help="What the inputs are, where it cannot be told.")
]
EncodingOption = Annotated[
    str | None,
    typer.Option(help="Encoding of all pages, whatever they declare (a WHATWG label such as koi8-r)."),
]
AltOption = Annotated[bool, typer.Option("--alt-text", help="Take in the alternative text of images.")]
NoCommentsOption = Annotated[
    bool, typer.Option("--no-comments", help="Leave out the readers' comments below an article.")
]
MarkerOption = Annotated[
    str | None,
    typer.Option(
        "--marker",
        metavar="REGEX",
        help="Texts hold many documents: each line in which this regular expression is found begins a new "
        "one, and its first group, if it has one, is the URL.  [default: known forms such as `URL: …`]",
        show_default=False,
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME|FILE|auto",
        help="A shipped model (see `ncleaner models`), a file, or auto: one per page by its language; a "
        "directory is auto with models of one's own.",
    ),
]
MethodOption = Annotated[Method, typer.Option("--method", "-m", help="Cleaning method.")]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        help="Log-odds, in bits, from which a segment is kept; higher removes more.  [default: the model's]",
        show_default=False,
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Worker processes.  [default: all cores]", show_default=False),
]
PrecisionOption = Annotated[
    bool, typer.Option("--precision", help="Rather lose text than keep boilerplate: the model's preset.")
]
RecallOption = Annotated[
    bool, typer.Option("--recall", help="Rather keep boilerplate than lose text: the model's preset.")
]
CompressOption = Annotated[
    Compression | None,
    typer.Option(help="Compress the output: text, cleaneval, jsonl, vertical.", show_default=False),
]
InputsFromOption = Annotated[
    str | None,
    typer.Option(
        "--inputs-from",
        metavar="FILE",
        help="A list of inputs, a path or URL a line, such as Common Crawl's warc.paths.gz; - for "
        "standard input.",
        show_default=False,
    ),
]
PrefixOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="What goes before each line of --inputs-from, such as https://data.commoncrawl.org/",
        show_default=False,
    ),
]
SegmentsOption = Annotated[
    bool, typer.Option("--segments", help="jsonl: add each segment's kind, score and offsets.")
]
MaxBytesOption = Annotated[
    int,
    typer.Option(min=1, help="Largest page, in bytes, also once inflated; larger ones are given up."),
]
MaxNestingOption = Annotated[
    int,
    typer.Option(min=16, help="Deepest nesting of a page that is slow to parse; deeper tags are dropped."),
]
MaxSegmentsOption = Annotated[
    int, typer.Option(min=1, help="Most segments of a page; pages with more are given up.")
]
MaxSecondsOption = Annotated[
    float, typer.Option(min=0.1, help="Longest time for a page, in seconds; slower ones are given up.")
]
MaxMemoryOption = Annotated[
    int | None,
    typer.Option(
        metavar="MB",
        min=200,
        help="Memory that a worker may have, in MB; pages that need more are given up (Linux).  "
        "[default: no limit]",
        show_default=False,
    ),
]
LogJsonOption = Annotated[
    bool, typer.Option("--log-json", help="Standard error is for programs: a JSON object a line.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary, errors only.")]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="Output format.")]


@contextmanager
def logged_as_json(wanted: bool) -> Iterator[None]:
    """Has errors told as JSON where everything else is."""
    from ncleaner.people.progress import log

    try:
        yield
    except NcleanerError as error:
        if not wanted:
            raise
        log("error", what=str(error))
        raise typer.Exit(1) from None


def _sink_options(name: str, segments: bool, compression: Compression | None) -> SinkOptions:
    """What is asked of the output, if the format can do it."""
    options = SinkOptions(segments, cast(Any, compression.value) if compression else None)
    try:
        make_sink(name, options)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--compress") from None
    return options


def threshold_of(threshold: float | None, precision: bool, recall: bool) -> float | Preset | None:
    """The one threshold that three options can name."""
    if (threshold is not None) + precision + recall > 1:
        raise typer.BadParameter("--threshold, --precision and --recall exclude each other")
    if precision:
        return "precision"
    return "recall" if recall else threshold


def or_stdin(inputs: list[str] | None) -> list[str]:
    """The inputs, or standard input; usage when that is a terminal and nobody is likely to type a page."""
    if inputs:
        return inputs
    if sys.stdin.isatty():
        raise typer.BadParameter("no INPUT, and standard input is a terminal (say - to type a page)")
    return ["-"]


def check_marker(marker: str | None) -> None:
    """Says what is wrong with a regular expression before anything is read."""
    from ncleaner.reading.markers import own_form

    try:
        if marker is not None:
            own_form(marker)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--marker") from None


def sources_of(inputs: list[str] | None, inputs_from: str | None, prefix: str | None) -> list[Input]:
    """The inputs that arguments and a list name. Raises as `find_inputs` and `listed_inputs` do."""
    from ncleaner.reading.inputs import find_inputs, listed_inputs

    if prefix is not None and inputs_from is None:
        raise typer.BadParameter("--prefix goes with --inputs-from")
    return find_inputs(inputs or []) + (listed_inputs(inputs_from, prefix or "") if inputs_from else [])


def settings_of(
    output_format: FormatOption = Format("text"),
    method: MethodOption = Method(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = False,
    recall: RecallOption = False,
    input_format: InputFormatOption = InputFormatName("auto"),
    marker: MarkerOption = None,
    encoding: EncodingOption = None,
    compress: CompressOption = None,
    segments: SegmentsOption = False,
    alt_text: AltOption = False,
    no_comments: NoCommentsOption = False,
    max_bytes: MaxBytesOption = Limits().bytes,
    max_nesting: MaxNestingOption = Limits().nesting,
    max_segments: MaxSegmentsOption = Limits().segments,
    max_seconds: MaxSecondsOption = Limits().seconds,
    max_memory: MaxMemoryOption = None,
) -> Settings:
    """Settings of a run; what cannot be is usage, and said before anything is read."""
    check_marker(marker)
    return Settings(
        method=method.value,
        model=model,
        threshold=threshold_of(threshold, precision, recall),
        output_format=output_format.value,
        sink_options=_sink_options(output_format.value, segments, compress),
        input_format=cast(Any, input_format.value),
        encoding=encoding,
        alt_text=alt_text,
        comments=not no_comments,
        limits=Limits(
            bytes=max_bytes,
            nesting=max_nesting,
            segments=max_segments,
            seconds=max_seconds,
            memory=max_memory and max_memory * 1_000_000,
        ),
        marker=marker,
    )


def with_settings(**defaults: Any) -> Callable[[F], F]:
    """Gives a command the options of `settings_of` in the place of its parameter `settings`.

    Args:
        defaults: of options for which this command has others.
    """
    options = [
        option.replace(default=defaults.get(option.name, option.default))
        for option in signature(settings_of, eval_str=True).parameters.values()
    ]

    def decorate(command: F) -> F:
        parameters: list[Parameter] = []
        for parameter in signature(command, eval_str=True).parameters.values():
            parameters += options if parameter.name == "settings" else [parameter]

        @wraps(command)
        def wrapper(**given: Any) -> Any:
            settings = settings_of(**{option.name: given.pop(option.name) for option in options})
            return command(settings=settings, **given)

        # what options there are typer reads off here
        named = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
        wrapper.__signature__ = Signature(named)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
        return cast(F, wrapper)

    return decorate
