"""Text means itself: what a reader of Markdown makes of it is the text."""

from __future__ import annotations

from html import escape, unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from ncleaner.dumping.html import dump_html

from .rendering import markdown, read

CORNERS = [
    ("1. a", "1\\. a"), ("12) a", "12\\) a"), ("1986.", "1986\\."), ("1.5 a", "1.5 a"), ("1234567890. a", "1234567890. a"),
    ("# a", "\\# a"), ("#a", "#a"), ("#", "\\#"), ("####### a", "####### a"),
    ("- a", "\\- a"), ("-5 a", "-5 a"), ("+ a", "\\+ a"), ("---", "\\---"), ("- - -", "\\- - -"), ("===", "\\==="),
    ("> a", "\\> a"), ("a > b", "a > b"), ("~~~", "\\~\\~\\~"), ("~5 km ~6 km", "\\~5 km ~6 km"), ("a~b~", "a\\~b\\~"),
    (": a", "\\: a"), ("| a | b |", "\\| a | b |"), ("[x] a", "\\[x] a"), ("a [1] b", "a [1] b"),
    ("a [b](c)", "a [b\\](c)"), ("[a]: b", "\\[a\\]: b"), ("![a](b)", "!\\[a\\](b)"), ("a!", "a!"), ("a[^1]", "a\\[^1]"), ("a ^[b]", "a \\^[b]"), ("2^n", "2^n"),
    ("*a*", "\\*a\\*"), ("a * b", "a * b"), ("2*3", "2\\*3"), ("***", "\\*\\*\\*"),
    ("_a_", "\\_a\\_"), ("a_b_c", "a_b_c"), ("a__b", "a__b"), ("é_b", "é\\_b"), ("a _ b", "a \\_ b"),
    ("`a`", "\\`a\\`"), ("```", "\\`\\`\\`"),
    ("<b>", "\\<b>"), ("a < b", "a < b"), ("<http://a.b>", "\\<http://a.b>"), ("<!-- a", "\\<!-- a"), ("a<", "a\\<"),
    ("&amp;", "\\&amp;"), ("&#35;", "\\&#35;"), ("AT&T", "AT&T"), ("a & b;", "a & b;"),
    ("a\\b", "a\\b"), ("a\\*b", "a\\\\\\*b"), ("a\\", "a\\\\"), ("\\", "\\\\"),
    ("$5 and $6", "$5 and $6"), ("www.a.example_b", "www.a.example_b"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CORNERS)
def test_corners(text: str, expected: str) -> None:
    assert markdown(f"<p>{escape(text)}") == expected
    assert read(expected) == f"<p>{escape(text, quote=False)}</p>\n"


def test_the_sign_at_the_end_of_a_heading() -> None:
    assert markdown("<h1>C#</h1>") == "# C\\#"
    assert markdown("<h1># 1 of 2 #</h1>") == "# \\# 1 of 2 \\#"


SIGNS = st.sampled_from("\\`*_{}[]()#+-.!|<>&~=:;$^\"'/ 1a9éИ中。«😀")
TEXTS = st.text(SIGNS, max_size=40) | st.lists(
    st.sampled_from(
        "word it's 1. 2) - + * ** _ __ ` `` ~~ [a] [a]: ](b) ![ # > | --- === <b> </b> <!-- &amp; &#1; \\ http://a.b/c_d $x$ "
        "中文。 é :-- ``` ~~~ [^1] [x] {a} =".split()
    ),
    max_size=8,
).map(" ".join)


def shown(html: str) -> list[str]:
    """The blocks of HTML that a reader of Markdown has made, as text."""
    body = LexborHTMLParser(html).body
    assert body is not None
    return [node.text(deep=True) for node in body.iter() if node.tag == "p"]


@given(st.lists(TEXTS, min_size=1, max_size=3))
@example(["a", "==="])
@example(["a | b", "--- | ---"])
@example(["[a]: b", "[a]"])
def test_paragraphs_are_paragraphs(texts: list[str]) -> None:
    document = dump_html("".join(f"<p>{escape(text)}" for text in texts))
    html = read(markdown("".join(f"<p>{escape(text)}" for text in texts)))
    assert shown(html) == document.texts
    # no element but the paragraphs
    assert html.replace("<p>", "").replace("</p>", "").count("<") == 0


@given(TEXTS, TEXTS)
@example("a", "- b")
@example("[a]: b", "x")
@example("", "^[]")
def test_lines_are_lines(first: str, second: str) -> None:
    page = f"<p>a{escape(first)},<br>{escape(second)}z"
    html = read(markdown(page))
    assert html.count("<br />") + html.count("<p>") == 2 or "<br" not in page
    assert "".join(unescape(html).split()).replace("<p>", "").replace("</p>", "").replace(
        "<br/>", ""
    ) == "".join("".join(dump_html(page).texts).split())


@given(TEXTS)
@example("`")
@example("` `")
@example("|")
def test_code_is_code(text: str) -> None:
    page = f"<p>x <code>{escape(text)}</code> y"
    found = [unescape(part.split("</code>")[0]) for part in read(markdown(page)).split("<code>")[1:]]
    assert "".join(found) == " ".join(text.split())


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_preformatted_text_is_preformatted(lines: list[str]) -> None:
    page = f"<pre>{escape(chr(10).join(lines))}</pre>"
    html = read(markdown(page))
    # without the empty lines at the ends, and without blanks at the ends of lines
    wanted = "\n".join(line.rstrip() for line in lines).strip("\n")
    found = unescape(html.removeprefix("<pre><code>").removesuffix("\n</code></pre>\n"))
    assert found == wanted or not wanted


@given(st.lists(TEXTS, min_size=4, max_size=4))
def test_cells_are_cells(texts: list[str]) -> None:
    a, b, c, d = (f"x{escape(text)}z" for text in texts)
    page = f"<table><tr><th>{a}<th>{b}<tr><td>{c}<td>{d}</table>"
    body = LexborHTMLParser(read(markdown(page))).body
    assert body is not None
    assert [node.text(deep=True) for node in body.css("th, td")] == dump_html(page).texts
