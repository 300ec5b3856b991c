"""Processes of a run: who may be killed, stopped, or counted."""

from __future__ import annotations

import psutil


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
