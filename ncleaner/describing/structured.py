"""JSON-LD to the statements that count: of the article or the page, not of what it mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

# Nodes that are read of a page. A page has tens; JSON-LD of a shop may have thousands of offers.
_MOST = 400
_DEEPEST = 12
_CONTROLS = re.compile(r"[\x00-\x1f]+")
_OPENED = re.compile(r"\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[)")
_TRAILING = re.compile(r",\s*(?=[}\]])")

# How the types of what describes the text of a page end, each with a bit, the most telling first; all others
# are about something else. Dates of a thing are not those of the page, and reviews beside it are those of
# customers.
_TEXT, _PAGE, _THING, _REVIEW = 1, 2, 4, 8
_TYPES = {
    _TEXT: tuple("article posting report review qapage recipe howto".split()),
    _PAGE: tuple(
        "webpage itempage aboutpage faqpage product book event course podcastepisode videoobject".split()
    ),
    _THING: ("product", "book", "event"),
    _REVIEW: ("review",),
}
_LONGEST_TYPE = max(map(len, sum(_TYPES.values(), ())))
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
    found: list[Described] = []
    pages: list[Described] = []
    ids: dict[str, Described] = {}
    all_kinds = 0
    for node in _nodes([_parsed(text) for text in texts]):
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            ids.setdefault(name, node)
        kinds = _kinds(node)
        all_kinds |= kinds
        if kinds:
            (found if kinds & _TEXT else pages).append(node)
    found += pages
    if all_kinds & _THING and all_kinds & _REVIEW:
        found = [node for node in found if not _kinds(node) & _REVIEW]
    return found, ids


def is_thing(node: Described) -> bool:
    """Tells whether an object is a thing that the page is about, rather than a text."""
    return bool(_kinds(node) & _THING)


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
    if opened := _OPENED.match(text):
        text = text[opened.end() :]
    end = text.rstrip().removesuffix(";").rstrip()
    if end.endswith(("-->", "]]>")):
        text = end[:-3].rstrip().removesuffix("//")
    return _TRAILING.sub("", _CONTROLS.sub(" ", text))


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
            for key in ("mainEntity", "mainEntityOfPage", "@graph"):
                if key in node:
                    waiting.append((node[key], depth + 1))


def _kinds(node: Described) -> int:
    """Returns the bits of `_TYPES` for the types of an object."""
    types = node.get("@type")
    if isinstance(types, str):
        return _kinds_of(types[-_LONGEST_TYPE:])
    kinds = 0
    for name in types if isinstance(types, list) else ():
        if isinstance(name, str):
            kinds |= _kinds_of(name[-_LONGEST_TYPE:])
    return kinds


@lru_cache(1_024)
def _kinds_of(end: str) -> int:
    small = end.lower()
    return sum(kind for kind, words in _TYPES.items() if small.endswith(words))
