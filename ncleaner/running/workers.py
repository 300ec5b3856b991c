"""Worker processes: each cleans what it is given and streams the results back.

A worker that dies, or is at a page for longer than it may be, is replaced; who gave it the job learns how far
it came, and at which page it was. Native code cannot be stopped inside a process, so this is what really
bounds a page.
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
from ncleaner.running.jobs import Chunk, Death, Done, Event, Failed, Job, State, Watch
from ncleaner.running.settings import Settings

__all__ = ["Pool"]

# How long a worker that is at no page may say nothing: it starts, or passes over a record of many gigabytes.
_SILENCE = 600.0
# How many workers in a row may end before they are ready to work.
_STILLBORN = 5
_PR_SET_PDEATHSIG = 1
# What a worker sends first.
_READY = "ready"
# Names a file of Python that each worker runs first: how tests make pages deadly.
_HOOK = "NCLEANER_WORKER_HOOK"


# -------------------------------------------------------------------------------------------------


def _work(
    connection: Connection, settings: Settings, watch: Watch, hook: str, inherited: Iterable[Connection]
) -> None:
    """Main function of a worker."""
    # the parent alone decides what an interrupt means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.close()
    _die_with_parent()
    _bound_memory(settings.limits.memory)
    if hook:
        runpy.run_path(hook)
    state = State(settings, settings.cleaner(), settings.sink(), watch)
    # a parent that has no more need of us, or is no more, closes its end, even in the middle of a word
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
                # a bug of ours: the page is given up like one that kills the process
                death = Death("failed", _bug(error), watch.item)
                watch.end()
                connection.send(death)


def _bug(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} (in {where.name}, {Path(where.filename).name}:{where.lineno}), an error of this program"


def _die_with_parent() -> None:
    """Has the system kill this process when its parent ends: one that hangs sees no pipe close."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _bound_memory(size: int | None) -> None:
    """Has the system refuse this process more than so many bytes."""
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
    watch: Watch
    job: Job | None = None
    number: int = -1
    heard: float = 0.0
    ready: bool = False


class Pool:
    """Worker processes that take one job at a time.

    Args:
        jobs: how many.
        settings: for all of them.
    """

    def __init__(self, jobs: int, settings: Settings) -> None:
        self._settings = settings
        self._stillborn = 0
        self._submitted = 0
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            self._workers.append(self._start())

    def _start(self) -> _Worker:
        tries = 1
        while True:
            try:
                return self._started()
            except (EOFError, OSError) as error:
                # the server that workers are forked from may have been killed: the next try begins a new one
                if tries == _STILLBORN:
                    raise WorkerError(f"workers cannot be started: {error}") from error
                tries += 1

    def _started(self) -> _Worker:
        context = _context()
        ours, theirs = context.Pipe()
        watch = Watch(context)
        # a copy of this process has its ends of all pipes, too, and would keep them open
        inherited = () if _begins_clean(context) else (ours, *(worker.connection for worker in self._workers))
        arguments = (theirs, self._settings, watch, os.environ.get(_HOOK, ""), inherited)
        process = context.Process(target=_work, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # Python counts the system's threads, NumPy's among them, which know of forks
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            process.start()
        theirs.close()
        return _Worker(process, ours, watch)

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
            The number of the job, by which its events are known.

        Raises:
            RuntimeError: there is none.
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
                # it died while idle, or is not ready
                if not worker.ready:
                    self._count_stillborn(_death_of(worker))
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
        """What has come of the jobs: (number of the job, event), in order; waits up to `seconds` for the
        first.

        Raises:
            WorkerError: one worker after the other ends before it is ready to work.
        """
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
                # it may have been killed in the middle of a word
                death = _death_of(worker)
                self._workers[position] = self._replace(worker)
                if worker.ready:
                    events.append((worker.number, death))
                else:
                    self._count_stillborn(death)
                    self._give(position, worker.job, worker.number)
                continue
            worker.heard = time.monotonic()
            if event == _READY:
                worker.ready = True
                self._stillborn = 0
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

    def _count_stillborn(self, death: Death) -> None:
        """Counts a worker that has ended before it was ready: none of its work is to blame."""
        self._stillborn += 1
        if self._stillborn == _STILLBORN:
            raise WorkerError(f"workers end before they can begin: {death.why}")

    def _overdue(self, worker: _Worker, now: float) -> Death | None:
        limit = self._settings.limits.seconds
        if worker.watch.seconds(now) > limit:
            return Death("too slow", f"not finished after {limit:g} seconds", worker.watch.item)
        if not worker.watch.seconds(now) and now - worker.heard > _SILENCE:
            return Death("silent", f"the worker has said nothing for {_SILENCE:g} seconds", -1)
        return None


_Context = ForkContext | ForkServerContext | SpawnContext


def _context() -> _Context:
    """How a worker begins: as a copy of this process, which costs nothing, if it has no threads that may just
    now hold a lock; else as a copy of a clean process that has what a worker needs."""
    methods = multiprocessing.get_all_start_methods()
    if "fork" in methods and sys.platform != "darwin" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    if "forkserver" not in methods:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    return context


def _begins_clean(context: _Context) -> bool:
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
    return Death("killed its worker", why, worker.watch.item, 3 if outside else 2)
