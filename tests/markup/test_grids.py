"""Tables: which are tables, and what is left of one of which some cells are kept."""

from __future__ import annotations

import pytest

from .rendering import clean_html, markdown

HEADED = "<table><tr><th>A<th>B<th>C<tr><td>1<td>2<td>3<tr><td>4<td>5<td>6</table>"

TABLES = [
    (HEADED, "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |"),
    # without a head
    ("<table><tr><td>1<td>2<tr><td>3<td>4</table>", "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |"),
    # <thead> is a head without <th>
    ("<table><thead><tr><td>A<td>B<tbody><tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
    ("<table><caption>Of <b>it</b></caption><tr><th>A<th>B<tr><td>1<td>2</table>",
     "Of **it**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"),
    # without <th>, a caption or headings above the columns and above some rows tell data
    (f"<table><caption>C</caption><tr><td>a<td>x<tr><td>b<td>{'long ' * 100}y</table>",
     f"C\n\n| a | x |\n| --- | --- |\n| b | {'long ' * 100}y |"),
    ("<table><tr><td><h3>A</h3><td><h3>B</h3><tr><td colspan=2><h4>C</h4><tr><td>1<td>2<tr><td>3<td>4</table>",
     "| A | B |\n| --- | --- |\n| C | |\n| 1 | 2 |\n| 3 | 4 |"),
    # alignment: that of the cells, else that of the head
    ("<table><tr><th align=left>A<th>B<th>C<tr><td>1<td align=center>2<td style='x:y; Text-Align: Right'>3</table>",
     "| A | B | C |\n| :-- | :-: | --: |\n| 1 | 2 | 3 |"),
    ("<table><tr><th align=left>A<th align=left>B<tr><td align=right>1<td>2</table>",
     "| A | B |\n| --: | :-- |\n| 1 | 2 |"),
    # what would end a cell
    ("<table><tr><th>A|<th><code>b|c</code><tr><td>d<br>e<td><ul><li>f<li>g</ul></table>",
     "| A\\| | `b\\|c` |\n| --- | --- |\n| d<br>e | f<br>g |"),
    ("<table><tr><th>A<th>B<tr><td>c<td><pre>d\n\ne</pre></table>", "| A | B |\n| --- | --- |\n| c | `d`<br>`e` |"),
    # rows of unequal length
    ("<table><tr><th>A<th>B<tr><td>1<tr><td>2<td>3<td>4</table>",
     "| A | B | |\n| --- | --- | --- |\n| 1 | | |\n| 2 | 3 | 4 |"),
    ("<ul><li>x<table><tr><th>A<th>B<tr><td>1<td>2</table></ul>", "- x\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), TABLES)
def test_tables(html: str, expected: str) -> None:
    assert markdown(html) == expected


LAYOUTS = [
    "<table><tr><td>a<td>b</table>",
    "<table><tr><td>a<tr><td>b</table>",
    "<table role=presentation><tr><td>a<td>x<tr><td>b<td>y</table>",
    "<table><tr><td><h2>a</h2><td>x<tr><td>b<td>y</table>",
    "<table><caption></caption><tr><td><h2>a</h2><td><h2>x</h2><tr><td>b<td>y</table>",
    "<table><tr><td><h2>a</h2><td>x<tr><td>b<td>y<tr><td>c<td>z</table>",
    "<table><tr><td>a<td>x<tr><td><h2>b</h2><td>y<tr><td>c<td>z</table>",
    "<table><tr><td colspan=3><h2>a</h2><tr><td>b<td>y<td><tr><td>c<td><td>z</table>",
    "<table><tr><td><blockquote>a</blockquote><td>x<tr><td>b<td>y</table>",
    f"<table><tr><td>a<td>x<tr><td>b<td>{'long ' * 150}</table>",
    f"<table><tr><th>a<th>x<tr><td>b<td>{'long ' * 1500}</table>",
    "<table><tr><td>a<td>b<tr><td>c<td><p>d<p>e<p>f<p>g</table>",
]


@pytest.mark.parametrize("html", LAYOUTS)
def test_tables_for_layout_are_none(html: str) -> None:
    assert "|" not in markdown(html)
    assert "<t" not in clean_html(html)


def test_a_table_around_another_one_is_none() -> None:
    html = f"<table><tr><td>x<td>y<tr><td>z<td>{HEADED}</table>"
    assert markdown(html) == "x\n\ny\n\nz\n\n" + TABLES[0][1]


KEPT = [
    # rows and columns of which nothing is kept go
    ([0, 1, 2, 6, 7, 8], "| A | B | C |\n| --- | --- | --- |\n| 4 | 5 | 6 |"),
    ([0, 2, 3, 5, 6, 8], "| A | C |\n| --- | --- |\n| 1 | 3 |\n| 4 | 6 |"),
    # a cell that is removed is empty
    ([0, 1, 3, 7], "| A | B |\n| --- | --- |\n| 1 | |\n| | 5 |"),
    # the head is removed
    ([3, 4, 6, 7], "| | |\n| --- | --- |\n| 1 | 2 |\n| 4 | 5 |"),
    # what is left is no table
    ([0, 1, 2], "A\n\nB\n\nC"),
    ([1, 4], "B\n\n2"),
    ([8], "6"),
]


@pytest.mark.parametrize(("keep", "expected"), KEPT)
def test_tables_of_which_cells_are_kept(keep: list[int], expected: str) -> None:
    assert markdown(HEADED, keep) == expected


SPANS = "<table><tr><th>A<th colspan=2>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>"


def test_spans() -> None:
    head = "| --- | --- | --- |\n"
    assert markdown(SPANS) == f"| A | B | |\n{head}| 1 | 2 | 3 |\n| | 4 | 5 |"
    assert markdown(SPANS, spans="repeat") == f"| A | B | B |\n{head}| 1 | 2 | 3 |\n| 1 | 4 | 5 |"
    assert clean_html(SPANS) == (
        '<table>\n<thead>\n<tr><th>A</th><th colspan="2">B</th></tr>\n</thead>\n<tbody>\n'
        '<tr><td rowspan="2">1</td><td>2</td><td>3</td></tr>\n<tr><td>4</td><td>5</td></tr>\n</tbody>\n</table>\n'
    )
    assert clean_html(SPANS, spans="repeat").count("<th>B</th>") == 2


def test_tables_as_html() -> None:
    assert f"{markdown(SPANS, spans='html')}\n" == clean_html(SPANS) == clean_html(SPANS, spans="html")
    # several blocks in a cell
    items = "<table><tr><th>A<th>B<tr><td>1<td><ul><li>2<li>3</ul></table>"
    assert f"{markdown(items, spans='html')}\n" == clean_html(items)
    # where Markdown can show it, and where HTML would end: beside an empty line, below a sign
    simple = "<table><tr><th>A<th>B<tr><td>1<td></table>"
    code = "<table><tr><th>A<th>B<tr><td>1<td><p>2<pre>3\n\n4</pre></table>"
    for html in (simple, code, f"<blockquote>{SPANS}</blockquote>"):
        assert markdown(html, spans="html") == markdown(html)
    # text stays text
    assert "&lt;b&gt;" in markdown(SPANS.replace("<td>5", "<td>&lt;b&gt;"), spans="html")


def test_spans_of_which_rows_and_columns_are_left() -> None:
    # the columns of 3 and 5, and the row of 4, are removed
    assert clean_html(SPANS, [0, 1, 2, 3]) == (
        "<table>\n<thead>\n<tr><th>A</th><th>B</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td><td>2</td></tr>\n"
        "</tbody>\n</table>\n"
    )


def test_an_empty_cell_of_html() -> None:
    found = clean_html(HEADED, [0, 1, 3, 7])
    assert "<tr><td>1</td><td></td></tr>\n<tr><td></td><td>5</td></tr>" in found
