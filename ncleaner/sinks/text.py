"""Plain text: one segment per line, an empty line after each page of an archive."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ncleaner.document import Document
from ncleaner.document._kept import text_of
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import SinkOptions, Writable

__all__ = ["TextSink", "kept_text"]


def kept_text(document: Document, kept: Kept) -> bytes:
    """Returns the kept segments in UTF-8, each on its own line."""
    return text_of(document.tables, kept.mask)


class TextSink:
    """Plain text."""

    suffix = ".txt"
    marks = False

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        pass

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns the kept segments, each on its own line; preformatted text keeps its line breaks."""
        layout = page.layout
        if single or layout is None or not layout.is_piece:
            return text_of(document.tables, kept.mask, b"\n" if single else b"\n\n")
        # the empty line stands after the last piece of a text, although nothing may be kept of that piece
        end = b"\n" if layout.ends else b""
        return text_of(document.tables, kept.mask, b"\n" + end) or end

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns the output itself."""
        return nullcontext(out)
