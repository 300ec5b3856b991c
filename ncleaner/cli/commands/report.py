"""`ncleaner report`."""

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.cli.parameters import reports_errors
from ncleaner.cli.printing import show, show_json

# pages whose beginning the HTML page shows
_SAMPLES = 6


@reports_errors
def command(
    folder: Annotated[
        str, typer.Argument(metavar="OUT_DIR", help="Output directory of `ncleaner clean -o`.")
    ],
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page with figures, charts, samples of the text and lists to this HTML file.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="A line for each input, not one for each thousand like inputs of many."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole report as JSON.")] = False,
) -> None:
    """Summarize the runs of an output directory: its manifest as a table, as JSON or as an HTML page."""
    from ncleaner.cli.parts import write_page
    from ncleaner.cli.reports import run_page, run_text
    from ncleaner.running.history import read_history, samples

    found = read_history(folder)
    if html is not None:
        write_page(html, run_page(found, samples(found, _SAMPLES)))
    if as_json:
        show_json(found.to_dict())
    else:
        show(run_text(found, everything=everything))
