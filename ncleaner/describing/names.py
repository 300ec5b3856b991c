"""Titles without the name of the site, and names of authors, as pages write them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from ncleaner.text.hosts import host_of

__all__ = ["BY", "names_in", "names_on_page", "plain_title", "without_site"]

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
# what sites put between title and name
_BEFORE_SITE = re.compile(r"\s+[|\-–—·•:»«/~]+\s+|\s*[|»«]\s*")

# a host in the place of a name
_HOST = re.compile(
    r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|info|edu|gov|eu|example|(?:co\.)?(?:uk|de|fr|es|it|nl|gr|pl|ru|cn|jp|at|ch))",
    re.IGNORECASE,
)
# parts of a title that are looked at, from each end
_PARTS = 4
# a shorter name is a part of other words
_SHORT = 3


def plain_title(text: str) -> str:
    """Returns a text of one line: without tags, references to characters decoded, white space folded."""
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    return " ".join(text.split())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def without_site(text: str, site: str, url: str = "") -> str:
    """Returns a title without the name of the site before or after it.

    >>> without_site("The ferry is back | Harbour Gazette", "Harbour Gazette")
    'The ferry is back'
    >>> without_site("Harbour Gazette - The ferry is back", "", "https://www.harbour-gazette.example/ferry")
    'The ferry is back'

    Args:
        text: as the page has it.
        site: name of the site; empty if it is unknown.
        url: address of the page, whose host often has the name.
    """
    title = plain_title(text)
    known = _letters(site)
    # the name is the longest part of the host: www.harbour-gazette.example
    host = _letters(max(host_of(url).split(".")[:-1] or [""], key=len))

    def names_site(part: str) -> bool:
        letters = _letters(part)
        return (
            not letters
            or bool(_HOST.fullmatch(part.strip()))
            or _alike(letters, known)
            or _alike(letters, host)
        )

    # most sites put their name behind the title, some with that of a section
    for _ in range(_PARTS):
        parts = [(match.start(), match.end()) for match in _BEFORE_SITE.finditer(title)]
        behind = [title[:start] for start, end in parts[-_PARTS:] if names_site(title[end:])]
        before = [title[end:] for start, end in parts[:_PARTS] if names_site(title[:start])]
        rest = next((rest for rest in (*reversed(behind), *before) if _letters(rest)), None)
        if rest is None:
            break
        title = rest
    return title


def _alike(letters: str, name: str) -> bool:
    """Tells whether letters name a site: its name, or this with little around it, or a part of it."""
    if len(name) <= _SHORT:
        return bool(name) and letters == name
    return len(letters) < 2 * len(name) + 8 and (
        name in letters or (len(letters) > _SHORT and letters in name)
    )


# Authors

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
