"""Records of pages that were given up stand in the quarantine as they stood in their archives."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from ncleaner.limits import Limits
from ncleaner.page import Page
from ncleaner.reading.archive import read, reread_record
from ncleaner.running.jobs import warc_record

from ..archives import (
    arc,
    blocks,
    frame,
    frames,
    frames_with_dictionary,
    html,
    http,
    members,
    pages,
    plain,
    twice,
    url,
    warc,
    whole,
    write,
)  # fmt: skip

RECORDS = [warc(number, None, f"X-Own: {number}") for number in range(6)]


@pytest.mark.parametrize(
    "pack", [plain, members, whole, twice, blocks, frames, frame, frames_with_dictionary]
)
def test_a_record_as_it_stood(tmp_path: Path, pack: object) -> None:
    path = write(tmp_path / "crawl.warc", pack(RECORDS))  # type: ignore[operator]
    found = pages(read(path))
    assert len(found) == 6
    for number, page in enumerate(found):
        record = gzip.decompress(warc_record(page, Limits()))
        again = pages(read(io.BytesIO(record), name=page.source))
        assert [(item.body, item.url, item.date, item.record_id) for item in again] == [
            (page.body, page.url, page.date, page.record_id)
        ]
        if pack in (plain, members, frames, frames_with_dictionary):
            assert record == RECORDS[number]


def test_of_an_arc_it_is_the_response(tmp_path: Path) -> None:
    path = write(tmp_path / "old.arc.gz", members([arc(0), arc(1)]))
    for page in pages(read(path)):
        record = next(ArchiveIterator(io.BytesIO(warc_record(page, Limits()))))
        assert record.rec_headers.get_header("WARC-Target-URI") == page.url
        assert record.rec_headers.get_header("WARC-Date") == "2001-02-03T04:05:06Z"
        assert record.rec_headers.get_header("WARC-Type") == "response"
        assert record.http_headers.get_header("Content-Type") == "text/html"
        assert record.content_stream().read() == page.body
        assert warc_record(page, Limits()) == warc_record(page, Limits())


def test_of_a_damaged_record_it_is_what_was_read(tmp_path: Path) -> None:
    path = write(tmp_path / "crawl.warc", plain([warc(0), warc(1, length=100_000), warc(2)]))
    page = pages(read(path))[1]
    [again] = pages(read(io.BytesIO(warc_record(page, Limits()))))
    assert (again.url, again.record_id) == (url(1), page.record_id)
    assert again.body == page.body


@pytest.mark.parametrize(
    "page",
    [
        Page(html(1), "a/page.html", source="a/page.html"),
        Page(html(1), url(1), "2024-05-01T10:00:00Z", "text/html; charset=koi8-r", "urn:uuid:1", "-", 17),
        Page(b"words", "http://x.example/a b\r\nc", source="gone.txt", offset=5, kind="text"),
        Page(b"", source="-", offset=0),
    ],
)
def test_what_cannot_be_read_again_is_made_of_the_page(page: Page) -> None:
    record = next(ArchiveIterator(io.BytesIO(warc_record(page, Limits()))))
    assert record.rec_headers.get_header("WARC-Type") == "resource"
    assert record.rec_headers.get_header("Content-Type") == (
        page.content_type or f"text/{page.kind}".replace("text/text", "text/plain")
    )
    assert record.content_stream().read() == page.body
    assert record.rec_headers.get_header("WARC-Date") == (page.date or "1970-01-01T00:00:00Z")
    assert "\n" not in record.rec_headers.get_header("WARC-Target-URI")


def test_a_record_that_has_moved(tmp_path: Path) -> None:
    path = write(tmp_path / "crawl.warc", plain(RECORDS))
    page = pages(read(path))[2]
    path.write_bytes(plain([warc(7, http(b"x" * 100_000))]))
    assert reread_record(page) is None
    path.unlink()
    with pytest.raises(FileNotFoundError):
        reread_record(page)
    record = next(ArchiveIterator(io.BytesIO(warc_record(page, Limits()))))
    assert record.content_stream().read() == page.body
