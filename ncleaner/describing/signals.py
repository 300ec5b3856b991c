"""Figures of a page by which pipelines filter and find duplicates."""

from __future__ import annotations

from typing import Any

from ncleaner.document import Document
from ncleaner.document.kept import Kept, figures_of
from ncleaner.page import Page
from ncleaner.surveying.duplicates import sketch_of, text_hash

# {name: whether it is a whole number}; the hashes are strings
SIGNALS = {
    "chars": True,
    "words": True,
    "segments": True,
    "share_kept": False,
    "mean_score": False,
    "link_density": False,
    "list_share": False,
    "heading_share": False,
    "final_share": False,
    "words_a_segment": False,
}
_DIGITS = 4


def signals_of(
    page: Page, document: Document, kept: Kept, text: bytes, bands: bool = False
) -> dict[str, Any]:
    """Returns figures of the clean text of a page. Shares are 0 to 1, four decimal places.

    Keys: chars (without white space), words, segments, share_kept (of the characters of the page), mean_score
    (bits, each segment weighted by its characters), link_density (share of the characters that are inside
    links), list_share and heading_share (of the characters), final_share (of the segments that end with final
    punctuation), words_a_segment, hash (of the text: 16 hexadecimal digits), and with `bands` those of a
    sketch for near duplicates: two pages are near duplicates if they share one. Shares of a page without
    clean text are None.

    Args:
        page: the captured page.
        document: its text dump.
        kept: mask and scores.
        text: the clean text, UTF-8.
        bands: add the bands; needs the extra `duplicates`.

    Raises:
        InputError: rensa is not installed.
    """
    segments, words, chars, everything, links, items, headings, finals, weighted = figures_of(document, kept)

    def share(part: float, whole: int) -> float | None:
        return round(part / whole, _DIGITS) if whole else None

    found: dict[str, Any] = {
        "chars": chars,
        "words": words,
        "segments": segments,
        "share_kept": share(chars, everything),
        "mean_score": None if kept.scores is None else share(weighted, chars),
        "link_density": share(links, chars),
        "list_share": share(items, chars),
        "heading_share": share(headings, chars),
        "final_share": share(finals, segments),
        "words_a_segment": share(words, segments),
        "hash": f"{text_hash(text):016x}",
    }
    if bands:
        found["bands"] = sketch_of(page, text).names
    return found
