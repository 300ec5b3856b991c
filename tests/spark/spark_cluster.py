"""A real Spark standalone cluster on loopback: a master and its workers, each a process of its own."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from ..processes import descendants

# what begins fast and stays small
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: The environment of drivers: they are reached on loopback only.
ENVIRONMENT = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_DRIVER_PYTHON": sys.executable,
}
#: Configuration of drivers and their executors.
OPTIONS = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_SECONDS = 300.0


def missing() -> str:
    """Why there can be no cluster here; empty if there can."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: install ncleaner[spark]"
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        return "Spark needs Java, and there is none"
    return ""


def connect_missing() -> str:
    """Which libraries of Spark Connect are missing here; empty if none is."""
    names = [name for name in ("grpc", "grpc_status", "zstandard") if importlib.util.find_spec(name) is None]
    return f"Spark Connect needs {', '.join(names)}: install pyspark[connect]" if names else ""


def skip_without_spark() -> None:
    reason = missing()
    if reason:
        pytest.skip(reason, allow_module_level=True)


def program(name: str) -> str:
    """A program of the pyspark that is installed."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return str(Path(spec.origin).parent / "bin" / name)


class Cluster:
    """A master, and workers with a core each.

    Attributes:
        url: of the master.
        workers: the processes of the workers.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        self.log = folder / "master.log"

    def start(self) -> None:
        """Starts the master."""
        self._start("master.Master", self.log, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.url = self._said(r"Starting Spark master at (spark://\S+)")[0]

    def _start(self, name: str, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
        with log.open("wb") as out:
            process = subprocess.Popen(
                [program("spark-class"), f"org.apache.spark.deploy.{name}", *arguments],
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                env={
                    **os.environ, **ENVIRONMENT, "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": _JAVA,
                },
            )  # fmt: skip
        self._processes.append(process)
        return process

    def _said(self, pattern: str, times: int = 1) -> list[str]:
        """What the master has said, as soon as it has said it so often."""
        deadline = time.monotonic() + _SECONDS
        while len(found := re.findall(pattern, self.log.read_text())) < times:
            assert time.monotonic() < deadline, self.log.read_text()
            assert all(process.poll() is None for process in self._processes[:1]), self.log.read_text()
            time.sleep(0.1)
        return found

    def start_workers(self, number: int) -> None:
        """Starts workers, and waits until the master knows them."""
        for _ in range(number):
            name = f"worker{len(self._processes)}"
            # fmt: off
            worker = self._start(
                "worker.Worker", self.folder / f"{name}.log", "--host", "127.0.0.1", "--port", "0",
                "--webui-port", "0", "--cores", "1", "--memory", "700m",
                "--work-dir", str(self.folder / name), self.url,
            )
            # fmt: on
            self.workers.append(worker)
        self._said(r"Registering worker", len(self._processes) - 1)

    def kill_worker(self) -> list[int]:
        """Kills a worker and its executors, and gives what these had started."""
        worker = self.workers.pop(0)
        executors = [process.pid for process in psutil.Process(worker.pid).children()]
        started = [pid for executor in executors for pid in descendants(executor)]
        for pid in (worker.pid, *executors):
            _kill(pid)
        worker.wait()
        return started

    def stop(self) -> None:
        """Ends all of it."""
        family = [pid for process in self._processes for pid in descendants(process.pid)]
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        for pid in family:
            _kill(pid)


def running(pids: list[int]) -> list[int]:
    """Those of some processes that have not ended."""
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@contextmanager
def spark_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster that is there, and ends with the block."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        cluster.start_workers(workers)
        yield cluster
    finally:
        cluster.stop()
