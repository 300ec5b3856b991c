"""The scripts that measure on all gold sets together and count siblings, on pages made up here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ncleaner.dumping.html import dump_html
from ncleaner.lab.training.pairs import Pair

from ..structures import grow_small_forests, page_html, paragraphs


@pytest.fixture
def together(bench_module: Callable[[str], Any]) -> Any:
    return bench_module("together")


@pytest.fixture
def siblings(bench_module: Callable[[str], Any]) -> Any:
    return bench_module("siblings")


def page(number: int) -> Pair:
    text = "\n".join(paragraphs(number))
    return Pair(f"page{number}", dump_html(page_html(number)), text, f"s{number}.example", "article")


# together ---------------------------------------------------------------------------------------------


def test_the_area_under_the_curve(together: Any) -> None:
    right = np.array([True, False, True, False])
    assert together.auc(np.array([0.9, 0.1, 0.8, 0.2]), right) == 1
    assert together.auc(np.array([0.1, 0.9, 0.2, 0.8]), right) == 0
    # a tie counts half
    assert together.auc(np.array([0.9, 0.1, 0.5, 0.5]), right) == 0.875


def test_rows_are_the_ways_that_differ(together: Any) -> None:
    pairs = [page(number) for number in range(6)]
    # no gold text has its headline
    assert not together.advised(pairs).headline
    assert list(together.rows_of("daniel-en", pairs)) == ["method", "defaults", "advised"]
    assert list(together.rows_of("wcxb-dev", pairs)) == ["method", "defaults", "convention"]
    # too few pages for a convention
    assert list(together.rows_of("l3s-dev", pairs[:1])) == ["method", "defaults"]
    assert together.rows_of("cleaneval-dev", pairs[:1])["convention"].comments is True


def test_pages_are_compared_with_a_saved_run(
    together: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three_pages = [page(number) for number in range(3)]
    before = {("daniel-en", "method"): {"page0": [0.5, 0.7], "page1": [0.9, 0.9], "gone": [0.0, 0.0]}}
    after = {("daniel-en", "method"): {"page0": [0.8], "page1": [0.9], "page2": [0.1]}}
    kinds = {"daniel-en": [*three_pages, Pair("gone", three_pages[0].document, "")]}
    together.save(tmp_path / "before.jsonl", kinds, before)
    entries = [json.loads(line) for line in (tmp_path / "before.jsonl").read_text().splitlines()]
    assert entries[0] == {
        "set": "daniel-en", "row": "method", "page": "page0", "kind": "article", "f1": [0.5, 0.7]
    }  # fmt: skip
    together.compare(tmp_path / "before.jsonl", after)
    # by 0.2 and 0
    assert "     2  +0.1000 ± 0.1000   1 pages changed" in capsys.readouterr().out


@pytest.mark.slow
def test_sets_are_cross_validated_together(
    together: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    grow_small_forests(monkeypatch)
    for folder, numbers in (("daniel-en", range(12)), ("cleaneval-dev", range(12, 24))):
        for kind in ("raw", "clean"):
            (tmp_path / folder / kind).mkdir(parents=True)
        lines = []
        for number in numbers:
            text = "".join(f"<p>{text}\n" for text in paragraphs(number))
            (tmp_path / folder / "raw" / f"{number}.html").write_text(page_html(number))
            (tmp_path / folder / "clean" / f"{number}.txt").write_text(text)
            lines.append(json.dumps({"id": str(number), "url": f"http://s{number}.example/"}))
        (tmp_path / folder / "manifest.jsonl").write_text("\n".join(lines))
    arguments = [str(tmp_path), "--sets", "daniel-en,cleaneval-dev", "--seeds", "1,2"]
    app = together.typer.Typer()
    app.command()(together.main)
    first = CliRunner().invoke(app, [*arguments, "--save", str(tmp_path / "saved.jsonl")])
    assert first.exit_code == 0, first.output
    rows = [line.split() for line in first.stdout.splitlines() if line.startswith(("daniel", "clean"))]
    assert [row[:3] for row in rows if row[1] == "defaults"] == [
        ["daniel-en", "defaults", "12"],
        ["cleaneval-dev", "defaults", "12"],
    ]
    assert all(float(row[3]) > 0.9 for row in rows)
    assert "labelled segmentation" in first.stdout
    second = CliRunner().invoke(app, [*arguments, "--against", str(tmp_path / "saved.jsonl")])
    compared = second.stdout.partition("Difference")[2].splitlines()[1:]
    assert len(compared) == len(rows)
    assert all(line.endswith("+0.0000 ± 0.0000   0 pages changed") for line in compared)
    unknown = CliRunner().invoke(app, [str(tmp_path), "--sets", "nowhere"])
    assert unknown.exit_code == 2 and "no such set: nowhere" in unknown.output


# siblings ---------------------------------------------------------------------------------------------

ROWS = "".join(f"<li class=row>The {n}th row of the list has words of its own.</li>" for n in range(5))


def test_siblings_have_the_same_kind_and_style(siblings: Any) -> None:
    document = dump_html(f"<ul>{ROWS}</ul><ul class=other>{ROWS}</ul><p>One</p><p>Two</p><li class=row>Three")
    styles = siblings.styles_of(document).tolist()
    assert [styles.count(style) for style in dict.fromkeys(styles)] == [5, 5, 2, 1]


def test_groups_are_those_on_which_the_gold_text_is_of_one_mind(siblings: Any) -> None:
    document = dump_html(f"<ul>{ROWS}</ul><p>A paragraph.</p><p>Another paragraph.</p>")
    lines = [segment.text for segment in document]
    for gold, groups in ((lines, 1), (lines[5:], 1), (lines[:2], 0)):
        found = list(siblings.groups_of(Pair("a", document, "\n".join(gold))))
        assert [rows.tolist() for rows in found] == [[0, 1, 2, 3, 4]] * groups


def test_a_group_is_split_if_a_part_of_it_is_kept(siblings: Any) -> None:
    rows = np.array([0, 2])
    for mask, split in (([1, 0, 1], False), ([0, 1, 0], False), ([1, 0, 0], True)):
        assert siblings.is_split(np.array(mask, bool), rows) is split
