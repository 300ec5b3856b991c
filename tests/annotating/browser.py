"""A browser for the tests, driven by Playwright: Chromium of the system, as scripts/browser.sh installs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["PATH", "browser", "needs_browser"]


def _found() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return os.environ.get("NCLEANER_BROWSER") or next(filter(None, map(shutil.which, names)), "")


PATH = _found()


def needs_browser() -> None:
    """Skips a module where there is no browser."""
    pytest.importorskip("playwright", reason="Playwright is not installed")
    pytest.importorskip("starlette", reason="Starlette is not installed")
    if not PATH or not Path(PATH).exists():
        pytest.skip("there is no Chromium (scripts/browser.sh installs one)", allow_module_level=True)


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
