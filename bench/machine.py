"""The machine, the versions, and how much of the processors other programs used."""

from __future__ import annotations

import datetime
import os
import platform
import resource
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["BUSY", "Watch", "cpu_name", "peak_memory", "versions"]

#: Above this load, or this many processors that others used, figures of several workers are doubtful.
BUSY = 0.3
_PACKAGES = (
    "ncleaner", "selectolax", "FastWARC", "numpy", "deflate", "zlib-ng", "orjson", "Cython", "Resiliparse",
    "rs-trafilatura", "trafilatura", "jusText", "readability-lxml", "boilerpy3", "magic-html",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Returns the versions of Python, its compiler, the system's library, and the packages that are there."""
    found = {
        "Python": platform.python_version(),
        "compiler": platform.python_compiler(),
        "libc": " ".join(platform.libc_ver()),
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def cpu_name() -> str:
    """Returns the processor's name, or that of its architecture where the system does not tell."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def peak_memory() -> int:
    """Returns the largest resident memory that this program has had since it started, in bytes.

    That of `getrusage` counts the memory of the process that started it, too.
    """
    try:
        for line in Path("/proc/self/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _own_seconds() -> float:
    own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in own)


def _busy_seconds() -> float | None:
    """Returns the CPU time of all programs since the system has started; None where it does not tell."""
    try:
        with Path("/proc/stat").open(encoding="ascii") as file:
            user, nice, system, _idle, _wait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + irq + softirq + steal) / float(os.sysconf("SC_CLK_TCK"))


class Watch:
    """Watches what other programs take while something is measured.

    As a context manager; `conditions` is complete after it has ended. `load` is the load before anything was
    measured, which the measurement itself raises; `others` is the mean number of processors that other
    programs, or other virtual machines, used during it.
    """

    def __init__(self, load: float) -> None:
        self.conditions: dict[str, Any] = {
            "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "cpu": cpu_name(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "load": load,
            "versions": versions(),
        }

    def __enter__(self) -> Watch:
        self._start = time.monotonic(), _busy_seconds(), _own_seconds()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        start, busy, own = self._start
        now = _busy_seconds()
        elapsed = time.monotonic() - start
        self.conditions["seconds"] = round(elapsed, 1)
        if busy is not None and now is not None and elapsed:
            others = (now - busy - (_own_seconds() - own)) / elapsed
            self.conditions["others"] = round(max(0.0, others), 3)
