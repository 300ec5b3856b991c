"""What several commands share: arguments and options of runs, labelled pages, notes of training, the end of a
help page, and the exit status of a command.

Options of a recipe, of reading and of an output are declared where they are used; `declared` puts them here.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from ncleaner.errors import NcleanerError, TrainingWarning
from ncleaner.options import Declared, option
from ncleaner.people.streams import check_stdin, discard, finish, tell_error
from ncleaner.pools.signals import Terminated, ending_on_signals

if TYPE_CHECKING:
    from ncleaner.reading.inputs import Input
    from ncleaner.recipe import Recipe
    from ncleaner.training import Labelled
    from ncleaner.training.pairs import Pair


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
    statuses. The modules of the command are loaded now: the collection of garbage begins, and leaves them
    out."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
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
            tell_error("; ".join(["interrupted", *map(str, interrupt.args)]))
            raise typer.Exit(143 if isinstance(interrupt, Terminated) else 130) from None

    return cast(F, wrapper)


@contextmanager
def going_on() -> Iterator[None]:
    """Adds to an interrupt that the same command goes on."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        interrupt.args = ("finished outputs are kept, and the same command resumes",)
        raise


InputArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT...",
        help="Archives, pages, texts, directories or URLs. Archives are .warc, .arc and .wet, plain, .gz, "
        ".zst or .lz4, and .wacz; pages are .html and .mhtml; URLs are s3://…, https://… and so on; "
        "- or nothing is standard input.",
    ),
]


@dataclass(frozen=True, slots=True)
class Run(Declared):
    """How a run finds its inputs, with how many processes it works, and what it says."""

    inputs_from: str | None = option(
        None,
        "File that lists inputs, one path or URL per line, such as Common Crawl's warc.paths.gz; - for "
        "standard input.",
        kind=str, metavar="FILE", panel="Input",
    )  # fmt: skip
    prefix: str | None = option(
        None,
        "Prefix for each line of --inputs-from, such as https://data.commoncrawl.org/",
        kind=str, metavar="PATH|URL", panel="Input",
    )  # fmt: skip
    jobs: int | None = option(
        None,
        "Worker processes.",
        kind=int,
        low=1,
        otherwise="all cores",
        flags="--jobs -j",
        common=True,
        panel="Run",
    )
    again: bool = option(False, "Process finished inputs again.", common=True, panel="Run")
    log_json: bool = option(
        False, "Write JSON to standard error, one object per line, for programs.", panel="Run"
    )
    quiet: bool = option(
        False, "Show errors only: no progress, no summary.", flags="--quiet -q", common=True, panel="Run"
    )

    @property
    def processes(self) -> int:
        """Number of worker processes."""
        return self.jobs or cores()

    def sources(self, inputs: list[str] | None, output: str | None = None) -> list[Input]:
        """Returns the inputs that arguments and a list name, and says what is passed over.

        Raises as `find_inputs` and `listed_inputs`.
        """
        from ncleaner.reading.inputs import find_inputs, listed_inputs

        if self.prefix is not None and self.inputs_from is None:
            raise typer.BadParameter("--prefix needs --inputs-from")
        check_stdin([*(inputs or []), self.inputs_from or ""])
        found = find_inputs(inputs or [], output=output, note=self._note)
        return found + (listed_inputs(self.inputs_from, self.prefix or "") if self.inputs_from else [])

    def _note(self, sentence: str) -> None:
        if self.log_json:
            from ncleaner.people.progress import log

            log("passed_over", what=sentence)
        elif not self.quiet:
            tell_error(sentence)


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


def or_stdin(inputs: list[str] | None) -> list[str]:
    """Returns the inputs, or standard input. Raises BadParameter: there are none, and standard input is a
    terminal."""
    check_stdin(inputs or ["-"])
    if inputs:
        return inputs
    if sys.stdin.isatty():
        raise typer.BadParameter("no INPUT is given, and standard input is a terminal; give - to type a page")
    return ["-"]


def read_labelled(pages: Labelled, recipe: Recipe) -> list[Pair]:
    """Reads pages with their cleaned text: of two directories, or of a file of rows.

    Raises as `read_pairs` and `read_rows`; BadParameter: an option does not fit.
    """
    from ncleaner.training.pairs import read_pairs, read_rows, with_sites

    raw, site_from = pages.raw, pages.site_from
    assert raw is not None
    if pages.clean is not None:
        return read_pairs(
            raw, pages.clean, encoding=recipe.encoding, text=recipe.text, manifest=pages.manifest,
            site_from=site_from,
        )  # fmt: skip
    if raw.is_dir():
        raise typer.BadParameter(f"{raw} is a directory of pages: --clean names that of their cleaned text")
    if pages.manifest is not None:
        raise typer.BadParameter("--manifest is for directories: rows have a column `url`")
    pairs = read_rows(raw, encoding=recipe.encoding)
    return pairs if site_from is None else with_sites(pairs, site_from)


@contextmanager
def training_notes(quiet: bool) -> Iterator[None]:
    """Prints warnings of training as lines on standard error."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        if not (quiet and issubclass(category, TrainingWarning)):
            tell_error(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always", TrainingWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def epilog(examples: Iterable[tuple[str, str]]) -> str:
    """Returns the end of a help page: what each example does, and its command line. They are for the folder
    `examples` of a checkout; tests run them there."""
    return "\n\n".join(["Examples:", *(f"  {what}\n\n    {line}" for what, line in examples)])
