"""Spaces between texts that touch."""

from __future__ import annotations

import pytest

from ncleaner.dumping.html import dump_html

APART = [
    # whole elements next to each other, the characters as between words
    ("<p><span>Anna Bell</span><span>Editor</span>", "Anna Bell Editor"),
    ("<p><span>12.07.2011</span><span>Weather</span>", "12.07.2011 Weather"),
    # boxes beside each other
    ("<p style='display: flex'>north<b>nine</b>", "north nine"),
    ("<p class='row d-flex'><b>north</b><b>nine</b>", "north nine"),
    ("<p><time>12 July</time><a href=x>Sports</a>", "12 July Sports"),
    ("<p><span>Size</span><label>42</label>", "Size 42"),
    ("<p><span>Medium</span><span>(US 9)</span>", "Medium (US 9)"),
    ("<p><span>It works.</span><span>Every day.</span>", "It works. Every day."),
    ("<p><span>17</span><span>$14</span>", "17 $14"),
    ("<p><span>Home</span><span>\u203a</span><span>News</span>", "Home \u203a News"),
    # … and as inside a word, but the elements have different names
    ("<p><span class=value>alpha</span><span class=unit>beta</span>", "alpha beta"),
    ("<p><span class=name>alpha</span><time>beta</time>", "alpha beta"),
    ("<p><span style='display:inline-block'>product</span><span style='Display: Inline-Grid'>line</span>", "product line"),
    ("<p><span style='display: inline-flex'>product</span><span style='display:inline-block'>line</span>", "product line"),
    ("<p><span class=page>12</span><span class=page>13</span>", "12 13"),
    ("<p><span>CALL NOW</span><span>OR LATER</span>", "CALL NOW OR LATER"),
    ("<p><span><b><i>Anna Bell</i></b></span><span><u>Editor</u></span>", "Anna Bell Editor"),
    # an element beside bare text
    ("<p>All products<span class=new>New</span>", "All products New"),
    ("<p>Developer:<span>Acme</span>", "Developer: Acme"),
    ("<p>more options<span class='u-assistive'>for chairs</span>", "more options for chairs"),
    ("<p><span class='Visually-Hidden'>share</span>this", "share this"),
    ("<blockquote><cite>Ann Bell wrote:</cite>It works", "Ann Bell wrote: It works"),
    # formatting, if nothing else speaks for one word
    ("<p><strong>Luke</strong><span>Reviewed</span>", "Luke Reviewed"),
    # links
    ("<p><a href=/a>alpha</a><a href=/b>beta</a>", "alpha beta"),
    ("<p><a>alpha</a><a>beta</a>", "alpha beta"),
    ("<p><a href=#>alpha</a><a href=#>beta</a>", "alpha beta"),
    ("<p><a href=/a>alpha</a><span><b><a href=/b>beta</a></b></span>", "alpha beta"),
    ("<li><a href=/a>alpha</a><a href=/a>video</a>", "alpha video"),
    ("<p><a href=/a>Alpha</a><a href=/a>Beta</a>", "Alpha Beta"),
    # an image, a drawing or a control between
    ("<p>one<img src=x>two", "one two"),
    ("<p>one<svg><path/></svg>two<input>three<button>x</button>four", "one two three four"),
    ("<p><label>one<input></label><label>two</label>", "one two"),
    ("<p><span class=abcd>Tokyo</span><span class=efgh>日本</span>", "Tokyo 日本"),
]  # fmt: skip

ONE = [
    # formatting inside a word
    ("<p><span class=dropcap>T</span>he", "The"),
    ("<p><span class=dropcap>T</span><span class=rest>he</span>", "The"),
    ("<p>un<b>believ</b>able", "unbelievable"),
    ("<p><b>un</b><i>believ</i><u>able</u>", "unbelievable"),
    ("<p><font color=red>W</font><font>ord</font>", "Word"),
    ("<p>H<sub>2</sub>O, 12<sup>th</sup>, x<sup>2</sup>Y", "H2O, 12th, x2Y"),
    ("<p>word<sup><a href=#1>1</a></sup>", "word1"),
    ("<p><b>json:</b>Decoder", "json:Decoder"),
    ("<p><b>Get</b><b>Up</b>", "GetUp"),
    ("<p>long<wbr>word", "longword"),
    ("<p>inter\u00ad<span>national</span>", "international"),
    # what editors leave inside a word
    ("<p><span>wo</span><span>rd</span>", "word"),
    ("<p><span class=TextRun>wo</span><span class=TextRun>rd</span>", "word"),
    ("<p><span class=c1>wo</span><span class=c12>rd</span>", "word"),
    ("<p><span class=abcd style='color:red'>wo</span><span class=efgh>rd</span>", "word"),
    ("<p>x <span class=abcd>3</span><span class=efgh>rd</span> y", "x 3rd y"),
    ("<p>text <span class=abcd>wo</span><span class=efgh>rd</span>s", "text words"),
    ("<p><span class=a1>F</span><span class=b2>L</span><span class=c3>O</span>", "FLO"),
    ("<p>Our <a href=/a>case stud</a><a href=/a>ies</a>", "Our case studies"),
    ("<p><a href=/a>P</a><a href=/a>acking</a>", "Packing"),
    ("<p>You<span class=x>Tube</span>", "YouTube"),
    ("<p>one<span class=x>two</span>", "onetwo"),
    ("<p>one<a href=x>Two</a>three", "oneTwothree"),
    # marks
    ("<p><span class=abcd>one</span><span class=efgh>, two</span>", "one, two"),
    ("<p>(<a href=x>one</a>)", "(one)"),
    ("<p><a href=x>one</a><a href=y>.</a>", "one."),
    ("<p><span class=abcd>“</span><span class=efgh>Word</span><span>”</span>", "“Word”"),
    ("<p><span>1</span><span>/2</span>", "1/2"),
    # names and code
    ("<p><span class=abcd>json.</span><span class=efgh>Decoder</span>", "json.Decoder"),
    ("<p>std::<span>String</span>", "std::String"),
    ("<p><code><span class=abcd>one</span><span class=efgh>Two</span></code>", "oneTwo"),
    ("<pre><span class=abcd>one</span><span class=efgh>Two</span><a>x</a><a>y</a></pre>", "oneTwoxy"),
    # scripts that do not separate words
    ("<p><span>日本</span><span>語</span>の<a href=x>言葉</a>を", "日本語の言葉を"),
    ("<p>日本<img src=x>語", "日本語"),
    ("<p>ภาษา<b>ไทย</b><span>สวย</span>", "ภาษาไทยสวย"),
    # a hidden element, a script, an anchor
    ("<p>ch<span class=cursor></span>arge<script>x</script>d<i hidden>x</i>!", "charged!"),
    ("<p>ch<a name=x></a>arge", "charge"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "text"), APART + ONE, ids=[text for _, text in APART + ONE])
def test_joints(html: str, text: str) -> None:
    document = dump_html(html)
    assert document.text == f"{text}\n"
    assert document.runs["words"].sum() == document.segments["words"].sum() == len(text.split())


def test_a_space_stands_between_runs_and_belongs_to_none() -> None:
    document = dump_html("<p><span>Anna Bell</span><span>Editor</span>")
    assert document.runs[["start", "end", "words"]].tolist() == [(0, 9, 2), (10, 16, 1)]
    assert document.segments["chars"].tolist() == [14]


@pytest.mark.parametrize(("levels", "text"), [(15, "Anna Bell Editor\n"), (17, "Anna BellEditor\n")])
def test_the_search_for_the_element_around_both_is_bounded(levels: int, text: str) -> None:
    html = "<p>" + "<span>" * levels + "Anna Bell" + "</span>" * levels + "<span>Editor</span>"
    assert dump_html(html).text == text


@pytest.mark.untraced
def test_the_time_is_linear_in_joints() -> None:
    size = 100_000
    assert len(dump_html("<p>" + "<span>Ab</span>" * size).text) == 3 * size
    assert len(dump_html("<p>" + "<span class=x>Anna" * 400).text) == 4 * 400 + 1
    assert dump_html("<p>x" + "<i></i>\n" * size + "y").text == "x y\n"
