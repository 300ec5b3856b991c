"""Clean HTML: the elements of what is kept, without scripts, styles and names of classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.markup.render import html_of
from ncleaner.page import Page
from ncleaner.sinks.base import SinkOptions, Writable

__all__ = ["HtmlSink"]

_BEGIN = (
    b'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>Clean pages</title>\n</head>\n<body>\n'
)
_END = b"</body>\n</html>\n"


class HtmlSink:
    """One page of HTML with an `<article>` for each page that has clean text.

    Args:
        options: `markup` says what is written besides text.
    """

    suffix = ".html"
    marks = True

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        self.options = options.markup

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns an article; empty for a page without clean text."""
        html = html_of(document, kept, self.options, page.url)
        layout = page.layout
        if layout is None or not layout.is_piece:
            return b"<article>\n" + html + b"</article>\n" if html else b""
        # a piece of a longer text, all of whose pieces are one article
        begin = b"<article>\n" if layout.begins else b""
        return begin + html + (b"</article>\n" if layout.ends else b"")

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """Returns a page of HTML around the articles."""
        out.write(_BEGIN)
        yield out
        out.write(_END)
