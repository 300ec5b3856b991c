"""Markup in which each text knows its segment."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.lab.explaining.view import ATTRIBUTES, ELEMENTS, marked_html

EXAMPLES = Path(__file__).parents[3] / "examples" / "pages"


def texts(markup: str) -> dict[int, str]:
    """{segment: its text in the markup}, without white space."""
    found: dict[int, str] = {}
    for row, text in re.findall(r'<x-seg data-seg="(\d+)">([^<]*)</x-seg>', markup):
        found[int(row)] = found.get(int(row), "") + "".join(html.unescape(text).split())
    return found


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.html")), ids=lambda path: path.stem)
def test_each_segment_of_the_example_pages_is_drawn(path: Path) -> None:
    body = path.read_bytes()
    document = dump_html(body)
    marked = marked_html(body, document)
    assert marked.drawn == set(range(len(document)))
    assert texts(marked.body) == {row: "".join(text.split()) for row, text in enumerate(document.texts)}


PIECES = st.recursive(
    st.sampled_from(
        [
            "word",
            "two words",
            "Ünïcode",
            "漢字",
            " ",
            "\n",
            "<br>",
            "<hr>",
            "a &amp; b",
            "&lt;b&gt;",
            "<img alt=x>",
        ]
    ),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(
            [
                "p",
                "div",
                "b",
                "a href=/",
                "ul",
                "li",
                "h2",
                "pre",
                "table",
                "td",
                "span class=x",
                "em",
                "q",
                "unknown",
            ]
        ),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(st.lists(PIECES, max_size=6))
def test_each_segment_of_any_page_is_drawn(parts: list[str]) -> None:
    body = "".join(parts).encode()
    document = dump_html(body)
    marked = marked_html(body, document)
    assert texts(marked.body) == {row: "".join(text.split()) for row, text in enumerate(document.texts)}
    assert set(re.findall(r"</?([\w-]+)", marked.body)) <= ELEMENTS
    # each of them is closed
    parser = dump_html(re.sub("<x-img.*?</x-img>", "", marked.body).encode())
    assert "".join("".join(parser.texts).split()) == "".join("".join(document.texts).split())


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>", "<iframe src=https://evil.example></iframe>", "<a href='javascript:alert(1)'>x</a>",
        "<p onclick=alert(1)>x</p>", "<form action=/api/change><input name=a><button>x</button></form>",
        "<meta http-equiv=refresh content='0;url=https://evil.example'>", "<base href=https://evil.example>",
        "<link rel=stylesheet href=https://evil.example/a.css>", "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<object data=x></object><embed src=x>", "<img src=x onerror=alert(1)>", "<video src=https://evil.example/v></video>",
        "<p title='\"><script>alert(1)</script>' class='\"><script>alert(1)</script>'>x</p>",
        "<x-seg data-seg=99>x</x-seg>", "<p data-seg=99>x</p>", "<template><script>alert(1)</script></template>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>", "<math><mtext><script>alert(1)</script></math>",
    ],
)  # fmt: skip
def test_nothing_that_acts_gets_through(body: str) -> None:
    page = f"<p>The lighthouse was painted again.</p>{body}".encode()
    marked = marked_html(page, dump_html(page))
    tags = re.findall(r"<(?!/)([^>\s]+)((?:[^>\"]|\"[^\"]*\")*)>", marked.body)
    assert {name for name, _ in tags} <= ELEMENTS
    names = {name for _, rest in tags for name in re.findall(r"([\w-]+)=\"", re.sub(r'="[^"]*"', '="', rest))}
    assert names <= ATTRIBUTES
    assert 'data-seg="99"' not in marked.body


def test_formulas_ruby_and_lines_of_preformatted_text() -> None:
    body = (
        "<p>So <math><mi>x</mi><mo>=</mo><mn>1</mn></math> holds.</p><p><ruby>漢字<rt>かんじ</rt></ruby>です</p>"
        "<pre>one\n  two\n\nthree</pre>"
    ).encode()
    document = dump_html(body)
    marked = marked_html(body, document)
    assert marked.drawn == set(range(len(document)))
    assert texts(marked.body) == {0: "Sox=1holds.", 1: "漢字です", 2: "onetwo", 3: "three"}


def test_text_that_is_only_in_the_data_is_not_drawn() -> None:
    prose = (
        "The lighthouse was painted again last spring, and the keeper says that the white will last for years. "
        * 7
    )
    body = f'<div id=app></div><script type="application/json">{{"title": "The lamp", "slug": "x", "text": "{prose}"}}</script>'.encode()
    document = dump_html(body)
    assert len(document) and marked_html(body, document).drawn == set()


def test_style_sheets_of_the_page_and_sizes_of_images() -> None:
    body = b"<style media=print>p { color: red }</style><style>b { color: blue }</style><p>x<img width=40 height='9999999'>"
    marked = marked_html(body, dump_html(body))
    assert marked.styles == [("print", "p { color: red }"), ("", "b { color: blue }")]
    assert '<x-img style="width:40px"></x-img>' in marked.body


def test_style_sheets_without_bound_are_left_out() -> None:
    body = b"<p>x</p><style>" + b"p{color:red}" * 200_000 + b"</style>"
    assert marked_html(body, dump_html(body)).styles == []
