from __future__ import annotations

import numpy as np
import pytest

from ncleaner.classics.genieknows import GenieKnows, innermost, semantic_blocks
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PROSE = (
    "The harbour board has decided that the ferry will sail until the end of May. Nobody had asked the crew. "
)


def test_blocks_are_the_elements_of_the_layout() -> None:
    document = dump_html("<div>a<p>b</p><div>c<h2>d</h2></div>e</div><ul><li>f</ul>")
    blocks = semantic_blocks(document)
    paths = [document.path(block) for block in blocks.tolist()]
    outer, inner = "html/body/div", "html/body/div/div"
    assert paths == [outer, outer, inner, inner, outer, "html/body/ul"]
    # a block that goes on behind another one is the same
    assert blocks[0] == blocks[4]
    assert semantic_blocks(dump_text("one\n\ntwo")).tolist() == [-1, -1]


def test_the_innermost_wanted_element_is_taken() -> None:
    document = dump_html("<div>a<section><p>b</section></div><p>c")
    tags = [document.path(row).rpartition("/")[2] for row in range(len(document.elements))]
    found = innermost(document, np.array([tag in ("div", "p") for tag in tags]))
    assert [tags[row] for row in found.tolist()] == ["div", "p", "p"]
    assert innermost(document, np.zeros(len(tags), bool)).tolist() == [-1, -1, -1]


def test_each_feature_alone() -> None:
    document = dump_html(
        f"<div>{PROSE}</div><div><a href=/>one two three four</a></div><div><h2>Ferry</h2></div><div>And so on.</div>"
    )
    none = {"length": 0.0, "links": 0.0, "sentences": 0.0, "position": 0.0, "font": 0.0, "neighbours": 0.0}
    owners = np.unique(semantic_blocks(document), return_inverse=True)[1]

    def relevance(name: str) -> list[float]:
        found: list[float] = GenieKnows(**{**none, name: 1.0}).relevance(document, owners).tolist()
        return found

    assert relevance("length") == pytest.approx([1, (4 / 20) ** 0.5, (1 / 20) ** 0.5, (3 / 20) ** 0.5])
    assert relevance("links") == [1, 0, 1, 1]
    assert relevance("sentences") == pytest.approx([2 / 3, 0, 0, 1 / 3])
    assert relevance("position") == [0.25, 0.75, 0.75, 0.25]
    assert relevance("font") == [0, 0, 1, 0]


def test_neighbours_help() -> None:
    document = dump_html(f"<div>{PROSE * 3}</div><div>A caption</div><div>{PROSE * 3}</div>")
    owners = np.unique(semantic_blocks(document), return_inverse=True)[1]
    alone = GenieKnows(neighbours=0).relevance(document, owners)
    beside = GenieKnows(neighbours=1).relevance(document, owners)
    assert beside[1] == pytest.approx((alone[1] + (alone[0] + alone[2]) / 2) / 2) and beside[1] > alone[1]


def test_a_page() -> None:
    menu = "".join(f"<li><a href=/{n}>Item {n}</a>" for n in range(9))
    document = dump_html(
        f"<ul>{menu}</ul><table><td>{PROSE * 3}</table><div><p>{PROSE * 5}</p></div><ul>{menu}</ul>"
    )
    found = GenieKnows().keep(document)
    assert np.flatnonzero(found.mask).tolist() == [9, 10]
    # a cell of a table is an item of a list
    assert found.marks is not None and bytes(found.marks[9:11]) == b"lp"
    assert not GenieKnows(threshold=1).keep(document).mask.any()


def test_nothing_to_weigh() -> None:
    assert GenieKnows().keep(dump_html("")).mask.shape == (0,)
    assert GenieKnows().keep(dump_text("One.")).mask.tolist() == [True]
