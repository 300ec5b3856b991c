"""JSON lines: one object per page."""

from typing import Any

import orjson

from ncleaner.document import Document
from ncleaner.document._kept import has_line_ends, json_of
from ncleaner.document.kept import Kept
from ncleaner.page import Page, Skip
from ncleaner.sinks.rows import check_carried, lost_row, row_of
from ncleaner.sinks.sink import Sink, SinkOptions

# What `str.splitlines` takes for line ends besides controls, which JSON escapes: U+0085, U+2028, U+2029.
_LINE_ENDS = ((b"\xc2\x85", rb"\u0085"), (b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"))
_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


class JsonlSink(Sink):
    """One object per page; its keys are those of `rows.Row`."""

    suffix = ".jsonl"

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        check_carried(options)
        super().__init__(options)

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a page as a line of JSON; empty for a page without clean text, unless all are wanted."""
        text = orjson.Fragment(json_of(document.tables, kept.mask))
        row = row_of(page, document, kept, self.options, text)
        return b"" if row is None else _line(row)

    def lost(self, page: Page | Skip, why: str) -> bytes:
        """Returns a row without a text where all pages are wanted."""
        return _line(lost_row(page, why)) if self.options.all_pages else b""


def _line(row: dict[str, Any]) -> bytes:
    line = orjson.dumps(row, option=_OPTIONS)
    if has_line_ends(line):
        for end, escape in _LINE_ENDS:
            line = line.replace(end, escape)
    return line
