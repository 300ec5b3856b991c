"""`ncleaner clean`."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from ncleaner.cli.parameters import InputArgument, Run, going_on, or_stdin, reports_errors, with_options
from ncleaner.cli.printing import finish, tell
from ncleaner.methods.registry import DEFAULT_MODEL
from ncleaner.options import OptionError
from ncleaner.page import Damage
from ncleaner.recipe import AUTO_SITES, Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.sinks.formats import Output

if TYPE_CHECKING:
    from ncleaner.reading.inputs import Input


_OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="A file, or a directory of files. A directory gets one file per input (see --rows-per-file) and "
        "a manifest, so that a later run skips finished inputs. A file (a name with a suffix) gets "
        "everything; its suffix sets format and compression unless -f and --compress do. Both may be URLs "
        "(s3://…, gs://…).  (default: -, standard output)",
        callback=lambda path: None if path == "-" else path,
        rich_help_panel="Output",
    ),
]
_ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace an output file that exists.", rich_help_panel="Output")
]
_QuarantineOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="WARC file for records that crash, hang or break a worker.  (with -o DIRECTORY: "
        "files in DIRECTORY/_run/quarantine/)",
        show_default=False,
        rich_help_panel="Run",
    ),
]


def _by_suffix(values: dict[str, Any]) -> None:
    """Chooses the format of an output file by its name where no option does."""
    from ncleaner.running.outputs import is_directory

    chosen, output = (values["output_format"], values["output_compression"]), values["output"]
    if output is None or is_directory(output):
        chosen = (chosen[0] or Output().format, chosen[1])
    else:
        chosen = Output.named(output, *chosen)
    values["output_format"], values["output_compression"] = chosen


@reports_errors
@with_options(
    {"format": {"default": None}, "sites": {"metavar": "auto|FILE"}}, _by_suffix, rare=["quarantine"],
    reading=Reading, written=Output, recipe=Recipe, asked=Run,
)  # fmt: skip
def command(
    inputs: InputArgument = None,
    *,
    reading: Reading,
    output: _OutputOption = None,
    force: _ForceOption = False,
    written: Output,
    recipe: Recipe,
    quarantine: _QuarantineOption = None,
    asked: Run,
) -> None:
    """Clean web archives, HTML pages, text dumps or tables of pages."""
    from ncleaner.cli.progress import ProgressDisplay
    from ncleaner.parsing._lexbor import reuse_memory
    from ncleaner.running.engine import run
    from ncleaner.running.outputs import check_new, is_directory

    if quarantine is not None and output is not None and is_directory(output):
        raise typer.BadParameter(
            "with -o DIRECTORY the quarantine is DIRECTORY/_run/quarantine/: leave --quarantine out",
            param_hint="--quarantine",
        )
    sources = asked.sources(inputs if asked.inputs_from else or_stdin(inputs), output)
    for file in (output, quarantine):
        if file is not None and not force:
            check_new(sources, file)
    settings = Settings(recipe, asked.reading(reading), written)
    _check_columns(sources, settings)
    place = output if output is not None else sys.stdout.buffer
    if written.format == "wet" and not asked.quiet and (output is None or output.endswith(".wet")):
        tell("wet is compressed, each record as a member of gzip: give the file a name that ends in .wet.gz")
    with (
        going_on() if output is not None and is_directory(output) else nullcontext(),
        _surveyed(sources, settings, place, asked) as settings,
        ProgressDisplay(asked.part.part_of(sources), quiet=asked.quiet, as_json=asked.log_json) as display,
    ):
        # of what is read from a pipe, and of what workers send
        reuse_memory()
        tally = run(
            sources, settings, output=place, jobs=asked.processes, progress=display.advance,
            again=asked.again, quarantine=quarantine, shard=asked.part,
        )  # fmt: skip
        finish()
    display.finish(tally, advises=recipe.learn is None and recipe.model == DEFAULT_MODEL)
    if not tally.complete:
        raise typer.Exit(1)


def _check_columns(sources: "list[Input]", settings: Settings) -> None:
    """Raises OptionError: the first table has no column of a name that the user gives.

    A run would leave outputs that refuse the right name."""
    given = "column" if settings.reading.column is not None else "carry" if settings.output.carry else ""
    if given and sources and not sources[0].is_pipe:
        first = next(settings.read(sources[0].files[0].path), None)
        if isinstance(first, Damage) and first.whole and first.offset < 0:
            raise OptionError(given, f"{sources[0].path}: {first.what}")


@contextmanager
def _surveyed(
    sources: "list[Input]", settings: Settings, place: str | BinaryIO, asked: Run
) -> Iterator[Settings]:
    """Gives the settings of the run; where they are wanted, with models and a survey of its inputs."""
    from ncleaner.cli.progress import ProgressDisplay

    auto = settings.recipe.sites == AUTO_SITES
    if asked.shard and auto:
        raise OptionError("sites", "shards need one survey of all inputs: make it with `ncleaner survey`")
    with ExitStack() as until_cleaned:
        settings = until_cleaned.enter_context(asked.learned(sources, settings, place))
        if auto:
            # only here: it loads SQLite
            from ncleaner.running.surveys import surveyed

            with ProgressDisplay(sources, quiet=asked.quiet, as_json=asked.log_json) as display:
                made = surveyed(
                    sources, settings, place, jobs=asked.processes, progress=display.advance,
                    again=asked.again,
                )  # fmt: skip
                settings = until_cleaned.enter_context(made)
        yield settings
