"""Starts the processes that are measured."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FailedError", "Usage", "child_seconds", "cpu_seconds", "environment", "launched", "step"]


class FailedError(Exception):
    """A process that should be measured has failed; the message has what it wrote."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run of `ncleaner` took: CPU seconds and peaks in bytes of parent and workers, wall seconds."""

    parent: float
    workers: float
    parent_peak: int
    worker_peak: int
    wall: float

    @property
    def cpu(self) -> float:
        """CPU seconds of all its processes."""
        return self.parent + self.workers


def environment() -> dict[str, str]:
    """Returns the environment of a process that imports this package.

    Packages are compiled once, as for users: where their bytecode is not kept, NumPy alone takes 0.1 s more.
    All keep the memory that they free, as our workers do by themselves: otherwise glibc gives it back after
    each page, which took half of the time of the floor.
    """
    tunables = "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432"
    paths = [str(Path(__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    tuned = {"GLIBC_TUNABLES": f"{tunables}:glibc.malloc.top_pad=16777216"}
    return kept | tuned | {"PYTHONPATH": os.pathsep.join(paths)}


def _run(command: Sequence[str], *, source: Path | None = None, output: int = subprocess.PIPE) -> str:
    with (source or Path(os.devnull)).open("rb") as given:
        done = subprocess.run(
            command,
            stdin=given,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            check=False,
        )
    if done.returncode:
        raise FailedError(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout or ""


def child_seconds(name: str, archive: Path, *sites: str) -> tuple[dict[str, float], int]:
    """Runs a step of `bench.child`; returns ({step: seconds}, peak of memory in bytes)."""
    found = json.loads(_run([sys.executable, "-m", "bench.child", name, str(archive), *sites]))
    return found["seconds"], found["peak"]


def step(name: str, archive: Path, peaks: dict[str, int], *sites: str) -> float:
    """Returns the CPU seconds of a step, and keeps the largest peak of its memory."""
    seconds, peak = child_seconds(name, archive, *sites)
    peaks[name] = max(peak, peaks.get(name, 0))
    return seconds[name]


def launched(arguments: Sequence[str], source: Path | None = None) -> Usage:
    """Runs `ncleaner`, with a file as its standard input; its standard output is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        command = [sys.executable, "-m", "bench.launched", str(report), *arguments]
        start = time.monotonic()
        _run(command, source=source, output=subprocess.DEVNULL)
        wall = time.monotonic() - start
        parent, workers, own_peak, peak = report.read_text("ascii").split()
    return Usage(float(parent), float(workers), int(own_peak), int(peak), wall)


def cpu_seconds(command: Sequence[str]) -> float:
    """Runs a command; returns its user and system time, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(command, output=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
