"""`ncleaner methods`."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ncleaner.cli.parameters import reports_errors
from ncleaner.cli.printing import show
from ncleaner.methods.registry import METHODS

# The choices come from the table; mypy cannot see them.
if TYPE_CHECKING:
    Method = str
else:
    Method = Literal[tuple(METHODS)]


@reports_errors
def command(
    method: Annotated[
        Method | None,
        typer.Argument(metavar="METHOD", help="Show the parameters of this one.", show_default=False),
    ] = None,
) -> None:
    """List the cleaning methods, or show the parameters of one, which `clean --set` changes."""
    from ncleaner.cli.cards import describe_method, method_table

    show(method_table() if method is None else describe_method(method))
