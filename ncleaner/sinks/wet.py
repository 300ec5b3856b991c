"""WET: a WARC archive of clean text, like Common Crawl's, with one gzip member per record."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.text import kept_text
from ncleaner.sinks.warc import WarcSink
from ncleaner.text.codes import iso_639_3


class WetSink(WarcSink):
    """A record for each page with clean text.

    A page in an unknown language has no header for it.
    """

    suffix = ".warc.wet.gz"
    contents = "clean text of web pages"
    media_type = "text/plain"

    def block(self, page: Page, document: Document, kept: Kept) -> bytes:
        """Returns the clean text."""
        return kept_text(document, kept)

    def fields(self, kept: Kept) -> list[tuple[str, str]]:
        """Returns the language of the page."""
        language = iso_639_3(kept.remarks.language)
        return [("WARC-Identified-Content-Language", language)] if language else []
