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

from __future__ import annotations

import hashlib
import re
import sqlite3
import zlib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from ncleaner.document import Document
from ncleaner.errors import InputError, require
from ncleaner.page import Page
from ncleaner.surveying._texts import SEQUENCES_VERSION, sequences_of
from ncleaner.text.words import words_of

# The version of everything in a sketch. Files of surveys record it.
SKETCH_VERSION = 1
# The version of rensa's minima that this module has been written for.
_RENSA = 2
_BANDS, _ROWS, _BAND_BYTES = 14, 8, 8
_WORDS = 5
_SEED = 1
# Hashes are smaller, since SQLite has signed numbers.
LARGEST = 1 << 63

# `captures` has the sketch of each page, `duplicates` those pages that repeat another.
CAPTURE_TABLES = """
CREATE TABLE captures (capture INTEGER PRIMARY KEY, site TEXT, url TEXT, text INTEGER, bands BLOB);
CREATE TABLE duplicates (capture INTEGER PRIMARY KEY, original INTEGER, exact INTEGER);
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
    def names(self) -> list[str]:
        """The bands, each 16 hexadecimal digits. A band of another place is another one."""
        cut = range(0, len(self.bands), _BAND_BYTES)
        return [self.bands[at : at + _BAND_BYTES].hex() for at in cut]

    def entry(self) -> dict[str, Any]:
        """Returns the sketch for JSON."""
        return {"version": SKETCH_VERSION, **asdict(self), "bands": self.bands.hex()}

    @classmethod
    def of_entry(cls, entry: dict[str, Any], where: str) -> Sketch:
        """Reads what `entry` has returned. Raises InputError: it is of another version; ValueError or
        KeyError: it is no sketch."""
        check_version("sketches for duplicates", entry["version"], SKETCH_VERSION, where)
        capture, text = int(entry["capture"]), int(entry["text"])
        url, bands = entry["url"], bytes.fromhex(entry["bands"])
        if (
            not 0 <= capture < LARGEST
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
    """A number for the capture of a page, 0 to 2⁶³ - 1: by its record id, or else its URL and date."""
    return text_hash((page.record_id or f"{page.url}\n{page.date}").encode("utf-8", "replace"))


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


def find_duplicates(database: sqlite3.Connection) -> None:
    """Fills the table `duplicates` from the table `captures`.

    Pages are ranked by length of URL, URL and capture. A page is a duplicate of the first page with which it
    shares a band, or of the page that this one is a duplicate of. So a group of duplicates has one page that
    is none, the one with the shortest URL. The result depends on the captures only, not on their order. A
    sort of all pages for each band takes disk, not memory.
    """
    run = database.execute
    run("CREATE TABLE ranked (rank INTEGER PRIMARY KEY, capture INTEGER, text INTEGER, bands BLOB)")
    run(
        "INSERT INTO ranked SELECT row_number() OVER (ORDER BY length(url), url, capture), "
        "capture, text, bands FROM captures WHERE bands != x''"
    )
    run("CREATE TABLE firsts (rank INTEGER PRIMARY KEY, first INTEGER)")
    for band in range(_BANDS):
        run(
            "INSERT INTO firsts SELECT * FROM (SELECT rank, "
            "min(rank) OVER (PARTITION BY substr(bands, ?, ?)) AS first FROM ranked) WHERE first < rank "
            "ON CONFLICT DO UPDATE SET first = min(first, excluded.first)",
            (1 + band * _BAND_BYTES, _BAND_BYTES),
        )
    # each round halves the way to the page that is no duplicate, at least
    while run(
        "UPDATE firsts SET first = (SELECT next.first FROM firsts AS next WHERE next.rank = firsts.first) "
        "WHERE first IN (SELECT rank FROM firsts)"
    ).rowcount:
        pass
    run(
        "INSERT INTO duplicates SELECT page.capture, original.capture, page.text = original.text FROM firsts "
        "JOIN ranked AS page USING (rank) JOIN ranked AS original ON original.rank = firsts.first"
    )
    run("DROP TABLE ranked")
    run("DROP TABLE firsts")


# --------------------------------------------------------------------------------------------------
# Paragraphs.

# The moment of a page without a date: after all others.
_UNKNOWN = 10**14

# `moments` ranks the pages by their dates, `sequences` has the rank of the first page with each sequence. The
# other two exist while a survey is made.
SEQUENCE_TABLES = """
CREATE TABLE moments (capture INTEGER PRIMARY KEY, moment INTEGER, rank INTEGER);
CREATE TABLE sequences (sequence INTEGER PRIMARY KEY, first INTEGER);
CREATE TABLE captured (capture INTEGER PRIMARY KEY, moment INTEGER);
CREATE TABLE seen (sequence INTEGER, capture INTEGER);
"""


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """What a survey keeps of a page to find its paragraphs on later pages.

    Attributes:
        capture: see `capture_of`.
        moment: date of the capture, as the number YYYYMMDDhhmmss; 10¹⁴ if it is unknown.
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
    def of_entry(cls, entry: dict[str, Any], where: str) -> Sequences:
        """Reads what `entry` has returned. Raises InputError: it is of another version; ValueError or
        KeyError: these are no sequences."""
        check_version("sequences of words", entry["version"], SEQUENCES_VERSION, where)
        capture, moment = int(entry["capture"]), int(entry["moment"])
        hashes = np.frombuffer(bytes.fromhex(entry["hashes"]), ">u8").astype(np.uint64)
        if (
            not 0 <= capture < LARGEST
            or not 0 <= moment <= _UNKNOWN
            or not np.all(hashes[1:] > hashes[:-1])
            or np.any(hashes >= LARGEST)
        ):
            raise ValueError("a number is out of range")
        return cls(capture, moment, hashes)

    @property
    def rows(self) -> list[tuple[int, int]]:
        """(sequence, capture) for each of them."""
        return [(sequence, self.capture) for sequence in self.hashes.tolist()]


def sequences_on(page: Page, document: Document, mask: npt.NDArray[np.bool_]) -> Sequences:
    """The sequences in the kept segments of a page."""
    hashes, _ = sequences_of(document.tables, mask)
    digits = re.sub("[^0-9]", "", page.date)[:14]
    return Sequences(capture_of(page), int(digits.ljust(14, "0")) if digits else _UNKNOWN, np.unique(hashes))


def find_firsts(database: sqlite3.Connection) -> None:
    """Fills `moments` and `sequences` from `captured` and `seen`, which are removed.

    Pages are ranked by date, and those of one second by their hash. The result depends on the rows only, not
    on their order. Sorting them takes disk, not memory.
    """
    run = database.execute
    run(
        "INSERT INTO moments SELECT capture, moment, row_number() OVER (ORDER BY moment, capture) "
        "FROM captured ORDER BY capture"
    )
    run(
        "INSERT INTO sequences SELECT sequence, min(rank) FROM seen JOIN moments USING (capture) "
        "GROUP BY sequence ORDER BY sequence"
    )
    run("DROP TABLE captured")
    run("DROP TABLE seen")


def shares_seen(
    database: sqlite3.Connection, page: Page, document: Document, mask: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The share of each kept segment's sequences that earlier pages have: shape (segments,).

    All pages of the survey are earlier than a page that it does not have. NaN for segments that are not kept,
    or have fewer than seven words.
    """
    hashes, owners = sequences_of(document.tables, mask)
    shares = np.full(len(mask), np.nan)
    if not len(hashes):
        return shares
    found = database.execute("SELECT rank FROM moments WHERE capture = ?", (capture_of(page),)).fetchone()
    rows = database.execute(
        "SELECT sequence FROM sequences WHERE sequence IN (SELECT value FROM json_each(?)) AND first < ?",
        (orjson.dumps(hashes.tolist()).decode(), found[0] if found else LARGEST - 1),
    )
    seen = np.isin(hashes, np.array([sequence for (sequence,) in rows], np.uint64))
    all_of, seen_of = (np.bincount(owners, weights, len(mask)) for weights in (None, seen))
    has = all_of > 0
    shares[has] = seen_of[has] / all_of[has]
    return shares
