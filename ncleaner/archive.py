"""Inputs to pages: WARC, ARC and WET archives, HTML files, text dumps.

`read` turns one input into a stream of pages, of records that are no pages, and of places where the input
is damaged. Nothing in an input raises: whatever can be read around damage is read, and damage is an item of
the stream like any other, so that whoever counts the pages can count it, too.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, Literal

from ncleaner.errors import InputError
from ncleaner.inputs import STDIN, is_binary, sniff
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.records import Kind, Record, begins_archive, records
from ncleaner.streams import Codec, Members, Source, codec_of, zstd_dictionary
from ncleaner.transfer import MAX_HEAD, TooLargeError, UndecodableError, split, unwrap

__all__ = ["InputFormat", "pages", "read"]

InputFormat = Literal["auto", "warc", "html", "text"]

#: Pages that are worth reading; all others are errors, redirections or nothing.
_STATUS: Final = frozenset({0, 200, 203, 206})
_HTML: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_MEDIA_TYPE: Final = re.compile(r"\s*([^\s;,]+)")
_HEAD: Final = 4096
_COMPRESSED: Final = re.compile(r"\.(?:warc|arc|wet)\.(gz|zst)\Z", re.IGNORECASE)
_MARKER: Final = re.compile(rb"URL:[ \t]+(\S[^\r\n]*)\r?(?:\n|\Z)")
_MARKER_LATER: Final = re.compile(rb"(?<=\n)(?=URL:[ \t]+\S)")
_BLOCK: Final = 1 << 16
# Longer than the beginning of any marker line.
_OVERLAP: Final = 64
# White space, and the byte order mark of UTF-8, bytes of which begin no word.
_WHITE: Final = b" \t\r\n\f\xef\xbb\xbf"
_LOG: Final = logging.getLogger("ncleaner")

Item = Page | Skip | Damage


def read(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    input_format: InputFormat = "auto",
    limits: Limits = Limits(),  # noqa: B008 - frozen
    name: str | None = None,
) -> Iterator[Page | Skip | Damage]:
    """Read one input.

    Args:
        source: a path, `-` for standard input, or a binary stream, which need not be seekable.
        input_format: what it is; `auto` looks at its first bytes and, where these do not tell, at its
            name. `warc` stands for WARC, ARC and WET alike. Compression is always recognised.
        limits: bounds for one page.
        name: what the items call their source, instead of the path.

    Yields:
        Pages in the order of the input, and between them a `Skip` for each record that is no page and a
        `Damage` for each place that is broken. A page that is damaged yields both itself and its damage.

    Raises:
        InputError: the input cannot be opened.
    """
    if input_format not in ("auto", "warc", "html", "text"):
        raise InputError(f"unknown input format {input_format!r}: give auto, warc, html, or text")
    if not isinstance(source, str | os.PathLike):
        yield from _read(source, name or STDIN, input_format, limits)
    elif os.fspath(source) == STDIN:
        yield from _read(sys.stdin.buffer, name or STDIN, input_format, limits)
    else:
        path = os.fspath(source)
        try:
            # Unbuffered, as every reader here asks for blocks.
            stream = Path(path).open("rb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error
        with stream:
            yield from _read(stream, name or path, input_format, limits)


def pages(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    input_format: InputFormat = "auto",
    limits: Limits = Limits(),  # noqa: B008 - frozen
    name: str | None = None,
) -> Iterator[Page]:
    """Read the pages of one input; arguments as for `read`.

    Damage, and pages that had to be given up, are told to the logger `ncleaner` as warnings.
    """
    for item in read(source, input_format=input_format, limits=limits, name=name):
        if isinstance(item, Page):
            yield item
        elif isinstance(item, Damage):
            _LOG.warning("%s%s: %s", item.source, _at(item), item.what)
        elif item.lost:
            _LOG.warning("%s%s: page given up: %s", item.source, _at(item), item.reason)


def _at(item: Skip | Damage) -> str:
    place = f", offset {item.offset}" if item.offset >= 0 else ""
    return f"{place}, {item.url}" if item.url else place


def _read(stream: BinaryIO, name: str, input_format: InputFormat, limits: Limits) -> Iterator[Item]:
    bound = limits.bytes + MAX_HEAD
    source = Source(stream, name, max(bound, 1 << 20))
    start = source.tell()
    if not source.peek(1):
        yield Damage(source.broken or "empty", name, 0)
        return
    codec = _codec(source.peek(_HEAD), name)
    layers = _layers(source, codec)
    head = layers[-1].peek(_HEAD)
    found: Literal["warc", "arc", "html", "text"]
    if input_format == "warc":
        found = begins_archive(head) or "warc"
    else:
        found = sniff(head, name) if input_format == "auto" else input_format
    if found in ("warc", "arc"):
        kind: Kind = "arc" if found == "arc" else "warc"
        source.rewind(start)
        for item in records(source, codec, kind, bound):
            if isinstance(item, Damage):
                yield item
            else:
                yield from _of_record(item, name, limits.bytes)
        return
    pieces = iter(layers[-1].read, b"")
    if found == "html":
        yield _of_file(pieces, name, limits.bytes)
    else:
        yield from _of_text(pieces, name, limits.bytes, layers[0].codec == "plain")
    for layer in layers:
        yield from layer.found


def _codec(head: bytes, name: str) -> Codec:
    """Tell the compression of a stream; for an archive broken at its very beginning, by its name."""
    codec = codec_of(head)
    match = _COMPRESSED.search(name)
    if codec == "plain" and match and not begins_archive(head):
        return "gzip" if match[1].lower() == "gz" else "zstd"
    return codec


def _layers(source: Source, codec: Codec) -> list[Members]:
    """Undo the compression of a stream, twice where it has been compressed once more."""
    members = Members(source, codec, None, zstd_dictionary(source))
    members.next_member()
    layers = [members]
    inner = codec_of(members.peek(4))
    if codec != "plain" and inner != "plain":
        members = Members(Source(members, source.name, 1 << 20), inner)
        members.next_member()
        layers.append(members)
    return layers


# Archives


def _of_record(record: Record, name: str, limit: int) -> Iterator[Item]:
    """Make a page of a record, or say why it is none."""
    block = record.block
    if record.large:
        yield Skip("too large", record.url, name, record.offset, lost=True)
        return
    if block is None:
        # Only counted, so its header is not searched for a URL.
        yield Skip(f"record type {record.type}", source=name, offset=record.offset)
        return
    body = block
    content_type = record.content_type
    trouble = ""
    head = split(block) if record.type == "response" else None
    if head is not None:
        content_type = head.content_type
        if head.status not in _STATUS:
            yield Skip(f"http status {head.status}", record.url, name, record.offset)
            return
    elif content_type.startswith("application/http"):
        content_type = ""
        trouble = "response without HTTP headers"
    match = _MEDIA_TYPE.match(content_type)
    media_type = match[1].lower() if match else ""
    if media_type and media_type not in _HTML and media_type != "text/plain":
        yield Skip(f"media type {media_type}", record.url, name, record.offset)
        return
    if head is not None:
        try:
            body, trouble = unwrap(block[head.end :], head, limit)
        except TooLargeError:
            yield Skip("too large", record.url, name, record.offset, lost=True)
            return
        except UndecodableError as error:
            yield Skip(f"cannot decode {error}", record.url, name, record.offset, lost=True)
            return
    if trouble and not record.truncated:
        yield Damage(trouble, name, record.offset, record.url)
    if not body:
        yield Skip("empty body", record.url, name, record.offset)
    elif len(body) > limit:
        yield Skip("too large", record.url, name, record.offset, lost=True)
    elif is_binary(body, content_type):
        yield Skip("not text", record.url, name, record.offset, lost=True)
    else:
        text = media_type == "text/plain" or record.type == "conversion"
        if not media_type and not text:
            text = sniff(body[:_HEAD]) == "text"
        yield Page(
            body,
            record.url,
            record.date,
            content_type,
            record.record_id,
            name,
            record.offset,
            "text" if text else "html",
        )


# Files


def _of_file(pieces: Iterator[bytes], name: str, limit: int) -> Item:
    """Make a page of a file that is one."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > limit:
            return Skip("too large", name, name, lost=True)
    if not body:
        return Damage("empty", name, 0)
    page = bytes(body)
    if is_binary(page):
        return Skip("not text", name, name, lost=True)
    return Page(page, name, source=name)


def _of_text(pieces: Iterator[bytes], name: str, limit: int, plain: bool) -> Iterator[Item]:
    """Make pages of a text dump.

    Documents may be set off by lines that begin with `URL:`, if the first line that is not empty is one. A
    dump without such lines is one page, and a dump that is too long for a page is several, cut between
    paragraphs: text is no less good for coming in one large file.
    """
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        if buffer.lstrip(_WHITE).find(b"\n") >= 0 or len(buffer) > _BLOCK:
            break
    if not buffer:
        yield Damage("empty", name, 0)
        return
    start = len(buffer) - len(buffer.lstrip(_WHITE))
    if _MARKER.match(buffer, start):
        del buffer[:start]
        documents = _set_off(buffer, pieces, limit, start)
    else:
        documents = _cut(buffer, pieces, limit)
    for offset, url, body in documents:
        at = offset if plain else -1
        if body is None:
            yield Skip("too large", url or name, name, at, lost=True)
        elif is_binary(body):
            yield Skip("not text", url or name, name, at, lost=True)
        else:
            yield Page(body, url or name, source=name, offset=at, kind="text")


def _set_off(
    buffer: bytearray, pieces: Iterator[bytes], limit: int, offset: int
) -> Iterator[tuple[int, str, bytes | None]]:
    """Cut a stream at its marker lines: offset, URL, and text, or None for a text above the limit.

    The buffer begins with the first marker line.
    """
    url = ""
    large = False
    searched = passed = 0
    while True:
        found = _MARKER_LATER.search(buffer, searched)
        piece = b"" if found else next(pieces, b"")
        if piece:
            if not large and len(buffer) > limit + _BLOCK:
                url = _marker(buffer)[0]
                large = True
            if large:
                # Only what may be the beginning of a marker line is needed.
                passed += len(buffer) - _OVERLAP
                del buffer[:-_OVERLAP]
            searched = max(0, len(buffer) - _OVERLAP)
            buffer += piece
            continue
        end = found.start() if found else len(buffer)
        if large:
            yield offset, url, None
        else:
            url, begin = _marker(buffer)
            body = bytes(memoryview(buffer)[begin:end])
            yield offset, url, body if len(body) <= limit else None
        if not found:
            return
        del buffer[:end]
        offset += passed + end
        searched = passed = 0
        large = False


def _marker(buffer: bytearray) -> tuple[str, int]:
    """Read the marker line that a buffer begins with, and tell where it ends."""
    match = _MARKER.match(buffer)
    return (match[1].decode("utf-8", "replace").strip(), match.end()) if match else ("", 0)


def _cut(buffer: bytearray, pieces: Iterator[bytes], limit: int) -> Iterator[tuple[int, str, bytes | None]]:
    """Cut a stream into texts of no more than the limit, between paragraphs if there are any."""
    # Two bytes to a character, so that line feeds cannot be told by single bytes.
    wide = buffer.startswith((b"\xff\xfe", b"\xfe\xff"))
    offset = 0
    piece: bytes = b""
    while True:
        while len(buffer) > limit:
            if wide:
                yield -1, "", None
                return
            end = _paragraph_end(buffer, limit)
            yield offset, "", bytes(memoryview(buffer)[:end])
            del buffer[:end]
            offset += end
        piece = next(pieces, b"")
        if not piece:
            break
        buffer += piece
    if buffer:
        yield offset or -1, "", bytes(buffer)


def _paragraph_end(buffer: bytearray, limit: int) -> int:
    """Find the best place to cut at or before the limit: a blank line, a line, a word, a character."""
    for mark in (b"\n\n", b"\n\r\n", b"\n", b" "):
        end = buffer.rfind(mark, 0, limit)
        if end > 0:
            return end + len(mark)
    end = limit
    while end > max(1, limit - 3) and buffer[end] & 0xC0 == 0x80:
        end -= 1
    return end
