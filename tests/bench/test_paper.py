"""The script that redoes the tables and figures of the paper, over the example pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncleaner.cleaner import Cleaner

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

ROWS = [
    "baseline: the uncleaned dump",
    "heuristics only",
    "NCleaner, as in the paper",
    "NCleaner, as in the paper, non-lexical",
    "ncleaner's defaults",
    "ncleaner's defaults, non-lexical",
]


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example pages in gold form."""
    folder = tmp_path_factory.mktemp("paper") / "example-pages"
    shutil.copytree(EXAMPLES / "pages", folder / "raw")
    (folder / "clean").mkdir()
    for path in (EXAMPLES / "gold").iterdir():
        shutil.copy(path, folder / "clean" / f"{path.stem}.txt")
    shutil.copy(EXAMPLES / "manifest.jsonl", folder)
    return folder


@pytest.fixture
def paper(bench_module: Callable[[str], Any]) -> Any:
    return bench_module("paper")


def run(bench: Path, gold: Path, folder: Path, *options: str) -> tuple[str, dict[str, bytes]]:
    """The report and the figures by name; no Lynx is found."""
    folder.mkdir()
    arguments: list[str | Path] = ["--data", gold, "--output", folder / "paper.md", "--orders", "1", *options]
    done = subprocess.run(
        [sys.executable, "-m", "bench.paper", *arguments],
        env={**os.environ, "PATH": str(folder), "PYTHONPATH": str(bench)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if "--quiet" in options:
        assert done.stderr == ""
    else:
        assert "learning curve" in done.stderr
    figures = {path.name: path.read_bytes() for path in sorted((folder / "paper").iterdir())}
    return (folder / "paper.md").read_text("utf-8"), figures


def section(report: str, title: str) -> str:
    found = re.search(rf"^#+ {title}:.*?(?=^#|\Z)", report, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[0]


@pytest.mark.slow
def test_the_report_has_all_tables_and_figures(bench_folder: Path, gold: Path, tmp_path: Path) -> None:
    (gold / "text").mkdir()
    everything = Cleaner("everything")
    for page in (gold / "raw").iterdir():
        text = everything.clean(page.read_bytes()).replace("\n", "\n\n")
        (gold / "text" / f"{page.stem}.txt").write_text(text, "utf-8")
    report, figures = run(bench_folder, gold, tmp_path / "one", "--jobs", "1", "--quiet")
    shutil.rmtree(gold / "text")

    for title in ("Table 2a", "Table 2b"):
        rows = re.findall(r"^\| ([^|]+) \| \d", section(report, title), re.MULTILINE)
        assert rows == ROWS
    tests = re.findall(r"^\| [^|]+ \| the (?:row before|baseline) \|", report, re.MULTILINE)
    assert len(tests) == 2 * 9
    for title in ("Table 3", "Table 4"):
        rows = re.findall(r"^\| (HTML|text dumps) \| ([^|]+) \|", section(report, title), re.MULTILINE)
        assert rows == [
            *(("HTML", row) for row in ROWS),
            ("text dumps", "the dump as it is, without marks"),
            *(("text dumps", row) for row in ROWS),
        ]
    assert re.findall(r"^\| (\d) \|", section(report, "Figure 2"), re.MULTILINE) == list("12345678")
    counts = re.findall(r" to −?\d+ \| (\d+) \| (\d+) \|$", section(report, "Figure 3"), re.MULTILINE)
    assert [sum(map(int, column)) for column in zip(*counts, strict=True)] == [15, 15]
    # 5 and 10 pages, and all
    assert len(re.findall(r"^\| \d+\.\d \|", section(report, "Figure 4"), re.MULTILINE)) == 3
    assert list(figures) == ["figure-2.svg", "figure-3.svg", "figure-4.svg"]
    for name, drawing in figures.items():
        assert f"](paper/{name})" in report
        assert b"</svg>" in drawing and b"<dc:date>" not in drawing
    assert "`example-pages`, 15 pages of 15 sites" in report
    assert "nan" not in report and str(tmp_path) not in report and str(ROOT) not in report


@pytest.mark.slow
def test_without_dumps_the_report_says_how_to_get_them_and_comes_out_the_same_again(
    bench_folder: Path, gold: Path, tmp_path: Path
) -> None:
    report, figures = run(bench_folder, gold, tmp_path / "one", "--jobs", "1")
    assert "apt-get install lynx" in section(report, "Table 2b")
    assert "| text dumps |" not in report
    again = run(bench_folder, gold, tmp_path / "two", "--jobs", "2")
    assert again == (report, figures)


@pytest.mark.parametrize(
    ("t", "df", "p"),
    # tables of the t distribution
    [(12.7062, 1, 0.05), (2.2281, 10, 0.05), (3.1693, 10, 0.01), (2.0025, 57, 0.05), (0.0, 5, 1.0)],
)
def test_p_is_that_of_the_t_distribution(paper: Any, t: float, df: int, p: float) -> None:
    assert paper.two_sided(t, df) == pytest.approx(p, rel=1e-3)
    assert paper.two_sided(-t, df) == paper.two_sided(t, df)


def test_a_paired_test(paper: Any) -> None:
    test = paper.PairedTest.of([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    # mean 2, standard deviation 1
    assert test.difference == 2
    assert test.t == pytest.approx(2 * 3**0.5)
    assert test.df == 2
    assert test.p == pytest.approx(0.0742, abs=1e-4)
    assert paper.PairedTest.of([1.0, 2.0], [1.0, 2.0]).cells() == ["0.00", "–", "1", "–"]


def test_whole_sites_are_added_until_there_are_enough_pages(paper: Any) -> None:
    groups = [[7], [2, 3, 9], [1]]
    assert paper._first(groups, 1) == (7,)
    assert paper._first(groups, 2) == (2, 3, 7, 9)
    assert paper._first(groups, 100) == (1, 2, 3, 7, 9)
