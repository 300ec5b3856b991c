"""Marks of content managers that no plugin has replaced are no text."""

import pytest

from ncleaner.dumping.html import dump_html

LEFT_OUT = [
    ('[vc_row full_width="stretch"][vc_column width="1/2"]The ferry[/vc_column][/vc_row]', "The ferry"),
    ("[caption id=1 width=300]<img src=x> The ferry[/caption] sails", "The ferry sails"),
    ('One [gallery ids="1,2,3"] two', "One two"),
    ("One &#91;contact-form-7 id=&#8221;12&#8243; title=&#8221;Write us&#8221;] two", "One two"),
    ("One [embed]two[/embed]", "One two"),
    ("word[vc_separator /]word", "word word"),
]
KEPT = [
    "One [1] two [sic] three [edit] four [citation needed] five.",
    "a[href=\"x\"] input[type=text] [data-x='1'] [if n = 12345] [see a=b]",
    "[Box] text[/box] [quote]x[/quote] [/b] [the] x=1] [a b='] [12 a='x'] [",
    "[gallery] [video by NBC] [vc] [vc_ [/] [caption id=1 [x] [/vc_row",
]


@pytest.mark.parametrize(("html", "text"), [*LEFT_OUT, *((text, text) for text in KEPT)])
def test_shortcodes(html: str, text: str) -> None:
    assert dump_html(f"<p>{html}</p>").text == f"{text}\n"


@pytest.mark.parametrize("tag", ["pre", "code", "title"])
def test_shortcodes_in_code_are_examples(tag: str) -> None:
    html = "Write [gallery ids='1'] and [vc_row]"
    document = dump_html(f"<{tag}><i></i>{html}</{tag}>")
    assert html in document.text + document.title


@pytest.mark.untraced
def test_the_time_is_linear() -> None:
    size = 100_000
    assert dump_html("[box a='1'" * size).text == "[box a='1'" * size + "\n"
    assert dump_html("[caption " * size).text == ("[caption " * size).strip() + "\n"
    assert dump_html("x" + "[vc_row]" * size + "y").text == "x y\n"
