"""Tables of data of which most is kept."""

from __future__ import annotations

import numpy as np
import pytest

from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.modelling._decision import complete_tables

ROW = "<tr><td>8.15<td>Pier<td>daily"
TABLE = f"<table><tr><th>Time<th>From<th>Days{ROW}{ROW}</table>"


def completed(html: str, removed: list[int]) -> list[int]:
    """The segments that are still removed."""
    document = dump_html(html)
    mask = np.ones(len(document), bool)
    mask[removed] = False
    complete_tables(document.tables, mask)
    return np.flatnonzero(~mask).tolist()


def test_the_rest_of_a_table_is_kept() -> None:
    assert completed(TABLE, [0]) == completed(TABLE, [1, 4]) == completed(TABLE, []) == []
    assert completed(f"<p>a{TABLE}<p>b", [0, 1, 10]) == [0, 10]


def test_a_table_of_which_little_is_kept_stays() -> None:
    assert completed(TABLE, [0, 1, 2]) == [0, 1, 2]
    assert completed(TABLE, [*range(9)]) == [*range(9)]


@pytest.mark.parametrize(
    "html",
    [
        # one row, or one column
        "<table><tr><td>a<td>b<td>c<td>d<td>e</table>",
        "<table><tr><td>a<tr><td>b<tr><td>c</table>",
        # cells with text of their own
        "<table><tr><td>a<td><p>b<p>c<p>d<p>e<tr><td>f<td>g</table>",
        f"<table><tr><td>a<td>{'fog ' * 200}<tr><td>c<td>d</table>",
        # a table inside
        f"<table><tr><td>a<td>b<tr><td>c<td>{TABLE}</table>",
        # no table
        "<p>a<p>b<p>c<p>d",
    ],
)
def test_tables_for_layout_stay(html: str) -> None:
    assert completed(html, [0]) == [0]


def test_captions_and_hidden_cells_stay() -> None:
    html = TABLE.replace("<table>", "<table><caption>Ferries</caption>").replace(
        "<td>daily", "<td hidden>daily", 1
    )
    assert completed(html, [0, 1, 6]) == [0, 6]


def test_the_table_inside_counts_for_itself() -> None:
    html = f"<table><tr><td>a<td>b<tr><td>c<td>{TABLE}</table>"
    assert completed(html, [0, 3]) == [0]


def test_empty_pages_plain_text_and_a_mask_of_another_page() -> None:
    assert completed("", []) == []
    document = dump_text("a\n\nb\n")
    mask = np.zeros(len(document), bool)
    complete_tables(document.tables, mask)
    assert not mask.any()
    with pytest.raises(ValueError, match="does not fit"):
        complete_tables(document.tables, np.ones(7, bool))
