from __future__ import annotations

import numpy as np
import pytest

from ncleaner.classics.webcontent import WebContent, densities, target_node
from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PROSE = "The harbour board has decided that the ferry will sail until the end of May, in all weathers. "


def kept(document: Document, method: WebContent) -> list[str]:
    return [str(document[row]) for row in np.flatnonzero(method.keep(document).mask).tolist()]


def row_of(document: Document, path: str) -> int:
    return next(row for row in range(len(document.elements)) if document.path(row) == path)


def test_density_is_characters_for_each_structural_element() -> None:
    document = dump_html("<body><div>  ab cd<p>efgh</p><b>i</b>jk </div><p>lm<br>no</p></body>")
    found = densities(document)
    # white space around a text does not count, that inside it does; a line break is a structural element
    assert found[row_of(document, "html/body/div")] == 12 / 1
    assert found[row_of(document, "html/body/p")] == 4 / 1
    assert found[row_of(document, "html/body")] == 16 / 4
    # nothing to divide by
    assert found[row_of(document, "html/body/div/p")] == 0


def page(main: str) -> str:
    links = "".join(f"<li><a href=/{number}>Item {number}</a></li>" for number in range(9))
    return f"<body><ul>{links}</ul><div>{main}</div><p>All rights reserved</p></body>"


def test_goes_into_the_densest_child_with_most_of_the_text() -> None:
    document = dump_html(page(f"<div><h2>Ferry</h2>{PROSE * 3}</div>"))
    # the innermost densest child would be the text's own <div>, which the heading makes no denser
    assert document.path(target_node(document)) == "html/body/div/div"
    assert kept(document, WebContent())[0] == "Ferry"
    assert len(kept(document, WebContent())) == 2


def test_stops_where_the_densest_child_has_half_of_the_text_at_most() -> None:
    document = dump_html(
        f"<body><div><p>{'a' * 50}<br>b</p><p>{'c' * 50}<br>d</p></div><p>{'e' * 9}</p></body>"
    )
    # each paragraph has half of the text of the division
    assert document.path(target_node(document)) == "html/body/div"
    # a smaller share is enough for it
    assert document.path(target_node(document, 0.4)) == "html/body/div/p"


def test_the_share_must_be_exceeded() -> None:
    document = dump_html(f"<body><p>{'a' * 48}<br>b</p><div>{'b' * 48}<br>c</div></body>")
    assert target_node(document) == row_of(document, "html/body")
    assert target_node(document, 0.49) == row_of(document, "html/body/p")


def test_an_element_without_structure_is_not_gone_into() -> None:
    document = dump_html(f"<body><p>{PROSE * 9}</p><p>{PROSE}</p></body>")
    assert document.path(target_node(document)) == "html/body"


def test_sparse_pages_are_left_out_on_request() -> None:
    table = "<table>" + "<tr><td>1<td>2" * 20 + "</table>"
    document = dump_html(f"<body>{table}</body>")
    assert kept(document, WebContent())
    assert not kept(document, WebContent(sparse=False))
    assert kept(document, WebContent(sparse=False, sparse_density=0.5))
    assert kept(dump_html(page(f"<p>{PROSE}</p>")), WebContent(sparse=False))


def test_the_title_is_kept_on_request() -> None:
    document = dump_html(f"<body><h1>Ferry</h1><ul><li>Home<li>News</ul><div><p>{PROSE * 5}</p></div></body>")
    assert kept(document, WebContent()) == [(PROSE * 5).strip()]
    assert kept(document, WebContent(title=True)) == ["Ferry", (PROSE * 5).strip()]


def test_kinds_are_those_of_the_tags() -> None:
    document = dump_html("<h3>One</h3><ul><li><p>Two</p></ul><div><b>Three</b></div><table><td>Four</table>")
    marks = WebContent().keep(document).marks
    assert marks is not None and bytes(marks) == b"hlpp"


@pytest.mark.parametrize("document", [dump_text("One line.\n\nAnother."), dump_html("")])
def test_nothing_to_descend_into(document: Document) -> None:
    found = WebContent().keep(document)
    assert found.mask.tolist() == [True] * len(document)
    assert (found.remarks.fallback == "everything") == (not len(document.elements))
