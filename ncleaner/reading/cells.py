"""Tables with a column of pages, or of addresses of pages: Parquet, Arrow, JSON lines, CSV and TSV.

A table is read in bounded memory, row by row. A cell or row that is broken costs only itself.
"""

import codecs
import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import chain
from typing import Any, Final, NamedTuple

import orjson

from ncleaner.errors import InputError, require
from ncleaner.limits import MOST_BYTES
from ncleaner.page import Damage, Page, Skip, binary
from ncleaner.reading.inputs import (
    STDIN,
    TABLES,
    TOO_LARGE,
    TableKind,
    TableOptions,
    below,
    sniff,
    table_kind,
)
from ncleaner.reading.markers import BOM
from ncleaner.reading.opening import compression_of, layers_of, opened
from ncleaner.reading.streams import Members, Source
from ncleaner.text.visible import counted
from ncleaner.text.wordlists import word_lists

Row = dict[str, Any]
Numbered = tuple[int, Row | str]
Choose = Callable[[Sequence[str]], Sequence[str]]

_NAMES: Final = word_lists(
    "reading/columns",
    "page", "html", "text", "url", "date", "id", "content type", "archive", "offset", "length",
)  # fmt: skip
_HEAD: Final = 4096
# JSON and CSV may have a page in several times its bytes.
_TIMES: Final = 6
# The seconds since 1970 of the year 5138; larger numbers are milliseconds, microseconds or nanoseconds.
_SECONDS: Final = 10**11
_CDX_DATE: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?")
# Bytes that are not UTF-8, as Python has them in text.
_ESCAPED: Final = re.compile("[\udc80-\udcff]")


class Address(NamedTuple):
    """The place of a page.

    Attributes:
        archive: path or URL of its input.
        offset, length: of its record, in bytes; -1 if they are unknown. With no offset, the page is the whole
            input.
        url: of the page; empty if it is unknown.
        carried: see `Page.carried`.
    """

    archive: str
    offset: int
    length: int
    url: str
    carried: tuple[tuple[str, Any], ...]


class NoPagesError(InputError):
    """A table lacks a column that is asked for, or it is not known which one has the pages."""


def pages_of_table(
    kind: TableKind, source: Source, layers: Sequence[Members], limit: int, options: TableOptions
) -> Iterator[Page | Skip | Damage | Address]:
    """Reads the pages of a table, or their addresses; a row that has none is a `Skip`.

    Args:
        kind, source, layers, limit: as for `rows_of`.
        options: what the user says of tables.
    """
    name = source.name
    reader = PageReader(name, limit, options, is_sparse=kind == "jsonl")
    try:
        for number, row in rows_of(kind, source, layers, limit, reader.choose):
            yield reader.item(row, number) if isinstance(row, dict) else Damage(row, name, number)
    except NoPagesError as error:
        yield Damage(str(error), name, whole=True)


def rows_of(
    kind: TableKind, source: Source, layers: Sequence[Members], limit: int, choose: Choose
) -> Iterator[Numbered]:
    """Reads the rows of a table with their numbers, from 0 on; where it cannot be read, it yields why.

    Args:
        kind: of the table.
        source: the table as stored.
        layers: its layers, the last of which is without compression; nothing has been taken of them.
        limit: largest page, in bytes.
        choose: gets the names of the columns, before the first row, and returns those that are wanted; JSON
            lines and CSV may give others, too.
    """
    pieces = iter(layers[-1].read, b"")
    if kind == "jsonl":
        return _rows_of_json(pieces, _TIMES * limit, choose)
    if kind == "csv":
        return _rows_of_csv(pieces, _TIMES * limit, choose)
    if len(layers) == 1 and layers[0].codec == "plain":
        source.rewind(source.start)
    else:
        source = Source(layers[-1], source.name, 1 << 20)
    require(f"{source.name}: reading {kind}", "pyarrow", "parquet")
    # only now, since few tables need it
    from ncleaner.reading.arrow import rows_of_arrow

    return rows_of_arrow(kind, source, limit, choose)


def rows_in(path: str | os.PathLike[str], limit: int = MOST_BYTES) -> Iterator[tuple[int, Row]]:
    """Reads the rows of a table, with their numbers, from 0 on.

    Args:
        path: of the table.
        limit: most bytes of a cell.

    Raises:
        InputError: the file cannot be read, is no table, or a row is broken.
    """
    with opened(path, pipes=False) as (stream, name):
        source = Source(stream, name, 1 << 20)
        layers = layers_of(source, compression_of(source.peek(_HEAD), name))
        kind = table_kind(layers[-1].peek(_HEAD), name)
        if kind is None:
            raise InputError(f"{name}: is no table: its name ends with {', '.join(TABLES)}, also with .gz")
        for number, row in rows_of(kind, source, layers, limit, list):
            if isinstance(row, str):
                raise InputError(f"{name}, row {number}: {row}")
            yield number, row
        for what in (source.broken, *(each.what for layer in layers for each in layer.pending)):
            if what:
                raise InputError(f"{name}: {what}")


class PageReader:
    """Makes pages of rows; `choose` says of which columns.

    Args:
        name: the pages' `source`.
        limit: largest page, in bytes.
        options: what the user says of tables.
        is_sparse: a column may be in some rows only.
    """

    def __init__(self, name: str, limit: int, options: TableOptions, is_sparse: bool = False) -> None:
        self._name = name
        self._is_sparse = is_sparse
        self._limit = limit
        self._options = options
        self._columns: dict[str, str] = {}
        self._kind = options.kind

    def choose(self, names: Sequence[str]) -> Sequence[str]:
        """Finds the columns that are read. Raises NoPagesError."""
        if not self._is_sparse:
            for name, _ in self._options.carry:
                if name not in names:
                    raise NoPagesError(f"there is no column {name} to carry: {_has(names)}")
        lower = {name.lower(): name for name in reversed(names)} | {each: each for each in names}
        for part, known in _NAMES.items():
            if part not in ("page", "html", "text"):
                found = next((lower[each] for each in known if each in lower), None)
                if found is not None:
                    self._columns[part] = found
        if {"archive", "offset"} <= self._columns.keys() and not {self._options.column, "html"} & {*names}:
            return self._wanted(names)
        for part in ("archive", "offset", "length"):
            self._columns.pop(part, None)
        page = self._columns["page"] = self._column_of_pages(names, lower)
        if not self._kind:
            self._kind = next((kind for kind in ("html", "text") if page.lower() in _NAMES[kind]), "")
        return self._wanted(names)

    def _wanted(self, names: Sequence[str]) -> list[str]:
        wanted = {*self._columns.values(), *(name for name, _ in self._options.carry)}
        if twice := [name for name in wanted if names.count(name) > 1]:
            raise NoPagesError(f"there are two columns {twice[0]}: {_has(names)}")
        return [name for name in names if name in wanted]

    def _column_of_pages(self, names: Sequence[str], lower: dict[str, str]) -> str:
        has = _has(names)
        asked = self._options.column
        if asked is not None:
            if asked in names:
                return asked
            raise NoPagesError(f"there is no column {asked}: {has}")
        known = [lower[each] for each in _NAMES["page"] if each in lower]
        if not known:
            raise NoPagesError(f"{has}: --column NAME says which one has the pages")
        # a text is what others have made of the page
        others = [each for each in known if each.lower() not in _NAMES["text"]]
        if len(others) > 1 and others[0].lower() != _NAMES["page"][0]:
            raise NoPagesError(f"{' and '.join(others)} may be the pages: --column NAME says which one is")
        return known[0]

    def item(self, row: Row, number: int) -> Page | Skip | Address:
        """Returns the page of a row, or its address; a `Skip` if the row has none."""
        about = {part: row.get(name) for part, name in self._columns.items()}
        carried = tuple((name, _carried(row.get(name), kind)) for name, kind in self._options.carry)
        url = _text(about.get("url"))
        if "archive" in about:
            return self._address(about, number, url, carried)
        body: Any = about["page"]
        is_text = isinstance(body, str)
        if is_text:
            # bytes of a CSV that are not UTF-8 are as they were
            is_text = not _ESCAPED.search(body)
            body = body.encode("utf-8", "replace" if is_text else "surrogateescape")
        what, lost = "", True
        if body is None or body == b"":
            what, lost = "empty cell", False
        elif body is TOO_LARGE or (isinstance(body, bytes) and len(body) > self._limit):
            what = "too large"
        elif not isinstance(body, bytes):
            what = f"cell of {self._columns['page']} that is {type(body).__name__}, not a page"
        elif found := binary(body, decoded=is_text):
            what = found.reason
        if what:
            return Skip(what, url, self._name, number, lost=lost)
        kind = self._kind or ("text" if sniff(body[:_HEAD]) == "text" else "html")
        content_type = _text(about.get("content type"))
        if is_text:
            # whatever the page declares, it has been decoded
            content_type = f"text/{'plain' if kind == 'text' else 'html'}; charset=utf-8"
        return Page(
            body, url, _date(about.get("date")), content_type, _text(about.get("id")).strip("<>"), self._name,
            number, "text" if kind == "text" else "html", carried=carried,
        )  # fmt: skip

    def _address(
        self, about: Row, number: int, url: str, carried: tuple[tuple[str, Any], ...]
    ) -> Skip | Address:
        archive = _text(about["archive"])
        offset, length = (_number(about.get(part)) for part in ("offset", "length"))
        if not archive or archive == STDIN or offset is None or length is None:
            return Skip("row without an address", url, self._name, number, lost=True)
        return Address(below(self._options.prefix, archive), offset, length, url, carried)


def _has(names: Sequence[str]) -> str:
    return f"the table has {', '.join(names) or 'no columns'}"


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None or isinstance(value, list | dict) else str(value)


def _number(value: Any) -> int | None:
    """Returns an offset or a length, -1 for an empty one; None for anything else."""
    if value is None or value == "":
        return -1
    try:
        number = int(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if 0 <= number < 1 << 63 and not isinstance(value, bool) else None


def _date(value: Any) -> str:
    """Returns a time as in WARC-Date; empty if it is none that is known."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, int | float) and not isinstance(value, bool):
            for _ in range(3):
                if abs(value) >= _SECONDS:
                    value /= 1000
            value = datetime.fromtimestamp(value, UTC)
        if isinstance(value, datetime):
            value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
            return f"{value:%Y-%m-%dT%H:%M:%SZ}"
        if isinstance(value, date):
            return value.isoformat()
        text = _text(value).strip()
        if found := _CDX_DATE.fullmatch(text):
            year, month, day, *time = found.groups("00")
            return f"{year}-{month}-{day}T{':'.join(time)}Z"
        if text.isdigit():
            return _date(int(text))
        return text
    return ""


def _carried(value: Any, kind: type) -> Any:
    """Returns a cell in the type of a carried column; None if it cannot have that."""
    if value is None or (isinstance(value, kind) and kind is not int):
        return value
    if kind is str:
        if isinstance(value, bytes | datetime | date):
            return _date(value) if not isinstance(value, bytes) else _text(value)
        return orjson.dumps(value, default=str).decode()
    if kind is bool:
        return {"true": True, "false": False, "1": True, "0": False}.get(str(value).lower())
    with suppress(ValueError, TypeError, OverflowError):
        found = kind(value)
        return found if kind is float or -(1 << 63) <= found < 1 << 63 else None
    return None


# JSON lines


def _object(line: bytes) -> Row | None:
    """Returns the object of a line; None if it is not one."""
    # the second reads what is no JSON, but written as such: NaN, halves of characters
    for load in (orjson.loads, json.loads):
        with suppress(ValueError, RecursionError):
            found = load(line)
            return found if isinstance(found, dict) else None
    return None


def _lines(pieces: Iterable[bytes], most: int) -> Iterator[bytes | None]:
    """Yields the lines of a stream; None for one of more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    for piece in chain(pieces, [b"\n"]):
        first, *more = piece.split(b"\n")
        parts.append(first)
        size += len(first)
        if size > most:
            parts.clear()
        if more:
            yield b"".join(parts) if size <= most else None
            yield from (line if len(line) <= most else None for line in more[:-1])
            parts, size = [more[-1]], len(more[-1])


def _rows_of_json(pieces: Iterable[bytes], most: int, choose: Choose) -> Iterator[Numbered]:
    is_first = True
    number = 0
    for line in _lines(pieces, most):
        if line is not None and not (line := line.strip(b" \t\r\xef\xbb\xbf")):
            continue
        row = None if line is None else _object(line)
        if row is None:
            yield number, "line that is too long" if line is None else "line that is no JSON object"
        else:
            if is_first:
                choose(list(row))
                is_first = False
            yield number, row
        number += 1


# CSV and TSV


def _rows_of_csv(pieces: Iterable[bytes], most: int, choose: Choose) -> Iterator[Numbered]:
    pieces = iter(pieces)
    head = next(pieces, b"")
    pieces = chain([head.removeprefix(BOM)], pieces)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        pieces = (text.encode() for text in codecs.iterdecode(pieces, "utf-16", "replace"))
    first = head.replace(b"\0", b"").partition(b"\n")[0]
    delimiter = "\t" if b"\t" in first else max(",;", key=lambda sign: first.count(sign.encode()))
    # a page may be longer than the module allows; a quote that is never closed must not fill the memory
    csv.field_size_limit(max(csv.field_size_limit(), most))
    lines = (f"{(line or b'').decode('utf-8', 'surrogateescape')}\n" for line in _lines(pieces, most))
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    names: list[str] = []
    with suppress(csv.Error):
        names = next(rows, [])
    choose(names)
    number = 0
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"line {rows.line_num} cannot be read ({error}): is a quote open?"
            if "field larger" in str(error):
                # what follows is within the quotes
                return
            cells = []
        if len(cells) == len(names):
            yield number, dict(zip(names, cells, strict=True))
        elif cells:
            has = f"line {rows.line_num} has {counted(len(cells), 'cell')}"
            yield number, f"{has} for {counted(len(names), 'column')}"
        number += bool(cells)
