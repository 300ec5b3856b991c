from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from ncleaner.classics.kimatu import (
    Blocks,
    Kimatu,
    are_dispersed,
    are_functions,
    are_near,
    are_quotes,
    are_sure,
    find_blocks,
    marks_of,
    same_style,
)
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PROSE = (
    "The harbour board has decided that the ferry will sail until the end of May. Nobody, it seems, had asked "
    "the crew; the crew, for its part, says that it will sail in all weathers, as it always has."
)


class Block(NamedTuple):
    rows: list[int]
    style: int = 0
    relevance: float = 0.0
    words: tuple[str, ...] = ()


def table_of(*blocks: Block) -> Blocks:
    texts = {
        row: text for each in blocks for row, text in zip(each.rows, each.words or [""] * 999, strict=False)
    }
    return Blocks(
        np.array([row for each in blocks for row in each.rows]),
        np.cumsum([0, *(len(each.rows) for each in blocks)]),
        np.array([each.style for each in blocks]),
        np.array([len(" ".join(each.words).split()) for each in blocks]),
        np.array([each.relevance for each in blocks]),
        texts.__getitem__,
    )


def mask(*values: int) -> npt.NDArray[np.bool_]:
    return np.array(values, bool)


def test_blocks_are_of_one_look_and_near() -> None:
    menu = "".join(f"<li class=m>{number}" for number in range(3))
    document = dump_html(
        f"<ul>{menu}</ul><p>a<p>b<div class=x>c</div><p>d<p><b>e</b>" + "<h2>f</h2>" * 9 + "<p>g"
    )
    blocks = find_blocks(document, 8)
    rows = [blocks.rows_of(number) for number in range(len(blocks))]
    # the items; the paragraphs, with another block between them; bold text looks different; g is too far
    assert rows == [[0, 1, 2], [3, 4, 6], [5], [7], list(range(8, 17)), [17]]
    assert blocks.styles[1] == blocks.styles[5] and len(set(blocks.styles.tolist())) == 5
    assert find_blocks(document, 11).rows_of(1) == [3, 4, 6, 17]


def test_hidden_segments_are_in_no_block() -> None:
    blocks = find_blocks(dump_html("<p>a<p hidden>b<p>c"))
    assert len(blocks) == 1 and blocks.rows_of(0) == [0, 2]
    hidden = dump_html("<p hidden>a")
    assert not len(find_blocks(hidden)) and Kimatu().keep(hidden).mask.tolist() == [False]


def test_relevance_is_of_length_prose_and_links() -> None:
    document = dump_html(
        f"<p>{PROSE}</p><div class=n>a menu without any sign</div><h2><a href=/>{PROSE}</a></h2>"
    )
    prose, menu, link = find_blocks(document).relevance.tolist()
    assert prose == pytest.approx(1.0)
    # five words of 39 in all and on average, and no punctuation
    assert menu == pytest.approx(5 / 39 - 1)
    assert link == pytest.approx(1 - 1 / 3)
    assert are_sure(find_blocks(document)).tolist() == [True, False, True]
    assert are_sure(find_blocks(document), 0.9).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<a href=1>a</a> <a href=2>b</a><a href=3>c</a>", 3),
        ("<a href=1>a</a> | <a href=2><b>b</b></a> <b><a href=3>c</a></b>", 3),
        # one link, however it is formatted
        ("<a href=1>a <b>b</b> c</a>", 1),
        ("<a href=1><b>a</b> <i>b</i></a>", 1),
        ("text", 0),
    ],
)
def test_links_are_counted(html: str, links: int) -> None:
    # each link of an element costs a third, up to all
    found = find_blocks(dump_html(f"<p>{html}, and so on.")).relevance[0]
    assert found == pytest.approx(1 - min(links / 3, 1))


def test_functions_are_short_and_share_words() -> None:
    posted = Block([1, 4, 7], words=("posted by ann", "posted by bob", "posted by cid"))
    names = Block([2, 5, 8], words=("ann smith", "bob jones", "cid brown"))
    two = Block([3, 6], words=("posted by ann", "posted by bob"))
    long = Block([9, 10, 11], words=("posted by " + "word " * 20,) * 3)
    blocks = table_of(posted, names, two, long)
    assert are_functions(blocks).tolist() == [True, False, False, False]
    assert not are_functions(blocks, mask(0, 1, 1, 1)).any()


def test_quotes_are_in_a_reference_before() -> None:
    said = "nobody had asked the crew whether it will sail in all weathers or not"
    post = Block([0], 1, 0.9, (said + " as it always has since the war",))
    quote = Block([1], 2, 0.0, (said,))
    short = Block([2], 2, 0.0, ("nobody had asked",))
    other = Block([3], 3, 0.0, ("quite another text that the crew has never heard before in its life",))
    same_look = Block([4], 1, 0.0, (said,))
    # the short one is too short to be compared, and goes with its style
    found = are_quotes(table_of(post, quote, short, other, same_look), mask(1, 0, 0, 0, 0))
    assert found.tolist() == [False, True, True, False, False]
    # nothing is a quote of what comes after it, or of nothing
    assert not are_quotes(table_of(quote, post), mask(0, 1)).any()
    assert not are_quotes(table_of(post, quote), mask(0, 0)).any()
    # most of the style must be quotes
    more = [Block([5 + n], 2, 0.0, (f"{other.words[0]} number {n}",)) for n in range(2)]
    assert not are_quotes(table_of(post, quote, short, other, same_look, *more), mask(1, *[0] * 6)).any()


@pytest.mark.slow
@pytest.mark.traced
def test_many_blocks_of_one_style_take_linear_time() -> None:
    texts = [f"{PROSE} {number}" for number in range(3)]
    blocks = [Block([9 * n], n % 3, n % 3 == 0, (texts[n % 3],)) for n in range(30_000)]
    table = table_of(*blocks)
    found = are_quotes(table, table.relevance > 0)
    assert found.tolist() == [False, True, True] * 10_000


def test_dispersed_blocks_of_a_sure_style_are_rescued() -> None:
    sure, near, poor = Block([0, 1], 1, 0.8), Block([9], 1, 0.2), Block([10], 1, 0.05)
    far, other = Block([90], 1, 0.7), Block([11], 2, 0.3)
    found = same_style(table_of(sure, near, poor, far, other), mask(1, 0, 0, 0, 0))
    assert found.tolist() == [False, True, False, False, False]
    assert not same_style(table_of(sure, near), mask(0, 0)).any()


def test_the_nearest_block_of_the_style_is_the_measure() -> None:
    weak, between, strong = Block([0], 1, 0.4), Block([2], 1, 0.05), Block([9], 1, 0.9)
    assert same_style(table_of(weak, between, strong), mask(1, 0, 1)).tolist() == [False, True, False]
    between = Block([8], 1, 0.05)
    assert not same_style(table_of(weak, between, strong), mask(1, 0, 1)).any()


def test_candidates_far_from_the_others_go() -> None:
    close = [Block([row], 1, 0.4) for row in range(0, 12, 2)]
    far, important = Block([99], 1, 0.4), Block([200], 1, 0.9)
    blocks, every = table_of(*close, far, important), np.ones(8, bool)
    assert are_dispersed(blocks, every).tolist() == [False] * 6 + [True, False]
    assert are_dispersed(blocks, every, high=1.0).tolist() == [False] * 6 + [True, True]
    assert not are_dispersed(blocks, ~every).any()
    assert not are_dispersed(table_of(far), mask(1)).any()


def test_neighbours_with_some_relevance_are_taken() -> None:
    text, heading, menu, away = (
        Block([3], 1, 0.9),
        Block([2], 2, -0.5),
        Block([4], 3, -1.5),
        Block([9], 2, 0.1),
    )
    found = are_near(table_of(text, heading, menu, away), mask(1, 0, 0, 0))
    assert found.tolist() == [False, True, False, False]
    assert not are_near(table_of(heading), mask(0)).any()


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
