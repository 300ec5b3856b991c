"""A page as a browser draws it, made harmless, for the frame beside the segments.

There are three walls around a hostile page: its markup is made anew from a list of elements and cleaned again
by nh3; the frame is a sandbox without scripts, forms and windows; and the policy of the answer allows nothing
from outside.
"""

from functools import cache
from html import escape
from pathlib import Path
from typing import Final

import nh3

from ncleaner.document import Document
from ncleaner.lab.explaining.view import ATTRIBUTES, ELEMENTS, marked_html

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
        f"{_sheet('drawn')}{sheets}{_sheet('labels')}</head><body>{markup}{more}</body></html>"
    )


def _paragraph(document: Document, row: int) -> str:
    return f'<p dir=auto><x-seg data-seg="{row}">{escape(str(document[row]))}</x-seg></p>'


@cache
def _sheet(name: str) -> str:
    """Returns a style sheet beside this module: `labels` comes after those of the page, and is stronger."""
    return _style("\n" + Path(__file__).with_name(f"{name}.css").read_text("utf-8"))


def _style(text: str, media: str = "") -> str:
    # only an end tag ends a style sheet
    inside = text.replace("</", "<\\/")
    return f'<style media="{escape(media)}">{inside}</style>' if media else f"<style>{inside}</style>"
