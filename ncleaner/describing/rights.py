"""What a page says about its use: directives to robots, and the reservation of text and data mining.

The names are those of the TDM Reservation Protocol (W3C community group, 2024), made for Article 4 of the
European directive on copyright in the digital single market.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from ncleaner.document.tables import Document

# Directives that are written down. `none` is two of them.
_DIRECTIVES = (
    "noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "notranslate", "noai", "noimageai",
)  # fmt: skip
_NONE = ("noindex", "nofollow")
# A page that does not want to be part of a corpus has at least one of these. Microsoft's crawler keeps
# `noarchive` pages out of the training of models, and `noai` was made for that (DeviantArt, 2022).
_RESERVING = frozenset(("noindex", "noarchive", "noai"))
_SEPARATORS = re.compile(r"[\s,;]+")
# `googlebot: noindex` is said to one robot. A directive with a value of its own is none of ours.
_AGENT = re.compile(r"\s*([\w.*-]+)\s*:\s*(.*)", re.DOTALL)
_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_HTTP = re.compile(r"https?://[^\s/?#\[\]\\][^\s]*\Z", re.IGNORECASE)
LONGEST_URL = 2_000


@dataclass(frozen=True, slots=True)
class Rights:
    """What a page says about its use.

    Where its header and its markup contradict each other, the stricter counts.

    Attributes:
        robots: directives to all robots, such as `noindex` and `noai`, in small letters and in order.
        tdm_reservation: True if text and data mining is reserved, False if the page says that it is not; None
            if it says nothing.
        tdm_policy: address of the conditions; empty without it.
    """

    robots: tuple[str, ...] = ()
    tdm_reservation: bool | None = None
    tdm_policy: str = ""

    @property
    def reserved(self) -> bool:
        """Whether the page does not want to be part of a corpus: mining is reserved, or robots are told
        `noai`, `noarchive` or `noindex`."""
        return bool(self.tdm_reservation) or not _RESERVING.isdisjoint(self.robots)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields, for JSON."""
        return {
            "robots": list(self.robots),
            "tdm_reservation": self.tdm_reservation,
            "tdm_policy": self.tdm_policy,
        }


def rights_of(document: Document, header: str = "", url: str = "") -> Rights:
    """Returns what a page says about its use.

    Args:
        document: the page, with facts.
        header: the fields of its HTTP header; see `Page.rights`.
        url: its address, for a relative address of a policy.
    """
    robots: set[str] = set()
    reservations: set[str] = set()
    policy = ""
    for name, value in _statements(document, header):
        if name in ("robots", "x-robots-tag"):
            robots.update(_directives(value))
        elif name == "tdm-reservation":
            reservations.add(value.strip())
        elif name == "tdm-policy" and not policy:
            policy = address_in(value, url)
    # other values than 0 and 1 say nothing
    reserved = True if "1" in reservations else False if "0" in reservations else None
    return Rights(tuple(sorted(robots)), reserved, policy)


def _statements(document: Document, header: str) -> Iterator[tuple[str, str]]:
    """Yields the name, in small letters, and the value of each statement, those of the header first."""
    for line in header.split("\n"):
        name, _, value = line.partition(":")
        yield name.strip().lower(), value
    for kind, names, value in document.facts or ():
        # most meta tags have other names
        if kind == "meta" and ("robots" in names or "tdm" in names):
            for name in names.split():
                yield name, value


def _directives(value: str) -> Iterable[str]:
    found = _AGENT.fullmatch(value)
    if found and found[1].lower() not in _WITH_VALUE:
        if found[1] != "*":
            return ()
        value = found[2]
    words = set(_SEPARATORS.split(value.lower()))
    return [*words.intersection(_DIRECTIVES), *(_NONE if "none" in words else ())]


def address_in(value: str, url: str) -> str:
    """Returns the address that a page states, made absolute; empty if it is none of the Web, or too long."""
    found = value.strip()
    if not _HTTP.match(found):
        try:
            found = urljoin(url, found)
        except ValueError:
            return ""
        if not _HTTP.match(found):
            return ""
    return found if len(found) <= LONGEST_URL else ""
