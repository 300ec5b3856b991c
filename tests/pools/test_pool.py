"""Tasks in worker processes: their answers, errors, and workers that end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ncleaner.errors import WorkerError
from ncleaner.pools.pool import Activity, Pool, Worker, results

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@dataclass(frozen=True)
class Double:
    number: int

    def __call__(self, worker: Worker) -> int:
        worker.report(self.number)
        return int(worker.shared) + 2 * self.number


@dataclass(frozen=True)
class Dies:
    """Ends its worker by a signal, until a file is there."""

    place: Path
    number: int

    def __call__(self, worker: Worker) -> str:
        if not self.place.exists():
            self.place.touch()
            os.kill(os.getpid(), self.number)
        return "done"


@dataclass(frozen=True)
class Always:
    def __call__(self, worker: Worker) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Raises:
    def __call__(self, worker: Worker) -> None:
        raise KeyError("x")


@dataclass(frozen=True)
class OutOfMemory:
    def run(self, state: None) -> Iterator[object]:
        yield from ()
        raise MemoryError


def _nothing(activity: Activity) -> None:
    return None


@pytest.mark.parametrize("jobs", [1, 3])
def test_answers_and_what_is_reported(jobs: int) -> None:
    reported: list[int] = []
    found = dict(results(map(Double, range(20)), jobs, shared=100, report=reported.append))
    assert found == {number: 100 + 2 * number for number in range(20)}
    assert sum(reported) == sum(range(20))


def test_there_are_no_tasks() -> None:
    assert list(results([], 4)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_of_a_task_ends_all(jobs: int) -> None:
    with pytest.raises(KeyError, match="x"):
        list(results([Raises(), Raises()], jobs))


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV])
def test_a_worker_that_ends_or_is_stopped_is_replaced(tmp_path: Path, number: int) -> None:
    tasks = [Dies(tmp_path / "here", number), Dies(tmp_path, number)]
    assert dict(results(tasks, 2)) == {0: "done", 1: "done"}


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="real-time signals")
def test_a_signal_without_a_name(tmp_path: Path) -> None:
    tasks = [Dies(tmp_path / "here", signal.SIGRTMIN + 6), Dies(tmp_path, signal.SIGRTMIN + 6)]
    assert dict(results(tasks, 2)) == {0: "done", 1: "done"}


@posix
def test_a_task_that_always_ends_its_worker() -> None:
    with pytest.raises(WorkerError, match="3 workers ended at one task: the worker was killed by SIGKILL"):
        list(results([Always(), Always()], 2))


def test_a_worker_without_memory_says_so() -> None:
    with Pool(1, _nothing) as pool:
        pool.submit(OutOfMemory())
        events: list[tuple[int, Any]] = []
        while not events:
            events = pool.poll(0.2)
    ((_, death),) = events
    assert death.why.startswith("not enough memory (in run, test_pool.py:")


@pytest.mark.untraced  # a measured child could not write what it has covered
@pytest.mark.skipif(sys.platform != "linux", reason="the shared memory is a file there")
def test_workers_that_cannot_be_started() -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    pool = "from ncleaner.pools.pool import Pool; Pool(1, print)"
    done = subprocess.run([sys.executable, "-P", "-c", limit + pool], capture_output=True, check=False)
    assert done.stderr.endswith(b"WorkerError: workers cannot be started: File too large\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the signals that a process blocks")
def test_signals_wait_in_a_fork_server_that_starts() -> None:
    # an interrupt of the terminal reaches it, too, and Python has no handler of ours while it loads modules
    code = """
import re, time
from multiprocessing import forkserver
from pathlib import Path
from ncleaner.pools.pool import start
start(time.sleep, 0).join()
status = Path(f"/proc/{forkserver._forkserver._forkserver_pid}/status").read_text()
print(int(re.search("SigBlk:\\s+(\\w+)", status)[1], 16))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    blocked = int(done.stdout)
    assert all(blocked >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM))


def test_no_pool_is_without_workers() -> None:
    with pytest.raises(ValueError, match="at least one worker, not 0"):
        Pool(0, lambda activity: None)
