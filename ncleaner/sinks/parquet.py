"""Parquet: a row a page, for data frames and databases.

Workers render rows as JSON; the parent collects so many of them, and a thread makes a row group of them.
pyarrow, which is not installed by default, is loaded when an output begins, and not in the workers.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.errors import OutputError
from ncleaner.page import Page
from ncleaner.sinks.background import Ordered, ordered
from ncleaner.sinks.base import Need, SinkOptions, Writable
from ncleaner.sinks.jsonl import kept_segments
from ncleaner.sinks.metadata import captured, encodable, stated_language
from ncleaner.sinks.text import kept_text

if TYPE_CHECKING:
    import pyarrow as pa

    from ncleaner.sinks.base import Need, SinkOptions, Writable

    SCHEMA: pa.Schema

__all__ = ["SCHEMA", "ParquetSink", "to_table"]

# A row group ends with the row that makes it so many, or its JSON so many bytes.
_ROWS = 5_000
_BYTES = 32_000_000
# The columns whose values come again and again; a dictionary of texts would be thrown away when it is full.
_REPEATED = ["lang", "language", "model", "encoding", "segments.list.element.kind"]
# Least and largest values help to pass over row groups where they mean something.
_STATISTICS = ["url", "date", "lang", "language", "model", "encoding", "offset", "segments_kept"]
_LEVEL = 3


@lru_cache(maxsize=1)
def _schema() -> pa.Schema:
    """The columns; see `ParquetSink`."""
    import pyarrow as pa

    segment = pa.struct(
        {
            "index": pa.int32(),
            "kind": pa.string(),
            "start": pa.int32(),
            "end": pa.int32(),
            "score": pa.float32(),
        }
    )
    return pa.schema(
        {
            "url": pa.string(),
            "date": pa.timestamp("us", "UTC"),
            "title": pa.string(),
            "lang": pa.string(),
            "language": pa.string(),
            "model": pa.string(),
            "encoding": pa.string(),
            "offset": pa.int64(),
            "record_id": pa.string(),
            "segments_kept": pa.int32(),
            "text": pa.string(),
            "segments": pa.list_(pa.field("element", segment)),
        }
    )


def __getattr__(name: str) -> Any:
    """`SCHEMA`, made when it is asked for: pyarrow may not be there."""
    if name == "SCHEMA":
        return _schema()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class ParquetSink:
    """One row per page, also for pages that nothing is left of: `text` is empty then.

    Columns: url, date (of the capture, UTC), title, lang (as the page declares it), language (ISO 639-1, or
    639-3 where that has none: the one a model was chosen for, else the declared one), model (null where none
    was chosen for each page), encoding, offset (-1 where the page is a file of its own), record_id,
    segments_kept, text, segments (index, kind, start, end, score, as in jsonl). What is unknown is null.

    Raises:
        OutputError: pyarrow is not installed.
    """

    suffix = ".parquet"
    needs: frozenset[Need] = frozenset()

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        # found, not loaded: workers can do without
        if importlib.util.find_spec("pyarrow") is None:
            raise OutputError("parquet needs pyarrow: pip install 'ncleaner[parquet]'")

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """A row as a line of JSON, as `to_table` reads it."""
        date = captured(page.date)
        row = {
            "url": encodable(page.url) or None,
            "date": None if date is None else int(date.timestamp()) * 1_000_000,
            "title": encodable(document.title) or None,
            "lang": encodable(document.lang) or None,
            "language": stated_language(document, kept) or None,
            "model": kept.remarks.model or None,
            "encoding": document.encoding or None,
            "offset": page.offset,
            "record_id": encodable(page.record_id) or None,
            "segments_kept": int(kept.mask.sum()),
            "text": kept_text(document, kept).decode(),
            "segments": kept_segments(document, kept),
        }
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """A file of row groups that end after so many rows or bytes, and of none if there are no pages."""
        import pyarrow.parquet as pq

        buffer = _Buffer()
        writer = pq.ParquetWriter(
            buffer,
            _schema(),
            compression="zstd",
            compression_level=_LEVEL,
            use_dictionary=_REPEATED,
            write_statistics=_STATISTICS,
        )

        def row_group(lines: bytes) -> bytes:
            table = to_table(lines)
            writer.write_table(table, row_group_size=len(table))
            return buffer.taken()

        try:
            with ordered(out, 1, 1) as work:
                groups = _RowGroups(work, row_group)
                yield groups
                groups.finish()
            writer.close()
            out.write(buffer.taken())
        except BaseException:
            # a writer that is left open closes itself some time, and may complain
            with suppress(Exception):
                writer.close()
            raise


def to_table(lines: bytes) -> pa.Table:
    """Rows that `ParquetSink.render` made as a table of `SCHEMA`, also for other users of Arrow.

    Args:
        lines: any number of rows.

    Raises:
        pyarrow.ArrowInvalid: they are not what `render` makes.
    """
    import pyarrow as pa
    from pyarrow import json

    schema = _schema()
    if not lines:
        return schema.empty_table()
    # dates are written as numbers
    place = schema.get_field_index("date")
    read = schema.set(place, schema.field(place).with_type(pa.int64()))
    table = json.read_json(
        pa.BufferReader(lines),
        # in one block: a row may be of any length
        read_options=json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        parse_options=json.ParseOptions(explicit_schema=read, unexpected_field_behavior="error"),
    )
    return table.select(schema.names).cast(schema)


class _RowGroups:
    """Rows, collected for row groups."""

    def __init__(self, work: Ordered, row_group: Callable[[bytes], bytes]) -> None:
        self._work = work
        self._row_group = row_group
        self._lines = bytearray()
        self._rows = 0

    def write(self, data: bytes) -> None:
        """Takes any number of rows."""
        rows = data.count(b"\n")
        if self._rows + rows < _ROWS and len(self._lines) + len(data) < _BYTES:
            self._lines += data
            self._rows += rows
            return
        at = 0
        while at < len(data):
            end = data.index(b"\n", at) + 1
            self._lines += data[at:end]
            self._rows += 1
            at = end
            if self._rows == _ROWS or len(self._lines) >= _BYTES:
                self._begin()

    def finish(self) -> None:
        """Writes what has been collected."""
        if self._rows:
            self._begin()
        self._work.finish()

    def _begin(self) -> None:
        lines = bytes(self._lines)
        self._lines.clear()
        self._rows = 0
        self._work.begin(self._row_group, lines)


class _Buffer:
    """What pyarrow takes for a file; it keeps what is written until it is taken."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Takes a buffer, which is pyarrow's again when this returns."""
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """All that was written since the last time."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken

    def flush(self) -> None:
        """Has nothing to do, and is asked to."""
