"""Parquet: one row per page, for data frames and databases.

Workers render rows as JSON. The parent collects the rows of a row group, which a thread converts. pyarrow, an
optional dependency, is imported when an output begins, and never in the workers.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO

from ncleaner.errors import OutputError, require
from ncleaner.sinks.compression import Ordered, ordered
from ncleaner.sinks.jsonl import JsonlSink
from ncleaner.sinks.sink import SinkOptions, Writable

# A row group ends when it has this many rows, or its JSON this many bytes.
_ROWS = 5_000
_BYTES = 32_000_000
# The columns that are written with a dictionary, because their values repeat. A dictionary of texts would
# grow too large and be dropped.
_REPEATED = (
    "host truncated lang language model encoding page_kind archive http_status left_out origin "
    "segments.list.element.kind segments.list.element.zone segments.list.element.origin"
).split()
# The columns with statistics: by their smallest and largest values, readers pass over row groups.
_STATISTICS = (
    "url host date lang language language_score model page_kind quality encoding archive offset http_status "
    "segments_kept"
).split()
_LEVEL = 3


class ParquetSink(JsonlSink):
    """One row per page, with the columns of `schema.schema_of`.

    Raises:
        OutputError: pyarrow is not installed.
    """

    suffix = ".parquet"

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        # only looked for, not imported: workers do not need it
        require("parquet", "pyarrow", "parquet", error=OutputError)
        super().__init__(options)

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """Returns a Parquet file; without pages, it has no row group."""
        import pyarrow.parquet as pq

        from ncleaner.sinks.schema import schema_of, to_table

        buffer = BytesIO()
        writer = pq.ParquetWriter(
            buffer,
            schema_of(self.options).with_metadata(dict(self.about)),
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
