"""The process of a tool, with tools that fail in all ways."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncleaner.lab.comparing.gold import read_gold
from ncleaner.lab.comparing.tools import Outcome, ToolError, run, tool_of

from .gold_dirs import enter, little

FOUND = [
    b"<p>Bread of rye, a loaf.\n",
    b"<p>Rain fell on the hills.\n<p>It fell all night.\n",
    b"<p>Tea is drunk hot.\n",
]


Running = Callable[..., list[Outcome]]


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Running:
    """Runs a made-up tool over three pages."""
    pages = read_gold(little(tmp_path / "little"), convention=False).pages

    def running(name: str, **options: Any) -> list[Outcome]:
        enter(monkeypatch, tmp_path, name)
        return run(tool_of(name), pages, **options)

    return running


def test_text_and_time(running: Running) -> None:
    found = running("paragraphs")
    assert [outcome.text for outcome in found] == FOUND
    assert all(outcome.time is not None and outcome.time > 0 and not outcome.failure for outcome in found)


def test_what_tools_are_told(running: Running) -> None:
    assert [outcome.text for outcome in running("told")] == [
        b"<p>html http://bread.example/ en\n",
        b"<p>html http://rain.example/ en\n",
        b"<p>html http://tea.example/\n",
    ]


def test_nothing_is_no_failure(running: Running) -> None:
    assert [(outcome.text, outcome.failure) for outcome in running("nothing")] == [(b"", "")] * 3


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("raises", "ValueError: no rain, please"),
        pytest.param(
            "dies",
            "its process was killed by SIGKILL",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="there are no signals"),
        ),
        pytest.param("hangs", "not finished after 0.5 seconds", marks=pytest.mark.slow),
    ],
)
def test_a_failure_costs_one_page(name: str, failure: str, running: Running) -> None:
    found = running(name, seconds=0.5)
    assert [outcome.failure for outcome in found] == ["", failure, ""]
    assert [outcome.text for outcome in found] == [FOUND[0], b"", FOUND[2]]
    assert found[1].time is None


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("panics", "Panic: overflow"),
        ("leaves", "SystemExit: 3"),
        pytest.param("ends", "its process ended with status 5", marks=pytest.mark.slow),
    ],
)
def test_a_failure_on_all_pages(name: str, failure: str, running: Running) -> None:
    assert [outcome.failure for outcome in running(name)] == [failure] * 3


def test_nothing_that_a_tool_prints_is_seen(running: Running, capfd: pytest.CaptureFixture[str]) -> None:
    assert [outcome.text for outcome in running("prints")] == FOUND
    assert capfd.readouterr() == ("", "")


def test_rounds_after_a_warm_up(running: Running) -> None:
    steps: list[int] = []
    found = running("counts", rounds=3, progress=lambda: steps.append(1))
    # three pages warm it up, and the text is that of the first round
    assert [outcome.text for outcome in found] == [b"<p>call 4\n", b"<p>call 5\n", b"<p>call 6\n"]
    assert [len(outcome.seconds) for outcome in found] == [3, 3, 3]
    assert len(steps) == 9
    assert Outcome(seconds=(3.0, 1.0, 2.0)).time == 2


@pytest.mark.parametrize(
    ("name", "reason", "missing"),
    [
        ("broken", "RuntimeError: out of order", False),
        ("dies_at_start", "its process did not start: its process ended with status 7", False),
        ("absent", "No module named 'no_such_module_here'", True),
    ],
)
def test_a_tool_that_cannot_run(name: str, reason: str, missing: bool, running: Running) -> None:
    with pytest.raises(ToolError) as error:
        running(name)
    assert (str(error.value), error.value.missing) == (reason, missing)


def test_a_method_on_a_text_dump(tmp_path: Path) -> None:
    for kind in ("raw", "clean"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "a.txt").write_text("The ferry will sail until May.\n\nSo it does.\n")
    pages = read_gold(tmp_path, convention=False).pages
    [found] = run(tool_of("everything"), pages)
    assert found.text == b"<p>The ferry will sail until May.\n<p>So it does.\n"


def test_a_run_can_be_stopped(running: Running) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        running("hangs", stop=stop)
