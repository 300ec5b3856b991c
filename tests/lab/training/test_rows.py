from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ncleaner.errors import InputError, NcleanerError
from ncleaner.lab.training.pairs import read_rows

PROSE = "The ferry was late this morning, and nobody on the pier seemed to mind."
ROWS: list[dict[str, Any]] = [
    {
        "id": f"page{number}",
        "url": f"http://s{number % 6}.example/{number}",
        "page_type": "article",
        "html": f"<ul><li><a href=/>Home</a><li>Log in</ul><p>{PROSE} {number}<div>© 2024 Pier</div>",
        "clean": f"<p>{PROSE} {number}",
    }
    for number in range(12)
]


def json_lines(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    data = "\n".join([*map(json.dumps, rows), ""]).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def parquet(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    writer.write_table(arrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson", "rows.jsonl.gz", "rows.parquet"])
def test_rows_are_pages_with_their_text(tmp_path: Path, name: str) -> None:
    write = parquet if name.endswith("parquet") else json_lines
    seen: list[int] = []
    pairs = read_rows(write(tmp_path / name), progress=lambda done, total: seen.append(done))
    assert [pair.name for pair in pairs] == [row["id"] for row in ROWS]
    assert [pair.site for pair in pairs[:2]] == ["s0.example", "s1.example"]
    assert {pair.kind for pair in pairs} == {"article"} and seen == list(range(1, 13))
    assert pairs[0].alignment.found == 1.0 and pairs[0].alignment.clean.tolist().count(True) == 1


def test_other_names_and_forms(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"html": f'<link rel=canonical href="http://a.example/"><p>{PROSE}', "text": PROSE},
        {
            "html": f"<p>{PROSE}",
            "clean": f"URL: http://b.example/x\n{PROSE}",
            "page_type": "poem",
            "url": None,
        },
    ]
    first, second = read_rows(json_lines(tmp_path / "x.jsonl", rows))
    assert (first.name, first.site, second.name, second.site, second.kind) == (
        "0", "a.example", "1", "b.example", ""
    )  # fmt: skip
    as_bytes = [{"html": "<meta charset=koi8-r><p>Паром".encode("koi8-r"), "clean": "Паром", "more": 1}]
    (pair,) = read_rows(parquet(tmp_path / "x.parquet", as_bytes))
    assert str(pair.document[0]) == "Паром"
    (pair,) = read_rows(parquet(tmp_path / "x.parquet", as_bytes), encoding="windows-1251")
    assert str(pair.document[0]) != "Паром"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "has no rows"),
        (b"{}\n", r"row 0: no column 'html'; a row has .* and this one has nothing"),
        (b'\n{"html": "<p>x"}\n', r"row 0: no column 'clean'.*has 'html'"),
        (b'{"html": 7, "clean": ""}', "row 0: 'html' is int, and must be text"),
        (b'{"html": "", "clean": ["x"]}', "row 0: 'clean' is list"),
        (b"[1]", "row 0: line that is no JSON object"),
        (b'{"html": "<p>x", "clean": "x"}\n{', "row 1: line that is no JSON object"),
        (b"\xff\xfe", "row 0: line that is no JSON object"),
    ],
)
def test_rows_that_cannot_be_read(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    with pytest.raises(NcleanerError, match=said):
        read_rows(tmp_path / "x.jsonl")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("html,clean")
    with pytest.raises(InputError, match=r"its name ends with \.parquet"):
        read_rows(tmp_path / "x.html")
    with pytest.raises(InputError, match="No such file"):
        read_rows(tmp_path / "nowhere.jsonl")
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(b"{}" * 99)[:20])
    with pytest.raises(InputError, match=r"x\.jsonl\.gz"):
        read_rows(tmp_path / "x.jsonl.gz")
    (tmp_path / "y.jsonl.gz").write_bytes(gzip.compress(b"{}" * 99)[:10] + b"\xff" * 20)
    with pytest.raises(InputError, match=r"y\.jsonl\.gz"):
        read_rows(tmp_path / "y.jsonl.gz")
    pytest.importorskip("pyarrow")
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"x\.parquet"):
        read_rows(tmp_path / "x.parquet")


def test_a_page_that_is_too_large_is_named(tmp_path: Path) -> None:
    rows = [{"html": "x" * 21_000_000, "clean": "x"}]
    with pytest.raises(InputError, match=r"x\.jsonl, row 0: "):
        read_rows(json_lines(tmp_path / "x.jsonl", rows))


@pytest.mark.slow
def test_the_commands_take_rows(tmp_path: Path) -> None:
    json_lines(tmp_path / "rows.jsonl")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).parent / "ncleaner"), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    trained = run("train", "--raw", "rows.jsonl", "-o", "mine.ncm")
    assert trained.returncode == 0 and "12 pages of 6 sites" in trained.stderr, trained.stderr
    tuned = run("tune", "--raw", "rows.jsonl", "-n", "2", "--q", "0.8", "--alphabet", "ascii", "-q")
    assert tuned.returncode == 0 and "--raw rows.jsonl --order 2" in tuned.stdout, tuned.stderr
    (tmp_path / "pages").mkdir()
    for wrong in (["--raw", "pages"], ["--raw", "rows.jsonl", "--manifest", "rows.jsonl"]):
        assert run("train", *wrong, "-o", "x.ncm").returncode == 2
    assert run("train", "--raw", "nowhere.jsonl", "-o", "x.ncm").returncode == 1
