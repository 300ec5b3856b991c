"""A page's markup in which each text knows its segment, for views that draw the page beside its segments.

The markup is made anew from the parsed tree: only elements of `_DRAWN` with attributes of `_KEPT` are in
it, so it holds no script, no frame, no form, no link and no address.
"""

from bisect import bisect_left, bisect_right
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ncleaner.document import Document
from ncleaner.dumping._builder import Builder
from ncleaner.dumping._walk import Met, walk
from ncleaner.dumping.html import parse
from ncleaner.limits import Limits
from ncleaner.text.charset import decode

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Elements that are drawn as they are; any other element is drawn as `<x-any>`, which does nothing.
_DRAWN: Final = frozenset(
    """a abbr address article aside b big blockquote br caption center cite code col colgroup dd del dfn
    div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main mark nav
    ol p pre q s samp section small span strike strong sub sup table tbody td tfoot th thead tr tt u ul
    var""".split()
)
_KEPT: Final = (
    "class", "id", "style", "dir", "lang", "align", "valign", "width", "height", "bgcolor", "color", "size",
    "colspan", "rowspan", "start", "type", "border", "cellpadding", "cellspacing",
)  # fmt: skip
#: All elements and attributes that `marked_html` writes.
ELEMENTS: Final = set(_DRAWN | {"x-any", "x-img", "x-seg"})
ATTRIBUTES: Final = {*_KEPT, "data-seg"}
_VOID: Final = frozenset(("br", "hr", "col"))
# style sheets of a page beyond these are left out, in characters
_MOST_STYLES: Final = 2_000_000


class Marked(NamedTuple):
    """A page to be drawn.

    Attributes:
        body: markup; the text of segment 7 is inside elements `<x-seg data-seg="7">`, one or more.
        styles: (media, text) of the page's own style sheets.
        drawn: numbers of the segments that are in `body`; others are only in the page's data.
    """

    body: str
    styles: list[tuple[str, str]]
    drawn: set[int]


class _Text(NamedTuple):
    """A text of the page, and the bytes of the Document's data that have been made of it."""

    start: int
    end: int
    text: str


class _Drawing:
    """What is drawn of a page: markup, texts, and style sheets."""

    def __init__(self) -> None:
        self.met: list[str | _Text] = []
        self.styles: list[tuple[str, str]] = []
        self._styled = 0

    def add(self, node: "LexborNode", what: int, start: int, end: int) -> None:
        """Adds what a walk meets, as `walk` has it."""
        tag = node.tag or ""
        if what == Met.TEXT:
            self.met.append(_Text(start, end, node.text_content or ""))
        elif what == Met.ENTERED:
            self.met.append(_opening(tag, node))
        elif what == Met.LEFT and tag not in _VOID:
            self.met.append(f"</{tag if tag in _DRAWN else 'x-any'}>")
        elif what == Met.PASSED:
            self._add_whole(tag, node, start, end)

    def _add_whole(self, tag: str, node: "LexborNode", start: int, end: int) -> None:
        if end > start:
            # a formula
            self.met.append(_Text(start, end, node.text(deep=True)))
        elif tag == "style":
            self._add_style(node)
        elif tag in _VOID:
            self.met.append(f"<{tag}>")
        elif tag == "img":
            alt = node.attributes.get("alt") or ""
            self.met.append(f"<x-img{_sizes(node)}>{escape(alt)}</x-img>")

    def _add_style(self, node: "LexborNode") -> None:
        child = node.first_child
        text = "" if child is None else child.text_content or ""
        self._styled += len(text)
        if self._styled <= _MOST_STYLES:
            self.styles.append((node.attributes.get("media") or "", text))


def _opening(tag: str, node: "LexborNode") -> str:
    attributes = node.attributes
    kept = "".join(
        f' {name}="{escape(value)}"' for name in _KEPT if (value := attributes.get(name)) is not None
    )
    name = tag if tag in _DRAWN else "x-any"
    return f"<{name}{kept}>"


def _sizes(node: "LexborNode") -> str:
    """Returns the size of an image as a style, as far as its attributes tell it in pixels."""
    found = []
    for name in ("width", "height"):
        value = (node.attributes.get(name) or "").strip()
        if value.isascii() and value.isdigit() and len(value) <= 4:
            found.append(f"{name}:{value}px")
    return f' style="{";".join(found)}"' if found else ""


def marked_html(html: bytes, document: Document, *, encoding: str | None = None) -> Marked:
    """Returns the markup of a page with the numbers of its segments.

    Args:
        html: the page as served.
        document: what `dump_html` makes of it with the same encoding and the default limits.
        encoding: as for `dump_html`.

    Raises:
        InputError: as `dump_html`.
    """
    utf8, _ = decode(html, "", encoding)
    tree = parse(utf8, Limits())
    drawing = _Drawing()
    root = tree.parser.root
    if root is not None:
        nodes = {node.mem_id: node for node in root.traverse(include_text=True)}
        met = bytearray()
        walk(tree.parser, Builder(len(utf8) // 8, Limits().segments), met=met)
        for address, *what in np.frombuffer(met, np.int64).reshape(-1, 4).tolist():
            drawing.add(nodes[address], *what)
    starts, ends = document.segments["start"].tolist(), document.segments["end"].tolist()
    data = document.data
    drawn: set[int] = set()
    out: list[str] = []
    for item in drawing.met:
        if isinstance(item, str):
            out.append(item)
            continue
        rows = _rows_within(starts, ends, item.start, item.end) if item.end > item.start else []
        if not rows:
            out.append(escape(item.text))
            continue
        drawn.update(rows)
        # how many characters of the text belong to each of its segments: blanks are folded, so others count
        shares = [
            _solid(data[max(starts[row], item.start) : min(ends[row], item.end)].decode("utf-8", "replace"))
            for row in rows
        ]
        for row, part in zip(rows, _cut(item.text, shares), strict=True):
            out.append(f'<x-seg data-seg="{row}">{escape(part)}</x-seg>')
    tree.release()
    return Marked("".join(out), drawing.styles, drawn)


def _rows_within(starts: list[int], ends: list[int], start: int, end: int) -> list[int]:
    """Returns the segments that have some of these bytes of the Document's text.

    `starts` and `ends` are those of all segments.
    """
    first = max(bisect_right(starts, start) - 1, 0)
    behind = bisect_left(starts, end, first)
    return [row for row in range(first, behind) if ends[row] > start]


def _solid(text: str) -> int:
    return len("".join(text.split()))


def _cut(text: str, shares: list[int]) -> list[str]:
    """Returns a text in as many parts as there are shares; all but the last have as many solid characters."""
    parts, at = [], 0
    for share in shares[:-1]:
        start = at
        while at < len(text) and share:
            share -= not text[at].isspace()
            at += 1
        parts.append(text[start:at])
    return [*parts, text[at:]]
