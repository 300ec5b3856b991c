"""Paragraphs that earlier pages of a crawl have, on any site.

A paragraph repeats other pages if most of its sequences of seven words are on pages captured before (see
`Kept.without_seen`): the measure of Onion (Pomikálek 2011, "Removing Boilerplate and Duplicate Content
from Web Corpora"). A survey knows a sample of the sequences (`_texts.sequences_of`), and the first page of
each. So the order in which pages are read does not matter, and surveys can be merged. `bench/paragraphs.py`
compares the sample with all sequences.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from ncleaner.document import Document
from ncleaner.page import Page
from ncleaner.surveying._texts import SEQUENCES_VERSION, sequences_of
from ncleaner.surveying.duplicates import capture_of, check_version

__all__ = [
    "SEQUENCES_VERSION",
    "SEQUENCE_TABLES",
    "Sequences",
    "find_firsts",
    "sequences_on",
    "shares_seen",
]

_LARGEST = 1 << 63
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
            not 0 <= capture < _LARGEST
            or not 0 <= moment <= _UNKNOWN
            or not np.all(hashes[1:] > hashes[:-1])
            or np.any(hashes >= _LARGEST)
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
        (orjson.dumps(hashes.tolist()).decode(), found[0] if found else _LARGEST - 1),
    )
    seen = np.isin(hashes, np.array([sequence for (sequence,) in rows], np.uint64))
    all_of, seen_of = (np.bincount(owners, weights, len(mask)) for weights in (None, seen))
    has = all_of > 0
    shares[has] = seen_of[has] / all_of[has]
    return shares
