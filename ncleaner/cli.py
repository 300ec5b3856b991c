"""The command line: options in, one call, exit status out. No logic of its own.

Exit status: 0 all inputs read whole; 1 some input damaged or some page given up, or an error in the data;
2 usage.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

import typer

from ncleaner.alphabet import ALPHABETS
from ncleaner.cleaner import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.errors import NcleanerError
from ncleaner.limits import Limits
from ncleaner.methods import METHODS
from ncleaner.sinks import SINKS, SinkOptions
from ncleaner.train import SCHEMES

__all__ = ["app", "main"]

app = typer.Typer(
    name="ncleaner",
    help="Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# Choices are read off the tables, so that a new entry is an option at once; mypy cannot see the members.
Method = StrEnum("Method", [(name, name) for name in METHODS])  # type: ignore[misc]
Format = StrEnum("Format", [(name, name) for name in SINKS])  # type: ignore[misc]
AlphabetName = StrEnum("AlphabetName", [(name, name) for name in ALPHABETS])  # type: ignore[misc]
SchemeName = StrEnum("SchemeName", [(name, name) for name in SCHEMES])  # type: ignore[misc]
InputFormatName = StrEnum("InputFormatName", [(name, name) for name in ("auto", "warc", "html", "text")])  # type: ignore[misc]
Unit = StrEnum("Unit", [(name, name) for name in ("word", "char")])  # type: ignore[misc]

F = TypeVar("F", bound=Callable[..., Any])


def _cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _said(function: F) -> F:
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
        except KeyboardInterrupt:
            print("ncleaner: interrupted; finished outputs are kept", file=sys.stderr)
            raise typer.Exit(130) from None

    return cast(F, wrapper)


InputArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Archives (.warc, .arc, .wet; plain, .gz, .zst), HTML or text files, directories of these; "
        "- or nothing for standard input.",
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
ModelOption = Annotated[
    str,
    typer.Option("--model", metavar="NAME|FILE", help="A shipped model (see `ncleaner models`), or a file."),
]
MethodOption = Annotated[Method, typer.Option("--method", "-m", help="Cleaning method.")]
ThresholdOption = Annotated[
    float | None,
    typer.Option(help="Log-odds per character, in bits, from which a segment is kept; higher removes more."),
]


@app.command(name="clean")
@_said
def clean_command(
    inputs: InputArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A directory gets one file per input; a name with a suffix gets everything. "
            "Without it all goes to standard output.",
        ),
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = Format("text"),
    method: MethodOption = Method(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    threshold: ThresholdOption = None,
    input_format: InputFormatOption = InputFormatName("auto"),
    encoding: EncodingOption = None,
    segments: Annotated[
        bool, typer.Option("--segments", help="jsonl: add each segment's kind, score and offsets.")
    ] = False,
    alt_text: AltOption = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Worker processes.  [default: all cores]", show_default=False
        ),
    ] = None,
    max_bytes: Annotated[
        int, typer.Option(min=1, help="Largest page, in bytes; larger ones are given up.")
    ] = Limits().bytes,
    max_seconds: Annotated[
        float, typer.Option(min=0.1, help="Longest time for a page, in seconds; slower ones are given up.")
    ] = Limits().seconds,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary, errors only.")
    ] = False,
) -> None:
    """Clean web archives, HTML pages or text dumps."""
    from ncleaner.engine import run
    from ncleaner.inputs import find_inputs
    from ncleaner.progress import ProgressDisplay
    from ncleaner.workers import Settings

    sources = find_inputs(_or_stdin(inputs))
    settings = Settings(
        method=method.value,
        model=model,
        threshold=threshold,
        output_format=output_format.value,
        sink_options=SinkOptions(segments=segments),
        input_format=cast(Literal["auto", "warc", "html", "text"], input_format.value),
        encoding=encoding,
        alt_text=alt_text,
        limits=Limits(bytes=max_bytes, seconds=max_seconds),
    )
    with ProgressDisplay(sources, quiet=quiet) as display:
        tally = run(
            sources,
            settings,
            output=output if output is not None else sys.stdout.buffer,
            jobs=jobs or _cores(),
            progress=display.advance,
        )
        sys.stdout.flush()
    if not quiet:
        print(tally.summary(), file=sys.stderr)
    if not tally.complete:
        raise typer.Exit(1)


def _or_stdin(inputs: list[str] | None) -> list[str]:
    """The inputs, or standard input; usage when that is a terminal and nobody is likely to type a page."""
    if inputs:
        return inputs
    if sys.stdin.isatty():
        raise typer.BadParameter("no INPUT, and standard input is a terminal (say - to type a page)")
    return ["-"]


@app.command()
@_said
def dump(
    inputs: InputArgument = None,
    input_format: InputFormatOption = InputFormatName("auto"),
    encoding: EncodingOption = None,
    alt_text: AltOption = False,
) -> None:
    """Write the uncleaned text dump, a segment a line after its kind (h, l or p)."""
    from ncleaner.inspect import dump_lines

    complete = True
    for line in dump_lines(_or_stdin(inputs), input_format.value, encoding, alt_text):
        if isinstance(line, bytes):
            sys.stdout.buffer.write(line)
        else:
            print(f"ncleaner: {line}", file=sys.stderr)
            complete = False
    sys.stdout.flush()
    if not complete:
        raise typer.Exit(1)


@app.command()
@_said
def inspect(
    page: Annotated[str, typer.Argument(help="An HTML or text file, an archive (see --number), or -.")],
    method: MethodOption = Method(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    threshold: ThresholdOption = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Which page of an archive.")] = 1,
    input_format: InputFormatOption = InputFormatName("auto"),
    encoding: EncodingOption = None,
) -> None:
    """Show what happens to one page: each segment with its kind, score and fate."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.inspect import page_table

    cleaner = Cleaner(method.value, model, threshold=threshold, encoding=encoding)
    for line in page_table(page, number, cleaner, input_format.value):
        print(line)


@app.command()
@_said
def train(
    raw: Annotated[Path, typer.Option(help="Directory of pages: HTML, or text dumps (.txt).")],
    clean: Annotated[Path, typer.Option(help="Directory of their cleaned text: same names, .txt, UTF-8.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The model file to write.")],
    order: Annotated[
        int, typer.Option("--order", "-n", min=1, max=8, help="n, the length of the n-grams.")
    ] = 3,
    q: Annotated[
        float, typer.Option(help="Interpolation factor, between 0 and 1: larger smooths more.")
    ] = 0.5,
    alphabet: Annotated[
        AlphabetName,
        typer.Option(help="ascii: lexical, folded to ASCII; nonlexical: letters to a, digits to 0."),
    ] = AlphabetName("ascii"),
    scheme: Annotated[
        SchemeName,
        typer.Option(
            help="aligned: label the pages' segments by the clean text; differential: raw minus clean counts."
        ),
    ] = SchemeName("aligned"),
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Log-odds per character, in bits, from which a segment is kept.  "
            "[default: found by cross-validation]",
            show_default=False,
        ),
    ] = None,
    encoding: EncodingOption = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name to record in the model.  [default: that of the file]", show_default=False),
    ] = None,
    language: Annotated[str | None, typer.Option(help="Language to record in the model.")] = None,
    date: Annotated[
        str | None,
        typer.Option(
            help="Date to record in the model; none by default, so that the same pages give the same bytes."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only.")] = False,
) -> None:
    """Train a model from pages and their cleaned text (about 50 are enough)."""
    from ncleaner.model import interpolation_weights
    from ncleaner.train import Scheme, describe, read_pairs
    from ncleaner.train import train as train_model

    try:
        interpolation_weights(order, q)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--q") from None
    pairs = read_pairs(raw, clean, encoding=encoding)
    about = {"name": name or output.stem, "language": language, "date": date}
    trained = train_model(
        pairs,
        order=order,
        q=q,
        alphabet=alphabet.value,
        scheme=cast(Scheme, scheme.value),
        threshold=threshold,
        about={key: value for key, value in about.items() if value},
    )
    trained.save(output)
    if not quiet:
        print(describe(trained, output), file=sys.stderr)


@app.command()
@_said
def evaluate(
    predicted: Annotated[Path, typer.Argument(metavar="PRED_DIR", help="Directory of cleaned text.")],
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD_DIR", help="Directory of gold text, files of the same names.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="All figures, per page too, as JSON.")] = False,
    per_page: Annotated[bool, typer.Option("--per-page", help="A line for each page as well.")] = False,
    unit: Annotated[
        Unit, typer.Option(help="What the multiset F1 counts: char for scripts without spaces.")
    ] = Unit("word"),
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Leave non-ASCII characters out, as cleaneval.py -a does.")
    ] = False,
    align: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write each page's alignment with its gold text there.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Worker processes.  [default: all cores]", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Compare cleaned text with a gold standard: precision, recall and F as cleaneval.py has them."""
    import json

    from ncleaner.evaluate import evaluate as evaluate_directories
    from ncleaner.evaluate import render
    from ncleaner.progress import CountDisplay

    with CountDisplay("pages compared", quiet=quiet) as display:
        result = evaluate_directories(
            predicted,
            gold,
            unit=cast(Literal["word", "char"], unit.value),
            ascii_only=ascii_only,
            jobs=jobs or _cores(),
            progress=display.advance,
            align_dir=align,
        )
    print(
        json.dumps(result.to_dict(), ensure_ascii=False, indent=2)
        if as_json
        else render(result, per_page=per_page)
    )


@app.command()
@_said
def models() -> None:
    """List the models that come with the package."""
    from ncleaner.model import model_table

    print(model_table())


def version(value: bool) -> None:
    """Prints the version and ends."""
    if value:
        from importlib.metadata import version as installed

        print(f"ncleaner {installed('ncleaner')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out."""


def main() -> None:
    """Entry point of the `ncleaner` command."""
    app()
