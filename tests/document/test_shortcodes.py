"""Shortcodes of content managers are left out; other brackets stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document.html import dump_html

LEFT_OUT = [
    ('[vc_row full_width="stretch_row"][vc_column width="1/2"]The ferry[/vc_column][/vc_row]', "The ferry"),
    ("[vc_row][vc_column][vc_column_text]The ferry[/vc_column_text][/vc_column][/vc_row]", "The ferry"),
    ("[et_pb_section][et_pb_text _builder_version='4']The ferry[/et_pb_text][/et_pb_section]", "The ferry"),
    (
        "[caption id='attachment_1' align='left' width='300']<img src=x> The ferry[/caption] sails",
        "The ferry sails",
    ),
    ('One [gallery ids="1,2,3"] two', "One two"),
    ("One [contact-form-7 id=”12″ title=”Write us”] two", "One two"),
    ("One [form id=12345] two [form id=12345 /]", "One two"),
    ("One [box type=&quot;info&quot;]two[/box] three", "One two three"),
    ('One [box text="a ] b"]two', "One two"),
    ("One [embed]two[/embed]", "One [embed]two"),
    ('One {{widget type="Cms/Block" id="12"}} two', "One two"),
    ("word[vc_separator /]word", "word word"),
]
KEPT = [
    "One [1] two [sic] three [edit] four [citation needed] five.",
    "[Box] text[/box] [quote]x[/quote] [/b]",
    "a[href] input[type=text] [data-x=1] [if n = 12345] [see a=b]",
    "[the] x=1] [a b=] [box type=] [box type=12] [12 a='x'] [",
    "{{ user.name }} {{likes}} {% if a %} {{widget}} {{store url}} {{",
    "[gallery] [video] [vc] [vc_] [/] [/vc_row",
    "[caption id=1 [x]",
]


@pytest.mark.parametrize(("html", "text"), [*LEFT_OUT, *((text, text) for text in KEPT)])
def test_shortcodes(html: str, text: str) -> None:
    document = dump_html(f"<p>{html}</p>")
    assert document.text == f"{text}\n"
    assert document.runs["words"].sum() == document.segments["words"].sum() == len(text.split())


@pytest.mark.parametrize("tag", ["pre", "code", "kbd"])
def test_shortcodes_in_code_are_examples(tag: str) -> None:
    html = "Write [gallery ids='1'] and [vc_row]"
    assert dump_html(f"<{tag}>{html}</{tag}>").text == f"{html}\n"


def test_the_end_tag_of_a_name_without_attributes_stays() -> None:
    assert dump_html("<p>[/box] [box a='1'] x [/box] [/bar]").text == "[/box] x [/bar]\n"


PIECES = st.sampled_from(
    ["[", "]", "[/", "{{", "}}", "vc_row", "box", "widget", "caption", " ", " id='1'", "=", "'", '"', "”", "12345", "x",
     "/", "<b>", "</b>", "<code>", "</code>", "<p>", "é"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_words_are_counted_without_shortcodes(html: str) -> None:
    document = dump_html(html)
    owners = document.runs["segment"]
    words = np.bincount(owners, document.runs["words"], len(document)).astype(int)
    assert words.tolist() == document.segments["words"].tolist()
    assert [len(segment.text.split()) for segment in document] == words.tolist()


@pytest.mark.untraced
def test_the_time_is_linear() -> None:
    size = 100_000
    assert dump_html("[box a='1'" * size).text == "[box a='1'" * size + "\n"
    assert dump_html("[" * size).text == "[" * size + "\n"
    assert dump_html("{{widget a='1'" * size).text == "{{widget a='1'" * size + "\n"
    assert dump_html("x" + "[vc_row]" * size + "y").text == "x y\n"
