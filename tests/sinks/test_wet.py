from __future__ import annotations

import io
import unicodedata
import zlib

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from ncleaner.page import Page, Skip
from ncleaner.reading.archive import read
from ncleaner.sinks import wet
from ncleaner.sinks.formats import Output

from ..outputs import GROUPS, HOSTILE, HOSTILE_TEXT, PROSE, all_of, document, none_of, page, rendered, written

Fields = dict[str, str]


def one(page: Page, *segments: str, lang: str = "", language: str = "") -> bytes:
    """An archive of one page."""
    sink = Output(format="wet").sink()
    dumped = document(*segments, lang=lang)
    kept = all_of(dumped).remarked(language=language)
    return written(sink, [sink.render(page, dumped, kept, False)])


def records(data: bytes) -> list[tuple[Fields, bytes]]:
    """The records as warcio reads them, their digests checked."""
    return [
        (dict(record.rec_headers.headers), record.raw_stream.read())
        for record in ArchiveIterator(io.BytesIO(data), check_digests="raise")
    ]


def test_records_as_common_crawl_has_them() -> None:
    (info, fields), (record, text) = records(one(page(1), PROSE[1], "Und:\n  so", lang="fr", language="de"))
    assert record == {
        "WARC-Type": "conversion",
        "WARC-Target-URI": "http://example.org/1",
        "WARC-Date": "2024-05-01T10:00:01Z",
        "WARC-Record-ID": record["WARC-Record-ID"],
        "WARC-Refers-To": "<urn:uuid:00000001-0000-4000-8000-000000000000>",
        "WARC-Identified-Content-Language": "deu",
        "WARC-Block-Digest": record["WARC-Block-Digest"],
        "Content-Type": "text/plain",
        "Content-Length": str(len(text)),
    }
    assert text.decode() == f"{PROSE[1]}\nUnd:\n  so"
    assert info["WARC-Type"] == "warcinfo"
    assert info["WARC-Date"] == record["WARC-Date"]
    assert info["WARC-Record-ID"] not in (record["WARC-Record-ID"], record["WARC-Refers-To"])
    assert b"software: ncleaner/" in fields
    assert b"format: WARC File Format 1.0\r\n" in fields


def test_a_language_that_nobody_found_is_not_stated() -> None:
    (_, _), (record, _) = records(one(page(1), "12345", lang="de"))
    assert "WARC-Identified-Content-Language" not in record


def test_every_reader_finds_the_same() -> None:
    sink = Output(format="wet").sink()
    data = written(sink, rendered(sink, 30))
    texts = [text for _, text in records(data)][1:]
    assert len(texts) == 24

    found = list(read(io.BytesIO(data), name="small.warc.wet.gz"))
    assert isinstance(found[0], Skip)
    pages = [item for item in found[1:] if isinstance(item, Page)]
    assert len(pages) == len(found) - 1
    assert [item.body for item in pages] == texts
    assert {item.kind for item in pages} == {"text"}
    assert [item.url for item in pages] == [f"http://example.org/{i}" for i in range(30) if i % 5 < 4]
    assert [item.date for item in pages] == [page(i).date for i in range(30) if i % 5 < 4]

    fast = list(FastIterator(io.BytesIO(data), verify_digests=True))
    assert len(fast) == 25
    assert [record.reader.read() for record in FastIterator(io.BytesIO(data))][1:] == texts


def test_a_member_for_each_record() -> None:
    sink = Output(format="wet").sink()
    left = written(sink, rendered(sink, 4))
    count = 0
    while left:
        member = zlib.decompressobj(31)
        assert member.decompress(left).startswith(b"WARC/1.0\r\n")
        assert left[4:8] == bytes(4)  # no time
        left = member.unused_data
        count += 1
    assert count == 5


def test_a_page_without_clean_text_has_no_record() -> None:
    dumped = document("x")
    assert Output(format="wet").sink().render(page(1), dumped, none_of(dumped), False) == b""


def test_an_archive_without_records_is_one() -> None:
    ((info, _),) = records(written(Output(format="wet").sink(), [b"", b""], [1, 1]))
    assert info["WARC-Type"] == "warcinfo"
    assert info["WARC-Date"] == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize("date", ["", "yesterday", "2024"])
def test_a_page_of_unknown_origin(date: str) -> None:
    data = one(Page(b"", date=date), "Text")
    (_, _), (record, _) = records(data)
    assert record["WARC-Date"] == "1970-01-01T00:00:00Z"
    assert record["WARC-Target-URI"] == record["WARC-Record-ID"].strip("<>")
    assert "WARC-Refers-To" not in record
    assert data == one(Page(b"", date=date), "Text")
    assert data != one(Page(b"", date=date), "Other text")


@pytest.mark.parametrize(
    ("date", "as_written"),
    [
        ("2024-05-01T10:00:00.123456Z", "2024-05-01T10:00:00Z"),
        ("2024-05-01", "2024-05-01T00:00:00Z"),
        ("0800-05-01", "0800-05-01T00:00:00Z"),
    ],
)
def test_dates_are_those_of_warc_1_0(date: str, as_written: str) -> None:
    assert records(one(page(1, date=date), "Text"))[1][0]["WARC-Date"] == as_written


@pytest.mark.parametrize(
    ("url", "as_written"),
    [
        ("http://example.org/ü/漢?a=b#c", "http://example.org/ü/漢?a=b#c"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://a\r\nWARC-Type: response\r\n\r\n", "http://a%0D%0AWARC-Type:%20response%0D%0A%0D%0A"),
        ("<http://a>", "%3Chttp://a%3E"),
        ("pages/\udce4.html\u2028", "pages/%ED%B3%A4.html%E2%80%A8"),
    ],
)
def test_urls_stay_within_their_line(url: str, as_written: str) -> None:
    data = one(page(1, url=url, record_id=url), "Text")
    assert len(records(data)) == 2
    assert records(data)[1][0]["WARC-Target-URI"] == as_written
    assert records(data)[1][0]["WARC-Refers-To"] == f"<{as_written}>"
    assert [item.url for item in read(io.BytesIO(data)) if isinstance(item, Page)] == [as_written]


def test_no_header_is_too_long_for_readers() -> None:
    data = one(page(1, url="data:" + "漢\r\n" * 100_000, record_id="x" * 100_000), "Text")
    assert len(records(data)) == 2
    assert len(list(FastIterator(io.BytesIO(data)))) == 2
    assert [item.body for item in read(io.BytesIO(data)) if isinstance(item, Page)] == [b"Text"]


@given(url=HOSTILE, record_id=HOSTILE, date=HOSTILE, text=HOSTILE_TEXT)
def test_whatever_a_page_says_of_itself(url: str, record_id: str, date: str, text: str) -> None:
    data = one(Page(b"", url, date, record_id=record_id), f"a{text}")
    (_, _), (record, block) = records(data)
    assert block == f"a{text}".encode()
    assert record["WARC-Date"].endswith("Z")
    fast = list(FastIterator(io.BytesIO(data)))
    assert [found.headers["WARC-Record-ID"] for found in fast][1:] == [record["WARC-Record-ID"]]
    assert [found.headers["WARC-Target-URI"] for found in fast[1:]] == [record["WARC-Target-URI"]]
    assert record["WARC-Target-URI"].strip() == record["WARC-Target-URI"] != ""


@pytest.mark.slow
@given(groups=GROUPS, empty=st.integers(0, 3))
def test_the_bytes_do_not_depend_on_the_groups(groups: list[int], empty: int) -> None:
    sink = Output(format="wet").sink()
    parts = [b""] * empty + rendered(sink, 8)
    assert written(sink, parts, groups) == written(sink, parts)


def test_what_a_header_cannot_hold() -> None:
    categories = {"Cc", "Cs", "Zs", "Zl", "Zp"}
    for character in map(chr, range(0x110000)):
        expected = character in "<>\ufeff" or unicodedata.category(character) in categories
        assert bool(wet._FOREIGN.match(character)) is expected, hex(ord(character))
