"""The columns of rows for Arrow. Imported where it is used, since pyarrow is an optional dependency."""

from collections.abc import Container, Iterable
from datetime import datetime
from functools import lru_cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
from pyarrow import json

from ncleaner.describing.metadata import Metadata
from ncleaner.describing.posts import Post
from ncleaner.describing.rights import Rights
from ncleaner.describing.signals import SIGNALS
from ncleaner.document.kept import KINDS, NOTICE
from ncleaner.sinks.rows import ASKED_FOR, Row, SegmentRow
from ncleaner.sinks.sink import SinkOptions


@lru_cache(maxsize=8)
def schema_of(options: SinkOptions = SinkOptions()) -> pa.Schema:
    """Returns the columns of rows with some options as a schema of Arrow: string, int64, double, bool,
    timestamp in microseconds and UTC, and lists and structs of these."""
    types = {
        **{name: _arrow(hint) for name, hint in get_type_hints(Row).items()},
        "page_kinds": pa.struct(dict.fromkeys((*KINDS, NOTICE), pa.float64())),
        "metadata": _metadata_type() if options.metadata else None,
        "signals": _signals_type(options.duplicates) if options.signals else None,
        "segments": pa.list_(pa.field("element", _segment_type(options))),
        "posts": pa.list_(pa.field("element", _struct(Post))),
    }
    columns = {name: kind for name, kind in types.items() if getattr(options, ASKED_FOR.get(name, ""), True)}
    return pa.schema({**columns, **{each.name: _arrow(each.type) for each in options.carried}})


def schema_of_names(names: Iterable[str]) -> pa.Schema:
    """Returns the columns of `Extracted`."""
    rows = schema_of(SinkOptions(segments=True, posts=True))
    types = {
        "quality": pa.float64(),
        **dict.fromkeys(("authors", "tags"), pa.list_(pa.string())),
        **{name: rows.field(name).type for name in ("posts", "segments")},
    }
    return pa.schema([(name, types.get(name, pa.string())) for name in names])


def _arrow(hint: Any) -> Any:
    """Returns the type in Arrow of a type in Python."""
    if get_origin(hint) in (UnionType, Union):
        hint = next(each for each in get_args(hint) if each is not type(None))
    plain = {
        str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(),
        datetime: pa.timestamp("us", "UTC"),
    }  # fmt: skip
    return plain.get(hint)


def _segment_type(options: SinkOptions) -> pa.DataType:
    left_out = set() if options.removed else {"kept"}
    left_out |= set() if options.source else {"source_start", "source_end", "selector"}
    return _struct(SegmentRow, left_out)


def _struct(row: Any, left_out: Container[str] = ()) -> pa.DataType:
    hints = get_type_hints(row).items()
    return pa.struct({name: _arrow(hint) for name, hint in hints if name not in left_out})


def _metadata_type() -> pa.DataType:
    types = {list: _texts(), str: pa.string(), type(None): pa.bool_()}
    fields = {**Metadata().to_dict(), **Rights().to_dict()}.items()
    return pa.struct({name: types[type(value)] for name, value in fields})


def _signals_type(duplicates: bool) -> pa.DataType:
    figures = {name: pa.int64() if whole else pa.float64() for name, whole in SIGNALS.items()}
    figures["hash"] = pa.string()
    if duplicates:
        figures["bands"] = _texts()
    return pa.struct(figures)


def _texts() -> pa.DataType:
    return pa.list_(pa.field("element", pa.string()))


def to_table(lines: bytes, options: SinkOptions = SinkOptions()) -> pa.Table:
    """Returns lines of `JsonlSink.render` as a table of `schema_of`.

    Args:
        lines: any number of rows.
        options: those of the sink.

    Raises:
        pyarrow.ArrowInvalid: the lines are not rows of `JsonlSink.render`.
    """
    schema = schema_of(options)
    if not lines:
        return schema.empty_table()
    return json.read_json(
        pa.BufferReader(lines),
        # all lines in one block, since a row must not be longer than a block
        read_options=json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        parse_options=json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    ).select(schema.names)
