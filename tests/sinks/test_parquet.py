from __future__ import annotations

import io
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncleaner import Cleaner
from ncleaner.document.kept import KINDS, NOTICE
from ncleaner.errors import OutputError
from ncleaner.options import OptionError
from ncleaner.page import Page
from ncleaner.reading.archive import pages
from ncleaner.sinks import parquet
from ncleaner.sinks.formats import Output
from ncleaner.sinks.rows import row_of
from ncleaner.sinks.schema import schema_of, to_table
from ncleaner.sinks.sink import replace_surrogates

from ..outputs import (
    GROUPS,
    HOSTILE,
    HOSTILE_TEXT,
    PROSE,
    Pipe,
    all_of,
    document,
    none_of,
    page,
    rendered,
    written,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


def rows(data: bytes) -> list[dict[str, object]]:
    return list(pq.read_table(io.BytesIO(data)).to_pylist())


def one(page: Page, *segments: str, **about: str) -> dict[str, object]:
    """The row of one page of which all is kept."""
    sink = Output(format="parquet").sink()
    dumped = document(*segments, **about)
    (row,) = rows(written(sink, [sink.render(page, dumped, all_of(dumped), False)]))
    return row


def test_a_row_says_all_there_is() -> None:
    sink = Output(format="parquet", segments=True).sink()
    dumped = document("Möwen", "weg", "eins\nzwei", kinds="hpl", title="T", lang="de-AT", encoding="utf-8")
    kept = (
        all_of(dumped)
        ._replace(mask=np.array([True, False, True]), scores=np.array([1.25, 0, np.nan]))
        .remarked(model="m", language="fr", language_score=0.75)
        ._replace(kinds={**dict.fromkeys((*KINDS, NOTICE), 0.0), "forum": 0.75, "article": 0.25})
    )
    captured = page(1, truncated="length", source="a/b.warc", length=700, status=200)
    (row,) = rows(written(sink, [sink.render(captured, dumped, kept, False)]))
    segment = {"zone": None, "origin": "page", "seen": None}
    assert row == {
        "id": "urn:uuid:00000001-0000-4000-8000-000000000000",
        "url": "http://example.org/1",
        "host": "example.org",
        "date": datetime(2024, 5, 1, 10, 0, 1, tzinfo=UTC),
        "html_title": "T",
        "lang": "de-AT",
        "language": "fr",
        "language_score": 0.75,
        "model": "m",
        "page_kind": "forum",
        "page_kinds": {**dict.fromkeys((*KINDS, NOTICE), 0.0), "forum": 0.75, "article": 0.25},
        "quality": None,
        "origin": "page",
        "duplicate_of": None,
        "encoding": "utf-8",
        "archive": "a/b.warc",
        "offset": 1000,
        "length": 700,
        "http_status": 200,
        "truncated": "length",
        "segments_kept": 2,
        "text": "Möwen\neins\nzwei",
        "segments": [
            {"index": 0, "kind": "h", "start": 0, "end": 5, "score": 1.25, "path": "", **segment},
            {"index": 2, "kind": "l", "start": 6, "end": 15, "score": None, "path": "Möwen", **segment},
        ],
    }


def test_what_is_removed() -> None:
    sink = Output(format="parquet", removed=True, segments=True).sink()
    dumped = document("Möwen", "weg")
    kept = all_of(dumped)._replace(mask=np.array([True, False]))
    (row,) = rows(written(sink, [sink.render(page(1), dumped, kept, False)]))
    assert (row["text"], row["removed"]) == ("Möwen", "weg")
    assert [each["kept"] for each in row["segments"]] == [True, False]  # type: ignore[attr-defined]


def test_what_is_unknown_is_null() -> None:
    row = one(Page(b"", date="once", source="-"), "a", "b")
    assert {name for name, value in row.items() if value is not None} == {
        "id", "origin", "segments_kept", "text",
    }  # fmt: skip


def test_only_pages_with_clean_text_are_rows() -> None:
    dumped = document("x")
    sink = Output(format="parquet").sink()
    assert sink.render(page(1), dumped, none_of(dumped), False) == b""
    sink = Output(format="parquet", all_pages=True, segments=True).sink()
    why = [none_of(dumped), none_of(dumped).remarked(left_out="foreign"), all_of(dumped)]
    found = rows(written(sink, [sink.render(page(1), dumped, kept, False) for kept in why]))
    assert [(row["text"], row["segments_kept"], row["left_out"]) for row in found] == [
        ("", 0, "empty"),
        ("", 0, "foreign"),
        ("x", 1, None),
    ]


OPTIONS = [
    {},
    {"segments": True, "all_pages": True, "carry": ("label:int64", "split")},
    dict.fromkeys(("segments", "source", "removed", "metadata", "signals", "markdown"), True),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_schema_is_that_of_the_files_and_of_the_rows(options: dict[str, Any]) -> None:
    output = Output(format="parquet", **options)
    sink, schema = output.sink(), schema_of(output)
    cleaner = Cleaner(facts=True, marks=True, sources=True)
    found = [next(pages(EXAMPLES / "crawl.warc.gz"))] * 3
    for captured in ([], found):
        parts = [sink.render(each, *cleaner.page(each), False) for each in captured]
        table = pq.read_table(io.BytesIO(written(sink, parts)))
        assert table.schema == schema
        assert len(table) == len(parts)
        assert to_table(b"".join(parts), output) == table
    made = [row_of(each, *cleaner.page(each), output) for each in found]
    assert pa.Table.from_pylist(made, schema=schema) == table
    types = {pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.timestamp("us", "UTC")}
    assert {kind for kind in schema.types if not pa.types.is_nested(kind)} <= types


def test_carried_columns() -> None:
    sink = Output(format="jsonl", carry=("label:int64", "a,b:double", "c:d:string")).sink()
    assert [(each.name, each.type) for each in sink.options.carried] == [
        ("label", int), ("a", str), ("b", float), ("c:d", str),
    ]  # fmt: skip
    dumped = document("x")
    line = sink.render(page(1, carried=(("a", "A"), ("label", 7))), dumped, all_of(dumped), False)
    assert line.endswith(b'"text":"x","label":7,"a":"A","b":null,"c:d":null}\n')
    for wrong, why in (
        ("url", "url: the output has a column"),
        ("a,a", "given twice"),
        ("", "no name"),
        ("a:int32", "int32 is no type"),
    ):
        with pytest.raises(OptionError, match=why):
            Output(format="parquet", carry=(wrong,)).sink()


def test_duckdb_reads_it(tmp_path: Path) -> None:
    sink = Output(format="parquet").sink()
    path = tmp_path / "clean.parquet"
    path.write_bytes(written(sink, rendered(sink, 10)))
    with duckdb.connect() as connection:
        (found,) = connection.execute(
            "SELECT count(*), sum(length(text)), min(epoch(date)), any_value(host) FROM read_parquet(?)",
            [str(path)],
        ).fetchall()
    texts = [str(row["text"]) for row in rows(path.read_bytes())]
    first = datetime(2024, 5, 1, 10, tzinfo=UTC).timestamp()
    assert found == (8, sum(map(len, texts)), first, "example.org")


def groups_of(data: bytes) -> list[int]:
    """Rows of each row group."""
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def test_a_row_group_ends_after_so_many_rows() -> None:
    sink = Output(format="parquet").sink()
    with patch.object(parquet, "_ROWS", 4):
        assert groups_of(written(sink, rendered(sink, 10))) == [4, 4]
        assert groups_of(written(sink, rendered(sink, 11), [1] * 11)) == [4, 4, 1]
    assert groups_of(written(sink, [])) == []


def test_a_row_group_ends_after_so_many_bytes() -> None:
    sink = Output(format="parquet").sink()
    dumped = document("x" * 1000)
    parts = [sink.render(page(i), dumped, all_of(dumped), False) for i in range(1, 7)]
    with patch.object(parquet, "_BYTES", len(parts[0]) + 1):
        assert groups_of(written(sink, parts)) == [2, 2, 2]


@pytest.mark.slow
@settings(max_examples=50)
@given(groups=GROUPS, most_rows=st.integers(1, 9), most_bytes=st.sampled_from([1, 2000, 9000]))
def test_the_bytes_do_not_depend_on_the_groups(groups: list[int], most_rows: int, most_bytes: int) -> None:
    sink = Output(format="parquet").sink()
    parts = rendered(sink, 12)
    with patch.object(parquet, "_ROWS", most_rows), patch.object(parquet, "_BYTES", most_bytes):
        assert written(sink, parts, groups) == written(sink, parts)


@given(url=HOSTILE, title=HOSTILE, lang=HOSTILE, record_id=HOSTILE, date=HOSTILE, text=HOSTILE_TEXT)
def test_whatever_a_page_says_of_itself(
    url: str, title: str, lang: str, record_id: str, date: str, text: str
) -> None:
    row = one(Page(b"", url, date, record_id=record_id), text, title=title, lang=lang)
    assert row["text"] == text and row["id"]
    for name, value in {"url": url, "html_title": title, "lang": lang}.items():
        assert row[name] == (replace_surrogates(value) or None)
    if record_id:
        assert row["id"] == replace_surrogates(record_id)


@pytest.mark.slow
def test_a_very_long_text() -> None:
    text = "\n\u0001ü".join([PROSE[1]] * 280_000)
    assert len(text.encode()) > 20_000_000
    sink = Output(format="parquet").sink()
    parts = rendered(sink, 2)
    dumped = document(text)
    parts.insert(1, sink.render(page(9), dumped, all_of(dumped), False))
    data = written(sink, parts)
    assert [row["text"] == text for row in rows(data)] == [False, True, False]


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OutputError, match=r"pip install 'ncleaner\[parquet\]'"):
        Output(format="parquet").sink()


def test_workers_do_without_pyarrow() -> None:
    program = (
        "import sys\n"
        "from ncleaner.document import Document\n"
        "from ncleaner.dumping.html import dump_html\n"
        "from ncleaner.document.kept import Kept\n"
        "from ncleaner.page import Page\n"
        "from ncleaner.sinks.formats import Output\n"
        "document = dump_html('<p>Text')\n"
        "Output(format='parquet').sink().render(Page(b''), document, Kept(document.visible), True)\n"
        "sys.exit('pyarrow' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_other_lines_are_no_table() -> None:
    for lines in (b"{}{", b'{"text": 1}\n', b'{"texts": "x"}\n'):
        with pytest.raises(pa.ArrowInvalid):
            to_table(lines)


def test_a_table_that_cannot_be_made_ends_the_output() -> None:
    out = Pipe()
    with pytest.raises(pa.ArrowInvalid), Output(format="parquet").sink().wrapped(out) as stream:
        stream.write(b"no row\n")
    assert out.data == b""
