"""Scripts and style sheets whose content the tokenizer does not get: nothing else of the tree changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from ncleaner.document._lexbor import PARSES_AGAIN, SCRIPTS, parsed_within_bounds
from ncleaner.document.embedded import content_of
from ncleaner.document.html import dump_html

pytestmark = pytest.mark.skipif(
    not PARSES_AGAIN, reason="this build of selectolax does not export Lexbor's functions"
)

LONG = "if (a < b && c) { d('</p>', '<!', \"<\\/script>\"); }\n" * 6_000
PAGES = {
    "program": "<p>a<script>b</script>c",
    "empty": "<p>a<script></script>c<style></style>d",
    "less than": "<p>a<script>if (1 < 2) { b('</p>') }</script>c",
    "capitals": "<p>a<SCRIPT>b</ScRiPt\n>c<STYLE>p { }</StyLE/>d",
    "longer names": "<p>a<script>b</scripts></script >c<style>b</styles></style >d",
    "escaped": "<p>a<script><!-- b </script>c",
    "escaped twice": "<p>a<script><!-- <script> b </script> <p>d --></script>c",
    "escaped twice and open": "<p>a<script><!-- <script> b </script> <p>d </script>c",
    "short comment": "<p>a<script><!--><script></script>c<p>d</script>e",
    "comment in a style sheet": "<p>a<style><!-- <style> </style>c",
    "never ends": "<p>a<script>b<p>c",
    "ends with the page": "<p>a<script>b</script",
    "only the name": "<p>a<script>b</",
    "style sheet never ends": "<title>t</title><style>b<p>c",
    "in a title": "<title>a<script>b</title>c<script>d</script>e",
    "in a text area": "<p>a<textarea><script>b</textarea>c</script>d",
    "in a comment": "<p>a<!-- <script> -->b<!-- </script> -->c",
    "in an attribute": "<p title='<script>'>b<i title='</script>'>c</i>",
    "in svg": "<p>a<svg><script>b<g>c</g></script><style>d<g/></style></svg>e",
    "in html in svg": "<p>a<svg><foreignObject><script>b<g></script>c</foreignObject></svg>d",
    "in noscript": "<p>a<noscript><style>b</style><script>c</script><p>d</noscript>e",
    "in a table": "<table><script>b</script><tr><style>c</style><td>d<script>e</script></table>f",
    "in a select": "<select><script>b</script><option>c</select>d",
    "in a frameset": "<frameset><script>b</script></frameset>c",
    "after the body": "<p>a</body><script>b</script></html><script>c</script><style>d</style>e",
    "closed at once": "<p>a<script src=b />c</script>d<style/>e</style>f",
    "in a template": "<p>a<template><script>b</script><p>c</template>d",
    "carriage returns and nulls": "<p>a<script>b\r\n\0c\r</script>\r\nd\0e",
    "longer than what the tokenizer gets at a time": f"<p>a<script>{LONG}</script>c<style>{LONG}</style>d",
    "two pieces and an attribute": f"<p>a<script>{'b' * 524_250}</script>c<p title='{'d' * 100}'>e",
    "many": "<p>a<script>b</script><style>c</style>" * 500,
}
READ = {
    "TeX": ('<script type="math/tex; mode=display">x^2</script>', "formulas"),
    "capital TeX": ("<script type=MATH/TEX>x^2</script>", "formulas"),
    "a reference in the type": ("<script type='math&#47;tex'>x^2</script>", "formulas"),
    "JSON-LD": ("<script type='application/ld+json'>{}</script>", "statements"),
    "data": ("<script type='application/json'>{}</script>", "all"),
    "module": ("<script id=a type=module>b</script>", "all"),
    "two types": ("<script type=module type=math/tex>b</script>", "all"),
    "program": ("<script async src=a>b</script>", "all"),
    "style sheet": ("<style type=math/tex>b</style>", "all"),
}
PIECES = st.sampled_from(
    "<script> </script> <script\ttype=module> </SCRIPT/> <style> </style> <!-- --> <!--> <script </script </ < > - / "
    "<p> </p> <svg> </svg> <title> </title> <textarea> </textarea> <noscript> </noscript> <table> <td> </table> "
    "<select> </select> <b title=' ' a \0 \r &lt; <foreignObject> <iframe> </iframe> <xmp> </xmp> <frameset> <math> <mtext> </math> <ruby> <rt> </ruby>".split(
        " "
    )
)


def nodes(parser: LexborHTMLParser) -> Iterator[tuple[object, ...]]:
    """The tree, without the content of scripts and style sheets outside of svg."""
    if parser.root is None:
        return
    waiting: list[tuple[LexborNode, int, bool]] = [(parser.root, 0, False)]
    while waiting:
        node, depth, foreign = waiting.pop()
        within = node.parent
        if node.tag == "-text":
            if foreign or within is None or within.tag not in ("script", "style"):
                yield depth, node.text_content
        else:
            yield depth, node.tag, tuple(node.attributes.items())
        foreign = node.tag == "svg" or (foreign and str(node.tag).lower() != "foreignobject")
        children = list(node.iter(include_text=True))
        waiting += [(child, depth + 1, foreign) for child in reversed(children)]


def same(page: bytes) -> bool:
    whole = list(nodes(parsed_within_bounds(page, again=False).parser))
    return all(
        whole == list(nodes(parsed_within_bounds(page, again=False, scripts=SCRIPTS[which]).parser))
        for which in ("formulas", "statements")
    )


@pytest.mark.parametrize("name", PAGES)
def test_the_tree_is_the_same_around_them(name: str) -> None:
    assert same(PAGES[name].encode())


@pytest.mark.parametrize("name", READ)
def test_what_is_read_stays(name: str) -> None:
    markup, since = READ[name]
    for which, number in SCRIPTS.items():
        parser = parsed_within_bounds(f"<p>{markup}a".encode(), scripts=number).parser
        found = parser.css_first("script, style")
        assert found is not None
        assert bool(found.text()) == (number >= SCRIPTS[since]), which


@given(st.lists(PIECES, max_size=30))
def test_any_page(pieces: list[str]) -> None:
    page = "".join(pieces).encode()
    assert same(page)
    # with marks, all scripts are in the tree
    assert dump_html(page).text == dump_html(page, marks=True).text


@given(st.lists(PIECES, max_size=20), st.integers(262_090, 262_150))
def test_any_page_around_the_end_of_a_piece(pieces: list[str], length: int) -> None:
    assert same(("<script>" + "b" * length + "".join(pieces)).encode())


@pytest.mark.parametrize(
    "around", ["<math><mtext>IN</mtext></math>", "<ruby>d<rt>e</rt><rtc>IN</rtc></ruby>"]
)
def test_formulas_and_readings_are_read_with_all_that_is_inside(around: str) -> None:
    page = f"<p>a {around.replace('IN', '<style>b</style><script>c</script>')}".encode()
    assert dump_html(page).text == dump_html(page, marks=True).text
    assert "b" in dump_html(page).text


@given(st.lists(PIECES, max_size=30))
def test_the_content_of_scripts_is_known(pieces: list[str]) -> None:
    page = "<p>" + "".join(pieces)
    whole = parsed_within_bounds(page.encode(), again=False)
    tree = parsed_within_bounds(page.encode(), again=False, scripts=SCRIPTS["formulas"])
    passed_over = tree.passed_over()
    for node, there in zip(whole.parser.css("script"), tree.parser.css("script"), strict=True):
        assert content_of(there, passed_over) == content_of(node, {})
    assert not whole.passed_over()


def test_text_in_the_data_of_a_page_is_found() -> None:
    prose = "The ferry will sail until the end of May, the harbour board decided on Monday evening. " * 4
    page = f'<p>Loading<script>state = {{"articleBody": "{prose}"}}</script>'
    assert "harbour board" in dump_html(page).text
