"""Words of the Web in text files: how they are read, which mistakes are errors, and that a new word counts."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ncleaner
from ncleaner.text import wordlists
from ncleaner.text.wordlists import any_of, word_lists

PACKAGE = Path(ncleaner.__file__).parent
# but the features and the examples of help pages, which have lines of their own kind
FILES = sorted(
    path.relative_to(PACKAGE).with_suffix("").as_posix()
    for path in PACKAGE.rglob("*.txt")
    if path.stem not in ("features", "examples")
)
SOURCES = {path: path.read_text("utf-8") for kind in ("*.py", "*.pyx") for path in PACKAGE.rglob(kind)}


def read(text: str, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, tuple[str, ...]]:
    (folder / "birds.txt").write_text(text, "utf-8")
    patch.setattr(wordlists, "_ROOT", folder)
    return word_lists("birds", "gulls", "terns, as written")


def test_words_of_one_line_and_of_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '# Birds\n\n[gulls]\nherring gull, "mew "  # two\nka#iak,\n\n[terns, as written]\nSterna, sterna\n'
    assert read(text, tmp_path, monkeypatch) == {
        "gulls": ("herring gull", "mew ", "ka#iak"),
        "terns, as written": ("Sterna", "sterna"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gulls]\nmew\n[owls]\nscops\n", r"line 3: \[owls\] is not a section"),
        ("[gulls]\nmew\n[gulls]\nkaiak\n", r"line 3: \[gulls\] is here twice"),
        (
            "[gulls]\nmew, kaiak\n\nmew\n[terns, as written]\nSterna\n",
            r"line 4: words of this line are in \[gulls\] twice",
        ),
        ("[gulls]\nmew,kaiak\n", "line 2: a comma without a space"),
        ("[gulls]\nmew, , kaiak\n", r"line 2: a comma without words"),
        ("mew\n", "line 1: words before the first"),
        ("[gulls]\nMew\n", "line 2: capitals"),
        (
            "[gulls]\nmew\n[terns, as written]\n# none\n",
            r"line 4: \[terns, as written\] is missing or has no words",
        ),
        ("[terns, as written]\nSterna\n", r"line 2: \[gulls\] is missing"),
    ],
)
def test_a_mistake_is_an_error_that_says_where(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=rf"birds\.txt, {message}"):
        read(text, tmp_path, monkeypatch)


def test_words_as_one_pattern() -> None:
    pattern = re.compile(any_of((r"(sea )?gulls?", r"\(c\)", r"tern(?=s)", r"\Wow[ln]")))
    assert pattern.groups == 0
    assert [pattern.sub("-", text) for text in ("a sea gull", "(c) me", "terns tern", " owl")] == [
        "a -", "- me", "-s tern", "-"
    ]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_each_file_has_one_reader_and_says_how_to_add_a_word(name: str) -> None:
    readers = [path for path, text in SOURCES.items() if re.search(rf'word_lists\(\s*"{name}"', text)]
    (reader,) = (path.relative_to(PACKAGE) for path in readers)
    head = (PACKAGE / f"{name}.txt").read_text("utf-8").partition("\n[")[0]
    assert f"Read by {reader.as_posix()}" in head.replace("\n# ", " ")
    assert "\n# To add " in head
    # a mistake in the file ends the import
    importlib.import_module(".".join(("ncleaner", *reader.with_suffix("").parts)))


ADDED = {
    "describing/dates": ("[january]\n", "urtarrilak"),
    "describing/names": ("[before names]\n", "idazlea"),
    "parsing/classes": ("[hides]\n", "ezkutua"),
    "dumping/headings": ("[comments]\n", "iruzkinak denak"),
    "document/fact_names": ("[published]\n", "argitaratua"),
    "methods/last_lines": ("[beginnings]\n", "harpidetu gure"),
}
RECOGNIZED = """
from ncleaner.describing.dates import date_in_text
from ncleaner.describing.names import is_byline
from ncleaner.document.fact_names import NAMES
from ncleaner.document.tables import HIDDEN, ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.methods._rules import LAST_LINES

text = "The ferry to the islands is back after a long winter, and the harbour is full. " * 6
page = dump_html(f"<p>{text}<p class=ezkutua>Gulls<h3>Iruzkinak denak (3)</h3><div><p>Nice<p>Yes</div>".encode())
print(
    date_in_text("3 urtarrilak 2024") == "2024-01-03",
    is_byline("Idazlea: Ane Lea"),
    any(segment["flags"] & HIDDEN for segment in page.segments),
    any(ZONES[segment["zone"]] == "comment" for segment in page.segments),
    "argitaratua" in NAMES["published"],
    "harpidetu gure" in LAST_LINES["beginnings"],
)
"""


def recognized(folder: Path) -> set[str]:
    """Returns the answers of `RECOGNIZED` with the package in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", RECOGNIZED],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


def test_a_word_that_is_added_counts_without_compiling(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ncleaner", copy_function=os.symlink)
    assert recognized(tmp_path) == {"False"}
    for name, (section, word) in ADDED.items():
        path = tmp_path / "ncleaner" / f"{name}.txt"
        text = path.read_text("utf-8")
        path.unlink()
        path.write_text(text.replace(section, f"{section}{word}\n"), "utf-8")
    assert recognized(tmp_path) == {"True"}
