"""HTML to segments, runs and elements."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from ncleaner.document import tags
from ncleaner.document.tables import HIDDEN, Document
from ncleaner.document.tags import HASHES_VERSION
from ncleaner.dumping import _walk
from ncleaner.dumping._builder import Builder
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError
from ncleaner.limits import Limits


def segments(html: str | bytes, **options: object) -> list[tuple[str, str]]:
    return [(segment.kind, segment.text) for segment in dump_html(html, **options)]  # type: ignore[arg-type]


PROSE = "A sentence of the block behind a button."
TABLE: list[tuple[str, list[tuple[str, str]]]] = [
    # blocks split, inline tags do not
    ("<p>one<p>two", [("h", "one"), ("h", "two")]),
    ("<div>one<span>two</span> <b>three</b></div>four", [("h", "onetwo three"), ("h", "four")]),
    ("a<hr>b", [("h", "a"), ("h", "b")]),
    ("<td>a", [("h", "a")]),
    ("<table><tr><td>a<td>b<tr><th>c</table>", [("l", "a"), ("l", "b"), ("l", "c")]),
    ("<dl><dt>t<dd>d</dl>", [("l", "t"), ("l", "d")]),
    ("<a href=x>one</a><a href=y>two</a>three", [("h", "one twothree")]),
    ("<a>one</a><span><a>two</a></span>, <a>three</a>.", [("p", "one two, three.")]),
    ("<h1>H <em>i</em></h1>text", [("h", "H i"), ("h", "text")]),
    ("<h2><div>in</div>side</h2>", [("h", "in"), ("h", "side")]),
    ("<blockquote>q</blockquote><center>c</center>", [("h", "q"), ("h", "c")]),
    # list items
    ("<ul><li>a<li>b<ul><li>c</ul>after</ul>z", [("l", "a"), ("l", "b"), ("l", "c"), ("h", "after"), ("h", "z")]),
    ("<ul><li><p>first</p><p>second</p></ul>", [("l", "first"), ("h", "second")]),
    ("<ul><li></li></ul>x", [("h", "x")]),
    # what programs lay over the page or put into it
    ("a<div class='x CookieBanner'><p>We use</p></div><div id=onetrust-consent-sdk>cookies</div>b", [("h", "a"), ("h", "b")]),
    ("<div class='cookies_bar small'>no</div><div class=cookie-policy>yes</div>", [("h", "yes")]),
    ("<html class=cookie-bar><div class='page cookie-bar-visible cookiebar_active'>a</div>", [("h", "a")]),
    ("<div class=CookieBannerWrapper>a</div><div class=cookie-consent__text>b</div>c", [("h", "c")]),
    ("<div class=cookie-recipes>a</div><div class=my-cookie-bar>b</div>", [("h", "a"), ("h", "b")]),
    ("<body class=cli-bar-is-open>a<div class=onetrust-active><h1>b</h1>c</div>", [("h", "a"), ("h", "b"), ("h", "c")]),
    ("<h2>a</h2><span class=mw-editsection>[<a href=x>edit</a>]</span>b", [("h", "a"), ("h", "b")]),
    # what a page of frames says without them
    ("<frameset><frame src=a><noframes><body><p>a &amp; b<p>c</noframes></frameset>", [("h", "a & b"), ("h", "c")]),
    ("<p>a<noframes><p>b</noframes>", [("h", "a")]),
    # what a style makes a block, and what is none
    ("<p><span style='display:block'>a</span><b style='color:red; DISPLAY: flex'>b</b>c", [("h", "a"), ("h", "b"), ("h", "c")]),
    ("<p>a <span style='display:inline'>b</span><i style='--display:block'> c</i>", [("h", "a b c")]),
    # the lines of a verse, and those of a text that is wrapped by hand
    ("<p>The net is dry,<br>\nand so am I,<br>and so the sea<br>is far from me.",
     [("p", "The net is dry,"), ("p", "and so am I,"), ("p", "and so the sea"), ("p", "is far from me.")]),
    ("<p>The ferry across the narrow bay had not run for eleven<br>winters when the council voted to buy a second-hand"
     "<br>boat and to train two of its own drivers, since so<br>many wanted it.",
     [("p", "The ferry across the narrow bay had not run for eleven winters when the council voted to buy a second-hand "
       "boat and to train two of its own drivers, since so many wanted it.")]),
    # line breaks
    ("a<br>b", [("h", "a b")]),
    ("a<br><br>b", [("h", "a"), ("h", "b")]),
    ("a<br> \n <br>b<br>c", [("h", "a"), ("h", "b c")]),
    ("<br><br>a<br>", [("h", "a")]),
    # white space
    ("<p>  a \n\t b&nbsp;&nbsp;c\u3000d\u2003e </p>", [("p", "a b c d e")]),
    ("a\u00adb\ufeffc\u0085d", [("h", "abc d")]),
    ("<h2>a very/\u200blong\u2060est/path\u200b</h2>\u200b", [("h", "a very/longest/path")]),
    ("ភាសា\u200bខ្មែរ ภาษา\u200bไทย\u200b", [("h", "ភាសា\u200bខ្មែរ ภาษา\u200bไทย")]),
    ("a\u200db", [("h", "a\u200db")]),
    # an empty line of an editor, and one that begins so; a joiner is part of the letters beside it
    ("<h2>a</h2><p>\u200d</p><p>\u200c\u200d<b>b</b><p>\u200dc", [("h", "a"), ("h", "b"), ("h", "\u200dc")]),
    ("a\x01b\x7fc&#0;d", [("h", "abc\ufffdd")]),
    ("a <!-- x --> b<!-- y -->c", [("h", "a bc")]),
    ("<p>a <b> b</b> c", [("h", "a b c")]),
    # preformatted text
    ("<pre>  a = 1\n    b\n\n  c  \n</pre>x", [("p", "  a = 1\n    b"), ("p", "  c"), ("h", "x")]),
    ("<pre>a\n   \n\n\nb</pre>", [("p", "a"), ("p", "b")]),
    ("<pre>a<br>b<b>\nc</b></pre>", [("p", "a\nb\nc")]),
    ("<pre>a\r\nb</pre>", [("p", "a\nb")]),
    # numbers of lines, and links to the heading itself
    ("<pre><i class=linenos>1</i>a\n<i class=linenos> 2</i>b</pre>", [("p", "a\nb")]),
    ("<table><tr><td class='gutter gl'><pre>1\n2</pre><td><pre>a\nb</pre></table>", [("p", "a\nb")]),
    ("<pre><i class=ln>1</i>a\n<i class=lnt>2</i>b\n<i class=line_num>3</i>c", [("p", "a\nb\nc")]),
    ("<pre><div class='top select-none'>C<button>Copy this code</button></div>a</pre>", [("p", "a")]),
    ("<pre><i class=select-none>$</i> a;<i class=select-none>the whole text of a program</i></pre>",
     [("p", " a;the whole text of a program")]),
    ("<pre><i class=lnx>1</i>a\n<i class=lm>2</i>b", [("p", "1a\n2b")]),
    ("<pre><i class=lineno>x1</i>a</pre><p class=lineno>7", [("p", "x1a"), ("h", "7")]),
    ("<pre><i class=online>1</i></pre>", [("p", "1")]),
    ("<h2>a<a href=#a>¶</a></h2><h2><a href='#b'> # </a>b</h2>", [("h", "a"), ("h", "b")]),
    ('<h2>a<a href=#a>\uf0c1</a></h2><p>b <a href=#b>\uf0c1</a>', [("h", "a"), ("h", "b")]),
    ("<h2><span><a href=#a>◆&nbsp;</a></span>a()</h2>", [("h", "a()")]),
    ("<dl><dt>a<a href=#a>\u200b</a></dl><h2>b<a href=#b>🔗</a>", [("l", "a"), ("h", "b")]),
    ("<h2>a<a href=/b>#</a></h2><h2>c<a href=#c>1</a></h2>", [("h", "a#"), ("h", "c1")]),
    # names in boxes
    ("<code>npm</code><code>yarn</code>", [("h", "npm yarn")]),
    ("<code>a</code><code>.b()</code><code><b>c</b>d</code>", [("h", "a.b()cd")]),
    # left out
    ("<script>a</script><style>b</style><p>c<noscript>d</noscript>", [("h", "c"), ("h", "d")]),
    ("<select><option>a</select><textarea>b</textarea><button>c</button><input value=d>e", [("h", "e")]),
    ("<i hidden>a</i><b style='color:red; DISPLAY : None'>b</b><span style='visibility:hidden'>c</span>d", [("h", "d")]),
    ("<p hidden>a</p>b", [("h", "a"), ("h", "b")]),
    ("<body hidden style='display:none'>a", [("h", "a")]),
    # what an element with a shadow root has is shown in the slots of the root
    ("<x-a><template shadowrootmode=open><style>x</style><h2>a</h2><slot name=l></slot><p><slot>no</slot></p>b</template>c"
     "<i slot=l>d</i>e<u slot=m>f</u></x-a>g",
     [("h", "a"), ("h", "d"), ("h", "ce"), ("h", "b"), ("h", "f"), ("h", "g")]),
    ("<x-a><template shadowrootmode=open><slot>a</slot></template></x-a>", [("h", "a")]),
    ("<x-a><template shadowrootmode=closed><x-b><template shadowrootmode=open><p>b<slot></slot></template><slot name=x></slot>"
     "<slot></slot></x-b></template><i slot=x>c</i>d</x-a>", [("h", "bcd")]),
    ("<template><p>a</template><x-a><template shadowrootmode=open>b<template>c</template>d</template></x-a><template>e</template>",
     [("h", "bd")]),
    # what comes at the end of a page is shown by a script
    ("<div hidden id='S:3'>streamed</div><div id='x' hidden>not</div>", [("h", "streamed"), ("h", "not")]),
    ("<h2><button>a</button>b</h2><button>c</button>d", [("h", "ab"), ("h", "d")]),
    ("<h1>Crate <span>a</span> <button>Copy item path</button></h1>", [("h", "Crate a")]),
    ("<h3><div><button><p>a</p></button></div></h3>", [("h", "a")]),
    ("<h1>a</h1><button>b<h2>c</h2></button>d", [("h", "a"), ("h", "d")]),
    ("<svg><text>a</text><title>b</title></svg>c<template>d</template><iframe>e</iframe>", [("h", "c")]),
    ("<title>t</title><meta name=x content=y><p>a", [("h", "a")]),
    # unknown tags
    ("<my-card>a</my-card><my-card>b</my-card>", [("h", "a"), ("h", "b")]),
    ("<a-very-long-name-of-an-element>a</a-very-long-name-of-an-element>b", [("h", "a"), ("h", "b")]),
    ("one<o:p></o:p> <st1:place>two</st1:place>", [("h", "one two")]),
    # custom elements are blocks, but not in a sentence
    ("<p>one <x-y>two</x-y>.<p><b>(<x-y>three</x-y></b>)", [("p", "one two."), ("h", "(three)")]),
    ("<p><x-y>one</x-y> <x-y>two</x-y><div>three <x-y>four</x-y></div>", [("h", "one"), ("h", "two"), ("h", "three"), ("h", "four")]),
    # as old pages are
    ('<text id="http://x.example/" title="t">\n<html><head><title>t</title></head>a<p>b', [("h", "a"), ("h", "b")]),
    ("a", [("h", "a")]),
    ("", []),
    ("<html></html>", []),
    ("a &amp; b &eacute; &#8212; &bogus; c", [("p", "a & b é — &bogus; c")]),
    ("</p></div>a</body></html>b", [("h", "a"), ("h", "b")]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), TABLE, ids=[html[:40] for html, _ in TABLE])
def test_table(html: str, expected: list[tuple[str, str]]) -> None:
    found = segments(html)
    if html.startswith("</p></div>"):
        # the parser puts what stands behind </html> back into the body
        assert "".join(text for _, text in found) == "ab"
    elif html == "<td>a":
        assert [text for _, text in found] == ["a"]
    else:
        assert found == expected


def test_alternative_text_on_demand() -> None:
    html = "<p>a <img alt='a  cat' src=x> b<img><img alt='' ><img hidden alt=no>"
    assert segments(html) == [("h", "a b")]
    assert segments(html, alt_text=True) == [("p", "a a cat b")]
    document = dump_html(html, alt_text=True)
    assert [tags.bit_names(int(bits), tags.CONTEXT) for bits in document.runs["context"]] == [[], ["alt"], []]


def test_inline_context() -> None:
    document = dump_html("<p>a<a href=x>b<b>c</b></a><code>d</code><strong>e<b>f</b>g</strong>h")
    contexts = [tags.bit_names(int(bits), tags.CONTEXT) for bits in document.runs["context"]]
    assert contexts == [[], ["link"], ["link", "bold"], ["code"], ["bold"], ["bold"], ["bold"], []]
    assert document.segments["link_chars"].tolist() == [2]


def test_title_and_language() -> None:
    document = dump_html(
        "<html lang=' pl '><title> A\n &amp; B </title><title>C</title><svg><title>D</title></svg>"
    )
    assert (document.title, document.lang) == ("A & B", "pl")
    assert (dump_html("x").title, dump_html("x").lang) == ("", "")


@pytest.mark.parametrize(
    ("html", "shown", "folded"),
    [
        ("<p hidden>a</p>b", "b", "a"),
        ("<p style='color:red; DISPLAY : None'>a</p><p style='visibility:hidden'>b</p>c", "c", "ab"),
        ("<p style='display:block'>a</p><p style='not-display:nonesuch'>b", "ab", ""),
        ("<p style='--bar-display: none'>a</p><p style='display:none!important'>b</p><p style='display:nonesuch'>c", "ac", "b"),
        ("<p style='color: red; visibility : hidden ; top: 0'>a</p><p style=';display:none;'>b</p>c", "c", "ab"),
        ("<div hidden>a<div><p>b</p></div>c</div>d", "d", "abc"),
        ("<div hidden>a<div hidden>b</div>c</div>d<div hidden></div>e", "de", "abc"),
        ("<ul><li>a<li hidden>b<li>c</ul>", "ac", "b"),
        ("a<i hidden>b</i><div hidden>c<i hidden>d</i></div>", "a", "c"),
        # streamed parts of a page are shown by its script, whatever holds them back
        ("<div hidden id='S:3'>a</div><div hidden id=S3>b</div><p hidden id='B:0'>c", "a", "bc"),
        ("<div hidden id='S:3'>a<div hidden>b</div></div>", "a", "b"),
        ("<html hidden style='display:none'><body hidden style='visibility:hidden'>a", "a", ""),
        ("<div class=hidden>a</div><p class='x sr-only'>b</p><p class='visually-hidden'>c</p>d", "d", "abc"),
        ("<div class='hidden md:block'>a</div><div class='d-none d-lg-flex'>b</div>", "ab", ""),
        ("<div class='hidden-xs unhide'>a</div><div class='d-none'>b</div>", "a", "b"),
        # dialogues and popovers are left out, but those that hold the page
        ("<dialog>a</dialog><dialog class=x id=y>b</dialog><dialog open>c</dialog><div popover>d</div>e", "ce", ""),
        ("<div role=dialog>a</div><p aria-modal=true>b</p><p aria-modal=false>c</p><p role=alertdialog>d</p>e", "ce", ""),
        ("<div role=dialog aria-modal=true><main>a</main></div><dialog><h1>b</h1></dialog>c", "ac", "b"),
        # what unfolds, and what a search opens
        ("<p style='opacity:0; max-height: 0px; overflow:hidden'>a</p><p style='opacity:0'>b</p>c", "bc", "a"),
        ("<p style='opacity:0.5;height:0'>a</p><p style='line-height:0;opacity:0'>b</p>", "ab", ""),
        ("<div hidden=until-found>a</div><div hidden=hidden>b</div>", "a", "b"),
        # the same code for other programs
        ("<ul role=tablist><li role=tab>x</ul><div role=tabpanel hidden><pre>a</pre></div>", "", "a"),
        ("<div role=tabpanel hidden><pre><code>a</code></pre></div><div role=tabpanel hidden>b</div>", "a", "b"),
        (f"<div role=tablist><b role=tab>t</b><div role=tabpanel>{'a ' * 150}</div></div>", f"t{'a ' * 149}a", ""),
        # an element opens what is hidden
        ("<button aria-controls=x>t</button><div id=x hidden>a</div><div id=y hidden>b</div>", "a", "b"),
        ("<h2><button aria-controls=x></button></h2><p id=x class=d-none>a<p id=xx hidden>b", "a", "b"),
        ("<a aria-controls=x role=tab></a><p id=x style='display:none'>a<p id='' hidden>b", "a", "b"),
        ("<nav><a aria-controls=x></a></nav><div id=x hidden>a</div>", "", "a"),
        ("<div id=x hidden>a</div><button aria-controls=x>t</button>", "", "a"),
        ("<button aria-controls=x aria-haspopup=true></button><div id=x hidden>a</div>", "", "a"),
        ("<button aria-controls=x></button><div id=x role=dialog hidden>a</div>", "", ""),
        ("<div aria-controls=x><p id=x hidden>a<div hidden>b</div></div>", "a", "b"),
        ("<pre class='brush: html hidden live'>a</pre><p class='mw-jump-link'>b</p>c", "c", "ab"),
        ("<html class=hidden><body class=hide>a<span class=sr-only>b</span><i class='hidden sm:inline'>c</i>", "ac", ""),
    ],
)  # fmt: skip
def test_blocks_that_are_not_shown(html: str, shown: str, folded: str) -> None:
    document = dump_html(html)
    hidden = document.segments["flags"] & HIDDEN != 0
    assert "".join(s.text for s in document if not hidden[s.index]) == shown
    assert "".join(s.text for s in document if hidden[s.index]) == folded
    assert document.visible.tolist() == (~hidden).tolist()


def names(html: str, tag: str = "div") -> list[int]:
    """The hashed words of the class, id and role of the first such element."""
    document = dump_html(html)
    start = next(int(row["names"]) for row in document.elements if tags.TAGS[row["tag"]] == tag)
    size = int(document.names[start])
    return [int(word) for word in document.names[start + 1 : start + 1 + size]]


@pytest.mark.parametrize(
    ("html", "same"),
    [
        ("<div class='site-nav' id=main role=banner>", "<div class='site nav main banner'>"),
        ("<div class='siteNavBar'>", "<div class='site nav bar'>"),
        ("<div id=SITE_nav__2bar>", "<div role='site nav bar'>"),
        ("<div class='nav site nav Nav' id=nav role=site>", "<div class='nav site'>"),
        # words of one letter are none; beyond eight letters words are not told apart
        ("<div class='a b1 c-d nav'>", "<div class=nav>"),
        ("<div class=navigation>", "<div class=navigational>"),
        ("<div class='naïve'>", "<div class='na ve'>"),
        ("<div class='' id>", "<div>"),
    ],
)
def test_words_of_names(html: str, same: str) -> None:
    assert names(html) == names(same)
    assert len(names(html)) == len(set(names(html)))


def test_lists_of_names() -> None:
    assert names("<div>") == []
    assert len(names("<div class='nav bar' id=side>")) == 3
    assert names("<div class=nav>") != names("<div class=bar>")
    many = [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(80)]
    assert len(names(f"<div class='{' '.join(many)}' id='xyz'>")) == 32
    assert len(names(f"<div class='{' '.join(many[:31])}' id='{' '.join(many[31:])}'>")) == 32
    assert dump_html("<p>").names[0] == 0


def test_elements_of_one_class_share_a_list_but_not_the_words_of_ids() -> None:
    document = dump_html("<p class=aa id=bb>1<p class=aa>2<p class=aa role=cc>3<p class=aa>4<p>5")
    starts = document.elements["names"][document.elements["tag"] == tags.CODE["p"]].tolist()
    lists = [document.names[s + 1 : s + 1 + document.names[s]].tolist() for s in starts]
    one = names("<p class=aa>", "p")
    assert lists == [one + names("<p id=bb>", "p"), one, one + names("<p id=cc>", "p"), one, []]
    assert document.names[0] == starts[4] == 0
    assert starts[1] == starts[3]


def test_elements_say_what_class_id_and_role_say() -> None:
    document = dump_html(
        "<div class='site-nav big' id=mainContent><p role=navigation class=xyz>a</p></div><footer>"
    )
    cues = {
        tags.TAGS[row["tag"]]: set(tags.bit_names(int(row["cues"]), tags.CUES)) for row in document.elements
    }
    assert cues["div"] == {"navigation", "main", "content"}
    assert cues["p"] == {"navigation"}
    assert cues["body"] == cues["footer"] == set()


def test_hashes_of_words_are_those_that_models_were_trained_with() -> None:
    """The structure model has a weight for each of these numbers, shifted right by two bits. When they change, so
    does HASHES_VERSION, and the structure model is trained again with scripts/train_models.py; hybrids with a
    structure model of their own are to be trained again by whoever has them."""
    assert HASHES_VERSION == 1
    assert names("<div class='siteNav main-content'>") == [53326, 16486, 55103, 38203]
    assert names("<div class=NAV id=Footer2 role=complementary>") == [16486, 52405, 42527]
    assert names("<div class='navigation navigational a'>") == [24092]


@pytest.mark.skipif(sys.byteorder != "little", reason="styles are hashed eight bytes at a time")
def test_hashes_of_styles() -> None:
    """Styles are only compared with each other, so that other numbers here ask for no training."""
    document = dump_html(
        "<div class='siteNav main-content'></div><section></section><div class=nav></div><p class=nav>"
    )
    assert document.elements["style"].tolist()[2:] == [0x4BF6F6B7, 0x4EF23226, 0x487AE628, 0xEB35E362]


def test_same_style_same_hash() -> None:
    document = dump_html(
        "<div class=a></div><div class=a></div><div class=b></div><p class=a></p><div></div>"
    )
    styles = document.elements["style"].tolist()[2:]
    assert styles[0] == styles[1]
    assert len(set(styles)) == 4


def test_str_and_bytes_and_encodings() -> None:
    assert dump_html("żółw").text == dump_html("żółw".encode()).text == "żółw\n"
    document = dump_html("<p>żółw".encode("iso-8859-2"), content_type="text/html; charset=iso-8859-2")
    assert (document.text, document.encoding) == ("żółw\n", "iso-8859-2")
    assert dump_html("żółw".encode("iso-8859-2"), encoding="latin2").text == "żółw\n"
    assert dump_html("\udc80a").text.endswith("a\n")


def test_deep_pages_are_walked_without_recursion() -> None:
    document = dump_html("<span>" * 3000 + "deep")
    assert document.text == "deep\n"
    assert document.dropped_tags == 0


@pytest.mark.untraced
def test_nothing_of_a_flattened_page_is_lost() -> None:
    words = [f"w{number}" for number in range(30_000)]
    document = dump_html("".join(f"<div>{word}" for word in words), limits=Limits(nesting=100))
    assert document.text.split() == words
    assert document.dropped_tags > 29_000
    assert document.elements["depth"].max() < 110


# tokens -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "tokens", "behind"),
    [
        # html, head, /head, body before; /body, /html behind
        ("<body>one two</body>", [(4, 2)], 2),
        ("", [], 6),
        ("<p>one<p>two three", [(5, 1), (2, 2)], 3),
        # a word counts where it begins
        ("<p>one<b>two</b> three</p>", [(5, 1), (1, 0), (1, 1)], 3),
        ("<p>one <b>two</b>three <i> </i> four", [(5, 1), (1, 1), (1, 0), (2, 1)], 3),
        # void elements are one tag
        ("<meta a><link b><title>t</title>x<br>y<hr>z<wbr>w<img src=i>v", [(8, 1), (1, 1), (1, 1), (1, 0), (1, 1)], 2),
        ("a<base>b<bgsound>c<keygen>d<basefont>e<input>f<area>g", [(4, 1), *[(1, 0)] * 4, (1, 1), (1, 0)], 2),
        # what is left out counts with all that is in it
        ("a<script>b<p></script>c<style>d</style>", [(4, 1), (2, 0)], 4),
        ("a<svg><g><path/><link/></g><title>t</title></svg>b", [(4, 1), (9, 1)], 2),
        ("a<select><option>b<option>c</select><button>d<i>e</i><img></button>f", [(4, 1), (11, 1)], 2),
        ("a<i hidden>b<b>c</b><br></i>d<img hidden>e<wbr hidden>f", [(4, 1), (5, 0), (1, 0), (1, 0)], 2),
        ("a<template><p>b</p></template>c", [(4, 1), (2, 0)], 2),
        ("a<p hidden>b</p>c", [(4, 1), (1, 1), (1, 1)], 2),
        ("<h2><button>a<i>b</i></button>", [(6, 1), (1, 0)], 5),
        # the tags that a page implies are tags of the tree
        ("<table><td>a<tr><td>b", [(8, 1), (4, 1)], 6),
        # text that is cut into runs by lines has no tags between them
        ("<pre>a b\n\nc\n d</pre>", [(5, 2), (0, 2)], 3),
        ("<pre>a<br><br>b</pre>", [(5, 1), (2, 1)], 3),
        ("<p>a.<br>b<br><br>c", [(5, 1), (1, 1), (2, 1)], 3),
        # comments, empty text and unknown names
        ("<p><!-- c --> <o:p></o:p> <x-y>a</x-y>", [(8, 1)], 4),
    ],
)  # fmt: skip
def test_tokens(html: str, tokens: list[tuple[int, int]], behind: int) -> None:
    document = dump_html(html)
    assert document.runs[["tags", "words"]].tolist() == tokens
    assert document.tags_behind == behind


def test_alternative_text_stands_behind_its_tag() -> None:
    document = dump_html("<p>a<img alt='b c'><img alt=''>d<img>", alt_text=True)
    assert document.runs[["tags", "words"]].tolist() == [(5, 1), (1, 2), (1, 1)]
    assert document.tags_behind == 4


def test_void_elements_are_those_that_the_parser_writes_without_an_end_tag() -> None:
    for name in sorted({*tags.TAGS[2:], *tags.VOID}):
        for html in (f"<{name}>", f"<frameset><{name}>", f"<table><{name}>", f"<table><tr><{name}>"):
            tree = LexborHTMLParser(html)
            assert tree.root is not None
            if any(node.tag == name for node in tree.root.traverse()):
                assert (f"</{name}>" not in str(tree.html)) == (name in tags.VOID)
                break
        else:
            assert name == "image"


# any page -----------------------------------------------------------------------------------------


def walked(html: bytes, alt_text: bool = False) -> Document:
    builder = Builder(64)
    _walk.walk(LexborHTMLParser(html), builder, alt_text)
    return Document(builder.tables())


NAMES = st.sampled_from(
    [
        *tags.TAGS[2:],
        *sorted(tags.VOID),
        "x-y",
        "o:p",
        "a-name-of-more-than-sixteen",
        "math",
        "mi",
        "mo",
        "mfrac",
        "annotation",
        "annotation-xml",
        "mjx-container",
        "g",
        "text",
    ]
)
ATTRIBUTES = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "class",
                "id",
                "role",
                "hidden",
                "style",
                "alt",
                "lang",
                "href",
                "data-x",
                "CLASS",
                "type",
                "encoding",
                "alttext",
            ]
        ),
        st.sampled_from(
            [
                "",
                "nav",
                "siteNav-menu",
                "display:none",
                "color: red",
                "S:1",
                "main",
                "en",
                "a b  c",
                "ü",
                "sr-only",
                "display: flex",
                "math/tex",
                "application/x-tex",
                "x^2",
                "katex-html",
                "MathJax x",
                "MathJax_Preview",
                "mwe-math-mathml-inline",
                "mwe-math-fallback-image-inline",
                "tex",
            ]
        ),
    ),
    max_size=4,
).map(lambda pairs: "".join(f' {name}="{value}"' if value else f" {name}" for name, value in pairs))
TEXTS = st.sampled_from(["", " ", "\n", "\n\n", "word", "Name", "Two Names", "12", ".", "(x", "two words ", "  x", "é\u00a0ü", "世界", "&amp;", "&nbsp;", "\x01", "\u200b", "<", ">", "<!-- c -->", "\ufeff", "-->", "]]>", "\t"])  # fmt: skip
PIECES = st.one_of(TEXTS, st.builds("<{}{}>".format, NAMES, ATTRIBUTES), st.builds("</{}>".format, NAMES))
PAGES = st.lists(PIECES, max_size=40).map("".join)


@example("<svg><link><g>a</svg><math><wbr>b<style><b>c</math><br></br><image>", True)
@given(html=PAGES, alt_text=st.booleans())
def test_every_tag_of_the_tree_is_counted_once(html: str, alt_text: bool) -> None:
    tree = LexborHTMLParser(html)
    builder = Builder(64)
    _walk.walk(tree, builder, alt_text)
    document = Document(builder.tables())
    assert tree.root is not None
    elements = [node.tag for node in tree.root.traverse() if node.is_element_node]
    total = sum(1 if tag in tags.VOID else 2 for tag in elements)
    assert document.runs["tags"].sum() + document.tags_behind == total
    owners = document.runs["segment"]
    words = np.bincount(owners, document.runs["words"], len(document)).astype(int)
    assert words.tolist() == document.segments["words"].tolist()


def test_what_is_left_out_is_counted_without_recursion() -> None:
    runs = walked(b"a<svg>" + b"<g>" * 20_000 + b"</svg>b").runs
    assert runs[["tags", "opened", "closed"]].tolist() == [(4, 3, 1), (40_002, 0, 0)]


@pytest.mark.untraced
def test_opened_and_closed_have_a_bound_and_tags_have_none() -> None:
    runs = walked(b"<i></i>" * 70_000 + b"a").runs
    assert runs[["tags", "opened", "closed"]].tolist() == [(140_004, 65535, 65535)]


# Long enough for blocks of bytes, with what changes at any place of them.
WORDS = st.sampled_from(["ferry", "  ", "x" * 31, *"a \n\x7f\x01\u00a0\u00ad\u2028\u3000éж中😀"])


@example("a" * 31 + "  " + "b" * 40)
@example("a" * 32 + " " + "b" * 31 + "\u00a0" + "c" * 40)
@given(text=st.lists(WORDS, max_size=60).map("".join))
def test_text_in_blocks_is_that_of_its_characters_one_by_one(text: str) -> None:
    whole, single = Builder(64), Builder(64)
    whole.text(text.encode())
    for character in text:
        single.text(character.encode())
    found, expected = Document(whole.tables()), Document(single.tables())
    assert found.data == expected.data
    columns = ["start", "end", "words", "chars"]
    assert found.segments[columns].tolist() == expected.segments[columns].tolist()


@given(html=st.binary(max_size=200))
def test_any_bytes_are_walked(html: bytes) -> None:
    walked(html.decode("utf-8", "replace").encode()).text.encode()


@given(html=PAGES)
def test_a_trace_has_each_node_once_and_all_text(html: str) -> None:
    tree, builder = LexborHTMLParser(html), Builder(64)
    noted = bytearray()
    _walk.walk(tree, builder, met=noted)
    met = np.frombuffer(noted, np.int64).reshape(-1, 4).tolist()
    texts = [(start, end) for _, what, start, end in met if what in (_walk.Met.TEXT, _walk.Met.PASSED)]
    assert all(one[1] <= two[0] for one, two in pairwise(texts))
    assert sum(what == _walk.Met.ENTERED for _, what, *_ in met) == sum(
        what == _walk.Met.LEFT for _, what, *_ in met
    )
    addresses = [address for address, what, *_ in met if what < _walk.Met.LEFT or what == _walk.Met.PASSED]
    assert len(set(addresses)) == len(addresses)
    assert tree.root is not None
    assert set(addresses) <= {node.mem_id for node in tree.root.traverse(include_text=True)}
    assert Document(builder.tables()).data == walked(html.encode()).data


def test_the_source_of_a_quotation_is_a_paragraph() -> None:
    document = dump_html("<blockquote><p>One.</p><footer>Two</footer></blockquote><footer>Three</footer>")
    assert [segment.path.split("/")[-1] for segment in document] == ["p", "p", "footer"]


def test_paragraphs_that_are_spans() -> None:
    # as Mintlify makes all of them
    document = dump_html('<div><span data-as="p">One <b>two</b>.</span><span data-as="p">Three.</span></div>')
    assert [(segment.text, segment.path) for segment in document] == [
        ("One two.", "html/body/div/p"),
        ("Three.", "html/body/div/p"),
    ]
    for attribute in ("data-as=b", "data-at=p", "class=p", "data-as"):
        assert len(dump_html(f"<div><span {attribute}>One.</span> <span {attribute}>Two.</span></div>")) == 1


@pytest.mark.slow
def test_nested_overlays_take_linear_time() -> None:
    document = dump_html("<div class=cli-modal>a" * 100_000, limits=Limits(nesting=4096))
    assert len(document) > 1_000


def test_a_page_that_is_too_large_in_utf_8_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    # a byte of windows-1252 may become three of UTF-8, and offsets have 32 bits
    monkeypatch.setattr("ncleaner.limits.MOST_BYTES", 200)
    body = b"<p>" + b"\x80" * 100
    with pytest.raises(InputError, match="the page has 303 bytes, more than the limit of 150"):
        dump_html(body, encoding="windows-1252", limits=Limits(bytes=150))
    with pytest.raises(InputError, match="the page has 303 bytes"):
        dump_text(body, encoding="windows-1252", limits=Limits(bytes=150))
    assert dump_html(body[:60], encoding="windows-1252", limits=Limits(bytes=150)).text == "€" * 57 + "\n"


@pytest.mark.untraced
@pytest.mark.parametrize("number", [2, 400, 3_000])
def test_shadow_roots_in_shadow_roots_take_linear_time(number: int) -> None:
    inside = "<x-a><template shadowrootmode=open><p>Root</p><slot></slot></template>"
    document = dump_html(inside * number + "<p>light</p>" * number)
    assert len(document) == 2 * number or number > 100
    assert dump_html(inside + "<b>light</b> " * 100_000).text.count("light") == 100_000
