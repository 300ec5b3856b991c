"""Compressed output: pieces of one size, each a separate gzip member or Zstandard frame.

The pieces are cut by size only, so the bytes depend neither on the sizes of the writes nor on the number of
threads. A reader of members or frames can begin at any of them. `ordered` bounds the work of the threads, and
writes what they make in the order in which it was begun.
"""

import os
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.reading.inflating import zstd_compressor
from ncleaner.sinks.sink import Sink, Writable

# Bytes of a piece before compression; the output is one per cent larger than one stream without pieces.
_PIECE = 1 << 20
_THREADS = min(4, os.cpu_count() or 1)
_GZIP_LEVEL = 6


def _gzip(piece: bytes) -> bytes:
    # the header that zlib writes contains neither time nor name nor host, so the bytes are the same in every
    # run
    return zlib.compress(piece, _GZIP_LEVEL, zlib.MAX_WBITS + 16)


def _zstd(piece: bytes) -> bytes:
    engine = zstd_compressor()
    return bytes(engine.compress(piece, engine.FLUSH_FRAME))


_COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gz": _gzip, "zst": _zstd}


class Compressed(Sink):
    """A sink whose output is compressed.

    Args:
        sink: the sink of the format.
        compression: of the output.
    """

    def __init__(self, sink: Sink, compression: str) -> None:
        super().__init__(sink.options)
        self._sink = sink
        self._compression = compression
        self.suffix = f"{sink.suffix}.{compression}"
        self.marks = sink.marks

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns the page as the sink of the format does."""
        return self._sink.render(page, document, kept, single)

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """Returns the wrapper of the format's sink around a compressed output."""
        with ordered(out, _COMPRESS[self._compression], _THREADS, 2 * _THREADS) as work:
            pieces = _Pieces(work)
            with self._sink.wrapped(pieces) as inner:
                yield inner
            pieces.finish()


class _Pieces:
    """Cuts the written bytes into pieces, and has them compressed."""

    def __init__(self, work: "Ordered") -> None:
        self._work = work
        self._rest = bytearray()
        self._empty = True

    def write(self, data: bytes) -> None:
        """Writes bytes of any length."""
        self._rest += data
        while len(self._rest) >= _PIECE:
            piece = bytes(self._rest[:_PIECE])
            del self._rest[:_PIECE]
            self._begin(piece)

    def finish(self) -> None:
        """Writes the last piece; for an empty stream, one empty member or frame, which readers expect."""
        if self._rest or self._empty:
            self._begin(bytes(self._rest))
        self._work.finish()

    def _begin(self, piece: bytes) -> None:
        self._empty = False
        self._work.begin(piece)


class Ordered:
    """Converts bytes in threads, and writes the results in order; see `ordered`."""

    def __init__(
        self, out: Writable, convert: Callable[[bytes], bytes], pool: ThreadPoolExecutor, max_begun: int
    ) -> None:
        self._out = out
        self._convert = convert
        self._pool = pool
        self._max_begun = max_begun
        self._begun: deque[Future[bytes]] = deque()

    def begin(self, data: bytes) -> None:
        """Begins to convert bytes in a thread; the result is written after all results begun before.

        Waits while too much work is not yet written.

        Raises:
            Whatever earlier work or the output raises.
        """
        while self._begun and (self._begun[0].done() or len(self._begun) >= self._max_begun):
            self._write_first()
        self._begun.append(self._pool.submit(self._convert, data))

    def finish(self) -> None:
        """Waits for all work, and writes its results. Raises as `begin`."""
        while self._begun:
            self._write_first()

    def _write_first(self) -> None:
        self._out.write(self._begun.popleft().result())


@contextmanager
def ordered(
    out: Writable, convert: Callable[[bytes], bytes], threads: int, max_begun: int
) -> Iterator[Ordered]:
    """Starts threads that convert bytes for an output.

    Only the caller's thread writes to the output, and only within `begin` and `finish`. At the end of the
    block the threads are waited for, and nothing is written.

    Args:
        out: the output.
        convert: what a thread does.
        threads: most threads at a time; each is started when it is needed.
        max_begun: most pieces of work that are begun and not yet written.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="sink")
    try:
        yield Ordered(out, convert, pool, max_begun)
    finally:
        pool.shutdown(cancel_futures=True)
