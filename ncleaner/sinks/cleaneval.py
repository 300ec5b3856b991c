"""CleanEval's markup: each segment on a line that begins with `<p>`, `<h>` or `<l>`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ncleaner.document import Document
from ncleaner.document._kept import lines_of
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import SinkOptions, Writable
from ncleaner.text.visible import visible

__all__ = ["CleanEvalSink"]


class CleanEvalSink:
    """CleanEval's format. In an archive, a line `URL: …` stands before each page; a single page has none."""

    suffix = ".txt"
    marks = False

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        pass

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns the segments of a page with their marks.

        In an archive, a page without clean text has its URL line only, as in the gold standard.
        """
        lines = lines_of(document.tables, kept.mask, kept.marks)
        if single:
            return lines
        layout = page.layout
        end = b"\n" if layout is None or layout.ends else b""
        if layout is not None and not layout.begins:
            # the lines of a text go on
            return lines + end
        name = page.url or page.record_id or f"offset:{page.offset}"
        # a URL may contain a line break, and must be written on one line
        return b"URL: " + visible(name).encode() + b"\n" + lines + end

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns the output itself."""
        return nullcontext(out)
