"""Work on an output beside the parent: in threads, bounded, and written in the order it was begun."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from ncleaner.sinks.base import Writable

__all__ = ["Ordered", "ordered"]


class Ordered:
    """Makes bytes of bytes in threads; see `ordered`."""

    def __init__(self, out: Writable, pool: ThreadPoolExecutor, most: int) -> None:
        self._out = out
        self._pool = pool
        self._most = most
        self._begun: deque[Future[bytes]] = deque()

    def begin(self, make: Callable[[bytes], bytes], data: bytes) -> None:
        """Has `make(data)` made and written, behind all that was begun before. Waits while there is much.

        Raises:
            Whatever earlier work or the output raises.
        """
        while self._begun and (self._begun[0].done() or len(self._begun) >= self._most):
            self._write_first()
        self._begun.append(self._pool.submit(make, data))

    def finish(self) -> None:
        """Writes all that was begun. Raises as `begin`."""
        while self._begun:
            self._write_first()

    def _write_first(self) -> None:
        self._out.write(self._begun.popleft().result())


@contextmanager
def ordered(out: Writable, threads: int, most: int) -> Iterator[Ordered]:
    """Threads that make bytes for an output. Only the caller's thread writes to it, and only when it asks for
    something: on leaving nothing is written, and threads are waited for.

    Args:
        out: the output.
        threads: how many may work at a time; they are started when they are needed.
        most: how much work may be begun and not yet written.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="sink")
    try:
        yield Ordered(out, pool, most)
    finally:
        pool.shutdown(cancel_futures=True)
