from __future__ import annotations

import errno
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.dumping.html import dump_html
from ncleaner.errors import ModelError
from ncleaner.methods.choice import fingerprint, load_model, model_files, read_ngrams
from ncleaner.modelling.files import VARIABLE, add_model, model_bytes, own_folder, own_models, remove_model

GREEK = dump_html(
    "<html lang=el><p>" + "Το πλοίο θα φύγει το πρωί από το λιμάνι, αν το επιτρέψει ο καιρός. " * 3
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "my models"))
    return tmp_path / "my models"


def model_of(name: str, language: str = "", shipped: str = "nonlexical") -> bytes:

    about = {"name": name, **({"language": language} if language else {})}
    return replace(read_ngrams(shipped), about=about).to_bytes()


def test_a_folder_that_does_not_exist_is_empty(folder: Path) -> None:
    assert own_folder() == folder and own_models() == {}
    with pytest.raises(ModelError, match=r"no model .x. in .*; there are: none"):
        remove_model("x")


def test_the_folder_is_that_of_the_system_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert own_folder().name == "models"
    if sys.platform == "linux":
        assert own_folder() == tmp_path / "ncleaner" / "models"


def test_a_home_of_another_user_has_no_models_and_a_folder_that_is_named_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(Path, "glob", refuse)
    with pytest.raises(ModelError, match="cannot read the folder of models"):
        own_models()
    monkeypatch.delenv(VARIABLE)
    assert own_models() == {}


def test_models_are_found_by_name_and_by_language(folder: Path) -> None:
    before = fingerprint("hybrid", "auto")
    assert Cleaner().keep(GREEK).remarks.model == "el"
    assert add_model(model_of("ferry-news", "el"), "ferry-news") == folder / "ferry-news.ncm"
    add_model(model_of("any"), "no-language")
    assert list(own_models()) == ["ferry-news", "no-language"]
    # its own language first, then those that are shipped
    assert Cleaner().keep(GREEK).remarks.model == "ferry-news"
    assert Cleaner("ngram").keep(GREEK).remarks.model == "ferry-news"
    assert Cleaner(model="shipped").keep(GREEK).remarks.model == "el"
    assert Cleaner(model="ferry-news").keep(GREEK).remarks.model == "ferry-news"
    assert load_model("no-language").name == "any"
    # a run that is continued has the same models
    assert fingerprint("hybrid", "auto") != before == fingerprint("hybrid", "shipped")
    assert folder / "ferry-news.ncm" in model_files("hybrid", "auto")
    assert remove_model("ferry-news") == folder / "ferry-news.ncm"
    assert Cleaner().keep(GREEK).remarks.model == "el"


def test_a_model_takes_the_place_of_one_of_its_name(folder: Path) -> None:
    add_model(model_of("one", "el"), "mine")
    add_model(model_of("two", "el"), "mine")
    assert load_model("mine").name == "two"
    assert [path.name for path in folder.iterdir()] == ["mine.ncm"]


def test_what_cannot_be_added(folder: Path) -> None:
    add_model(model_of("one", "el"), "one")
    with pytest.raises(ModelError, match=r"one is for the same language \(el\): remove it first"):
        add_model(model_of("two", "el"), "two")
    for name in ("", "../x", "a b", ".x"):
        with pytest.raises(ModelError, match="cannot be the name of a model"):
            add_model(model_of("x"), name)
    for name in ("auto", "shipped", "el", "structure"):
        with pytest.raises(ModelError, match="is the name of a shipped model"):
            add_model(model_of("x"), name)
    with pytest.raises(ModelError, match="not an ncleaner model"):
        add_model(b"no model", "x")
    # models for other methods are found by their names
    add_model(model_bytes("victor"), "crf")
    assert load_model("crf").KIND == "victor"
    assert list(own_models()) == ["crf", "one"]


def test_a_model_that_is_broken_says_its_name(folder: Path) -> None:
    add_model(model_of("one", "el"), "one")
    (folder / "broken.ncm").write_bytes(b"no model")
    with pytest.raises(ModelError, match=r"broken\.ncm"):
        Cleaner()
    assert Cleaner(model="shipped").keep(GREEK).remarks.model == "el"
    remove_model("broken")
    assert Cleaner().keep(GREEK).remarks.model == "one"


def test_a_name_that_is_nowhere(folder: Path) -> None:
    add_model(model_of("one", "el"), "one")
    with pytest.raises(ModelError, match=r"no model 'two': the shipped ones are .*; yours: one"):
        Cleaner(model="two")


def test_a_name_that_is_a_language(folder: Path) -> None:
    with pytest.raises(
        ModelError, match=r"no model 'German', did you mean de\? The .* de, el, en, nonlexical, pl"
    ):
        Cleaner(model="German")
    # only those that the method takes
    with pytest.raises(ModelError, match=r"no model 'german': the shipped ones are victor\Z"):
        Cleaner("victor", model="german")


@pytest.mark.slow
def test_the_command(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.ncm").write_bytes(model_of("mine", "el"))

    def ncleaner(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [Path(sys.executable).parent / "ncleaner", *arguments], capture_output=True, text=True
        )

    added = ncleaner("models", "add", str(tmp_path / "mine.ncm"), "--name", "ferries")
    assert added.returncode == 0 and "takes it for pages in el" in added.stderr
    lines = ncleaner("models").stdout.splitlines()
    at = lines.index(f"yours, in {folder}")
    assert lines[2] == "shipped" and lines[at + 1].split()[:3] == ["ferries", "ngram", "el"]
    shown = ncleaner("models", "show", "ferries").stdout
    # the name that the user gives is the one that outputs have
    assert "mine" not in shown and re.search(r"^name +ferries$", shown, re.MULTILINE)
    assert load_model("ferries").about["language"] == "el"
    (tmp_path / "a.txt").write_text(" ".join(GREEK.texts), "utf-8")
    cleaned = ncleaner("clean", str(tmp_path / "a.txt"), "-f", "jsonl", "-m", "ngram", "--model", "ferries")
    assert '"model":"ferries"' in cleaned.stdout
    assert ncleaner("models", "add", str(tmp_path / "nowhere.ncm")).returncode == 1
    assert ncleaner("models", "remove", "ferries").returncode == 0
    assert "`ncleaner models add FILE`" in ncleaner("models").stdout
    assert ncleaner("models", "remove", "ferries").returncode == 1
