"""Parquet: one row per page, for data frames and databases.

Workers render rows as JSON. The parent collects the rows of a row group, which a thread converts. pyarrow, an
optional dependency, is imported when an output begins, and never in the workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import orjson

from ncleaner.document import Document
from ncleaner.document.kept import KINDS, NOTICE, Kept
from ncleaner.errors import OutputError, require
from ncleaner.page import Page
from ncleaner.sinks.compression import Ordered, ordered
from ncleaner.sinks.jsonl import row_of, segments_to_write
from ncleaner.sinks.sink import Sink, SinkOptions, Writable, capture_time
from ncleaner.sinks.text import kept_text

if TYPE_CHECKING:
    import pyarrow as pa

    SCHEMA: pa.Schema

# A row group ends when it has this many rows, or its JSON this many bytes.
_ROWS = 5_000
_BYTES = 32_000_000
# The columns that are written with a dictionary, because their values repeat. A dictionary of texts would
# grow too large and be dropped.
_REPEATED = (
    "truncated lang language model encoding page_kind segments.list.element.kind segments.list.element.zone "
    "origin segments.list.element.origin"
).split()
# The columns with statistics: by their smallest and largest values, readers pass over row groups.
_STATISTICS = ["url", "date", "lang", "language", "model", "encoding", "offset", "segments_kept"]
# The columns of jsonl that are empty, where they are null here, if they are unknown.
_NULLABLE = (
    "url title lang language model page_kind page_kinds origin duplicate_of encoding record_id truncated"
).split()
_LEVEL = 3


@lru_cache(maxsize=8)
def _schema(options: SinkOptions = SinkOptions()) -> pa.Schema:
    """Returns the columns; see `ParquetSink`."""
    import pyarrow as pa

    return pa.schema(
        {
            "url": pa.string(),
            "date": pa.timestamp("us", "UTC"),
            "title": pa.string(),
            "lang": pa.string(),
            "language": pa.string(),
            "model": pa.string(),
            "page_kind": pa.string(),
            "page_kinds": pa.struct({kind: pa.float32() for kind in (*KINDS, NOTICE)}),
            "quality": pa.float32(),
            "origin": pa.string(),
            "duplicate_of": pa.string(),
            "encoding": pa.string(),
            "offset": pa.int64(),
            "record_id": pa.string(),
            "truncated": pa.string(),
            "segments_kept": pa.int32(),
            "text": pa.string(),
            "segments": pa.list_(pa.field("element", _segment(options))),
            **_asked_for(options),
        }
    )


def _segment(options: SinkOptions) -> pa.DataType:
    """Returns the fields of a segment."""
    import pyarrow as pa

    fields = {
        "index": pa.int32(),
        "kind": pa.string(),
        "zone": pa.string(),
        "origin": pa.string(),
        "start": pa.int32(),
        "end": pa.int32(),
        "score": pa.float32(),
        "seen": pa.float32(),
    }
    if options.removed:
        fields["kept"] = pa.bool_()
    if options.source:
        fields |= {"source_start": pa.int64(), "source_end": pa.int64(), "selector": pa.string()}
    return pa.struct(fields)


def _asked_for(options: SinkOptions) -> dict[str, pa.DataType]:
    """Returns the columns that only some users want."""
    import pyarrow as pa

    texts = pa.list_(pa.field("element", pa.string()))
    columns: dict[str, pa.DataType] = {}
    if options.removed:
        columns["removed"] = pa.string()
    if options.markdown:
        columns["markdown"] = pa.string()
    if options.metadata:
        from ncleaner.describing.metadata import Metadata
        from ncleaner.describing.rights import Rights

        types = {list: texts, str: pa.string(), type(None): pa.bool_()}
        fields = {**Metadata().to_dict(), **Rights().to_dict()}.items()
        columns["metadata"] = pa.struct({name: types[type(value)] for name, value in fields})
    if options.signals:
        from ncleaner.describing.signals import SIGNALS

        figures = {name: pa.int32() if whole else pa.float32() for name, whole in SIGNALS.items()}
        figures["hash"] = pa.string()
        if options.duplicates:
            figures["bands"] = texts
        columns["signals"] = pa.struct(figures)
    return columns


def __getattr__(name: str) -> Any:
    """Makes `SCHEMA` when it is first used, since pyarrow may not be installed."""
    if name == "SCHEMA":
        return _schema()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class ParquetSink(Sink):
    """One row per page, also for pages without clean text, whose `text` is empty.

    Columns: url, date (of the capture, UTC), title, lang (as the page declares it), language (that of the
    page, ISO 639-1, else ISO 639-3), model (null if the method has none), page_kind, page_kinds (the
    probability of each), quality (the estimated F1 of the text, 0 to 1), origin (`page`, `state` or
    `both`), duplicate_of (URL of the page that this one repeats, by the survey of sites), encoding,
    offset (-1 for a file that is one page), record_id, truncated, segments_kept, text, segments (index, kind,
    zone, origin, start, end, score, seen, as in jsonl, with `source` also source_start, source_end and
    selector); if the options say so, removed (the other text), markdown (the text as Markdown), metadata
    (the fields of `Metadata`) and signals (see `signals_of`). Unknown values are null.

    Raises:
        OutputError: pyarrow is not installed.
    """

    suffix = ".parquet"

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        # only looked for, not imported: workers do not need it
        require("parquet", "pyarrow", "parquet", error=OutputError)
        super().__init__(options)

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a row as a line of JSON, which `to_table` reads."""
        row = row_of(page, document, kept, self.options, kept_text(document, kept).decode())
        date = capture_time(page.date)
        row["date"] = None if date is None else int(date.timestamp()) * 1_000_000
        row["segments"] = segments_to_write(document, kept, self.options)
        if self.options.metadata:
            said = row["metadata"].items()
            row["metadata"] = {name: None if value in ("", []) else value for name, value in said}
        row |= {name: row[name] or None for name in _NULLABLE}
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """Returns a Parquet file; without pages, it has no row group."""
        import pyarrow.parquet as pq

        buffer = BytesIO()
        writer = pq.ParquetWriter(
            buffer,
            _schema(self.options),
            compression="zstd",
            compression_level=_LEVEL,
            use_dictionary=_REPEATED,
            write_statistics=_STATISTICS,
        )

        def row_group(lines: bytes) -> bytes:
            table = to_table(lines, self.options)
            writer.write_table(table, row_group_size=len(table))
            return _taken(buffer)

        try:
            with ordered(out, row_group, 1, 1) as work:
                groups = _RowGroups(work)
                yield groups
                groups.finish()
            writer.close()
            out.write(_taken(buffer))
        except BaseException:
            # a writer that is not closed here closes itself later, and may raise then
            with suppress(Exception):
                writer.close()
            raise


def to_table(lines: bytes, options: SinkOptions = SinkOptions()) -> pa.Table:
    """Returns rows of `ParquetSink.render` as a table of `SCHEMA`; other users of Arrow may call it, too.

    Args:
        lines: any number of rows.
        options: those of the sink.

    Raises:
        pyarrow.ArrowInvalid: the lines are not rows of `ParquetSink.render`.
    """
    import pyarrow as pa
    from pyarrow import json

    schema = _schema(options)
    if not lines:
        return schema.empty_table()
    # in the lines, dates are numbers (microseconds)
    place = schema.get_field_index("date")
    read = schema.set(place, schema.field(place).with_type(pa.int64()))
    table = json.read_json(
        pa.BufferReader(lines),
        # all lines in one block, since a row must not be longer than a block
        read_options=json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        parse_options=json.ParseOptions(explicit_schema=read, unexpected_field_behavior="error"),
    )
    return table.select(schema.names).cast(schema)


class _RowGroups:
    """Collects rows for row groups."""

    def __init__(self, work: Ordered) -> None:
        self._work = work
        self._lines = bytearray()
        self._rows = 0

    def write(self, data: bytes) -> None:
        """Adds any number of rows."""
        for line in data.splitlines(keepends=True):
            self._lines += line
            self._rows += 1
            if self._rows == _ROWS or len(self._lines) >= _BYTES:
                self._begin()

    def finish(self) -> None:
        """Writes the last row group."""
        if self._rows:
            self._begin()
        self._work.finish()

    def _begin(self) -> None:
        lines = bytes(self._lines)
        self._lines.clear()
        self._rows = 0
        self._work.begin(lines)


def _taken(buffer: BytesIO) -> bytes:
    """Returns what has been written to a buffer since the last call; pyarrow counts the bytes by itself."""
    written = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return written
