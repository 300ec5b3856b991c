"""Signatures of pages, of which `ncleaner survey` makes a survey of sites: JSON lines."""

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.sink import Sink
from ncleaner.sinks.text import kept_text
from ncleaner.surveying.duplicates import sequences_on, sketch_of
from ncleaner.surveying.signatures import signature_of


class SignaturesSink(Sink):
    """One line for each page with a host in its URL.

    There is no text of the page in it, unless the option `references` asks for the page.
    """

    suffix = ".signatures.jsonl"

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns the line of a page; nothing for a page without a host."""
        references = self.options.references and page.kind != "text"
        sketch = sketch_of(page, kept_text(document, kept)) if self.options.duplicates else None
        sequences = sequences_on(page, document, kept.mask) if self.options.paragraphs else None
        html = page.body if references else b""
        signature = signature_of(page.url, document, kept, html, sketch, sequences)
        return b"" if signature is None else signature.line()
