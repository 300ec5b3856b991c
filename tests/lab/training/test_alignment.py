from __future__ import annotations

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.lab.training.alignment import align


def page(*segments: str) -> Document:
    return dump_html("".join(f"<p>{segment}</p>" for segment in segments))


def test_segments_are_labelled_by_the_words_they_share() -> None:
    found = align(
        page("Home News", "The ferry was late.", "Nobody minded, really.", "***", "Imprint"),
        "<p>The ferry was\nlate.\n<p>Nobody minded",
    )
    assert found.matched[:3].tolist() == [0, 1, pytest.approx(2 / 3)]
    assert np.isnan(found.matched[3])
    assert found.clean.tolist() == [False, True, True, False, False]
    assert found.dirty.tolist() == [True, False, False, False, True]
    assert (found.gold_words, found.found) == (6, 1)


def test_order_matters() -> None:
    found = align(page("one two three", "four five six"), "four five six one two three")
    assert found.clean.sum() == 1


def test_chinese_is_aligned_by_characters() -> None:
    found = align(
        page("首页 新闻", "渡轮今天早上又晚点了，没有人介意。"), "渡轮今天早上又晚点了，没有人介意。"
    )
    assert found.clean.tolist() == [False, True]
    assert found.gold_words == 15


def test_mixed_scripts_split_where_the_script_changes() -> None:
    assert align(page("ABC中文def"), "ABC 中 文 def").matched.tolist() == [1]


def test_pages_that_do_not_belong_together() -> None:
    found = align(page("Entirely different words."), "The ferry was late.")
    assert found.found == 0
    assert not found.clean.any()


@pytest.mark.parametrize(
    ("html", "gold", "matched", "found"),
    [
        # the copy comes before, the copy comes after: what is shown is matched
        ("<div hidden>one two three</div><p>one two three", "one two three", [0, 1], 1),
        ("<p>one two three</p><div hidden>one two three", "one two three", [1, 0], 1),
        # what the visible text leaves over may stand there
        ("<p>one two</p><div hidden>three four</div>", "one two three four", [1, 1], 1),
        ("<div hidden>three nine</div><p>one two", "one two three four", [0.5, 1], 0.75),
        # a word is matched once
        ("<div hidden>one one</div><p>one", "one one", [0.5, 1], 1),
        ("<div hidden>one</div><p>***", "one", [1, np.nan], 1),
        ("<div hidden>one</div>", "two", [0], 0),
    ],
)
def test_hidden_text_gets_what_the_visible_leaves(
    html: str, gold: str, matched: list[float], found: float
) -> None:
    alignment = align(dump_html(html), gold)
    np.testing.assert_array_equal(alignment.matched, matched)
    assert alignment.found == pytest.approx(found)


def test_empty_sides() -> None:
    assert align(page(), "words").found == 0
    assert align(page("words"), "").found == 1
    assert align(page("words"), "").dirty.all()
