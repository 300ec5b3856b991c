"""Pages that end workers: what a page does is in its URL, `http://x.example/7?fault=segfault`.

Processes whose environment is `hooked` run this file when they start; see `hook/sitecustomize.py`.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.page import Page

HOOK = str(Path(__file__))


def hooked(hook: str | Path = HOOK) -> dict[str, str]:
    """The environment of processes that run a file when they start."""
    folders = [str(Path(__file__).parent / "hook"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(folders), "NCLEANER_TEST_HOOK": str(hook)}


# names a file to which a slow page appends the process that it is in: how tests see that a run goes on
BEATS = "NCLEANER_TEST_BEATS"


def segfault() -> None:
    # no core file of a whole interpreter, please, and no report of pytest's among its own lines
    import faulthandler
    import resource

    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.string_at(0)


def allocate() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(20_000_000))


def spin() -> None:
    while True:
        pass


def slow() -> None:
    if path := os.environ.get(BEATS):
        with Path(path).open("ab", 0) as out:
            out.write(b"%d\n" % os.getpid())
    time.sleep(0.02)


def bug() -> None:
    raise RuntimeError("a bug")


FAULTS: dict[str, Any] = {
    "segfault": segfault,
    "allocate": allocate,
    "spin": spin,
    "bug": bug,
    "sleep": lambda: time.sleep(1000),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda: os._exit(3),
    "slow": slow,
}
_FAULT = re.compile(r"[?&]fault=([a-z]+)")
_real = Cleaner.page


def _page(self: Cleaner, page: Page, dumped: Document | None = None) -> object:
    found = _FAULT.search(page.url)
    if found:
        FAULTS[found[1]]()
    return _real(self, page, dumped)


# by runpy, as a worker does; not where a test imports it
if __name__ == "<run_path>":
    Cleaner.page = _page  # type: ignore[assignment,method-assign]
