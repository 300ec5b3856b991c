from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.lab.training.fragments import cut_of, fragment_of

PROSE = (
    "The ferry was late, and nobody on the pier knew <a href=/why>why</a>, or would <b>say so</b>.",
    "A boat from the mainland took the mail, the doctor and the &lt;two&gt; goats of the island's school.",
    "Since Monday the ferry sails again, twice a day, and three times on Sundays until the end of May.",
)
MENU = "<nav><ul><li><a href=/>Home</a></li><li><a href=/t>Tides</a></li><li>Piers</li></ul></nav>"
FOOTER = "<footer><div class=foot><p>Imprint</p><p>All rights reserved</p></div></footer>"


def page_of(menu: str = MENU, footer: str = FOOTER) -> str:
    main = f"<h1>Late again</h1><p>{PROSE[0]}</p><ul><li>{PROSE[1]}</li></ul><p>{PROSE[2]}</p>"
    return f"<title>Late again</title><body>{menu}<main id=content class='text wide'>{main}</main>{footer}"


PAGE = dump_html(page_of())
DIRTY = np.array([s.text in ("Home", "Tides", "Piers", "Imprint", "All rights reserved") for s in PAGE])


def texts(document: Document) -> list[str]:
    return [segment.text for segment in document]


@pytest.mark.parametrize("number", range(60))
def test_a_fragment_has_the_clean_text_in_markup_of_its_own(number: int) -> None:
    fragment = fragment_of(PAGE, ~DIRTY, f"page{number}")
    assert fragment is not None
    assert texts(fragment.document) == [PAGE[row].text for row in fragment.rows.tolist()]
    assert not DIRTY[fragment.rows].any()
    again = fragment_of(PAGE, ~DIRTY, f"page{number}")
    assert again is not None and again.document.data == fragment.document.data
    with_menu = fragment_of(PAGE, ~DIRTY, f"page{number}", DIRTY)
    if with_menu is not None:
        assert texts(with_menu.document) == [PAGE[row].text for row in with_menu.rows.tolist()]
        assert DIRTY[with_menu.rows[0]] and set(fragment.rows) <= set(with_menu.rows)
        # links stay links
        assert with_menu.document.segments["link_chars"][0] == PAGE.segments["link_chars"][with_menu.rows[0]]


def test_a_name_that_is_not_utf_8() -> None:
    assert fragment_of(PAGE, ~DIRTY, "page\udcff") is not None


def test_fragments_have_many_shapes() -> None:
    found = [fragment_of(PAGE, ~DIRTY, str(number)) for number in range(100)]
    assert len({fragment.document.elements.tobytes() for fragment in found if fragment}) > 20


def test_a_page_cut_down_is_the_page_without_its_other_text() -> None:
    cut = cut_of(PAGE, ~DIRTY)
    assert cut is not None
    expected = dump_html(page_of(menu="", footer=""))
    assert cut.document.data == expected.data
    assert cut.document.title == PAGE.title
    for column in (
        "start",
        "end",
        "first_run",
        "last_run",
        "element",
        "chars",
        "words",
        "link_chars",
        "kind",
    ):
        assert cut.document.segments[column].tolist() == expected.segments[column].tolist(), column
    for column in ("start", "end", "segment", "element", "context", "words"):
        assert cut.document.runs[column].tolist() == expected.runs[column].tolist(), column
    # before the first run there is the <head>, too
    assert cut.document.runs["opened"][1:].tolist() == expected.runs["opened"][1:].tolist()
    for column in ("parent", "first_run", "last_run", "style", "cues", "chars", "tag", "depth"):
        assert cut.document.elements[column].tolist() == expected.elements[column].tolist(), column


@given(st.lists(st.booleans(), min_size=len(PAGE), max_size=len(PAGE)))
def test_any_segments_can_be_cut_out(chosen: list[bool]) -> None:
    clean = np.array(chosen)
    cut = cut_of(PAGE, clean)
    if cut is None:
        assert not (PAGE.segments["chars"][clean] >= 60).any()
        return
    document = cut.document
    assert texts(document) == [PAGE[row].text for row in np.flatnonzero(clean).tolist()]
    assert [s.path for s in document] == [PAGE[row].path for row in np.flatnonzero(clean).tolist()]
    for number, segment in enumerate(document.segments):
        inside = document.runs[segment["first_run"] : segment["last_run"] + 1]
        assert (inside["segment"] == number).all()
        assert inside["start"][0] >= segment["start"] and inside["end"][-1] <= segment["end"]
    assert document.elements["chars"][0] == document.segments["chars"].sum()


def test_a_page_without_clean_prose_gives_none() -> None:
    assert fragment_of(PAGE, DIRTY, "page") is None
    assert cut_of(PAGE, DIRTY) is None
    assert fragment_of(dump_html(""), np.zeros(0, bool), "page") is None
    assert cut_of(dump_html(""), np.zeros(0, bool)) is None
    # text that nobody sees is no clean prose
    hidden = dump_html(f"<p hidden>{PROSE[0]}</p>")
    assert cut_of(hidden, np.ones(len(hidden), bool)) is None
