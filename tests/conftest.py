"""Settings for all tests."""

from __future__ import annotations

import faulthandler
import importlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from ncleaner.pools import pool

from .faults import hooked

BENCH = Path(__file__).parent.parent / "bench"

# Processes that tests start in the source tree use the package that is installed, as these do: in the tree it may
# not be built.
os.environ["PYTHONSAFEPATH"] = "1"
# Tests find no models of whoever runs them.
os.environ["NCLEANER_MODELS"] = str(Path(__file__).parent / "no-models")
# A shell starts what runs in the background with SIGINT ignored, also in all that it starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# A forked process that a test kills says nothing: pytest would print its stack as a fault of the tests.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=faulthandler.disable)
# No example is too slow: how long one takes says more about the machine. The check before a change lands gives the
# same answer each time; elsewhere every run tries new examples, and `--hypothesis-profile=long` many of them. Which
# lines run at all, scripts/coverage.sh sees from a few.
settings.register_profile("here", deadline=None)
settings.register_profile("long", deadline=None, max_examples=5000)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("traced", deadline=None, derandomize=True, max_examples=20)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def bench_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package `bench` and the example pages. In the tree an `ncleaner` stands beside them that may
    not be built."""
    if not BENCH.is_dir():
        pytest.skip("bench/ is not here")
    folder = tmp_path_factory.mktemp("measuring")
    shutil.copytree(BENCH, folder / "bench", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(BENCH.parent / "examples" / "pages", folder / "examples" / "pages")
    return folder


@pytest.fixture
def bench_module(bench_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Imports a module of the package `bench` by its name in it."""
    monkeypatch.syspath_prepend(bench_folder)
    return lambda name: importlib.import_module(f"bench.{name}")


HookWorkers = Callable[[str | Path | None], None]


@pytest.fixture
def hook_workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[HookWorkers]:
    """Makes the workers of this process run a file when they start; None ends it."""
    server: Any = forkserver._forkserver
    context = pool._context

    def hook(path: str | Path | None) -> None:
        # the next worker is forked from a new server, which has run the file
        server._stop()
        for name, value in hooked(path or "").items():
            monkeypatch.setenv(name, value) if path else monkeypatch.delenv(name)

    monkeypatch.setattr(pool, "_context", lambda fresh, preload=pool.__name__: context(True, preload))
    yield hook
    server._stop()
