"""`ncleaner clean`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ncleaner.people.declared import with_options
from ncleaner.people.options import InputArgument, Run, logged_as_json, or_stdin, reports_errors
from ncleaner.people.streams import finish
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.sinks.choice import Output

__all__ = ["EXAMPLES", "command"]

EXAMPLES = (
    (
        "One file of JSON lines for each archive, and a manifest:",
        "ncleaner clean crawl.warc.gz -o corpus -f jsonl",
    ),
    (
        "Less boilerplate, no readers' comments, through a pipe:",
        "cat pages/lampworks-1997.html | ncleaner clean --precision --no-comments",
    ),
)

OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="A directory gets one file per input and a manifest; a later run skips the inputs that are "
        "finished. A file (a name with a suffix) gets everything. Both may be URLs (s3://…, gs://…).  "
        "(default: standard output)",
        rich_help_panel="Output",
    ),
]
QuarantineOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="WARC file for the records of pages that kill, hang or break a worker.  (with -o DIRECTORY: "
        "files in DIRECTORY/quarantine/)",
        show_default=False,
        rich_help_panel="Run",
    ),
]


@reports_errors
@with_options(reading=Reading, written=Output, recipe=Recipe, asked=Run)
def command(
    inputs: InputArgument = None,
    *,
    reading: Reading,
    output: OutputOption = None,
    written: Output,
    recipe: Recipe,
    quarantine: QuarantineOption = None,
    asked: Run,
) -> None:
    """Clean web archives, HTML pages or text dumps."""
    from ncleaner.document._document import reuse_memory
    from ncleaner.people.progress import ProgressDisplay
    from ncleaner.running.engine import run
    from ncleaner.running.outputs import is_directory

    if quarantine is not None and output is not None and is_directory(output):
        raise typer.BadParameter(
            "with -o DIRECTORY the quarantine is DIRECTORY/quarantine/: leave --quarantine out",
            param_hint="--quarantine",
        )
    with logged_as_json(asked.log_json):
        sources = asked.sources(inputs if asked.inputs_from else or_stdin(inputs), output)
    with (
        logged_as_json(asked.log_json),
        ProgressDisplay(sources, quiet=asked.quiet, as_json=asked.log_json) as display,
    ):
        # of what is read from a pipe, and of what workers send
        reuse_memory()
        tally = run(
            sources,
            Settings(recipe, reading, written),
            output=output if output is not None else sys.stdout.buffer,
            jobs=asked.processes,
            progress=display.advance,
            again=asked.again,
            quarantine=quarantine,
        )
        finish()
    display.finish(tally)
    if not tally.complete:
        raise typer.Exit(1)
