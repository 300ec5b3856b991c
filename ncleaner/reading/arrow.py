"""The rows of Parquet and of Arrow. Imported where it is used, since pyarrow is an optional dependency."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ncleaner.reading.containers import seekable
from ncleaner.reading.inputs import TOO_LARGE
from ncleaner.reading.streams import Source, Window

# Bytes of the batches in which columns are read, and most rows of one.
_BATCH_BYTES: Final = 1 << 23
_BATCH_ROWS: Final = 1024


def rows_of_arrow(
    kind: str, source: Source, limit: int, choose: Callable[[Sequence[str]], Sequence[str]]
) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Reads the rows of a table as `cells.rows_of` does; `source` is without compression."""
    number = 0
    with seekable(source, 1 << 20) as file:
        batches = (_parquet if kind == "parquet" else _arrow)(file, choose)
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            # a text that is not UTF-8 is a ValueError
            except (pa.ArrowException, OSError, ValueError) as error:
                what = str(error).partition("\n")[0]
                yield number, source.broken or f"the table cannot be read from here on ({what})"
                return
            if isinstance(batch, tuple):
                yield batch
                number = batch[0]
                continue
            columns = [_cells(column, limit) for column in batch.columns]
            names = batch.schema.names
            for cells in zip(*columns, strict=True):
                yield number, dict(zip(names, cells, strict=True))
                number += 1


def _parquet(file: Source, choose: Callable[[Sequence[str]], Sequence[str]]) -> Iterator[Any]:
    """Yields the batches of a Parquet file; where a row group cannot be read, the number of the row after it,
    and why."""
    table = pq.ParquetFile(pa.PythonFile(Window(file), "r"), buffer_size=1 << 20, pre_buffer=False)
    columns = choose(table.schema_arrow.names)
    end = 0
    for group in range(table.num_row_groups):
        about = table.metadata.row_group(group)
        end += about.num_rows
        rows = _BATCH_BYTES * about.num_rows // max(1, about.total_byte_size)
        batches = table.iter_batches(
            max(1, min(_BATCH_ROWS, rows)), row_groups=[group], columns=columns, use_threads=False
        )
        try:
            yield from batches
        except (pa.ArrowException, OSError, ValueError) as error:
            if file.broken:
                raise
            yield end, f"row group {group} cannot be read to its end ({str(error).partition(chr(10))[0]})"


def _arrow(file: Source, choose: Callable[[Sequence[str]], Sequence[str]]) -> Iterator[Any]:
    """Yields the batches of a file or a stream of Arrow."""
    is_stream = not file.peek(8).startswith(b"ARROW1")
    handle = pa.PythonFile(Window(file), "r")
    reader = pa.ipc.open_stream(handle) if is_stream else pa.ipc.open_file(handle)
    columns = choose(reader.schema.names)
    whole = reader if is_stream else (reader.get_batch(number) for number in range(reader.num_record_batches))
    for batch in whole:
        batch = batch.select(columns)
        for start in range(0, len(batch), _BATCH_ROWS):
            yield batch.slice(start, _BATCH_ROWS)


def _cells(column: Any, limit: int) -> list[Any]:
    """Returns the values of a column of Arrow; texts that are too large are not made, and what Python cannot
    have, such as a day in the year 50,000, is None."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_timestamp(kind):
        # Python has no nanoseconds
        column = column.cast(pa.timestamp("us", kind.tz), safe=False)
    is_text = any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))
    if is_text or pa.types.is_large_binary(kind):
        sizes = pc.binary_length(column)
        if (pc.max(sizes).as_py() or 0) > limit:
            return [
                TOO_LARGE if size is not None and size > limit else column[at].as_py()
                for at, size in enumerate(sizes.to_pylist())
            ]
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (OverflowError, ValueError):
        return [_value(each) for each in column]


def _value(cell: Any) -> Any:
    with suppress(OverflowError, ValueError):
        return cell.as_py()
    return None
