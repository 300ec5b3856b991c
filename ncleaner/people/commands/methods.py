"""`ncleaner methods`."""

from __future__ import annotations

from typing import Annotated

import typer

from ncleaner.people.options import Method, reports_errors
from ncleaner.people.streams import show

__all__ = ["command"]


@reports_errors
def command(
    method: Annotated[
        Method | None,
        typer.Argument(metavar="METHOD", help="Show the parameters of this one.", show_default=False),
    ] = None,
) -> None:
    """List the cleaning methods, or show the parameters of one, which `clean --set` changes."""
    from ncleaner.people.cards import describe_method, method_table

    show(method_table() if method is None else describe_method(method.value))
