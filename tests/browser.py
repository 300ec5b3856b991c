"""A browser for the tests, driven by Playwright: Chromium of the system, as scripts/browser.sh installs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["PATH", "browser"]


def _found() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return os.environ.get("NCLEANER_BROWSER") or next(filter(None, map(shutil.which, names)), "")


PATH = _found()


@contextmanager
def browser() -> Iterator[Any]:
    """Starts the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # root may not use its sandbox, and containers have no large shared memory
        found = playwright.chromium.launch(
            executable_path=PATH, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield found
        found.close()
