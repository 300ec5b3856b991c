"""Plain text: one segment per line, an empty line after each page of an archive; and CleanEval's markup."""

from itertools import pairwise
from typing import Any

import numpy as np

from ncleaner.document import Document
from ncleaner.document._kept import text_of
from ncleaner.document.kept import Kept, lines_of
from ncleaner.document.threads import places_of_posts
from ncleaner.page import Page
from ncleaner.sinks.sink import Sink
from ncleaner.text.visible import visible

# between two posts
_BETWEEN = b"***\n"


def kept_text(document: Document, kept: Kept) -> bytes:
    """Returns the kept segments in UTF-8, each on its own line."""
    return text_of(document.tables, kept.mask)


def removed_text(document: Document, kept: Kept) -> bytes:
    """Returns the other segments that readers of the page see, in UTF-8, each on its own line."""
    return text_of(document.tables, ~kept.mask & document.visible)


def posts_in(document: Document, kept: Kept, url: str = "") -> list[Any]:
    """Returns the posts of a page, as `posts_of`."""
    # imported lazily: few pages have some
    from ncleaner.describing.posts import posts_of

    return posts_of(document, kept, url)


class TextSink(Sink):
    """Plain text."""

    suffix = ".txt"

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns the kept segments, each on its own line; preformatted text keeps its line breaks. A line
        `***` is between two posts."""
        layout = page.layout
        if single or layout is None or not layout.is_piece:
            text = text_of(document.tables, kept.mask, b"\n" if single else b"\n\n")
            parts = [begin for _, begin in places_of_posts(document, kept) if begin >= 0]
            if not parts:
                return text
            sizes = np.where(kept.mask, document.segments["end"] - document.segments["start"] + 1, 0)
            cuts = [0, *(np.cumsum(sizes) - sizes)[parts].tolist(), len(text)]
            return _BETWEEN.join(text[start:end] for start, end in pairwise(cuts))
        # the empty line is after the last piece of a text, although nothing may be kept of that piece
        end = b"\n" if layout.ends else b""
        return text_of(document.tables, kept.mask, b"\n" + end) or end


class CleanEvalSink(Sink):
    """CleanEval's markup: each segment on a line that begins with `<p>`, `<h>` or `<l>`.

    In an archive, a line `URL: …` precedes each page; a single page has none.
    """

    suffix = ".txt"

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns the segments of a page with their marks.

        In an archive, a page without clean text has its URL line only, as in the gold standard.
        """
        lines = lines_of(document, kept)
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
