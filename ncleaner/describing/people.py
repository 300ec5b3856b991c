"""Names of authors, as pages write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ncleaner.describing.titles import plain_title

__all__ = ["BY", "names_in", "names_on_page"]

# names of a page, and the length and words of one
_MOST, _LONGEST, _WORDS = 10, 60, 6
# A byline may name several people; a text that is longer is about them.
_LONGEST_BYLINE = 200
# More different names than this, each in an element of its own, are the writers of posts or comments.
_FEW = 4

BY: Final = re.compile(
    r"^\W*(?:(?:written|posted|published|reviewed|authored|article|words|story|text|created|contributed|reporting)\s+by"
    r"|by|von|par|por|di|door|av|autor(?:ka)?|authors?|автор|текст|συντάκτης|του|της|作者|文|责任编辑|编辑|记者|撰文)\b[\s:：|]*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*(?:[;|•·/\n\t、]|,(?!\s*(?:jr|sr|ph\.?\s?d|m\.?d|esq|rn|rd|mba|ii|iii|cpa|cepf)\b)|&(?!\s*(?:sons|co|company|partners|bros)\b)|＆"
    r"|(?<!\w)(?:and|und|et|y|i|и|και)(?!\w))\s*",
    re.IGNORECASE,
)
_JOINS = re.compile(r"^\W*(?:and|und|et|y|i|и|και)?\W*$", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*(?:[|•·—–(@\d]|(?<=\w{5})\.\s|\b(?:on|updated|published|posted|last|in|for|from|at)\b"
    r"|(?<=\s)(?:associated press|ap|staff|special) (?=(?:\w+ )*(?:writer|reporter|correspondent)s?\b)).*$",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(r"https?:|www\.|@\w+\.|\.(?:com|org|net)\b", re.IGNORECASE)
# Among statements of authors: they say where the first one can be found.
_CONTACT = re.compile(r"\b(?:tel|fax|phone|p\.?o\.? ?box)\b", re.IGNORECASE)
# A byline has other things than names behind such a sign.
_BESIDE = re.compile(r"\s[|•·]\s|\s\[")
# roles, accounts, hosts, days and labels, no people
_NO_NAME = re.compile(
    r"^(?:admin\w*|editors?|editorial|staff(?: writer)?|webmaster|guest(?: author)?|authors?|anonymous"
    r"|unknown|user|root|team|none|null|undefined|n/a|name|about(?: the author)?|follow|share|subscribe|by"
    r"|[a-z]|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}|(?:co-?)?founder\b.*|.*\b(?:mins?|minutes?) read|text size|small"
    r"|sections?|shutterstock|getty images|istock(?:photo)?|unsplash|pexels|adobe stock|alamy"
    r"|(?:.*\s)?(?:writer|reporter|correspondent|contributor|columnist|journalist|newsroom|analyst"
    r"|attorney|dietitian|nutritionist|expert|specialist|strategist|consultant|director|manager|professor"
    r"|researcher|ceo|disclosure|(?:senior|managing|associate|news|copy|deputy|chief|contributing) editor)s?"
    r"|(?:cite|meet|view|see|read|edited|reviewed|fact[- ]checked|medically)\b.*"
    r"|.* (?:is|was|are|has|have|will) .*"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tues|wednes|thurs|fri|satur|sun)[a-z]*\.?)$",
    re.IGNORECASE,
)


def names_in(values: Iterable[str]) -> tuple[str, ...]:
    """Returns the names of people or groups in statements of authors, each once, in order, at most ten.

    >>> names_in(["By Ann Lee and Ben Moss", "https://example.com/ann", "admin"])
    ('Ann Lee', 'Ben Moss')

    Args:
        values: what meta tags or JSON-LD name as authors.
    """
    given = list(values)
    names = _distinct(name for value in given for name in _names(value))
    # the address of a publisher begins with its name
    return names[:1] if any(map(_CONTACT.search, given)) else names


def names_on_page(values: Iterable[str]) -> tuple[str, ...]:
    """Returns the names in elements that are marked as authors.

    Such an element often has more than names: the first line with a name counts, and those that are joined
    to it by a comma or an "and". Many elements with different names are the writers of posts: the first
    counts.

    Args:
        values: the text of each element, a line for each element in it.
    """
    each = [names for value in values if (names := _distinct(_first_names(value)))]
    found = _distinct(name for names in each for name in names)
    return found if len(found) <= _FEW else each[0]


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())[:_MOST]


def _first_names(value: str) -> Iterator[str]:
    joined = True
    for line in value.split("\n"):
        if not line.strip():
            continue
        if _JOINS.match(line):
            joined = True
            continue
        names = [*_names(line)] if joined else []
        yield from names
        joined = line.rstrip().endswith((",", "&", " and")) or (joined and not names)


def _names(value: str) -> Iterator[str]:
    text = plain_title(value)
    if not text or len(text) > _LONGEST_BYLINE or _ADDRESS.search(text):
        return
    named = BY.sub("", text)
    if named != text:
        named = _BESIDE.split(named)[0]
    for part in _BETWEEN.split(named):
        name = _AFTER.sub("", BY.sub("", part)).strip(" \"'“”‘’.,:;-–—")
        if name and len(name) <= _LONGEST and name.count(" ") < _WORDS and _is_name(name):
            yield name


def _is_name(name: str) -> bool:
    return any(map(str.isalpha, name)) and not _NO_NAME.match(name)
