"""`ncleaner inspect`."""

from __future__ import annotations

from typing import Annotated

import typer

from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.people.options import (
    EncodingOption,
    InputFormatName,
    InputFormatOption,
    ModelOption,
    PageMethod,
    PageMethodOption,
    PrecisionOption,
    RecallOption,
    TextLayoutName,
    TextOption,
    ThresholdOption,
    reports_errors,
    threshold_of,
)
from ncleaner.people.streams import check_stdin, show

__all__ = ["command"]


@reports_errors
def command(
    page: Annotated[
        str, typer.Argument(help="An HTML or text file, an archive (see --number), or - for standard input.")
    ],
    method: PageMethodOption = PageMethod(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = False,
    recall: RecallOption = False,
    number: Annotated[
        int, typer.Option("--number", "-n", min=1, help="Number of the page in an archive.")
    ] = 1,
    input_format: InputFormatOption = InputFormatName("auto"),
    text: TextOption = TextLayoutName("auto"),
    encoding: EncodingOption = None,
) -> None:
    """Show what happens to one page: for each segment whether it is kept, its score, kind and text."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.people.inspect import page_table

    check_stdin([page])
    cleaner = Cleaner(
        method.value,
        model,
        threshold=threshold_of(threshold, precision, recall),
        encoding=encoding,
        text=text.value,
    )
    for line in page_table(page, number, cleaner, input_format.value):
        show(line)
