"""The command line: options in, one call, exit status out. No logic of its own.

Exit status: 0 all inputs read whole; 1 some input damaged or some page given up, or an error in the data;
2 usage.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ncleaner.people.commands.annotate import annotate
from ncleaner.people.commands.clean import clean
from ncleaner.people.commands.dump import dump
from ncleaner.people.commands.evaluate import evaluate
from ncleaner.people.commands.inspect import inspect
from ncleaner.people.commands.models import models_app
from ncleaner.people.commands.report import report
from ncleaner.people.commands.train import train
from ncleaner.people.commands.tune import tune

__all__ = ["app", "main"]

app = typer.Typer(
    name="ncleaner",
    help="Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# in the order of the help text
for command in (clean, report, dump, inspect, annotate, train, tune, evaluate):
    app.command()(command)
app.add_typer(models_app, name="models")


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
