"""Undoes what HTTP adds to a page: header block, chunked transfer, content encodings.

Archives store responses as they were sent, or as a crawler has changed them: headers name an encoding that is
undone already, chunk sizes are wrong, streams are cut short. So each step trusts the bytes more than the
headers, returns the content up to the damage, and names the damage. No step holds more than its limit,
however much a body inflates.
"""

import re
from contextlib import suppress
from io import BytesIO
from typing import Final

from zlib_ng import zlib_ng as zlib

from ncleaner.reading._warc import Head
from ncleaner.reading.inflating import MAGIC
from ncleaner.reading.streams import Members, Source

# `\Z`: a body may end with its last size line.
_CHUNK_SIZE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]{0,4096})?(?:\r?\n|\Z)")
_CONTROL: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_MAGICS: Final = (MAGIC["gzip"], MAGIC["zstd"])


class TooLargeError(Exception):
    """Raised if a decoded body is larger than the limit."""


class UndecodableError(Exception):
    """Raised if no byte of a body can be decoded."""


class _Output:
    """The pieces of a decoded body.

    Attributes:
        room: bytes that are left of the limit. One more is asked for, to show that a body is above it.
    """

    def __init__(self, limit: int) -> None:
        self.pieces: list[bytes] = []
        self.room = limit

    def add(self, piece: bytes) -> None:
        """Adds a piece. Raises TooLargeError."""
        self.pieces.append(piece)
        self.room -= len(piece)
        if self.room < 0:
            raise TooLargeError


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
    out = _Output(limit)
    if coding in ("gzip", "x-gzip"):
        if not body.startswith(b"\x1f\x8b"):
            return _plain(body, coding)
        whole = _inflate(body, 31, out)
    elif coding == "deflate":
        # The standard means zlib's format; many old servers send bare deflate.
        whole = _inflate(body, 15, out)
        if not any(out.pieces):
            whole = _inflate(body, -15, out)
    elif coding == "br":
        if _is_text(body):
            # a long text is never a valid Brotli stream, but a very short stream may look like text
            try:
                whole = _unbrotli(body, out)
            except TooLargeError:
                whole = False
            return b"".join(out.pieces) if whole else body, ""
        whole = _unbrotli(body, out)
    elif coding == "zstd":
        if not body.startswith(MAGIC["zstd"]):
            return _plain(body, coding)
        whole = _unzstd(body, out)
    else:
        return body, ""
    found = b"".join(out.pieces)
    if not whole and not found:
        return _plain(body, coding)
    return found, "" if whole else f"broken or cut {coding} content"


def _plain(body: bytes, coding: str) -> tuple[bytes, str]:
    """Returns a body that is not in its encoding, unchanged, if it is text; else raises UndecodableError."""
    if _is_text(body):
        return body, ""
    raise UndecodableError(coding)


def _is_text(body: bytes) -> bool:
    head = body[:512]
    return len(head.translate(None, _CONTROL)) == len(head)


def _inflate(body: bytes, window: int, out: _Output) -> bool:
    """Inflates all gzip members, or one stream; returns whether the end is complete."""
    rest = body
    while True:
        engine = zlib.decompressobj(window)
        feed = rest
        while not engine.eof:
            try:
                piece = engine.decompress(feed, min(out.room + 1, 1 << 20))
            except zlib.error:
                return False
            out.add(piece)
            feed = engine.unconsumed_tail
            if not feed and not piece:
                return bool(engine.eof)
        rest = engine.unused_data
        # any other bytes after the end are padding, which browsers ignore, too
        if window != 31 or not rest.startswith(b"\x1f\x8b\x08"):
            return True


def _unbrotli(body: bytes, out: _Output) -> bool:
    # only here and below, since most runs have neither
    import brotli

    engine = brotli.Decompressor()
    feed = body
    while not engine.is_finished():
        try:
            piece = engine.process(feed, output_buffer_limit=min(out.room + 1, 1 << 20))
        except brotli.error:
            return False
        out.add(piece)
        if not piece and engine.can_accept_more_data():
            return bool(engine.is_finished())
        feed = b""
    return True


def _unzstd(body: bytes, out: _Output) -> bool:
    members = Members(Source(BytesIO(body), "", 0), "zstd")
    while members.next_member():
        while piece := members.take(min(out.room + 1, 1 << 20)):
            out.add(piece)
        if members.damage:
            return False
    return True
