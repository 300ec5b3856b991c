"""Pages for the tests of Markdown and HTML, and what a reader of Markdown makes of the first."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from selectolax.lexbor import LexborHTMLParser, LexborNode

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.markup import MarkupOptions
from ncleaner.markup.render import html_of, markdown_of

URL = "https://harbour.example/log/may.html"


def kept_of(document: Document, keep: list[int] | None = None) -> Kept:
    """All segments are kept, or those with these numbers."""
    mask = np.ones(len(document), bool)
    if keep is not None:
        mask[:] = False
        mask[keep] = True
    return Kept(mask)


def markdown(html: str, keep: list[int] | None = None, **options: Any) -> str:
    document = dump_html(html, marks=True)
    return markdown_of(document, kept_of(document, keep), MarkupOptions(**options), URL).decode()


def clean_html(html: str, keep: list[int] | None = None, **options: Any) -> str:
    document = dump_html(html, marks=True)
    return html_of(document, kept_of(document, keep), MarkupOptions(**options), URL).decode()


def read(text: str) -> str:
    """What a reader of CommonMark with tables, struck text, footnotes and definition lists makes of Markdown."""
    reader = MarkdownIt("commonmark", {"maxNesting": 500}).enable(["table", "strikethrough"])
    reader.use(deflist_plugin).use(footnote_plugin)
    # unlike the standard, this reader takes only some addresses for links
    reader.validateLink = lambda _: True  # type: ignore[method-assign,assignment]
    return str(reader.render(text))


# Elements that one of the two formats does not have, or has only where a block is not alone.
_NO_ELEMENTS = {"u", "mark", "q", "p", "section", "tbody", "thead", "body"}
_ATTRIBUTES = {"href": "a", "src": "img", "alt": "img", "class": "code", "start": "ol"}
# Names of the same.
_SAME = {"s": "del", "th": "td"}
# Where Markdown has no line breaks.
_FLAT = {"dt", "h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "table", "tr", "td", "th", "dl",
    "dt", "dd", "caption",
}  # fmt: skip


def outline(html: str) -> list[Any]:
    """The structure of HTML as lists: ["ul", ["li", "text"]]; text with its white space folded."""
    root = LexborHTMLParser(html).body
    assert root is not None
    return _children(root, False)


def _children(node: LexborNode, pre: bool, flat: bool = False) -> list[Any]:
    out: list[Any] = []

    def add_text(text: str) -> None:
        if out and isinstance(out[-1], str):
            out[-1] += text
        else:
            out.append(text)

    def visit(parent: LexborNode) -> None:
        child = parent.first_child
        while child is not None:
            if child.is_text_node:
                add_text(child.text_content or "")
            elif child.is_element_node:
                tag = child.tag or ""
                if tag in _NO_ELEMENTS:
                    # in a cell of Markdown, paragraphs are lines
                    boundary = ["br"] if (node.tag or "") in ("td", "th") else ["|"]
                    if tag in _BLOCKS and out and str(out[-1]).strip():
                        out.append(boundary)
                    visit(child)
                    if tag in _BLOCKS and out and str(out[-1]).strip():
                        out.append(boundary)
                elif tag == "br":
                    if flat:
                        add_text(" ")
                    else:
                        out.append(["br"])
                else:
                    attributes = [
                        f"{name}={value}"
                        for name, value in sorted(child.attributes.items())
                        if _ATTRIBUTES.get(name) == tag and value
                    ]
                    inside = _children(child, pre or tag == "pre", flat or tag in _FLAT)
                    # the head that a table has to have is empty
                    if tag == "dl" and out and isinstance(out[-1], str) and not out[-1].strip():
                        out.pop()
                    if tag == "dl" and out and out[-1][0] == "dl":
                        # two lists of definitions in a row are one for Markdown
                        out[-1] += inside
                    elif tag != "tr" or any(len(cell) > 1 for cell in inside):
                        out.append([" ".join([_SAME.get(tag, tag), *attributes]), *inside])
            child = child.next

    visit(node)
    if pre:
        return [item.rstrip("\n") if isinstance(item, str) else item for item in out]
    folded: list[Any] = []
    for i, item in enumerate(out):
        if not isinstance(item, str):
            folded.append(item)
            continue
        text = re.sub(r"[ \t\n]+", " ", item)
        if i == 0 or _is_block(out[i - 1]):
            text = text.lstrip(" ")
        if i + 1 == len(out) or _is_block(out[i + 1]):
            text = text.rstrip(" ")
        if text:
            folded.append(text)
    while folded and folded[-1] in (["|"], ["br"]):
        folded.pop()
    folded = [item for i, item in enumerate(folded) if item != ["br"] or folded[i - 1] != ["br"]]
    # a boundary beside a block says nothing
    return [
        item
        for i, item in enumerate(folded)
        if item != ["|"]
        or (
            i
            and not _is_block(folded[i - 1], False)
            and i + 1 < len(folded)
            and not _is_block(folded[i + 1], False)
        )
    ]


def _is_block(item: Any, boundary: bool = True) -> bool:
    if not isinstance(item, list):
        return False
    tag = str(item[0]).split(" ")[0]
    return tag in _BLOCKS or tag == "br" or (boundary and tag == "|")
