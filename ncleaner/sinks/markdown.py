"""Markdown: headings, lists, tables, code and formulas of what is kept."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.markup.render import markdown_of
from ncleaner.page import Page
from ncleaner.sinks.base import SinkOptions, Writable

__all__ = ["MarkdownSink"]

# Between two pages of an archive. No page writes such a line itself.
_BETWEEN = b"---\n\n"


class MarkdownSink:
    """Markdown. Each page of an archive ends with a line `---` between empty lines.

    Args:
        options: `markup` says what is written besides text.
    """

    suffix = ".md"
    marks = True

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        self.options = options.markup

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a page; empty for a page without clean text."""
        text = markdown_of(document, kept, self.options, page.url)
        layout = page.layout
        if layout is None or not layout.is_piece:
            if not text:
                return b""
            return text + b"\n" if single else text + b"\n\n" + _BETWEEN
        # a piece of a longer text: the next one goes on with a paragraph of its own
        end = b"" if single or not layout.ends else _BETWEEN
        return (text + b"\n\n" if text else b"") + end

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns the output itself."""
        return nullcontext(out)
