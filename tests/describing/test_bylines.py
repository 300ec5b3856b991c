"""The lines that may say something, against the same in Python."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing._bylines import (
    begins_like,
    bylike_of,
    dated_of,
    headline_and_bylines,
    may_have_date,
    rows_about,
    rows_beside,
)
from ncleaner.dumping.html import dump_html

from ..outputs import document

TEXTS = st.lists(st.text("ab 1٢年-é", max_size=12), max_size=8)
# what `may_have_date` looks for
DATE = re.compile(
    r"[年년]|תש|\d(?:(?<=[12])[034569]\d\d(?!\d)|(?<=5)[78]\d\d(?!\d)|(?<![0-9])| ?([./-]) ?\d\d? ?\1 ?\d\d(?!\d)"
    r"|\D{3,40}+\d\d(?= ?(?:[)\]|·•,–—]|- |$)))"
)
PIECES = (
    *"1 2 15 '24 24 2024 1402 2567 1999 2101 5784 תשפ ٢ / . - , : ( ) | · – st of May 年".split(),
    " ",
    "\n",
    "x" * 37,
)


@given(TEXTS, st.integers(-2, 9), st.integers(-2, 9), st.integers(0, 9), st.integers(0, 3))
def test_lines_with_digits(texts: list[str], first: int, last: int, most: int, digits: int) -> None:
    page = document(*texts)
    wanted = [
        row
        for row, text in enumerate(texts)
        if page.segments["chars"][row] <= most
        and (
            "年" in text
            or sum(48 <= byte <= 57 or byte in b"\xd9\xdb\xe0\xe1" for byte in text.encode()) >= digits
        )
    ]
    inside = [row for row in wanted if first <= row < last]
    assert rows_about(page.tables, first, last, most, digits, -1) == inside
    beside = sorted((row for row in wanted if 0 < abs(row - first) <= 3), key=lambda row: abs(row - first))
    assert rows_beside(page.tables, 3, most, digits, first) == beside
    cut = [(row, texts[row][:most]) for row in inside]
    assert dated_of(page.tables, inside, most) == [line for line in cut if may_have_date(line[1])]


def test_lines_about_the_page() -> None:
    prose = "".join(
        f"<p>The ferry was late again, and nobody on pier {number} knew why.</p>" for number in range(4)
    )
    page = dump_html(
        f"<h1>Ferry late again</h1><p class=byline>By Ann Lee</p>{prose}<div class=comments><p>7 May</p></div>"
        "<div class=related><p>8 May</p></div>"
    )
    assert headline_and_bylines(page.tables) == (0, [1])
    assert rows_about(page.tables, 0, 99, 200, 1, 0) == [2, 3, 4, 5]
    # what touches the headline is not of another page
    assert rows_about(page.tables, 0, 99, 200, 1, 6) == [2, 3, 4, 5, 7]
    assert headline_and_bylines(dump_html("").tables) == (-1, [])


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_lines_that_may_have_a_date(line: str) -> None:
    assert may_have_date(line) == bool(DATE.search(line))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("By Ann Lee", True),
        (" (İı", True),
        ("— 글 Kim", True),
        ("b", False),
        ("Ban", False),
        ("글", True),
        ("", False),
        ("...", False),
    ],
)
def test_how_a_line_begins(line: str, wanted: bool) -> None:
    assert begins_like(line, frozenset(("by", "iı", "글"))) is wanted


def test_lines_that_may_be_bylines() -> None:
    lines = "By Ann", "Ann Lee", "3 May", "", "Meet at one"
    page = document(*lines)
    found = bylike_of(page.tables, list(range(len(lines))), frozenset(("by",)))
    assert found == ["By Ann", "3 May"]
