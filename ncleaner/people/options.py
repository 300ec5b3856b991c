"""Options that several commands share, what they become, and the exit status of a command."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from ncleaner.errors import InputError, NcleanerError
from ncleaner.methods.base import Value
from ncleaner.methods.table import METHODS, entry_of
from ncleaner.page import LAYOUT_CHOICES
from ncleaner.people.completing import model_choices
from ncleaner.people.streams import check_stdin, discard, finish, tell_error
from ncleaner.running.ending import Terminated, ending_on_signals

if TYPE_CHECKING:
    from ncleaner.modelling.decision import Preset
    from ncleaner.reading.inputs import Input

__all__ = [
    "AltOption",
    "EncodingOption",
    "F",
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
    "TextLayoutName",
    "TextOption",
    "ThresholdOption",
    "check_marker",
    "check_threshold",
    "cores",
    "logged_as_json",
    "or_stdin",
    "reports_errors",
    "sources_of",
    "threshold_of",
    "with_options_of",
]

# The choices come from the tables, so a new entry is an option at once; mypy cannot see the members.
Method = StrEnum("Method", [(name, name) for name in METHODS])  # type: ignore[misc]
# Those that need nothing but the page.
PageMethod = StrEnum(  # type: ignore[misc]
    "PageMethod", [(name, name) for name, entry in METHODS.items() if not entry.needs_references]
)
InputFormatName = StrEnum("InputFormatName", [(name, name) for name in ("auto", "warc", "html", "text")])  # type: ignore[misc]
TextLayoutName = StrEnum("TextLayoutName", [(name, name) for name in LAYOUT_CHOICES])  # type: ignore[misc]

# That of programs which die of SIGPIPE.
_CLOSED_PIPE = 141

F = TypeVar("F", bound=Callable[..., Any])


def cores() -> int:
    """Returns the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not available on this system
        return os.cpu_count() or 1


def reports_errors(function: F) -> F:
    """Decorates a command: errors in the user's data become a line on standard error and exit status 1;
    signals end it, and so does a reader of its output that closes the pipe. `people.app` lists the exit
    statuses."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            with ending_on_signals():
                function(*args, **kwargs)
                finish()
        except NcleanerError as error:
            tell_error(error)
            raise typer.Exit(1) from None
        except MemoryError:
            tell_error("not enough memory")
            raise typer.Exit(1) from None
        except BrokenPipeError:
            # what is still in the buffers
            discard(sys.stdout, sys.stderr)
            raise typer.Exit(_CLOSED_PIPE) from None
        except OSError as error:
            # a disk or a system that fails where no more can be said of it
            what = error.strerror or str(error)
            tell_error(what if error.filename is None else f"{error.filename}: {what}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt as interrupt:
            tell_error("interrupted; finished outputs are kept")
            raise typer.Exit(143 if isinstance(interrupt, Terminated) else 130) from None

    return cast(F, wrapper)


InputArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Archives (.warc, .arc, .wet; plain, .gz, .zst, .lz4; .wacz), HTML or text files, directories "
        "of these, URLs (s3://…, https://…); - or nothing for standard input.",
    ),
]
InputFormatOption = Annotated[
    InputFormatName,
    typer.Option(
        "--input-format", help="Format of the inputs, where neither their first bytes nor their names tell."
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="Encoding of all pages (a WHATWG label such as koi8-r), instead of what they declare.",
    ),
]
AltOption = Annotated[bool, typer.Option("--alt-text", help="Include the alternative text of images.")]
HeadlineOption = Annotated[
    bool | None,
    typer.Option(
        "--headline/--no-headline",
        help="Keep or leave out the headline of each page.  [default: kept by hybrid and ngram; the other "
        "methods decide]",
        show_default=False,
    ),
]
NoCommentsOption = Annotated[
    bool,
    typer.Option(
        "--no-comments", help="Leave out the readers' comments, unless they are the page, as in a forum."
    ),
]
NoCaptionsOption = Annotated[
    bool, typer.Option("--no-captions", help="Leave out the captions of pictures and tables.")
]
NewsOption = Annotated[
    bool,
    typer.Option(
        "--news",
        help="All pages are articles: judge each as one (hybrid), and leave out the readers' comments.",
    ),
]
NoticesOption = Annotated[
    bool,
    typer.Option(
        "--notices",
        help="Keep pages that hold nothing but a notice, such as an error message, a cookie wall or an empty "
        "listing. By default hybrid leaves them out.",
    ),
]
MarkerOption = Annotated[
    str | None,
    typer.Option(
        "--marker",
        metavar="REGEX",
        help="Text files hold many documents: each line that contains this regular expression begins a new "
        "document; its first group, if any, is the URL.  [default: known forms such as `URL: …`]",
        show_default=False,
    ),
]
TextOption = Annotated[
    TextLayoutName,
    typer.Option(
        "--text",
        metavar="LAYOUT",
        help="Layout of plain text. lines: a paragraph on each line; paragraphs: between empty lines; "
        "wrapped: as by Lynx or in mail; auto: as the lines tell.",
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="auto|NAME|FILE",
        autocompletion=model_choices,
        help="auto: a model per page by its language, your own first (see `ncleaner models`); shipped: auto "
        "without your own; a directory (./DIR): auto with the models of that directory first; or one model "
        "for all pages, by its name or its file (NAME.ncm).",
    ),
]
MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        "-m",
        help=f"Cleaning method: {', '.join(METHODS)}. `ncleaner methods` says what each does.",
    ),
]
PageMethodOption = Annotated[
    PageMethod,
    typer.Option(
        "--method",
        "-m",
        help=f"Cleaning method: {', '.join(PageMethod)}. `ncleaner methods` says what each does.",
    ),
]
SetOption = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter of the method; `ncleaner methods METHOD` lists them. Can be repeated.",
        show_default=False,
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        metavar="BITS",
        help="Segments with at least these log-odds, in bits, are kept; a higher value removes more.  "
        "[default: the model's]",
        show_default=False,
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Worker processes.  [default: all cores]", show_default=False),
]
PrecisionOption = Annotated[
    bool, typer.Option("--precision", help="Prefer losing text to keeping boilerplate: the model's preset.")
]
RecallOption = Annotated[
    bool, typer.Option("--recall", help="Prefer keeping boilerplate to losing text: the model's preset.")
]
InputsFromOption = Annotated[
    str | None,
    typer.Option(
        "--inputs-from",
        metavar="FILE",
        help="File that lists inputs, one path or URL per line, such as Common Crawl's warc.paths.gz; - for "
        "standard input.",
        show_default=False,
    ),
]
PrefixOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        help="Text to put before each line of --inputs-from, such as https://data.commoncrawl.org/",
        show_default=False,
    ),
]
LogJsonOption = Annotated[
    bool, typer.Option("--log-json", help="Write JSON to standard error, one object per line, for programs.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress and no summary, only errors.")
]


@contextmanager
def logged_as_json(wanted: bool) -> Iterator[None]:
    """Writes errors as JSON if `wanted`."""
    from ncleaner.people.progress import log

    try:
        yield
    except NcleanerError as error:
        if not wanted:
            raise
        log("error", what=str(error))
        raise typer.Exit(1) from None


def threshold_of(threshold: float | None, precision: bool, recall: bool) -> float | Preset | None:
    """Returns the threshold that one of three options gives. Raises BadParameter: more than one is given."""
    if (threshold is not None) + precision + recall > 1:
        raise typer.BadParameter("--threshold, --precision and --recall exclude each other")
    check_threshold(threshold)
    if precision:
        return "precision"
    return "recall" if recall else threshold


def check_threshold(threshold: float | None) -> None:
    """Checks a threshold before anything is read. Raises BadParameter."""
    if threshold is not None and not math.isfinite(threshold):
        raise typer.BadParameter(f"{threshold:g} is not a number of bits", param_hint="--threshold")


def or_stdin(inputs: list[str] | None) -> list[str]:
    """Returns the inputs, or standard input. Raises BadParameter: there are none, and standard input is a
    terminal."""
    check_stdin(inputs or ["-"])
    if inputs:
        return inputs
    if sys.stdin.isatty():
        raise typer.BadParameter("no INPUT is given, and standard input is a terminal; give - to type a page")
    return ["-"]


def check_marker(marker: str | None) -> None:
    """Checks a regular expression before anything is read. Raises BadParameter."""
    from ncleaner.reading.markers import custom_form

    try:
        if marker is not None:
            custom_form(marker)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--marker") from None


def sources_of(
    inputs: list[str] | None,
    inputs_from: str | None,
    prefix: str | None,
    output: str | None = None,
    log_json: bool = False,
) -> list[Input]:
    """Returns the inputs that arguments and a list name, and says what is passed over.

    Raises as `find_inputs` and `listed_inputs`.
    """
    from ncleaner.reading.inputs import find_inputs, listed_inputs

    if prefix is not None and inputs_from is None:
        raise typer.BadParameter("--prefix needs --inputs-from")
    check_stdin([*(inputs or []), inputs_from or ""])

    def note(sentence: str) -> None:
        if log_json:
            from ncleaner.people.progress import log

            log("passed_over", what=sentence)
        else:
            tell_error(sentence)

    found = find_inputs(inputs or [], output=output, note=note)
    return found + (listed_inputs(inputs_from, prefix or "") if inputs_from else [])


SitesOption = Annotated[
    str | None,
    typer.Option(
        "--sites",
        metavar="FILE",
        help="A survey of sites (see `ncleaner survey`): hybrid removes what is on many pages of a site.",
        show_default=False,
    ),
]


def parameters_of(method: str, given: list[str]) -> dict[str, Value]:
    """Returns parameters of a method. Raises BadParameter: there is no such parameter, or its value is
    wrong."""
    found: dict[str, Value] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals:
            raise typer.BadParameter(f"{item!r} is not NAME=VALUE", param_hint="--set")
        found[name.strip()] = value.strip()
    if not found:
        return found
    try:
        return entry_of(method).settled(found)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None


def with_options_of(made_by: Callable[..., Any], name: str, **defaults: Any) -> Callable[[F], F]:
    """Decorates a command: puts the options of a function in the place of one parameter, which gets what
    the function makes of them.

    Args:
        made_by: the function.
        name: of the parameter.
        defaults: {option: default} where this command differs.
    """
    options = [
        option.replace(default=defaults.get(option.name, option.default))
        for option in signature(made_by, eval_str=True).parameters.values()
    ]

    def decorate(command: F) -> F:
        parameters: list[Parameter] = []
        for parameter in signature(command, eval_str=True).parameters.values():
            parameters += options if parameter.name == name else [parameter]

        @wraps(command)
        def wrapper(**given: Any) -> Any:
            made = made_by(**{option.name: given.pop(option.name) for option in options})
            return command(**{name: made}, **given)

        # typer reads the options off these two
        named = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
        wrapper.__signature__ = Signature(named)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
        return cast(F, wrapper)

    return decorate
