"""The manifest of real runs as a table, as JSON and as a page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ncleaner.errors import InputError
from ncleaner.people.runpage import page, table
from ncleaner.running.history import read_history

from ..archives import http, members, warc
from ..faults import HOOK
from ..people.test_app import CRAWL, PROSE, ncleaner


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over the sample crawl, an archive with a deadly page, and one that is cut off."""
    folder = tmp_path_factory.mktemp("report")
    targets = ["http://x.example/0", "http://x.example/<b>?fault=kill", "http://x.example/2"]
    records = [warc(i, http(f"<p>{PROSE}".encode()), target=target) for i, target in enumerate(targets)]
    (folder / "deadly.warc.gz").write_bytes(members(records))
    (folder / "cut.warc.gz").write_bytes(members([warc(i) for i in range(3)])[:-100])
    inputs = (CRAWL, folder / "deadly.warc.gz", folder / "cut.warc.gz")
    result = ncleaner("clean", *inputs, "-o", folder / "out", env={"NCLEANER_WORKER_HOOK": HOOK})
    assert result.returncode == 1
    return folder / "out"


def test_sums_are_those_of_the_run(folder: Path) -> None:
    history = read_history(str(folder))
    assert [line.input for line in history.lines] == ["crawl.warc.gz", "cut.warc.gz", "deadly.warc.gz"]
    assert history.total.pages == 21
    assert history.outcomes["given up: killed its worker"] == 1
    assert sum(history.outcomes.values()) == 21
    assert history.total.skipped["record type request"] == 17
    assert history.over_time()[-1][1] == 21
    assert [row.url for row in history.quarantined()] == ["http://x.example/<b>?fault=kill"]
    assert len(history.damage()) == 1
    assert len(history.slowest(4)) == 4


def test_a_table(folder: Path) -> None:
    result = ncleaner("report", folder)
    assert result.returncode == 0
    said = result.stdout.decode()
    assert re.search(r"^crawl\.warc\.gz +15 +15 +0 +0 +0 ", said, re.M)
    assert re.search(r"^deadly\.warc\.gz +3 +2 +0 +1 +0 ", said, re.M)
    assert re.search(r"^all +21 ", said, re.M)
    assert "Pages in quarantine\n  the worker was killed by SIGKILL  deadly.warc.gz at byte " in said
    assert re.search(
        "^records that are no pages +record type metadata 17, record type request 17", said, re.M
    )
    assert re.search("^cleaned with +hybrid, model auto, ncleaner 0.1.0 3", said, re.M)


def test_the_sums_stand_first_then_a_line_for_each_input_then_the_details(folder: Path) -> None:
    said = ncleaner("report", folder).stdout.decode()
    places = [
        said.index(part) for part in ("inputs ", "\nlanguages ", "\ncrawl.warc.gz ", "\nall ", "\nSlowest")
    ]
    assert places == sorted(places) and places[0] == 0
    assert said.splitlines()[1].split() == ["pages", "21"]


def test_as_json(folder: Path) -> None:
    found = json.loads(ncleaner("report", folder, "--json").stdout)
    assert found["outcomes"]["cleaned"] == 20
    assert len(found["inputs"]) == 3


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attributes if name in ("src", "href")]


@pytest.mark.slow
def test_a_page_that_needs_nothing_else(folder: Path, tmp_path: Path) -> None:
    result = ncleaner("report", folder, "--html", tmp_path / "report.html")
    assert result.returncode == 0
    text = (tmp_path / "report.html").read_text()
    found = Elements()
    found.feed(text)
    # pages over time, outcomes, encodings, languages
    assert found.tags.count("svg") == 4
    assert not {"script", "link", "img", "b"} & set(found.tags)
    assert not [link for link in found.links if "//" in link]
    assert "http://x.example/&lt;b&gt;?fault=kill" in text
    assert "Slowest pages" in text and "Pages in quarantine" in text and "Damage" in text


def test_the_last_line_of_an_input_counts(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "manifest.jsonl").read_text().splitlines()
    newer = json.loads(lines[0])
    newer["pages"] = 1000
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join([*lines, "{}", "no JSON", json.dumps(newer), json.dumps([1]), ""]))
    history = read_history(str(tmp_path))
    assert history.foreign == 3
    assert len(history.lines) == 3
    assert history.total.pages >= 1000
    assert "3 lines of the manifest are not of this version" in table(history)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["pages", "given_up", "slowest", "finished", "settings", "damage", "seconds"])
def test_lines_of_other_versions(folder: Path, tmp_path: Path, key: str) -> None:
    first, *rest = (folder / "manifest.jsonl").read_text().splitlines()
    for value in (None, "x", [3], {"a": "b"}):
        entry = {**json.loads(first), key: value}
        (tmp_path / "manifest.jsonl").write_text("\n".join([json.dumps(entry), *rest]))
        history = read_history(str(tmp_path))
        assert history.foreign == 1
        assert table(history) and page(history)


def test_an_empty_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text("")
    history = read_history(str(tmp_path))
    assert table(history).startswith("input")
    assert "<svg" not in page(history)


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_history(str(tmp_path))
    result = ncleaner("report", tmp_path)
    assert result.returncode == 1
    assert b"ncleaner clean -o DIRECTORY writes it" in result.stderr
