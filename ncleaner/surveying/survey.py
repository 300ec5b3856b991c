"""A survey: what is known of each site, in one SQLite file or in shards; and the portrait of a crawl, what
the survey counts, in all and by site.

The tables of a shard: `about` (key, value); `counts` (place, site, what, name, number), where `what` is
pages, words, kept, language, kind, exact or near (duplicates; in the shards of their captures, the sum
counts); `pages` (place, site, page, layout, texts, size, html, encoding), a sample of each site's pages, of a
given size, those with the smallest hashes of their URLs, and the hashes of the texts on each of them, uint32,
little endian; `captures`, `bands` and `duplicates`; and in surveys with paragraphs `moments` and `sequences`
(see `duplicates.py`). `place` is the number of the site (see `shards.py`, also for what is behind the
database, where SQLite reads nothing). SQLite finds a site among millions without reading the rest, and any
program can ask the tables.
"""

import os
import sqlite3
import threading
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from heapq import nsmallest
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.tables import SiteCounts
from ncleaner.dumping.html import dump_html
from ncleaner.errors import InputError, ModelError
from ncleaner.page import Page
from ncleaner.surveying._texts import HASHES_VERSION, SEQUENCES_VERSION, text_hashes
from ncleaner.surveying.duplicates import SKETCH_VERSION, capture_of, shares_seen
from ncleaner.surveying.shards import (
    CAPTURE_BITS,
    SITE_BITS,
    Connection,
    Shards,
    check_whole,
    checked_seals,
    damaged,
    files_of,
    site_number,
)
from ncleaner.text.hosts import registered_domain

# A page of the sample is a bit of a number.
MOST_PAGES = 64
_CACHED = 64
# Two pages have the same main text if this share of it is the same. Main text is segments of at least this
# many characters.
_SAME = 0.5
_LONG = 100
# Without such segments, nearly all of the page must be the same.
_NEARLY_ALL = 0.95
# Among this many pages, a text on more than half of them is no page's main text.
_ENOUGH = 4


@contextmanager
def checked(path: Path) -> Iterator[None]:
    """Turns the errors of SQLite into a ModelError that names the file."""
    try:
        yield
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise ModelError(
            f"the survey {path} is damaged or cannot be read ({error}): make it again"
        ) from error


class Contents(NamedTuple):
    """What a survey knows.

    Attributes:
        pages: most pages of a site that it keeps, 2 to `MOST_PAGES`.
        references: whether it keeps their HTML, too, for the method `site`.
        duplicates: whether it knows the duplicates among all pages, by their clean texts.
        paragraphs: whether it knows the first page of each paragraph of the clean texts.
    """

    pages: int = 32
    references: bool = False
    duplicates: bool = False
    paragraphs: bool = False


class _Known(NamedTuple):
    """The sampled pages of a site: their texts, and for each text the pages that have it, as bits."""

    pages: int
    hashes: npt.NDArray[np.uint32]
    holders: npt.NDArray[np.uint64]


class Survey:
    """A survey of sites, read only. It pickles, and several threads can share it.

    Args:
        path: the file, or the directory of its shards.
        references: look up a reference page, too.
        is_checked: the bytes have been compared with their checksum.

    Attributes:
        contents: what it knows.

    Raises:
        ModelError: there is no such file, it has no reference pages, it is no survey or one of another
            version, or it is damaged. Of shards, which may have terabytes, only `check` reads all bytes.
    """

    def __init__(self, path: str | Path, references: bool = False, is_checked: bool = False) -> None:
        self.path = Path(path)
        self.references = references
        self._local = threading.local()
        with checked(self.path):
            self._seals = checked_seals(self.path)
            if self.path.is_file() and not is_checked:
                self.check()
            about = dict(self.shards[0].execute("SELECT key, value FROM about"))
        self.contents = Contents(about["pages"], *(about[name] == 1 for name in Contents._fields[1:]))
        for is_there, key, own, what in (
            (True, "hashes", HASHES_VERSION, "hashes of texts"),
            (self.contents.duplicates, "sketches", SKETCH_VERSION, "sketches"),
            (self.contents.paragraphs, "sequences", SEQUENCES_VERSION, "sequences of words"),
        ):
            if is_there and about[key] != own:
                raise ModelError(
                    f"the survey {self.path} has other {what} than this version computes: make it again"
                )
        if references and not self.contents.references:
            raise ModelError(
                f"the survey {self.path} has no reference pages: make it again with `survey --references`"
            )

    def check(self) -> None:
        """Reads all bytes. Raises ModelError: they are not those that were written."""
        with checked(self.path):
            for path, seal in zip(files_of(self.path), self._seals, strict=True):
                state = path.stat()
                check_whole(path, seal, (state.st_dev, state.st_ino, state.st_mtime_ns))

    @property
    def shards(self) -> Shards:
        """The connections of this thread."""
        return cast(Shards, self._opened().shards)

    def _opened(self) -> Any:
        """Returns the connections of this thread, and what it has found last."""
        # a connection belongs to one thread, and to one side of a fork
        local = self._local
        if getattr(local, "process", None) != os.getpid():
            local.shards = shards = Shards(files_of(self.path))
            local.known = lru_cache(_CACHED)(partial(_known, shards, self.path))
            local.dumped = lru_cache(_CACHED)(partial(_dumped, shards, self.path))
            local.process = os.getpid()
        return local

    def __reduce__(self) -> "tuple[type[Survey], tuple[Path, bool]]":
        return Survey, (self.path, self.references)

    def __len__(self) -> int:
        """Number of sites."""
        with checked(self.path):
            return sum(
                each.execute("SELECT count(*) FROM counts WHERE what = 'pages'").fetchone()[0]
                for each in self.shards.all()
            )

    def look_up(self, url: str, document: Document) -> SiteCounts | None:
        """What is known of the other pages of a page's site; None without a host, or if no other page is
        known.

        Pages with the same main text do not count: the page itself, its print version, the same article under
        another address.

        Args:
            url: of the page.
            document: its dump.

        Raises:
            ModelError: the survey is damaged.
        """
        name = registered_domain(url)
        if not (name and len(document)):
            return None
        known: _Known | None = self._opened().known(name)
        if known is None:
            return None
        hashes = text_hashes(document.tables)
        places = np.minimum(np.searchsorted(known.hashes, hashes), len(known.hashes) - 1)
        holders = np.where(known.hashes[places] == hashes, known.holders[places], 0)
        # shape (segments, pages)
        held = (holders[:, None] >> np.arange(known.pages, dtype=np.uint64) & np.uint64(1)).astype(bool)
        other = ~_same_text(document, held)
        pages = int(other.sum())
        if not pages:
            return None
        reference = self._reference(name, np.flatnonzero(other)) if self.references else None
        return SiteCounts(name, pages, held[:, other].sum(axis=1, dtype=np.int32), reference)

    def duplicate_of(self, page: Page) -> str:
        """The URL of the page that a captured page repeats, exactly or nearly; empty if it repeats none, the
        survey does not have it, or was made without duplicates.

        Raises:
            ModelError: the survey is damaged.
        """
        if not self.contents.duplicates:
            return ""
        with checked(self.path):
            found = (capture_of(page),)
            for query in (
                "SELECT original FROM duplicates WHERE capture = ?",
                "SELECT url FROM captures WHERE capture = ?",
            ):
                found = self.shards.of(found[0], CAPTURE_BITS).execute(query, found).fetchone()
                if found is None:
                    return ""
        return str(found[0])

    def shares_seen(
        self, page: Page, document: Document, mask: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """How much of each kept segment is on earlier pages; see `duplicates.shares_seen`.

        Raises:
            ModelError: the survey was made without paragraphs, or is damaged.
        """
        with checked(self.path):
            return shares_seen(self.shards, page, document, mask)

    def _reference(self, site: str, others: npt.NDArray[np.intp]) -> Document | None:
        """The page of median size among the sampled pages of these numbers; None if none has HTML."""
        with checked(self.path):
            rows = _rows(self.shards, "size, page", site)
            sized = sorted(rows[number] for number in others.tolist() if rows[number][0])
            if not sized:
                return None
            return cast(Document, self._opened().dumped(site, sized[len(sized) // 2][1]))

    def __repr__(self) -> str:
        return f"<Survey {self.path.name}>"


def _rows(shards: Shards, columns: str, site: str) -> list[tuple[Any, ...]]:
    """Returns columns of the sampled pages of a site."""
    place = site_number(site)
    query = f"SELECT {columns} FROM pages WHERE place = ? AND site = ? ORDER BY page LIMIT ?"
    return shards.of(place, SITE_BITS).execute(query, (place, site, MOST_PAGES)).fetchall()


def _known(shards: Shards, path: Path, site: str) -> _Known | None:
    """Returns what is known of a site; None if no text is."""
    with checked(path):
        rows = _rows(shards, "texts", site)
    texts = [np.frombuffer(blob, "<u4").astype(np.uint32) for (blob,) in rows]
    if not any(map(len, texts)):
        return None
    hashes, places = np.unique(np.concatenate(texts), return_inverse=True)
    holders = np.zeros(len(hashes), np.uint64)
    bits = np.repeat(np.arange(len(texts), dtype=np.uint64), [len(each) for each in texts])
    np.bitwise_or.at(holders, places, np.uint64(1) << bits)
    return _Known(len(texts), hashes, holders)


def _dumped(shards: Shards, path: Path, site: str, page: int) -> Document:
    """Returns the dump of a sampled page."""
    place = site_number(site)
    query = "SELECT html, encoding FROM pages WHERE place = ? AND site = ? AND page = ?"
    html, encoding = shards.of(place, SITE_BITS).execute(query, (place, site, page)).fetchone()
    try:
        return dump_html(zlib.decompress(html), encoding=encoding or None)
    except (zlib.error, TypeError, InputError) as error:
        raise damaged(path) from error


def _same_text(document: Document, held: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Tells which pages have the main text of a document: shape (pages,), bool. `held` has shape (segments,
    pages): the page has the text of the segment."""
    chars = document.segments["chars"] * document.visible
    pages = held.shape[1]
    main = np.where(chars >= _LONG, chars, 0)
    if pages >= _ENOUGH:
        main = np.where(2 * held.sum(axis=1) <= pages, main, 0)
    least = _SAME
    if not main.any():
        main, least = chars, _NEARLY_ALL
    same: npt.NDArray[np.bool_] = main @ held >= least * max(int(main.sum()), 1)
    return same


# --------------------------------------------------------------------------------------------------
# The portrait.

_SITES = "SELECT number, site, place FROM counts WHERE what = 'pages' ORDER BY number DESC, site LIMIT ?"
_SINGLE = "SELECT count(*), coalesce(sum(number = 1), 0) FROM counts WHERE what = 'pages'"
_SAMPLE = "SELECT count(*), count(DISTINCT layout) FROM pages WHERE place = ? AND site = ?"


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
        shards = survey.shards.all()
        total = _row(shards, "")
        total.sampled = sum(each.execute("SELECT count(*) FROM pages").fetchone()[0] for each in shards)
        sites, single = map(sum, zip(*(each.execute(_SINGLE).fetchone() for each in shards), strict=True))
        first = (row for each in shards for row in each.execute(_SITES, (most,)))
        largest = []
        for _, site, place in nsmallest(most, first, key=lambda row: (-row[0], row[1])):
            row = _row(shards, site, "WHERE place = ? AND site = ?", place, site)
            sample = survey.shards.of(place, SITE_BITS).execute(_SAMPLE, (place, site))
            row.sampled, row.layouts = sample.fetchone()
            largest.append(row)
    return Portrait(sites, total, single, largest, survey.contents.duplicates)


def _row(shards: list[Connection], site: str, where: str = "", *given: object) -> SiteRow:
    """Returns the sums of the counts of all shards."""
    sums: Counter[tuple[str, str]] = Counter()
    for each in shards:
        query = f"SELECT what, name, sum(number) FROM counts {where} GROUP BY what, name"
        sums.update({(what, name): number for what, name, number in each.execute(query, given)})
    row = SiteRow(site)
    for (what, name), number in sorted(sums.items()):
        if what in ("pages", "words", "kept", "exact", "near"):
            setattr(row, what, number)
        elif what == "language":
            row.languages[name] += number
        elif what == "kind":
            row.kinds[name] += number
    return row
