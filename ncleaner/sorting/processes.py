"""Runs tasks in worker processes, or in this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any, Final, Protocol, TypeVar

from ncleaner.errors import WorkerError
from ncleaner.running.ending import leave_signals_to_parent, raise_if_ended, signals_wait
from ncleaner.running.workers import process_context
from ncleaner.sorting.tasks import Report

__all__ = ["Task", "results"]

_POLL_SECONDS: Final = 0.2
# Tasks that are given to a worker before it needs them.
_AHEAD: Final = 2

R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T", bound="Task[Any]")


class Task(Protocol[R_co]):
    """A picklable piece of work."""

    def __call__(self, report: Report, /) -> R_co:
        """Does it, and reports the bytes that have been read."""
        ...


def results(
    tasks: Sequence[Task[R_co]], jobs: int, report: Report
) -> Generator[tuple[int, R_co], None, None]:
    """Runs tasks; yields the index and the result of each when it ends, in any order.

    An exception of a task, or closing this generator, ends all tasks at once; what they have written remains.

    Args:
        tasks: to run.
        jobs: number of processes. One is this process.
        report: called here with the bytes that tasks have read.

    Raises:
        WorkerError: a worker has ended before its task.
        KeyboardInterrupt: a signal has ended the run (`ending_on_signals`).
    """
    if jobs == 1 or len(tasks) < 2:

        def counted(size: int) -> None:
            raise_if_ended()
            report(size)

        for index, task in enumerate(tasks):
            raise_if_ended()
            yield index, task(counted)
        return
    yield from _in_workers(tasks, min(jobs, len(tasks)), report)


# In a worker: the bytes that each worker has read, in memory shared with the parent, and the worker's index.
_bytes_read: Any = None
_own = 0


def _begin_worker(bytes_read: Any, pids: Any, started: Any) -> None:
    global _bytes_read, _own
    leave_signals_to_parent()
    parent = multiprocessing.parent_process()
    assert parent is not None
    # a worker whose parent has been killed must not go on
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with started.get_lock():
        _own = started.value
        started.value += 1
    _bytes_read = bytes_read
    pids[_own] = os.getpid()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _run(task: Task[R_co]) -> R_co:
    def report(size: int) -> None:
        _bytes_read[_own] += size

    return task(report)


def _in_workers(
    tasks: Sequence[Task[R_co]], jobs: int, report: Report
) -> Generator[tuple[int, R_co], None, None]:
    context = process_context()
    bytes_read = context.RawArray("q", jobs)
    pids = context.RawArray("q", jobs)
    shared = (bytes_read, pids, context.Value("i", 0))
    reported = 0
    waiting = iter(enumerate(tasks))
    running: dict[Future[R_co], int] = {}
    pool = ProcessPoolExecutor(jobs, context, _begin_worker, shared)
    try:
        while True:
            while len(running) < _AHEAD * jobs and (following := next(waiting, None)):
                with warnings.catch_warnings(), signals_wait():
                    # Python also counts the threads of libraries such as NumPy, which handle forks themselves
                    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
                    running[pool.submit(_run, following[1])] = following[0]
            if not running:
                break
            done, _ = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
            raise_if_ended()
            now = sum(bytes_read)
            report(now - reported)
            reported = now
            for future in sorted(done, key=running.__getitem__):
                yield running.pop(future), future.result()
    except BrokenProcessPool:
        running.clear()
        raise WorkerError(
            "a worker process was killed, perhaps because the memory is full: run the same command again to "
            "go on"
        ) from None
    finally:
        if running:
            for pid in filter(None, pids):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        pool.shutdown(cancel_futures=True)
