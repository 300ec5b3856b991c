"""Sites of pages, and folds for cross-validation with no site in two of them.

A model that has seen other pages of a site knows the site's menus: a split with a site on both sides
overstates accuracy by several points. A site is a registered domain (`text.hosts`), or given by the user.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ncleaner.errors import TrainingError
from ncleaner.text.counted import counted

__all__ = ["count_sites", "folds", "site_notes", "sites_of_names"]

# With fewer sites, a standard error says little.
_FEW_SITES = 5
# A smaller share of pages of unknown sites changes no figure.
_FEW_UNKNOWN = 0.1


def sites_of_names(names: Sequence[str], pattern: str) -> list[str]:
    """Returns the sites in the names of pages.

    Args:
        names: of the files, without suffix.
        pattern: a regular expression that is searched in each name; its first group is the site, or all of
            it without a group.

    Returns:
        The site of each page; empty where nothing is found.

    Raises:
        TrainingError: it is not a regular expression, or it matches no name.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise TrainingError(f"{pattern!r} is not a regular expression: {error}") from error
    matches = [compiled.search(name) for name in names]
    found = ["" if match is None else match[min(compiled.groups, 1)] or "" for match in matches]
    if not any(found):
        raise TrainingError(
            f"the regular expression {pattern!r} finds no site in the names of the pages, such as "
            f"{names[0] if names else '-'}"
        )
    return found


def site_notes(sites: Sequence[str]) -> list[str]:
    """Returns what makes cross-validated figures doubtful, in sentences: sites that are not known, that have
    most of the pages, or that are few."""
    notes = []
    known = Counter(filter(None, sites))
    unknown = len(sites) - known.total()
    if unknown > _FEW_UNKNOWN * len(sites) and len(sites) > 1:
        pages = "all pages" if unknown == len(sites) else f"{unknown:,} of {counted(len(sites), 'page')}"
        notes.append(
            f"the sites of {pages} are not known: each page counts as a site of its own, and neighbours by "
            "name stay together in the cross-validation. If several are of one site, the figures are too "
            "good; a manifest with URLs (--manifest) or --site-from gives the sites"
        )
    largest, most = known.most_common(1)[0] if known else ("", 0)
    if len(known) > 1 and 2 * most > len(sites):
        notes.append(
            f"{largest} has {most:,} of {counted(len(sites), 'page')}: they are judged by a model of only "
            f"{len(sites) - most:,}, so that the figures are too low, and hold mostly for this site"
        )
    number = len(known) + unknown
    if 1 < number < _FEW_SITES:
        notes.append(f"the pages are of only {number} sites: standard errors say little about further ones")
    return notes


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
