"""Markdown: headings, lists, tables, code and formulas of what is kept."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.markup.render import markdown_of
from ncleaner.page import Page
from ncleaner.sinks.base import SinkOptions, Writable
from ncleaner.sinks.front_matter import front_matter_of

__all__ = ["MarkdownSink"]

# Between two pages of an archive. No page writes such a line itself.
_BETWEEN = b"---\n\n"


class MarkdownSink:
    """Markdown. A line `---` between empty lines parts the pages of an archive.

    With front matter each page begins with its own: between two pages there is no other such line.

    Args:
        options: `markup` says what is written besides text; `front_matter`.
    """

    suffix = ".md"
    marks = True

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        self.options = options

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a page; empty for a page without clean text."""
        text = markdown_of(document, kept, self.options.markup, page.url)
        front = self.options.front_matter
        between = b"" if front else _BETWEEN
        layout = page.layout
        if layout is None or not layout.is_piece:
            if not text:
                return b""
            begin = front_matter_of(page, document, kept) + b"\n" if front else b""
            return begin + text + (b"\n" if single else b"\n\n" + between)
        # a piece of a longer text: the next one goes on with a paragraph of its own
        begin = front_matter_of(page, document, kept) + b"\n" if front and layout.begins else b""
        end = b"" if single or not layout.ends else between
        return begin + (text + b"\n\n" if text else b"") + end

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns the output itself."""
        return nullcontext(out)
