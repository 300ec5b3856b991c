"""Titles without the name of the site."""

from __future__ import annotations

import html
import re

from ncleaner.text.hosts import host_of

__all__ = ["plain_title", "without_site"]

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
# what sites put between title and name
_BETWEEN = re.compile(r"\s+[|\-–—·•:»«/~]+\s+|\s*[|»«]\s*")

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
        parts = [(match.start(), match.end()) for match in _BETWEEN.finditer(title)]
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
