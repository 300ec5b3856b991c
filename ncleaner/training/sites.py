"""Which pages come from one site, and folds for cross-validation that keep sites together.

A model that has seen other pages of a site knows its menus by heart: a split that lets a site stand on both
sides flatters accuracy by several points. A site is a registered domain, by the public suffix list.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

__all__ = ["folds", "registered_domain"]


@lru_cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def registered_domain(url: str) -> str:
    """The registered domain of a URL; its host where that has none (an address, `localhost`); empty without
    a host."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""
    host = host.rstrip(".").lower()
    if host.replace(".", "").isdigit() or ":" in host:
        return host  # an address has no domain
    return _suffixes().privatesuffix(host) or host


def folds(sites: Sequence[str], k: int) -> list[list[int]]:
    """Deals pages to at most k folds of about equal size; no site stands in two of them.

    The largest sites are dealt first, each to the smallest fold; the result depends on nothing but `sites`.
    Pages of an unknown site (empty) go by neighbourhood: runs of them that stand together stay together,
    since names are often sorted by site.

    Args:
        sites: of each page.
        k: folds wanted, at least 2.

    Returns:
        Lists of page numbers, ascending, none empty: fewer than k where there are fewer sites.
    """
    homes: dict[str, list[int]] = {}
    unknown = [page for page, site in enumerate(sites) if not site]
    for page, site in enumerate(sites):
        if site:
            homes.setdefault(site, []).append(page)
    # unknown pages: k runs of neighbours for each k, so that they fill up evenly
    pieces = min(len(unknown), 2 * k)
    groups = list(homes.values()) + [
        unknown[len(unknown) * i // pieces : len(unknown) * (i + 1) // pieces] for i in range(pieces)
    ]
    groups.sort(key=lambda pages: (-len(pages), pages[0]))
    dealt: list[list[int]] = [[] for _ in range(min(k, len(groups)))]
    for pages in groups:
        min(dealt, key=len).extend(pages)
    return sorted(sorted(fold) for fold in dealt)
