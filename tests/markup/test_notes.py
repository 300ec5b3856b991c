"""Footnotes."""

from __future__ import annotations

import pytest

from .rendering import clean_html, markdown

SUP = "<p>Late<sup><a href='#fn1' id=ref1>1</a></sup> again.</p>"
PAGES = [
    (SUP + "<ol><li id=fn1>Since May. <a href='#ref1'>↩</a></ol>", "Late[^1] again.\n\n[^1]: Since May."),
    # a list that has other items, too
    (SUP + "<ol><li id=fn1>Since May.<li>Other.</ol>", "Late[^1] again.\n\n[^1]: Since May.\n\n2. Other."),
    # the id is that of the paragraph, or of an anchor
    (SUP + "<ol><li><p id=fn1>Since May.<p>And June.</ol>", "Late[^1] again.\n\n[^1]: Since May.\n\n    And June."),
    (SUP + "<p><a name=fn1></a>Since May.", "Late[^1] again.\n\n[^1]: Since May."),
    (SUP + "<div id=fn1><p>Since May.</div>", "Late[^1] again.\n\n[^1]: Since May."),
    # the number of the note is not written twice
    (SUP + "<p id=fn1><a href='#ref1'>[1]</a> Since May.", "Late[^1] again.\n\n[^1]: Since May."),
    (SUP + "<aside id=fn1><span>[1]</span><p>Since May.</aside>", "Late[^1] again.\n\n[^1]: Since May."),
    # in brackets, or by the name of the note
    ("<p>Late <a href='#x'>[7]</a>.<ol><li id=x>Since May.</ol>", "Late [^7].\n\n[^7]: Since May."),
    ("<p>Late <a href='#fn:a'>a</a>.<p id='fn:a'>Since May.", "Late [^a].\n\n[^a]: Since May."),
    ("<p>Late <a href='#x'>7</a>.<p id=x>Since May.", "Late 7.\n\nSince May."),
    # two references to one note, one label for two notes
    ("<p>a<sup><a href='#x'>1</a></sup> b<sup><a href='#x'>1</a></sup><p id=x>c", "a[^1] b[^1]\n\n[^1]: c"),
    ("<p>a<sup><a href='#x'>*</a></sup> b<sup><a href='#y'>*</a></sup><p id=x>c<p id=y>d",
     "a[^1] b[^2]\n\n[^1]: c\n\n[^2]: d"),
    ("<p>a<sup><a href='#x'>1</a></sup> b<sup><a href='#y'>1</a></sup><p id=x>c<p id=y>d",
     "a[^1] b[^1-2]\n\n[^1]: c\n\n[^1-2]: d"),
    # no note: before the reference, in a block whose place it would leave, nowhere
    ("<p id=x>c<p>a<sup><a href='#x'>1</a></sup>", "c\n\na<sup>1</sup>"),
    (SUP + "<blockquote><p id=fn1>Since May.</blockquote>", "Late<sup>1</sup> again.\n\n> Since May."),
    (SUP, "Late<sup>1</sup> again."),
    # several in one block, by anchors
    (SUP + "<p>June<sup><a href='#b'>2</a></sup>.<p><a name=fn1><sup>1</sup></a> Since May. <a href='#'>↩</a><br><br>"
     "<a name=b><sup>2</sup></a> Since 1998.",
     "Late[^1] again.\n\nJune[^2].\n\n[^1]: Since May.\n\n[^2]: Since 1998."),
    # by the address of the page, whose links back go to the references
    ("<p>Late<sup><a href='p.html#n1' id=r1>1</a></sup>.<p id=n1><sup><a href='p.html#r1'>1</a></sup> Since May.",
     "Late[^1].\n\n[^1]: Since May."),
    ("<p>Late<sup id=r1><a href='#n1'>[1]</a></sup>.<ol><li id=n1>^ <a href='#r1'>a</a> Since May.</ol>",
     "Late[^1].\n\n[^1]: Since May."),
    # the number is a part of the text
    ("<p>Late<a href='#note1'>1</a>.<p id=note1>1. Since May.", "Late[^1].\n\n[^1]: Since May."),
    ("<p>Late<a href='#note1'>1</a>.<p id=note1>1.5 miles.", "Late[^1].\n\n[^1]: 1.5 miles."),
    ("<p>Late<span>&nbsp;[<a href='#nb1' id=nh1>1</a>]</span>.<div id=nb1><p><span>[<a href='#nh1'>1</a>]&nbsp;</span>Since May.</div>",
     "Late[^1].\n\n[^1]: Since May."),
    # brackets and commas around several
    ("<p>Late <cite>[<a href='#bib1'>1</a>, <a href='#bib2'>2</a>]</cite>.<p id=bib1>[1] Since May.<p id=bib2>June.",
     "Late[^1] [^2].\n\n[^1]: Since May.\n\n[^2]: June."),
    # a comma before one belongs to the text, and the label of a second one to nobody
    ("<p>Late <i>x</i>,<sup><a href='#n1'>1</a></sup> and <cite>[<a href='#b1'>1</a>]</cite>.<p id=n1>1. May.<p id=b1>[1] June.",
     "Late *x*,[^1] and[^1-2].\n\n[^1]: May.\n\n[^1-2]: June."),
    # a bracket around more than references
    ("<p>Late (Lee <cite><a href='#bib1'>1999</a>; Fox <a href='#bib2'>2001</a>)</cite>.<ul><li id=bib1>May.<li id=bib2>June.</ul>",
     "Late (Lee [^1999]*; Fox* [^2001]*)*.\n\n[^1999]: May.\n\n[^2001]: June."),
    # a mark of LaTeXML whose note is elsewhere
    ("<p>Ann<span class='ltx_note ltx_role_footnotemark'><sup>1</sup><span class=ltx_note_outer>footnotemark: 1</span></span>.", "Ann."),
    # a bracket that opens behind a reference
    ("<p>Late<sup><a href='#x'>[1]</a></sup><sup>[<i>by whom?</i>]</sup>.<p id=x>Since May.",
     "Late[^1]<sup>[*by whom?*]</sup>.\n\n[^1]: Since May."),
    # a list of links to sections
    ("<p>The <a href='#do'>do</a>, <a href='#if'>if</a>, <a href='#x'>while</a> loops.<p id=if>Since May.",
     "The do, if, while loops.\n\nSince May."),
    # raised numbers without links
    ("<p>Late.<sup>1</sup><p>June.<sup>2</sup><hr><p><sup>1</sup> Since May.<p><b><sup>2</sup> Note:</b> since 1998.",
     "Late.[^1]\n\nJune.[^2]\n\n[^1]: Since May.\n\n[^2]: **Note:** since 1998."),
    # and a note that is named after its number, as in a wiki whose links are scripts
    ("<p>Late<sup><a id=footnoteref-1 href='javascript:;'>1</a></sup>.<div id=footnote-1><a href='javascript:;'>1</a>. Since May.</div>",
     "Late[^1].\n\n[^1]: Since May."),
    # notes inside of the text, with a number before them or in them, or with none
    ("<p>Late.<label class=margin-toggle></label><input><span class=sidenote>Since May.</span> Again.<span class=marginnote>June.</span><p>a",
     "Late.[^1] Again.[^2]\n\n[^1]: Since May.\n\n[^2]: June.\n\na"),
    ("<p>Late.<label class=footref>3</label><input><span class=sidenote><sup>3</sup> Since <i>May</i>.</span> a",
     "Late.[^3] a\n\n[^3]: Since *May*."),
    ("<p>Late<span class=ltx_note><sup>1</sup><span class=ltx_note_outer><span><sup>1</sup><span>1</span>Since May.</span></span></span>.",
     "Late[^1].\n\n[^1]: Since May."),
    ("<p><b>Late</b><span class=sidenote>Since May.</span>", "**Late**[^1]\n\n[^1]: Since May."),
    ("<ul><li>Late<span class=sidenote>Since May.</span></ul>", "- Late\n\n  Since May."),
    # no text that it belongs to
    ("<p><span class=sidenote>Since May.</span> Late.", "Since May. Late."),
    ("<p>Late.<label class=margin-toggle>⊕</label><span class=marginnote>Since May.</span>", "Late.[^1]\n\n[^1]: Since May."),
    ("<p>E = mc<sup>2</sup><p id=part-2>Since May.", "E = mc<sup>2</sup>\n\nSince May."),
    ("<p id=fn2>Since May.<p>E = mc<sup>2</sup>", "Since May.\n\nE = mc<sup>2</sup>"),
    # powers; a raised number that no reference has; one that stands before its reference
    ("<p>r<sup>2</sup> and m<sup>3</sup>.<p><sup>2</sup>H is heavy.", "r<sup>2</sup> and m<sup>3</sup>.\n\n<sup>2</sup>H is heavy."),
    ("<p>Late.<sup>1</sup><p><sup>2</sup> Since May.", "Late.<sup>1</sup>\n\n<sup>2</sup> Since May."),
    ("<p><sup>1</sup> Since May.<p>Late.<sup>1</sup>", "<sup>1</sup> Since May.\n\nLate.<sup>1</sup>"),
    # text that looks like one
    ("<p>a[^1] b<p>[^1]: c", "a\\[^1] b\n\n\\[^1\\]: c"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), PAGES)
def test_notes(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_the_heading_of_notes_goes() -> None:
    html = SUP + "<h2>Notes</h2><ol><li id=fn1>Since May.</ol>"
    assert markdown(html) == "Late[^1] again.\n\n[^1]: Since May."
    assert (
        markdown(html + "<h2>More</h2><p>Other.") == "Late[^1] again.\n\n[^1]: Since May.\n\n# More\n\nOther."
    )
    assert markdown(html + "<p>Other.") == "Late[^1] again.\n\n# Notes\n\n[^1]: Since May.\n\nOther."
    assert "<h1>Notes</h1>" in clean_html(html)


def test_a_note_without_its_reference_is_text() -> None:
    html = SUP + "<ol><li>First.<li id=fn1>Since May.</ol>"
    assert markdown(html, [2]) == "2. Since May."


REMOVED = [
    ("<ol><li>First.<li id=fn1>Since May. <a href='#ref1'>↩</a></ol>", True),
    ("<p id=fn1><a href='#ref1'>[1]</a> Since May.", True),
    ("<h2>Notes</h2><div class=x><p><sup><a id=fn1 href='#ref1'>1</a></sup> Since May.</div>", True),
    # a legal footer, but not one of an article
    ("<footer><p id=fn1>1. Since May.</footer>", False),
    ("<article><footer><p id=fn1>1. Since May.</footer></article>", True),
]


@pytest.mark.parametrize(("note", "comes"), REMOVED)
def test_a_removed_note_of_kept_text_comes_back(note: str, comes: bool) -> None:
    wanted = "Late[^1] again.\n\n[^1]: Since May." if comes else "Late<sup>1</sup> again."
    assert markdown(SUP + note, [0]) == wanted


def test_a_removed_block_needs_the_form_of_a_note() -> None:
    page = "<p>Late <a href='#x'>[1]</a>.<p id=x>{}Since May."
    assert markdown(page.format("1. "), [0]) == "Late [^1].\n\n[^1]: Since May."
    assert markdown(page.format(""), [0]) == "Late [1]."


def test_a_removed_note_keeps_its_links() -> None:
    note = "<ol><li id=fn1>Since <a href='http://h/may'>May</a>.</ol>"
    assert markdown(SUP + note, [0], links=True) == "Late[^1] again.\n\n[^1]: Since [May](http://h/may)."


@pytest.mark.parametrize("kept", [[0], None])
@pytest.mark.parametrize(
    "note",
    [
        "<dl><dt id=id5><span><a href='#ref1'>1</a></span></dt><dd><p>Since May.</p></dd></dl>",
        "<table id=id5><tbody><tr><td><a href='#ref1'>[1]</a></td><td>Since May.</td></tr></tbody></table>",
        "<aside id=id5><span>[<a href='#ref1'>1</a>]</span><p>Since May.</p></aside>",
    ],
)
def test_notes_of_docutils(note: str, kept: list[int] | None) -> None:
    reference = "<p>Late<sup><a href='#id5' id=ref1>1</a></sup> again.</p>"
    assert markdown(reference + note, kept) == "Late[^1] again.\n\n[^1]: Since May."


def test_notes_in_html() -> None:
    assert clean_html(PAGES[0][0]) == (
        '<p>Late<sup><a href="#note-1">1</a></sup> again.</p>\n<ol>\n<li id="note-1">Since May.</li>\n</ol>\n'
    )


def test_notes_inside_of_text_as_html() -> None:
    page = "<p>Late.<span class=sidenote>Since May.</span>"
    assert (
        clean_html(page)
        == '<p>Late.<sup><a href="#note-1">1</a></sup></p>\n<div id="note-1">Since May.</div>\n'
    )
