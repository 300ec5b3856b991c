"""Processes of a run, found in /proc: who may be killed, stopped, or counted."""

from __future__ import annotations

import os
from pathlib import Path


def _stat(pid: int) -> list[str]:
    # the name, in parentheses, may hold anything
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def children(pid: int) -> list[int]:
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - names are enough
        if name.isdigit():
            try:
                if int(_stat(int(name))[1]) == pid:
                    found.append(int(name))
            except (OSError, IndexError):
                continue  # it has ended meanwhile
    return sorted(found)


def workers(pid: int) -> list[int]:
    """The workers of a run: what its server of clean processes has forked."""
    return [worker for child in children(pid) for worker in children(child)]


def descendants(pid: int) -> list[int]:
    """All that a run has started, the nearest first."""
    near = children(pid)
    return near + [process for child in near for process in descendants(child)]
