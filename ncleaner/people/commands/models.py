"""`ncleaner models`."""

from __future__ import annotations

from typing import Annotated

import typer

from ncleaner.people.options import reports_errors
from ncleaner.people.streams import show

__all__ = ["command"]

command = typer.Typer(
    help="List the models that come with the package, or show what one has learned.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)


@command.callback()
@reports_errors
def models(context: typer.Context) -> None:
    """List the models that come with the package, or show what one has learned."""
    from ncleaner.people.cards import model_table

    if context.invoked_subcommand is None:
        show(model_table())


@command.command("show")
@reports_errors
def show_model(
    model: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A shipped model, or a file.")],
    number: Annotated[int, typer.Option("--number", "-n", min=0, help="Rows of each table.")] = 20,
) -> None:
    """Show a model: parameters, training, figures, and what it has learned."""
    from ncleaner.people.cards import describe

    show(describe(model, number))
