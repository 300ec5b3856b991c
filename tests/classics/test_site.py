from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncleaner.classics.webcontent import SiteReferences, common_share, different, is_similar
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.tables import SiteCounts as Known
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PROSE = (
    "The harbour board has decided on Monday that the ferry will sail until the end of May, in all weathers."
)


def kept(page: str, reference: str, method: SiteReferences) -> list[str]:
    document = beside(dump_html(page), dump_html(reference))
    return [str(document[row]) for row in np.flatnonzero(method.keep(document).mask).tolist()]


def beside(document: Document, reference: Document | None) -> Document:
    return replace(document, site=Known("a.example", 3, np.zeros(len(document), np.int32), reference))


def test_two_pages_of_one_template() -> None:
    def page(title: str, text: str) -> str:
        menu = "<ul><li>Home</li><li>News</li></ul>"
        return f"<body><div>{menu}</div><div><h1>{title}</h1><p>{text}</p></div><p>All rights reserved</p></body>"

    # the trees are the same: where the texts differ, they are content
    assert kept(page("Ferry", "It sails."), page("Castle", "It stands."), SiteReferences()) == [
        "Ferry",
        "It sails.",
    ]
    assert kept(page("Ferry", "It sails."), page("Ferry", "It sails."), SiteReferences()) == []


def test_levels_that_differ() -> None:
    page = "<body><ul><li>Home<li>News<li>Sport</ul><div><p>One.<p>Two.</div><p>Terms</body>"
    reference = "<body><ul><li>Home<li>News</ul><div><p>Three.</div><p>Terms</body>"
    # the items of the menu are mapped in order, and what is new in it is left, as in the thesis
    assert kept(page, reference, SiteReferences()) == ["Sport", "One.", "Two."]


def test_items_are_mapped_in_order_and_by_their_tags() -> None:
    page = "<body><p>a</p><div>b</div><p>c</p><p>x</p></body>"
    # b is in another tag, and a comes after c there
    assert kept(page, "<body><p>c</p><p>a</p><p>b</p></body>", SiteReferences()) == ["b", "c", "x"]
    assert kept(page, "<body><p>a</p><p>c</p></body>", SiteReferences()) == ["b", "x"]


def test_common_parts() -> None:
    assert common_share("posted by Jack F.", "posted by anonymous") == 0.5
    assert common_share("send mail", "send mail") == 1
    assert common_share("3 comments so far", "12 comments so far") == 0.75
    assert common_share("a b a", "a") == pytest.approx(1 / 3)
    assert common_share("one", "two") == 0 and common_share("", "two") == 0
    page, reference = "<body><div>posted by Jack</div></body>", "<body><div>posted by Jim</div></body>"
    assert kept(page, reference, SiteReferences()) == []
    assert kept(page, reference, SiteReferences(common=0.7)) == ["posted by Jack"]


def test_from_the_target_nodes() -> None:
    menu = "<ul>" + "<li><a href=/>Item</a>" * 9 + "</ul>"
    page = f"<body>{menu}<div><p>{PROSE}</p><p>Share this story</p></div><p>Printed today</p></body>"
    reference = (
        f"<body>{menu}<div><p>{PROSE[::-1]}</p><p>Share this story</p></div><p>Printed last week</p></body>"
    )
    assert kept(page, reference, SiteReferences()) == [PROSE, "Printed today"]
    assert kept(page, reference, SiteReferences(from_target=True)) == [PROSE]


def test_pages_of_another_structure_are_pruned() -> None:
    page = f"<body><div class=a><p class=b>{PROSE}</p></div><p>Terms</p></body>"
    other = "<body>" + "".join(f"<div class=x{number}>{number}</div>" for number in range(9)) + "</body>"
    assert not is_similar(dump_html(page), dump_html(other))
    found = SiteReferences(prune=True).keep(beside(dump_html(page), dump_html(other)))
    assert found.remarks.fallback == "webcontent" and found.mask.tolist() == [True, False]
    assert SiteReferences().keep(beside(dump_html(page), dump_html(other))).remarks.fallback == ""


def test_title_and_sparse() -> None:
    page, reference = f"<body><h1>News</h1><p>{PROSE}</p></body>", "<body><h1>News</h1><p>Other</p></body>"
    assert kept(page, reference, SiteReferences()) == [PROSE]
    assert kept(page, reference, SiteReferences(title=True)) == ["News", PROSE]
    table = "<body><table>" + "<tr><td>1<td>2" * 9 + "</table></body>"
    assert kept(table, "<body><p>x</body>", SiteReferences()) and not kept(
        table, "<body><p>x</body>", SiteReferences(sparse=False)
    )


def test_without_a_reference_page() -> None:
    document = dump_html(f"<body><div>{PROSE}</div><p>Terms</p></body>")
    for page in (document, beside(document, None), beside(document, dump_text("x"))):
        assert SiteReferences().keep(page).remarks.fallback == "webcontent"
    assert SiteReferences().keep(dump_text("One.")).remarks.fallback == "everything"
    assert SiteReferences().keep(dump_html("")).mask.shape == (0,)
    with pytest.raises(ValueError, match="needs a survey with references as `sites`"):
        Cleaner("site")


@pytest.mark.untraced
def test_long_levels_take_linear_time() -> None:
    page = dump_html("<body>" + "<p>same</p><p>other</p>" * 20_000 + "</body>")
    reference = dump_html("<body>" + "<p>same</p>" * 30_000 + "</body>")
    bodies = [next(row for row in range(9) if each.path(row) == "html/body") for each in (page, reference)]
    left = different(page, reference, (bodies[0], bodies[1]))
    assert left.sum() == 20_000
