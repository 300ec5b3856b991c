"""The metadata of a page, which stand outside its text: meta tags, links, JSON-LD, marked dates and names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ncleaner.document import _facts
from ncleaner.document.tables import Fact

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["facts_of"]

# as in _facts.pyx
_MOST, _VALUE, _TEXT, _DATA, _TEXT_NODES = 512, 2_000, 400, 1_000_000, 40
_AUTHOR = re.compile("[Aa]uthor|[Bb]y[Ll]ine")


def facts_of(parser: LexborHTMLParser) -> list[Fact]:
    """Returns the metadata of a parsed page, in document order, the first 512 elements."""
    found = _facts.collect(parser) if _facts.COMPILED else _collected(parser)
    return [Fact(*each) for each in found]


def _collected(parser: LexborHTMLParser) -> list[tuple[str, str, str]]:
    """Does the same as `_facts.collect` through selectolax."""
    root = parser.root
    if root is None:
        return []
    found: list[tuple[str, str, str]] = []
    for node in root.traverse():
        if len(found) == _MOST:
            break
        if (fact := _fact(node)) is not None:
            found.append(fact)
    return [fact for fact in found if fact[0] != "data" or fact[2]]


def _fact(node: LexborNode) -> tuple[str, str, str] | None:
    tag = node.tag
    if not node.attributes:
        return ("time", "", _text(node)) if tag == "time" else None
    given = {name: value for name, value in node.attributes.items() if value is not None}

    def names(*wanted: str) -> str:
        return " ".join(_cut(given[name], _VALUE) for name in wanted if given.get(name))

    def value(name: str) -> str:
        return _cut(given.get(name, ""), _VALUE)

    if tag == "meta":
        if "content" not in given:
            return None
        return "meta", names("name", "property", "itemprop", "http-equiv"), value("content")
    rel = given.get("rel", "").lower()
    if tag == "link":
        if "href" not in given or not ("canonical" in rel or "license" in rel):
            return None
        return "link", value("rel"), value("href")
    if tag == "script":
        if "ld+json" not in given.get("type", "").lower():
            return None
        text = node.text(deep=False)
        return "data", "", text if len(text.encode()) <= _DATA else ""
    if tag == "time":
        return "time", names("itemprop", "class"), value("datetime") or _text(node)
    if "itemprop" in given:
        for name in ("content", "datetime", *(["src"] if tag == "img" else [])):
            if name in given:
                return "item", names("itemprop"), value(name)
        return "item", names("itemprop"), _text(node)
    if tag == "a":
        if "author" in rel:
            return "author", names("rel", "class"), _text(node)
        if "license" in rel or "creativecommons.org/" in given.get("href", ""):
            return "licence", "", value("href")
    if _AUTHOR.search(given.get("class", "")):
        return "author", names("rel", "class"), _text(node)
    return None


def _cut(text: str, most: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore")


def _text(root: LexborNode) -> str:
    parts: list[str] = []
    length = seen = 0
    node = root.child
    while node is not None and length < _TEXT and seen < _TEXT_NODES:
        into = True
        if node.is_text_node:
            text = node.text_content or ""
            parts.append(_cut(text, _TEXT - length))
            length += len(text.encode())
            seen += 1
        elif node.is_element_node:
            into = node.tag not in ("script", "style")
            parts.append("\n")
        if into and node.child is not None:
            node = node.child
            continue
        while node is not None and node != root and node.next is None:
            node = node.parent
        if node is None or node == root:
            break
        node = node.next
    return "".join(parts)
