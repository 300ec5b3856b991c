"""The script that puts other extractors beside ncleaner, with tools made up here."""

from __future__ import annotations

import importlib
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parent.parent / "bench" / "compare.py"

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="bench/ is not here")

PAGES = {
    "rain": (
        "article",
        "en",
        "<title>Rain</title><nav>Home</nav><p>Rain fell on the hills.<p>It fell all night.",
    ),
    "bread": ("product", "en", "<nav>Home</nav><p>Bread of rye, a loaf.<footer>Terms</footer>"),
    "tea": ("article", "", "<p>Tea is drunk hot."),
}
GOLD = {
    "rain": "Rain fell on the hills.\nIt fell all night.\n",
    "bread": "<p>Bread of rye, a loaf.\n",
    "tea": "Tea is drunk hot.\n",
}


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    return importlib.import_module("compare")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    folder = tmp_path / "little"
    entries = [
        {"id": name, "url": f"http://{name}.example/", "page_type": kind, "lang": language or None}
        for name, (kind, language, _) in PAGES.items()
    ]
    write(folder, entries, {name: page for name, (_, _, page) in PAGES.items()}, GOLD)
    return folder


def write(folder: Path, entries: list[dict[str, Any]], raw: dict[str, str], clean: dict[str, str]) -> None:
    for kind in ("raw", "clean"):
        (folder / kind).mkdir(parents=True)
    (folder / "manifest.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    for name, text in raw.items():
        (folder / "raw" / f"{name}.html").write_text(text, "utf-8")
    for name, text in clean.items():
        (folder / "clean" / f"{name}.txt").write_text(text, "utf-8")


def paragraphs(body: bytes, url: str, language: str) -> str:
    """Finds what it should on these pages."""
    return "\n\n".join(re.findall("<p>([^<]*)", body.decode()))


def add(compare: Any, monkeypatch: pytest.MonkeyPatch, name: str, extract: Any) -> None:
    monkeypatch.setitem(compare.TOOLS, name, compare.Tool(name, lambda: extract))


def row(output: str, name: str) -> list[str]:
    """The first row that begins so: P, R, F, bag F1, empty, failed."""
    line = next(line for line in output.splitlines() if line.startswith(name))
    return line.removeprefix(name).split()


def test_table(
    compare: Any, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(compare, monkeypatch, "fake", paragraphs)
    compare.main([gold], tool=["everything", "fake"], jobs=1)
    output = capsys.readouterr().out
    assert "little: 3 pages, bag of words" in output
    kept, found = row(output, "everything kept"), row(output, "fake")
    assert found[3:] == ["1.000", "0", "0"]
    assert float(kept[3]) < 1 and kept[4:] == ["0", "0"]
    assert float(kept[1]) == float(found[1]) > 90
    types = output[output.index("by type") :]
    assert types.splitlines()[1].split() == ["article", "product"]
    assert row(types, "pages") == ["2", "1"]
    assert row(types, "fake") == ["1.000", "1.000"]


def test_missing_tool(
    compare: Any, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(
        compare.TOOLS, "absent", compare.Tool("absent", lambda: compare._load("no_such_module_here").extract)
    )
    compare.main([gold], tool=["absent", "everything"], jobs=1)
    output = capsys.readouterr().out
    assert row(output, "absent") == ["not", "installed"]
    assert len(row(output, "everything kept")) == 6


def test_failure_scores_nothing(
    compare: Any, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(body: bytes, url: str, language: str) -> str:
        if b"Rain" in body:
            raise ValueError("no rain,\nplease")
        return paragraphs(body, url, language)

    add(compare, monkeypatch, "fails", fails)
    compare.main([gold], tool=["fails"], jobs=1)
    output = capsys.readouterr().out
    assert row(output, "fails")[3:] == ["0.667", "0", "1"]
    assert row(output[output.index("by type") :], "fails") == ["0.500", "1.000"]
    assert "fails failed on 1, first on rain: ValueError: no rain, please" in output


def test_failure_scores_nothing_where_nothing_was_to_be_found(compare: Any, tmp_path: Path) -> None:
    page = tmp_path / "empty"
    page.write_bytes(b"")
    sample = compare.Sample("empty", page, page)
    assert compare.bag(sample, compare.Outcome(), "word") == 1
    assert compare.bag(sample, compare.Outcome(failure="raised"), "word") == 0


def test_empty_is_counted(
    compare: Any, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(compare, monkeypatch, "nothing", lambda body, url, language: None)
    compare.main([gold], tool=["nothing"], jobs=1)
    assert row(capsys.readouterr().out, "nothing")[3:] == ["0.000", "3", "0"]


def test_time_limit(compare: Any, gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(compare.signal, "setitimer"):
        pytest.skip("no interval timers")
    add(compare, monkeypatch, "slow", lambda body, url, language: time.sleep(30))
    outcomes = compare.run("slow", compare.load_samples(gold, 1), seconds=0.05)
    assert [outcome.failure for outcome in outcomes] == ["TimeoutError: more than 0.05 seconds"]


def test_panic_is_a_failure(compare: Any, gold: Path) -> None:
    class Panic(BaseException):
        pass

    def panics(body: bytes, url: str, language: str) -> str:
        raise Panic("overflow")

    assert compare.apply(panics, compare.load_samples(gold)[0], 0).failure == "Panic: overflow"


@pytest.mark.slow
def test_pool_gives_the_same(compare: Any, gold: Path) -> None:
    samples = compare.load_samples(gold)
    assert compare.run("everything", samples, jobs=2) == compare.run("everything", samples)


def test_characters_for_chinese(
    compare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "chinese"
    write(folder, [{"id": "1", "url": "", "lang": "zh"}], {"1": "<p>天下雨了"}, {"1": "天下雨\n"})
    add(compare, monkeypatch, "fake", paragraphs)
    compare.main([folder], tool=["fake"], jobs=1)
    compare.main([folder], tool=["fake"], unit="word", jobs=1)
    characters, words = capsys.readouterr().out.split("bag of words")
    assert "bag of chars" in characters and "by type" not in characters
    assert row(characters, "fake")[3] == "0.857"
    assert row(words, "fake")[3] == "0.000"


def test_what_tools_are_told(compare: Any, gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    add(compare, monkeypatch, "spy", lambda body, url, language: seen.append((url, language)))
    compare.run("spy", compare.load_samples(gold))
    assert seen == [
        ("http://bread.example/", "en"),
        ("http://rain.example/", "en"),
        ("http://tea.example/", ""),
    ]


def test_unwrap(compare: Any, tmp_path: Path) -> None:
    page = '<text id="http://a.example/">\n<html><p>a</text>b</html>\n</text>\n'
    write(tmp_path / "wrapped", [{"id": "1"}], {"1": page}, {"1": "a"})
    [stored], [bare] = (compare.load_samples(tmp_path / "wrapped", unwrap=unwrap) for unwrap in (False, True))
    assert stored.body() == page.encode()
    assert bare.body() == b"<html><p>a</text>b</html>\n"


def test_limit_spreads(compare: Any, gold: Path) -> None:
    assert [sample.name for sample in compare.load_samples(gold, 2)] == ["bread", "rain"]
    assert [sample.name for sample in compare.load_samples(gold, 9)] == ["bread", "rain", "tea"]


def test_unknown_names_are_refused(compare: Any, gold: Path) -> None:
    for options in ({"tool": ["no-such-tool"]}, {"unit": "syllable"}):
        with pytest.raises(compare.typer.BadParameter):
            compare.main([gold], **options)


def test_html_text_sets_blocks_apart(compare: Any) -> None:
    pytest.importorskip("lxml.html")
    html = "<div>One\n line <b>bold</b><p>Two</p><!-- no -->tail<br>after</div>"
    lines = [line.strip() for line in compare.html_text(html).splitlines() if line.strip()]
    assert lines == ["One line bold", "Two", "tail", "after"]
    assert compare.html_text(" ") == ""
