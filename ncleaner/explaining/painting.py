"""The source page as it is, with its segments painted, in a frame that runs nothing and loads nothing.

The page is parsed as the dumper parses it and written anew with a few elements and attributes: no script,
frame, form, picture, link or address. Its style sheets within the page stay, for the look; the policy of the
frame forbids all that they would load, and the frame has no scripts, no origin and no way to the page around
it.

The text of the page is found again among the segments: both are the same characters in the same order, but
for what the dumper leaves out or writes otherwise (formulas, data of scripts). If less than nine tenths of
the characters are found, there is no such drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborNode

from ncleaner.document import Document
from ncleaner.document.html import parse
from ncleaner.explaining.outline import classes_of
from ncleaner.explaining.verdicts import Verdicts
from ncleaner.text.charset import decode
from ncleaner.text.visible import html_text

__all__ = ["painted_page"]

# share of the characters of the segments that have to be found
_ENOUGH = 0.9
# characters that are searched for a text that is not where it is expected
_FAR = 4000
# shorter texts are only found where they are expected
_SHORT = 4
# frames of larger pages would make the drawing slow
_LARGEST = 3_000_000

_DROPPED = frozenset(
    "script template iframe object embed applet frame frameset audio video canvas svg math link "
    "meta base input select textarea button datalist option img picture source track map area param title "
    "head".split()
)
_KEPT = frozenset(
    "div p section article main aside header footer nav hgroup address blockquote center details summary "
    "dialog figure figcaption fieldset legend table caption tbody thead tfoot tr td th ul ol menu dir li dl "
    "dt dd h1 h2 h3 h4 h5 h6 pre b strong i em u s strike del ins code kbd samp tt small big font sub sup q "
    "abbr time label mark span bdi bdo ruby rb rt cite dfn var br hr".split()
)
_VOID = frozenset(("br", "hr"))
_ATTRIBUTES = frozenset(
    "class id style dir lang align valign bgcolor color width height border cellpadding cellspacing colspan "
    "rowspan open start face size".split()
)
_UNSEEN = re.compile(r"[\s\u00ad\u200b\ufeff\x00-\x1f\x7f-\x9f]+")
_LOOK = (
    ".nc-kept{background:#d9f2e0!important;color:#10391f!important;border-bottom:2px solid #0a6b33}"
    ".nc-removed{background:#fbe3e0!important;color:#5a1010!important;text-decoration:line-through #a01c1c99}"
    ".nc-wrong{outline:2px dashed #8a4b00}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def painted_page(explanation: Verdicts, source: bytes) -> str:
    """Returns a frame with the painted page; empty if its segments are not found in it, or it is too large.

    Args:
        explanation: of the page.
        source: the page as served.
    """
    if len(source) > _LARGEST:
        return ""
    utf8, _ = decode(source, "", explanation.document.encoding or None)
    tree = parse(utf8)
    root = tree.parser.root
    if root is None:
        return ""
    places = _Places(explanation.document)
    body = "".join(_written(root, explanation, places))
    if places.share < _ENOUGH:
        return ""
    styles = "".join(f"<style>{_style(node.text())}</style>" for node in root.css("style"))
    page = (
        f'<!doctype html><meta charset=utf-8><meta http-equiv=Content-Security-Policy content="{_POLICY}">'
        f"{styles}<style>{_LOOK}</style><body>{body}"
    )
    return f"<iframe sandbox title='the page, painted' srcdoc='{escape(page)}'></iframe>"


def _style(css: str) -> str:
    # an end tag within a string would end the sheet; everything else the policy sees to
    return css.replace("<", "\\3c ")


class _Places:
    """Finds texts of the page among the characters of the segments, in order."""

    def __init__(self, document: Document) -> None:
        texts = [_UNSEEN.sub("", text) for text in document.texts]
        self._all = "".join(texts)
        self._owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        self._at = 0
        self._found = 0

    @property
    def share(self) -> float:
        """Share of the characters that are found, 0 to 1."""
        return self._found / len(self._all) if self._all else 1.0

    def owners(self, text: str) -> npt.NDArray[np.int64] | None:
        """Returns the segment of each character of a text without white space; None for a text that is left
        out."""
        place = self._at if self._all.startswith(text, self._at) else -1
        if place < 0 and len(text) >= _SHORT:
            place = self._all.find(text, self._at, self._at + _FAR + len(text))
        if place < 0:
            return None
        self._at = place + len(text)
        self._found += len(text)
        return self._owners[place : self._at]


def _written(root: LexborNode, explanation: Verdicts, places: _Places) -> Iterator[str]:
    """Yields the elements and texts of the page, in a loop: a page may be nested as deep as the bounds "
    "allow."""
    # a node, or the end tag of one
    open_: list[LexborNode | str] = [root]
    while open_:
        node = open_.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag or ""
        if tag == "-text":
            yield from _text(node.text(deep=False) or "", explanation, places)
            continue
        if tag in _DROPPED or tag.startswith(("-", "!")) or tag == "style":
            continue
        if tag in _KEPT:
            yield f"<{tag}{_attributes(node)}>"
            if tag in _VOID:
                continue
            open_.append(f"</{tag}>")
        elif tag == "a":
            yield "<span style='text-decoration:underline'>"
            open_.append("</span>")
        children = list(node.iter(include_text=True))
        open_ += reversed(children)


def _attributes(node: LexborNode) -> str:
    given = node.attributes
    return "".join(f" {name}='{escape(value or '')}'" for name, value in given.items() if name in _ATTRIBUTES)


def _text(text: str, explanation: Verdicts, places: _Places) -> Iterator[str]:
    """Yields a text, painted where it is of segments."""
    letters = _UNSEEN.sub("", text)
    owners = places.owners(letters) if letters else None
    if owners is None:
        yield _escaped(text)
        return
    # pieces of one segment; white space counts to the character before it
    at = 0
    start, last = 0, int(owners[0])
    for position, character in enumerate(text):
        if _UNSEEN.fullmatch(character):
            continue
        owner = int(owners[at])
        at += 1
        if owner != last:
            yield _painted(text[start:position], explanation, last)
            start, last = position, owner
    yield _painted(text[start:], explanation, last)


def _painted(text: str, explanation: Verdicts, row: int) -> str:
    why = explanation.segments[row]
    classes = " ".join(f"nc-{name}" for name in classes_of(why).split())
    score = "" if why.score is None else f", score {why.score:+.2f}"
    said = f"segment {row}: {'kept' if why.kept else 'removed'}{score}"
    return f"<span class='{classes}' title='{said}'>{_escaped(text)}</span>"


def _escaped(text: str) -> str:
    return "\n".join(map(html_text, text.replace("\t", " ").replace("\r", "").split("\n")))
