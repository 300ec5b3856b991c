"""The keys of a page: moving, choosing, labels, undo, doubt, and what happens when saving fails."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ncleaner.annotating.labels import OPEN
from ncleaner.annotating.project import open_project
from ncleaner.annotating.session import Session
from ncleaner.annotating.work import Work

from . import made


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(made.project(tmp_path), "me", every=0)


@pytest.fixture
def work(session: Session) -> Work:
    return Work(session, "p0")


def saved(session: Session) -> str:
    return session.labels("p0").labels


def test_a_label_goes_on_to_the_next_segment(session: Session, work: Work) -> None:
    work.drop()
    work.drop()
    work.drop()
    work.keep()
    work.label(lambda row: "c")
    assert (saved(session), work.here) == ("ooohc...", 5)
    work.move(100)
    work.drop()
    assert (saved(session), work.here) == ("ooohc..o", 7)


def test_ranges_and_styles(session: Session, work: Work) -> None:
    work.move(2, extend=True)
    work.drop()
    assert (saved(session), work.here) == ("ooo.....", 3)
    work.move(5)
    work.same_style()
    assert work.chosen == {4, 5, 6}
    work.keep()
    assert saved(session) == "ooo.ppp."
    work.choose_all()
    work.drop()
    assert saved(session) == "o" * 8
    work.move(-3)
    assert (work.here, work.chosen) == (0, {0})


def test_toggle_stays(session: Session, work: Work) -> None:
    work.move(3)
    first = work.letter(3)
    work.toggle()
    assert (work.letter(3) == "o") == (first != "o") and work.here == 3
    work.toggle()
    assert (work.letter(3) == "o") == (first == "o")


def test_undo_and_redo_come_to_the_same(session: Session, work: Work) -> None:
    chance = random.Random(1)
    states = [saved(session)]
    for _ in range(40):
        work.move(chance.randrange(8))
        if chance.random() < 0.5:
            work.move(chance.randrange(8), extend=True)
        letter = chance.choice("phlco")
        work.label(lambda row, letter=letter: letter)  # type: ignore[misc]
        if saved(session) != states[-1]:
            states.append(saved(session))
    for state in states[-2::-1]:
        work.undo()
        assert saved(session) == state
    work.undo()
    assert work.told == "Nothing to undo"
    for state in states[1:]:
        work.redo()
        assert saved(session) == state
    work.redo()
    assert work.told == "Nothing to do again"


def test_doubtful_segments_from_the_least_certain_on(session: Session, work: Work) -> None:
    work.about["certainty"] = [0.99, 0.6, 0.99, 0.99, 0.5, 0.96, 0.99, 0.99]
    work.next_doubt()
    assert work.here == 4 and work.is_doubtful(4) and "50% sure" in work.told
    work.drop()
    work.next_doubt()
    assert work.here == 1
    work.last_doubt()
    assert work.here == 4
    work.next_doubt()
    work.next_doubt()
    assert work.here == 5 and not work.is_doubtful(5)
    work.next_doubt()
    assert work.here == 5 and "Nothing doubtful" in work.told


def test_finish(session: Session, work: Work) -> None:
    work.drop()
    assert work.finish()
    assert session.is_done("p0")
    assert saved(session) == "o" + work.about["guess"][1:]


def test_what_cannot_be_saved_waits(session: Session, work: Work, tmp_path: Path) -> None:
    work.drop()
    (tmp_path / "labels" / "me" / "p0.json.part").mkdir()
    work.drop()
    assert "Not saved" in work.trouble and work.pending == {1: "o"}
    assert not work.finish()
    assert work.letter(1) == "o" and saved(session) == "o......."
    (tmp_path / "labels" / "me" / "p0.json.part").rmdir()
    work.drop()
    assert (work.trouble, work.pending, saved(session)) == ("", {}, "ooo.....")


def test_two_faces_on_one_page(session: Session, work: Work) -> None:
    other = Work(session, "p0")
    other.drop()
    work.move(7)
    work.drop()
    assert saved(session) == "o......o" and "both changes are kept" in work.told
    assert "".join(work.labels) == "o......o"


def test_two_faces_on_one_segment(session: Session, work: Work) -> None:
    other = Work(session, "p0")
    other.label(lambda row: "h")
    work.label(lambda row: "l")
    # theirs stands, mine is one key away
    assert saved(session) == "h......." and "r takes yours" in work.told
    work.redo()
    assert saved(session) == "l......."


def test_finish_after_a_change_elsewhere_asks_to_look_again(session: Session, work: Work) -> None:
    Work(session, "p0").drop()
    assert not work.finish()
    assert work.finish()


def test_settling(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    made.label(project, "anna", "p0", made.WANTED)
    made.label(project, "ben", "p0", "oooopppl")
    work = Work(Session(open_project(tmp_path), "carl", settling=True, every=0), "p0")
    assert work.settling and work.here == 3
    assert not work.finish() and "2 left to settle" in work.told
    work.move(3)
    work.settle(0)
    assert work.letter(3) == "h"
    work.next_doubt()
    assert work.here == 7
    work.settle(1)
    work.settle(5)
    assert work.letter(7) == "l"
    assert work.finish()


def test_a_page_without_text(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<img src=x>")
    work = Work(Session(open_project(tmp_path), "me", every=0), "empty")
    for step in (work.keep, work.drop, work.toggle, work.next_doubt, work.choose_all, work.undo, work.tick):
        step()
    work.move(5)
    assert work.finish() and OPEN not in "".join(work.labels)
