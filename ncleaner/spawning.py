"""Processes of pools and tools: new ones, not forked, that end with this process, and that an interrupt of
the terminal does not reach."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

__all__ = ["spawn_context"]


class _Process(SpawnProcess):
    """A terminal sends SIGINT to all processes of a command. It must find no Python that is just starting,
    whose traceback would stand among the messages: the parent decides when its processes end. If it is
    interrupted while it starts a pool, there is nobody who would tell them; daemons end even so."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "daemon": True})

    def start(self) -> None:
        if sys.platform == "win32":
            super().start()
            return
        with _handlers_wait():
            # the new process inherits what is blocked
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            try:
                super().start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handlers_wait() -> Iterator[None]:
    """Lets the handlers of signals wait: a process that is started half says so at length. It is not enough
    to block the signals, since a thread of a library takes them."""
    if threading.current_thread() is not threading.main_thread():
        # handlers run in the main thread
        yield
        return
    arrived: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    waiting = [number for number, handler in handlers.items() if callable(handler)]
    for number in waiting:
        signal.signal(number, lambda found, _: arrived.append(found))
    try:
        yield
    finally:
        for number in waiting:
            signal.signal(number, handlers[number])
        for found in arrived[:1]:
            signal.raise_signal(found)


class _Context(SpawnContext):
    Process = _Process


def spawn_context() -> SpawnContext:
    """Returns what starts processes. They are not forked: the caller may run threads (a progress bar does),
    and a fork copies their locks."""
    return _Context()
