"""Folds for cross-validation with no site in two of them.

A model that has seen other pages of a site knows the site's menus: a split with a site on both sides
overstates accuracy by several points. A site is a registered domain (`text.hosts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["count_sites", "folds"]


def count_sites(sites: Iterable[str]) -> int:
    """Returns the number of sites; a page without a known site (empty) counts as one of its own."""
    listed = list(sites)
    return len(set(filter(None, listed))) + sum(not site for site in listed)


def folds(sites: Sequence[str], k: int) -> list[list[int]]:
    """Divides pages into at most k folds of about equal size; no site is in two folds.

    The largest sites come first, each into the smallest fold; the result depends only on `sites`. Pages of
    unknown sites (empty) stay together with their neighbours in the list, since names are often sorted by
    site.

    Args:
        sites: the site of each page.
        k: number of folds, at least 2.

    Returns:
        Lists of page numbers, ascending, none empty: fewer than k where there are fewer sites.
    """
    homes: dict[str, list[int]] = {}
    unknown = [page for page, site in enumerate(sites) if not site]
    for page, site in enumerate(sites):
        if site:
            homes.setdefault(site, []).append(page)
    # pages of unknown sites: 2 k runs of neighbours, so that the folds fill evenly
    pieces = min(len(unknown), 2 * k)
    groups = list(homes.values()) + [
        unknown[len(unknown) * i // pieces : len(unknown) * (i + 1) // pieces] for i in range(pieces)
    ]
    groups.sort(key=lambda pages: (-len(pages), pages[0]))
    dealt: list[list[int]] = [[] for _ in range(min(k, len(groups)))]
    for pages in groups:
        min(dealt, key=len).extend(pages)
    return sorted(sorted(fold) for fold in dealt)
