"""Pages that would take the parser too long or swallow their own rest: bounded and mended, with every word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from ncleaner.dumping.html import dump_html
from ncleaner.limits import Limits
from ncleaner.parsing._lexbor import PARSES_AGAIN, costs, parsed, parsed_within_bounds
from ncleaner.parsing.coarse import bounded, flattened
from ncleaner.text.charset import decode

from ..dumping.trees import words_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "pages").glob("*.html"))
PAGE = b"""<!doctype html><html lang=en><head><title>Fog &amp; tide</title>
<script>if (a < b) document.write("<div><div>");</script><style>p > b { color: red }</style></head>
<body><nav><ul><li><a href=/>Home</a><li><a href="/a>b">About</a></ul></nav><main><h1>Fog</h1>
<p>First <b>paragraph<p>Second, <i>unclosed<table><tr><td>cell<td>cell</table><svg viewBox="0 0 1 1"><title>t</title>
<path d="M0 0"/></svg><!-- <p> --><select><option>one<option>two</select></main></body></html>"""

pytestmark = pytest.mark.skipif(
    not PARSES_AGAIN, reason="this build of selectolax does not export Lexbor's functions"
)


def shape(parser: LexborHTMLParser) -> tuple[int, int]:
    """Returns the depth of the parsed tree below <html>, and the number of its nodes."""
    root = parser.root
    deepest = nodes = 0
    waiting = [(root, 0)] if root is not None else []
    while waiting:
        node, depth = waiting.pop()
        nodes += 1
        deepest = max(deepest, depth)
        child = node.first_child
        while child is not None:
            waiting.append((child, depth + 1))
            child = child.next
    return deepest, nodes


def words(html: bytes) -> list[str]:
    return dump_html(html).text.split()


def numbered(count: int) -> list[str]:
    return [f"w{number}" for number in range(count)]


def is_as_it_was(html: bytes) -> bool:
    """Returns whether the parser gets a page as it is."""
    found = costs(html)
    if found["bounding"] or found["mending"]:
        return False
    return bool(parsed_within_bounds(html).parser.html == parsed(html, again=False).parser.html)


# --------------------------------------------------------------------------------------------------
# Pages as they are.


@pytest.mark.parametrize("html", [b"", b"<", b"text", PAGE, *(path.read_bytes() for path in EXAMPLES)])
def test_a_page_within_bounds_stays_as_it_is(html: bytes) -> None:
    assert is_as_it_was(html)
    assert parsed_within_bounds(html).dropped == 0
    assert bounded(html, 450_000) == (html, 0)


def test_tags_in_scripts_comments_and_attributes_do_not_count() -> None:
    html = b"<p>a</p><script>" + b"<div>" * 5000 + b"</script><!--" + b"<div>" * 5000 + b"--><p title='"
    found = costs(html + b"<div>" * 5000 + b"'>b")
    assert (found["tags"], found["nesting"]) == (7, 3)


# --------------------------------------------------------------------------------------------------
# Pages that would stop the parser. `{}` is a number of its own each time.


def repeated(piece: str, times: int) -> bytes:
    return "".join(piece.replace("{}", str(number)) for number in range(times)).encode()


HOSTILE = {
    "nested div": repeated("<div>w{} ", 100_000),
    "nested span": repeated("<span>w{} ", 50_000),
    "nested dl": repeated("<dl><dd>w{} ", 30_000),
    "nested tables": repeated("<table><tr><td>w{} ", 20_000),
    "nested tables, rows implied": repeated("<table><td>w{} ", 20_000),
    "formatting, then paragraphs": repeated("<b c={}><p>w{} ", 5_000),
    "formatting alone": repeated("<font c={}>w{} ", 20_000),
    "formatting of one kind": repeated("<i>w{} ", 50_000),
    "formatting with many attributes, created again": (
        b"<p><b " + repeated("a{} ", 900) + b"></p>" + repeated("<p>w{} </p>", 3_000)
    ),
    "formatting with many attributes, moved": (
        b"<b " + repeated("a{} ", 900) + b">" + repeated("<div>" * 9 + "</b>w{} " + "</div>" * 9, 3_000)
    ),
    "formatting left in a block": b"<div>" + repeated("<i c={}>", 3_000) + b"</div>" + repeated("<p>w{} ", 3_000),
    "ends that a cell keeps out": (
        b"<div>" + repeated("<b c={}>", 3_000) + b"</div><table><td>" + b"</b>" * 3_000 + b"</table>"
        + repeated("<p>w{} ", 3_000)
    ),
    "ends moved over too many blocks": repeated("<b c={}>" + "<div>" * 9 + "</b>w{} " + "</div>" * 9, 3_000),
    "ends without a start": b"<span>" * 4_000 + b"</i>" * 200_000 + repeated("w{} ", 1_000),
    "items in lists, ended from inside": repeated("<li><ol></li>w{} ", 20_000),
    "heading ended as another": repeated("<h1></h2><div></h1>w{} ", 20_000),
    "table in table": repeated("<table><table></table><div></table>w{} ", 20_000),
    "button in button": repeated("<button><button></button><div></button>w{} ", 20_000),
    "svg with text after it": repeated("<svg><div></svg>w{} ", 20_000),
    "svg with formatting": b"<svg><p>" + repeated("<b c={}><p>w{} ", 3_000),
    "svg, html inside": b"<svg><foreignObject>" + repeated("<b c={}><p>w{} ", 3_000),
    "svg left by its parent's end": b"<div><svg></div>" + repeated("<g/>w{} <p>", 20_000),
    "svg style": b"<svg><style>" + repeated("<div>w{} ", 20_000),
    "svg styles": b"<svg>" + repeated("<style>w{} ", 20_000),
    "noscript": repeated("<div>w{} <span><noscript></span>", 20_000),
    "select": repeated("<select><div></select>w{} ", 20_000),
    "forms": repeated("<form><form></form><div></form>w{} ", 20_000),
    "names of its own": repeated("<x-{}>w{} </x-{}>", 60_000),
    "names alike in eight letters": repeated("<somename{}></somename>w{} ", 20_000),
    "a name that begins as plaintext does": b"<plaintextx>" + repeated("<div>w{} ", 20_000),
    "attributes": b"<p " + repeated("a{}=1 ", 60_000) + b">w0 ",
    "attributes around tags": b"<p " + repeated("a{}=1 <b ", 60_000) + b">w0 ",
    "attributes in all": repeated("<p " + "".join(f"{c}{{}}=1 " for c in "abcdefghijkl") + ">w{} ", 9_000),
    "html again and again": repeated("<html a{}=1>w{} ", 20_000),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_keeps_hostile_pages_bounded_and_all_their_text(name: str) -> None:
    html = HOSTILE[name]
    expected = numbered(int(html.rpartition(b"w")[2].split()[0]) + 1)
    tree = parsed_within_bounds(html)
    assert [word for word in words_of(tree.parser) if word[0] == "w"] == expected
    depth, nodes = shape(tree.parser)
    assert depth <= 512 + 3
    assert nodes <= 3 * html.count(b"<") + 2 * html.count(b"w") + 10


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_page_without_its_tags_has_all_its_text(name: str) -> None:
    html, _dropped = flattened(HOSTILE[name], 1_000)
    expected = numbered(int(HOSTILE[name].rpartition(b"w")[2].split()[0]) + 1)
    assert [word for word in words_of(parsed(html).parser) if word[0] == "w"] == expected


# Shapes whose cost must be linear in their number.
GROWING: dict[str, Callable[[int], bytes]] = {
    "raw text in noscript": lambda n: b"<noscript><title>" * n + b"</noscript>" * n,
    "frames in noscript": lambda n: b"<noscript><iframe>" * n + b"</noscript>" * n,
    "forms in noscript": lambda n: b"<noscript><textarea>" * n + b"</noscript>" * n,
    "scripts in noscript": lambda n: b"<noscript><script>" * n + b"</noscript>" * n,
    "sections in noscript": lambda n: b"<noscript>" + b"<![CDATA[>" * n + b"]]></noscript>",
    "attributes of a tag": lambda n: b"<p " + repeated("a{} ", n) + b">w",
    "attributes of an end tag": lambda n: b"</p " + repeated("a{} ", n) + b">w",
    "attributes of the body": lambda n: repeated("<body " + "a{} " * 90 + ">", n // 90),
    "texts that become one": lambda n: b"<p>" + b"house</zz>" * n,
    "options": lambda n: b"<select>" + b"<option selected>x" * n,
    "options that end": lambda n: b"<select>" + b"<option>x</option>" * n,
    "column groups": lambda n: b"<table>" + b"<colgroup>house" * n,
    "links in a drawing": lambda n: b"<svg>" + b"<link>" * n,
    "blocks": lambda n: b"<div>" * n,
    "ends": lambda n: b"<span>" * 511 + b"</i>" * n,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_the_work_grows_with_the_page(name: str) -> None:
    """Counts the steps of the last pass. Those before it stop at bounds that are constants."""
    for size in (8_000, 16_000, 32_000, 64_000):
        html = GROWING[name](size)
        found = costs(html)
        assert found["searched"] <= 3 * len(html)
        assert found["look_ups"] <= (1_200 * len(html) if found["bounding"] else 300_000_000)
        assert found["reopened"] <= 2 * html.count(b"<")
        assert found["memory"] <= 305 * 450_000
        assert found["read"] <= 5 * len(html)


def test_a_tag_with_too_many_attributes_is_not_read_to_its_end() -> None:
    for tag in (b"<p ", b"</p "):
        html = tag + repeated("a{}='>' ", 200_000) + b">w"
        assert costs(html)["read"] <= 262_144 + 100
        assert words(html) == ["w"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        repeated("<p>w{} ", 300_000),
        repeated("<li>w{}</li> ", 100_000),
        b"<table>" + repeated("<tr><td>w{}<td>x ", 100_000) + b"</table>",
        repeated("<b>w{}</b> <i>x</i> ", 100_000),
        repeated("<p><font size={}>w{}</font> ", 100_000),
        repeated("<svg><title>t</title><path d=z /><g><use/></g></svg><p>w{} ", 40_000),
        repeated("<select><option>a<option>b</select><p>w{} ", 50_000),
        repeated("<ruby>w{}<rt>x</ruby> ", 50_000),
        b"<dl>" + repeated("<dt>w{}<dd>x<p>y", 50_000) + b"</dl>",
        b"<p>" + b"x" * 5_000_000,
        b"<img src='data:" + b"x" * 5_000_000 + b"'>",
    ],
    ids="p li table b font svg select ruby dl text attribute".split(),
)
def test_long_pages_are_left_alone(html: bytes) -> None:
    found = costs(html)
    assert not found["bounding"] and not found["mending"]
    assert bounded(html, 700_000)[0] is html


@pytest.mark.slow
def test_many_siblings() -> None:
    html = b"<p>x" * 449_000
    assert not costs(html)["bounding"]
    assert len(dump_html(html)) == 449_000


def test_tags_above_the_limit_go_and_their_text_stays() -> None:
    html = repeated("<p>w{} <br><i>x</i> ", 2_000)
    tree = parsed_within_bounds(html, tags=1_000)
    assert len(tree.parser.css("p, br, i")) == 500
    assert tree.dropped == 5_500
    assert words_of(tree.parser) == words(html)


@pytest.mark.parametrize("piece", ["<!--x-->", "</p>", "</br>", "<?x>", "<p>", "<b>", "<option>"])
def test_everything_that_the_parser_keeps_counts_as_a_tag(piece: str) -> None:
    html = piece.encode() * 990
    assert not costs(html, tags=1_000)["bounding"]
    assert shape(parsed_within_bounds(html + 20 * piece.encode(), tags=1_000).parser)[1] <= 500 + 4


@pytest.mark.untraced
def test_nesting_of_a_bounded_page_is_the_callers() -> None:
    html = HOSTILE["nested div"]
    for nesting in (16, 100):
        tree = parsed_within_bounds(html, nesting)
        assert nesting // 2 < shape(tree.parser)[0] <= nesting + 2  # <body>, and text
        assert 100_000 - nesting <= tree.dropped < 100_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [b"house</body><!---->", b"house</html><!---->", b"<!---->house ", b"housexxxx<input type=hidden>", b"house<tr>",
     b"<script></script>house", b"house</zz>"],
)  # fmt: skip
def test_text_that_the_parser_moves_is_bounded(piece: bytes) -> None:
    # each piece becomes one with the text before, and what is between them makes that a copy: 16 MB take hours
    head = b"<p>x" if b"</" in piece[:8] else b"<table>"
    few, many = head + piece * 90, head + piece * (8_000_000 // len(piece))
    assert is_as_it_was(few)
    assert costs(many)["bounding"]
    assert dump_html(many, limits=Limits(segments=10_000_000)).text.count("house") == many.count(b"house")


@pytest.mark.untraced
def test_text_in_cells_is_not_moved() -> None:
    html = b"<table>" + b"<tr><td>house <!---->house\n <th>x\n</tr>\n" * 80_000 + b"</table>"
    assert not costs(html)["bounding"]


# --------------------------------------------------------------------------------------------------
# Bounded pages.


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_bounding_changes_little_for_the_dumper(path: Path) -> None:
    html, _encoding = decode(path.read_bytes())
    document, tree = dump_html(html), parsed_within_bounds(html, bounding=True)
    assert set(document.text.split()) <= set(words_of(tree.parser))
    for page in (flattened(html, 1_000)[0], flattened(html, 3)[0]):
        text = "".join(words_of(parsed(page).parser))
        assert all(word in text for word in document.text.split())


TOKENS = [
    "<script><!--<script></script> hidden </script> seen",
    "<script><!-- </script> seen -->",
    "<script><!--<script>--></script> seen",
    "<script><!--<script </script/> hidden </script> seen",
    "<script><!--<scripted></script> seen",
    "<script><!--></script> seen",
    "<script><!---></script> seen",
    "<script><!--<script>x</script -->hidden</script> seen",
    "<script></script x='>'> seen",
    "<script></script/> seen",
    "<script></scripts> hidden </script> seen",
    "<style></style\t> seen",
    "<style><!-- </style> seen",
    "<title></titles></title > seen",
    "<textarea></textarea>seen</textarea>",
    "<noembed><p> hidden </noembed> seen",
    "<iframe><p> hidden </iframe> seen",
    "<!--> seen",
    "<!---> seen",
    "<!----> seen",
    "<!--a--!> seen",
    "<!---!> hidden --> seen",
    "<!--<!--> seen",
    "<!-- <!-- --> seen -->",
    "<!x> seen",
    "<!-x> seen -->",
    "<?x '>' seen ?>",
    "</> seen",
    "</ x> seen",
    "</p x='>'> seen",
    "<p x='>'> seen",
    '<p x=">"> seen',
    "<p x=a'> seen '",
    "<p 'x>'> seen",
    "<p x = '>' > seen",
    "<p x y='>'> seen",
    "<p x/='> seen '",
    "<p/x=/> seen",
    "<p =x='>'> seen",
    "<p ='> seen '",
    "<p x=''y='>'> seen",
    "<p x='' '='>'> seen",
    "<p\fx='>'> seen",
    "<p\x0bx='> seen '",
    "<p<b> seen",
    "<p x<b='>'> seen",
    "<xmp><b></xmp> seen",
    "<plaintext> seen </plaintext>",
]


@pytest.mark.parametrize("html", TOKENS)
def test_sees_the_tokens_that_the_parser_sees(html: str) -> None:
    page = html.encode() + b" seen"
    assert set(words_of(parsed(flattened(page, 1_000)[0]).parser)) == set(words(page))
    assert "seen" in words(page)
    assert "hidden" not in words(page)


# --------------------------------------------------------------------------------------------------
# Generated pages.

PIECES = st.sampled_from(
    "<script |</script |<script>|</script>|<style>|</style>|<title>|</title>|<textarea>|</textarea>|<xmp>|</xmp>|<!--|-->"
    "|--!>|<!|<?|<p |<p>|</p>|<b>|</b |<br>|<|>|/|'|\"|=|-|!|x| |\n|</|<table>|<td>".split("|")
)


@given(st.lists(PIECES, max_size=25))
def test_tokens_of_any_page(pieces: list[str]) -> None:
    html = "".join(
        f"{piece} w{number} " if number % 3 else piece for number, piece in enumerate(pieces)
    ).encode()
    before = {word for word in words(html) if word[0] == "w"}
    for page in (html, *([] if costs(html)["mending"] else [flattened(html, 1_000)[0]])):
        tree = parsed_within_bounds(page, bounding=True)
        assert before == {word for word in words_of(tree.parser) if word[0] == "w"}


TAGS = (
    "p div li ul ol dd dt dl h1 h2 pre table tr td th tbody caption thead colgroup col form a b i font span code nobr "
    "button select option optgroup object marquee noscript br hr img input ruby rt rb x-y somename1 somename2 html body "
    "head address section search xmp title script textarea"
).split()
FOREIGN = "svg math path g desc foreignObject mi mtext annotation-xml template frameset style iframe".split()


@st.composite
def soups(draw: st.DrawFn, tags: list[str], repeat: int = 1) -> bytes:
    """A few kinds of tags in any order; `repeat` times, so that whatever grows by one round is seen to grow."""
    kinds = draw(st.lists(st.sampled_from(tags), min_size=1, max_size=6))
    token = st.one_of(
        *(
            st.sampled_from([form.format(kind) for kind in kinds])
            for form in ("<{}>", "</{}>", "<{} c={{}}>", "<{}/>")
        ),
        st.just("w{} "),
        st.just(" w{} "),
    )
    before, middle, after = (draw(st.lists(token, max_size=8)) for _ in range(3))
    tokens = before + middle * repeat + after * draw(st.sampled_from([1, repeat]))
    return "".join(piece.replace("{}", str(number)) for number, piece in enumerate(tokens)).encode()


@given(soups(TAGS + FOREIGN, repeat=30))
def test_no_page_costs_more_than_counted(html: bytes) -> None:
    found = costs(html)
    if found["mending"]:
        return
    depth, nodes = shape(parsed_within_bounds(html).parser)
    # forms and links leave the parser's stack before what is inside them: the tree may be deeper by them
    assert depth <= found["nesting"] + 2 + html.count(b"<form") + html.count(b"<a")
    assert nodes <= 6 * html.count(b"<") + 2 * found["reopened"] + html.count(b"w") + 20


@given(soups(TAGS, repeat=3), st.sampled_from([16, 512]))
def test_bounding_keeps_all_text(html: bytes, nesting: int) -> None:
    tree = parsed_within_bounds(html, nesting, bounding=True)
    # the brackets of readings (<rt>) are the dumper's
    before, after = ({word.strip("()") for word in found} for found in (words(html), words_of(tree.parser)))
    assert {word for word in before if word.startswith("w")} <= after
    depth, nodes = shape(tree.parser)
    assert depth <= nesting + 3 + html.count(b"<form") + html.count(b"<a")
    assert nodes <= 6 * html.count(b"<") + 2 * html.count(b"w") + 20


@given(soups(TAGS + FOREIGN, repeat=3), st.sampled_from([16, 512]), st.sampled_from([3, 1_000]))
def test_bounded_pages_are_bounded(html: bytes, nesting: int, tags: int) -> None:
    tree = parsed_within_bounds(html, nesting, tags, bounding=True)
    depth, nodes = shape(tree.parser)
    assert depth <= nesting + 3 + html.count(b"<form") + html.count(b"<a")
    if tags == 3:
        assert nodes <= 30 + html.count(b"w") // 500


@given(st.binary(max_size=200))
def test_any_bytes(html: bytes) -> None:
    assert not costs(html)["bounding"]
    flattened(html, 3)
    parsed_within_bounds(html, 16, 3, bounding=True)


# --------------------------------------------------------------------------------------------------
# Raw text that never ends.


@pytest.mark.parametrize(
    ("html", "title", "text"),
    [
        ("<title>Fog<body><p>one<p>two", "Fog", "one\ntwo\n"),
        ("<title>\n Fog, tide\n<meta name=x><p>one", "Fog, tide", "one\n"),
        ("<TITLE lang=en>Fog\none", "Fog", "one\n"),
        ("<title>Fog</title ", "Fog", ""),  # the file ends here: nothing is swallowed
        ("<title>Fog<p>one<title>Tide<p>two<title>Wind<p>three", "Fog", "one\nTide\ntwo\nWind\nthree\n"),
        ("<p>one<textarea rows=2>two\nthree<p>four", "", "one three\nfour\n"),
        ("<p>one<iframe src=x>two<p>three", "", "one two\nthree\n"),
        ("<p>one<noframes><p>two <noembed>three", "", "one\ntwo three\n"),
        ("<style>p { color: red }</head><body><p>one", "", "one\n"),
        ("<script>if (a < b) c()<body class=x><p>one", "", "one\n"),
        ("<p>one<script>document.write('<p>two')", "", "one\n"),
        ("<title>Fog</title><script>x<title>Tide</script><p>one", "Fog", "one\n"),
        ],
)  # fmt: skip
def test_raw_text_that_never_ends_does_not_swallow_the_page(html: str, title: str, text: str) -> None:
    document = dump_html(html)
    assert (document.title, document.text) == (title, text)


@given(
    soups(
        ["title", "textarea", "iframe", "noframes", "noembed", "script", "style", "xmp", "p", "svg"], repeat=2
    )
)
def test_raw_text_swallows_nothing_more_than_once(html: bytes) -> None:
    document = dump_html(b"<body>" + html + b"<p>end")
    if not any(name in html for name in (b"script", b"style", b"xmp", b"svg")):
        assert "end" in document.text.split()


@pytest.mark.untraced
def test_many_titles_that_never_end_take_linear_time() -> None:
    html = repeated("<title>w{} <textarea>v{} ", 100_000)
    assert dump_html(html).text.split() == [f"{c}{n}" for n in range(100_000) for c in "wv"][2:]


# --------------------------------------------------------------------------------------------------
# A <noscript> that leaves something open. A browser with scripts reads up to `</noscript>` and shows what follows.

OPEN = {
    "element that is not shown": ("<p>one</p><div style='display:none'><p>two", "one two"),
    "formatting that is not shown": ("<p>one</p><b hidden>two", "one"),
    "comment": ("<p>one</p><!-- <p>two", "one"),
    "comment of two dashes": ("<p>one</p><!--", "one"),
    "comment with a bang": ("<p>one</p><!--!>two", "one"),
    "style": ("<p>one</p><style>p { color: red }", "one"),
    "script": ("<p>one</p><SCRIPT>document.write('<p>two')", "one"),
    "script with a script inside": ("<p>one</p><script><!-- <script>", "one"),
    "title": ("<p>one</p><title>Fog\n<p>two</p>", "one two"),
    "textarea": ("<p>one</p><textarea>Fog<p>two", "one two"),
    "iframe": ("<p>one</p><iframe src=x/>two", "one two"),
    "xmp": ("<p>one</p><xmp>two", "one two"),
    "plaintext": ("<p>one</p><plaintext>two", "one two"),
    "script in plaintext": ("<p>one</p><plaintext>two<script><!--<script>", "one two"),
    "select": ("<p>one</p><select><option>Fog", "one"),
    "svg": ("<p>one</p><svg><g>Fog", "one"),
    "svg with a style": ("<p>one</p><svg><style>p", "one"),
    "CDATA section": ("<p>one</p><svg><![CDATA[ <p>two", "one"),
    "template": ("<p>one</p><template><p>Fog", "one"),
    "object": ("<p>one</p><object><p>Fog", "one"),
    "button": ("<p>one</p><button>Fog", "one"),
    "table": ("<p>one</p><table hidden><tr><td>two", "one two"),
    "frames": ("<frameset><frame src=x></frameset>", ""),
    "value of an attribute": ('<p>one</p><img alt="Fog>', "one"),
    "tag": ("<p>one</p><img alt=Fog", "one"),
    "end tag": ("<p>one</p></p", "one"),
    "end tag without a name": ("<p>one</p></", "one"),
    "declaration": ("<p>one</p><!x", "one"),
    "instruction": ("<p>one</p><?php", "one"),
    "bracket": ("<p>one</p>two <", "one two <"),
    "noscript": ("<noscript hidden><p>one</p>", "one"),
    "many elements": ("<i hidden><div>" * 300, ""),
    "formatting of one kind": ("<b hidden><p><b hidden><p>", ""),
    "forms": ("<object><form><object><form></form>", ""),
}
AROUND = {
    "body": '<p>Fog</p>{}<p>article</p><!-- x --><style>p</style><p class="x">end</p>',
    "head": "<head>{}<title>Fog</title><style>p</style></head><body><p>article</p><p>end</p>",
    "cell": "<table><tr><td>{}<p>article</p><td>end</table>",
    "list": "<ul><li>{}<p>article</p><li>end</ul>",
    "link": "<a href=x><b>Fog {}</b></a><p>article</p><p>end</p>",
    "drawing that never ends": "<svg><g><p>Fog</p>{}<p>article</p><p>end",
    "not shown": "<div hidden>Fog {}</div><p>article</p><p>end</p>",
}


@pytest.mark.slow
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_in_noscript_does_not_swallow_the_page(name: str, around: str) -> None:
    content, shown = OPEN[name]
    html = AROUND[around].format(f"<noscript>{content}</noscript>").encode()
    document = dump_html(html)
    found = [segment.text for segment in document if document.visible[segment.index]]
    assert [text for text in found if text in ("article", "end")] == ["article", "end"]
    assert set(shown.split()) <= set(document.text.split())
    assert "Fog" not in document.text.split() or around not in ("head", "cell", "list")
    # a page that must be written again
    again = b"<p>" + b"<i class=x>" * 5_000 + b"</i>" * 5_000 + html
    assert costs(again)["bounding"]
    document = dump_html(again)
    found = [segment.text for segment in document if document.visible[segment.index]]
    assert [text for text in found if text in ("article", "end")] == ["article", "end"]


@pytest.mark.parametrize(
    "html",
    [
        "<noscript><p>one</p><img src=x></noscript><p>two",
        "<NOSCRIPT><div><a href=x>one</a><br></div></NOSCRIPT><p>two",
        "<head><noscript><link rel=x><style>p</style><!-- x --></noscript><title>Fog</title></head><p>two",
        "<noscript><!--></noscript><p>two",
        "<noscript><!-- x --!></noscript><p>two",
        "<noscript><table><tr><td>one<td>two</table></noscript><p>two",
        "<noscript></div></b></noscript><p>two",
        "<noscript><p>one<div>two</div></p></noscript><p>two",
        "<script>'<noscript><div hidden></noscript>'</script><p>two",
        "<!-- <noscript><div hidden></noscript> --><p>two",
        "<p title='<noscript><div hidden></noscript>'>two",
        "<svg><noscript><g></noscript></g></svg><p>two",
        "<noscript><div hidden><p>one",
        "<noscript><div></noscripts></div></noscript><p>two",
    ],
)
def test_a_noscript_that_leaves_nothing_open_stays_as_it_is(html: str) -> None:
    assert is_as_it_was(html.encode())


def test_a_noscript_ends_only_what_began_in_it() -> None:
    html = b"<main><noscript><div class=x></noscript><p>one</p><noscript></div></main></noscript><p>two</p></main>"
    document = dump_html(html)
    assert [segment.path for segment in document] == ["html/body/main/p"] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "times"),
    [
        ("w{} <noscript>", 100_000),
        ("w{} <noscript><b>x</b></noscript>", 100_000),
        ("w{} <noscript></b></noscript>", 100_000),
        ("w{} <noscript><!--</noscript>", 100_000),
        ("w{} <noscript><div hidden></noscript>", 100_000),
        ("w{} <noscript><iframe src={}></noscript>", 100_000),
        ("w{} <noscript><noscript><a hidden></noscript>", 100_000),
        ("w{} <noscript><div hidden></noscript>", 900),
        ("w{} <noscript><div><script></noscript>" + "<p>" * 100, 900),
    ],
)
def test_many_noscripts_take_linear_time(piece: str, times: int) -> None:
    found = dump_html(repeated(piece, times)).text.split()
    assert [word for word in found if word[0] == "w"] == [f"w{n}" for n in range(times)]


@given(soups([*TAGS, *FOREIGN, "!--", "plaintext", "img alt='"], repeat=2), st.sampled_from(list(AROUND)))
def test_no_noscript_swallows_the_page(content: bytes, around: str) -> None:
    noscript = f"<noscript>{content.decode()}</noscript>"
    if "</noscript" in content.decode():
        noscript = noscript.replace("</noscript", "</noscrip") + "</noscript>"
    document = dump_html(AROUND[around].format(noscript))
    assert {"article", "end"} <= {
        word for s in document if document.visible[s.index] for word in s.text.split()
    }


# Tables and <ruby> are left out: inside them, what a <noscript> has that is whole changes the place of what follows.
OUTSIDE = "p div li ul dd dl h1 pre a b font span nobr section button object form".split()


@st.composite
def pages_with_noscript(draw: st.DrawFn) -> str:
    tags = st.sampled_from(["<{}>", "</{}>"])
    parts = []
    for number in range(draw(st.integers(1, 8))):
        content = draw(
            soups([*OUTSIDE, *FOREIGN, "!--", "title", "plaintext", "div hidden", "b hidden"])
        ).decode()
        parts += [
            f"<noscript>{content.replace('w', 'n')}</noscript>" if draw(st.booleans()) else "",
            draw(tags).format(draw(st.sampled_from(OUTSIDE))),
            f" w{number} ",
        ]
    return "".join(parts)


@pytest.mark.slow
@pytest.mark.traced
@given(pages_with_noscript())
def test_what_a_browser_with_scripts_shows_is_there(html: str) -> None:
    parser = LexborHTMLParser(html, scripting=True)
    for noscript in parser.css("noscript"):
        noscript.decompose()
    body = parser.body
    assert body is not None
    with_scripts, found = dump_html(body.html or ""), dump_html(html)
    expected, shown = (
        {word for s in document if document.visible[s.index] for word in s.text.split() if word[0] == "w"}
        for document in (with_scripts, found)
    )
    assert expected <= shown


# --------------------------------------------------------------------------------------------------
# Lists that are never closed.


@pytest.mark.untraced
@pytest.mark.parametrize(
    "piece",
    [
        "<li>item w{}<ul>",
        "<li><div>item w{}<ul>",
        "<li><div><p>item w{}<ol>",
        "<li><a href=x{}>item w{}<ul>",
        "<li><b class=c{}>item w{}<ul>",
        "<li><span>item w{}<ul>",
        "<ul><ul><li>item w{}",
        "<li><section><div>item w{}",
    ],
)
def test_items_of_lists_that_are_never_closed_stay_items(piece: str) -> None:
    document = dump_html("<ul>" + repeated(piece, 6_000).decode())
    assert document.text == "".join(f"item w{number}\n" for number in range(6_000))
    assert set(document.segments["kind"].tolist()) == {ord("l")}
    assert document.dropped_tags > 0


@pytest.mark.untraced
def test_blocks_below_the_deepest_level_stay_segments() -> None:
    html = repeated("<blockquote><p>said w{}</p>", 6_000) + b"</blockquote>" * 6_000 + b"<p>end"
    assert len(dump_html(html)) == 6_001
    html = repeated("<table><tr><td>cell w{}", 3_000)
    assert len(dump_html(html)) == 3_000
