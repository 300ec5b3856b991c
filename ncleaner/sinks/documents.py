"""Documents as they are before a method decides: pages that can be cleaned again without their archives."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.stored import stored
from ncleaner.page import STORED, Page
from ncleaner.sinks.warc import WarcSink


class DocumentsSink(WarcSink):
    """A record for each page, but not for those that the user leaves out. Its block is compressed."""

    suffix = ".documents.warc"
    contents = "web pages as ncleaner reads them"
    media_type = STORED
    gzip = False
    decided = False

    def block(self, page: Page, document: Document, kept: Kept) -> bytes:
        """Returns page and document."""
        return b"" if kept.is_left_out else stored(page, document, self.options.markdown)
