"""The measurements of speed: what they run, and the tables that come of their results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncleaner.page import Page
from ncleaner.reading.archive import read

ROOT = Path(__file__).parent.parent.parent
CRAWL = ROOT / "examples" / "crawl.warc.gz"

Modules = Callable[[str], Any]

pytestmark = [
    # what they run is not of the package
    pytest.mark.untraced,
    pytest.mark.skipif(sys.platform == "win32", reason="measures by what Unix tells of processes"),
]


def bench(folder: Path, *arguments: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done


# the command ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_round_over_the_example_pages(bench_folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    done = bench(bench_folder, CRAWL, "--only", "stages", "--rounds", "1", "--json", results)
    assert "| walk |" in done.stdout and "Traceback" not in done.stderr
    part = json.loads(results.read_text("utf-8"))["stages"]
    assert part["conditions"]["rounds"] == 1 and part["conditions"]["versions"]["selectolax"]
    (table,) = part["tables"]
    assert table["facts"] == {"archive": "crawl.warc.gz", "pages": 15, "bytes": 119549}
    seconds = {(row["group"], row["name"]): row["seconds"] for row in table["rows"]}
    assert all(len(values) == 1 and values[0] >= 0 for values in seconds.values())
    assert seconds["", "floor"][0] > 0 and seconds["", "method:hybrid"][0] > 0
    stages = {name for group, name in seconds if group == "stages"}
    assert {"reading", "decoding", "parsing", "walk", "tables", "judging by hybrid"} <= stages


@pytest.mark.slow
def test_memory_is_that_of_the_processes_of_a_run(bench_folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    bench(bench_folder, CRAWL, "--only", "memory", "--rounds", "1", "--json", results)
    (table,) = json.loads(results.read_text("utf-8"))["memory"]["tables"]
    peaks = {row["name"]: row["facts"] for row in table["rows"]}
    assert 5e6 < peaks["floor"]["parent peak"] < 500e6 and "worker peak" not in peaks["floor"]
    # models take memory
    assert 5e6 < peaks["everything"]["worker peak"] < peaks["hybrid"]["worker peak"] < 500e6


@pytest.mark.slow
def test_what_is_asked_wrongly_is_said(bench_folder: Path, bench_module: Modules, tmp_path: Path) -> None:
    done = bench(bench_folder, CRAWL, "--only", "walk", status=2)
    assert "there is no walk" in done.stderr and "Traceback" not in done.stderr
    broken = tmp_path / "broken.json"
    for content in ("{", '{"floor": {"rows": []}}', '{"floor": 1}'):
        broken.write_text(content, "utf-8")
        with pytest.raises(ValueError, match="does not hold results"):
            bench_module("results").load(broken)
    with pytest.raises(ValueError, match="has no section"):
        bench_module("report").written({}, ROOT / "README.md")
    with pytest.raises(bench_module("processes").FailedError, match="no-such-file"):
        bench_module("processes").child_seconds("floor", tmp_path / "no-such-file")


# the parts, without the processes that they measure ---------------------------------------------------


@pytest.fixture
def parts(bench_module: Modules, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The parts, with processes that take 1 s at first, and each time 0.01 s more."""
    found, processes = bench_module("parts"), bench_module("processes")
    count = 0

    def seconds(*_: object) -> float:
        nonlocal count
        count += 1
        return 1 + count / 100

    def step(name: str, archive: Path, peaks: dict[str, int], *sites: str) -> float:
        peaks[name] = 20_000_000
        return seconds()

    def launched(arguments: list[str], source: Path | None = None) -> Any:
        assert (arguments[1] == "-") == (source is not None)
        # a start takes less than the work
        work = 0.0 if source and source.stat().st_size < 200 else 10.0
        return processes.Usage(work + seconds(), 1.0, 40_000_000, 50_000_000, 7.0)

    stages = bench_module("stages")
    monkeypatch.setattr(found, "step", step)
    monkeypatch.setattr(found, "launched", launched)
    monkeypatch.setattr(found, "cpu_seconds", seconds)
    monkeypatch.setattr(
        found, "child_seconds", lambda name, archive: ({stage: seconds() for stage in stages.STAGES}, 0)
    )
    return found


def test_each_part_has_its_section(parts: Any, bench_module: Modules, tmp_path: Path) -> None:
    gold = tmp_path / "own" / "clean"
    gold.mkdir(parents=True)
    (gold / "1.txt").write_text(
        "Die Fähre fährt um neun, und wer zu spät kommt, geht zu Fuß.\n" * 300, "utf-8"
    )
    task = parts.Task(
        (CRAWL,), 2, 3, None, (gold.parent,), 0.05, (1000, 20000), ("resiliparse", "magic-html")
    )
    results = bench_module("results")
    conditions = made_part(results).conditions
    found = {name: results.Part(conditions, measure(task)) for name, measure in parts.PARTS.items()}
    results.save(found, tmp_path / "results.json")
    assert results.load(tmp_path / "results.json") == found

    report = bench_module("report")
    sections = {name: report.section_of(name, part) for name, part in found.items()}
    for name, section in sections.items():
        assert "| --- | --: |" in section and "nan" not in section, name
    assert "| `hybrid` |" in sections["methods"] and "site" not in sections["methods"]
    assert (
        "`everything`, `ngram`, `hybrid`; at most 50 MB in the worker and 40 MB in the parent"
        in sections["text"]
    )
    assert "| own, as it is | " in sections["text"] and "documents, Lynx" in sections["text"]
    assert "| made up, " in sections["sizes"] and "| from crawl.warc.gz, " in sections["sizes"]
    assert "| crawl.warc.gz, one archive into one output | 7.00 | 7.00 | 1.00 ± 0.00 |" in sections["workers"]
    assert "not idle" not in sections["workers"]
    busy = results.Part({**conditions, "others": 0.9}, found["workers"].tables)
    assert "not idle" in report.section_of("workers", busy)
    # every part has its section in the document
    document = (ROOT / "docs" / "speed.md").read_text("utf-8")
    assert all(f"<!-- measured: {name} -->" in document for name in ("about", *parts.PARTS))


# results ----------------------------------------------------------------------------------------------


def made_part(results: Any) -> Any:
    rows = [
        results.Row("floor", [1.0, 2.0, 4.0]),
        results.Row("fastwarc", [0.5, 0.5, 0.5]),
        results.Row("parsing", [0.5, 1.5, 3.5]),
    ]
    conditions = {
        "date": "2024-05-01 10:00 UTC", "cpu": "A processor", "cores": 2, "load": 0.1, "others": 0.05,
        "versions": {"Python": "3.11.7"}, "rounds": 3,
    }  # fmt: skip
    facts = {"archive": "a.warc.gz", "pages": 1000, "bytes": 2_000_000}
    return results.Part(conditions, [results.Table("a.warc.gz", rows, facts)])


def test_ratios_are_those_of_one_round(bench_module: Modules) -> None:
    results = bench_module("results")
    one, base = results.Row("one", [2.0, 9.0, 4.0]), results.Row("floor", [1.0, 3.0, 1.0])
    assert results.ratios(one, base) == [2.0, 3.0, 4.0]
    assert results.median_ratio(one, base) == 3.0
    assert results.spread([2.0, 3.0, 4.0]) == pytest.approx(1 / 3)


def test_the_order_is_reversed_in_every_second_round(bench_module: Modules) -> None:
    order = []

    def step(name: str) -> Callable[[], float]:
        def run() -> float:
            order.append(name)
            return float(len(order))

        return run

    found = bench_module("results").measured({"a": step("a"), "b": step("b")}, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert found == {"a": [1.0, 4.0, 5.0], "b": [2.0, 3.0, 6.0]}


def test_parts_that_are_not_measured_again_stay(bench_module: Modules, tmp_path: Path) -> None:
    results = bench_module("results")
    file = tmp_path / "new" / "results.json"
    first, second = made_part(results), made_part(results)
    second.tables[0].rows[0].seconds = [3.0, 3.0, 3.0]
    results.save({"floor": first, "memory": first}, file)
    results.save({"floor": second}, file)
    assert results.load(file) == {"floor": second, "memory": first}


# the document -----------------------------------------------------------------------------------------


def test_measured_sections_are_replaced_and_others_stay(bench_module: Modules, tmp_path: Path) -> None:
    document = tmp_path / "speed.md"
    document.write_text(
        "# Speed\n<!-- measured: about -->\nold\n<!-- end of about -->\nby hand\n"
        "<!-- measured: floor -->\nold\n<!-- end of floor -->\n<!-- measured: text -->\nkept\n<!-- end of text -->\n",
        "utf-8",
    )
    part = made_part(bench_module("results"))
    bench_module("report").written({"floor": part}, document)
    text = document.read_text("utf-8")
    # 2 s in the middle of three rounds, over 1,000 pages of 2 kB
    assert "| a.warc.gz, 1,000 pages, 2 kB a page | 2,000 | 1000.00 | 500 (0.25 ± 0.12) |" in text
    assert "A processor, 2 cores." in text and "| 0.10 | 0.05 | 50.0 % |" in text
    assert "these figures are rough" not in text
    assert "\nby hand\n" in text and "\nkept\n" in text and "old" not in text
    bench_module("report").written({"floor": part}, document)
    assert document.read_text("utf-8") == text
    part.conditions["others"] = 0.9
    bench_module("report").written({"floor": part}, document)
    assert "more than 0.3 processors during floor: these figures are rough" in document.read_text("utf-8")


@pytest.mark.slow
def test_plots_depend_on_nothing_but_the_results(bench_module: Modules, tmp_path: Path) -> None:
    results = bench_module("results")
    part = made_part(results)
    part.tables[0].rows += [
        results.Row("method:hybrid", [2.0, 3.0, 5.0]),
        results.Row("method:bte", [1.0, 1.0, 1.0]),
    ]
    pictures = bench_module("plots").drawn({"methods": part, "floor": part}, tmp_path / "one")
    assert list(pictures) == ["methods"]
    bench_module("plots").drawn({"methods": part}, tmp_path / "two")
    drawn = (tmp_path / "one" / "methods.svg").read_bytes()
    assert b"hybrid" in drawn and drawn == (tmp_path / "two" / "methods.svg").read_bytes()
    # a single bar says nothing
    part.tables[0].rows.pop()
    assert bench_module("plots").drawn({"methods": part}, tmp_path / "three") == {}


# what is measured on ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1_000, 10_000, 300_000])
def test_pages_that_are_made_up_have_the_size_asked_for(bench_module: Modules, size: int) -> None:
    pages = bench_module("pages")
    for language in pages.LANGUAGES:
        for kind in pages.KINDS:
            made = pages.page(size, language, kind)
            assert size <= len(made) <= size + 2500
            assert made == pages.page(size, language, kind) != pages.page(size, language, kind, 2)


def test_a_sample_is_at_even_distances(bench_module: Modules, tmp_path: Path) -> None:
    archives = bench_module("archives")
    bodies = [b"<p>Page %d" % number for number in range(10)]
    whole, part = tmp_path / "whole.warc.gz", tmp_path / "part.warc.gz"
    assert archives.write_pages(whole, bodies) == 10
    assert archives.sampled(whole, 3, part) == 3
    assert [item.body for item in read(part) if isinstance(item, Page)] == [bodies[0], bodies[3], bodies[6]]
    assert archives.sampled(whole, 100, part) == 10


def test_pages_of_a_size_are_found_cut_or_joined(bench_module: Modules, tmp_path: Path) -> None:
    archive = tmp_path / "pages.warc.gz"
    bodies = [bench_module("pages").page(size, seed=size) for size in (30_000, 33_000, 90_000)]
    bench_module("archives").write_pages(archive, [*bodies, b"\xff" + bodies[0]])
    real = bench_module("parts")._RealPages(archive)
    assert real.of_size(30_000, 5) == bodies[:2]
    assert real.of_size(30_000, 1) == bodies[:1]
    assert all(len(piece) == 1000 and piece.startswith(b"<p") for piece in real.of_size(1000, 5))
    (joined,) = real.of_size(140_000, 5)
    assert joined == b"".join(bodies)[:140_000]
    assert real.of_size(10_000_000, 5) == []


def test_a_dump_as_lynx_writes_it(bench_module: Modules) -> None:
    texts, pages = bench_module("texts"), bench_module("pages")
    for language in pages.LANGUAGES:
        text = pages.paragraphs(3000, language)
        lines = texts.as_lynx(text).decode().split("\n")
        assert max(map(len, lines)) <= 80
        assert all(not line or line.startswith("   ") for line in lines)
        joined = "".join("".join(line.replace("* ", "", 1).split()) for line in lines)
        assert joined == "".join("".join(paragraph.split()) for paragraph in text)


def test_the_stages_add_up_to_the_time_of_the_loop(bench_module: Modules) -> None:
    stages = bench_module("stages")
    found = stages.stages(CRAWL)
    assert set(found) <= {*stages.STAGES, stages.ASIDE}
    # the functions are as they were before
    assert stages.stages(CRAWL, 3).keys() <= found.keys()
    clock = stages._Clock()
    inner = clock.timed("inner", lambda: None)
    clock.timed("outer", inner)()
    clock.change("end")
    assert set(clock.totals) == {"rest", "outer", "inner"}


# facts ------------------------------------------------------------------------------------------------


def test_facts_of_a_gold_directory(bench_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    head = "<title>Late again</title><meta name=author content='Ann Lee'><meta name=date content=2024-05-01>"
    rows: list[dict[str, Any]] = [
        {"id": "a", "title": "Late again", "authors": ["ann lee"], "date": "2024-05-01T10:00:00Z"},
        {"id": "b", "title": "Back again", "authors": [], "date": None},
        {"id": "c", "title": None, "authors": None, "date": None},
    ]
    for row in rows:
        (tmp_path / "raw" / f"{row['id']}.html").write_text(head, "utf-8")
    lines = [json.dumps({**row, "url": f"https://{row['id']}.example/ferry"}) for row in rows]
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bench.metadata", tmp_path, "--tool", "ncleaner"],
        env={**os.environ, "PYTHONPATH": str(bench_folder)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "| title | ncleaner | 2 | 1 (50.0%) | 50.0% of 2 |" in done.stdout
    assert "| authors | ncleaner | 1 | 1 (100.0%) | 100.0% of 1 |" in done.stdout
    # a page with nothing but a missing date has none
    assert "| published | ncleaner | 2 | 1 (50.0%) | 50.0% of 2 |" in done.stdout
