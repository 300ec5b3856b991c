"""The directory of a project: its shapes, its gold, its lock."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ncleaner.errors import InputError, OutputError, TrainingError
from ncleaner.lab.annotating.project import Project, check_name, open_project
from ncleaner.lab.training.annotations import SUFFIX, read_annotated
from ncleaner.lab.training.pairs import read_pairs

from . import made


def test_pages_in_raw_or_in_the_directory_itself(tmp_path: Path) -> None:
    project = made.project(tmp_path / "a")
    assert [*project.pages] == ["p0", "p1", "p2"]
    assert project.urls["p1"] == "https://site1.example/paint"
    assert (project.site("p1"), project.languages["p1"]) == ("site1.example", "en")
    flat = tmp_path / "flat"
    shutil.copytree(project.raw, flat)
    (flat / "note.md").write_text("no page")
    (flat / ".hidden.html").write_text("no page")
    (flat / "p0.anno").write_text("no page")
    found = open_project(flat)
    assert [*found.pages] == ["p0", "p1", "p2"]
    assert found.raw == flat and found.site("p0") == ""


def test_directories_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        open_project(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no pages"):
        open_project(tmp_path)
    (tmp_path / "a.html").write_text(made.page())
    (tmp_path / "a.txt").write_text("The same name.")
    with pytest.raises(InputError, match=r"two pages named a, a\.html and a\.txt"):
        open_project(tmp_path)
    (tmp_path / "a.txt").unlink()
    (tmp_path / "manifest.jsonl").write_text("no json\n")
    with pytest.raises(TrainingError, match="line 1"):
        open_project(tmp_path)


@pytest.mark.parametrize("name", ["anna", "Ben-2", "Μαρία", "x.y"])
def test_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "-x", "_x", "x" * 41, "a\n", "a b", "\x1b"])
def test_names_that_are_no_directories(name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        check_name(name)


def finish(project: Project, name: str, page: str, letters: str, **others: object) -> bool:
    labels = made.label(project, name, page, letters, **others)
    return project.write_gold(name, page, project.document(page), labels)


def test_finished_pages_are_gold_for_training(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    for page in project.pages:
        assert finish(project, "me", page, made.WANTED)
    pairs = read_pairs(project.raw, project.clean)
    assert [pair.site for pair in pairs] == ["site0.example", "site1.example", "site2.example"]
    assert pairs[0].alignment.clean.tolist() == [letter != "o" for letter in made.WANTED]
    assert pairs[0].alignment.found == 1


def test_files_of_victor(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    document = project.document("p0")
    path = project.write_anno("p0", document, made.WANTED)
    assert path == project.raw / f"p0{SUFFIX}"
    assert read_annotated(project.raw)[0].name == "p0"
    # read again they are gold from elsewhere
    assert project.given("p0", document) == made.WANTED
    path.write_text("p\tno text of the page\n")
    with pytest.raises(TrainingError, match="line 1"):
        project.given("p0", document)


def test_gold_from_elsewhere(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    document = project.document("p0")
    assert project.given("p0", document) is None
    project.clean.mkdir()
    text = project.clean / "p0.txt"
    text.write_text("URL: https://site0.example/paint\n<h>New paint on lighthouse 0\n<l>" + made.PROSE[0])
    assert project.given("p0", document) == "ooohlooo"
    # without marks, the kinds are those of the page
    text.write_text("New paint on lighthouse 0\n" + made.PROSE[0])
    assert project.given("p0", document) == "ooohpooo"
    text.write_text("Nothing in here stands on the page, not a single word of it.")
    with pytest.raises(TrainingError, match="does not belong to the page"):
        project.given("p0", document)
    text.write_bytes(b"\xff not UTF-8")
    with pytest.raises(TrainingError, match="UTF-8"):
        project.given("p0", document)


def test_whose_labels_become_gold(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    text = project.clean / "p0.txt"
    assert finish(project, "anna", "p0", "ooohpppo")
    assert finish(project, "ben", "p0", "oooopppo")
    assert not text.read_text().startswith("<h>")
    # who settles decides, and nobody changes that
    assert finish(project, "carl", "p0", "ooohpooo", settles=("anna", "ben"))
    settled = text.read_text()
    assert settled.count("\n") == 2
    assert not finish(project, "anna", "p0", "pppppppp")
    assert text.read_text() == settled


def test_labels_of_everybody(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    assert project.people() == []
    one = made.label(project, "anna", "p0", made.WANTED)
    project.save("ben", replace(one, done=False))
    assert project.people() == ["anna", "ben"]
    assert project.all_labels("p0") == {"anna": one, "ben": replace(one, done=False)}
    assert project.all_labels("p1") == {}
    assert project.labels("anna", "p0", project.document("p0")) == one


def test_labels_of_a_page_that_has_changed(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    made.label(project, "me", "p0", made.WANTED)
    project.pages["p0"].write_text(made.page(7))
    with pytest.raises(TrainingError, match="labels for 8 segments of another text"):
        project.labels("me", "p0", project.document("p0"))


def test_one_program_for_each_person(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system has no locks")
    project = made.project(tmp_path)
    with project.lock("me"), project.lock("ben"):
        # a lock of this kind is between processes
        code = (
            "import sys; from pathlib import Path; from ncleaner.lab.annotating.project import open_project\n"
            "try: open_project(Path(sys.argv[1])).lock('me')\n"
            "except Exception as error: print(type(error).__name__, error)"
        )
        import subprocess
        import sys

        told = subprocess.run(
            [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
        ).stdout
    assert told.startswith("InUseError another `ncleaner annotate` has ")
    assert "for the annotator me" in told


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    (tmp_path / ".annotating").write_text("a file in the way")
    with pytest.raises(OutputError, match="cannot write"):
        project.lock("me")
    (tmp_path / "labels").write_text("a file in the way")
    with pytest.raises(OutputError, match="cannot write"):
        made.label(project, "me", "p0", made.WANTED)


def test_the_manifest_may_name_more_than_there_is(tmp_path: Path) -> None:
    made.project(tmp_path)
    with (tmp_path / "manifest.jsonl").open("a") as out:
        out.write(json.dumps({"id": "gone", "url": "https://gone.example"}) + "\n")
    assert "gone" not in open_project(tmp_path).pages
