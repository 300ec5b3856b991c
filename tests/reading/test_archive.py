"""Archives as they are in the wild: every page that can be read is read, and every damage is told."""

from __future__ import annotations

import gzip
import io
import logging
import lzma
import os
import pickle
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip, binary
from ncleaner.reading import archive, records
from ncleaner.reading.inflating import MAGIC
from ncleaner.reading.streams import Source

from ..archives import (
    FILEDESC,
    PACKINGS,
    Item,
    Pipe,
    arc,
    arc2,
    bz2_stream,
    bz2_streams,
    damage,
    frames,
    frames_with_dictionary,
    frames_with_packed_dictionary,
    html,
    http,
    items,
    lz4_frames,
    members,
    pages,
    plain,
    skippable,
    skips,
    twice,
    url,
    warc,
    whole,
    write,
    xz_stream,
    xz_streams,
)

FOUR = [warc(i) for i in range(4)]


def numbers(found: list[Item]) -> list[int]:
    """The pages that came out whole."""
    return [i for page in pages(found) for i in range(10) if page.body == html(i) and page.url == url(i)]


# Whole archives


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS.keys())
@pytest.mark.parametrize("count", [1, 2, 5])
def test_whole_archive(packing: Callable[[list[bytes]], bytes], count: int) -> None:
    found = items(packing([warc(i) for i in range(count)]))
    assert numbers(found) == list(range(count))
    assert len(found) == count


@pytest.mark.parametrize("white", [b"\r\n", b"\n", b"\r\n\r\n", b" \r\n"])
@pytest.mark.parametrize("packing", [members, frames, whole, plain])
@pytest.mark.parametrize("position", [0, 2, 4])
def test_white_space_before_a_record(
    packing: Callable[[list[bytes]], bytes], white: bytes, position: int
) -> None:
    """A record's offset is that of its member, whatever stands before it there."""
    found = items(packing([(white if i == position else b"") + warc(i) for i in range(5)]))
    assert numbers(found) == list(range(5))


@pytest.mark.parametrize("dictionary", [b"\x37\xa4\x30\xec no dictionary", b"\x28\xb5\x2f\xfd no frame"])
def test_a_dictionary_that_is_none(dictionary: bytes) -> None:
    found = items(skippable(dictionary, 13) + frames([warc(0), warc(1)]), name="x.warc.zst")
    assert numbers(found) == [0, 1]
    [told] = damage(found)
    assert told.startswith("zstd dictionary broken (")


def test_an_empty_dictionary() -> None:
    found = items(skippable(b"", 13) + frames([warc(0), warc(1)]), name="x.warc.zst")
    assert numbers(found) == [0, 1] and len(found) == 2


def test_an_archive_cut_in_its_dictionary() -> None:
    data = frames_with_dictionary(FOUR)
    for cut in (5, 8, 9, 700):
        found = items(data[:cut], name="x.warc.zst")
        assert [(item.offset, item.what) for item in found if isinstance(item, Damage)] == [
            (0, f"zstd frame to be skipped cut short, {cut} of 2056 bytes are there")
            if cut >= 8
            else (0, f"{cut} bytes that are no zstd member")
        ]


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255), st.booleans())
def test_a_wrong_byte_in_a_dictionary(where: float, change: int, packed: bool) -> None:
    data = bytearray((frames_with_packed_dictionary if packed else frames_with_dictionary)(FOUR))
    size = int.from_bytes(data[4:8], "little")
    data[8 + int(where * size)] ^= change
    found = items(bytes(data), name="x.warc.zst")
    if not pages(found):
        assert damage(found) or skips(found)


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS.keys())
def test_whole_arc(packing: Callable[[list[bytes]], bytes]) -> None:
    found = items(packing([FILEDESC, arc(0), arc(1), arc2(2)]), name="small.arc")
    assert numbers(found) == [0, 1, 2]
    assert skips(found) == ["record type filedesc"]
    assert not damage(found)


def test_page_fields() -> None:
    data = members([warc(0), warc(1, http(html(1), content_type="text/html; charset=koi8-r"))])
    page = pages(items(data))[1]
    assert page == Page(
        html(1),
        url(1),
        "2024-05-01T10:00:00Z",
        "text/html; charset=koi8-r",
        "urn:uuid:00000000000000000000000000000001",
        "small.warc",
        len(members([warc(0)])),
        "html",
        status=200,
        length=len(data) - len(members([warc(0)])),
    )


def test_what_a_header_says_about_use() -> None:
    said = "X-Robots-Tag: noai, noimageai\r\nServer: x\r\nTDM-Reservation: 1\r\ntdm-policy:/p\r\nX-Robots-Tags: x"
    data = members([warc(0), warc(1, http(html(1)).replace(b"\r\n", f"\r\n{said}\r\n".encode(), 1))])
    silent, speaking = pages(items(data))
    assert silent.rights == ""
    assert speaking.rights.split("\n")[:3] == [
        "X-Robots-Tag: noai, noimageai", "TDM-Reservation: 1", "tdm-policy:/p",
    ]  # fmt: skip
    assert pickle.loads(pickle.dumps(speaking)) == speaking


@pytest.mark.parametrize("packing", [plain, members])
def test_headers_as_few_servers_send_them(packing: Callable[[list[bytes]], bytes]) -> None:
    """Folded, of 100 kB in a line, with carriage returns alone; one that is longer than any browser takes."""
    folded = http(html(0), "X-Robots-Tag: index,\r\n noai", "TDM-Reservation:\r\n\t1")
    long = http(html(1), f"Link: {'x' * 100_000}", "X-Robots-Tag: noai")
    head, _, body = http(html(2), "TDM-Reservation: 1").partition(b"\r\n\r\n")
    bare = head.replace(b"\r\n", b"\r") + b"\r\r" + body
    longer = http(html(3), f"Link: {'x' * 1_000_000}")
    found = items(packing([warc(i, block) for i, block in enumerate((folded, long, bare, longer))]))
    assert [(page.body, page.rights) for page in pages(found)] == [
        (html(0), "X-Robots-Tag: index, noai\nTDM-Reservation: 1"),
        (html(1), "X-Robots-Tag: noai"),
        (html(2), "TDM-Reservation: 1"),
    ]
    assert [(skip.reason, skip.lost) for skip in found if isinstance(skip, Skip)] == [
        ("HTTP header too long", True)
    ]


@pytest.mark.parametrize("packing", [plain, members, frames])
@pytest.mark.parametrize("spoilt", [False, True])
def test_why_the_crawler_has_cut_a_page(packing: Callable[[list[bytes]], bytes], spoilt: bool) -> None:
    # the careful reader reads what is in lower case
    version = "warc/1.0" if spoilt else "WARC/1.0"
    fields = ["WARC-Truncated: length", "WARC-Truncated: disconnect", "WARC-Truncated:", ""]
    records = [warc(i, None, *filter(None, [field]), version=version) for i, field in enumerate(fields)]
    read = pages(items(packing(records)))
    assert [page.truncated for page in read] == ["length", "disconnect", "unspecified", ""]


@pytest.mark.parametrize("packing", [plain, members, frames])
def test_offset_is_where_the_record_can_be_read_alone(packing: Callable[[list[bytes]], bytes]) -> None:
    data = packing(FOUR)
    for number, page in enumerate(pages(items(data))):
        assert numbers(items(data[page.offset :]))[0] == number


def test_offset_in_whole_gzip_is_that_of_the_member() -> None:
    data = whole(FOUR[:2]) + whole(FOUR[2:])
    assert [page.offset for page in pages(items(data))] == [0, 0] + [len(whole(FOUR[:2]))] * 2


def test_offset_counts_from_the_beginning_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "behind.warc", b"x" * 100 + members(FOUR))
    with path.open("rb") as stream:
        stream.seek(100)
        assert [page.offset for page in archive.pages(stream)][:1] == [100]


def reference(path: Path) -> list[tuple[str, str, bytes]]:
    """What warcio, the reference reader, makes of an archive."""
    found = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                get = record.rec_headers.get_header
                body = record.content_stream().read()
                found.append((get("WARC-Target-URI") or get("uri"), get("WARC-Record-ID") or "", body))
    return found


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.warc", plain(FOUR)),
        ("a.warc.gz", members([warc(i, kind="request" if i % 3 else "response") for i in range(300)])),
        ("b.warc", plain([warc(0, version="WARC/1.1"), warc(1, http(html(1), status="404 Gone")), warc(2)])),
        ("c.warc.gz", members([warc(0, http(gzip.compress(html(0)), "Content-Encoding: gzip")), warc(1)])),
        ("d.warc.gz", members([warc(0, target="<http://example.org/wget>"), warc(1)])),
        ("e.warc", plain([warc(0, http(b"5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked")), warc(1)])),
        ("f.arc", plain([FILEDESC, arc(0), arc(1)])),
        ("f.arc.gz", members([FILEDESC, arc(0), arc(1, target="http://example.org/a b")])),
    ],
)
def test_same_as_reference_reader(tmp_path: Path, name: str, data: bytes) -> None:
    path = write(tmp_path / name, data)
    own = [(p.url, f"<{p.record_id}>" if p.record_id else "", p.body) for p in archive.pages(path)]
    assert own == reference(path)
    assert own


def careful(*_: object, **__: object) -> object:
    """Stands for a fast reader that finds nothing regular."""

    class Nothing:
        def __init__(self, source: Source, *_: object, **__: object) -> None:
            self.position = source.tell()

        def __iter__(self) -> Iterator[records.Record]:
            return iter(())

    return Nothing


@pytest.mark.untraced
def test_the_readers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    several = [b"".join(FOUR[:2]), FOUR[2], b"".join(FOUR)]
    forms = [
        members(FOUR * 40),
        plain(FOUR * 40),
        frames(FOUR * 40),
        lz4_frames(FOUR * 40),
        members(several * 9),
    ]
    fast = [items(data) for data in forms]
    # as where there is no libdeflate
    monkeypatch.setattr("ncleaner.reading._warc.AVAILABLE", False)
    assert [items(data) for data in forms] == fast
    monkeypatch.setattr(records, "RegularReader", careful())
    assert [items(data) for data in forms] == fast


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data())
def test_the_readers_are_the_same_for_any_damage(data: st.DataObject) -> None:
    pack = data.draw(st.sampled_from([members, plain, frames, lz4_frames]))
    count = data.draw(st.integers(1, 30))
    archive_bytes = bytearray(pack([warc(i % 10, http(html(i % 10, 30 * i))) for i in range(count)]))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(archive_bytes)))
        insert = data.draw(
            st.sampled_from([b"", b"\0", b"junk", b"\r\n", b"\x1f\x8b\x08", bytes(archive_bytes[:60])])
        )
        archive_bytes[at : at + data.draw(st.sampled_from([0, 1, 8, 100]))] = insert
    wire = bytes(archive_bytes)
    bound = Limits(bytes=data.draw(st.sampled_from([20_000_000, 600])))
    found = [list(archive.read(io.BytesIO(wire), name="a.warc", limits=bound))]
    found.append(list(archive.read(Pipe(wire), name="a.warc", limits=bound)))  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as monkeypatch:
        # as where there is no libdeflate
        monkeypatch.setattr("ncleaner.reading._warc.AVAILABLE", False)
        found.append(list(archive.read(io.BytesIO(wire), name="a.warc", limits=bound)))
        monkeypatch.setattr(records, "RegularReader", careful())
        found.append(list(archive.read(io.BytesIO(wire), name="a.warc", limits=bound)))
    assert found[1:] == 3 * found[:1]


def careful_starts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns a list that gets the places where the careful reader begins."""
    starts = []
    run = records._CarefulReader.run

    def spied(self: records._CarefulReader, clean_run: int, end: int):  # type: ignore[no-untyped-def]
        starts.append(self._source.tell())
        return (yield from run(self, clean_run, end))

    monkeypatch.setattr(records._CarefulReader, "run", spied)
    return starts


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("packing", [members, plain, frames, lz4_frames])
def test_fast_reader_reads_all_of_a_whole_archive(
    packing: Callable[[list[bytes]], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = careful_starts(monkeypatch)
    data = packing([warc(i, http(html(i, 900))) for i in range(200)])
    assert len(pages(archive.read(io.BytesIO(data)))) == 200
    assert starts == [len(data)]


def test_fast_reader_comes_back_after_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = careful_starts(monkeypatch)
    before = members(FOUR * 50)
    data = before + b"junk" + before
    found = list(archive.read(io.BytesIO(data)))
    assert len(pages(found)) == 400 and len(damage(found)) == 1
    assert starts == [len(before), len(data)]


def test_fast_reader_is_tried_less_and_less_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = careful_starts(monkeypatch)
    record = FOUR[0].replace(b"WARC/1.0", b"warc/1.0")
    assert len(pages(archive.read(io.BytesIO(members(4000 * [record]))))) == 4000
    assert len(starts) < 8


# What is a page


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (warc(0, kind="warcinfo"), "record type warcinfo"),
        (warc(0, kind="request"), "record type request"),
        (warc(0, kind="metadata"), "record type metadata"),
        (warc(0, kind="revisit"), "record type revisit"),
        (warc(0, b"", kind="revisit"), "record type revisit"),
        (warc(0, kind="strange"), "record type strange"),
        (warc(0, http(html(0), status="404 Not Found")), "http status 404"),
        (warc(0, http(html(0), status="301 Moved")), "http status 301"),
        (warc(0, http(b"\x89PNG", content_type="image/png")), "media type image/png"),
        (warc(0, http(b"{}", content_type="application/json; charset=utf-8")), "media type application/json"),
        (warc(0, http(b"")), "empty body"),
        (
            warc(0, b"20240501\nexample.org. A", target="dns:example.org", content_type="text/dns"),
            "media type text/dns",
        ),
        (warc(0, b"body{}", kind="resource", content_type="text/css"), "media type text/css"),
        *(
            (
                warc(0, b"text", kind="resource", content_type="text/plain", target=target),
                "record of the crawler",
            )
            for target in (
                "urn:text:http://example.org/1",
                "URN:pageinfo:https://example.org/1",
                "metadata://gnu.org/wget.log",
            )
        ),
    ],
)
@pytest.mark.parametrize("packing", [plain, members])
def test_no_page(packing: Callable[[list[bytes]], bytes], record: bytes, reason: str) -> None:
    found = items(packing([record, warc(1), warc(2)]))
    assert skips(found) == [reason]
    assert numbers(found) == [1, 2]
    assert not damage(found)
    assert not any(item.lost for item in found if isinstance(item, Skip))


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (warc(0, http(b"<p>x", content_type="application/xhtml+xml")), "html"),
        (warc(0, http(b"<p>x", content_type="TEXT/HTML;charset=utf-8")), "html"),
        (warc(0, http(b"<p>x", content_type="text/html, text/html")), "html"),
        (warc(0, http(b"plain text", content_type="text/plain")), "text"),
        (warc(0, http(b"<html>x", content_type=None)), "html"),
        (warc(0, http(b"plain text", content_type=None)), "text"),
        (warc(0, http(b"<html>x", content_type="")), "html"),
        (warc(0, http(b"<html>x", status="203 Found by proxy")), "html"),
        (warc(0, b"plain text", kind="conversion", content_type="text/plain"), "text"),
        (warc(0, b"<html>x", kind="resource", content_type="text/html"), "html"),
        (warc(0, b"<html>x", content_type="text/html"), "html"),
        (warc(0, gzip.compress(b"<html>x"), kind="resource", content_type="text/html"), "html"),
        (warc(0, b"text", kind="resource", content_type="text/plain", target="urn:uuid:1"), "text"),
    ],
)
def test_kind(record: bytes, kind: str) -> None:
    found = items(members([record, warc(1)]))
    assert [page.kind for page in pages(found)] == [kind, "html"]
    assert len(found) == 2


# Damage. Each case: what the archive is made of, the pages that are whole in spite of it, what is said.

NOT_A_RECORD = b"this is no record\r\nnor: is this\r\n"
DEFECTS: dict[str, tuple[bytes, list[int], list[str]]] = {
    "no target URI": (members([FOUR[0], warc(1, target=None), FOUR[2]]), [0, 2], []),
    "header bytes that are not UTF-8": (
        members([FOUR[0], warc(1, None, "X-T\xe9: caf\xe9"), FOUR[2]]),
        [0, 1, 2],
        [],
    ),
    "target that is not UTF-8": (
        members([FOUR[0], warc(1, target="http://example.org/\xe9"), FOUR[2]]),
        [0, 2],
        [],
    ),
    "very long header": (
        members([FOUR[0], warc(1, None, "X-Long: " + "y" * 50_000), FOUR[2]]),
        [0, 1, 2],
        [],
    ),
    "junk between records": (
        plain([FOUR[0], NOT_A_RECORD, *FOUR[1:]]),
        [0, 1, 2, 3],
        ["no record follows", "33 bytes that are no whole record"],
    ),
    "NULs between records": (
        plain([FOUR[0], b"\0" * 300, *FOUR[1:]]),
        [0, 1, 2, 3],
        ["no record follows", "300 bytes that"],
    ),
    "junk before the first": (
        plain([NOT_A_RECORD, *FOUR]),
        [0, 1, 2, 3],
        ["33 bytes that are no whole record"],
    ),
    "junk behind the last": (
        plain([*FOUR, NOT_A_RECORD]),
        [0, 1, 2, 3],
        ["no record follows", "33 bytes that"],
    ),
    "junk between members": (
        members(FOUR[:2]) + NOT_A_RECORD + members(FOUR[2:]),
        [0, 1, 2, 3],
        ["33 bytes that are no gzip member"],
    ),
    "member that holds junk": (
        members([FOUR[0], NOT_A_RECORD, *FOUR[1:]]),
        [0, 1, 2, 3],
        ["33 bytes that are no whole record"],
    ),
    "zeros behind the last member": (
        members(FOUR) + b"\0" * 512,
        [0, 1, 2, 3],
        ["512 bytes that are no gzip member"],
    ),
    "junk between frames": (
        frames(FOUR[:2]) + NOT_A_RECORD + frames(FOUR[2:]),
        [0, 1, 2, 3],
        ["33 bytes that are no zstd member"],
    ),
    "skippable frame": (
        skippable(b"index") + frames(FOUR[:2]) + skippable(b"more") + frames(FOUR[2:]),
        [0, 1, 2, 3],
        [],
    ),
    "no separators": (plain([warc(i, separator=b"") for i in range(4)]), [0, 1, 2, 3], []),
    "one line feed as separator": (members([warc(i, separator=b"\n") for i in range(4)]), [0, 1, 2, 3], []),
    "six line ends as separator": (
        plain([warc(i, separator=b"\r\n" * 6) for i in range(4)]),
        [0, 1, 2, 3],
        [],
    ),
    "blank lines at the start": (plain([b"\r\n\r\n", *FOUR]), [0, 1, 2, 3], []),
    "length too short": (
        members([FOUR[0], warc(1, length=150), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["no record follows at its Content-Length, 150"],
    ),
    "length too short, plain": (
        plain([FOUR[0], warc(1, length=150), *FOUR[2:]]),
        [0, 2, 3],
        ["no record follows", "bytes that are no whole record"],
    ),
    "length too long": (
        members([FOUR[0], warc(1, length=5000, separator=b""), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["record cut short"],
    ),
    "length too long, plain": (
        plain([FOUR[0], warc(1, length=1000), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["no record follows at its Content-Length, 1000"],
    ),
    "length beyond the file": (
        plain([FOUR[0], warc(1, length=100_000), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["record cut short"],
    ),
    "length beyond the file, whole": (
        whole([FOUR[0], warc(1, length=100_000), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["record cut short"],
    ),
    "length that is no number": (
        members([FOUR[0], warc(1, length="many"), *FOUR[2:]]),
        [0, 2, 3],
        ["no valid Content-Length"],
    ),
    "negative length": (
        plain([FOUR[0], warc(1, length=-5, separator=b""), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["no valid Content-Length"],
    ),
    "length of a hundred digits": (
        members([FOUR[0], warc(1, length="9" * 100, separator=b""), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["no valid Content-Length"],
    ),
    "no length": (
        members([FOUR[0], warc(1, length="", separator=b""), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["no valid Content-Length"],
    ),
    "no HTTP headers": (
        members([FOUR[0], warc(1, html(1)), *FOUR[2:]]),
        [0, 1, 2, 3],
        ["response without HTTP headers"],
    ),
    "wrong checksum": (
        members(FOUR[:2])[:-5] + b"\xff" + members(FOUR[:2])[-4:] + members(FOUR[2:]),
        [0, 1, 2, 3],
        ["gzip member broken (incorrect data check)"],
    ),
    "member without its beginning": (
        members(FOUR[:1]) + members(FOUR[1:2])[20:] + members(FOUR[2:]),
        [0, 2, 3],
        ["bytes that are no gzip member"],
    ),
    "frame without its beginning": (
        frames(FOUR[:1]) + frames(FOUR[1:2])[20:] + frames(FOUR[2:]),
        [0, 2, 3],
        ["bytes that are no zstd member"],
    ),
    "trailer of the last member cut": (members(FOUR)[:-3], [0, 1, 2, 3], ["gzip member cut short"]),
    "frame to be skipped that goes beyond the end": (
        frames(FOUR[:2]) + skippable(b"")[:4] + b"\xff\xff\0\0" + frames(FOUR[2:]),
        [0, 1, 2, 3],
        ["zstd frame to be skipped cut short"],
    ),
    "empty first member": (gzip.compress(b"") + members(FOUR), [0, 1, 2, 3], []),
    "empty first frame": (frames([b""]) + frames(FOUR), [0, 1, 2, 3], []),
    "many empty members": (gzip.compress(b"") * 5000 + whole(FOUR), [0, 1, 2, 3], []),
    "broken first frame": (
        frames(FOUR[:1])[:20] + b"\xff" * 8 + frames(FOUR[:1])[28:] + frames(FOUR[1:]),
        [1, 2, 3],
        ["zstd frame broken"],
    ),
    "wrong checksum, LZ4": (
        lz4_frames(FOUR[:2])[:-4] + b"\0\0\0\0" + lz4_frames(FOUR[2:]),
        [0, 2, 3],
        ["lz4 frame broken (contentChecksum_invalid)"],
    ),
    "LZ4 cut": (lz4_frames(FOUR)[:-30], [0, 1, 2], ["lz4 member cut short"]),
    "junk between LZ4 frames": (
        lz4_frames(FOUR[:2]) + NOT_A_RECORD + lz4_frames(FOUR[2:]),
        [0, 1, 2, 3],
        ["33 bytes that are no lz4 member"],
    ),
    "small letters": (members([warc(i, version="warc/1.0") for i in range(4)]), [0, 1, 2, 3], []),
    "small letters, plain": (plain([warc(i, version="warc/1.0") for i in range(4)]), [0, 1, 2, 3], []),
    "line ends of a copy made as text": (
        plain(
            [
                record.partition(b"\r\n\r\n")[0].replace(b"\r\n", b"\r\r\n")
                + b"\r\r\n\r\r\n"
                + record.partition(b"\r\n\r\n")[2]
                for record in FOUR
            ]
        ),
        [0, 1, 2, 3],
        [],
    ),
    "several archives in one": (whole(FOUR[:2]) + members(FOUR[2:3]) + whole(FOUR[3:]), [0, 1, 2, 3], []),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_defect(defect: str) -> None:
    data, intact, said = DEFECTS[defect]
    found = items(data)
    assert numbers(found) == intact
    told = damage(found)
    assert len(told) == len(said), told
    for what, beginning in zip(told, said, strict=True):
        assert beginning in what


def test_page_without_target_is_read() -> None:
    assert [page.url for page in pages(items(members([warc(0, target=None), warc(1)])))] == ["", url(1)]


@pytest.mark.parametrize("packing", [plain, members, whole, frames])
@pytest.mark.parametrize("cut", [5, 60, 200])
def test_cut_off_archive(packing: Callable[[list[bytes]], bytes], cut: int) -> None:
    found = items(packing(FOUR)[:-cut])
    # In one member for all, every record is far shorter.
    assert set(numbers(found)) >= ({0} if packing is whole else {0, 1, 2})
    assert damage(found)
    last = pages(found)[-1]
    assert html(3).startswith(last.body) or last.url != url(3)


def test_clipped_page_comes_with_its_damage() -> None:
    found = items(plain(FOUR)[:-60])
    assert html(3).startswith(pages(found)[-1].body) and len(pages(found)[-1].body) > 300
    (told,) = (item for item in found if isinstance(item, Damage))
    assert told.url == url(3) and "bytes are there" in told.what
    assert told.offset == len(plain(FOUR[:3]))


def test_broken_deflate_costs_no_neighbour() -> None:
    for at in range(0, len(members(FOUR[:1])), 7):
        data = bytearray(members(FOUR))
        data[len(members(FOUR[:1])) + at] ^= 0x5A
        found = items(bytes(data))
        assert {0, 2, 3} <= set(numbers(found)), at


def test_line_feeds_only() -> None:
    data = [warc(i, http(html(i))).replace(b"\r\n", b"\n") for i in range(3)]
    data = [
        record.replace(
            b"Length: %d" % len(http(html(i))), b"Length: %d" % len(http(html(i)).replace(b"\r\n", b"\n"))
        )
        for i, record in enumerate(data)
    ]
    for packing in (plain, members, whole):
        found = items(packing(data))
        assert numbers(found) == [0, 1, 2]
        assert not damage(found)


def test_arc_damage() -> None:
    spaced = arc(1, target="http://example.org/with some spaces")
    found = items(plain([FILEDESC, arc(0), b"junk: and\nmore\n", spaced, arc(2)])[:-70], name="small.arc")
    assert [page.url for page in pages(found)] == [url(0), "http://example.org/with some spaces", url(2)]
    assert [what.split(",")[0] for what in damage(found)] == [
        "no record follows at its Content-Length",
        "15 bytes that are no whole record",
        "record cut short",
    ]
    broken = members([FILEDESC, arc(0)]) + members([arc(1)])[:-30] + members([arc(2)])
    found = items(broken, name="small.arc.gz")
    assert {0, 2} <= set(numbers(found)) and damage(found)


def test_arc_line_is_linear() -> None:
    line = b"http://example.org/" + b" " * 8000
    found = items(plain([FILEDESC, (line + b"\n") * 50, arc(1)]), name="small.arc")
    assert numbers(found) == [1]


def test_re_gzipped_and_cut() -> None:
    found = items(twice(FOUR)[:-40])
    assert numbers(found)[:2] == [0, 1]
    assert damage(found)


def test_named_archive_that_is_none() -> None:
    assert damage(items(b"<html>no archive</html>", name="page.warc"))
    assert damage(items(b"", name="empty.warc.gz")) == ["empty"]
    assert damage(items(gzip.compress(b""), name="empty.warc.gz")) == ["empty"]
    assert damage(items(b"\x1f\x8b\x08 broken from the start", name="x.warc.gz"))


def test_input_error_of_the_stream_is_damage() -> None:
    class Failing(Pipe):
        def read(self, size: int = -1) -> bytes:
            data = super().read(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    for data in (plain(FOUR), members(FOUR), html(1)):
        found = list(archive.read(Failing(data)))  # type: ignore[arg-type]
        assert any("Input/output error" in what for what in damage(found))
        assert len(pages(found)) == (1 if data == html(1) else 4)


# Limits


SMALL = Limits(bytes=5000)


@pytest.mark.parametrize("packing", [plain, members, whole, frames])
@pytest.mark.parametrize("size", [5001, 300_000])
def test_large_record_is_skipped(packing: Callable[[list[bytes]], bytes], size: int) -> None:
    large = warc(9, http(b"x" * size))
    found = items(packing([warc(0), large, warc(1), warc(2)]), limits=SMALL)
    assert numbers(found) == [0, 1, 2]
    assert not damage(found)
    (skip,) = (item for item in found if isinstance(item, Skip))
    assert skip.reason == "too large" and skip.lost and skip.url == url(9)
    found = items(packing([warc(0), large]), limits=SMALL)
    assert numbers(found) == [0] and skips(found) == ["too large"] and not damage(found)


def test_page_of_the_limit_is_read() -> None:
    found = items(members([warc(0, http(b"x" * 5000)), warc(1, http(b"x" * 5001))]), limits=SMALL)
    assert [len(page.body) for page in pages(found)] == [5000]


def test_bomb_is_skipped() -> None:
    bomb = gzip.compress(b"<p>" + b"\0" * 50_000_000)
    tracemalloc.start()
    found = items(members([warc(0, http(bomb, "Content-Encoding: gzip")), warc(1)]), limits=SMALL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert skips(found) == ["too large"] and numbers(found) == [1]
    assert peak < 10_000_000


@pytest.mark.slow
@pytest.mark.parametrize("packing", [plain, members, whole])
@pytest.mark.parametrize("piped", [False, True])
def test_memory_is_bounded(tmp_path: Path, packing: Callable[[list[bytes]], bytes], piped: bool) -> None:
    noise = os.urandom(1_000_000)
    data = packing(
        [warc(0), warc(9, http(noise * 30)), *(warc(i % 5) for i in range(30)), warc(8, http(noise * 20))]
    )
    path = write(tmp_path / "large.warc", data)
    with path.open("rb") as stream:
        tracemalloc.start()
        if piped:
            found = list(archive.read(Reader(stream), limits=SMALL))  # type: ignore[arg-type]
        else:
            found = list(archive.read(path, limits=SMALL))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(pages(found)) == 31 and skips(found) == ["too large"] * 2 and not damage(found)
    assert peak < 8_000_000


class Reader:
    """A file as a pipe."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        return self._stream.read(size)


def test_cut_large_record_loses_nothing_before_it() -> None:
    data = plain([warc(0), warc(9, http(b"x" * 3_000_000))])[:-100]
    for stream in (io.BytesIO(data), Pipe(data)):
        found = list(archive.read(stream, limits=SMALL))  # type: ignore[arg-type]
        assert numbers(found) == [0] and skips(found) == ["too large"] and damage(found)


# Bodies


def test_binary_called_html() -> None:
    for body, what in (
        (b"\x89PNG\r\n\x1a\n" + b"x" * 100, " (PNG image)"),
        (bytes(range(256)) * 8, ""),
        (b"%PDF-1.4 " + html(1), " (PDF)"),
    ):
        found = items(members([warc(0, http(body)), warc(1)]))
        assert skips(found) == [f"not text{what}"] and numbers(found) == [1]
        assert any(isinstance(item, Skip) and item.lost for item in found)


def test_broken_encodings_are_told() -> None:
    cut = gzip.compress(html(0, 200))[:-200]
    found = items(members([warc(0, http(cut, "Content-Encoding: gzip")), warc(1)]))
    assert damage(found) == ["broken or cut gzip content"]
    assert html(0, 200).startswith(pages(found)[0].body) and pages(found)[0].body
    # The crawler says that it stopped: no damage of the archive.
    found = items(members([warc(0, http(cut, "Content-Encoding: gzip"), "WARC-Truncated: length"), warc(1)]))
    assert not damage(found) and len(pages(found)) == 2
    garbage = b"\x1f\x8b\x08\x00 and no more of it \x00\x01\x02\x03"
    found = items(members([warc(0, http(garbage, "Content-Encoding: gzip")), warc(1)]))
    assert skips(found) == ["cannot decode gzip"] and numbers(found) == [1]


# Files and streams


@pytest.mark.parametrize("packing", [plain, whole, frames, twice])
def test_wet_archive(tmp_path: Path, packing: Callable[[list[bytes]], bytes]) -> None:
    texts = [f"URL: not a marker line in an archive\nText number {i}, привет.\n".encode() for i in range(3)]
    info = warc(9, b"isPartOf: CC\r\n", kind="warcinfo", content_type="application/warc-fields")
    conversions = [
        warc(i, text, kind="conversion", content_type="text/plain") for i, text in enumerate(texts)
    ]
    path = write(tmp_path / "small.warc.wet.gz", packing([info, *conversions]))
    for marker in (None, "^Text"):
        found = list(archive.read(path, marker=marker))
        assert [(page.url, page.body, page.kind) for page in pages(found)] == [
            (url(i), text, "text") for i, text in enumerate(texts)
        ]
        assert all(page.offset >= 0 and page.content_type == "text/plain" for page in pages(found))
        assert not damage(found) and len(found) == 4


@pytest.mark.parametrize("packing", [plain, whole, frames, twice, bz2_stream, xz_stream])
def test_html_file(tmp_path: Path, packing: Callable[[list[bytes]], bytes]) -> None:
    path = write(tmp_path / "page.html", packing([html(1)]))
    assert list(archive.read(path)) == [Page(html(1), str(path), source=str(path))]
    assert list(archive.read(str(path), name="p")) == [Page(html(1), "p", source="p")]


@pytest.mark.parametrize("packing", [bz2_streams, xz_streams])
def test_streams_of_bzip2_and_xz_in_a_row(packing: Callable[[list[bytes]], bytes]) -> None:
    texts = [b"The ferry leaves at nine. ", b"", b"Whoever comes late walks."]
    [page] = pages(items(packing(texts), name="ferry.txt"))
    assert page.body == b"".join(texts)
    data = bytearray(packing([warc(i) for i in range(3)]))
    assert damage(items(bytes(data[:-20]), name="small.warc"))[-1].endswith("member cut short")
    data[len(packing([warc(0)])) + 60] ^= 255
    found = items(bytes(data), name="small.warc")
    assert {0, 2} <= set(numbers(found)) and "stream broken" in damage(found)[0]


@pytest.mark.slow
@pytest.mark.parametrize("packing", [bz2_stream, xz_stream])
def test_bombs_of_bzip2_and_xz(packing: Callable[[list[bytes]], bytes]) -> None:
    bomb = packing([warc(0, http(bytes(1 << 28)))]) + packing([warc(1)])
    tracemalloc.start()
    found = list(archive.read(io.BytesIO(bomb), limits=SMALL, name="a.warc"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 25
    assert skips(found)[-1] == "too large" and numbers(found) == [1]
    assert skips(items(packing([bytes(1 << 28)]), name="a.html", limits=SMALL)) == ["too large"]


def test_xz_that_needs_too_much_memory() -> None:
    data = bytearray(
        lzma.compress(b"<p>The ferry", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}])
    )
    # the dictionary of 2 GB that its header asks for, and the checksum of the header
    data[16] = 38
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    [skip] = items(bytes(data), name="ferry.html.xz")
    assert damage([skip]) == ["xz stream broken (memory usage limit exceeded)"]


def test_a_text_that_begins_with_the_letters_of_bzip2() -> None:
    [page] = pages(items(b"BZh is what a bzip2 file begins with.", name="-"))
    assert page.body.startswith(b"BZh is")


def test_file_that_is_no_page(tmp_path: Path) -> None:
    path = write(tmp_path / "page.html", b"\x89PNG\r\n\x1a\n\0\0\0")
    [skip] = archive.read(path)
    assert skip == Skip("not text (PNG image)", str(path), str(path), -1, True, binary(b"\x89PNG").advice)  # type: ignore[union-attr]
    write(path, html(1, 500))
    assert list(archive.read(path, limits=SMALL)) == [Skip("too large", str(path), str(path), lost=True)]
    for name, kind in (("page.html", "html"), ("page.TXT", "text")):
        path = write(tmp_path / name, b"")
        assert list(archive.read(path)) == [Page(b"", str(path), source=str(path), kind=kind)]  # type: ignore[arg-type]
    path = write(tmp_path / "page.html.gz", b"")
    assert list(archive.read(path)) == [Damage("empty", str(path), 0, whole=True)]
    write(path, gzip.compress(html(1, 500))[:-500])
    found = list(archive.read(path))
    assert html(1, 500).startswith(pages(found)[0].body) and damage(found) == ["gzip member cut short"]


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "application/xhtml+xml", ""])
def test_feeds_are_no_pages(media_type: str) -> None:
    feed = b"<?xml version='1.0'?><rss><channel><link>https://e.example/a</link><title>One</title></channel></rss>"
    records = [warc(0, http(feed, content_type=media_type)), warc(1)]
    [skip] = [item for item in items(members(records)) if isinstance(item, Skip)]
    assert (skip.reason, skip.lost) == ("not a page (RSS feed)", False)
    for name in ("feed.xml", "index.html", "feed.txt", "-"):
        [skip] = items(feed, name=name)  # type: ignore[assignment]
        assert (skip.reason, skip.lost) == (
            "not a page (RSS feed)",
            True,
        ) and "pages that it lists" in skip.advice


@pytest.mark.parametrize(
    ("data", "name", "skipped"),
    [
        (b'\xef\xbb\xbf[\n {"text" : "The ferry sails."}]', "-", True),
        (b'{\n "text" : "The ferry sails."}', "-", True),
        # JSON lines are a table
        (gzip.compress(b'{"text": "The ferry sails."}\n', mtime=0), "rows.gz", False),
        # a text with braces, and files whose names say what they are
        (b"{ferry} The ferry sails: \"until May\".\n", "-", False),
        (b'{"text": "The ferry sails."}\n', "page.txt", False),
        (b'{"text": "The ferry sails."}\n', "page.html", False),
    ],
)  # fmt: skip
def test_json_is_no_text(data: bytes, name: str, skipped: bool) -> None:
    """Its names, quotation marks and escapes would come out as text."""
    (found,) = items(data, name=name)
    assert isinstance(found, Skip if skipped else Page)
    if isinstance(found, Skip):
        assert found.reason == "not text (JSON)" and found.lost and "jq -c" in found.advice
    assert isinstance(next(archive.read(io.BytesIO(data), input_format="text")), Page)


@pytest.mark.parametrize(
    ("data", "name", "skipped"),
    [
        (b"page_id,address,markup\n1,https://a.example/,<p>The ferry sails.\n", "-", True),
        (b'\xef\xbb\xbf"id"\t"html"\r\n1\t<p>The ferry sails.\r\n', "-", True),
        (gzip.compress(b"id,text\n1,The ferry sails.\n", mtime=0), "rows.gz", True),
        # texts with commas, and a file whose name says what it is
        (b"Hello,ferry\nThe ferry sails.\n", "-", False),
        (b"The ferry, the harbour, the text\nsail.\n", "-", False),
        (b"The ferry sails.\nurl,html,text\n", "-", False),
        (b"id,text\n1,The ferry sails.\n", "page.txt", False),
    ],
)  # fmt: skip
def test_csv_is_no_text(data: bytes, name: str, skipped: bool) -> None:
    """Its names, URLs and commas would come out as text."""
    (found,) = items(data, name=name)
    assert isinstance(found, Skip if skipped else Page)
    if isinstance(found, Skip):
        assert found.reason == "not a page (CSV)" and found.lost and "--column NAME" in found.advice
    assert isinstance(next(archive.read(io.BytesIO(data), input_format="text")), Page)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        list(archive.read(tmp_path / "nothing.warc"))
    with pytest.raises(InputError, match="directory"):
        list(archive.read(tmp_path))
    with pytest.raises(InputError, match="unknown input format"):
        list(archive.read(tmp_path, input_format="pdf"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="binary mode"):
        list(archive.read(io.StringIO("text")))  # type: ignore[arg-type]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(members(FOUR))))
    found = list(archive.read("-"))
    assert numbers(found) == [0, 1, 2, 3] and {page.source for page in pages(found)} == {"-"}


def test_input_format_overrules() -> None:
    assert [p.kind for p in pages(items(html(1), input_format="text", name="a.html"))] == ["text"]
    assert [p.kind for p in pages(items(b"just text", input_format="html", name="a.txt"))] == ["html"]
    assert numbers(items(plain(FOUR), input_format="warc", name="a.html")) == [0, 1, 2, 3]
    assert len(pages(items(plain([FILEDESC, arc(1)]), input_format="warc"))) == 1


def test_pages_warns(caplog: pytest.LogCaptureFixture) -> None:
    data = members([warc(0), warc(1, http(b"\0" * 100)), warc(2, kind="request")]) + members(FOUR)[:-5]
    with caplog.at_level(logging.WARNING, "ncleaner"):
        assert len(list(archive.pages(io.BytesIO(data), name="c.warc.gz"))) == 5
    first, second = (record.getMessage() for record in caplog.records)
    assert "page given up: not text" in first and url(1) in first
    assert second.startswith("c.warc.gz, byte ") and "gzip member cut short" in second


# Text


def test_junk_between_the_members_of_a_text() -> None:
    data = (
        gzip.compress(b"The first words.\n") + b"junk, and more of it" + gzip.compress(b"The last words.\n")
    )
    found = items(data, name="dump.txt.gz")
    assert [page.body for page in pages(found)] == [b"The first words.\nThe last words.\n"]
    assert damage(found) == ["20 bytes that are no gzip member"]


def test_without_lz4_its_archives_have_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc.lz4"
    path.write_bytes(lz4_frames(FOUR))
    monkeypatch.setitem(sys.modules, "lz4", None)
    with pytest.raises(InputError, match=r"needs lz4: pip install 'ncleaner\[lz4\]'"):
        list(archive.read(path))


def test_text_file_is_one_page() -> None:
    text = b"A line.\n\nAnother, which has URL: in it.\n"
    (page,) = pages(items(text, name="dump.txt"))
    assert page == Page(text, "dump.txt", source="dump.txt", kind="text")


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("before", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_text_set_off_by_markers(line_end: bytes, before: bytes) -> None:
    text = (
        before
        + b"URL: http://a.example/\nOne.\n\nURL: http://b.example/x y\nURL:\nURL: http://c.example\nThree."
    )
    found = pages(items(text.replace(b"\n", line_end), name="dump.txt"))
    assert [(p.url, p.body.replace(b"\r\n", b"\n"), p.kind) for p in found] == [
        ("http://a.example/", b"One.\n\n", "text"),
        ("http://b.example/x y", b"URL:\n", "text"),
        ("http://c.example", b"Three.", "text"),
    ]
    for page in found:
        assert text.replace(b"\n", line_end)[page.offset :].startswith(b"URL: " + page.url.encode())


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 6000)), min_size=1, max_size=6),
    st.integers(1, 5000),
)
@settings(max_examples=40)
def test_set_off_text_is_the_same_in_any_blocks(documents: list[tuple[int, int]], block: int) -> None:
    text = b"".join(b"URL: http://e.org/%d\n%s\n" % (i, b"word " * (size // 5)) for i, size in documents)
    found = list(archive.read(Pipe(text, block), limits=SMALL, name="t.txt"))  # type: ignore[arg-type]
    assert [item.url for item in found] == [f"http://e.org/{i}" for i, _ in documents]
    for item, (_, size) in zip(found, documents, strict=True):
        body = b"word " * (size // 5) + b"\n"
        if len(body) > SMALL.bytes:
            assert isinstance(item, Skip) and item.reason == "too large" and item.lost
        else:
            assert isinstance(item, Page) and item.body == body


def test_long_set_off_text_is_passed_over() -> None:
    text = b"URL: http://a/\n" + b"word " * 200_000 + b"\nURL: http://b/\nshort\n"
    found = items(text, name="dump.txt", limits=SMALL)
    assert [(type(item).__name__, getattr(item, "url", "")) for item in found] == [
        ("Skip", "http://a/"),
        ("Page", "http://b/"),
    ]


@pytest.mark.parametrize("joint", [b"\n\n", b"\r\n\r\n", b"\n", b" ", b"", "é".encode()])
def test_long_text_is_cut_into_pages(joint: bytes) -> None:
    text = joint.join(b"word" * 10 for _ in range(1000)) if joint else b"x" * 40_000
    found = pages(items(text, name="dump.txt", limits=SMALL))
    assert b"".join(page.body for page in found) == text
    assert len(found) > 2 and all(len(page.body) <= SMALL.bytes for page in found)
    for page in found:
        page.body.decode()
        assert text[page.offset :].startswith(page.body)
    if joint.strip() != joint:
        assert all(page.body.endswith(joint) for page in found[:-1])


def test_wide_text_is_not_cut() -> None:
    text = ("long text " * 1000).encode("utf-16")
    assert skips(items(text, name="dump.txt", limits=SMALL)) == ["too large"]
    assert len(pages(items(text, name="dump.txt"))) == 1


# Anything at all


NAMES = ["", "a.warc", "a.arc.gz", "a.html", "a.txt", "a.warc.zst", "a.warc.lz4", "a.wacz"]


@given(st.binary(max_size=400), st.sampled_from(NAMES))
def test_anything_is_read(data: bytes, name: str) -> None:
    for beginning in (
        b"",
        b"\x1f\x8b\x08\0",
        b"\x28\xb5\x2f\xfd",
        b"\x5d\x2a\x4d\x18",
        b"\x04\x22\x4d\x18\x64\x40\xa7",
        b"PK\3\4",
        b"WARC/1.0\r\n",
        FILEDESC,
    ):
        items(beginning + data, name=name)


@given(
    st.sampled_from(["flip", "cut", "insert", "remove"]),
    st.floats(0, 1, exclude_max=True),
    # the first bytes of another compression would make the archive one of that
    st.binary(min_size=1, max_size=40).filter(lambda what: not what.startswith(tuple(MAGIC.values()))),
    st.sampled_from([plain, members, whole, frames, lz4_frames]),
)
def test_no_damage_costs_a_neighbour(
    how: str, where: float, what: bytes, packing: Callable[[list[bytes]], bytes]
) -> None:
    data = packing(FOUR)
    at = int(where * len(data))
    bad = {
        "flip": data[:at] + bytes([data[at] ^ (what[0] or 1)]) + data[at + 1 :],
        "cut": data[:at],
        "insert": data[:at] + what + data[at:],
        "remove": data[:at] + data[at + len(what) :],
    }[how]
    names: dict[object, str] = {
        members: "a.warc.gz",
        whole: "a.warc.gz",
        frames: "a.warc.zst",
        lz4_frames: "a.warc.lz4",
    }
    found = items(bad, name=names.get(packing, "a.warc"))
    if packing in (members, frames, lz4_frames):
        end = at + (len(what) if how == "remove" else 1)
        starts = [len(packing(FOUR[:i])) for i in range(5)]
        hit = {i for i in range(4) if starts[i] < end and at < starts[i + 1]}
        if how == "cut":
            hit |= {i for i in range(4) if starts[i + 1] > at}
        if how == "insert" and at in starts:
            hit = set()
        assert set(numbers(found)) >= set(range(4)) - hit


@given(
    st.sampled_from(list(PACKINGS)),
    st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=8), st.integers(0, 8)), max_size=4
    ),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(NAMES),
)
def test_a_mutant_of_any_packing_is_read(
    packing: str, changes: list[tuple[float, bytes, int]], cut: float, is_cut: bool, name: str
) -> None:
    """Nothing is raised for what is in an input, and an input that gives nothing says so."""
    data = bytearray(PACKINGS[packing](FOUR))
    for where, what, length in changes:
        at = int(where * len(data))
        data[at : at + length] = what
    if is_cut:
        del data[int(cut * len(data)) :]
    assert items(bytes(data), name=name)
    assert list(archive.read_stored(io.BytesIO(data)))
