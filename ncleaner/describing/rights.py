"""What a page says about its use: directives to robots, and the reservation of text and data mining.

The names are those of the TDM Reservation Protocol (W3C community group, 2024), made for Article 4 of the
European directive on copyright in the digital single market.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
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
# A directive with a value of its own, such as `max-image-preview: none`, is none of ours.
_WITH_VALUE = re.compile(
    r"\b(?:unavailable_after|max-(?:snippet|image-preview|video-preview))\s*:\s*[^\s,;]*"
)
_WORD = re.compile(r"[a-z-]+")
# In a header, what follows `googlebot:` is said to one robot. `all: noai` is not: that is no name of a robot.
_AGENT = re.compile(r"(?<![\w.*-])([a-z*][\w.*-]*)\s*:")
_TO_ALL = frozenset(("*", "all", "index", "follow", "none", *_DIRECTIVES))
# Values of `tdm-reservation`, as proxies join them and people write them; others say nothing.
_VALUE = re.compile(r"[\w.-]+")
_YES, _NO = re.compile(r"0*1|true"), re.compile(r"0+|false")
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
    values: list[str] = []
    policy = ""
    for name, value in _statements(document, header):
        if name in ("robots", "x-robots-tag"):
            robots.update(_directives(value))
        elif name == "tdm-reservation":
            # `1; x=1` has a parameter
            values += (
                word for each in value.lower().split(",") for word in _VALUE.findall(each.partition(";")[0])
            )
        elif name == "tdm-policy" and not policy:
            policy = address_in(value, url)
    reserved = (
        True if any(map(_YES.fullmatch, values)) else False if any(map(_NO.fullmatch, values)) else None
    )
    return Rights(tuple(sorted(robots)), reserved, policy)


def _statements(document: Document, header: str) -> Iterator[tuple[str, str]]:
    """Yields the name, in small letters, and the value of each statement, those of the header first, without
    what is said to one robot."""
    for line in header.split("\n"):
        name, _, value = line.partition(":")
        # what is before the first robot, then robots and what is said to them, in turns
        first, *parts = _AGENT.split(_WITH_VALUE.sub(" ", value.lower()))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        to_all = (f"{agent} {said}" for agent, said in pairs if agent in _TO_ALL)
        name = name.strip().lower()
        yield name, " ".join((first, *to_all)) if name == "x-robots-tag" else value
    for kind, names, value in document.facts or ():
        # most meta tags have other names
        if kind == "meta" and ("robots" in names or "tdm" in names):
            for name in names.split():
                yield name, value


# most pages have one of a few values
@lru_cache(256)
def _directives(value: str) -> Iterable[str]:
    words = set(_WORD.findall(_WITH_VALUE.sub(" ", value.lower())))
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
