"""Pages with their clean text as rows of a table: JSON lines, or Parquet.

Each row has `html`, the page as text or bytes, and `clean`, its clean text, with or without CleanEval's
markup (`text` in its place does as well). It may have `url`, `id` and `page_type`, as a manifest has them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ncleaner.document.html import dump_html
from ncleaner.document.kept import KINDS
from ncleaner.errors import NcleanerError, TrainingError
from ncleaner.training.gold import address
from ncleaner.training.pairs import Pair, site_of

__all__ = ["SUFFIXES", "read_rows"]

_JSON = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_PARQUET = ".parquet"
SUFFIXES = (*_JSON, _PARQUET)
_COLUMNS = ("id", "url", "page_type", "html", "clean", "text")
# Rows of a Parquet file that are in memory at once.
_BATCH = 256


def read_rows(
    path: str | Path,
    *,
    encoding: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Reads pages with their clean text from a file of rows: JSON lines or Parquet.

    Each row has `html`, the page as text or bytes, and `clean`, its clean text, with or without CleanEval's
    markup; it may have `url`, `id` and `page_type`.

    >>> import json, pathlib, ncleaner
    >>> row = {"html": "<ul><li>Home</ul><p>The ferry sails.", "clean": "The ferry sails."}
    >>> _ = pathlib.Path("rows.jsonl").write_text(json.dumps(row))
    >>> ncleaner.read_rows("rows.jsonl")[0].alignment.clean.tolist()
    [False, True]

    Args:
        path: a file of JSON lines (`.jsonl`, `.ndjson`, also with `.gz`) or a Parquet file (`.parquet`).
        encoding: WHATWG label of pages that are bytes, if it is known.
        progress: called with the number of rows read, twice.

    Raises:
        TrainingError: the file cannot be read, has none of these forms or no rows, or a row lacks a page or
            its clean text.
        InputError: a page is too large.
    """
    path = Path(path)
    if not path.is_file():
        raise TrainingError(f"there is no file {path}")
    if path.suffix == _PARQUET:
        rows = _parquet_rows(path)
    elif path.name.endswith(_JSON):
        rows = _json_rows(path)
    else:
        raise TrainingError(f"{path} is no table of pages: its name has to end with {', '.join(SUFFIXES)}")
    pairs = []
    for number, row in rows:
        where = f"{path}, row {number}"
        pairs.append(_pair(row, number, where, encoding))
        if progress is not None:
            progress(len(pairs), len(pairs))
    if not pairs:
        raise TrainingError(f"{path} has no rows")
    return pairs


def _pair(row: Mapping[str, Any], number: int, where: str, encoding: str | None) -> Pair:
    html, clean = row.get("html"), row.get("clean", row.get("text"))
    for name, value, kinds in (("html", html, (str, bytes)), ("clean", clean, (str,))):
        if value is None:
            raise TrainingError(
                f"{where}: no column {name!r}; a row has `html`, the page, and `clean`, its clean text, and "
                f"this one has {', '.join(map(repr, row)) or 'nothing'}"
            )
        if not isinstance(value, kinds):
            raise TrainingError(f"{where}: {name!r} is {type(value).__name__}, and has to be text")
    assert html is not None and clean is not None
    try:
        document = dump_html(html, encoding=encoding)
    except NcleanerError as error:
        raise type(error)(f"{where}: {error}") from error
    url, kind = str(row.get("url") or ""), str(row.get("page_type") or "")
    body = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
    return Pair(
        str(row.get("id") or number),
        document,
        clean,
        site_of(url or address(clean), body),
        kind if kind in KINDS else "",
    )


def _json_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields the rows of a file of JSON lines with their numbers, from 1 on."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise TrainingError(f"{path}, row {number}: not JSON ({error})") from error
                if not isinstance(row, dict):
                    raise TrainingError(f"{path}, row {number}: not a JSON object")
                yield number, row
    except (OSError, EOFError) as error:
        raise TrainingError(f"cannot read {path}: {error}") from error


def _parquet_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields the rows of a Parquet file with their numbers, from 1 on; only the columns that are used."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise TrainingError("reading Parquet takes pyarrow: pip install 'ncleaner[parquet]'") from None
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in _COLUMNS]
            for batch in file.iter_batches(_BATCH, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (OSError, arrow.ArrowException) as error:
        raise TrainingError(f"cannot read {path}: {error}") from error
