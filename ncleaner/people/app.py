"""The command line: options in, one call, exit status out. A module of `commands` is imported when its
command is called, so that `ncleaner --help` and each command load only what they need.

Exit status: 0 all inputs read whole; 1 some input damaged or some page given up, or an error in the data;
2 usage.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

__all__ = ["COMMANDS", "app", "main"]

# What a command does in a few words, in the order of the help text; each has a module of its name.
COMMANDS = {
    "clean": "Clean web archives, HTML pages or text dumps.",
    "sort": "Regroup the records of web archives by host or registered domain.",
    "survey": "Find out what is on many pages of a site, and what a crawl contains.",
    "report": "Show what has been done in an output directory.",
    "dump": "Write the uncleaned text dump.",
    "inspect": "Show what happens to one page, segment by segment.",
    "annotate": "Write a page's blocks with their labels, to be corrected.",
    "train": "Train a model from pages and their cleaned text, or adapt one.",
    "tune": "Find n, q and alphabet by cross-validation.",
    "evaluate": "Compare cleaned text with a gold standard.",
    "compare": "Compare methods and other programs on a gold standard.",
    "models": "List the models that come with the package, or show one.",
    "methods": "List the cleaning methods, or show the parameters of one.",
}


class _Commands(TyperGroup):
    """Finds commands in `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        found = import_module(f"ncleaner.people.commands.{cmd_name}").command
        if isinstance(found, typer.Typer):
            return get_command(found)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(cmd_name)(found)
        return get_command(alone)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="ncleaner",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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
