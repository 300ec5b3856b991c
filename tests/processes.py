"""Processes of a run: who may be killed, stopped, or counted."""

from __future__ import annotations

import psutil


def workers(pid: int) -> list[int]:
    """The workers of a run: what its server of clean processes has forked."""
    found = []
    try:
        for server in psutil.Process(pid).children():
            found += [worker.pid for worker in server.children()]
    except psutil.Error:
        pass  # it has ended meanwhile
    return sorted(found)


def descendants(pid: int) -> list[int]:
    """All that a run has started."""
    try:
        return [process.pid for process in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []
