"""How Markdown is compared with reviewed Markdown: formulas that are prices, and the similarity of tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PORTS = "| port | depth |\n| --- | --- |\n| **Ela** | 4 m |\n| Ruda<br>north | 7 m |"
CELLS = [["port", "depth"], ["ela", "4 m"], ["ruda north", "7 m"]]


@pytest.fixture
def measure(bench_module: Callable[[str], Any]) -> Any:
    return bench_module("markdown")


def test_tables_are_rows_of_cells(measure: Any) -> None:
    assert measure.tables_of(f"text\n\n{PORTS}\n\n> | a |\n> | - |") == [CELLS, [["a"]]]


@pytest.mark.parametrize(
    ("ours", "edits"),
    [
        (CELLS, 0),
        # a cell of which a half is changed, a cell and a row that are missing
        ([*CELLS[:2], ["ruda south", "7 m"]], 2 / 10),
        ([*CELLS[:2], ["ruda north"]], 1),
        (CELLS[:2], 3),
        ([], 9),
    ],
)
def test_a_table_is_as_similar_as_few_edits_change_it(
    measure: Any, ours: list[list[str]], edits: float
) -> None:
    assert measure.tree_similarity(ours, CELLS) == pytest.approx(1 - edits / 10)


def test_tables_are_matched_in_order(measure: Any) -> None:
    assert "tables" not in measure.compared("a", "b", "")[2]
    assert measure.compared(PORTS, PORTS, "")[2]["tables"] == 1
    assert measure.compared(PORTS, f"{PORTS}\n\n{PORTS}", "")[2]["tables"] == 0.5


def test_prices_are_no_formulas(measure: Any) -> None:
    assert measure.marks_of("From $5 to $9, or $ 3 and 4 $.")["formulas"] == []
    assert measure.marks_of("$a + b$ and\n\n$$\nc\n$$")["formulas"] == ["a+b", "c"]
