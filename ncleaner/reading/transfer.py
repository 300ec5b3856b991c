"""Undoes what HTTP adds to a page: header block, chunked transfer, content encodings.

Archives store responses as they were sent, or as a crawler has changed them: headers name an encoding that is
undone already, chunk sizes are wrong, streams are cut short. So each step trusts the bytes more than the
headers, returns the content up to the damage, and names the damage. No step holds more than its limit,
however much a body inflates.
"""

import re
from contextlib import suppress
from typing import Final

from zlib_ng import zlib_ng as zlib

from ncleaner.reading._warc import Head
from ncleaner.reading.inflating import MAGIC

# `\Z`: a body may end with its last size line.
_CHUNK_SIZE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]{0,4096})?(?:\r?\n|\Z)")
_CONTROL: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
# Bytes of compressed input that are given at once to a library that cannot bound its output: Zstandard
# turns four bytes into 128 KiB, so one piece gives at most 32 MiB.
_PIECE: Final = 1024
_ZSTD_MAGIC: Final = MAGIC["zstd"]
_MAGICS: Final = (MAGIC["gzip"], _ZSTD_MAGIC)


class TooLargeError(Exception):
    """Raised if a decoded body is larger than the limit."""


class UndecodableError(Exception):
    """Raised if no byte of a body can be decoded."""


def unwrap(body: bytes, head: Head | None, limit: int) -> tuple[bytes, str]:
    """Undoes the transfer and content encodings of a body, and a compression that its header does not name.

    Args:
        body: the bytes after the header block.
        head: the header block; None without one.
        limit: most bytes that the page may have.

    Returns:
        The page, and a phrase that names the damage; empty if there is none.

    Raises:
        TooLargeError: the page has more bytes than `limit`.
        UndecodableError: no byte of the body can be decoded.
    """
    trouble = ""
    if head is not None and (head.transfer_encoding or head.content_encoding):
        for coding in _from_last(head.transfer_encoding):
            if "chunked" in coding:
                body, trouble = dechunk(body)
            else:
                # many crawlers undo it, and keep the header
                with suppress(UndecodableError):
                    body, more = decompress(body, coding, limit)
                    trouble = trouble or more
        for coding in _from_last(head.content_encoding):
            body, more = decompress(body, coding, limit)
            trouble = trouble or more
    # no text begins so: the header does not name the coding, as in some caches, or it was applied twice
    if body.startswith(_MAGICS):
        for coding, magic in zip(("gzip", "zstd"), _MAGICS, strict=True):
            if body.startswith(magic):
                body, more = decompress(body, coding, limit)
                trouble = trouble or more
    if len(body) > limit:
        raise TooLargeError
    return body, trouble


def _from_last(field: str) -> list[str]:
    """Returns the codings in a field. The server has applied them in order, so the last is undone first."""
    return [coding for part in reversed(field.split(",")) if (coding := part.strip())] if field else []


def dechunk(body: bytes) -> tuple[bytes, str]:
    """Undoes chunked transfer; a body that is not chunked is returned unchanged.

    Returns:
        The body, and a phrase that names the damage. The bytes after a broken chunk size are kept unchanged:
        some hexadecimal digits in the text are better than a lost page.
    """
    first = _CHUNK_SIZE.match(body)
    if first is None:
        return body, ""
    size = int(first[1], 16)
    end = first.end() + size
    if size and end < len(body) and body[end : end + 1] not in (b"\r", b"\n"):
        # the body is text that begins like a chunk size
        return body, ""
    pieces: list[bytes] = []
    position = 0
    while True:
        match = _CHUNK_SIZE.match(body, position)
        if match is None:
            if position >= len(body):
                return b"".join(pieces), "chunked body without its end"
            pieces.append(body[position:])
            return b"".join(pieces), "broken chunk size"
        size = int(match[1], 16)
        if size == 0:
            return b"".join(pieces), ""
        position = match.end()
        pieces.append(body[position : position + size])
        position += size
        if position > len(body):
            return b"".join(pieces), "chunk cut short"
        if body.startswith(b"\r\n", position):
            position += 2
        elif body.startswith(b"\n", position):
            position += 1


def decompress(body: bytes, coding: str, limit: int) -> tuple[bytes, str]:
    """Undoes one content encoding: gzip, deflate, br or zstd.

    A body that is plain text in spite of its header is returned unchanged.

    Args:
        body: the bytes as sent.
        coding: name of the encoding in lower case. Unknown names, such as `utf-8` or `none`, are ignored.
        limit: most bytes to return.

    Returns:
        The decoded body, and a phrase that names the damage.

    Raises:
        TooLargeError: the decoded body has more bytes than `limit`.
        UndecodableError: the body can neither be decoded nor is it text.
    """
    if not body:
        return body, ""
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(b"\x1f\x8b"):
            return _plain(body, coding)
        out, whole = _inflate(body, 31, limit)
    elif coding == "deflate":
        # The standard means zlib's format; many old servers send bare deflate.
        out, whole = _inflate(body, 15, limit)
        if not out:
            out, whole = _inflate(body, -15, limit)
    elif coding == "br":
        if _is_text(body):
            # a long text is never a valid Brotli stream, but a very short stream may look like text
            try:
                out, whole = _unbrotli(body, limit)
            except TooLargeError:
                return body, ""
            return (out, "") if whole else (body, "")
        out, whole = _unbrotli(body, limit)
    elif coding == "zstd":
        if not body.startswith(_ZSTD_MAGIC):
            return _plain(body, coding)
        out, whole = _unzstd(body, limit)
    else:
        return body, ""
    if whole:
        return out, ""
    if not out:
        return _plain(body, coding)
    return out, f"broken or cut {coding} content"


def _plain(body: bytes, coding: str) -> tuple[bytes, str]:
    """Returns a body that is not in its encoding, unchanged, if it is text; else raises UndecodableError."""
    if _is_text(body):
        return body, ""
    raise UndecodableError(coding)


def _is_text(body: bytes) -> bool:
    head = body[:512]
    return len(head.translate(None, _CONTROL)) == len(head)


def _inflate(body: bytes, window: int, limit: int) -> tuple[bytes, bool]:
    """Inflates all gzip members, or one stream; returns the bytes, and whether the end is complete."""
    pieces: list[bytes] = []
    room = limit
    rest = body
    while True:
        engine = zlib.decompressobj(window)
        feed = rest
        while not engine.eof:
            try:
                # one byte more than allowed shows that the content is above the limit
                piece = engine.decompress(feed, min(room + 1, 1 << 20))
            except zlib.error:
                return b"".join(pieces), False
            pieces.append(piece)
            room -= len(piece)
            if room < 0:
                raise TooLargeError
            feed = engine.unconsumed_tail
            if not feed and not piece:
                return b"".join(pieces), engine.eof
        rest = engine.unused_data
        # any other bytes after the end are padding, which browsers ignore, too
        if window != 31 or not rest.startswith(b"\x1f\x8b\x08"):
            return b"".join(pieces), True


def _unbrotli(body: bytes, limit: int) -> tuple[bytes, bool]:
    # only here and below, since most runs have neither
    import brotli

    engine = brotli.Decompressor()
    pieces: list[bytes] = []
    room = limit
    feed = body
    while not engine.is_finished():
        try:
            piece = engine.process(feed, output_buffer_limit=min(room + 1, 1 << 20))
        except brotli.error:
            return b"".join(pieces), False
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            raise TooLargeError
        if not piece and engine.can_accept_more_data():
            return b"".join(pieces), engine.is_finished()
        feed = b""
    return b"".join(pieces), True


def _unzstd(body: bytes, limit: int) -> tuple[bytes, bool]:
    import zstandard

    pieces: list[bytes] = []
    room = limit
    rest = body
    while rest.startswith(_ZSTD_MAGIC):
        engine = zstandard.ZstdDecompressor().decompressobj()
        position = 0
        while not engine.eof:
            if position >= len(rest):
                return b"".join(pieces), False
            try:
                piece = engine.decompress(rest[position : position + _PIECE])
            except zstandard.ZstdError:
                return b"".join(pieces), False
            position += _PIECE
            pieces.append(piece)
            room -= len(piece)
            if room < 0:
                raise TooLargeError
        tail = engine.unused_data
        rest = tail + rest[position:]
    return b"".join(pieces), True
