"""Processes of a run: who may be killed, stopped, or counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psutil

T = TypeVar("T")


def wait_until(condition: Callable[[], T], what: str, seconds: float = 300) -> T:
    """Asks until a condition holds, and gives its value. The bound ends a test that would hang; it measures nothing."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
    return value


def descendants(pid: int) -> list[int]:
    """All that a run has started."""
    try:
        return [process.pid for process in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []  # it has ended meanwhile


def workers(pid: int) -> list[int]:
    """The workers of a run: what it has forked, or what its server of clean processes has."""
    found = []
    for child in descendants(pid):
        try:
            process = psutil.Process(child)
            if process.ppid() != pid or not any("multiprocessing" in word for word in process.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return sorted(found)
