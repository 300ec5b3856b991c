"""Where segments are in the bytes of a page."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner
from ncleaner.document import Document
from ncleaner.document.tables import Sources
from ncleaner.dumping.html import dump_html, parse
from ncleaner.dumping.plain import dump_text
from ncleaner.text.charset import decode

pytestmark = pytest.mark.skipif(
    parse(b"<p>a", places=True).places() is None, reason="the parser does not say where texts are"
)

TAG = re.compile(r"<!--.*?-->|<(script|style).*?</\1>|</?[a-zA-Z][^<>]*>", re.DOTALL)


def sources(body: bytes | str, **options: str) -> tuple[Document, Sources]:
    document = dump_html(body, sources=True, **options)  # type: ignore[arg-type]
    assert document.sources is not None
    assert len(document.sources.starts) == len(document.sources.ends) == len(document)
    return document, document.sources


def places(body: bytes, **options: str) -> list[tuple[str, bytes, str]]:
    document, found = sources(body, **options)
    rows = zip(document.texts, found.starts.tolist(), found.ends.tolist(), found.selectors, strict=True)
    return [(text, body[start:end], selector) for text, start, end, selector in rows]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def test_places_of_a_page() -> None:
    body = (
        b"<title>x</title><h1 class=a>Caf&eacute; &amp; bar</h1><div id=main><p>One <b>two</b>\n<p> two again </p>"
        b"<p>two again</div><ul><li>a<li>b</ul>"
    )
    assert places(body) == [
        ("Café & bar", b"Caf&eacute; &amp; bar", "html > body > h1:nth-child(1)"),
        ("One two", b"One <b>two", "#main > p:nth-child(1)"),
        ("two again", b"two again", "#main > p:nth-child(2)"),
        ("two again", b"two again", "#main > p:nth-child(3)"),
        ("a", b"a", "html > body > ul:nth-child(3) > li:nth-child(1)"),
        ("b", b"b", "html > body > ul:nth-child(3) > li:nth-child(2)"),
    ]
    assert places(b"\xef\xbb\xbf" + body)[1:2] == places(body)[1:2]


def test_notes_that_are_written_behind_their_text() -> None:
    body = b"<p>Late.<span class=sidenote><sup>1</sup> Since <b>May</b>.</span> Again.</p><p>a"
    assert places(body) == [
        ("Late. Again.", body[3 : body.index(b"</p>")], "html > body > p:nth-child(1)"),
        ("Since May.", b"Since <b>May</b>.", "html > body > p:nth-child(1) > span:nth-child(1)"),
        ("a", b"a", "html > body > p:nth-child(2)"),
    ]


def test_text_that_the_parser_moves() -> None:
    body = b"<table>stray words<tr>others &lt;here<td>cell</table>behind"
    assert [(text, there) for text, there, _ in places(body)] == [
        ("stray wordsothers <here", b"stray words<tr>others &lt;here"),
        ("cell", b"cell"),
        ("behind", b"behind"),
    ]


def test_lines_of_one_text_have_places_of_their_own() -> None:
    body = b"<pre>one &amp; two\nthree\n\nfour\nfive</pre>"
    assert [there for _, there, _ in places(body)] == [b"one &amp; two\nthree", b"four\nfive"]


def test_formulas_and_readings() -> None:
    body = "<p>the <ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>.<p>so <math><mi>a</mi><mo>=</mo><mi>b</mi></math>".encode()
    (first, one, _), (second, two, _) = places(body)
    assert "(かんじ)" in first and one.decode().startswith("the <ruby>漢") and "じ" in one.decode()
    assert second.startswith("so a") and two.startswith(b"so <math>") and b"<mi>b" in two


@pytest.mark.parametrize("spaces", [0, 300_000])
def test_places_in_large_pages(spaces: int) -> None:
    body = b"<p>one" + b" " * spaces + b"two<p>" + b"word &eacute; " * 30_000 + b"<p>end"
    found = places(body)
    assert [there.split()[-1] for _, there, _ in found] == [found[0][1].split()[-1], b"&eacute;", b"end"]
    assert found[0][1].startswith(b"one") and found[0][1].endswith(b"two")


@pytest.mark.parametrize(
    "encoding",
    [
        "windows-1251",
        "koi8-r",
        "gb18030",
        "euc-jp",
        "shift_jis",
        "iso-2022-jp",
        "utf-16le",
        "utf-16be",
        "utf-8",
    ],
)
def test_places_in_other_encodings(encoding: str) -> None:
    text = "<h1>Паром</h1><p>Он ушёл в море, <b>и</b> не вернулся.</p><ul><li>да</li><li>нет</li></ul>"
    codec = {"windows-1251": "cp1251", "iso-2022-jp": "iso2022_jp", "koi8-r": "koi8-r"}.get(
        encoding, encoding
    )
    body = text.replace("ё", "е").encode(codec)
    found = places(body, encoding=encoding)
    assert [there.decode(codec) for _, there, _ in found] == [
        "Паром", "Он ушел в море, <b>и</b> не вернулся.", "да", "нет",
    ]  # fmt: skip


def test_places_in_text_that_is_mended() -> None:
    body = "<p>CafÃ© MÃ¼ller</p><p>naÃ¯ve rÃ©sumÃ©</p><p>it</p>".encode()
    assert decode(body)[0] != body
    assert [there.decode() for _, there, _ in places(body)] == ["CafÃ© MÃ¼ller", "naÃ¯ve rÃ©sumÃ©", "it"]


def test_the_place_of_text_of_scripts_is_unknown() -> None:
    story = {
        "@type": "Article",
        "headline": "The last lamp of the coast",
        "articleBody": "Nobody saw the keeper. " * 9,
    }
    data = f"<script type=application/ld+json>{json.dumps(story)}</script>"
    document, found = sources(f"<title>The last lamp of the coast</title><p>Loading{data}")
    assert document.has_state and len(document) > 1
    assert set(found.starts[1:].tolist()) == set(found.ends[1:].tolist()) == {-1}


@pytest.mark.slow
def test_a_page_that_was_cut_down_is_searched() -> None:
    tags = b"".join(b"<x%d>" % i for i in range(110_000))
    body = b"<p>one here</p>" + tags + b"<p>two &amp; there</p>"
    found = places(body)
    assert found[0][1] == b"one here" and found[-1][1] == b"two &amp; there"


def test_plain_text() -> None:
    text = "First paragraph\nof two lines.\n\n=====\n\nSecond one, with a bullet.\n".encode("utf-16")
    document = dump_text(text, sources=True)
    found = document.sources
    assert found is not None and (found.starts >= 0).all() and set(found.selectors) == {""}
    body = [
        text[a:b].decode("utf-16-le") for a, b in zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    ]
    assert [letters(each) for each in body] == [letters(each) for each in document.texts]


def test_without_the_option_there_are_none() -> None:
    assert dump_html(b"<p>a").sources is None and dump_text(b"a").sources is None
    cleaner = ncleaner.Cleaner(sources=True)
    assert cleaner.document("<p>a b c").sources is not None


PIECES = st.lists(
    st.sampled_from(
        "<p> <div> </div> <b> </b> <i> <table> <tr> <td> </table> <ul> <li> <br> <pre> </pre> <a> </a> <h1> </h1> "
        "<noscript> </noscript> <script>x</script> <select> <option> </select> <svg> </svg> <title> </title> <p/id=a> "
        "<textarea> </textarea> &amp; &lt; &nbsp; &copy &#65; \u00ad \r\n \0 é 漢 Ж <!--c--> <template> </template>".split(
            " "
        )
    )
    | st.integers(0, 99).map(lambda number: f" word{number} "),
    max_size=40,
).map("".join)


@given(PIECES, st.sampled_from(["utf-8", "utf-16le", "shift_jis", "windows-1251"]))
def test_the_bytes_have_the_words(page: str, encoding: str) -> None:
    body = page.encode("utf-16-le" if encoding == "utf-16le" else encoding, "ignore")
    document, found = sources(body, encoding=encoding)
    assert document.data == dump_html(body, encoding=encoding).data
    tree = parse(decode(body, encoding=encoding)[0])
    for row, text in enumerate(document.texts):
        if not letters(text):
            continue
        start, end = int(found.starts[row]), int(found.ends[row])
        assert 0 <= start < end <= len(body)
        there = decode(body[start:end], encoding=encoding)[0].decode()
        rest = iter(html.unescape(TAG.sub("", there)))
        assert all(letter in rest for letter in letters(text)), (text, there)
        (node,) = tree.parser.css(found.selectors[row])
        rest = iter(node.text())
        assert all(letter in rest for letter in letters(text)), (text, found.selectors[row])
    assert (np.array(found.ends) >= found.starts).all()


# What a page can nest, with a word in each.
NESTS = [
    "<div>word ",
    "<ul><li>item",
    "<details><summary>s</summary>x",
    "<table><tr><td>w",
    "<table>stray<tr><td>w",
    "<blockquote>word ",
    "<figure><figcaption>c",
    "<noscript><div>x",
    "<q><p>word ",
    "<pre>a\n\nb",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", NESTS)
def test_nests_are_linear(unit: str) -> None:
    # quadratic code would take minutes for one of them
    n = 10_000
    document, found = sources(unit * n)
    assert len(document) >= n and (found.starts >= 0).all()
    assert max(map(len, found.selectors)) < 48 * 30
    assert sum(map(len, found.selectors)) < 200 * len(document)


@pytest.mark.parametrize("unit", NESTS)
def test_a_selector_in_a_nest_selects_one_element(unit: str) -> None:
    body = unit * 90 + "<p>one <b>two</b><p>three"
    document, found = sources(body)
    tree = parse(body.encode())
    for text, selector in zip(document.texts, found.selectors, strict=True):
        if selector:
            (node,) = tree.parser.css(selector)
            assert letters(text) in letters(node.text()) and selector.count(">") < 48


def test_deep_paths_are_their_last_steps_where_these_are_enough() -> None:
    body = "<div>" * 60 + "<p>one<p>two<p id=three>three<p id=" + "x" * 201 + ">four"
    nest = "div:nth-child(1) > " * 15
    assert sources(body)[1].selectors == (
        f"{nest}p:nth-child(1)", f"{nest}p:nth-child(2)", "#three", f"{nest}p:nth-child(4)",
    )  # fmt: skip
    assert sources("<div>" * 60 + "word" + "<div>" * 20)[1].selectors == ("",)


@pytest.mark.slow
def test_deep_and_wide_pages_are_bounded() -> None:
    for body in (
        b"<div>" * 100_000 + b"end",
        b"<p>" + b"<b>x</b> " * 60_000,
        b"<table>" + b"<tr>a" * 30_000,
        b"<ul>" + b"<li>item" * 60_000,
        b"<pre>" + b"line\n\n" * 30_000,
    ):
        _, found = sources(body)
        assert sum(map(len, found.selectors)) <= 4_000_000 and (found.starts >= 0).all()


def test_a_comment_is_no_part_of_a_place() -> None:
    assert places(b"<p>so <math><mi>a<!--c--><hr>")[0][:2] == ("so a", b"so <math><mi>a")
    assert places(b"<details>one &copy; two</ruby><option><!--c-->")[0][1] == b"one &copy; two"
