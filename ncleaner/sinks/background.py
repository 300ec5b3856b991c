"""Work on an output in threads: bounded, and written in the order in which it was begun."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from ncleaner.sinks.base import Writable

__all__ = ["Ordered", "ordered"]


class Ordered:
    """Converts bytes in threads, and writes the results in order; see `ordered`."""

    def __init__(self, out: Writable, pool: ThreadPoolExecutor, max_begun: int) -> None:
        self._out = out
        self._pool = pool
        self._max_begun = max_begun
        self._begun: deque[Future[bytes]] = deque()

    def begin(self, convert: Callable[[bytes], bytes], data: bytes) -> None:
        """Begins `convert(data)` in a thread; its result is written after all results begun before.

        Waits while too much work is not yet written.

        Raises:
            Whatever earlier work or the output raises.
        """
        while self._begun and (self._begun[0].done() or len(self._begun) >= self._max_begun):
            self._write_first()
        self._begun.append(self._pool.submit(convert, data))

    def finish(self) -> None:
        """Waits for all work, and writes its results. Raises as `begin`."""
        while self._begun:
            self._write_first()

    def _write_first(self) -> None:
        self._out.write(self._begun.popleft().result())


@contextmanager
def ordered(out: Writable, threads: int, max_begun: int) -> Iterator[Ordered]:
    """Starts threads that convert bytes for an output.

    Only the caller's thread writes to the output, and only within `begin` and `finish`. At the end of the
    block the threads are waited for, and nothing is written.

    Args:
        out: the output.
        threads: most threads at a time; each is started when it is needed.
        max_begun: most pieces of work that are begun and not yet written.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="sink")
    try:
        yield Ordered(out, pool, max_begun)
    finally:
        pool.shutdown(cancel_futures=True)
