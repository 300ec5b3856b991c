"""JSON-LD to the statements that count: of the article or the page, not of what it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

# Nodes that are read of a page. A page has tens; JSON-LD of a shop may have thousands of offers.
_MOST = 400
_DEEPEST = 12
_CONTROLS = re.compile(r"[\x00-\x1f]+")
_COMMENT = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*;?\s*$")
_TRAILING = re.compile(r",\s*(?=[}\]])")

# How the types of what describes the text of a page end, the most telling first; all others are about
# something else.
_TYPES = (
    tuple("article posting report review qapage recipe howto".split()),
    tuple("webpage itempage aboutpage faqpage product book event course podcastepisode videoobject".split()),
)

# Things that a page may be about. Their dates are not those of the page, and reviews beside them are those of
# customers.
_THINGS = ("product", "book", "event")
# the days of an event, or on which an offer ends
_OF_THINGS = ("startDate", "endDate", "validFrom", "validThrough")

Described = dict[str, Any]


def described(texts: list[str]) -> tuple[list[Described], dict[str, Described]]:
    """Reads the JSON-LD of a page.

    Args:
        texts: the contents of its scripts.

    Returns:
        The objects that describe the page, those of articles before those of pages; and {id: object} of all
        objects with an id.
    """
    found: list[tuple[int, Described]] = []
    ids: dict[str, Described] = {}
    for node in _nodes([_parsed(text) for text in texts]):
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            ids.setdefault(name, node)
        rank = _rank(node)
        if rank is not None:
            found.append((rank, node))
    nodes = [node for _, node in sorted(found, key=lambda each: each[0])]
    if any(map(is_thing, nodes)):
        nodes = [node for node in nodes if not _ends(node, ("review",))]
    return nodes, ids


def is_thing(node: Described) -> bool:
    """Tells whether an object is a thing that the page is about, rather than a text."""
    return _ends(node, _THINGS)


def days_of(node: Described) -> list[str]:
    """Returns the dates of an object that say when something takes place or is valid."""
    return [value for key in _OF_THINGS if key in node and isinstance(value := node[key], str)]


def _parsed(text: str) -> Any:
    for change in (lambda text: text, _mended):
        try:
            return orjson.loads(change(text))
        except (orjson.JSONDecodeError, RecursionError):
            continue
    return None


def _mended(text: str) -> str:
    """Mends what templates do wrong: comments around, line breaks in strings, commas before brackets."""
    return _TRAILING.sub("", _CONTROLS.sub(" ", _COMMENT.sub("", text)))


def _nodes(roots: list[Any]) -> Iterator[Described]:
    waiting = [(root, 0) for root in reversed(roots)]
    seen = 0
    while waiting and seen < _MOST:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(node, list):
            waiting.extend((each, depth + 1) for each in reversed(node[:_MOST]))
        elif isinstance(node, dict):
            seen += 1
            yield node
            # what an article is part of, or is about, does not describe it
            waiting.extend(
                (node[key], depth + 1) for key in ("mainEntity", "mainEntityOfPage", "@graph") if key in node
            )


def _rank(node: Described) -> int | None:
    return next((rank for rank, known in enumerate(_TYPES) if _ends(node, known)), None)


def _ends(node: Described, known: tuple[str, ...]) -> bool:
    """Tells whether a type of an object ends with one of some words."""
    types = node.get("@type")
    if isinstance(types, str):
        return types.lower().endswith(known)
    if isinstance(types, list):
        return any(isinstance(name, str) and name.lower().endswith(known) for name in types)
    return False
