"""`ncleaner dump`."""

from __future__ import annotations

import typer

from ncleaner.people.declared import part, with_options
from ncleaner.people.options import InputArgument, or_stdin, reports_errors
from ncleaner.people.streams import show_bytes, tell_error
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings

__all__ = ["EXAMPLES", "command"]

EXAMPLES = (
    ("What a page holds before it is cleaned:", "ncleaner dump pages/lampworks-1997.html"),
    (
        "All pages of an archive, with the alternative texts of images:",
        "ncleaner dump crawl.warc.gz --alt-text > dump.tsv",
    ),
)


@reports_errors
@with_options(reading=Reading, recipe=part(Recipe, "text encoding alt_text"))
def command(inputs: InputArgument = None, *, reading: Reading, recipe: Recipe) -> None:
    """Write the uncleaned text dump: one segment per line, after its kind (h, l or p) and a tab."""
    from ncleaner.people.inspect import dump_lines

    complete = True
    for line in dump_lines(or_stdin(inputs), Settings(recipe, reading)):
        if isinstance(line, bytes):
            show_bytes(line)
        else:
            tell_error(line)
            complete = False
    if not complete:
        raise typer.Exit(1)
