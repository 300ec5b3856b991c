"""How a run ends on a signal, also where Python drops what the signal raises."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from ncleaner.pools.interrupts import (
    Terminated,
    ending_on_signals,
    leave_signals_to_parent,
    raise_if_ended,
    signals_wait,
)

if sys.platform == "win32":
    pytest.skip("Windows sends no such signals", allow_module_level=True)

BOTH = pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]
)


def send(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)


class Deleted:
    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        send(self.number)


@BOTH
def test_a_signal_ends_what_runs(number: signal.Signals, error: type[KeyboardInterrupt]) -> None:
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pytest.raises(error), ending_on_signals():
        send(number)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers
    raise_if_ended()


def test_what_is_ignored_stays_so() -> None:
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ending_on_signals():
            os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, handler)


@BOTH
def test_dropped_while_an_object_is_deleted(number: signal.Signals, error: type[KeyboardInterrupt]) -> None:
    hook = sys.unraisablehook
    went_on = False
    with pytest.raises(error), ending_on_signals():
        Deleted(number)
        went_on = True
        raise_if_ended()
        pytest.fail("the signal is lost")
    assert went_on
    assert sys.unraisablehook is hook


def test_signals_wait_that_another_thread_gets() -> None:
    done = []
    with ThreadPoolExecutor(1) as threads, pytest.raises(Terminated), ending_on_signals():
        # a thread with no mask, which the system chooses as the main thread has one
        threads.submit(time.sleep, 0.1)
        with signals_wait():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.2)
            done.append("started")
        done.append("lost")
    assert done == ["started"]


# Python counts the threads of libraries, too
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_dropped_after_a_fork() -> None:
    armed = [True]
    os.register_at_fork(after_in_parent=lambda: send(signal.SIGTERM) if armed else None)
    went_on = False
    with pytest.raises(Terminated), ending_on_signals():
        if not os.fork():
            os._exit(0)
        went_on = True
        raise_if_ended()
        pytest.fail("the signal is lost")
    assert went_on
    armed.clear()


def test_dropped_near_the_end() -> None:
    with pytest.raises(Terminated), ending_on_signals():
        Deleted(signal.SIGTERM)


def test_signals_wait() -> None:
    done = []
    with pytest.raises(Terminated), ending_on_signals():
        with signals_wait():
            # to this thread: a library's thread without a mask may be slow to take a signal of the process
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
            done.append("started")
        done.append("lost")
    assert done == ["started"]


# Python counts the threads of libraries, too
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_worker_leaves_signals_to_its_parent() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with signals_wait():
        child = os.fork()
        if not child:
            leave_signals_to_parent()
            os.kill(os.getpid(), signal.SIGINT)
            send(signal.SIGTERM)
            os._exit(0)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGTERM
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_other_exceptions_that_python_drops_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: told.append(found.exc_type))

    class Broken:
        def __del__(self) -> None:
            raise RuntimeError

    with ending_on_signals():
        Broken()
        # native code may tell an error without its value
        sys.unraisablehook(SimpleNamespace(exc_type=OSError, exc_value=None))
    assert told == [RuntimeError, OSError]
