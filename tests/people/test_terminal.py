"""The terminal's face: the same keys, the same storage."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual", reason="Textual is not installed")

from ncleaner.annotating.project import open_project
from ncleaner.annotating.session import Session
from ncleaner.people.terminal import KEYS, AnnotateApp

from ..annotating import made

STATIC = resources.files("ncleaner.annotating") / "static"


def run(session: Session, steps: Callable[[AnnotateApp, Any], Awaitable[None]]) -> None:
    async def main() -> None:
        app = AnnotateApp(session, "ncleaner train")
        async with app.run_test(size=(100, 40)) as pilot:
            await pilot.pause()
            await steps(app, pilot)

    asyncio.run(main())


def text_of(app: AnnotateApp) -> str:
    return "\n".join(
        "".join(segment.text for segment in line) for line in app.screen._compositor.render_strips()
    )


@pytest.mark.slow
@pytest.mark.traced
def test_a_page_by_keys(tmp_path: Path) -> None:
    session = Session(made.project(tmp_path), "me", every=0)

    async def steps(app: AnnotateApp, pilot: Any) -> None:
        assert app.work is not None and app.work.page == "p0"
        await pilot.press("n", "J", "J", "n", "y", "p", "c", "space", "u", "u", "r")
        assert session.labels("p0").labels == "ooooppc."
        await pilot.press("ctrl+z", "ctrl+y", "end", "o", "escape", "n")
        assert session.labels("p0").labels[7] == "o"
        await pilot.press("home", "a", "escape", "full_stop", "comma")
        await pilot.pause()
        assert "New paint on lighthouse 0" in text_of(app)
        await pilot.press("enter")
        assert session.is_done("p0") and app.work.page == "p1"
        await pilot.press("b")
        assert app.work.page == "p0"
        await pilot.press("b", "w")
        await pilot.press("w", "w", "q")

    run(session, steps)
    assert (tmp_path / "clean" / "p0.txt").is_file()


@pytest.mark.slow
@pytest.mark.traced
def test_panels(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    made.label(project, "anna", "p0", made.WANTED)
    made.label(project, "ben", "p0", "oooopppo")
    session = Session(project, "me", every=0)

    async def steps(app: AnnotateApp, pilot: Any) -> None:
        for key, shown in (
            ("question_mark", "continues the kept"),
            ("o", "p2"),
            ("m", "ncleaner train"),
            ("g", "anna and ben"),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert shown in text_of(app), key
            await pilot.press("x")
        # a key that closes a panel does nothing else
        assert session.labels("p0").revision == 0

    run(session, steps)


@pytest.mark.slow
@pytest.mark.traced
def test_settling_to_the_end(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    made.label(project, "anna", "p0", made.WANTED)
    made.label(project, "ben", "p0", "oooopppl")
    session = Session(project, "carl", settling=True, every=0)

    async def steps(app: AnnotateApp, pilot: Any) -> None:
        assert "1 anna: header" in text_of(app)
        await pilot.press("enter", "home", "full_stop", "1", "full_stop", "2", "enter")
        await pilot.pause()
        assert app.work is None and "All pages are finished" in text_of(app)
        await pilot.press("y", "enter")

    run(session, steps)
    assert session.labels("p0").labels == "ooohpppl"


@pytest.mark.slow
@pytest.mark.traced
def test_a_full_disk_and_a_page_that_cannot_be_read(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    (tmp_path / "raw" / "p1.html").unlink()
    session = Session(project, "me", every=0)

    async def steps(app: AnnotateApp, pilot: Any) -> None:
        (tmp_path / "labels").write_text("a file in the way")
        await pilot.press("n")
        assert "Not saved" in text_of(app)
        (tmp_path / "labels").unlink()
        await pilot.press("n")
        assert session.labels("p0").labels == "oo......"
        await pilot.press("enter")
        assert app.work is not None and app.work.page == "p2"

    run(session, steps)


@pytest.mark.slow
def test_what_a_page_contains_does_not_act_on_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.html").write_text(
        "<title>x\x1b]0;owned\x07</title><p>before \u202e after [bold]no markup[/bold] \x9b31m text of the page</p>"
    )
    session = Session(open_project(tmp_path), "me", every=0)

    async def steps(app: AnnotateApp, pilot: Any) -> None:
        shown = text_of(app)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
        assert "[bold]no markup[/bold]" in shown

    run(session, steps)


def test_both_faces_have_the_same_keys() -> None:
    script = (STATIC / "panels.js").read_text()
    table = script[script.index("export const KEYS") : script.index("const NAMES")]
    theirs = {
        " ".join(re.findall(r'"([^"]+)"', keys)): what
        for keys, what in re.findall(r'\[\[((?:"[^"]+"(?:, )?)+)\], "([^"]+)"\]', table)
    }
    ours = {keys: re.sub(r" \(.* do(es)?, too\)", "", what) for keys, what in KEYS.items()}
    theirs["Shift Enter"] = theirs["Shift Enter"].removesuffix(", go to the next one")
    # of the drawn page, and of the program
    assert theirs.pop("v") and theirs.pop("s") and ours.pop("q")
    assert ours == theirs
