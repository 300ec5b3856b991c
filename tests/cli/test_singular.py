"""One page is no `1 pages`: every command over one page, one input, one record, one site."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ncleaner.running.manifest import NAME
from ncleaner.running.tally import Tally

from ..archives import http, members, warc
from .test_app import PROSE, ncleaner

# many processes
pytestmark = pytest.mark.slow

# a number of one, and a word that ends in s; not the end of another number
ONE = re.compile(r"(?<![\d.,])1 (\w+s)\b")
BY_NATURE = {"is", "was", "has", "repeats", "holds"}


def singular(result: subprocess.CompletedProcess[bytes]) -> str:
    said = (result.stdout + result.stderr).decode()
    assert not [found for found in ONE.findall(said) if found not in BY_NATURE], said
    return said


def test_doctor(tmp_path: Path) -> None:
    (tmp_path / "bent.ncm").touch()
    result = ncleaner("doctor", "--no-rates", env={"NCLEANER_MODELS": str(tmp_path)})
    assert "\n1 thing is broken\n" in singular(result)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(f"<html lang=en><p>{PROSE}</html>")
    return path


def record(number: int = 1) -> bytes:
    return warc(number, http(f"<p>{PROSE} That was day {number}.".encode()))


def test_clean_and_report(page: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "1 page read: 1 cleaned" in singular(ncleaner("clean", page, "-o", out))
    assert "1 input was finished by an earlier run\n" in singular(ncleaner("clean", page, "-o", out))
    page.write_text("<p>Word")
    assert "cleaning 1 input again that has changed since" in singular(ncleaner("clean", page, "-o", out))
    assert "1 word kept" in singular(ncleaner("clean", page, "-o", out, "-m", "everything", "--again"))
    singular(ncleaner("report", out))
    # what is of another version, or damaged
    with (out / NAME).open("ab") as manifest:
        manifest.write(b"{}\n")
    assert "1 line of the manifest is not" in singular(ncleaner("report", out, "--html", tmp_path / "r.html"))
    assert not ONE.findall((tmp_path / "r.html").read_text())


def test_text_notice_and_damage(page: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PROSE)
    assert "1 page is plain text" in singular(ncleaner("clean", page, tmp_path / "a.txt", "-m", "webcontent"))
    (tmp_path / "b.html").write_text("<html lang=en><h1>Page not found</h1><p>This page does not exist.</p>")
    assert "1 empty page is only a notice" in singular(ncleaner("clean", tmp_path / "b.html"))
    (tmp_path / "c.warc").write_bytes(record() + warc(2, b"x", kind="request") + b"W")
    said = singular(ncleaner("clean", tmp_path / "c.warc"))
    assert "1 record skipped" in said and "1 byte that is no whole record" in said
    assert "1 place of damage; the rest is cleaned" in said


def test_sort(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(members([record()]))
    assert "1 record of 1 input: 1 copied" in singular(
        ncleaner("sort", tmp_path / "a.warc.gz", "-o", tmp_path / "s")
    )
    assert "1 input was read by an earlier run" in singular(
        ncleaner("sort", tmp_path / "a.warc.gz", "-o", tmp_path / "s")
    )
    shutil.copy(tmp_path / "a.warc.gz", tmp_path / "b.warc.gz")
    assert "1 input is new" in singular(
        ncleaner("sort", tmp_path / "a.warc.gz", tmp_path / "b.warc.gz", "-o", tmp_path / "s")
    )
    assert "the records of 1 input that is not given now" in singular(
        ncleaner("sort", tmp_path / "b.warc.gz", "-o", tmp_path / "s")
    )


def test_survey(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(record())
    said = singular(ncleaner("survey", tmp_path / "a.warc", "-o", tmp_path / "s.ncs"))
    assert "1 page of 1 site" in said


def test_looking_at_a_page(page: Path) -> None:
    page.write_text("<p>Word")
    assert "1 segment, 1 word" in singular(ncleaner("inspect", page))
    singular(ncleaner("dump", page))
    assert "1 block" in singular(ncleaner("annotate", page))


@pytest.fixture
def gold(page: Path, tmp_path: Path) -> Path:
    (tmp_path / "gold" / "raw").mkdir(parents=True)
    (tmp_path / "gold" / "clean").mkdir()
    shutil.copy(page, tmp_path / "gold" / "raw" / "a.html")
    (tmp_path / "gold" / "clean" / "a.txt").write_text(PROSE)
    return tmp_path / "gold"


def test_evaluate(gold: Path) -> None:
    said = singular(ncleaner("evaluate", gold / "clean", gold / "clean", "-j1"))
    assert "1 page compared with gold text." in said


def test_compare(gold: Path) -> None:
    assert "1 page of 1 site" in singular(ncleaner("compare", gold, "-t", "everything", "-j1"))


@pytest.mark.parametrize("method", ["ngram", "hybrid", "victor", "fiasco", "lines"])
def test_train_and_show(gold: Path, tmp_path: Path, method: str) -> None:
    model = tmp_path / "m.ncm"
    options = ["-n", "1", "--alphabet", "ascii"] if method in ("ngram", "hybrid") else []
    arguments: list[str | Path] = ["--raw", gold / "raw", "--clean", gold / "clean", "-o", model]
    singular(ncleaner("train", "-m", method, *arguments, *options))
    if model.exists():
        said = singular(ncleaner("models", "show", model))
        assert "1 page of 0 sites" in said or "1 page of 1 site" in said


def test_train_on_what_does_not_fit(gold: Path, tmp_path: Path) -> None:
    (gold / "clean" / "a.txt").rename(gold / "clean" / "b.txt")
    train: list[str | Path] = ["train", "--raw", gold / "raw", "-o", tmp_path / "m.ncm"]
    assert "(1 file)" in singular(ncleaner(*train, "--clean", gold / "clean"))
    singular(ncleaner(*train, "--fence", "begin", "end"))


def test_counts_that_no_small_input_reaches() -> None:
    from ncleaner.cli.progress import run_summary, sort_summary
    from ncleaner.sorting.regroup import SortTally

    one = Tally(
        inputs=1, resumed=1, unread=1, pages=1, empty=1, notices=1, duplicates=1, damaged=1, flattened=1,
        segments_kept=1, words_kept=1, unfamiliar=1,
    )  # fmt: skip
    one.fallbacks["ngram"] = one.skipped["x"] = 1
    found = [word for word in ONE.findall(run_summary(one)) if word not in BY_NATURE]
    counts: dict[str, Any] = {name: 1 for name in SortTally.__dataclass_fields__ if name != "merged"}
    found += ONE.findall(sort_summary(SortTally(**{**counts, "inputs": 2, "merged": True})))
    assert [word for word in found if word not in BY_NATURE] == []
    assert json.dumps(one.record())


def test_the_words_of_the_source_are_counted_by_the_helper() -> None:
    """A number with a noun that has an s in all cases: `{number:,} pages` in an f-string."""
    package = Path(sys.modules["ncleaner"].__file__ or "").parent
    noun = "(?:page|input|record|site|host|place|file|word|segment|tag|byte|block)s"
    fixed = re.compile(r"\{[\w.()\[\]]*(?:len\([^{}]*\)|:,)\} (?:[a-z]+ )?" + noun)
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted(package.rglob("*.py"))
        for line in path.read_text().splitlines()
        # never one: more than a limit, and the other half of a choice
        if fixed.search(line) and path.name not in ("limits.py", "remote.py") and "only one page" not in line
    ]
    assert found == []
