"""What pages of a crawl repeat, on any site: whole pages, exactly or nearly, and paragraphs.

*Pages.* A survey has a sketch of each page's clean text, and finds which page each repeats. Two texts are
near duplicates if their sets of five successive words are alike (MinHash, Broder 1997). Of 112 minima, 14
bands of 8 have to agree in one: the numbers of FineWeb (Penedo et al. 2024, appendix E.1), which find 77 % of
the pairs of a Jaccard similarity of 0.75, 92 % at 0.8, and 99.6 % at 0.87. rensa, an optional dependency,
computes the minima.

*Paragraphs.* A paragraph repeats other pages if most of its sequences of seven words are on pages captured
before (see `Kept.without_seen`): the measure of Onion (Pomikálek 2011, "Removing Boilerplate and Duplicate
Content from Web Corpora"). A survey knows a sample of the sequences (`_texts.sequences_of`), and the first
page of each. So the order in which pages are read does not matter, and surveys can be merged.
`bench/paragraphs.py` compares the sample with all sequences.
"""

import hashlib
import re
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from ncleaner.document import Document
from ncleaner.errors import InputError, require
from ncleaner.page import Page
from ncleaner.surveying._texts import SEQUENCES_VERSION, sequences_of
from ncleaner.surveying.shards import CAPTURE_BITS, KEY_BITS, Shards, shard_of
from ncleaner.text.words import words_of

# The version of everything in a sketch. Files of surveys record it.
SKETCH_VERSION = 2
# The version of rensa's minima that this module has been written for.
_RENSA = 2
_BANDS, _ROWS, _BAND_BYTES = 14, 8, 8
_WORDS = 5
_SEED = 1
# Hashes are smaller.
LARGEST = 1 << KEY_BITS
_CAPTURE_MASK = (1 << CAPTURE_BITS) - 1
# Longer URLs rank as of this length.
_LONGEST_URL = (1 << KEY_BITS - CAPTURE_BITS) - 1

# `captures` has the pages, `bands` the ranks of those that have a band, `duplicates` the captures that repeat
# another.
CAPTURE_TABLES = """
CREATE TABLE captures (capture INTEGER PRIMARY KEY, site TEXT, url TEXT);
CREATE TABLE bands (band INTEGER, page INTEGER, PRIMARY KEY (band, page)) WITHOUT ROWID;
CREATE TABLE duplicates (capture INTEGER PRIMARY KEY, original INTEGER, exact INTEGER);
"""
# These exist while a survey is made.
SKETCH_TABLES = """
CREATE TABLE banded (band INTEGER, page INTEGER);
CREATE TABLE edges (page INTEGER, first INTEGER, exact INTEGER);
"""


def check_version(what: str, found: object, own: int, where: str) -> None:
    """Raises InputError: a part of a signature is of another version than this program makes."""
    if found != own:
        raise InputError(
            f"{where}: {what} of version {found}, and this ncleaner has version {own}: survey the pages again"
        )


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a survey keeps of a page to find its duplicates.

    Attributes:
        capture: see `capture_of`.
        url: of the page.
        text: a hash of its clean text, 0 to 2⁶³ - 1.
        bands: 14 hashes of eight bytes each; near duplicates share one of them. Empty without any word.
    """

    capture: int
    url: str
    text: int
    bands: bytes

    @property
    def rows(self) -> list[tuple[int, int]]:
        """(band, page) for each of them, and for the text; none without any word.

        The page is its rank: of pages that are alike, the one with the shortest URL is the first, and of
        those the one with the smallest capture. The last bit of a band tells whether it is the text.
        """
        page = min(len(self.url), _LONGEST_URL) << CAPTURE_BITS | self.capture
        bands = np.frombuffer(self.bands, ">u8") >> np.uint64(2) << np.uint64(1)
        return [(band, page) for band in (*bands.tolist(), self.text | 1)] if self.bands else []

    @property
    def names(self) -> list[str]:
        """The bands, each 16 hexadecimal digits. A band of another place is another one."""
        cut = range(0, len(self.bands), _BAND_BYTES)
        return [self.bands[at : at + _BAND_BYTES].hex() for at in cut]

    def entry(self) -> dict[str, Any]:
        """Returns the sketch for JSON."""
        return {"version": SKETCH_VERSION, **asdict(self), "bands": self.bands.hex()}

    @classmethod
    def of_entry(cls, entry: dict[str, Any], where: str) -> "Sketch":
        """Reads what `entry` has returned. Raises InputError: it is of another version; ValueError or
        KeyError: it is no sketch."""
        check_version("sketches for duplicates", entry["version"], SKETCH_VERSION, where)
        capture, text = int(entry["capture"]), int(entry["text"])
        url, bands = entry["url"], bytes.fromhex(entry["bands"])
        if (
            not 0 <= capture <= _CAPTURE_MASK
            or not 0 <= text < LARGEST
            or len(bands) not in (0, _BANDS * _BAND_BYTES)
        ):
            raise ValueError("a number is out of range")
        if not isinstance(url, str):
            raise ValueError("the URL is missing")
        return cls(capture, url, text, bands)


def require_rensa() -> None:
    """Raises InputError: rensa is not installed, or of another version."""
    require("finding duplicates", "rensa", "duplicates")
    from rensa import RMinHash

    if RMinHash.ALGORITHM_VERSION != _RENSA:
        raise InputError(
            "this version of rensa computes other sketches than ncleaner expects: pip install --upgrade "
            "'ncleaner[duplicates]'"
        )


def text_hash(data: bytes) -> int:
    """A hash of a text, 0 to 2⁶³ - 1."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big") % LARGEST


def capture_of(page: Page) -> int:
    """A number for the capture of a page, 0 to 2⁵⁵ - 1: by its record id, or else its URL and date."""
    name = (page.record_id or f"{page.url}\n{page.date}").encode("utf-8", "replace")
    return text_hash(name) >> KEY_BITS - CAPTURE_BITS


def sketch_of(page: Page, text: bytes) -> Sketch:
    """The sketch of a page with this clean text (UTF-8).

    Raises:
        InputError: see `require_rensa`.
    """
    url = page.url.encode("utf-8", "replace").decode()
    return Sketch(capture_of(page), url, text_hash(text), _bands(_shingles(text.decode())))


def _bands(shingles: npt.NDArray[np.uint64]) -> bytes:
    if not len(shingles):
        return b""
    require_rensa()
    from rensa import RMinHash

    rows = np.array([0, len(shingles)], np.uint64)
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(
        shingles, rows, num_perm=_BANDS * _ROWS, seed=_SEED
    )
    minima = np.array(matrix.to_rows()[0], "<u4").reshape(_BANDS, _ROWS)
    return b"".join(
        hashlib.blake2b(row.tobytes(), digest_size=_BAND_BYTES, salt=bytes([band])).digest()
        for band, row in enumerate(minima)
    )


def _shingles(text: str) -> npt.NDArray[np.uint64]:
    """Hashes of each five successive words; of all words, if there are fewer."""
    words = [zlib.crc32(word.encode()) for word in words_of(text)]
    if not words:
        return np.empty(0, np.uint64)
    hashes = np.array(words, np.uint64)
    number = max(len(hashes) - _WORDS + 1, 1)
    found = np.zeros(number, np.uint64)
    for at in range(min(_WORDS, len(hashes))):
        # arithmetic modulo 2⁶⁴; the last step carries high bits down
        found = (found ^ hashes[at : at + number]) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(32)
    return np.unique(found)


def find_edges(database: sqlite3.Connection) -> None:
    """Fills `bands` from `banded`, which is removed, and `edges`: of each page, the first page with which it
    shares a band, and whether it shares a text. Sorting takes disk, not memory."""
    run = database.execute
    run("INSERT INTO bands SELECT DISTINCT band, page FROM banded ORDER BY band, page")
    run(
        "INSERT INTO edges SELECT page, min(first), max(band & 1) FROM "
        "(SELECT band, page, min(page) OVER (PARTITION BY band) AS first FROM bands) "
        "WHERE first < page GROUP BY page"
    )
    run("DROP TABLE banded")


def find_duplicates(shards: Sequence[sqlite3.Connection]) -> None:
    """Fills the table `duplicates` of all shards of a survey from their `edges`, which are removed.

    A page is a duplicate of the first page with which it shares a band, or of the page that this one is a
    duplicate of. So a group of duplicates has one page that is none, the one with the shortest URL. It is an
    exact duplicate if a page before it has the same text. The result depends on the captures only, not on
    their order.
    """
    # a file that SQLite deletes
    with closing(sqlite3.connect("", isolation_level=None)) as scratch:
        run = scratch.execute
        run("PRAGMA journal_mode = OFF")
        run("BEGIN")
        run("CREATE TABLE edges (page INTEGER, first INTEGER, exact INTEGER)")
        run("CREATE TABLE firsts (page INTEGER PRIMARY KEY, first INTEGER, exact INTEGER)")
        for each in shards:
            scratch.executemany("INSERT INTO edges VALUES (?, ?, ?)", each.execute("SELECT * FROM edges"))
            each.execute("DROP TABLE edges")
        run("INSERT INTO firsts SELECT page, min(first), max(exact) FROM edges GROUP BY page")
        # each round halves the way to the page that is no duplicate, at least
        while run(
            "UPDATE firsts SET first = "
            "(SELECT next.first FROM firsts AS next WHERE next.page = firsts.first) "
            "WHERE first IN (SELECT page FROM firsts)"
        ).rowcount:
            pass
        # the same capture may have two URLs
        rows = run(
            "SELECT page & ?1 AS capture, min(first & ?1) AS original, max(exact) FROM firsts "
            "WHERE (page & ?1) != (first & ?1) GROUP BY capture ORDER BY capture",
            (_CAPTURE_MASK,),
        )
        for shard, found in groupby(rows, lambda row: shard_of(row[0], CAPTURE_BITS, len(shards))):
            shards[shard].executemany("INSERT INTO duplicates VALUES (?, ?, ?)", found)


# --------------------------------------------------------------------------------------------------
# Paragraphs.

# Year, month and the like of a date as 14 digits.
_DATE = re.compile("^[0-9]{4}|[0-9]{2}")
# The last bits of a moment order the pages of one second.
_SECOND_BITS = 24
# The moment of a page without a date: after all others.
_UNKNOWN = (LARGEST >> _SECOND_BITS) - 1

# `moments` has the moment of each page, `sequences` that of the first page with each sequence. `seen` exists
# while a survey is made.
SEQUENCE_TABLES = """
CREATE TABLE moments (capture INTEGER PRIMARY KEY, moment INTEGER);
CREATE TABLE sequences (sequence INTEGER PRIMARY KEY, first INTEGER);
CREATE TABLE seen (sequence INTEGER, moment INTEGER);
"""


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """What a survey keeps of a page to find its paragraphs on later pages.

    Attributes:
        capture: see `capture_of`. moment: a number by which pages are ordered, 0 to 2⁶³ - 1: by date, those
        of one second and those without a date
            by their hash.
        hashes: different sequences, uint64, ascending, 0 to 2⁶³ - 1.
    """

    capture: int
    moment: int
    hashes: npt.NDArray[np.uint64]

    def entry(self) -> dict[str, Any]:
        """Returns the sequences for JSON."""
        return {
            "version": SEQUENCES_VERSION,
            "capture": self.capture,
            "moment": self.moment,
            "hashes": self.hashes.astype(">u8").tobytes().hex(),
        }

    @classmethod
    def of_entry(cls, entry: dict[str, Any], where: str) -> "Sequences":
        """Reads what `entry` has returned. Raises InputError: it is of another version; ValueError or
        KeyError: these are no sequences."""
        check_version("sequences of words", entry["version"], SEQUENCES_VERSION, where)
        capture, moment = int(entry["capture"]), int(entry["moment"])
        hashes = np.frombuffer(bytes.fromhex(entry["hashes"]), ">u8").astype(np.uint64)
        if (
            not 0 <= capture <= _CAPTURE_MASK
            or not 0 <= moment < LARGEST
            or not np.all(hashes[1:] > hashes[:-1])
            or np.any(hashes >= LARGEST)
        ):
            raise ValueError("a number is out of range")
        return cls(capture, moment, hashes)

    @property
    def rows(self) -> list[tuple[int, int]]:
        """(sequence, moment) for each of them."""
        return [(sequence, self.moment) for sequence in self.hashes.tolist()]


def sequences_on(page: Page, document: Document, mask: npt.NDArray[np.bool_]) -> Sequences:
    """The sequences in the kept segments of a page."""
    hashes, _ = sequences_of(document.tables, mask)
    capture = capture_of(page)
    moment = _seconds_of(page.date) << _SECOND_BITS | capture & (1 << _SECOND_BITS) - 1
    return Sequences(capture, moment, np.unique(hashes))


def _seconds_of(date: str) -> int:
    """A number that grows with a date, 0 to 2³⁹ - 1; the largest one without a date."""
    digits = re.sub("[^0-9]", "", date)[:14]
    if not digits:
        return _UNKNOWN
    year, month, day, hour, minute, second = map(int, _DATE.findall(digits.ljust(14, "0")))
    of_day = (hour * 60 + minute) * 60 + second
    return ((year * 13 + month) * 32 + day) << 17 | min(of_day, (1 << 17) - 1)


def find_firsts(database: sqlite3.Connection) -> None:
    """Fills `sequences` from `seen`, which is removed. Sorting takes disk, not memory."""
    database.execute(
        "INSERT INTO sequences SELECT sequence, min(moment) FROM seen GROUP BY sequence ORDER BY sequence"
    )
    database.execute("DROP TABLE seen")


def shares_seen(
    shards: Shards, page: Page, document: Document, mask: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The share of each kept segment's sequences that earlier pages have: shape (segments,).

    All pages of the survey are earlier than a page that it does not have. NaN for segments that are not kept,
    or have fewer than seven words.
    """
    hashes, owners = sequences_of(document.tables, mask)
    shares = np.full(len(mask), np.nan)
    if not len(hashes):
        return shares
    capture = capture_of(page)
    row = (
        shards.of(capture, CAPTURE_BITS)
        .execute("SELECT moment FROM moments WHERE capture = ?", (capture,))
        .fetchone()
    )
    moment = row[0] if row else LARGEST - 1
    known: list[int] = []
    for shard, asked in groupby(
        sorted(hashes.tolist()), lambda key: shard_of(key, KEY_BITS, len(shards.files))
    ):
        rows = shards[shard].execute(
            "SELECT sequence FROM sequences WHERE sequence IN (SELECT value FROM json_each(?)) AND first < ?",
            (orjson.dumps(list(asked)).decode(), moment),
        )
        known += (sequence for (sequence,) in rows)
    seen = np.isin(hashes, np.array(known, np.uint64))
    all_of, seen_of = (np.bincount(owners, weights, len(mask)) for weights in (None, seen))
    has = all_of > 0
    shares[has] = seen_of[has] / all_of[has]
    return shares
