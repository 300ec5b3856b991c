"""The table and the picture of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ncleaner.comparing.figures import Comparison, NotRun, PageFigures, ToolFigures
from ncleaner.comparing.gold import GoldPage, GoldSet
from ncleaner.comparing.tools import Tool, method
from ncleaner.people.commands.compare import comparison_panel, comparison_table, draw_comparisons
from ncleaner.scoring.measures import BagUnit, MatchCounts
from ncleaner.training.conventions import ZoneUse
from ncleaner.training.pairs import Source

ZONES = {"headline": (9, 9), "comment": (9, 0), "caption": (0, 0)}


def comparison(
    bags: Mapping[str, float], units: tuple[BagUnit, BagUnit] = ("word", "word"), told: bool = True
) -> Comparison:
    """Two pages, and a tool for each name; those with a space are peers."""
    pages = tuple(
        GoldPage(Source(kind, Path(kind), Path(kind), page_type=kind), f"{kind}.example", unit)
        for kind, unit in zip(("article", "forum"), units, strict=True)
    )
    convention = {zone: ZoneUse(zone, *numbers) for zone, numbers in ZONES.items()} if told else None
    tools = []
    for name, bag in bags.items():
        peer = name.startswith("peer")
        tools.append(
            ToolFigures(
                Tool(name, method, version="1.0" if peer else "", install="pip install x" if peer else "",
                     settings="no comments" if peer else ""),
                (
                    PageFigures("article", MatchCounts(90, 10, 0), bag, 0.002),
                    PageFigures("forum", MatchCounts(90, 10, 0), bag - 10, 0.004),
                ),
            )
        )  # fmt: skip
    return Comparison(GoldSet("gold", pages, convention), tuple(tools), (), next(iter(bags)))


def row(table: str, name: str) -> list[str]:
    """The first row that begins so, without its name."""
    line = next(line for line in table.splitlines() if line.startswith(name + " "))
    return line.removeprefix(name).split()


def test_table() -> None:
    table = comparison_table(comparison({"bte": 80.0, "peer": 90.0}))
    assert table.startswith("gold: 2 pages of 2 sites\n")
    assert "headlines kept, comments left out, captions unknown." in table
    assert "run with --headline --no-comments." in table
    # precision, recall, F; F in any order; the difference; median and mean; empty and failed
    assert row(table, "bte") == ["90.00", "100.00", "94.74", "75.00", "3.00", "3.00", "0", "0"]
    assert row(table, "peer 1.0") == [
        "90.00", "100.00", "94.74", "85.00", "+10.00", "±", "0.00", "3.00", "3.00", "0", "0"
    ]  # fmt: skip
    # the best one first
    assert table.index("\npeer 1.0") < table.index("\nbte ")
    kinds = table[table.index("F of words in any order, by type") :]
    assert kinds.splitlines()[1].split() == ["article", "forum"]
    assert row(kinds, "pages") == ["1", "1"]
    assert row(kinds, "bte") == ["80.00", "70.00"]
    assert "to bte: mean difference page by page" in table
    assert "Settings: peer no comments." in table
    assert "*" not in table and "†" not in table


def test_what_has_to_be_known() -> None:
    result = comparison({"bte": 80.0, "ngram": 90.0, "hybrid": 95.0, "victor": 70.0})
    bte, ngram, hybrid, victor = result.tools
    failed = PageFigures("forum", MatchCounts(), 0.0, None, "ValueError: no rain")
    tools = (
        bte,
        ToolFigures(ngram.tool, ngram.pages, sources=("Set A", "Set B")),
        ToolFigures(hybrid.tool, hybrid.pages, held_out=5),
        ToolFigures(victor.tool, (failed, failed), sources=("Set B",)),
    )
    away = NotRun(Tool("peer", method, install="pip install peer-package"), "no module", missing=True)
    broken = NotRun(Tool("other", method, install="pip install other"), "RuntimeError: broken")
    table = comparison_table(Comparison(result.gold, tools, (away, broken)))
    assert row(table, "ngram *") and row(table, "hybrid †")
    assert row(table, "victor *")[-5:] == ["0.00", "-", "-", "0", "2"]
    notes = " ".join(table[table.index("* ngram") :].split())
    assert "* ngram, victor: models that were trained on pages of Set A; Set B. On those pages" in notes
    assert "† hybrid: cross-validated" in notes and "(5 folds)" in notes
    assert "victor failed on 2 pages, first on forum: ValueError: no rain" in notes
    assert "Not installed: peer (pip install peer-package)" in notes
    assert "Not run: other: RuntimeError: broken" in notes
    # nothing to compare with
    assert "mean difference" not in notes and "±" not in table


@pytest.mark.parametrize(
    ("units", "called"),
    [(("char", "char"), "characters in any order"), (("word", "char"), " words/characters in any order")],
)
def test_units(units: tuple[BagUnit, BagUnit], called: str) -> None:
    table = comparison_table(comparison({"bte": 80.0}, units, told=False))
    assert called in table and "All tools run with their defaults." in table


def test_picture(tmp_path: Path) -> None:
    many = comparison({f"{'peer' if n % 2 else 'method'}-{n}": 80.0 + n / 9 for n in range(12)})
    first, second = map(comparison_panel, (many, comparison({"bte": 80.0}, ("char", "char"))))
    assert first.title == "gold, 2 pages" and first.x_is_log
    assert [(each.name, each.mark) for each in first.series] == [
        ("ncleaner", "disc"),
        ("other programs", "square"),
    ]
    assert sorted(name for _, _, name in first.names) == sorted(figures.tool.name for figures in many.tools)
    assert second.y_name == "F of characters in any order, per cent"
    [bte] = comparison({"bte": 80.0}).tools
    seen = ToolFigures(bte.tool, bte.pages, sources=("Set A",))
    [series] = comparison_panel(Comparison(many.gold, (seen,))).series
    assert series.mark == "ring" and "may have seen" in series.name
    draw_comparisons([many, comparison({"bte": 80.0}, ("char", "char"))], tmp_path / "picture.svg")
    drawn = (tmp_path / "picture.svg").read_text("utf-8")
    assert drawn.count(">other programs<") == 1 and drawn.count("<g ") == 2
