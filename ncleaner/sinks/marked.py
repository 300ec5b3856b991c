"""Markdown and clean HTML of what is kept: headings, lists, tables, code and formulas."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import orjson

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.markup.render import html_of, markdown_of
from ncleaner.page import Page
from ncleaner.sinks.rows import metadata_to_write
from ncleaner.sinks.sink import Sink, Writable, replace_surrogates

# Between two pages of an archive. No page writes such a line itself.
_BETWEEN = b"---\n\n"
_BEGIN = (
    b'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>Clean pages</title>\n</head>\n<body>\n'
)
_END = b"</body>\n</html>\n"
# A JSON value is YAML, but for these characters: YAML 1.1 takes some for ends of lines and refuses others.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class MarkdownSink(Sink):
    """Markdown. A line `---` between empty lines parts the pages of an archive.

    With metadata each page begins with its own: between two pages there is no other such line.
    """

    suffix = ".md"
    marks = True

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a page; empty for a page without clean text."""
        text = markdown_of(document, kept, self.options.markup, page.url)
        front = self.options.metadata
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


class HtmlSink(Sink):
    """One page of HTML with an `<article>` for each page that has clean text."""

    suffix = ".html"
    marks = True

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns an article; empty for a page without clean text."""
        html = html_of(document, kept, self.options.markup, page.url)
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


def front_matter_of(page: Page, document: Document, kept: Kept) -> bytes:
    """Returns a block of YAML between two lines `---`, with a line end.

    Keys: url, the fields of `Metadata`, date (of the capture), language and page_kind; without those that are
    unknown. Their values are strings, and lists of strings for authors and tags, in double quotes: whatever a
    page writes there stays a string.

    Args:
        page: the captured page.
        document: its text dump, with facts.
        kept: the remarks of the method.
    """
    values = {
        "url": replace_surrogates(page.url),
        **metadata_to_write(page, document),
        "date": replace_surrogates(page.date),
        "language": kept.remarks.language,
        "page_kind": kept.kind,
    }
    lines = "".join(f"{name}: {_yaml(value)}\n" for name, value in values.items() if value)
    return f"---\n{lines}---\n".encode()


def _yaml(value: object) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())
