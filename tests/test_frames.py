"""Rows of pages."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

import ncleaner
from ncleaner.page import Page
from ncleaner.sinks.formats import Output

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
    assert list(ncleaner.rows(CRAWL, segments=True, metadata=True, signals=True)) == lines


def test_a_row_has_the_keys_of_its_type() -> None:
    cleaner = ncleaner.Cleaner(facts=True, marks=True)
    full = next(ncleaner.rows(CRAWL, cleaner, segments=True, metadata=True, signals=True, markdown=True))
    assert set(full) == set(ncleaner.Row.__annotations__)
    assert set(full) - set(next(ncleaner.rows(CRAWL))) == {"markdown", "metadata", "signals", "segments"}


def test_a_directory_and_a_cleaner() -> None:
    found = list(ncleaner.rows(EXAMPLES / "pages", ncleaner.Cleaner("everything")))
    assert len(found) == len(list((EXAMPLES / "pages").iterdir()))
    assert all(row["text"] and row["offset"] == -1 and "metadata" not in row for row in found)


def test_a_stream() -> None:
    with CRAWL.open("rb") as stream:
        assert list(ncleaner.rows(stream)) == [{**row} for row in ncleaner.rows(CRAWL)]


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
        ncleaner.rows(CRAWL, sources=True)
    with pytest.raises(ValueError, match="sources=True"):
        ncleaner.rows(CRAWL, ncleaner.Cleaner(), segments=True, sources=True)
    first = next(ncleaner.rows(CRAWL, segments=True, sources=True))
    assert all(each["source_start"] < each["source_end"] for each in first["segments"])
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
