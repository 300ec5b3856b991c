"""Shared by formats for corpora: attributes of `<doc>`, the user's own table, elements, sentences, tags."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ncleaner.describing.signals import FILTERS, SIGNALS
from ncleaner.document import Document
from ncleaner.document.kept import Kept, cells_of
from ncleaner.errors import InputError
from ncleaner.options import OptionError
from ncleaner.page import Page
from ncleaner.reading.cells import rows_in
from ncleaner.sinks.rows import metadata_to_write, page_id, signals_to_write
from ncleaner.sinks.sink import METADATA, replace_surrogates
from ncleaner.sinks.text import posts_in
from ncleaner.text.hosts import host_of, registered_domain

CELL = "cell"
_ITEM = ord("l")
# The CWB cuts values at 4,095 bytes and refuses lines of 65,535.
_VALUE_BYTES = 4_000
_ESCAPED_BYTES = 12_000
# controls and noncharacters, of which the last two of each plane are some
_UNWRITABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    + "]+"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# without --attribute; and with --metadata, these too
_DEFAULT = ("id", "url", "date", "title", "lang", "language")
_SAID = ("headline", "authors", "published", "modified", "site", "canonical", "licence")
# the columns by which a row of the user's table is found
_KEYS = ("url", "file")
_LIMIT = 10_000_000

_OF_PAGE: dict[str, Callable[[Page, Document, Kept], str]] = {
    "id": lambda page, document, kept: page_id(page).removeprefix("urn:uuid:"),
    "url": lambda page, document, kept: page.url,
    "date": lambda page, document, kept: page.date,
    "title": lambda page, document, kept: document.title,
    "lang": lambda page, document, kept: document.lang,
    "language": lambda page, document, kept: kept.remarks.language,
    "model": lambda page, document, kept: kept.remarks.model,
    "page_kind": lambda page, document, kept: kept.kind,
    "quality": lambda page, document, kept: _text(kept.quality),
    "origin": lambda page, document, kept: document.origin(kept.mask),
    "encoding": lambda page, document, kept: document.encoding,
    "offset": lambda page, document, kept: str(page.offset),
    "record_id": lambda page, document, kept: page.record_id,
    "truncated": lambda page, document, kept: page.truncated,
    "file": lambda page, document, kept: Path(page.source).name,
    "host": lambda page, document, kept: host_of(page.url),
    "domain": lambda page, document, kept: registered_domain(page.url),
    "duplicate_of": lambda page, document, kept: kept.remarks.duplicate_of,
}
FIELDS: tuple[str, ...] = (*_OF_PAGE, *METADATA, *SIGNALS, "hash")
"""All fields that an attribute can have without a table."""


class Fields:
    """Makes the attributes of documents.

    Args:
        attributes: `NAME` or `NAME=FIELD`, in order; by default the usual ones.
        metadata: the usual ones include what pages state.
        table: a file with further fields; see `read_table`.

    Raises:
        ValueError: a name cannot be the name of an attribute, is given twice, or its field is unknown.
        InputError: the table cannot be read.
    """

    def __init__(
        self, attributes: Iterable[str] = (), *, metadata: bool = False, table: str | None = None
    ) -> None:
        self._table = read_table(table) if table else {}
        columns = next(iter(self._table.values()), {})
        given = attributes or (*_DEFAULT, *(_SAID if metadata else ()), *columns)
        self._fields: dict[str, str] = {}
        for attribute in given:
            name, _, field = attribute.partition("=")
            field = field or name
            if not _NAME.fullmatch(name):
                raise OptionError(
                    "attributes",
                    f"{name!r} cannot be the name of an attribute: use ASCII letters, digits, _, - and ., "
                    "and begin with a letter",
                )
            if name in self._fields:
                raise OptionError("attributes", f"duplicate attribute {name}")
            if field not in FIELDS and field not in columns:
                known = f"the table has {', '.join(columns)}" if columns else "--table adds your own"
                raise OptionError(
                    "attributes", f"unknown field {field}: give one of {', '.join(FIELDS)}; {known}"
                )
            self._fields[name] = field
        wanted = set(self._fields.values())
        self._said = not wanted.isdisjoint(METADATA)
        self._counted = not wanted.isdisjoint((*SIGNALS, "hash"))
        self._filtered = not wanted.isdisjoint(FILTERS)

    def of(self, page: Page, document: Document, kept: Kept) -> dict[str, str]:
        """Returns {attribute: value} of a document; unknown values are empty."""
        found: dict[str, Any] = {}
        if self._said:
            said = metadata_to_write(page, document)
            found = {name: said[field] for name, field in METADATA.items()}
            found |= {name: "; ".join(said[name]) for name in ("authors", "tags", "robots")}
        if self._counted:
            found |= signals_to_write(page, document, kept, filters=self._filtered)
        if self._table:
            found |= self._table.get(page.url) or self._table.get(Path(page.source).name) or {}
        return {
            name: _OF_PAGE[field](page, document, kept)
            if field in _OF_PAGE and field not in found
            else _text(found.get(field))
            for name, field in self._fields.items()
        }


def _text(value: object) -> str:
    return "" if value is None else replace_surrogates(str(int(value) if isinstance(value, bool) else value))


def read_table(path: str) -> Mapping[str, Mapping[str, str]]:
    """Reads a table of what is known of documents; see `reading.cells.rows_in`.

    Workers share the memory of what their parent has read.

    Returns:
        {URL or name of a file: {column: value}}; each row has all columns.

    Raises:
        InputError: the file cannot be read, has neither a column `url` nor `file`, or a row is damaged.
    """
    try:
        found = Path(path).stat()
    except OSError as error:
        raise InputError(f"cannot read the table {path}: {error.strerror}") from None
    return _read_table(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=2)
def _read_table(path: str, size: int, modified: int) -> Mapping[str, Mapping[str, str]]:
    """Reads a table; again if its file has changed."""
    found: dict[str, Mapping[str, str]] = {}
    columns: tuple[str, ...] = ()
    for number, row in rows_in(path):
        key = next((name for name in _KEYS if row.get(name)), None)
        if key is None:
            raise InputError(f"{path}, row {number}: no value in a column `url` or `file`")
        if not columns:
            columns = tuple(name for name in row if name not in _KEYS)
        found.setdefault(_text(row[key]), {name: _text(row.get(name)) for name in columns})
        if len(found) > _LIMIT:
            raise InputError(f"{path}: more than {_LIMIT:,} rows, which memory does not hold: join it later")
    if not found:
        raise InputError(f"{path}: the table has no rows")
    return found


# Segments


class Element(NamedTuple):
    """A kept segment.

    Attributes:
        name: `p`, `h`, `l` or `cell`, a cell of a table that is not an item of a list in it.
        text: its text.
        cell, row: the cell of a table and its row, as rows of `Document.elements`; -1 outside.
        post: the attributes of its post, which are none outside.
    """

    name: str
    text: str
    cell: int = -1
    row: int = -1
    post: str = ""


def elements_of(document: Document, kept: Kept) -> Iterator[Element]:
    """Yields the kept segments of a page."""
    rows = np.flatnonzero(kept.mask)
    marks = kept.marks_of(document)[rows].tolist()
    table = document.segments
    starts, ends = table["start"][rows].tolist(), table["end"][rows].tolist()
    cells = cells_of(document)[rows].tolist()
    data = document.data
    posts = posts_in(document, kept)
    place = number = 0
    for mark, start, end, cell in zip(marks, starts, ends, cells, strict=True):
        text = data[start:end].decode()
        while posts and number < len(posts) and posts[number].end < place:
            number += 1
        post = ""
        if posts and number < len(posts) and posts[number].start <= place:
            # the number parts two posts of one author and day
            said = {"n": str(number + 1), "kind": posts[number].kind, "author": posts[number].author}
            post = attributes(said | {"date": posts[number].date})
        place += len(text) + 1
        if cell >= 0 and mark == _ITEM:
            yield Element(CELL, text, cell, int(document.elements["parent"][cell]), post)
        else:
            yield Element(chr(mark), text, post=post)


def sentences_in(text: str, language: str) -> Sequence[str]:
    """Returns the sentences of a segment, without white space around them.

    sentencex (Wikimedia) knows the abbreviations of many languages, and takes the rules of a related one, or
    those of English, for all others.

    Args:
        text: of the segment.
        language: ISO 639-1 or 639-3; empty if it is unknown.
    """
    from sentencex import segment  # type: ignore[import-untyped]

    found = [sentence.strip() for sentence in segment(language or "en", text)]
    return [sentence for sentence in found if sentence]


# Tags


def escaped(text: str) -> str:
    """Returns a text with `&`, `<` and `>` as entities."""
    return escape(text, quote=False)


def plain(text: str) -> str:
    """Returns a text on one line, without controls, noncharacters and unpaired surrogates."""
    # nearly every line is printable, so that it has no white space but spaces
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(_UNWRITABLE.sub(" ", replace_surrogates(text)).split())


def value(text: str) -> str:
    """Returns an attribute's value: one line, escaped, and cut to the length that corpus software reads."""
    text = plain(text).encode()[:_VALUE_BYTES].decode("utf-8", "ignore")
    quoted = escaped(text).replace('"', "&quot;")
    while len(quoted.encode()) > _ESCAPED_BYTES:
        # nearly every character is escaped
        text = text[: len(text) * 3 // 4]
        quoted = escaped(text).replace('"', "&quot;")
    return quoted


def attributes(values: Mapping[str, str]) -> str:
    """Returns attributes as a start tag has them, each with a space before it."""
    return "".join(f' {name}="{value(text)}"' for name, text in values.items())
