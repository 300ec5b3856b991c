"""Worker processes: each takes one job at a time and sends the results back in chunks.

A worker that dies, or spends too long on one page, is replaced. The sender of its job learns how far the
worker came, and at which page it was. Native code cannot be stopped inside a process, so only this bounds the
time of a page.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from ncleaner.errors import NcleanerError, WorkerError
from ncleaner.running.ending import leave_signals_to_parent, raise_if_ended, signals_wait
from ncleaner.running.jobs import Chunk, Death, Done, Event, Failed, Job, PageTimer, WorkerState
from ncleaner.running.settings import Settings

__all__ = ["Pool", "process_context"]

# Seconds without a message after which a worker that is at no page is replaced. It may be starting, or
# passing over a record of many gigabytes.
_SILENCE = 600.0
# Workers in a row that end before they are ready, after which the run ends.
_MAX_FAILED_STARTS = 5
_PR_SET_PDEATHSIG = 1
# The first message of a worker.
_READY = "ready"
# Environment variable with a Python file that each worker runs first; tests use it to make workers die.
_HOOK = "NCLEANER_WORKER_HOOK"


# -------------------------------------------------------------------------------------------------


def _work(
    connection: Connection, settings: Settings, timer: PageTimer, hook: str, inherited: Iterable[Connection]
) -> None:
    """Runs in a worker process: cleans the jobs that arrive, and sends back their events."""
    leave_signals_to_parent()
    for other in inherited:
        other.close()
    _die_with_parent()
    _bound_memory(settings.limits.memory)
    if hook:
        runpy.run_path(hook)
    state = WorkerState(settings, settings.cleaner(), settings.sink(), timer)
    # the pipe is closed, possibly in the middle of a message, when the parent has no more jobs or has died
    with suppress(EOFError, OSError):
        connection.send(_READY)
        while (job := connection.recv()) is not None:
            try:
                for chunk in job.run(state):
                    connection.send(chunk)
                connection.send(Done())
            except NcleanerError as error:
                connection.send(Failed(str(error)))
            except (BrokenPipeError, ConnectionResetError):
                return
            except Exception as error:
                # a bug in this package: the page is treated like one that kills the process
                death = Death("failed", _bug(error), timer.item)
                timer.end()
                connection.send(death)


def _bug(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} (in {where.name}, {Path(where.filename).name}:{where.lineno}), a bug in ncleaner"


def _die_with_parent() -> None:
    """Asks the system to kill this process when its parent ends; a hung one does not read its pipe."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _bound_memory(size: int | None) -> None:
    """Asks the system to refuse this process more than `size` bytes of data."""
    if size is None:
        return
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    timer: PageTimer
    job: Job | None = None
    number: int = -1
    heard: float = 0.0
    ready: bool = False


class Pool:
    """Worker processes that take one job at a time each.

    Args:
        jobs: number of workers.
        settings: of all workers.
    """

    def __init__(self, jobs: int, settings: Settings) -> None:
        self._settings = settings
        self._failed_starts = 0
        self._submitted = 0
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            self._workers.append(self._start())

    def _start(self) -> _Worker:
        tries = 1
        while True:
            try:
                return self._start_once()
            except (EOFError, OSError) as error:
                # the fork server may have been killed: the next attempt starts a new one
                if tries == _MAX_FAILED_STARTS:
                    raise WorkerError(f"workers cannot be started: {error}") from error
                tries += 1

    def _start_once(self) -> _Worker:
        context = process_context()
        ours, theirs = context.Pipe()
        timer = PageTimer(context)
        # a forked worker inherits the parent's ends of all pipes, and has to close them
        inherited = () if _starts_fresh(context) else (ours, *(worker.connection for worker in self._workers))
        arguments = (theirs, self._settings, timer, os.environ.get(_HOOK, ""), inherited)
        process = context.Process(target=_work, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # Python also counts the threads of libraries such as NumPy, which handle forks themselves
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            with signals_wait():
                process.start()
        theirs.close()
        return _Worker(process, ours, timer)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.job is not None:
                worker.process.kill()
            else:
                with suppress(BrokenPipeError, ConnectionResetError):
                    worker.connection.send(None)
            worker.connection.close()
        for worker in self._workers:
            worker.process.join(5)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()

    @property
    def idle(self) -> int:
        """Workers without a job."""
        return sum(worker.job is None for worker in self._workers)

    @property
    def busy(self) -> bool:
        """Whether any worker has a job."""
        return any(worker.job is not None for worker in self._workers)

    def submit(self, job: Job) -> int:
        """Gives a job to an idle worker.

        Returns:
            The number of the job, which its events carry.

        Raises:
            RuntimeError: no worker is idle.
            WorkerError: see `poll`.
        """
        position = next((i for i, worker in enumerate(self._workers) if worker.job is None), None)
        if position is None:
            raise RuntimeError("no idle worker")
        self._submitted += 1
        self._give(position, job, self._submitted)
        return self._submitted

    def _give(self, position: int, job: Job, number: int) -> None:
        while True:
            worker = self._workers[position]
            try:
                worker.connection.send(job)
            except OSError:
                # the worker died while it was idle, or before it was ready
                if not worker.ready:
                    self._count_failed_start(_death_of(worker))
                self._workers[position] = self._replace(worker)
                continue
            worker.job, worker.number, worker.heard = job, number, time.monotonic()
            return

    def _replace(self, worker: _Worker) -> _Worker:
        worker.process.kill()
        worker.process.join()
        worker.connection.close()
        return self._start()

    def poll(self, seconds: float) -> list[tuple[int, Event]]:
        """Returns new events in order, as (number of the job, event); waits up to `seconds` for the first.

        Raises:
            WorkerError: several workers in a row have ended before they were ready.
            KeyboardInterrupt: a signal has ended the run (`ending_on_signals`).
        """
        raise_if_ended()
        busy = {
            worker.connection: position
            for position, worker in enumerate(self._workers)
            if worker.job is not None
        }
        events: list[tuple[int, Event]] = []
        ready = wait(list(busy), seconds) if busy else []
        for connection in ready:
            position = busy[connection]  # type: ignore[index]
            worker = self._workers[position]
            assert worker.job is not None
            try:
                event = worker.connection.recv()
            except (EOFError, OSError):
                # the worker has died, possibly in the middle of a message
                death = _death_of(worker)
                self._workers[position] = self._replace(worker)
                if worker.ready:
                    events.append((worker.number, death))
                else:
                    self._count_failed_start(death)
                    self._give(position, worker.job, worker.number)
                continue
            worker.heard = time.monotonic()
            if event == _READY:
                worker.ready = True
                self._failed_starts = 0
                continue
            events.append((worker.number, event))
            if not isinstance(event, Chunk):
                worker.job = None
        for position, worker in enumerate(self._workers):
            if worker.job is None or worker.connection in ready:
                continue
            overdue = self._overdue(worker, time.monotonic())
            if overdue is not None:
                events.append((worker.number, overdue))
                self._workers[position] = self._replace(worker)
        return events

    def _count_failed_start(self, death: Death) -> None:
        """Counts a worker that has ended before it was ready, which no page can have caused."""
        self._failed_starts += 1
        if self._failed_starts == _MAX_FAILED_STARTS:
            raise WorkerError(f"workers end before they are ready: {death.why}")

    def _overdue(self, worker: _Worker, now: float) -> Death | None:
        limit = self._settings.limits.seconds
        if worker.timer.seconds(now) > limit:
            return Death("too slow", f"not finished after {limit:g} seconds", worker.timer.item)
        if not worker.timer.seconds(now) and now - worker.heard > _SILENCE:
            return Death("silent", f"the worker has sent nothing for {_SILENCE:g} seconds", -1)
        return None


_Context = ForkContext | ForkServerContext | SpawnContext


def process_context() -> _Context:
    """Returns how workers are started.

    A fork of this process takes no time, and is used if this process has no other thread, which could hold a
    lock at that moment. Otherwise workers are forked from a server process without threads that has the
    modules loaded.
    """
    methods = multiprocessing.get_all_start_methods()
    if "fork" in methods and sys.platform != "darwin" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    if "forkserver" not in methods:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    return context


def _starts_fresh(context: _Context) -> bool:
    """Whether a worker inherits no pipes of this process."""
    return context.get_start_method() != "fork"


def _death_of(worker: _Worker) -> Death:
    worker.process.join(5)
    code = worker.process.exitcode
    if code is not None and code < 0:
        why = f"the worker was killed by {signal.Signals(-code).name}"
    else:
        why = f"the worker ended with status {code}"
    # SIGKILL and SIGTERM come from outside (out-of-memory killer, operator): allow one more try
    outside = code in (-signal.SIGKILL, -signal.SIGTERM)
    return Death("killed its worker", why, worker.timer.item, 3 if outside else 2)
