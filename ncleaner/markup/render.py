"""Markdown and clean HTML of a page."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document._marks import Mark
from ncleaner.document.kept import Kept
from ncleaner.markup._render import images_of, kept_links, render, texts_of
from ncleaner.markup.addresses import Addresses
from ncleaner.markup.notes import find_notes
from ncleaner.markup.options import MarkupOptions

__all__ = ["html_of", "markdown_of"]


def markdown_of(
    document: Document, kept: Kept, options: MarkupOptions = MarkupOptions(), url: str = ""
) -> bytes:
    """Returns what is kept of a page as Markdown, without a line end after it; empty if nothing is kept.

    Args:
        document: dumped with marks (`dump_html`); without them, what marks say is missing.
        kept: mask of the segments.
        options: of the user.
        url: that of the page, which makes addresses absolute.

    Returns:
        UTF-8: CommonMark with GitHub's tables and footnotes.
    """
    return _rendered(document, kept, options, url, False)


def html_of(document: Document, kept: Kept, options: MarkupOptions = MarkupOptions(), url: str = "") -> bytes:
    """Returns what is kept of a page as a fragment of HTML; empty if nothing is kept.

    Arguments as for `markdown_of`.
    """
    return _rendered(document, kept, options, url, True)


def _rendered(document: Document, kept: Kept, options: MarkupOptions, url: str, html: bool) -> bytes:
    tables = document.tables
    addresses: dict[int, bytes] = {}
    if options.links or options.images:
        declared = texts_of(tables, Mark.MARK_BASE)
        of_page = Addresses(url, declared[0][0] if declared else b"")
        if options.links:
            for mark, target, _, _ in kept_links(tables, kept.mask, False):
                if address := of_page.of(target):
                    addresses[mark] = address
        if options.images:
            for mark, source in images_of(tables):
                if address := of_page.of(source, True):
                    addresses[mark] = address
    notes = find_notes(document, kept.mask)
    mask = kept.mask
    if notes and notes.numbers:
        mask = mask.copy()
        mask[notes.numbers] = False
    return render(
        tables,
        mask,
        html,
        addresses or None,
        notes.references if notes else None,
        notes.definitions if notes else None,
        notes.labels if notes else None,
        options.images,
        options.spans == "repeat",
    )
