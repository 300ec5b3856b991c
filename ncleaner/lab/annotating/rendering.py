"""A page as a browser draws it, made harmless, for the frame beside the segments.

There are three walls around a hostile page: its markup is made anew from a list of elements and cleaned again
by nh3; the frame is a sandbox without scripts, forms and windows; and the policy of the answer allows nothing
from outside.
"""

from __future__ import annotations

from html import escape
from typing import Final

import nh3

from ncleaner.document import Document
from ncleaner.lab.explaining.view import ATTRIBUTES, ELEMENTS, marked_html

_BASE: Final = """
html { background: #fff; color: #111; font: 16px/1.45 system-ui, sans-serif }
body { margin: 12px }
"""
# after the styles of the page, and stronger
_OURS: Final = """
html, body { overflow: visible !important; visibility: visible !important; opacity: 1 !important;
  display: block !important; animation: none !important; position: static !important;
  min-height: 0 !important; height: auto !important; max-height: none !important; transform: none !important }
x-any, x-img { display: inline }
x-img { display: inline-block; max-width: 100%; max-height: 160px; min-width: 1.5em; min-height: 1em;
  overflow: hidden;
  border: 1px dashed #bbb; background: #f4f4f4; color: #555; font-size: 12px; vertical-align: middle }
x-seg { border-radius: 2px; box-decoration-break: clone; -webkit-box-decoration-break: clone;
  cursor: pointer }
x-seg[data-label=p], x-seg[data-label=c] { background: #c9efd2 !important; color: #08240f !important }
x-seg[data-label=h] { background: #cfe2ff !important; color: #06204b !important }
x-seg[data-label=l] { background: #e9dcff !important; color: #260a52 !important }
x-seg[data-label=o] { background: transparent !important; color: #666 !important;
  text-decoration: line-through 1px #888 !important }
x-seg[data-label="?"] { background: #ffe08a !important; color: #3d2c00 !important }
x-seg[data-doubt] { box-shadow: inset 0 -2px 0 #d97706 !important }
x-seg[data-chosen] { outline: 2px solid #1d4ed8 !important }
x-seg[data-here] { outline: 3px solid #1d4ed8 !important; outline-offset: 1px !important }
.x-more { border-top: 2px dashed #999; margin-top: 24px; padding-top: 8px }
"""
_EMPTY: Final = "<p>There is nothing to draw: the page has no text.</p>"


def drawn_page(body: bytes, document: Document, *, styles: bool, encoding: str | None = None) -> str:
    """Returns the markup of a whole page in which each text knows the number of its segment (`data-seg`).

    Args:
        body: the page as served.
        document: its Document.
        styles: with the style sheets of the page.
        encoding: as for `dump_html`.

    Raises:
        InputError: the page cannot be parsed.
    """
    marked = marked_html(body, document, encoding=encoding)
    sheets = "".join(_style(text, media) for media, text in marked.styles) if styles else ""
    markup = nh3.clean(
        marked.body,
        tags=ELEMENTS,
        attributes={"*": ATTRIBUTES if styles else ATTRIBUTES - {"style"}},
        link_rel=None,
    )
    rest = [row for row in range(len(document)) if row not in marked.drawn]
    return _whole(document, sheets, markup if len(document) else _EMPTY, rest)


def drawn_text(document: Document) -> str:
    """Returns the same for a plain text."""
    return _whole(document, "", "".join(_paragraph(document, row) for row in range(len(document))), [])


def _whole(document: Document, sheets: str, markup: str, rest: list[int]) -> str:
    more = ""
    if rest:
        more = (
            '<div class="x-more"><p><small>Only in the data of the page:</small></p>'
            + "".join(_paragraph(document, row) for row in rest)
            + "</div>"
        )
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{escape(document.title)}</title>"
        f"{_style(_BASE)}{sheets}{_style(_OURS)}</head><body>{markup}{more}</body></html>"
    )


def _paragraph(document: Document, row: int) -> str:
    return f'<p dir=auto><x-seg data-seg="{row}">{escape(str(document[row]))}</x-seg></p>'


def _style(text: str, media: str = "") -> str:
    # only an end tag ends a style sheet
    inside = text.replace("</", "<\\/")
    return f'<style media="{escape(media)}">{inside}</style>' if media else f"<style>{inside}</style>"
