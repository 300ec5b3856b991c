"""`ncleaner dump`."""

from __future__ import annotations

import typer

from ncleaner.people.options import (
    AltOption,
    EncodingOption,
    InputArgument,
    InputFormatName,
    InputFormatOption,
    MarkerOption,
    TextLayoutName,
    TextOption,
    check_marker,
    or_stdin,
    reports_errors,
)
from ncleaner.people.streams import show_bytes, tell_error

__all__ = ["command"]


@reports_errors
def command(
    inputs: InputArgument = None,
    input_format: InputFormatOption = InputFormatName("auto"),
    marker: MarkerOption = None,
    text: TextOption = TextLayoutName("auto"),
    encoding: EncodingOption = None,
    alt_text: AltOption = False,
) -> None:
    """Write the uncleaned text dump: one segment per line, after its kind (h, l or p) and a tab."""
    from ncleaner.people.inspect import dump_lines

    check_marker(marker)
    complete = True
    for line in dump_lines(or_stdin(inputs), input_format.value, encoding, alt_text, marker, text.value):
        if isinstance(line, bytes):
            show_bytes(line)
        else:
            tell_error(line)
            complete = False
    if not complete:
        raise typer.Exit(1)
