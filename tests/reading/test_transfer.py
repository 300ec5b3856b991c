"""What HTTP wraps around a page, as it should be and as it is."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable
from functools import partial

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.reading._warc import Head, split_head
from ncleaner.reading.inflating import zstandard
from ncleaner.reading.transfer import TooLargeError, UndecodableError, dechunk, decompress, unwrap

zstd = zstandard()

PAGE = b"<html><p>" + b" ".join(b"%x" % random.Random(7).getrandbits(32) for _ in range(1)) + b"</p>"
LONG = b"<html>" + bytes(random.Random(7).choices(b"abcdefghij klm\n", k=40_000))
LIMIT = 100_000


def bare(data: bytes) -> bytes:
    """Deflate without zlib's frame, as servers of old sent it."""
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", bare),
    "br": ("br", partial(brotli.compress, quality=5)),
    "zstd": ("zstd", zstd.compress),
}
each_coding = pytest.mark.parametrize(("coding", "pack"), CODINGS.values(), ids=CODINGS.keys())


# The header block


@pytest.mark.parametrize(
    ("block", "status", "content_type", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbody", 200, "text/html", b"body"),
        (b"HTTP/1.1 200 OK\nContent-Type: text/html\n\nbody", 200, "text/html", b"body"),
        (b"HTTP/1.0 404\r\ncontent-TYPE:text/html  \r\n\r\n", 404, "text/html", b""),
        (b"HTTP/2 200\r\nContent-Type : text/html\r\n\r\n\r\nx", 200, "text/html", b"\r\nx"),
        (b"HTTP/1.1 200 OK\r\n\r\nbody\r\n\r\nmore", 200, "", b"body\r\n\r\nmore"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Type: b\r\n\r\n", 200, "b", b""),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xe9\r\n\r\n",
            200,
            "text/html; charset=é",
            b"",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n<html>\r\n\r\nx",
            200,
            "text/html",
            b"<html>\r\n\r\nx",
        ),
        (b"HTTP/1.1 200 OK\r\nServer: x\r\nno header here\nat all\n\nx", 200, "", b"x"),
        (b"HTTP/1.1 200 OK\r\nServer: x\n\nbody\r\n\r\nmore", 200, "", b"body\r\n\r\nmore"),
        (b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Type: text/html", 200, "text/html", b""),
        (b"HTTP/1.1 200 OK", 200, "", b""),
        (b"ICY 200 OK\r\n\r\nx", 200, "", b"x"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html;\r\n\tcharset=x\r\n\r\nx",
            200,
            "text/html; charset=x",
            b"x",
        ),
        (b"HTTP/1.1 200 OK\rContent-Type: text/html\r\rbody\rmore\n", 200, "text/html", b"body\rmore\n"),
        (b"HTTP/1.1 200 OK\r\r\nContent-Type: text/html\r\r\n\r\r\nbody", 200, "text/html", b"body"),
    ],
)
def test_split(block: bytes, status: int, content_type: str, body: bytes) -> None:
    head = split_head(block)
    assert head is not None
    assert (head.status, head.content_type, block[head.end :]) == (status, content_type, body)


@pytest.mark.parametrize(
    "block", [b"", b"<html>", b"HTTP is a protocol", b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]
)
def test_split_without_header(block: bytes) -> None:
    assert split_head(block) is None


@pytest.mark.untraced
def test_split_is_linear() -> None:
    """No time is measured: in quadratic time this would not end."""
    field = b"X-Robots-Tag: noai"
    for lines in (b"a: b\r\n" * 200_000, b"a" * 1_000_000, b"\n<" * 500_000, field + b"\r\n x" * 200_000):
        assert split_head(b"HTTP/1.1 200 OK\r\n" + lines) is not None
    head = split_head(b"HTTP/1.1 200 OK\r\n" + (field + b"\n") * 200_000)
    assert head is not None and head.rights.count("\n") == 199_999


# Chunks


@pytest.mark.parametrize(
    ("body", "decoded", "trouble"),
    [
        (b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", b"hello world", ""),
        (b"5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"hello", ""),
        (b"5  \r\nhello\r\n0\r\n\r\n", b"hello", ""),
        (b"005\nhello\n0\n\n", b"hello", ""),
        (b"A\r\n0123456789\r\n0", b"0123456789", ""),
        (b"0\r\n\r\n", b"", ""),
        (b"", b"", ""),
        (b"<html>not in chunks</html>", b"<html>not in chunks</html>", ""),
        (
            b"add\r\nsome text that is in no chunks",
            b"add\r\nsome text that is in no chunks",
            "chunk cut short",
        ),
        (b"5\r\nand text that is in no chunks", b"5\r\nand text that is in no chunks", ""),
        (b"5\r\nhello\r\n", b"hello", "chunked body without its end"),
        (b"5\r\nhello\r\n9\r\n wor", b"hello wor", "chunk cut short"),
        (b"5\r\nhello\r\nxyz\r\n world", b"helloxyz\r\n world", "broken chunk size"),
        (b"5\r\nhello\r\nffffffffffffffff\r\nworld", b"helloworld", "chunk cut short"),
        (b"5\r\nhello\r\n-5\r\nworld", b"hello-5\r\nworld", "broken chunk size"),
    ],
)
def test_dechunk(body: bytes, decoded: bytes, trouble: str) -> None:
    if body.startswith(b"add"):
        # Whether `add` is a word or the size of a chunk that is cut nobody can tell.
        decoded = decoded[5:]
    assert dechunk(body) == (decoded, trouble)


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8))
def test_dechunk_undoes_chunking(chunks: list[bytes]) -> None:
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    assert dechunk(body) == (b"".join(chunks), "")


def test_dechunk_is_linear() -> None:
    """No time is measured: in quadratic time this would not end."""
    assert dechunk(b"1\r\na\r\n" * 200_000)[0] == b"a" * 200_000
    for body in (b"1" * 1_000_000, b" " * 1_000_000):
        assert dechunk(body)[0] == body


# Content encodings


@each_coding
@pytest.mark.parametrize("page", [b"a", PAGE, LONG])
def test_decompress(coding: str, pack: Callable[[bytes], bytes], page: bytes) -> None:
    assert decompress(pack(page), coding, LIMIT) == (page, "")


@each_coding
def test_decoded_already(coding: str, pack: Callable[[bytes], bytes]) -> None:
    for page in (PAGE, LONG, "Größe".encode(), b""):
        assert decompress(page, coding, LIMIT) == (page, "")


@each_coding
def test_cut_content(coding: str, pack: Callable[[bytes], bytes]) -> None:
    # Long enough for two blocks of Zstandard.
    out, trouble = decompress(pack(LONG * 5)[:-6], coding, LIMIT * 5)
    assert (LONG * 5).startswith(out) and len(out) > 30_000
    assert trouble == f"broken or cut {coding} content"


@pytest.mark.slow
@pytest.mark.traced
@each_coding
def test_bomb(coding: str, pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(b"\0" * 50_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            decompress(bomb, coding, LIMIT)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Zstandard gives all that a piece of the body unpacks to: 128 kB for each four bytes
    assert most < 40_000_000
    assert decompress(pack(b"x" * LIMIT), coding, LIMIT) == (b"x" * LIMIT, "")
    with pytest.raises(TooLargeError):
        decompress(pack(b"x" * (LIMIT + 1)), coding, LIMIT)


@each_coding
def test_garbage(coding: str, pack: Callable[[bytes], bytes]) -> None:
    magic = {"deflate": b"\x07", "br": b"\x8b"}.get(coding, pack(b"")[:4])
    with pytest.raises(UndecodableError, match=coding):
        decompress(magic + b"\xff\x00\x01\x02\x03" * 20, coding, LIMIT)


def test_several_members() -> None:
    assert decompress(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", LIMIT) == (b"one two", "")
    assert decompress(gzip.compress(b"one") + b"padding", "gzip", LIMIT) == (b"one", "")
    assert decompress(zstd.compress(b"one ") + zstd.compress(b"two"), "zstd", LIMIT) == (b"one two", "")


@pytest.mark.parametrize("coding", ["utf-8", "none", "identity", "compress", "", ","])
def test_names_that_encode_nothing(coding: str) -> None:
    assert unwrap(PAGE, Head(200, "", coding, "", 0), LIMIT) == (PAGE, "")


def test_encodings_in_a_row() -> None:
    body = brotli.compress(gzip.compress(PAGE))
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    assert unwrap(chunked, Head(200, "", "gzip, br", "chunked", 0), LIMIT) == (PAGE, "")
    with pytest.raises(TooLargeError):
        unwrap(PAGE, Head(200, "", "", "", 0), 5)


@pytest.mark.parametrize("coding", ["gzip, chunked", "x-gzip,chunked", "deflate, chunked", "gzip"])
def test_codings_of_the_transfer_are_undone(coding: str) -> None:
    pack = CODINGS[coding.partition(",")[0]][1]
    body = pack(brotli.compress(PAGE))
    sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if "chunked" in coding else body
    assert unwrap(sent, Head(200, "", "br", coding, 0), LIMIT) == (PAGE, "")
    # the crawler has undone them
    assert unwrap(brotli.compress(PAGE), Head(200, "", "br", coding, 0), LIMIT) == (PAGE, "")


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
@pytest.mark.parametrize("head", [None, Head(200, "", "", "", 0), Head(200, "", "gzip", "", 0)])
def test_a_compression_without_its_name(pack: Callable[[bytes], bytes], head: Head | None) -> None:
    outer = gzip.compress if head and head.content_encoding else bytes
    assert unwrap(outer(pack(PAGE)), head, LIMIT) == (PAGE, "")
    assert unwrap(outer(gzip.compress(LONG)[:-9]), head, LIMIT)[1] == "broken or cut gzip content"
    with pytest.raises(TooLargeError):
        unwrap(outer(pack(bytes(2 * LIMIT))), head, LIMIT)
    with pytest.raises(UndecodableError):
        unwrap(outer(pack(PAGE)[:4] + bytes(20)), head, LIMIT)


@given(
    st.sampled_from(sorted({coding for coding, _ in CODINGS.values()})),
    st.binary(max_size=600),
    st.sampled_from([b"", *(pack(b"")[:6] for _, pack in CODINGS.values())]),
)
def test_anything_decodes_or_is_given_up(coding: str, body: bytes, beginning: bytes) -> None:
    try:
        out, _ = unwrap(beginning + body, Head(200, "", coding, "chunked", 0), LIMIT)
    except (TooLargeError, UndecodableError):
        return
    assert len(out) <= LIMIT
