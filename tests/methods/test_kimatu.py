from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.methods.kimatu import (
    Block,
    Kimatu,
    are_dispersed,
    are_functions,
    are_near,
    are_quotes,
    are_sure,
    find_blocks,
    longest_common,
    marks_of,
    same_style,
)

PROSE = (
    "The harbour board has decided that the ferry will sail until the end of May. Nobody, it seems, had asked "
    "the crew; the crew, for its part, says that it will sail in all weathers, as it always has."
)


def block(rows: list[int], style: int = 0, relevance: float = 0.0, words: list[str] | None = None) -> Block:
    texts = words or [""] * len(rows)
    return Block(tuple(rows), style, tuple(tuple(text.split()) for text in texts), relevance)


def test_blocks_are_of_one_look_and_near() -> None:
    menu = "".join(f"<li class=m>{number}" for number in range(3))
    document = dump_html(
        f"<ul>{menu}</ul><p>a<p>b<div class=x>c</div><p>d<p><b>e</b>" + "<h2>f</h2>" * 9 + "<p>g"
    )
    rows = [each.rows for each in find_blocks(document, 8)]
    # the items; the paragraphs, with another block between them; bold text looks different; g is too far
    assert rows == [(0, 1, 2), (3, 4, 6), (5,), (7,), tuple(range(8, 17)), (17,)]
    assert find_blocks(document, 11)[1].rows == (3, 4, 6, 17)


def test_hidden_segments_are_in_no_block() -> None:
    assert [each.rows for each in find_blocks(dump_html("<p>a<p hidden>b<p>c"))] == [(0, 2)]


def test_relevance_is_of_length_prose_and_links() -> None:
    document = dump_html(
        f"<p>{PROSE}</p><div class=n>a menu without any sign</div><h2><a href=/>{PROSE}</a></h2>"
    )
    prose, menu, link = find_blocks(document)
    assert prose.relevance == pytest.approx(1.0)
    # five words of 39 in all and on average, and no punctuation
    assert menu.relevance == pytest.approx(5 / 39 - 1)
    assert link.relevance == pytest.approx(1 - 1 / 3)
    assert are_sure([prose, menu, link]) == [True, False, True]
    assert are_sure([prose, menu, link], 0.9) == [True, False, False]


def test_functions_are_short_and_share_words() -> None:
    posted = block([1, 4, 7], words=["posted by ann", "posted by bob", "posted by cid"])
    names = block([2, 5, 8], words=["ann smith", "bob jones", "cid brown"])
    two = block([3, 6], words=["posted by ann", "posted by bob"])
    long = block([9, 10, 11], words=["posted by " + "word " * 20] * 3)
    assert are_functions([posted, names, two, long]) == [True, False, False, False]


def test_quotes_are_in_a_reference_before() -> None:
    said = "nobody had asked the crew whether it will sail in all weathers or not"
    post = block([0], 1, 0.9, [said + " as it always has since the war"])
    quote = block([1], 2, 0.0, [said])
    short = block([2], 2, 0.0, ["nobody had asked"])
    other = block([3], 3, 0.0, ["quite another text that the crew has never heard before in its life"])
    same_look = block([4], 1, 0.0, [said])
    blocks = [post, quote, short, other, same_look]
    # the short one is too short to be compared, and goes with its style
    assert are_quotes(blocks, [True, False, False, False, False]) == [False, True, True, False, False]
    # nothing is a quote of what comes after it
    assert not any(are_quotes([quote, post], [False, True]))
    # most of the style must be quotes
    more = [block([5 + n], 2, 0.0, [f"{other.words[0]} number {n}"]) for n in range(2)]
    assert not any(are_quotes([*blocks, *more], [True] + [False] * 6))


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_longest_common_subsequence(one: list[str], other: list[str]) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    assert longest_common(one, other) == table[-1][-1]


def test_dispersed_blocks_of_a_sure_style_are_rescued() -> None:
    sure = block([0, 1], 1, 0.8)
    near, poor, far, other = (
        block([9], 1, 0.2),
        block([10], 1, 0.05),
        block([90], 1, 0.7),
        block([11], 2, 0.3),
    )
    assert same_style([sure, near, poor, far, other], [True] + [False] * 4) == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_candidates_far_from_the_others_go() -> None:
    close = [block([row], 1, 0.4) for row in range(0, 12, 2)]
    far, important = block([99], 1, 0.4), block([200], 1, 0.9)
    blocks = [*close, far, important]
    assert are_dispersed(blocks, [True] * 8) == [False] * 6 + [True, False]
    assert are_dispersed(blocks, [True] * 8, high=1.0) == [False] * 6 + [True, True]
    assert are_dispersed(blocks, [False] * 8) == [False] * 8
    assert are_dispersed([far], [True]) == [False]


def test_neighbours_with_some_relevance_are_taken() -> None:
    text, heading, menu, away = (
        block([3], 1, 0.9),
        block([2], 2, -0.5),
        block([4], 3, -1.5),
        block([9], 2, 0.1),
    )
    assert are_near([text, heading, menu, away], [True, False, False, False]) == [False, True, False, False]
    assert are_near([heading], [False]) == [False]


def test_output_tags() -> None:
    document = dump_html("<h2>a</h2><ul><li>b</ul><p><b>Short and bold</b><p><b>A sentence.</b><p>text")
    assert bytes(marks_of(document)) == b"hlhpp"


def test_a_page() -> None:
    menu = "".join(f"<li><a href=/{n}>Item {n}</a>" for n in range(20))
    posts = "".join(f"<div class=by>posted by user {n}</div><p>{PROSE} {n}</p>" for n in range(4))
    document = dump_html(f"<ul>{menu}</ul><h1>Ferry</h1>{posts}<ul>{menu}</ul>")
    found = Kimatu().keep(document)
    texts = [str(document[row]) for row in np.flatnonzero(found.mask).tolist()]
    assert texts == ["Ferry", *(f"{PROSE} {n}" for n in range(4))]


def test_nothing_to_look_at() -> None:
    assert Kimatu().keep(dump_html("")).mask.shape == (0,)
    found = Kimatu().keep(dump_text("One.\n\nTwo."))
    assert found.mask.tolist() == [True, True] and found.remarks.fallback == "everything"
