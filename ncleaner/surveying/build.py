"""Makes a survey of sites from signatures of pages and from other surveys, in bounded memory.

Everything is added to a database on disk. What a survey keeps of a site is the sum of its counts, and the
pages with the smallest hashes (a bottom-k sample, Cohen and Kelley 2007): both depend on what is added only,
not on its order, and not on how it is divided. So surveys of parts can be merged, over workers, runs and
machines.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ncleaner.errors import InputError, OutputError
from ncleaner.surveying._texts import HASHES_VERSION, SEQUENCES_VERSION
from ncleaner.surveying.duplicates import (
    CAPTURE_TABLES,
    SEQUENCE_TABLES,
    SKETCH_VERSION,
    find_duplicates,
    find_firsts,
)
from ncleaner.surveying.signatures import Signature
from ncleaner.surveying.survey import APPLICATION, MOST_PAGES, Connection, Survey, checked, seal
from ncleaner.versions import SURVEYS

# Pages of a site that a survey keeps.
PAGES = 32
# Signatures between two removals of the pages that are too many.
_BETWEEN = 200_000
# Memory of the database, in kB.
_CACHE = 32_000
_TABLES = f"""{CAPTURE_TABLES}
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE counts (
    site TEXT, what TEXT, name TEXT, number INTEGER, PRIMARY KEY (site, what, name)
) WITHOUT ROWID;
CREATE TABLE pages (
    site TEXT, page INTEGER, layout INTEGER, texts BLOB, size INTEGER, html BLOB, encoding TEXT,
    PRIMARY KEY (site, page)
) WITHOUT ROWID;
"""
_COUNT = """INSERT INTO counts VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET number = number + excluded.number"""
# Of two captures of a page, the one with the smaller bytes.
_PAGE = """INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET layout = excluded.layout, texts = excluded.texts, size = excluded.size,
        html = excluded.html, encoding = excluded.encoding
    WHERE (excluded.texts, excluded.layout, excluded.html, excluded.encoding)
        < (texts, layout, html, encoding)"""
# The same capture twice is no duplicate of itself.
_CAPTURE = """INSERT INTO captures VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET site = excluded.site, url = excluded.url, text = excluded.text, bands = excluded.bands
    WHERE (excluded.site, excluded.url, excluded.text, excluded.bands) < (site, url, text, bands)"""
_CAPTURED = (
    "INSERT INTO captured VALUES (?, ?) ON CONFLICT DO UPDATE SET moment = min(moment, excluded.moment)"
)
_SEEN = "INSERT INTO seen VALUES (?, ?)"
_PRUNE = """DELETE FROM pages WHERE (site, page) IN (SELECT site, page FROM (
    SELECT site, page, row_number() OVER (PARTITION BY site ORDER BY page) AS number FROM pages) WHERE number
    > ?)"""


class Builder:
    """A survey that is being made. Use it in a `with` block, and call `finish` at its end.

    Args:
        path: the file to write; while it is made, it has another name beside it.
        pages: pages of a site that the survey keeps, 2 to `MOST_PAGES`.
        references: keep the HTML of these pages, too, for the method `site`.
        duplicates: find duplicates among all pages.
        paragraphs: find the first page of each paragraph.

    Raises:
        OutputError: the file cannot be written.
        ValueError: `pages` is out of range.
    """

    def __init__(
        self,
        path: str | Path,
        pages: int = PAGES,
        references: bool = False,
        duplicates: bool = False,
        paragraphs: bool = False,
    ) -> None:
        if not 2 <= pages <= MOST_PAGES:
            raise ValueError(f"the number of pages of a site is from 2 to {MOST_PAGES}, not {pages}")
        self.path = Path(path)
        self.pages = pages
        self.references = references
        self.duplicates = duplicates
        self.paragraphs = paragraphs
        self._working = self.path.with_name(f".{self.path.name}.working")
        self._whole = self.path.with_name(f".{self.path.name}.whole")
        self._added = 0
        self._remove()
        try:
            self._database = sqlite3.connect(self._working, isolation_level=None, factory=Connection)
            self._database.executescript(
                # the file is thrown away if the program dies
                f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE};"
                f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SURVEYS}; {_TABLES} "
                f"{SEQUENCE_TABLES if paragraphs else ''} BEGIN;"
            )
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def __enter__(self) -> Builder:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._remove()

    def _remove(self) -> None:
        for path in (self._working, self._whole):
            with suppress(FileNotFoundError):
                path.unlink()

    def _failed(self, error: Exception) -> OutputError:
        return OutputError(f"cannot write the survey {self.path}: {error}")

    def add(self, signatures: Iterable[Signature]) -> None:
        """Adds pages.

        Raises:
            OutputError: the disk is full, or the file cannot be written.
        """
        try:
            for signature in signatures:
                self._add(signature)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _add(self, signature: Signature) -> None:
        site = signature.site
        counts = [
            (site, "pages", "", 1),
            (site, "words", "", signature.words),
            (site, "kept", "", signature.kept),
            (site, "language", signature.language, 1),
            (site, "kind", signature.kind, 1),
        ]
        self._database.executemany(_COUNT, counts)
        html = zlib.compress(signature.html) if self.references and signature.html else b""
        page = (
            site, signature.page, signature.layout, signature.texts.astype("<u4").tobytes(),
            len(signature.html), html, signature.encoding if html else "",
        )  # fmt: skip
        self._database.execute(_PAGE, page)
        if self.duplicates and signature.sketch is not None:
            sketch = signature.sketch
            self._database.execute(_CAPTURE, (sketch.capture, site, sketch.url, sketch.text, sketch.bands))
        if self.paragraphs and (sequences := signature.sequences) is not None:
            self._database.execute(_CAPTURED, (sequences.capture, sequences.moment))
            self._database.executemany(_SEEN, sequences.rows)
        self._added += 1
        if self._added % _BETWEEN == 0:
            self._database.execute(_PRUNE, (self.pages,))

    def add_lines(self, lines: Iterable[bytes], name: str) -> None:
        """Adds the lines of a file of signatures.

        Raises:
            InputError: a line is no signature, or lacks what this survey needs.
            OutputError: the disk is full.
        """
        self.add(
            self._read(line, f"{name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
        )

    def _read(self, line: bytes, where: str) -> Signature:
        signature = Signature.of_line(line, where)
        for wanted, found, what, option in (
            (self.duplicates, signature.sketch, "sketch", "duplicates"),
            (self.paragraphs, signature.sequences, "sequence of words", "paragraphs"),
        ):
            if wanted and found is None:
                raise InputError(
                    f"{where}: there is no {what} in the signature, which finding {option} needs: survey the "
                    f"page again with --{option}"
                )
        return signature

    def add_survey(self, path: str | Path) -> None:
        """Adds what another survey knows.

        Raises:
            ModelError: it is no survey, of another version, or damaged.
            InputError: it has fewer pages of a site than this survey is to have.
            OutputError: the disk is full.
        """
        survey = Survey(path)
        if int(survey.about.get("pages", "0")) < self.pages:
            raise InputError(
                f"the survey {path} has at most {survey.about.get('pages')} pages of a site, not "
                f"{self.pages}: give a smaller --pages, or survey its pages again"
            )
        if self.references != (survey.about.get("references") == "1"):
            with_, without = ("without", "with") if self.references else ("with", "without")
            raise InputError(
                f"the survey {path} is {with_} references, and this one is to be {without} them: survey its "
                "pages again"
            )
        for name, wanted in (("duplicates", self.duplicates), ("paragraphs", self.paragraphs)):
            if wanted and survey.about.get(name) != "1":
                raise InputError(f"the survey {path} is without {name}: survey its pages again with --{name}")
        with checked(survey.path):
            # which pages are duplicates is found again, among all pages
            parts = [
                ("SELECT * FROM counts WHERE what NOT IN ('exact', 'near')", _COUNT),
                ("SELECT * FROM pages", _PAGE),
            ]
            if self.duplicates:
                parts.append(("SELECT * FROM captures", _CAPTURE))
            if self.paragraphs:
                parts.append(("SELECT capture, moment FROM moments", _CAPTURED))
                parts.append(("SELECT sequence, capture FROM sequences JOIN moments ON rank = first", _SEEN))
            for query, statement in parts:
                found = survey.database.execute(query)
                while rows := found.fetchmany(100):
                    self._insert(statement, rows)
        self._insert(_PRUNE, [(self.pages,)])

    def _insert(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        try:
            self._database.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def finish(self) -> Counter[str]:
        """Writes the survey, whole or not at all, and returns its numbers of sites, pages, sampled pages and
        duplicates.

        The same pages give the same bytes.

        Raises:
            OutputError: the disk is full, or the file cannot be written.
        """
        about = {"hashes": HASHES_VERSION, "pages": self.pages, "references": int(self.references)}
        if self.duplicates:
            about |= {"duplicates": 1, "sketches": SKETCH_VERSION}
        if self.paragraphs:
            about |= {"paragraphs": 1, "sequences": SEQUENCES_VERSION}
        try:
            database = self._database
            database.execute(_PRUNE, (self.pages,))
            if self.duplicates:
                find_duplicates(database)
                database.execute(
                    "INSERT INTO counts SELECT site, iif(exact, 'exact', 'near') AS what, '', count(*) "
                    "FROM duplicates JOIN captures USING (capture) GROUP BY site, what"
                )
            if self.paragraphs:
                find_firsts(database)
            database.executemany("INSERT INTO about VALUES (?, ?)", [(k, str(v)) for k, v in about.items()])
            found = Counter(
                {
                    name: database.execute(query).fetchone()[0] or 0
                    for name, query in {
                        "sites": "SELECT count(*) FROM counts WHERE what = 'pages'",
                        "pages": "SELECT sum(number) FROM counts WHERE what = 'pages'",
                        "sampled": "SELECT count(*) FROM pages",
                        "duplicates": "SELECT count(*) FROM duplicates",
                    }.items()
                }
            )
            database.execute("COMMIT")
            # in the order of its keys, and without what is free
            # a file's name may be no UTF-8
            database.execute("VACUUM INTO CAST(? AS TEXT)", (os.fsencode(self._whole),))
            seal(self._whole)
            self._whole.replace(self.path)
        except (sqlite3.Error, OSError) as error:
            raise self._failed(error) from error
        return found
