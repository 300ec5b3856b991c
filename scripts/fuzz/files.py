"""Hostile archives and text dumps: records around pages that break, and lines that mean something."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib

import brotli
import lz4.frame

from fuzz.mutate import NUMBERS, UTF8, mutated
from fuzz.pages import CONTENT_TYPES, page
from fuzz.source import ODD, Source
from ncleaner.reading.inflating import zstandard

zstd = zstandard()

__all__ = ["ANNOTATION_TOKENS", "ARCHIVE_TOKENS", "TEXT_TOKENS", "archive", "text_dump"]

ARCHIVE_TOKENS = (
    b"WARC/1.0\r\n", b"WARC/1.1\r\n", b"WARC/9.9\r\n", b"Content-Length: ", b"\r\n", b"\r\n\r\n", b"\n\n",
    b"\n", b": ", b"WARC-Type: response\r\n", b"WARC-Target-URI: ", b"HTTP/1.1 200 OK\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"0\r\n\r\n", b"ffffffff\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n", b"WARC-Truncated: length\r\n", b"urn:text:http://",
    b"\r\n ", b"\r\r", b"<?xml version='1.0'?>", b"<rss>", b"<!--", b"BZh91AY&SY", b"\xfd7zXZ\0", b"filedesc://",
    b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18",
    b"\x50\x2a\x4d\x18\xff\xff\xff\xff", *NUMBERS, *UTF8,
)  # fmt: skip
TEXT_TOKENS = (
    b"\n", b"\n\n", b"\r", b"\t", b"\f", b"URL: http://example.org/\n",
    b"CURRENT URL http://example.org/\n", b'<text id="x">\n', b"</text>\n", b'<doc url="y">\n', b"-- \n",
    b"> ", b"From: ", b"* ", b"1. ", b"[INLINE]", *UTF8,
)  # fmt: skip
ANNOTATION_TOKENS = (b"\n", b"\t", b"p\t", b"o\t", b"c\t", b"x\t", b"#", b"\xef\xbb\xbf", b" ", b"\r", *UTF8)

_TYPES = (
    "response response response response request warcinfo conversion resource metadata revisit continuation"
).split()
_MEDIA = (*CONTENT_TYPES, "text/plain", "application/xhtml+xml", "image/png", ";;;", "text/html\0", "")


def _number(source: Source, right: int) -> str:
    """A length: mostly the right one."""
    roll = source.random()
    if roll < 0.75:
        return str(right)
    return source.number() if roll < 0.9 else str(max(0, right + source.choice((-1, 1, -100, 100, 1 << 20))))


def _chunked(source: Source, body: bytes) -> bytes:
    pieces = []
    while body:
        size = source.size(len(body))
        claimed = size if source.odds(0.9) else source.choice((0, size + 1, 1 << 33, size - 1))
        pieces.append(b"%x%s\r\n%s\r\n" % (claimed, source.choice((b"", b"", b";ext=1", b" ")), body[:size]))
        body = body[size:]
    return b"".join(pieces) + source.choice((b"0\r\n\r\n", b"", b"0", b"\r\n", b"0\r\nTrailer: x\r\n\r\n"))


def _coded(source: Source, body: bytes) -> tuple[str, bytes]:
    """A Content-Encoding and the body under it, which may be another one, or broken."""
    name = source.choice(
        ("", "", "unnamed", "gzip", "deflate", "br", "zstd", "x-gzip", "identity", "gzip, gzip", "foo")
    )
    made = source.choice((name, name, name, "", "deflate"))
    if made == "gzip, gzip":
        body = gzip.compress(gzip.compress(body, mtime=0), mtime=0)
    elif made.endswith(("gzip", "unnamed")):
        body = gzip.compress(body, mtime=0)
    elif made == "deflate":
        body = zlib.compress(body) if source.odds(0.5) else zlib.compress(body)[2:-4]
    elif made == "br":
        body = brotli.compress(body, quality=1)
    elif made == "zstd":
        body = zstd.compress(body)
    name = "" if name == "unnamed" else name
    return name, mutated(source, body, ARCHIVE_TOKENS) if source.odds(0.15) else body


def _http(source: Source) -> bytes:
    """A response with a page in it, wrapped in whatever servers wrap it in."""
    coding, body = _coded(source, page(source)[: source.choice((200, 4000, 100_000))])
    lines = [
        source.choice(("HTTP/1.1 200 OK", "HTTP/1.0 200", "HTTP/1.1 404 No", "HTTP/1.1 abc", "ICY 200", ""))
    ]
    lines += [f"Content-Type: {source.choice(_MEDIA)}"] * source.choice((0, 1, 1, 1, 2))
    if coding:
        lines.append(f"Content-Encoding: {coding}")
    if source.odds(0.2):
        lines.append("Transfer-Encoding: chunked")
        body = _chunked(source, body) if source.odds(0.8) else body
    if source.odds(0.5):
        lines.append(f"Content-Length: {_number(source, len(body))}")
    if source.odds(0.1):
        lines.append(source.text(4))
    end = source.choice(("\r\n", "\r\n", "\r\n", "\n", "\r"))
    head = end.join(lines) + end + source.choice((end, end, end, ""))
    return head.encode("utf-8", "surrogatepass") + body


def _warc(source: Source) -> bytes:
    block = _http(source) if source.odds(0.8) else page(source)
    lines = [
        source.choice(("WARC/1.0", "WARC/1.0", "WARC/1.1", "WARC/0.18", "warc/1.0", "WARC/1.0 ")),
        f"WARC-Type: {source.choice(_TYPES)}",
        f"WARC-Target-URI: http://example.org/{source.word()}",
        f"WARC-Record-ID: <urn:uuid:{source.getrandbits(60):032d}>",
        "WARC-Date: 2024-05-01T10:00:00Z",
        f"Content-Type: {source.choice(('application/http; msgtype=response', 'text/html', 'text/plain'))}",
        f"Content-Length: {_number(source, len(block))}",
    ]
    if source.odds(0.2):
        lines[1:] = source.shuffled(lines[1:])[: source.randint(1, 7)]
    if source.odds(0.1):
        lines.append(
            source.choice(
                ("WARC-Truncated: length", "X" * source.size(70_000) + ": y", " folded", ":", "\0: \0")
            )
        )
    end = source.choice(("\r\n", "\r\n", "\r\n", "\n"))
    head = (end.join(lines) + 2 * end).encode("utf-8", "surrogatepass")
    return head + block + source.choice((b"\r\n\r\n", b"\r\n\r\n", b"", b"\n", b"\r\n" * 5))


def _arc(source: Source) -> bytes:
    block = _http(source)
    fields = [
        source.choice(("http://example.org/a", "http://example.org/a b", "filedesc://x.arc", source.word())),
        "192.0.2.1", source.choice(("20010203040506", "2001", "", "x" * 14)),
        source.choice(("text/html", "no-type", "text/plain; x")),
        *source.choice(((), (), ("200", "f00d", "-", "4096", "small.arc"))), _number(source, len(block)),
    ]  # fmt: skip
    return (
        " ".join(fields).encode("utf-8", "surrogatepass")
        + b"\n"
        + block
        + source.choice((b"\n", b"\n", b"", b"\n\n"))
    )


_WARC_WORDS = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.example/\r\nContent-Length: "


def _zip(source: Source, files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", source.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
        for name, data in files.items():
            file.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def _packed(source: Source, records: list[bytes]) -> bytes:
    """The records as archives hold them: plain or compressed, a member each, one for all, or once more."""
    kind = source.choice(
        (
            "plain", "plain", "members", "members", "whole", "twice", "frames", "frame", "mixed",
            "dictionary", "own dictionary", "lz4", "zip", "zip", "zips", "bz2", "xz", "bz2 streams",
            "xz streams",
        )
    )  # fmt: skip
    if kind == "plain":
        return b"".join(records)
    if kind in ("whole", "frame"):
        whole = b"".join(records)
        return gzip.compress(whole, 1, mtime=0) if kind == "whole" else zstd.compress(whole)
    if kind in ("frames", "dictionary"):
        packed = b"".join(zstd.compress(record) for record in records)
        words = source.text().encode("utf-8", "replace")
        skippable = b"\x5d\x2a\x4d\x18" + len(words).to_bytes(4, "little") + words
        return packed if kind == "frames" else skippable + packed
    if kind == "own dictionary":
        data = zstd.train_dict([bytes([i]) * 9 + _WARC_WORDS for i in range(99)], 512).dict_content
        dictionary = zstd.ZstdDict(data)
        held = data if source.odds(0.5) else zstd.compress(data)
        held = mutated(source, held, ARCHIVE_TOKENS) if source.odds(0.5) else held
        packed = b"".join(zstd.compress(record, zstd_dict=dictionary) for record in records)
        return b"\x5d\x2a\x4d\x18" + len(held).to_bytes(4, "little") + held + packed
    if kind == "lz4":
        return b"".join(lz4.frame.compress(record, content_checksum=source.odds(0.5)) for record in records)
    if kind.startswith(("bz2", "xz")):
        compress = bz2.compress if kind.startswith("bz2") else lzma.compress
        streams = records if kind.endswith("streams") else [b"".join(records)]
        return b"".join(compress(one) for one in streams)
    if kind == "zips":
        files = ("a.wacz", "b.zip", "c.warc", "d.txt")
        return _zip(source, {name: _packed(source, records) for name in files[: source.size(3) + 1]})
    if kind == "zip":
        names = ("archive/%d.warc", "%d.arc", "pages/%d.jsonl")
        return _zip(source, {source.choice(names) % number: each for number, each in enumerate(records)})
    packed = b"".join(
        gzip.compress(record, 1, mtime=0) if kind != "mixed" or source.odds(0.5) else zstd.compress(record)
        for record in records
    )
    return gzip.compress(packed, 1, mtime=0) if kind == "twice" else packed


def archive(source: Source) -> bytes:
    """A WARC or ARC of a few records, broken in its headers, in its compression, or byte by byte."""
    number = source.size(6)
    if source.odds(0.2):
        version = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n"
        first = (
            b"filedesc://small.arc 0.0.0.0 20010203040506 text/plain %d\n" % len(version) + version + b"\n"
        )
        records = [first, *(_arc(source) for _ in range(number))]
    else:
        records = [_warc(source) for _ in range(number)]
    if source.odds(0.3):
        at = source.randrange(len(records))
        records[at] = mutated(source, records[at], ARCHIVE_TOKENS)
    found = _packed(source, records)
    return mutated(source, found, ARCHIVE_TOKENS) if source.odds(0.4) else found


def _line(source: Source) -> str:
    """A line of a dump: running text, or one of the lines that set text apart."""
    indent = source.choice(("", "", "", "   ", "   ", "      ", "\t", " ", "\u3000", "\xa0"))
    roll = source.random()
    if roll < 0.5:
        return indent + source.prose(1)[: source.choice((20, 72, 72, 72, 300))]
    if roll < 0.6:
        return indent + source.text(8)
    if roll < 0.7:
        return (
            indent
            + source.choice(("* ", "+ ", "o ", "• ", "1. ", "(a) ", "iv) ", "--", "-- ", "- "))
            + source.word()
        )
    if roll < 0.8:
        return source.choice(("> ", ">> ", "> > ", "JD> ", "| ", ">", "|", ">From ")) + source.text(6)
    if roll < 0.85:
        return (
            source.choice(("From: ", "Subject: ", "Date: ", "X-y: ", "From ", " folded ", "Note: "))
            + source.word()
        )
    if roll < 0.9:
        url = f"http://example.org/{source.word()}"
        return source.choice(
            (f"URL: {url}", f"CURRENT URL {url}", f'<text id="{url}">', "</text>", f"<doc url='{url}'>")
        )
    return source.choice(
        ("", "", "", "\f", "[INLINE]", "[a.gif]", " ", "\u3000", "\xa0", "\x1f", "\u2028", *ODD)
    )


def text_dump(source: Source) -> bytes:
    """A text dump: wrapped or a paragraph a line, mail, quotes, marker lines, in any encoding."""
    line = source.choice((_line, _line, lambda source: source.text(30)))
    breaks = source.choice(("\n", "\n", "\r\n", "\r", "\n\n"))
    parts = [line(source) for _ in range(source.size(120))]
    if source.odds(0.05):
        parts *= source.size(400)
    text = breaks.join(parts)[:1_000_000]
    codec = source.choice(
        ("utf-8", "utf-8", "utf-8", "utf-16", "utf-16-le", "latin-1", "gb18030", "cp932", "iso2022_jp")
    )
    found = text.encode(codec, "surrogatepass" if codec.startswith("utf") else "replace")
    return mutated(source, found, TEXT_TOKENS) if source.odds(0.5) else found
