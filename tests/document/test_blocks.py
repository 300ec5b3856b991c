"""Sibling blocks: which elements are, and what the table says of them."""

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.document._siblings import LINKED
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

CARD = "<div class=card><h3><a href=/{0}>Boat {0}</a></h3><p>Built in oak.</p></div>"


def groups(document: Document) -> list[list[str]]:
    """The text of the first segment of each block, by group."""
    found: list[list[str]] = []
    for row in document.blocks:
        if row["group"] == len(found):
            found.append([])
        found[row["group"]].append(document.texts[row["first_segment"]])
    return found


def of(markup: str) -> list[list[str]]:
    return groups(dump_html(f"<body>{markup}"))


def test_cards_have_their_heading_and_its_link() -> None:
    document = dump_html("<body><main>" + "".join(map(CARD.format, "ABC")) + "<p>The end.</main>")
    blocks = document.blocks
    assert groups(document) == [["Boat A", "Boat B", "Boat C"]]
    assert blocks["order"].tolist() == [0, 1, 2]
    assert blocks["size"].tolist() == [3, 3, 3]
    assert blocks["parent"].tolist() == [-1, -1, -1]
    assert blocks["heading"].tolist() == [0, 2, 4]
    assert blocks["last_segment"].tolist() == [1, 3, 5]
    assert blocks["words"].tolist() == [5, 5, 5]
    assert blocks["chars"].tolist() == [16, 16, 16]
    assert blocks["link_chars"].tolist() == [5, 5, 5]
    assert blocks["facts"].tolist() == [LINKED] * 3


@pytest.mark.parametrize(
    ("post", "facts"),
    [
        ("<h4>Ada</h4><p>Words, <a href=/>a link</a>.</p>", 0),
        ("<p><a href=/>A link</a></p><p>Words.</p>", LINKED),
    ],
)
def test_what_a_block_says(post: str, facts: int) -> None:
    blocks = dump_html(f"<body><article>{post}</article><article>{post}</article>").blocks
    assert blocks["facts"].tolist() == [facts, facts]


def test_an_optional_part_is_no_difference() -> None:
    assert of("<ul><li><p>a</p></li><li><p>b</p><blockquote>q</blockquote></li><li>c</li></ul>") == [
        ["a", "b", "c"]
    ]
    whole = "<section><h2>{0}</h2><p>x</p>{1}</section>"
    assert of(whole.format("a", "") + whole.format("b", "<table><tr><td>t</table>")) == [["a", "b"]]


def test_posts_of_one_class_are_siblings_whatever_is_inside() -> None:
    first, second = "<p>a</p><ul><li>x</ul>", "<h2>b</h2><pre>y</pre><blockquote><p>z</p></blockquote>"
    assert ["a", "b"] in of(f"<div class=post>{first}</div><div class=post>{second}</div>")
    assert ["a", "b"] not in of(f"<div>{first}</div><div>{second}</div>")


def test_thin_wrappers_count_as_what_they_hold() -> None:
    cards = [CARD.format(name) for name in "ABC"]
    assert of("".join(f"<div class=col><div>{card}</div></div>" for card in cards)) == [
        ["Boat A", "Boat B", "Boat C"]
    ]
    assert of(cards[0] + f"<div class=first>{cards[1]}</div>" + cards[2]) == [["Boat A", "Boat B", "Boat C"]]


def test_siblings_in_siblings() -> None:
    post = "<li class=post><p>{0}</p>{1}</li>"
    replies = "<ol>" + post.format("b", "") + post.format("c", "") + "</ol>"
    document = dump_html("<body><ol>" + post.format("a", replies) + post.format("d", "") + "</ol>")
    assert groups(document) == [["a", "d"], ["b", "c"]]
    assert document.blocks["parent"].tolist() == [-1, 0, 0, -1]


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<p>a</p><p>b</p><p>c</p>",
        "<h2>a</h2><h2>b</h2>",
        "<div>a</div><div>b</div>",
        "<div class=card><h3>a</h3><p>b</p></div>",
        "<table><tr><td>layout</td><td><p>text</p><p>more</p></td></tr></table>",
        "<ul><li></li><li>one</li><li> </li></ul>",
    ],
)
def test_what_is_no_sibling(markup: str) -> None:
    assert of(markup) == []


def test_rows_terms_and_items_are_siblings() -> None:
    assert of("<table><tr><td>a<td>b<tr><td>c<td>d</table>") == [["a", "c"]]
    assert of("<dl><dt>a<dd>b<dt>c<dd>d</dl>") == [["a", "c"], ["b", "d"]]
    assert of("<ol><li>a<li>b</ol>") == [["a", "b"]]


def test_plain_text_has_none() -> None:
    assert len(dump_text("One paragraph.\n\nAnother one.").blocks) == 0


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("markup", "rows"),
    [
        ("<ul>" + "<li>x" * 100_000 + "</ul>", 100_000),
        ("<ul>" + "<li>a<ul><li>b<li>c</ul>" * 30_000 + "</ul>", 90_000),
        ("".join(f"<div class=c{i}><h2>a</h2><h3>b</h3></div>" for i in range(30_000)), 30_000),
        ("".join(f"<section><h{i % 2 + 1}>a</h{i % 2 + 1}><p>b</section>" for i in range(30_000)), 30_000),
        ("<div>" * 300 + "x" + "</div>" * 300, 0),
    ],
)
def test_many_siblings_take_linear_time(markup: str, rows: int) -> None:
    blocks = dump_html(f"<body>{markup}").blocks
    assert len(blocks) == rows
    assert np.bincount(blocks["group"], minlength=1).max() == (blocks["size"].max() if rows else 0)
