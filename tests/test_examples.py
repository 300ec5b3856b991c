"""The sample crawl: its archive is current, and its gold texts are texts of its pages."""

from __future__ import annotations

import gzip
import html
import importlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from ncleaner.reading.inputs import find_inputs

from .cli.test_app import ncleaner

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
SCRIPT = ROOT / "scripts" / "make_example_crawl.py"
MANIFEST: list[dict[str, Any]] = [
    json.loads(line) for line in (EXAMPLES / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
]
each_page = pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: entry["id"])


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False
    )


def page_text(entry: dict[str, Any]) -> str:
    """All that a reader might see: the page without scripts, styles and tags."""
    source = (EXAMPLES / "pages" / f"{entry['id']}.html").read_bytes().decode(entry["encoding"])
    source = re.sub(r"<(script|style)\b.*?</\1>", " ", source, flags=re.DOTALL | re.IGNORECASE)
    source = re.sub(r"</?(?:a|b|i|em|span|code|sup)\b[^>]*>", "", source, flags=re.IGNORECASE)
    return html.unescape(re.sub(r"<[^>]*>", " ", source))


def gold_text(entry: dict[str, Any]) -> str:
    return (EXAMPLES / "gold" / f"{entry['id']}.gold").read_text(encoding="utf-8")


def test_every_page_has_its_gold() -> None:
    names = [entry["id"] for entry in MANIFEST]
    assert len(names) == len(set(names)) >= 14
    assert sorted(names) == sorted(path.stem for path in (EXAMPLES / "pages").glob("*.html"))
    assert sorted(names) == sorted(path.stem for path in (EXAMPLES / "gold").glob("*.gold"))


def test_variety() -> None:
    assert Counter(entry["lang"] for entry in MANIFEST)["en"] >= 8
    assert {"de", "es", "pl", "ru", "el", "ja"} <= {entry["lang"] for entry in MANIFEST}
    encodings = {entry["encoding"] for entry in MANIFEST}
    assert {"utf-8", "iso-8859-1", "iso-8859-2", "windows-1251", "windows-1252", "shift_jis"} <= encodings
    assert {"article", "forum", "product", "documentation", "listing"} == {
        entry["page_type"] for entry in MANIFEST
    }
    assert len({entry["url"] for entry in MANIFEST}) == len(MANIFEST)
    assert all(re.match(r"https?://[^/]+\.example/", entry["url"]) for entry in MANIFEST)


def test_small_enough_to_ship() -> None:
    assert sum(path.stat().st_size for path in EXAMPLES.rglob("*") if path.is_file()) < 450_000


@each_page
def test_gold_is_marked_up(entry: dict[str, Any]) -> None:
    lines = gold_text(entry).splitlines()
    assert all(re.match(r"<[phl]>\S", line) for line in lines)
    assert lines[0].startswith("<h>")
    text = re.sub(r"(?m)^<[phl]>", "", gold_text(entry))
    if entry["lang"] == "ja":
        assert 500 <= len(text) <= 2500
    else:
        assert 150 <= len(text.split()) <= 700


@each_page
def test_gold_is_text_of_the_page(entry: dict[str, Any]) -> None:
    # Letters run together where there are no spaces between words, so there a character is the unit.
    tokens = re.compile(r"\w" if entry["lang"] == "ja" else r"\w+")
    gold = Counter(tokens.findall(re.sub(r"(?m)^<[phl]>", "", gold_text(entry))))
    page = Counter(tokens.findall(page_text(entry)))
    assert (gold & page).total() >= 0.97 * gold.total()
    # There is something to clean away, too.
    assert page.total() > 1.1 * gold.total()


@each_page
def test_encoding_is_not_ascii(entry: dict[str, Any]) -> None:
    body = (EXAMPLES / "pages" / f"{entry['id']}.html").read_bytes()
    assert not body.isascii()
    assert 5_000 <= len(body) <= 30_000
    if entry["encoding"] != "utf-8":
        with pytest.raises(UnicodeDecodeError):
            body.decode("utf-8")


def test_archive_is_current() -> None:
    result = run_script("--check")
    assert (result.returncode, result.stderr) == (0, "")


def test_the_crawl_in_esperanto_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    made = importlib.import_module("make_esperanto_crawl")
    monkeypatch.setattr(sys, "argv", ["make_esperanto_crawl.py", "--check"])
    assert made.main() == 0
    assert len(list((EXAMPLES / "esperanto" / "gold").glob("*.gold"))) == 36


def test_the_crawl_of_a_town_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    made = importlib.import_module("make_town_crawl")
    monkeypatch.setattr(sys, "argv", ["make_town_crawl.py", "--check"])
    assert made.main() == 0


@pytest.mark.slow
def test_the_crawl_of_a_town_has_what_a_survey_finds(tmp_path: Path) -> None:
    pytest.importorskip("rensa")
    archive, survey, out = EXAMPLES / "town.warc.gz", tmp_path / "sites.ncs", tmp_path / "out.jsonl"
    assert ncleaner("survey", archive, "--duplicates", "-o", survey, "-q").returncode == 0
    before = ncleaner("clean", archive, "-f", "jsonl", "-q").stdout.splitlines()
    assert ncleaner("clean", archive, "--sites", survey, "-o", out, "-q").returncode == 0
    pages = [json.loads(line) for line in out.read_bytes().splitlines()]
    words = [sum(len(page["text"].split()) for page in each) for each in (map(json.loads, before), pages)]
    assert words[1] < 0.8 * words[0]
    assert {page["language"] for page in pages} == {"en", "de", "fr"}
    assert sum(page["duplicate_of"] is not None for page in pages) >= 2


def test_no_gold_text_is_an_input() -> None:
    names = [each.relative for each in find_inputs([EXAMPLES])]
    assert len(names) == len(MANIFEST) + 4 and not any("gold/" in name for name in names)


@pytest.mark.slow
def test_archive_is_the_same_every_time(tmp_path: Path) -> None:
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("crawl.warc.gz"))
    assert run_script("--check", "--examples", str(copy)).returncode == 1
    written = []
    for _ in range(2):
        assert run_script("--examples", str(copy)).returncode == 0
        written.append((copy / "crawl.warc.gz").read_bytes())
    assert written[0] == written[1]
    assert gzip.decompress(written[0]) == gzip.decompress((EXAMPLES / "crawl.warc.gz").read_bytes())
    assert run_script("--check", "--examples", str(copy)).returncode == 0


@pytest.mark.parametrize("damage", ["page", "archive"])
def test_outdated_archive_is_found(tmp_path: Path, damage: str) -> None:
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy)
    if damage == "page":
        page = copy / "pages" / f"{MANIFEST[0]['id']}.html"
        page.write_bytes(page.read_bytes() + b"<!-- touched -->")
    else:
        (copy / "crawl.warc.gz").write_bytes((copy / "crawl.warc.gz").read_bytes()[:-40])
    result = run_script("--check", "--examples", str(copy))
    assert result.returncode == 1
    assert "is not what the pages give" in result.stderr


def test_archive_holds_the_pages() -> None:
    kinds: Counter[str] = Counter()
    pages, others, headers = {}, [], []
    with (EXAMPLES / "crawl.warc.gz").open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            kinds[record.rec_type] += 1
            if record.rec_type != "response":
                continue
            http = record.http_headers
            url, body = record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read()
            if http.get_statuscode() == "200" and http.get_header("Content-Type").startswith("text/html"):
                pages[url] = (
                    http.get_header("Content-Type"),
                    record.rec_headers.get_header("WARC-Date"),
                    body,
                )
                headers += [http.get_header("Content-Encoding"), http.get_header("Transfer-Encoding")]
            else:
                others.append((http.get_statuscode(), http.get_header("Content-Type")))
    assert pages == {
        entry["url"]: (
            entry["content_type"],
            entry["date"],
            (EXAMPLES / "pages" / f"{entry['id']}.html").read_bytes(),
        )
        for entry in MANIFEST
    }
    assert sorted(others) == [("200", "image/gif"), ("404", "text/html")]
    assert [header for header in headers if header] == ["chunked", "gzip"]
    responses = len(MANIFEST) + 2
    assert kinds == {"warcinfo": 1, "request": responses, "response": responses, "metadata": responses}
