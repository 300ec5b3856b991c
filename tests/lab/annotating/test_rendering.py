"""The page in the frame: complete, and harmless by itself already."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("nh3", reason="nh3 is not installed")

from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.lab.annotating.rendering import drawn_page, drawn_text

from . import made

# ours, which stand in the head
_HEAD = {"html", "head", "meta", "title", "style", "body", "small"}


def drawn(body: str | bytes, styles: bool = True) -> str:
    data = body.encode() if isinstance(body, str) else body
    return drawn_page(data, dump_html(data), styles=styles)


def test_an_honest_page() -> None:
    found = drawn(made.page())
    assert found.count("<x-seg") == 8 and ".menu { color: green }" in found
    assert found.index(".menu { color: green }") < found.index("x-seg[data-here]")
    assert 'class="menu"' in found and "href" not in found
    plain = drawn(made.page(), styles=False)
    assert ".menu" not in plain and plain.count("<x-seg") == 8


def test_styles_end_where_they_end() -> None:
    found = drawn(
        "<p>text</p><svg><style>&lt;/style>&lt;script>alert(1)&lt;/script></style></svg><style media='\"><script>'>a{}</style>"
    )
    assert "<script" not in found
    assert found.count("<style") == found.count("</style>")


def test_text_that_is_only_in_the_data_of_the_page_is_added() -> None:
    prose = (
        "The lighthouse was painted again last spring, and the keeper says that the white will last for years. "
        * 7
    )
    body = f'<div id=app></div><script type="application/json">{{"title": "The lamp", "slug": "x", "text": "{prose}"}}</script>'
    found = drawn(body)
    assert "Only in the data of the page" in found and 'data-seg="0"' in found
    assert "nothing to draw" in drawn("")


def test_a_text() -> None:
    found = drawn_text(dump_text("A <b>bold</b> claim.\n\nAnother one.\n"))
    assert found.count("<x-seg") == 2 and "&lt;b&gt;bold" in found


# what pages are attacked with, in any order and any nesting
PIECES = st.lists(
    st.sampled_from(
        [
            "<script>", "</script>", "<style>", "</style>", "<!--", "-->", "<svg>", "</svg>", "<math>", "<mtext>", "<table>", "<td>",
            "<iframe src=x>", "</iframe>", "<noscript>", "</noscript>", "<template>", "<textarea>", "</textarea>", "<title>", "</title>",
            "<img src=x onerror=alert(1)>", "<a href=javascript:alert(1)>", "<p title='", "'>", '"', ">", "<", "alert(1)", "&lt;script&gt;",
            "<form action=x>", "<input>", "<button>", "<object data=x>", "<embed src=x>", "<base href=x>", "<meta http-equiv=refresh>",
            "<x-seg data-seg=0 onclick=alert(1)>", "<foreignObject>", "<desc>", "<![CDATA[", "]]>", "<select>", "<xmp>", "<plaintext>",
            "<div style='background:url(x)'>", "<frameset>", "\0", "<mglyph>", "<annotation-xml encoding=text/html>", "text ",
        ]
    ),
    max_size=14,
)  # fmt: skip


@given(PIECES)
def test_no_mixture_gets_anything_through(pieces: list[str]) -> None:
    found = drawn("".join(pieces))
    # read again as a browser reads it, without the contents of style sheets
    bare = re.sub(r"<style[^>]*>.*?</style>", "", found, flags=re.S)
    tags = re.findall(r"<([a-zA-Z][^\s/>]*)((?:[^>\"]|\"[^\"]*\")*)>", bare)
    dangerous = set(
        "script iframe frame object embed form input button base link svg math template noscript".split()
    )
    assert not {name.lower() for name, _ in tags} & dangerous
    for name, rest in tags:
        names = re.findall(r"([\w:-]+)=", re.sub(r"\"[^\"]*\"", "", rest))
        assert not [
            one
            for one in names
            if one.lower().startswith("on") or one.lower() in ("href", "src", "action", "srcdoc")
        ], name
    assert bare.count("<meta") == 1
