"""The file of a survey: an SQLite database with what is known of each site; and the portrait of a crawl, what
the survey counts, in all and by site.

Its tables: `about` (key, value); `counts` (site, what, name, number), where `what` is pages, words, kept,
language, kind, exact or near (duplicates); `pages` (site, page, layout, texts, size, html, encoding), a
sample of each site's pages, of a given size, those with the smallest hashes of their URLs, and the hashes of
the texts on each of them, uint32, little endian; `captures` and `duplicates`; and in surveys with
paragraphs `moments` and `sequences` (see `duplicates.py`). Behind the database, where SQLite reads nothing,
are its length and its SHA-256.
SQLite finds a site among millions without reading the rest, and any program can ask the tables.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.tables import SiteCounts
from ncleaner.dumping.html import dump_html
from ncleaner.errors import InputError, ModelError
from ncleaner.page import Page
from ncleaner.surveying._texts import HASHES_VERSION, SEQUENCES_VERSION, text_hashes
from ncleaner.surveying.duplicates import SKETCH_VERSION, capture_of, shares_seen
from ncleaner.text.hosts import registered_domain
from ncleaner.versions import SURVEYS

# SQLite's field for what a database is: "NCLS"; another one has the version of the tables.
APPLICATION = 0x4E434C53
# A page of the sample is a bit of a number.
MOST_PAGES = 64
_MAGIC = b"SQLite format 3\0"
# Bytes of SQLite's header, and bytes that are read at a time.
_HEAD, _BLOCK = 100, 1 << 20
# Behind the database: a sign, its length in bytes, its SHA-256; little endian.
_SEAL = struct.Struct("<8sQ32s")
_SIGN = b"NCLSEAL\0"
_CACHED = 64
# Two pages have the same main text if this share of it is the same. Main text is segments of at least this
# many characters.
_SAME = 0.5
_LONG = 100
# Without such segments, nearly all of the page must be the same.
_NEARLY_ALL = 0.95
# Among this many pages, a text on more than half of them is no page's main text.
_ENOUGH = 4


class Connection(sqlite3.Connection):
    """A connection that is closed when nothing holds it any more; from Python 3.13 on, others give a
    ResourceWarning."""

    def __del__(self) -> None:
        # one that could not be opened
        with suppress(sqlite3.ProgrammingError):
            self.close()


def is_survey(path: Path) -> bool:
    """Tells whether a file is a database as surveys are."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _digest(file: BinaryIO, size: int) -> bytes:
    """Returns the SHA-256 of the next bytes of a file, of all if it has fewer."""
    found = hashlib.sha256()
    while size > 0 and (block := file.read(min(size, _BLOCK))):
        found.update(block)
        size -= len(block)
    return found.digest()


def seal(path: Path) -> None:
    """Writes length and checksum after a database. Raises OSError: the file cannot be written."""
    size = path.stat().st_size
    with path.open("rb+") as file:
        digest = _digest(file, size)
        file.write(_SEAL.pack(_SIGN, size, digest))
        file.flush()
        os.fsync(file.fileno())


@lru_cache(_CACHED)
def _check_whole(path: Path, size: int, _state: tuple[int, ...]) -> None:
    """Raises ModelError: a file is no survey, one of another version, or not as it was written.

    A survey may have gigabytes: workers that are forked know what their parent has checked."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if not head.startswith(_MAGIC):
            raise ModelError(f"{path} is not a survey: `ncleaner survey` makes one")
        if int.from_bytes(head[68:72]) != APPLICATION:
            raise ModelError(f"{path} is a database, but not a survey: `ncleaner survey` makes one")
        version = int.from_bytes(head[60:64])
        if version != SURVEYS:
            raise ModelError(f"the survey {path} is of version {version}: make it again")
        file.seek(0)
        digest = _digest(file, size - _SEAL.size)
        if file.read() != _SEAL.pack(_SIGN, max(size - _SEAL.size, 0), digest):
            raise ModelError(f"the survey {path} is damaged or not complete: make it again")


@contextmanager
def checked(path: Path) -> Iterator[None]:
    """Turns the errors of SQLite into a ModelError that names the file."""
    try:
        yield
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise ModelError(
            f"the survey {path} is damaged or cannot be read ({error}): make it again"
        ) from error


class _Known(NamedTuple):
    """The sampled pages of a site: their texts, and for each text the pages that have it, as bits."""

    pages: int
    hashes: npt.NDArray[np.uint32]
    holders: npt.NDArray[np.uint64]


class Survey:
    """A survey of sites, read only. It pickles, and several threads can share it.

    Args:
        path: the file.
        references: look up a reference page, too.

    Attributes:
        about: version and settings.
        duplicates: whether it knows the duplicates among its pages.
        paragraphs: whether it knows the first page of each paragraph.

    Raises:
        ModelError: there is no such file, it has no reference pages, it is no survey or one of another
            version, or it is damaged.
    """

    def __init__(self, path: str | Path, references: bool = False) -> None:
        self.path = Path(path)
        self.references = references
        self._local = threading.local()
        if not self.path.is_file():
            raise ModelError(f"there is no survey {self.path}: `ncleaner survey` makes one")
        with checked(self.path):
            state = self.path.stat()
            _check_whole(self.path, state.st_size, (state.st_dev, state.st_ino, state.st_mtime_ns))
            self.about: dict[str, str] = dict(self.database.execute("SELECT key, value FROM about"))
        self.duplicates = self.about.get("duplicates") == "1"
        self.paragraphs = self.about.get("paragraphs") == "1"
        for is_there, key, own, what in (
            (True, "hashes", HASHES_VERSION, "hashes of texts"),
            (self.duplicates, "sketches", SKETCH_VERSION, "sketches"),
            (self.paragraphs, "sequences", SEQUENCES_VERSION, "sequences of words"),
        ):
            if is_there and self.about.get(key) != str(own):
                raise ModelError(
                    f"the survey {self.path} has other {what} than this version computes: make it again"
                )
        if references and self.about.get("references") != "1":
            raise ModelError(
                f"the survey {self.path} has no reference pages: make it again with `survey --references`"
            )

    @property
    def database(self) -> sqlite3.Connection:
        """The connection of this thread, read only."""
        return cast(sqlite3.Connection, self._opened().database)

    def _opened(self) -> Any:
        """Returns the connection of this thread, and what it has found last."""
        # a connection belongs to one thread, and to one side of a fork
        local = self._local
        if getattr(local, "process", None) != os.getpid():
            uri = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
            # the thread that frees it need not be this one
            local.database = sqlite3.connect(uri, uri=True, check_same_thread=False, factory=Connection)
            local.known = lru_cache(_CACHED)(partial(_known, local.database, self.path))
            local.dumped = lru_cache(_CACHED)(partial(_dumped, local.database, self.path))
            local.process = os.getpid()
        return local

    def __reduce__(self) -> tuple[type[Survey], tuple[Path, bool]]:
        return Survey, (self.path, self.references)

    def __len__(self) -> int:
        """Number of sites."""
        with checked(self.path):
            (number,) = self.database.execute("SELECT count(*) FROM counts WHERE what = 'pages'").fetchone()
        return int(number)

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
        if not self.duplicates:
            return ""
        with checked(self.path):
            row = self.database.execute(
                "SELECT url FROM captures WHERE capture = "
                "(SELECT original FROM duplicates WHERE capture = ?)",
                (capture_of(page),),
            ).fetchone()
        return str(row[0]) if row else ""

    def shares_seen(
        self, page: Page, document: Document, mask: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """How much of each kept segment is on earlier pages; see `duplicates.shares_seen`.

        Raises:
            ModelError: the survey was made without paragraphs, or is damaged.
        """
        with checked(self.path):
            return shares_seen(self.database, page, document, mask)

    def _reference(self, site: str, others: npt.NDArray[np.intp]) -> Document | None:
        """The page of median size among the sampled pages of these numbers; None if none has HTML."""
        with checked(self.path):
            rows = self.database.execute(
                "SELECT size, page FROM pages WHERE site = ? ORDER BY page LIMIT ?", (site, MOST_PAGES)
            ).fetchall()
            sized = sorted(rows[number] for number in others.tolist() if rows[number][0])
            if not sized:
                return None
            return cast(Document, self._opened().dumped(site, sized[len(sized) // 2][1]))

    def __repr__(self) -> str:
        return f"<Survey {self.path.name}>"


def _known(database: sqlite3.Connection, path: Path, site: str) -> _Known | None:
    """Returns what is known of a site; None if no text is."""
    with checked(path):
        rows = database.execute(
            "SELECT texts FROM pages WHERE site = ? ORDER BY page LIMIT ?", (site, MOST_PAGES)
        ).fetchall()
    texts = [np.frombuffer(blob, "<u4").astype(np.uint32) for (blob,) in rows]
    if not any(map(len, texts)):
        return None
    hashes, places = np.unique(np.concatenate(texts), return_inverse=True)
    holders = np.zeros(len(hashes), np.uint64)
    bits = np.repeat(np.arange(len(texts), dtype=np.uint64), [len(each) for each in texts])
    np.bitwise_or.at(holders, places, np.uint64(1) << bits)
    return _Known(len(texts), hashes, holders)


def _dumped(database: sqlite3.Connection, path: Path, site: str, page: int) -> Document:
    """Returns the dump of a sampled page."""
    html, encoding = database.execute(
        "SELECT html, encoding FROM pages WHERE site = ? AND page = ?", (site, page)
    ).fetchone()
    try:
        return dump_html(zlib.decompress(html), encoding=encoding or None)
    except (zlib.error, TypeError, InputError) as error:
        raise ModelError(f"the survey {path} is damaged: make it again") from error


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
