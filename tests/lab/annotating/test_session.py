"""The work of a person: labels on the disk at once, revisions, gold, queue, settling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncleaner.errors import OutputError
from ncleaner.lab.annotating.project import PageLabels, open_project, write_labels
from ncleaner.lab.annotating.session import UNDECIDED, ConflictError, RequestError, Session

from . import made


def session(folder: Path, name: str = "me", pages: int = 3, **options: object) -> Session:
    project = open_project(folder) if (folder / "raw").is_dir() else made.project(folder, pages)
    return Session(project, name, every=0, **options)  # type: ignore[arg-type]


def stored(folder: Path, page: str = "p0", name: str = "me") -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "labels" / name / f"{page}.json").read_text())
    return found


def test_a_page_as_it_is_shown(tmp_path: Path) -> None:
    found = session(tmp_path).page("p0")
    assert found["kinds"] == "lllhpppp"
    assert found["texts"][3] == "New paint on lighthouse 0"
    assert found["labels"] == "." * 8
    assert set(found["guess"]) <= set("phlco") and len(found["certainty"]) == 8
    assert all(0 <= value <= 1 for value in found["certainty"])
    # the three items of the menu have one style, and so have the paragraphs
    styles = found["styles"]
    assert (
        styles[0] == styles[1] == styles[2] != styles[3] != styles[4] == styles[5] == styles[6] != styles[7]
    )
    assert (found["site"], found["language"], found["zones"][3]) == ("site0.example", "en", "headline")


def test_every_change_is_on_the_disk(tmp_path: Path) -> None:
    work = session(tmp_path)
    assert work.change("p0", 0, [(0, "o"), (3, "h")], 2.5).revision == 1
    assert work.change("p0", 1, [(0, ".")], 1.5).revision == 2
    assert stored(tmp_path)["labels"] == "...h...."
    assert (stored(tmp_path)["seconds"], stored(tmp_path)["done"]) == (4.0, False)
    # another start goes on with it, and with this page
    again = session(tmp_path)
    assert again.page("p0")["labels"] == "...h...."
    assert again.queue()[0] == "p0"


def test_an_old_revision_gets_the_newer_labels_and_changes_nothing(tmp_path: Path) -> None:
    work = session(tmp_path)
    work.change("p0", 0, [(0, "o")])
    for finishes in (False, True):
        with pytest.raises(ConflictError) as raised:
            if finishes:
                work.finish("p0", 0, made.WANTED)
            work.change("p0", 0, [(0, "p")])
        assert (raised.value.labels.revision, raised.value.labels.labels[0]) == (1, "o")
    assert stored(tmp_path)["labels"] == "o......."


@pytest.mark.parametrize(
    ("page", "changes", "said"),
    [
        ("nowhere", [], "there is no page"),
        ("../p0", [], "there is no page"),
        ("p0", [(8, "o")], "no segment 8"),
        ("p0", [(-1, "o")], "no segment -1"),
        ("p0", [(0, "z")], "'z' is not a label"),
        ("p0", [(0, "?")], "is not a label"),
        ("p0", [(0, "po")], "is not a label"),
    ],
)
def test_changes_that_cannot_be(page: str, changes: list[tuple[int, str]], said: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=said):
        session(tmp_path).change(page, 0, changes)
    assert not (tmp_path / "labels").exists()


def test_time_within_reason(tmp_path: Path) -> None:
    work = session(tmp_path)
    for revision, seconds in enumerate((-5.0, float("nan"), float("inf"), 1e9)):
        work.change("p0", revision, [(0, "o")], seconds)
    assert stored(tmp_path)["seconds"] == 600


def test_a_finished_page_is_gold(tmp_path: Path) -> None:
    work = session(tmp_path, anno=True)
    for letters, said in (
        ("ooo", "8 segments, and 3 labels"),
        ("?" * 8, "8 segments of the page are not decided"),
    ):
        with pytest.raises(RequestError, match=said):
            work.finish("p0", 0, letters)
    guess = work.page("p0")["guess"]
    work.finish("p0", 0, made.WANTED, 60)
    told = stored(tmp_path)
    assert (told["labels"], told["done"]) == (made.WANTED, True)
    assert told["changed"] == sum(a != b for a, b in zip(guess, made.WANTED, strict=True))
    assert (
        (tmp_path / "clean" / "p0.txt")
        .read_text()
        .startswith("<h>New paint on lighthouse 0\n<p>The lighthouse")
    )
    assert (tmp_path / "raw" / "p0.anno").read_text().startswith("# p0.html\n")
    now = work.progress()
    assert (now["done"], now["pages"], now["goal"], now["minutes"], now["left"]) == (1, 3, 3, 1.0, 2.0)
    assert "p0" not in work.queue()


def test_a_finished_page_can_be_opened_again(tmp_path: Path) -> None:
    work = session(tmp_path)
    work.finish("p0", 0, made.WANTED)
    work.change("p0", 1, [(3, "o")])
    assert stored(tmp_path)["done"] is False and work.queue()[0] == "p0"
    # it is not taken for gold from elsewhere
    assert session(tmp_path).queue()[0] == "p0"
    work.finish("p0", 2, "oooopppo")
    assert (tmp_path / "clean" / "p0.txt").read_text().startswith("<p>The lighthouse")


def test_gold_from_elsewhere_counts_and_can_be_corrected(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    project.clean.mkdir()
    (project.clean / "p1.txt").write_text(f"<h>New paint on lighthouse 1\n<p>{made.PROSE[0]}\n")
    work = session(tmp_path)
    assert work.queue() == ["p0", "p2"]
    now = work.progress()
    assert (now["done"], now["given"]) == (1, 1)
    found = work.page("p1")
    assert (found["labels"], found["done"], found["revision"]) == ("ooohpooo", True, 0)
    work.change("p1", 0, [(5, "p")])
    assert stored(tmp_path, "p1")["labels"] == "ooohppoo"
    assert "p1" in work.queue()
    work.finish("p1", 1, "ooohppoo")
    assert made.PROSE[1] in (project.clean / "p1.txt").read_text()


def test_gold_that_belongs_to_another_page_is_named(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    project.clean.mkdir()
    (project.clean / "p1.txt").write_text("Not one word of this stands there.")
    work = session(tmp_path)
    with pytest.raises(RequestError, match="does not belong to the page"):
        work.page("p1")
    assert "p1" not in work.queue()
    assert {line["id"]: line["status"] for line in work.listing()}["p1"] == "unreadable"


def test_pages_that_cannot_be_read(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    (tmp_path / "raw" / "p1.html").unlink()
    (tmp_path / "raw" / "p1.html").symlink_to(tmp_path / "nowhere.html")
    work = Session(project, "me", every=0)
    with pytest.raises(RequestError, match="p1 cannot be read"):
        work.page("p1")
    (tmp_path / "labels" / "me").mkdir(parents=True)
    (tmp_path / "labels" / "me" / "p2.json").write_text("broken")
    work = Session(project, "me", every=0)
    assert "not a file of labels" in work.problems["p2"]
    assert work.queue() == ["p0", "p1"]
    with pytest.raises(RequestError, match="not a file of labels"):
        work.page("p2")


def test_what_cannot_be_saved_is_an_error_and_stays_as_it_was(tmp_path: Path) -> None:
    work = session(tmp_path)
    work.change("p0", 0, [(0, "o")])
    # the name under which the next file would be written
    (tmp_path / "labels" / "me" / ".p0.json.part").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        work.change("p0", 1, [(1, "o")])
    assert stored(tmp_path)["labels"] == "o......."
    (tmp_path / "labels" / "me" / ".p0.json.part").rmdir()
    assert work.change("p0", 1, [(1, "o")]).labels == "oo......"


def test_a_clean_text_without_its_labels_is_not_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends between the two files."""
    work = session(tmp_path)
    save = work.project.save

    def fails(name: str, labels: PageLabels) -> None:
        if labels.done:
            raise OutputError("cannot write it: no space left")
        save(name, labels)

    monkeypatch.setattr(type(work.project), "save", lambda _, name, labels: fails(name, labels))
    with pytest.raises(OutputError, match="no space"):
        work.finish("p0", 0, made.WANTED)
    monkeypatch.undo()
    assert (tmp_path / "clean" / "p0.txt").is_file()
    for name in ("me", "ben"):
        again = session(tmp_path, name)
        assert again.progress()["done"] == 0 and "p0" in again.queue()
    # the page shows the same revision, so it can be finished now
    assert work.finish("p0", 0, made.WANTED).done


def test_a_page_that_is_put_off_comes_last(tmp_path: Path) -> None:
    work = session(tmp_path)
    work.change("p0", 0, [(0, "o")])
    work.put_off("p0")
    assert work.queue()[-1] == "p0"
    work.put_off("p1")
    work.put_off("p0")
    assert work.queue() == ["p2", "p1", "p0"]
    work.finish("p0", 1, made.WANTED)
    assert work.queue() == ["p2", "p1"]


def settled(folder: Path) -> None:
    project = made.project(folder)
    for page, ben in (("p0", "oooopppl"), ("p1", made.WANTED), ("p2", "ooohpppp")):
        made.label(project, "anna", page, made.WANTED)
        made.label(project, "ben", page, ben)


def test_settling_is_about_conflicts_only(tmp_path: Path) -> None:
    settled(tmp_path)
    work = session(tmp_path, "carl", settling=True)
    assert work.queue() == ["p0", "p2"]
    found = work.page("p0")
    assert found["guess"] == "ooo" + UNDECIDED + "ppp" + UNDECIDED
    assert found["votes"] == {"anna": made.WANTED, "ben": "oooopppl"}
    with pytest.raises(RequestError, match="not decided yet"):
        work.finish("p0", 0, found["guess"])
    work.change("p0", 0, [(3, "h"), (7, "o")])
    work.finish("p0", 1, made.WANTED)
    assert stored(tmp_path, "p0", "carl")["settles"] == ["anna", "ben"]
    assert (tmp_path / "clean" / "p0.txt").read_text().startswith("<h>")
    assert work.queue() == ["p2"]
    # another start knows what is settled
    again = session(tmp_path, "carl", settling=True)
    assert again.queue() == ["p2"] and again.progress()["done"] == 1
    with pytest.raises(RequestError, match="nothing to settle on the page p1"):
        again.page("p1")


def test_who_has_labelled_a_page_does_not_settle_it(tmp_path: Path) -> None:
    settled(tmp_path)
    made.label(open_project(tmp_path), "carl", "p0", made.WANTED)
    assert session(tmp_path, "carl", settling=True).queue() == ["p2"]
    assert session(tmp_path, "anna", settling=True).queue() == []


def test_two_people_do_not_see_each_other(tmp_path: Path) -> None:
    session(tmp_path, "anna").finish("p0", 0, made.WANTED)
    ben = session(tmp_path, "ben")
    assert ben.page("p0")["labels"] == "." * 8
    assert "p0" in ben.queue()


def test_texts_can_be_labelled_too(tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("\n\n".join(made.PROSE))
    work = Session(open_project(tmp_path), "me", every=0)
    found = work.page("mail")
    assert (found["html"], len(found["labels"])) == (False, 3)
    work.finish("mail", 0, "ppp")
    assert (tmp_path / "clean" / "mail.txt").read_text().count("<p>") == 3


def test_labels_saved_by_hand_are_read(tmp_path: Path) -> None:
    work = session(tmp_path)
    labels = work.labels("p0").with_changes([(0, "o")])
    write_labels(tmp_path / "labels" / "me" / "p0.json", labels)
    assert work.labels("p0") == labels
