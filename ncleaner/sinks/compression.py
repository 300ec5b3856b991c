"""Compressed output: pieces of one size, each a gzip member or a Zstandard frame of its own.

As pieces are cut by their size alone, the bytes depend neither on how much was written at a time nor on how
many threads there are; and what reads members and frames can begin at any of them.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import zstandard

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.background import Ordered, ordered
from ncleaner.sinks.base import Compression, Sink, Writable

__all__ = ["Compressed", "compressed"]

# A piece of this size loses a percent to a stream without pieces.
_PIECE = 1 << 20
_THREADS = min(4, os.cpu_count() or 1)
_GZIP_LEVEL = 6
_ZSTD_LEVEL = 3


def _gzip(piece: bytes) -> bytes:
    # zlib's own header says nothing of time, name or host
    return zlib.compress(piece, _GZIP_LEVEL, zlib.MAX_WBITS + 16)


def _zstd(piece: bytes) -> bytes:
    # a compressor for each piece: one is not for several threads
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress(piece)


_COMPRESS: dict[Compression, Callable[[bytes], bytes]] = {"gz": _gzip, "zst": _zstd}


class Compressed:
    """A format, compressed.

    Args:
        sink: the format.
        compression: how.
    """

    def __init__(self, sink: Sink, compression: Compression) -> None:
        self._sink = sink
        self._compression: Compression = compression
        self.suffix = f"{sink.suffix}.{compression}"
        self.needs = sink.needs

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """As the format."""
        return self._sink.render(page, document, kept, single)

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """As the format, compressed."""
        with compressed(out, self._compression) as packed, self._sink.wrapped(packed) as inner:
            yield inner


class _Pieces:
    """What is written, cut into pieces."""

    def __init__(self, work: Ordered, compress: Callable[[bytes], bytes]) -> None:
        self._work = work
        self._compress = compress
        self._rest = bytearray()
        self._empty = True

    def write(self, data: bytes) -> None:
        """Takes data of any length."""
        self._rest += data
        while len(self._rest) >= _PIECE:
            piece = bytes(self._rest[:_PIECE])
            del self._rest[:_PIECE]
            self._begin(piece)

    def finish(self) -> None:
        """Writes all that is left; of an empty stream one empty member or frame, which readers expect."""
        if self._rest or self._empty:
            self._begin(bytes(self._rest))
        self._work.finish()

    def _begin(self, piece: bytes) -> None:
        self._empty = False
        self._work.begin(self._compress, piece)


@contextmanager
def compressed(out: Writable, compression: Compression) -> Iterator[Writable]:
    """Compresses what is written to it into `out`: the rest of it on leaving, nothing more after an
    exception."""
    with ordered(out, _THREADS, 2 * _THREADS) as work:
        pieces = _Pieces(work, _COMPRESS[compression])
        yield pieces
        pieces.finish()
