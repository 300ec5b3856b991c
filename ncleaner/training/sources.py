"""Other sources of training pages: rows of tables, and pages whose clean text is fenced by HTML comments.

*Rows* of JSON lines or Parquet have `html`, the page as text or bytes, and `clean`, its clean text, with or
without CleanEval's markup (`text` in its place does as well). They may have `url`, `id` and `page_type`, as a
manifest has them.

*Fences* are comments that many templates write around the text. Pal (2009) takes his labels from them, and
search engines have defined some of their own (`googleoff`, `googleon`). The part of a page between the
comments becomes its gold text.
"""

from __future__ import annotations

import gzip
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ncleaner.document.html import dump_html
from ncleaner.errors import NcleanerError, TrainingError, TrainingWarning, require
from ncleaner.text.charset import decode
from ncleaner.text.visible import counted
from ncleaner.training.alignment import address
from ncleaner.training.pairs import Pair, find_manifest, known_kind, pages_of, read_bytes, site_of

__all__ = ["SUFFIXES", "fenced", "read_fenced", "read_rows"]

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
        raise TrainingError(f"{path} is not a table of pages: its name has to end with {', '.join(SUFFIXES)}")
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
    url = str(row.get("url") or "")
    body = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
    return Pair(
        str(row.get("id") or number),
        document,
        clean,
        site_of(url or address(clean), body),
        known_kind(str(row.get("page_type") or "")),
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
    require("reading Parquet", "pyarrow", "parquet", error=TrainingError)
    import pyarrow as arrow
    import pyarrow.parquet as parquet

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


# `<!-->` and `<!--->` are whole comments
_COMMENT = re.compile(rb"<!--(?:-?>|(.*?)(?:-->|--!>|\Z))", re.DOTALL)


def fenced(html: bytes, begin: str, end: str, encoding: str | None = None) -> str | None:
    """Returns the text of a page between comments, one segment on each line; None without a comment that
    begins.

    Args:
        html: the page as served.
        begin, end: texts of the comments that begin the content, and end it. Content can begin more than
            once; it ends with the page at the latest.
        encoding: WHATWG label, if it is known.
    """
    page, _ = decode(html, "", encoding)
    parts: list[bytes] = []
    since: int | None = None
    found = False
    for comment in _COMMENT.finditer(page):
        said = comment[1] or b""
        if end.encode() in said and since is not None:
            parts.append(page[since : comment.start()])
            since = None
        elif begin.encode() in said and since is None:
            since, found = comment.end(), True
    if since is not None:
        parts.append(page[since:])
    # a rule sets the parts apart, and has no text
    return dump_html(b"<hr>".join(parts).decode("utf-8", "replace")).text if found else None


def read_fenced(
    raw: str | Path,
    begin: str,
    end: str,
    *,
    encoding: str | None = None,
    manifest: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Reads the pages of a directory, with the text between comments as their gold text.

    Args:
        raw: HTML pages.
        begin, end: see `fenced`.
        encoding, manifest, progress: see `read_pairs`.

    Warns:
        TrainingWarning: pages without such a comment; they are left out.

    Raises:
        TrainingError: the directory is missing, a file cannot be read, or no page has such a comment.
    """
    pages = pages_of(Path(raw))
    told = find_manifest(Path(raw), manifest)
    pairs, without = [], []
    for position, (stem, path) in enumerate(sorted(pages.items())):
        body = read_bytes(path)
        gold = fenced(body, begin, end, encoding)
        if gold is None:
            without.append(stem)
        else:
            entry = told.get(stem, {"url": "", "page_type": ""})
            document = dump_html(body, encoding=encoding)
            site, kind = site_of(entry["url"], body), known_kind(entry["page_type"])
            pairs.append(Pair(stem, document, gold, site, kind))
        if progress is not None:
            progress(position + 1, len(pages))
    if not pairs:
        raise TrainingError(f"no page of {raw} ({counted(len(pages), 'file')}) has a comment with {begin!r}")
    if without:
        have, are = ("has", "is") if len(without) == 1 else ("have", "are")
        shown = ", ".join(without[:10]) + (" …" if len(without) > 10 else "")
        warnings.warn(
            f"{len(without):,} of {counted(len(pages), 'page')} {have} no comment with {begin!r} and "
            f"{are} left out: {shown}",
            TrainingWarning,
            stacklevel=2,
        )
    return pairs
