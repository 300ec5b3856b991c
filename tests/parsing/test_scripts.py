"""Scripts and style sheets whose content the tokenizer does not get: nothing else of the tree changes."""

from __future__ import annotations

import pytest
from fuzz.invariants import BrokenRuleError
from fuzz.raw import PIECES, check_raw, raw_page
from fuzz.source import Source
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.parsing._lexbor import PARSES_AGAIN, SCRIPTS, Parsed, parsed_within_bounds

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
    "data of a style sheet as a program": "<p>a<style></script><script></style>c</script>d",
    "all ends of a name": "".join(
        f"<p>a<script>b</script{end}c" for end in ("\t>", "\n>", "\f>", "\r>", " >", "/>", "/ >")
    ),
    "no ends of a name": "".join(
        f"<p>a<script>b</script{more}>c</script>d" for more in ("\0", "-", "\v", "s", "<", "ſ")
    ),
    "end tag with attributes": "<p>a<script>b</script c='>' d>e",
    "end tag that never ends": "<p>a<script>b</script c='",
    "escaped, dashes": "".join(
        f"<p>a<script><!--{dashes}></script>b" for dashes in ("", "-", "--", "---", "-- ", "--!", "- -")
    ),
    "escaped, no comment": "<p>a<script><!- <script></script>b<script><! -- <script></script>c<script><!</script>d",
    "escaped twice, all ends of a name": "".join(
        f"<p>a<script><!--<script{end} </script>b</script>c"
        for end in ("\t", "\n", "\f", " ", "/", ">", "\r", "", "\0", "s", "-->")
    ),
    "escaped twice and once again": "<p>a<script><!--<script></script><script></script></script>b",
    "escaped twice, left": "<p>a<script><!--<script>--></script>b<script><!--<script></script/--></script>c",
    "escaped twice, capitals": "<p>a<script><!--<SCRIPT></sCript\t-</SCRIPT>b",
    "escaped twice, dashes before a tag": "<p>a<script><!--<script>-</script>--</script>b",
    "escaped, then the page ends": "<p>a<script><!--<script>b</script",
    "in data of svg": "<p>a<svg><![CDATA[<script>]]>b</svg><script>c</script>d",
    "in data outside of svg": "<p>a<![CDATA[<script>]]>b<script>c</script>d",
    "in math": "<p>a<math><script>b<mi>c</script></math><math><mtext><script>d<mi></script></math>e",
    "in other raw text": "".join(
        f"<p>a<{name}><script>b</{name}>c</script>d"
        for name in ("iframe", "noembed", "noframes", "xmp", "title", "textarea")
    ),
    "in plain text": "<p>a<plaintext><script>b</script>c",
    "in an attribute without quotes": "<p title=<script>b</p><script>c</script>d",
    "in a wrong comment": "<p>a<!script><script>b</script>c</!script><?script>d<script>e</script>",
    "a second body": "<p>a<script>b</script><body class=c><script>d</script>e",
    "in a cell of line numbers": "<table><td class=lineno>1<script>b</script><td>c</table>",
    "typesets": "<p>a<script>window.MathJax = {}</script><script>a([['$', '$']])</script>b $c$",
    "typesets, too late": f"<p>a<script>{'b' * 7_996}MathJax</script><script>{'c' * 7_993}MathJax</script>d $e$",
    "typesets, behind carriage returns": "<p>a<script>" + "b\r\n" * 3_995 + "MathJax</script>c $d$",
    "typesets, behind nulls": "<p>a<script>" + "\0" * 4_000 + "MathJax</script>c $d$",
    "many": "<p>a<script>b</script><style>c</style>" * 500,
}
READ = {
    "TeX": ('<script type="math/tex; mode=display">x^2</script>', "formulas"),
    "capital TeX": ("<script type=MATH/TEX>x^2</script>", "formulas"),
    "a reference in the type": ("<script type='math&#47;tex'>x^2</script>", "formulas"),
    "JSON-LD": ("<script type='application/ld+json'>{}</script>", "statements"),
    "MathJax": ("<script>window.MathJax = {}</script>", "typesetters"),
    "dollars": ('<script>a({inlineMath: [["$", "$"]]})</script>', "typesetters"),
    "data": ("<script type='application/json'>{}</script>", "all"),
    "module": ("<script id=a type=module>b</script>", "all"),
    "two types": ("<script type=module type=math/tex>b</script>", "all"),
    "program": ("<script async src=a>b</script>", "all"),
    "style sheet": ("<style type=math/tex>b</style>", "all"),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_tree_is_the_same_around_them(name: str) -> None:
    check_raw(PAGES[name].encode())


def test_pages_made_of_what_begins_and_ends_raw_text() -> None:
    for seed in range(300):
        check_raw(raw_page(Source(seed)))


def test_a_tree_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(page: bytes, scripts: int = SCRIPTS["all"]) -> Parsed:
        return parsed_within_bounds(page if scripts == SCRIPTS["all"] else page[:-1], scripts=scripts)

    monkeypatch.setattr("fuzz.raw.parsed_within_bounds", cut)
    with pytest.raises(BrokenRuleError, match="rest of it"):
        check_raw(b"<p>a<script>b</script>c")
    with pytest.raises(BrokenRuleError, match="content of all scripts"):
        check_raw(b"<script>b")


@pytest.mark.parametrize("name", READ)
def test_what_is_read_stays(name: str) -> None:
    markup, since = READ[name]
    for which, number in SCRIPTS.items():
        parser = parsed_within_bounds(f"<p>{markup}a".encode(), scripts=number).parser
        found = parser.css_first("script, style")
        assert found is not None
        assert bool(found.text()) == (number >= SCRIPTS[since]), which


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_page(pieces: list[str]) -> None:
    page = "".join(pieces).encode()
    check_raw(page)
    assert dump_html(page).text == dump_html(page, marks=True).text


@pytest.mark.untraced
@given(st.lists(st.sampled_from(PIECES), max_size=20), st.integers(262_090, 262_150))
def test_any_page_around_the_end_of_a_piece(pieces: list[str], length: int) -> None:
    check_raw(("<script>" + "b" * length + "".join(pieces)).encode())


@pytest.mark.parametrize(
    "around", ["<math><mtext>IN</mtext></math>", "<ruby>d<rt>e</rt><rtc>IN</rtc></ruby>"]
)
def test_scripts_in_formulas_and_readings_are_no_text(around: str) -> None:
    page = f"<p>a {around.replace('IN', '<style>b</style><script>c</script>')}".encode()
    check_raw(page)
    assert not {"b", "c"} & set(dump_html(page).text)


def test_text_in_the_data_of_a_page_is_found() -> None:
    prose = "The ferry will sail until the end of May, the harbour board decided on Monday evening. " * 8
    state = f'{{"title": "The ferry sails", "url": "/x", "articleBody": "{prose}"}}'
    page = f"<title>The ferry sails</title><p>Loading<script>state = {state}</script>"
    for marks in (False, True):
        assert "harbour board" in dump_html(page, marks=marks).text
