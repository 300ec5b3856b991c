"""Tables with a column of pages."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, ipc

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading import archive, cells
from ncleaner.reading.inflating import zstandard
from ncleaner.reading.inputs import table_kind

zstd = zstandard()

Rows = list[dict[str, Any]]
ROWS: Rows = [
    {
        "id": f"<urn:x:{number}>",
        "url": f"http://x.example/{number}",
        "date": "2024-05-01T10:00:00Z",
        "html": f'<title>Page {number}</title>\n<p>Tide, "ebb"; 渡轮 and\tflow, {number}.',
        "label": number,
        "split": "train",
    }
    for number in range(5)
]


def parquet(path: Path, rows: Rows) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)
    return path


def arrow_stream(path: Path, rows: Rows) -> Path:
    table = pa.Table.from_pylist(rows)
    with pa.OSFile(str(path), "wb") as out, ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table, 2)
    return path


def arrow_file(path: Path, rows: Rows) -> Path:
    feather.write_feather(pa.Table.from_pylist(rows), str(path), compression="zstd")
    return path


def lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def json_lines(path: Path, rows: Rows) -> Path:
    path.write_bytes(lines(rows))
    return path


def json_lines_gz(path: Path, rows: Rows) -> Path:
    path.write_bytes(gzip.compress(lines(rows)))
    return path


def json_lines_zst(path: Path, rows: Rows) -> Path:
    path.write_bytes(zstd.compress(lines(rows)))
    return path


def separated(delimiter: str, encoding: str) -> Callable[[Path, Rows], Path]:
    def write(path: Path, rows: Rows) -> Path:
        with path.open("w", newline="", encoding=encoding) as out:
            writer = csv.DictWriter(out, rows[0], delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
        return path

    return write


FORMS: dict[str, Callable[[Path, Rows], Path]] = {
    "a.parquet": parquet,
    "a.arrow": arrow_stream,
    "a.feather": arrow_file,
    "a.jsonl": json_lines,
    "a.ndjson": json_lines,
    "a.jsonl.gz": json_lines_gz,
    "a.jsonl.zst": json_lines_zst,
    "a.csv": separated(",", "utf-8"),
    "b.csv": separated(";", "utf-8-sig"),
    "c.csv": separated(",", "utf-16"),
    "a.tsv": separated("\t", "utf-8"),
    # what a file is does not depend on its name, but for CSV
    "parquet": parquet,
    "json": json_lines,
}


def read(path: Path | io.BytesIO, **more: Any) -> list[Page | Skip | Damage]:
    return list(archive.read(path, **more))


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_pages(name: str, tmp_path: Path) -> None:
    path = FORMS[name](tmp_path / name, ROWS)
    found = read(path, carry=[("split", str), ("label", int)])
    for number, (page, row) in enumerate(zip(found, ROWS, strict=True)):
        assert isinstance(page, Page)
        assert page == Page(
            row["html"].encode(),
            row["url"],
            row["date"],
            "text/html; charset=utf-8",
            row["id"].strip("<>"),
            str(path),
            number,
            carried=(("split", "train"), ("label", number)),
        )
    # from a pipe, too
    again = [page for page in read(io.BytesIO(path.read_bytes()), name=str(path)) if isinstance(page, Page)]
    assert [page.body for page in again] == [row["html"].encode() for row in ROWS]


def test_what_is_a_table() -> None:
    assert table_kind(b"PAR1...", "x") == "parquet"
    assert table_kind(b'\xef\xbb\xbf{"url": 1}\r\n', "-") == "jsonl"
    assert table_kind(b'{"html": "' + 5000 * b"x", "-") == "jsonl"
    assert table_kind(b'{\n "html": 1}', "-") is None
    assert table_kind(b"{ferry} The ferry\n", "-") is None
    assert table_kind(b"url,html\n", "-") is None
    assert table_kind(b"url,html\n", "-", column="html") == "csv"
    assert table_kind(b"anything", "a.jsonl.zst") == "jsonl"
    # the name of a page decides
    (page,) = read(io.BytesIO(b'{"html": "x"}\n'), name="a.html")
    assert isinstance(page, Page) and page.body == b'{"html": "x"}\n'


@pytest.mark.parametrize(
    ("columns", "chosen", "kind"),
    [
        (("url", "html", "text"), "html", "html"),
        (("text", "HTML"), "HTML", "html"),
        (("content", "text", "title"), "content", ""),
        (("raw_content",), "raw_content", ""),
        (("text", "url"), "text", "text"),
        (("html", "content", "body"), "html", "html"),
    ],
)
def test_the_column_of_pages(columns: tuple[str, ...], chosen: str, kind: str) -> None:
    for cell, own in (("<p>Text", "html"), ("Text.", "text")):
        row = dict.fromkeys(columns, "other") | {chosen: cell}
        (page,) = read(io.BytesIO(lines([row])))
        assert isinstance(page, Page)
        assert (page.body.decode(), page.kind) == (cell, kind or own)
    (page,) = read(io.BytesIO(lines([{"html": "x", "mine": "<p>y"}])), column="mine")
    assert isinstance(page, Page) and (page.body, page.kind) == (b"<p>y", "html")


@pytest.mark.parametrize(
    ("row", "column", "said"),
    [
        ({"url": "x", "title": "y"}, None, "the table has url, title: --column NAME says"),
        ({"content": "x", "body": "y"}, None, "content and body may be the pages: --column NAME"),
        ({"html": "x"}, "page", "there is no column page: the table has html"),
    ],
)
def test_a_table_without_pages(row: dict[str, str], column: str | None, said: str, tmp_path: Path) -> None:
    for name in ("a.parquet", "a.jsonl", "a.csv"):
        (damage,) = read(FORMS[name](tmp_path / name, [row]), column=column)
        assert isinstance(damage, Damage) and said in damage.what


def test_a_column_to_carry_that_there_is_not(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.csv"):
        (damage,) = read(FORMS[name](tmp_path / name, ROWS), carry=[("labels", str)])
        assert (
            isinstance(damage, Damage) and "no column labels to carry: the table has id, url" in damage.what
        )
    # rows of JSON lines may have others each
    found = read(
        json_lines(tmp_path / "a.jsonl", [*ROWS, {"html": "<p>x", "labels": "y"}]), carry=[("labels", str)]
    )
    assert [page.carried for page in found if isinstance(page, Page)][-2:] == [
        (("labels", None),), (("labels", "y"),),
    ]  # fmt: skip


def test_cells_that_are_no_pages(tmp_path: Path) -> None:
    rows = [{"url": "u", "html": html} for html in (b"<p>a", None, b"", b"%PDF-1.4", b"x" * 101, b"<p>b")]
    found = read(parquet(tmp_path / "a.parquet", rows), limits=Limits(bytes=100))
    assert [(item.reason, item.lost, item.offset) for item in found if isinstance(item, Skip)] == [
        ("empty cell", False, 1),
        ("empty cell", False, 2),
        ("not text (PDF)", True, 3),
        ("too large", True, 4),
    ]
    assert [(page.body, page.content_type) for page in found if isinstance(page, Page)] == [
        (b"<p>a", ""),
        (b"<p>b", ""),
    ]
    # of other types
    for value, kind in ((7, "int"), (["<p>x"], "list"), ({"a": "<p>x"}, "dict"), (True, "bool")):
        for name in ("a.parquet", "a.jsonl"):
            (skip,) = read(FORMS[name](tmp_path / name, [{"html": value}]))
            assert isinstance(skip, Skip) and skip.lost
            assert skip.reason == f"cell of html that is {kind}, not a page"


def test_types_of_columns(tmp_path: Path) -> None:
    pages = ["<p>one", None, "<p>two"]
    for kind in (
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
    ):
        column = (
            pa.array(pages).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(pages, kind)
        )
        with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as out:
            table = pa.table({"html": column})
            with ipc.new_file(out, table.schema) as writer:
                writer.write_table(table)
        found = read(tmp_path / "a.arrow")
        assert [item.body for item in found if isinstance(item, Page)] == [b"<p>one", b"<p>two"], kind


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
        ("20240501100000", "2024-05-01T10:00:00Z"),
        ("20240501", "2024-05-01T00:00:00Z"),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), "2024-05-01T12:00:00Z"),
        (datetime(2024, 5, 1, 12), "2024-05-01T12:00:00Z"),
        (date(2024, 5, 1), "2024-05-01"),
        (1714557600, "2024-05-01T10:00:00Z"),
        (1714557600_000, "2024-05-01T10:00:00Z"),
        (1714557600_000_000_000, "2024-05-01T10:00:00Z"),
        ("1714557600", "2024-05-01T10:00:00Z"),
        (1714557600.5, "2024-05-01T10:00:00Z"),
        ("once", "once"),
        (None, ""),
        ([1], ""),
        (float("nan"), ""),
        (float("inf"), ""),
        (1e30, ""),
        (True, "True"),
    ],
)
def test_dates(value: object, said: str) -> None:
    assert cells._date(value) == said


@pytest.mark.parametrize(
    ("value", "kind", "carried"),
    [
        ("x", str, "x"),
        (7, str, "7"),
        ([1, {"a": None}], str, '[1,{"a":null}]'),
        (b"x\xff", str, "x\ufffd"),
        (datetime(2024, 5, 1, tzinfo=UTC), str, "2024-05-01T00:00:00Z"),
        ("7", int, 7),
        ("x", int, None),
        (1 << 63, int, None),
        (True, int, 1),
        (7, float, 7.0),
        ("true", bool, True),
        (0, bool, False),
        ("maybe", bool, None),
        (None, str, None),
    ],
)
def test_carried_values(value: object, kind: type, carried: object) -> None:
    found = cells._carried(value, kind)
    assert found == carried and type(found) is type(carried)


def test_lines_that_are_broken() -> None:
    data = (
        lines(ROWS[:2])
        + b'{"html": "<p>cut\n\n[1]\n'
        + b'{"html": "'
        + b"x" * 700
        + b'"}\n'
        + lines(ROWS[2:3])
    )
    found = read(io.BytesIO(data), limits=Limits(bytes=100))
    assert [(item.what, item.offset) for item in found if isinstance(item, Damage)] == [
        ("line that is no JSON object", 2),
        ("line that is no JSON object", 3),
        ("line that is too long", 4),
    ]
    assert [page.offset for page in found if isinstance(page, Page)] == [0, 1, 5]
    # as pandas and JavaScript write it
    (page,) = read(io.BytesIO(b'{"html": "<p>\\ud800x", "n": NaN}'), name="a.jsonl")
    assert isinstance(page, Page) and page.body == b"<p>?x"


def test_rows_of_a_csv_that_are_broken() -> None:
    data = b'url,html\na,"<p>one\ntwo"\nb\nc,<p>d,e\n"f"g,<p>h\n\nb\xe4r,<p>\xe4\n'
    found = read(io.BytesIO(data), name="a.csv")
    assert [item.what.partition(" (")[0] for item in found if isinstance(item, Damage)] == [
        "line 4 has 1 cell for 2 columns",
        "line 5 has 3 cells for 2 columns",
        "line 6 cannot be read",
    ]
    first, last = (page for page in found if isinstance(page, Page))
    assert first.body == b"<p>one\ntwo"
    # bytes in an encoding of their own stay, and the page says nothing of UTF-8
    assert (last.body, last.content_type) == (b"<p>\xe4", "")
    # a quote that is never closed
    (damage,) = read(io.BytesIO(b'url,html\na,"<p>x\n' + b"y,z\n" * 9), name="a.csv")
    assert isinstance(damage, Damage) and "is a quote open?" in damage.what
    found = read(io.BytesIO(b'url,html\na,"' + b"x,y\n" * 60_000), name="a.csv", limits=Limits(bytes=1000))
    assert len(found) == 1 and "is a quote open?" in str(found[0])


def test_names_that_are_there_twice(tmp_path: Path) -> None:
    table = pa.table([["u"], ["<p>x"], ["<p>y"]], names=["url", "html", "html"])
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as out, ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "a.csv").write_text("url,html,html\nu,<p>x,<p>y\n")
    for name in ("a.arrow", "a.csv"):
        (damage,) = read(tmp_path / name)
        assert (
            isinstance(damage, Damage)
            and "there are two columns html: the table has url, html" in damage.what
        )
    # the name in small letters is meant
    (page,) = read(json_lines(tmp_path / "a.jsonl", [{"HTML": "x", "html": "<p>y"}]))
    assert isinstance(page, Page) and page.body == b"<p>y"


def test_dates_that_python_does_not_have(tmp_path: Path) -> None:
    column = pa.array([0, -(10**17), None, 10**18, 1], pa.timestamp("us"))
    pq.write_table(pa.table({"html": ["<p>x"] * 5, "date": column}), tmp_path / "a.parquet")
    found = [page.date for page in read(tmp_path / "a.parquet") if isinstance(page, Page)]
    assert found == ["1970-01-01T00:00:00Z", "", "", "", "1970-01-01T00:00:00Z"]


def test_tables_without_rows_and_names_of_tables(tmp_path: Path) -> None:
    pq.write_table(pa.table({"html": pa.array([], pa.string())}), tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("url,html\n")
    assert read(tmp_path / "a.parquet") == read(tmp_path / "a.csv") == []
    (tmp_path / "b.parquet").write_text("version https://git-lfs.example/spec\nsize 123\n")
    (tmp_path / "c.csv").write_text("")
    for name in ("b.parquet", "c.csv"):
        (damage,) = read(tmp_path / name)
        assert isinstance(damage, Damage)


def test_a_parquet_file_that_is_damaged(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", ROWS)
    whole = path.read_bytes()
    group = pq.ParquetFile(path).metadata.row_group(1)
    start = group.column(3).data_page_offset
    for broken, kept in (
        (whole[:-8], []),
        (b"PAR1", []),
        (whole[:start] + b"\xff" * 9 + whole[start + 9 :], [0, 1, 4]),
    ):
        path.write_bytes(broken)
        found = read(path)
        assert [page.offset for page in found if isinstance(page, Page)] == kept
        (damage,) = (item for item in found if isinstance(item, Damage))
        assert "cannot be read" in damage.what


@given(st.binary(max_size=300))
def test_any_bytes_after_the_magic(data: bytes) -> None:
    for begin, name in ((b"PAR1", "a.parquet"), (b"ARROW1\0\0", "a.arrow"), (b"", "a.csv"), (b"", "a.jsonl")):
        for item in read(io.BytesIO(begin + data), name=name):
            assert isinstance(item, Page | Skip | Damage)


@given(st.lists(st.binary(max_size=9)), st.lists(st.integers(1, 5)))
def test_lines_do_not_depend_on_the_pieces(parts: list[bytes], sizes: list[int]) -> None:
    data = b"\n".join(parts)
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    found = [line for line in cells._lines([*pieces, data[at:]], 6) if line != b""]
    assert found == [line if len(line) <= 6 else None for line in data.split(b"\n") if line]


def test_rows_for_others(tmp_path: Path) -> None:
    assert [row["label"] for _, row in cells.rows_in(parquet(tmp_path / "a.parquet", ROWS))] == [*range(5)]
    (tmp_path / "a.html").write_text("<p>x")
    with pytest.raises(InputError, match=r"a\.html: is no table"):
        list(cells.rows_in(tmp_path / "a.html"))
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{')
    with pytest.raises(InputError, match=r"a\.jsonl, row 1: line that is no JSON object"):
        list(cells.rows_in(tmp_path / "a.jsonl"))
