"""The portrait of a crawl: what a survey counts, in all and by site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from ncleaner.surveying.survey import Survey, checked

__all__ = ["Portrait", "SiteRow", "portrait_of"]

_SITES = """SELECT site, number FROM counts WHERE what = 'pages' ORDER BY number DESC, site LIMIT ?"""
_SAMPLE = "SELECT count(*), count(DISTINCT layout) FROM pages WHERE site = ?"


@dataclass(slots=True)
class SiteRow:
    """A site.

    Attributes:
        site: registered domain, or the host without one.
        pages, words, kept: number of pages, of their words, and of those that are kept.
        exact, near: number of pages that repeat another page of the crawl; 0 if the survey does not know.
        languages, kinds: number of pages by language and by kind; an empty name is for those that are
            unknown.
        sampled: number of pages that the survey keeps.
        layouts: number of different layouts among these; pages of one template have one or a few.
    """

    site: str
    pages: int = 0
    words: int = 0
    kept: int = 0
    exact: int = 0
    near: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    sampled: int = 0
    layouts: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Returns the row for JSON."""
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in values.items()}


@dataclass(slots=True)
class Portrait:
    """A crawl.

    Attributes:
        sites: number of sites.
        total: sums over all sites; its `layouts` is not counted.
        single: number of sites with one page, of which nothing can be known.
        largest: the sites with most pages.
        duplicates: whether the survey knows duplicates.
    """

    sites: int
    total: SiteRow
    single: int
    largest: list[SiteRow]
    duplicates: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Returns the portrait for JSON."""
        return {
            "sites": self.sites,
            "single": self.single,
            "duplicates": self.duplicates,
            "total": self.total.to_dict(),
            "largest": [row.to_dict() for row in self.largest],
        }


def portrait_of(survey: Survey, most: int = 500) -> Portrait:
    """Reads the portrait of a survey, with some of its largest sites.

    Raises:
        ModelError: the survey is damaged.
    """
    with checked(survey.path):
        database = survey.database
        total = SiteRow("")
        for what, name, number in database.execute(
            "SELECT what, name, sum(number) FROM counts GROUP BY what, name ORDER BY what, name"
        ):
            _count(total, what, name, number)
        (total.sampled,) = database.execute("SELECT count(*) FROM pages").fetchone()
        sites, single = database.execute(
            "SELECT count(*), sum(number = 1) FROM counts WHERE what = 'pages'"
        ).fetchone()
        largest = []
        for site, _ in database.execute(_SITES, (most,)).fetchall():
            row = SiteRow(site)
            for what, name, number in database.execute(
                "SELECT what, name, number FROM counts WHERE site = ?", (site,)
            ):
                _count(row, what, name, number)
            row.sampled, row.layouts = database.execute(_SAMPLE, (site,)).fetchone()
            largest.append(row)
    return Portrait(sites, total, single or 0, largest, survey.duplicates)


def _count(row: SiteRow, what: str, name: str, number: int) -> None:
    if what in ("pages", "words", "kept", "exact", "near"):
        setattr(row, what, number)
    elif what == "language":
        row.languages[name] += number
    elif what == "kind":
        row.kinds[name] += number
