"""Makes a survey of sites from signatures of pages and from other surveys, in bounded memory.

Everything is added to a database on disk. What a survey keeps of a site is the sum of its counts, and the
pages with the smallest hashes (a bottom-k sample, Cohen and Kelley 2007): both depend on what is added only,
not on its order, and not on how it is divided. So surveys of parts can be merged, over workers, runs and
machines; and each shard of a survey can take its rows of all parts by itself. Only duplicates need two steps,
between which all shards give each other what they have found.
"""

import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ncleaner.errors import InputError, OutputError
from ncleaner.surveying._texts import HASHES_VERSION, SEQUENCES_VERSION
from ncleaner.surveying.duplicates import (
    CAPTURE_TABLES,
    SEQUENCE_TABLES,
    SKETCH_TABLES,
    SKETCH_VERSION,
    find_duplicates,
    find_edges,
    find_firsts,
)
from ncleaner.surveying.shards import (
    APPLICATION,
    CAPTURE_BITS,
    KEY_BITS,
    SITE_BITS,
    Connection,
    digest_of,
    files_of,
    range_of,
    seal,
    shard_paths,
    site_number,
)
from ncleaner.surveying.signatures import Signature
from ncleaner.surveying.survey import MOST_PAGES, Contents, Survey, checked
from ncleaner.versions import SURVEYS

# Signatures between two removals of the pages that are too many.
_BETWEEN = 200_000
# Memory of the database, in kB.
_CACHE = 32_000
_TABLES = f"""{CAPTURE_TABLES}
CREATE TABLE about (key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;
CREATE TABLE counts (
    place INTEGER, site TEXT, what TEXT, name TEXT, number INTEGER, PRIMARY KEY (place, site, what, name)
) WITHOUT ROWID;
CREATE TABLE pages (
    place INTEGER, site TEXT, page INTEGER, layout INTEGER, texts BLOB, size INTEGER, html BLOB, encoding
    TEXT, PRIMARY KEY (place, site, page)
) WITHOUT ROWID;
"""
_COUNT = """INSERT INTO counts VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET number = number + excluded.number"""
# Of two captures of a page, the one with the smaller bytes.
_PAGE = """INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET layout = excluded.layout, texts = excluded.texts, size = excluded.size,
        html = excluded.html, encoding = excluded.encoding
    WHERE (excluded.texts, excluded.layout, excluded.html, excluded.encoding)
        < (texts, layout, html, encoding)"""
_CAPTURE = """INSERT INTO captures VALUES (?, ?, ?) ON CONFLICT DO UPDATE
    SET site = excluded.site, url = excluded.url WHERE (excluded.site, excluded.url) < (site, url)"""
_BANDED = "INSERT INTO banded VALUES (?, ?)"
_MOMENT = "INSERT INTO moments VALUES (?, ?) ON CONFLICT DO UPDATE SET moment = min(moment, excluded.moment)"
_SEEN = "INSERT INTO seen VALUES (?, ?)"
# What a survey gives to another one: all rows that the numbers of a shard have; which pages are duplicates is
# found again, among all pages.
_SITES = (
    ("SELECT * FROM counts WHERE place BETWEEN ? AND ? AND what NOT IN ('exact', 'near')", SITE_BITS, _COUNT),
    ("SELECT * FROM pages WHERE place BETWEEN ? AND ?", SITE_BITS, _PAGE),
)
_DUPLICATES = (
    ("SELECT * FROM captures WHERE capture BETWEEN ? AND ?", CAPTURE_BITS, _CAPTURE),
    ("SELECT * FROM bands WHERE band BETWEEN ? AND ?", KEY_BITS, _BANDED),
)
_PARAGRAPHS = (
    ("SELECT * FROM moments WHERE capture BETWEEN ? AND ?", CAPTURE_BITS, _MOMENT),
    ("SELECT * FROM sequences WHERE sequence BETWEEN ? AND ?", KEY_BITS, _SEEN),
)
_SUMS = {
    "sites": "SELECT count(*) FROM counts WHERE what = 'pages'",
    "pages": "SELECT sum(number) FROM counts WHERE what = 'pages'",
    "sampled": "SELECT count(*) FROM pages",
    "duplicates": "SELECT count(*) FROM duplicates",
}
_PRUNE = """DELETE FROM pages WHERE (place, site, page) IN (SELECT place, site, page FROM (
    SELECT place, site, page, row_number() OVER (PARTITION BY place, site ORDER BY page) AS number FROM pages)
    WHERE number > ?)"""


class Made(NamedTuple):
    """The database of a shard that has everything but its seal: where it is, and its SHA-256."""

    database: Path
    digest: bytes


class Builder:
    """A survey that is being made, or one of its shards. Use it in a `with` block, and call `finish` at its
    end.

    Args:
        path: the file to write; while it is made, it has another name beside it.
        contents: what the survey is to know.
        shard: which shard of how many it is, from 0.
        is_begun: go on with what `leave` has left.

    Raises:
        OutputError: the file cannot be written.
        ValueError: the number of pages of a site is out of range.
    """

    def __init__(
        self, path: str | Path, contents: Contents, shard: tuple[int, int] = (0, 1), is_begun: bool = False
    ) -> None:
        if not 2 <= contents.pages <= MOST_PAGES:
            raise ValueError(f"the number of pages of a site is from 2 to {MOST_PAGES}, not {contents.pages}")
        self.path = Path(path)
        self.contents = contents
        self.shard = shard
        self._working, self._whole = (
            self.path.with_name(f".{self.path.name}.{what}") for what in ("working", "whole")
        )
        self._added, self._until_pruned = 0, _BETWEEN
        self._is_left = False
        tables = [_TABLES, SKETCH_TABLES * contents.duplicates, SEQUENCE_TABLES * contents.paragraphs]
        if not is_begun:
            self._working.unlink(missing_ok=True)
        with _writing(self.path):
            self.database = sqlite3.connect(self._working, isolation_level=None, factory=Connection)
            self.database.executescript(
                # the file is thrown away if the program dies
                f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE};"
                f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SURVEYS};"
                f"{'' if is_begun else ' '.join(tables)} BEGIN;"
            )

    def __enter__(self) -> "Builder":
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.database.close()
        if not self._is_left:
            self._working.unlink(missing_ok=True)
        if error is not None:
            self._whole.unlink(missing_ok=True)

    def add(self, signatures: Iterable[Signature]) -> None:
        """Adds pages.

        Raises:
            OutputError: the disk is full, or the file cannot be written.
        """
        with _writing(self.path):
            for signature in signatures:
                self._add(signature)

    def _add(self, signature: Signature) -> None:
        site = signature.site
        place = site_number(site)
        counts = [
            (place, site, "pages", "", 1),
            (place, site, "words", "", signature.words),
            (place, site, "kept", "", signature.kept),
            (place, site, "language", signature.language, 1),
            (place, site, "kind", signature.kind, 1),
        ]
        self.database.executemany(_COUNT, counts)
        html = zlib.compress(signature.html) if self.contents.references and signature.html else b""
        page = (
            place, site, signature.page, signature.layout, signature.texts.astype("<u4").tobytes(),
            len(signature.html), html, signature.encoding if html else "",
        )  # fmt: skip
        self.database.execute(_PAGE, page)
        if self.contents.duplicates and (sketch := signature.sketch) is not None:
            self.database.execute(_CAPTURE, (sketch.capture, site, sketch.url))
            self.database.executemany(_BANDED, sketch.rows)
        if self.contents.paragraphs and (sequences := signature.sequences) is not None:
            self.database.execute(_MOMENT, (sequences.capture, sequences.moment))
            self.database.executemany(_SEEN, sequences.rows)
        self._prune_after(1)

    def _prune_after(self, added: int) -> None:
        """Removes the pages that are too many, when there are twice as many as after the last time."""
        self._added += added
        if self._added >= self._until_pruned:
            self.database.execute(_PRUNE, (self.contents.pages,))
            (left,) = self.database.execute("SELECT count(*) FROM pages").fetchone()
            self._added, self._until_pruned = 0, max(_BETWEEN, left)

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
            (self.contents.duplicates, signature.sketch, "sketch", "duplicates"),
            (self.contents.paragraphs, signature.sequences, "sequence of words", "paragraphs"),
        ):
            if wanted and found is None:
                raise InputError(
                    f"{where}: there is no {what} in the signature, which finding {option} needs: survey the "
                    f"page again with --{option}"
                )
        return signature

    def add_survey(self, path: str | Path, is_checked: bool = False) -> None:
        """Adds what another survey knows of the numbers of this shard; compares all bytes with their
        checksum, unless that has been done.

        Raises:
            ModelError: it is no survey, of another version, or damaged.
            InputError: it has fewer pages of a site than this survey is to have.
            OutputError: the disk is full.
        """
        survey, wanted = Survey(path, is_checked=True), self.contents
        known = survey.contents
        if known.pages < wanted.pages:
            raise InputError(
                f"the survey {path} has at most {known.pages} pages of a site, not {wanted.pages}: give a "
                "smaller --pages, or survey its pages again"
            )
        if known.references != wanted.references:
            with_, without = ("without", "with") if wanted.references else ("with", "without")
            raise InputError(
                f"the survey {path} is {with_} references, and this one is to be {without} them: survey its "
                "pages again"
            )
        tables = [*_SITES]
        for name, others in (("duplicates", _DUPLICATES), ("paragraphs", _PARAGRAPHS)):
            if getattr(wanted, name):
                tables += others
                if not getattr(known, name):
                    what = f"is without {name}: survey its pages again with --{name}"
                    raise InputError(f"the survey {path} {what}")
        if not is_checked:
            survey.check()
        for database in survey.shards.all():
            for query, bits, statement in tables:
                with checked(survey.path):
                    found = database.execute(query, range_of(self.shard[0], bits, self.shard[1]))
                    while rows := found.fetchmany(100):
                        with _writing(self.path):
                            self.database.executemany(statement, rows)
                            self._prune_after(len(rows) * (statement == _PAGE))
            # of hundreds of parts, each would keep some megabytes
            database.close()

    def group(self) -> None:
        """Ends what a shard can do by itself, when all is added. Raises OutputError: as `finish`."""
        with _writing(self.path):
            self.database.execute(_PRUNE, (self.contents.pages,))
            if self.contents.duplicates:
                find_edges(self.database)
            if self.contents.paragraphs:
                find_firsts(self.database)

    def leave(self) -> None:
        """Keeps all for another `Builder`, which goes on with it. Raises OutputError: as `finish`."""
        with _writing(self.path):
            self.database.execute("COMMIT")
        self._is_left = True

    def settle(self) -> tuple[Counter[str], Made]:
        """Writes the database of a shard whose duplicates have been found; `publish` puts it in its place.

        Returns:
            The numbers of sites, pages, sampled pages and duplicates of the shard; and its database.

        Raises:
            OutputError: as `finish`.
        """
        about = self.contents._asdict()
        about |= {"hashes": HASHES_VERSION, "sketches": SKETCH_VERSION, "sequences": SEQUENCES_VERSION}
        database = self.database
        with _writing(self.path, (sqlite3.Error, OSError)):
            database.create_function("site_number", 1, site_number)
            database.execute(
                "INSERT INTO counts SELECT site_number(site), site, iif(exact, 'exact', 'near') AS what, '', "
                "count(*) FROM duplicates JOIN captures USING (capture) GROUP BY site, what"
            )
            database.executemany("INSERT INTO about VALUES (?, ?)", about.items())
            found = Counter(
                {name: database.execute(query).fetchone()[0] or 0 for name, query in _SUMS.items()}
            )
            database.execute("COMMIT")
            # in the order of its keys, and without what is free
            # a file's name may be no UTF-8
            whole = self._whole
            whole.unlink(missing_ok=True)
            database.execute("VACUUM INTO CAST(? AS TEXT)", (os.fsencode(whole),))
            return found, Made(whole, digest_of(whole, whole.stat().st_size))

    def finish(self) -> Counter[str]:
        """Writes the survey of one file, whole or not at all.

        The same pages give the same bytes.

        Returns:
            Its numbers of sites, pages, sampled pages and duplicates.

        Raises:
            OutputError: the disk is full, or the file cannot be written.
        """
        self.group()
        match_shards([self])
        found, made = self.settle()
        publish(self.path, [made])
        return found


def match_shards(shards: Sequence[Builder]) -> None:
    """Finds the duplicates among the pages of all shards. Raises OutputError: a disk is full."""
    if shards[0].contents.duplicates:
        with _writing(shards[0].path):
            for each in shards:
                each.database.execute(f"PRAGMA cache_size = -{_CACHE // len(shards)}")
            find_duplicates([each.database for each in shards])


def publish(path: Path, shards: Sequence[Made]) -> None:
    """Puts the settled shards of a survey in their places; until all are there, the survey is not complete.

    Args:
        path: the file, or the directory of the shards.
        shards: all of them.

    Raises:
        OutputError: a file cannot be written.
    """
    files = shard_paths(path, len(shards))
    with _writing(path, (OSError,)):
        for made in shards:
            seal(made.database, made.digest, [each.digest for each in shards])
        if len(shards) > 1:
            path.mkdir(exist_ok=True)
        for file, made in zip(files, shards, strict=True):
            made.database.replace(file)
        for file in set(files_of(path)).difference(files):
            file.unlink()


@contextmanager
def _writing(path: Path, errors: tuple[type[Exception], ...] = (sqlite3.Error,)) -> Iterator[None]:
    """Turns errors into an OutputError that names the survey."""
    try:
        yield
    except errors as error:
        raise OutputError(f"cannot write the survey {path}: {error}") from error
