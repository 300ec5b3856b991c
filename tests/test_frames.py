"""Rows of pages."""

from __future__ import annotations

import json
import logging
from datetime import datetime
from pathlib import Path

import pytest

import ncleaner
from ncleaner.page import Page
from ncleaner.sinks.formats import Output
from ncleaner.sinks.schema import schema_of

EXAMPLES = Path(__file__).parent.parent / "examples"
CRAWL = EXAMPLES / "crawl.warc.gz"


@pytest.mark.untraced
def test_rows_are_what_jsonl_has() -> None:
    cleaner = ncleaner.Cleaner(facts=True)
    sink = Output(format="jsonl", segments=True, metadata=True, signals=True).sink()
    lines = [
        json.loads(sink.render(page, *cleaner.page(page), False))
        for page in ncleaner.pages(CRAWL)
        if isinstance(page, Page)
    ]
    for row in (found := list(ncleaner.rows(CRAWL, segments=True, metadata=True, signals=True))):
        assert isinstance(row["date"], datetime)
    assert [{**row, "date": f"{row['date']:%Y-%m-%dT%H:%M:%SZ}"} for row in found] == lines


def test_a_row_has_the_keys_of_its_type() -> None:
    cleaner = ncleaner.Cleaner(facts=True, marks=True)
    asked_for = "markdown metadata signals segments posts removed all_pages".split()
    full = next(ncleaner.rows(CRAWL, cleaner, **dict.fromkeys(asked_for, True)))  # type: ignore[arg-type]
    assert list(full) == list(ncleaner.Row.__annotations__)
    assert set(full) - set(next(ncleaner.rows(CRAWL))) == {*asked_for[:-1], "left_out"}


def test_a_directory_and_a_cleaner() -> None:
    found = list(ncleaner.rows(EXAMPLES / "pages", ncleaner.Cleaner("everything")))
    assert len(found) == len(list((EXAMPLES / "pages").iterdir()))
    assert all(row["text"] and row["offset"] is None and "metadata" not in row for row in found)


def test_a_stream() -> None:
    with CRAWL.open("rb") as stream:
        # the bytes of a stream have no archive
        assert list(ncleaner.rows(stream)) == [{**row, "archive": None} for row in ncleaner.rows(CRAWL)]


def test_what_is_wrong(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(TypeError, match="source"):
        ncleaner.rows(b"<p>x")  # type: ignore[arg-type]
    with pytest.raises(ncleaner.InputError, match="the source is a page"):
        ncleaner.rows("<p>x</p>")
    with pytest.raises(TypeError, match="metadata"):
        ncleaner.rows(CRAWL, metadata=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="facts=True"):
        ncleaner.rows(CRAWL, ncleaner.Cleaner(), metadata=True)
    with pytest.raises(ValueError, match="segments"):
        ncleaner.rows(CRAWL, source=True)
    with pytest.raises(ValueError, match="sources=True"):
        ncleaner.rows(CRAWL, ncleaner.Cleaner(), segments=True, source=True)
    first = next(ncleaner.rows(CRAWL, segments=True, source=True))
    assert all((each["source_start"] or 0) < (each["source_end"] or 0) for each in first["segments"])
    with pytest.raises(ncleaner.InputError, match="nowhere"):
        ncleaner.rows(tmp_path / "nowhere.warc")
    with pytest.raises(ncleaner.InputError, match="patterns are not expanded: give the files"):
        ncleaner.rows(EXAMPLES / "*.warc.gz")
    with pytest.raises(ncleaner.InputError, match=r"is a directory, which `ncleaner.rows` reads"):
        next(ncleaner.pages(EXAMPLES))
    (tmp_path / "a.html").write_text("<p>One page that is good.</p>")
    (tmp_path / "b.html").symlink_to("gone.html")
    (tmp_path / "c.html").write_text("<p>x" * 99)
    with caplog.at_level(logging.WARNING, "ncleaner"):
        cleaner = ncleaner.Cleaner("everything", limits=ncleaner.Limits(segments=50))
        assert [row["text"] for row in ncleaner.rows(tmp_path, cleaner)] == ["One page that is good."]
    told = " ".join(caplog.messages)
    assert "b.html" in told and "c.html" in told and "given up" in told
    caplog.clear()
    pdf = tmp_path / "d.pdf"
    pdf.write_bytes(b"%PDF-1.4 and what follows")
    with caplog.at_level(logging.WARNING, "ncleaner"):
        assert not list(ncleaner.rows(pdf))
    (told,) = caplog.messages
    assert told.startswith(f"{pdf}: page given up: not text (PDF): ") and "pdftotext" in told
    assert told.count(str(pdf)) == 1


@pytest.mark.untraced
def test_batches_are_the_rows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pa = pytest.importorskip("pyarrow")
    (tmp_path / "a.html").write_text("<p>One page that is good, and long enough to be kept as it is.")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 and what follows")
    inputs: list[str | Path] = [str(CRAWL), tmp_path / "gone.warc", tmp_path / "a.html", tmp_path / "b.pdf"]
    with caplog.at_level(logging.WARNING, "ncleaner"):
        for jobs in (1, 3):
            found = list(ncleaner.batches(inputs, jobs=jobs, all_pages=True, signals=True))
            assert {batch.schema for batch in found} == {
                schema_of(Output(format="jsonl", all_pages=True, signals=True))
            }
            rows = [row for batch in found for row in batch.to_pylist()]
            alone = [
                row
                for path in (CRAWL, *inputs[2:])
                for row in ncleaner.rows(path, all_pages=True, signals=True)
            ]
            assert pa.Table.from_pylist(alone, found[0].schema).to_pylist() == rows
            assert [row["left_out"] for row in rows[-2:]] == [None, "not text (PDF)"]
    told = " ".join(caplog.messages)
    assert "gone.warc" in told and "pdftotext" in told
    # a cleaner of one's own
    (batch,) = ncleaner.batches(CRAWL, ncleaner.Cleaner("everything"), jobs=1)
    assert batch.num_rows == 15 and "left_out" not in batch.schema.names


def test_what_is_wrong_with_batches(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ncleaner.InputError, match="nowhere"):
        ncleaner.batches(tmp_path / "nowhere.warc")
    with pytest.raises(ValueError, match="jobs"):
        ncleaner.batches(CRAWL, jobs=0)
    with pytest.raises(TypeError, match="did you mean carry"):
        ncleaner.batches(CRAWL, carri=("x",))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="no name of a column"):
        ncleaner.rows(CRAWL, carry=["a", "a"])
    assert [len(batch) for batch in ncleaner.batches([tmp_path / "x.warc", CRAWL], jobs=1)] == [15]


def test_rows_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"raw": "<p>The ferry will sail until the end of May, the board said.", "url": "u", "n": 7}\n'
    )
    (row,) = ncleaner.rows(path, column="raw", carry=["n:int64"])
    assert (row["url"], row["archive"], row["offset"], row["n"]) == ("u", str(path), 0, 7)  # type: ignore[typeddict-item]
