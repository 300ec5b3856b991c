"""Small archives for the tests, whole and with the defects of the wild; each defect has a name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import lz4.frame

from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import InputFormat, read
from ncleaner.reading.inflating import zstandard, zstd_compressor

zstd = zstandard()

DATE = "2024-05-01T10:00:00Z"
WORDS = b"The ferry leaves at nine, and whoever comes late walks along the shore. "

Item = Page | Skip | Damage


def html(number: int, words: int = 4) -> bytes:
    """A page that differs from all others, in ways that compress badly."""
    noise = b" ".join(b"%08x" % zlib.crc32(b"%d-%d" % (number, i)) for i in range(words * 3))
    return b"<html><title>Page %d</title><p>%s</p><p>%s</p></html>" % (number, WORDS * words, noise)


def http(body: bytes, *fields: str, status: str = "200 OK", content_type: str | None = "text/html") -> bytes:
    """A response as it comes over the wire."""
    lines = [f"HTTP/1.1 {status}", *fields]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def url(number: int) -> str:
    return f"http://example.org/{number}"


def warc(
    number: int,
    block: bytes | None = None,
    *fields: str,
    kind: str = "response",
    length: object = None,
    target: str | None = "",
    content_type: str = "application/http; msgtype=response",
    separator: bytes = b"\r\n\r\n",
    version: str = "WARC/1.0",
) -> bytes:
    """One WARC record; what is not given is as it should be."""
    block = http(html(number)) if block is None else block
    lines = [version, f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:uuid:{number:032d}>", f"WARC-Date: {DATE}"]
    if target is not None:
        lines.append(f"WARC-Target-URI: {target or url(number)}")
    lines += [*fields, f"Content-Type: {content_type}"]
    if length != "":
        lines.append(f"Content-Length: {len(block) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + block + separator


VERSION_BLOCK = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n"
FILEDESC = (
    b"filedesc://small.arc 0.0.0.0 20010203040506 text/plain %d\n" % len(VERSION_BLOCK)
    + VERSION_BLOCK
    + b"\n"
)


def arc(number: int, block: bytes | None = None, target: str = "", media_type: str = "text/html") -> bytes:
    """One record of an ARC in version 1."""
    block = http(html(number)) if block is None else block
    return (
        f"{target or url(number)} 192.0.2.1 20010203040506 {media_type} {len(block)}\n".encode()
        + block
        + b"\n"
    )


def arc2(number: int) -> bytes:
    """One record of an ARC in version 2."""
    block = http(html(number))
    fields = f"text/html 200 f00d - 4096 small.arc {len(block)}"
    return f"{url(number)} 192.0.2.1 20010203040506 {fields}\n".encode() + block + b"\n"


def plain(records: Iterable[bytes]) -> bytes:
    return b"".join(records)


def members(records: Iterable[bytes]) -> bytes:
    """gzip, one member per record, as it should be."""
    return b"".join(gzip.compress(record, mtime=0) for record in records)


def whole(records: Iterable[bytes]) -> bytes:
    """gzip, one member for all."""
    return gzip.compress(b"".join(records), mtime=0)


def twice(records: Iterable[bytes]) -> bytes:
    """A member per record, and gzip once more around it all."""
    return gzip.compress(members(records), mtime=0)


def blocks(records: Iterable[bytes]) -> bytes:
    """gzip members of one size, wherever records end."""
    data = b"".join(records)
    return b"".join(gzip.compress(data[i : i + 700], mtime=0) for i in range(0, len(data), 700))


def frames(records: Iterable[bytes]) -> bytes:
    """Zstandard, one frame per record."""
    return b"".join(zstd_compressor().compress(record, 2) for record in records)


def frame(records: Iterable[bytes]) -> bytes:
    """Zstandard, one frame for all."""
    return bytes(zstd.compress(b"".join(records)))


def skippable(data: bytes, nibble: int = 0) -> bytes:
    return bytes([0x50 + nibble]) + b"\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data


@cache
def _dictionary() -> Any:
    return zstd.train_dict([warc(i) for i in range(100, 200)], 2048)


def _with_dictionary(records: Iterable[bytes], pack: Callable[[bytes], bytes]) -> bytes:
    dictionary = _dictionary()
    packed = (zstd.compress(record, zstd_dict=dictionary) for record in records)
    return skippable(pack(dictionary.dict_content), 13) + b"".join(packed)


def frames_with_dictionary(records: Iterable[bytes]) -> bytes:
    """Zstandard with the dictionary of all frames in the first, which is skippable."""
    return _with_dictionary(records, bytes)


def frames_with_packed_dictionary(records: Iterable[bytes]) -> bytes:
    """The same, with the dictionary compressed itself."""
    return _with_dictionary(records, zstd.compress)


def lz4_frames(records: Iterable[bytes]) -> bytes:
    """LZ4, one frame per record."""
    return b"".join(lz4.frame.compress(record, content_checksum=True) for record in records)


def lz4_frame(records: Iterable[bytes]) -> bytes:
    """LZ4, one frame for all, as the `lz4` program makes."""
    return bytes(lz4.frame.compress(b"".join(records), block_size=lz4.frame.BLOCKSIZE_MAX4MB))


def bz2_streams(records: Iterable[bytes]) -> bytes:
    """bzip2, one stream per record."""
    return b"".join(bz2.compress(record) for record in records)


def bz2_stream(records: Iterable[bytes]) -> bytes:
    """bzip2, one stream for all."""
    return bz2.compress(b"".join(records))


def xz_streams(records: Iterable[bytes]) -> bytes:
    """xz, one stream per record."""
    return b"".join(lzma.compress(record, preset=0) for record in records)


def xz_stream(records: Iterable[bytes]) -> bytes:
    """xz, one stream for all."""
    return lzma.compress(b"".join(records), preset=0)


def _zip(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            file.writestr(info, data)
    return out.getvalue()


def wacz(records: Iterable[bytes]) -> bytes:
    """A WACZ with two archives."""
    every = list(records)
    half = (len(every) + 1) // 2
    suffix = "arc.gz" if every[0].startswith(b"filedesc") else "warc.gz"
    found = {
        "datapackage.json": b"{}",
        f"archive/data-0.{suffix}": members(every[:half]),
        "indexes/index.cdx.gz": gzip.compress(b"no record", mtime=0),
        f"archive/data-1.{suffix}": members(every[half:]),
        "pages/pages.jsonl": b"{}",
    }
    return _zip({name: data for name, data in found.items() if data})


def deflated_wacz(records: Iterable[bytes]) -> bytes:
    """A WACZ that a general program has made: its archive is compressed once more."""
    return _zip({"archive/data.warc": b"".join(records)}, zipfile.ZIP_DEFLATED)


PACKINGS: dict[str, Callable[[Iterable[bytes]], bytes]] = {
    function.__name__: function
    for function in (
        plain,
        members,
        whole,
        twice,
        blocks,
        frames,
        frame,
        frames_with_dictionary,
        frames_with_packed_dictionary,
        lz4_frames,
        lz4_frame,
        bz2_streams,
        bz2_stream,
        xz_streams,
        xz_stream,
        wacz,
        deflated_wacz,
    )
}


class Pipe:
    """A stream that can only be read, a few bytes at a time if so wished."""

    def __init__(self, data: bytes, block: int = 1 << 20) -> None:
        self._data = io.BytesIO(data)
        self._block = block

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, self._block) if size >= 0 else self._block)


def items(
    data: bytes, *, name: str = "small.warc", limits: Limits = Limits(), input_format: InputFormat = "auto"
) -> list[Item]:
    """Read from a seekable stream and from pipes, which must make no difference."""
    found = list(read(io.BytesIO(data), name=name, limits=limits, input_format=input_format))
    for block in (1 << 20, 61):
        piped = list(read(Pipe(data, block), name=name, limits=limits, input_format=input_format))  # type: ignore[arg-type]
        assert piped == found, block
    return found


def pages(found: Iterable[Item]) -> list[Page]:
    return [item for item in found if isinstance(item, Page)]


def damage(found: Iterable[Item]) -> list[str]:
    return [item.what for item in found if isinstance(item, Damage)]


def skips(found: Iterable[Item]) -> list[str]:
    return [item.reason for item in found if isinstance(item, Skip)]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
