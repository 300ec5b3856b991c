"""The guard that counts instructions; what it counts with is not needed here."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Modules = Callable[[str], Any]

pytestmark = [
    # what they run is not of the package
    pytest.mark.untraced,
    pytest.mark.skipif(sys.platform == "win32", reason="measures by what Unix tells of processes"),
]


@pytest.fixture
def guard(bench_module: Modules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The guard, with counts of a fixed tool in a file of its own."""
    found = bench_module("instructions")
    monkeypatch.setattr(found, "KEPT", tmp_path / "instructions.json")
    monkeypatch.setattr(found, "found_tool", lambda: "callgrind")
    return found


def counted(guard: Any, monkeypatch: pytest.MonkeyPatch, **more: int) -> None:
    """Lets each step take a million instructions, and some more."""
    counts = {step: 1_000_000 + more.get(step, 0) for step in guard.STEPS}
    monkeypatch.setattr(guard, "counts", lambda tool: counts)


def test_a_step_that_takes_more_is_found(
    guard: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counted(guard, monkeypatch)
    guard.main(update=True)
    counted(guard, monkeypatch, html=19_000)
    guard.main()
    counted(guard, monkeypatch, html=21_000, ngram=-21_000)
    with pytest.raises(SystemExit, match="more than before for html: find out why"):
        guard.main()
    assert "less than before" in capsys.readouterr().out


def test_with_other_versions_ratios_are_compared(
    guard: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counted(guard, monkeypatch)
    guard.main(update=True)
    kept = json.loads(guard.KEPT.read_text("utf-8"))
    kept["callgrind"]["conditions"]["selectolax"] = "0.1"
    guard.KEPT.write_text(json.dumps(kept), "utf-8")
    # twice as many for all of them: the machine counts otherwise
    counted(guard, monkeypatch, **dict.fromkeys(guard.STEPS, 1_000_000))
    guard.main()
    assert "selectolax differ from" in capsys.readouterr().out
    counted(guard, monkeypatch, html=round(1_010_000 * guard._TOLERANCES["html"]))
    with pytest.raises(SystemExit, match="more than before for html"):
        guard.main()


def test_without_a_tool_nothing_is_compared(
    guard: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guard, "found_tool", lambda: None)
    guard.main()
    assert "not compared" in capsys.readouterr().out


def test_counts_that_cannot_be_compared_are_refused(guard: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="has no counts of callgrind"):
        guard.main()
    counted(guard, monkeypatch)
    guard.main(update=True)
    kept = json.loads(guard.KEPT.read_text("utf-8"))
    kept["callgrind"]["pages"] = "others"
    guard.KEPT.write_text(json.dumps(kept), "utf-8")
    with pytest.raises(ValueError, match="the pages or steps are not those"):
        guard.main()


def test_a_tool_that_is_there_but_cannot_count_is_none(
    bench_module: Modules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard = bench_module("instructions")
    perf = tmp_path / "perf"
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin{os.pathsep}/usr/bin")
    monkeypatch.setattr(guard.shutil, "which", lambda name: str(perf) if name == "perf" else None)
    for line, tool in (
        ("<not supported>,,instructions:u,0,100.00,,", None),
        ("12345,,instructions:u,9,100.00,,", "perf"),
    ):
        perf.write_text(f"#!/bin/sh\necho '{line}' >&2\n", "ascii")
        perf.chmod(0o700)
        assert guard.found_tool() == tool


def test_the_counts_that_are_kept_are_of_these_pages(bench_module: Modules) -> None:
    guard = bench_module("instructions")
    kept = json.loads(guard.KEPT.read_text("utf-8"))
    for tool in kept:
        assert guard._load(tool)["counts"]["parse"] > 0
    assert set(guard._TOLERANCES) == {*guard.STEPS} - {guard.BASE}


def test_each_step_does_its_work(bench_module: Modules, tmp_path: Path) -> None:
    module = bench_module("counted")
    steps = module.steps(tmp_path)
    assert tuple(steps) == module.STEPS
    bodies = module.html_pages()
    assert len(bodies) == 45
    for name, step in steps.items():
        number = len(step())
        assert number == (10 if name == "text" else len(bodies))


def test_the_compiler_writes_its_name_into_extensions(bench_module: Modules) -> None:
    assert bench_module("instructions").compiler().split()[0] in (
        "GCC:",
        "clang",
        "Apple",
        "Debian",
        "Ubuntu",
        "unknown",
    )
