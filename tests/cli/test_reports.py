"""The manifest of real runs as a table, as JSON and as a page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

from ncleaner.cli.reports import run_page, run_text
from ncleaner.errors import InputError
from ncleaner.running.history import read_history, samples
from ncleaner.running.manifest import NAME
from ncleaner.text.visible import html_text

from ..archives import http, members, warc
from ..browser import PATH, browser
from ..faults import hooked
from ..runs import write_manifest
from .test_app import CRAWL, EXAMPLES, PROSE, ncleaner

TOWN = EXAMPLES / "town.warc.gz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over the sample crawl, an archive with a deadly page, and one that is cut off."""
    folder = tmp_path_factory.mktemp("report")
    targets = ["http://x.example/0", "http://x.example/<b>?fault=kill", "http://x.example/2"]
    records = [warc(i, http(f"<p>{PROSE}".encode()), target=target) for i, target in enumerate(targets)]
    (folder / "deadly.warc.gz").write_bytes(members(records))
    (folder / "cut.warc.gz").write_bytes(members([warc(i) for i in range(3)])[:-100])
    inputs = (CRAWL, folder / "deadly.warc.gz", folder / "cut.warc.gz")
    result = ncleaner("clean", *inputs, "-o", folder / "out", env=hooked())
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
    assert re.search(r"^crawl\.warc\.gz +15 +15 +0 +0 +0 +0 ", said, re.M)
    assert re.search(r"^deadly\.warc\.gz +3 +2 +0 +0 +1 +0 ", said, re.M)
    assert re.search(r"^all +21 ", said, re.M)
    assert "Pages in quarantine\n  the worker was killed by SIGKILL  deadly.warc.gz at byte " in said
    assert re.search(
        "^records that are not pages +record type metadata 17, record type request 17", said, re.M
    )
    assert re.search("^cleaned with +hybrid, model auto, ncleaner [\\w.]+ 3", said, re.M)


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
    # pages over time; shares, words, quality and seconds of a page
    assert found.tags.count("svg") == 5
    # outcomes, languages, kinds, encodings
    assert text.count("<div class=bars>") == 4
    assert not {"script", "link", "img"} & set(found.tags)
    assert "<b>fault" not in text and "prefers-color-scheme: dark" in text
    assert not [link for link in found.links if "//" in link]
    assert "http://x.example/&lt;b&gt;?fault=kill" in text
    assert "Slowest pages" in text and "Pages in quarantine" in text and "Damage" in text
    # what is drawn has no table
    assert "<h3>Records that are not pages</h3>" in text and "<h3>Languages</h3>" not in text


def test_what_has_one_value_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<html lang=en><p>{PROSE}")
    assert ncleaner("clean", tmp_path / "page.html", "-o", tmp_path / "out", "-f", "jsonl").returncode == 0
    text = run_page(read_history(str(tmp_path / "out")))
    assert "<svg" not in text and "class=bars" not in text
    assert "<p>Pages by outcome: cleaned 1, no other.</p>" in text
    assert "<span>input</span>" in text and "<span>page</span>" in text


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("compression", ["", "gz", "zst"])
def test_samples_are_the_beginnings_of_outputs(tmp_path: Path, compression: str) -> None:
    options = ["--compress", compression] if compression else []
    assert ncleaner("clean", CRAWL, "-o", tmp_path, "-f", "jsonl", *options, "-q").returncode == 0
    history = read_history(str(tmp_path))
    (sample,) = samples(history, 3)
    assert sample.url.startswith("http") and sample.language == "en" and sample.text.endswith(" …")
    assert len(sample.text.split()) == 71
    assert html_text(sample.text) in run_page(history, [sample])
    for path in tmp_path.glob("crawl.*"):
        path.write_bytes(path.read_bytes()[:40])
    assert samples(history, 3) == []


def test_samples_of_plain_text(tmp_path: Path) -> None:
    assert ncleaner("clean", CRAWL, "-o", tmp_path, "-q").returncode == 0
    (sample,) = samples(read_history(str(tmp_path)), 1)
    assert sample.url == "" and len(sample.text.split()) > 25


def many(folder: Path, tmp_path: Path, names: list[str]) -> Path:
    """Writes a manifest of many inputs."""
    settings, line, *_ = (folder / NAME).read_text().splitlines()
    write_manifest(tmp_path, settings, *(json.dumps({**json.loads(line), "input": name}) for name in names))
    return tmp_path


@pytest.mark.slow
@pytest.mark.traced
def test_a_thousand_like_inputs_have_one_line(folder: Path, tmp_path: Path) -> None:
    names = [f"segments/{n % 7}/crawl-{n:05}.warc.gz" for n in range(2500)] + ["list.html", "odd.txt"]
    history = read_history(str(many(folder, tmp_path, names)))
    said = run_text(history)
    assert len(said.splitlines()) < 45
    rows = re.findall(r"^([\d,]+) inputs from (\S+)", said, re.M)
    assert [number for number, _ in rows] == ["1,000", "1,000", "500"]
    assert re.search(r"^list\.html  ", said, re.M) and re.search(r"^odd\.txt  ", said, re.M)
    assert "--all has a line for each input" in said
    pages = [int(row.replace(",", "")) for row in re.findall(r"from \S+ +([\d,]+)", said)]
    (one,) = {line.tally.pages for line in history.lines}
    assert sum(pages) == 2500 * one and history.total.pages == 2502 * one
    each = run_text(history, everything=True)
    assert each.count("segments/") >= 2500 and "inputs from" not in each
    assert "2,502" in run_page(history) and run_page(history).count("<tr>") < 100


@pytest.mark.slow
@pytest.mark.skipif(not PATH, reason="there is no Chromium (scripts/browser.sh installs one)")
def test_axe_finds_nothing(folder: Path, tmp_path: Path) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    history = read_history(str(folder))
    (tmp_path / "report.html").write_text(run_page(history, samples(history, 2)), "utf-8")
    page, gold = EXAMPLES / "pages" / "slow-gears-blog.html", EXAMPLES / "gold"
    for name, words in {
        "survey": ("survey", TOWN, "-o", tmp_path / "s.ncs"),
        "evaluate": ("evaluate", EXAMPLES / "pages", gold, "-m", "ngram"),
        "why": ("inspect", page, "--why", "--against", gold),
        "diff": ("inspect", page, "--diff", "everything", "hybrid"),
    }.items():
        assert ncleaner(*words, "--html", tmp_path / f"{name}.html").returncode == 0
    with browser() as chromium:
        for scheme, width, path in product(("light", "dark"), (1280, 400), sorted(tmp_path.glob("*.html"))):
            tab = chromium.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
            tab.goto(path.as_uri())
            # as a person who has opened everything
            tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
            result = axe.Axe().run(tab)
            assert result.violations_count == 0, f"{path.name} {scheme} {width}\n{result.generate_report()}"
            # on a telephone, only tables scroll sideways
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, path.name
            tab.close()


def test_the_last_line_of_an_input_counts(folder: Path, tmp_path: Path) -> None:
    lines = (folder / NAME).read_text().splitlines()
    newer = json.loads(lines[1])
    newer["pages"] = 1000
    write_manifest(tmp_path, *lines, "{}", "no JSON", json.dumps(newer), json.dumps([1]))
    history = read_history(str(tmp_path))
    assert history.foreign == 3
    assert len(history.lines) == 3
    assert history.total.pages >= 1000
    assert "3 lines of the manifest are not of this version" in run_text(history)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["pages", "given_up", "slowest", "finished", "settings", "damage", "seconds"])
def test_lines_of_other_versions(folder: Path, tmp_path: Path, key: str) -> None:
    settings, first, *rest = (folder / NAME).read_text().splitlines()
    for value in (None, "x", [3], {"a": "b"}):
        entry = {**json.loads(first), key: value}
        write_manifest(tmp_path, settings, json.dumps(entry), *rest)
        history = read_history(str(tmp_path))
        assert history.foreign == 1
        assert run_text(history) and run_page(history)


def test_no_manifest_or_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no _run/manifest"):
        read_history(str(tmp_path))
    write_manifest(tmp_path)
    result = ncleaner("report", tmp_path)
    assert result.returncode == 1
    assert "`ncleaner clean -o DIRECTORY` writes" in result.stderr.decode()
