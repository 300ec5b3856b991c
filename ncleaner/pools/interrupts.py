"""How a run ends on a signal: SIGINT and SIGTERM raise an exception, which cleans up on its way."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """A SIGTERM, which ends a run in the same way as SIGINT."""


_interrupt: KeyboardInterrupt | None = None
# Contexts in which signals wait, and the signal that waits. The mask of the main thread is not enough: the
# system gives a signal to any thread, and libraries such as OpenBLAS have some.
_holding = 0
_waiting: int | None = None


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Makes SIGINT and SIGTERM end the enclosed run without half-written outputs; a second signal ends the
    process.

    Python drops an exception that is raised while it deletes an object or just after a fork, and native code
    may drop one too. So a run calls `raise_if_ended` again and again.

    Raises:
        KeyboardInterrupt: SIGINT has arrived.
        Terminated: SIGTERM has arrived.
    """

    def end(number: int, _: object) -> None:
        global _interrupt, _waiting
        if os.getpid() != owner:
            # a process that has been started by one with this handler, and has not yet set its own
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        if _holding:
            _waiting = number
            return
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        _interrupt = Terminated() if number == signal.SIGTERM else KeyboardInterrupt()
        raise _interrupt

    def dropped(found: Any) -> None:
        if _interrupt is None or found.exc_value is not _interrupt:
            hook(found)

    global _interrupt
    owner = os.getpid()
    before = {}
    for number in _ENDING:
        # the parent process may have set one of them to be ignored
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, end)
    hook, sys.unraisablehook = sys.unraisablehook, dropped
    try:
        yield
        raise_if_ended()
    except BaseException:
        # native code makes other exceptions of it, and what is being imported is not there then
        raise_if_ended()
        raise
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
        _interrupt = None


def raise_if_ended() -> None:
    """Raises what `ending_on_signals` has raised before, if something has dropped it."""
    if _interrupt is not None:
        raise _interrupt


@contextmanager
def signals_wait() -> Iterator[None]:
    """Lets these signals wait: in this process until the end of the context, and in a process that it starts
    meanwhile until that calls `leave_signals_to_parent`."""
    if sys.platform == "win32":
        yield
        return
    global _holding, _waiting
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    _holding += 1
    try:
        yield
    finally:
        _holding -= 1
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if _waiting is not None and not _holding:
            number, _waiting = _waiting, None
            signal.raise_signal(number)


def leave_signals_to_parent() -> None:
    """Makes a worker ignore SIGINT, which a terminal sends to all processes of a run, and die of SIGTERM, by
    which its parent ends it; and ends the waiting that it has inherited (`signals_wait`)."""
    global _holding
    _holding = 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
