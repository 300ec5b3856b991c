"""`ncleaner report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.errors import OutputError
from ncleaner.people.options import said

__all__ = ["command"]


@said
def command(
    folder: Annotated[
        str, typer.Argument(metavar="OUT_DIR", help="Directory that `ncleaner clean -o` has written to.")
    ],
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page of figures, plots and lists there.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as JSON.")] = False,
) -> None:
    """Show what has been done in an output directory: its manifest as a table, or as a page."""
    import json

    from ncleaner.people.runpage import page, table
    from ncleaner.running.history import read_history
    from ncleaner.storage.whole import whole_file

    found = read_history(folder)
    if html is not None:
        try:
            with whole_file(html) as out:
                out.write(page(found).encode("utf-8", "replace"))
        except OSError as error:
            raise OutputError(f"cannot write {html}: {error.strerror}") from error
    print(json.dumps(found.to_dict(), indent=2) if as_json else table(found))
