"""What rules change in the mask of a page: copies, other pages, first and last lines, tables, code, items, notes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.document.kept import KINDS
from ncleaner.document.tables import HIDDEN
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods._rules import (
    Judged,
    complete_heads,
    complete_lists,
    complete_tables,
    drop_copies,
    drop_hidden,
    drop_last_lines,
    drop_link_runs,
    drop_others,
    drop_references,
)
from ncleaner.methods.hybrid import finished
from ncleaner.modelling.hybrid import Judgement
from ncleaner.modelling.notices import shipped_notices


def completed(
    page: str | Document,
    removed: list[int],
    rule: Callable[[Judged], None] = complete_lists,
    scores: list[float] | None = None,
    article: float = 0,
) -> list[int]:
    """The segments that are still removed."""
    document = dump_html(page) if isinstance(page, str) else page
    mask = np.ones(len(document), bool)
    mask[removed] = False
    found = np.zeros(len(document)) if scores is None else np.array(scores, float)[: len(document)]
    rule(Judged(document, mask, found, article=article))
    return np.flatnonzero(~mask).tolist()


STEPS = "<h3>Steps</h3><p>Knead the dough, and let it rest."
BULLET = "<div data-block-type=bullet><div class=list-bullet>•</div><div>"
FLOUR = "<h3>Flour</h3><ul><li>300 g rye<li>salt<li>water</ul>"


@pytest.mark.parametrize(
    ("html", "score", "added"),
    [
        (FLOUR + STEPS, -1.5, True),
        (FLOUR + STEPS, -1.6, False),
        # a list of two, a list of links, hidden items, no text close after it
        (FLOUR.replace("<li>salt", "") + STEPS, 0, False),
        (FLOUR.replace("<li>salt", "<li><a href=/>salt</a>") + STEPS, 0, False),
        (FLOUR.replace("<li>salt", "<li hidden>salt") + STEPS, 0, False),
        (FLOUR + "<p>a<p>b<p>c" + STEPS, 0, False),
        (FLOUR, 0, False),
        # terms, rows
        ("<dl><dt>rye<dd>300 g<dt>salt<dd>some<dt>water<dd>warm</dl>" + STEPS, 0, False),
        ("<table><tr><td>rye<tr><td>salt<tr><td>water</table>" + STEPS, 0, True),
    ],
)
def test_a_list_before_text_is_added(html: str, score: float, added: bool) -> None:
    document = dump_html(html)
    removed = [
        i
        for i, text in enumerate(document.texts)
        if text not in ("Steps", "Knead the dough, and let it rest.")
    ]
    left = completed(html, removed, scores=[score] * len(document))
    gone = {"300 g rye", "rye", "salt", "water"} - {document.texts[i] for i in left}
    assert bool(gone & set(document.texts)) == added


@pytest.mark.parametrize(
    ("page", "score", "article", "added"),
    [
        ("<p>a b</p><h2>Notes</h2><ol><li>Log, page 12.<li>Log, page 80.</ol>", -2, 0.5, True),
        ("<p>a b</p><h2>Notes</h2><ol><li>Log, page 12.<li>Log, page 80.</ol>", -2.1, 0.5, False),
        ("<p>a b</p><h2>Notes</h2><ol><li>Log, page 12.<li>Log, page 80.</ol>", -2, 0.49, False),
        # blocks of an editor that begin with bullets
        (BULLET.join(("<p>a b</p>", "c</div></div>", "d</div></div>")), -2, 0.5, True),
        # one item, with headings, far from the text
        ("<p>a b</p><ol><li>Log, page 12.</ol>", 0, 1, False),
        ("<p>a b</p><ul><li><h3>c</h3><li><h3>d</h3></ul>", 0, 1, False),
        ("<p>a b</p><p>c<p>d<ol><li>Log, page 12.<li>Log, page 80.</ol>", 0, 1, False),
    ],
)
def test_a_list_after_the_text_of_an_article_is_added(
    page: str, score: float, article: float, added: bool
) -> None:
    document = dump_html(page)
    removed = [*range(1, len(document))]
    left = completed(document, removed, scores=[score] * len(document), article=article)
    assert (len(document) - 1 not in left) == added


def test_shown_lines_that_data_states_are_added() -> None:
    data = '<script type="application/ld+json">{"recipeIngredient": ["1 egg", "2 eggs", "3 eggs"]}</script>'
    page = f"{data}<p class=recipe>a b</p><p>1 egg</p><p>c</p><p hidden>2 eggs</p><p>3 eggs</p>"
    assert completed(page, [1, 2, 3, 4], scores=[-6, -6, -6, -6, -6.1]) == [2, 3, 4]


FIGURE = "<p>a b</p><figure><img src=a.png><figcaption>The boat at the pier, in May.</figcaption></figure>"


@pytest.mark.parametrize(
    ("page", "removed", "score", "article", "added"),
    [
        (f"{FIGURE}<p>c</p>", [1], -6, 0.5, True),
        (f"{FIGURE}<p>c</p>", [1], -6.1, 0.5, False),
        (f"{FIGURE}<p>c</p>", [1], 0, 0.49, False),
        # few words, hidden, after the text, no text before it
        (FIGURE.replace(" at the pier", "") + "<p>c</p>", [1], 0, 1, False),
        (FIGURE.replace("<figure", "<figure hidden") + "<p>c</p>", [1], 0, 1, False),
        (FIGURE, [1], 0, 1, False),
        (f"{FIGURE}<p>c</p>", [0, 1], 0, 1, False),
    ],
)
def test_captions_amid_the_text_of_an_article_are_added(
    page: str, removed: list[int], score: float, article: float, added: bool
) -> None:
    left = completed(page, removed, scores=[score] * 3, article=article)
    assert (1 not in left) == added


def test_plain_text_and_a_mask_and_scores_of_another_page() -> None:
    document = dump_text(f"{TEXT}\n\n{TEXT}\n\n" * 6)
    for rule in (
        complete_lists,
        complete_tables,
        drop_copies,
        drop_link_runs,
        drop_hidden,
        drop_others,
        drop_references,
    ):
        assert completed("", [], rule) == completed(document, [], rule, article=1) == []
    with pytest.raises(ValueError, match="does not fit"):
        Judged(document, np.ones(7, bool), np.zeros(7))
    with pytest.raises(ValueError, match="scores do not fit"):
        Judged(document, np.ones(len(document), bool), np.zeros(7))


PORTS = "<tr><th>Port<th>Ferry<th>Late<tr><td>Little Haven<td>X<td>12 minutes<tr><td>Great Haven<td>X<td>"


@pytest.mark.parametrize(
    ("table", "removed", "left"),
    [
        (f"<table>{PORTS}8 minutes</table>", [0, 1, 2, 4, 7], []),
        # more than half of the text is removed
        (f"<table>{PORTS}8 minutes</table>", [0, 3, 5, 6], [0, 3, 5, 6]),
        # a link, what is hidden, and a part of a cell
        (f"<table>{PORTS}<a href=/>edit</a></table>", [0, 8], [8]),
        (f"<table>{PORTS}<div hidden>8</div></table>", [0, 8], [8]),
        (f"<table>{PORTS}<p>8 minutes<p>more</table>", [0, 9], [9]),
        # the pieces of a layout
        ("<table><tr><td>Little Haven has a port<tr><td>X</table>", [1], [1]),
        (f"<table><tr><td>a<td>b<tr><td>c<td><table>{PORTS}8 minutes</table></table>", [0], [0]),
    ],
)
def test_a_kept_table_has_all_of_its_cells(table: str, removed: list[int], left: list[int]) -> None:
    assert completed(table, removed, complete_tables) == left


TEXT = "The ferry was late again, and nobody knew why."
STORY = f"<div><h1>Late again</h1>{f'<p>{TEXT}</p>' * 10}</div>"
LINK = "<li><a href=/>A long line about another ferry, which was late again this morning and will be late</a>"

TEASER = "<div class=story><h4><a href=/>Tides</a></h4><p>The tides are late</p></div>"


@pytest.mark.parametrize(
    ("html", "article", "gone"),
    [
        # before the text, after it, inside of it
        (f"<ul>{LINK * 8}</ul>{STORY}", 1, 0),
        (f"{STORY}<ul>{LINK * 8}</ul>", 0.49, 0),
        (f"{STORY}<ul>{LINK * 8}</ul>", 0.5, 8),
        (f"<div>{f'<p>{TEXT}</p>' * 6}<ul>{LINK * 8}</ul>{f'<p>{TEXT}</p>' * 6}</div>", 1, 0),
        # single links behind the text of a likely article
        (f"{STORY}<p><a href=/>Other ferries</a><h3><a href=/>Tides</a></h3>", 0.5, 2),
        (f"{STORY}<p><a href=/>Other ferries</a><h3><a href=/>Tides</a></h3>", 0.49, 0),
        (f"<p><a href=/>Other ferries</a></p>{STORY}", 1, 0),
        # and what is below them in three siblings
        (f"{STORY}{TEASER * 3}", 0.5, 6),
        (f"{STORY}{TEASER * 2}", 0.5, 0),
        (f"{STORY}{TEASER.replace('<a href=/>Tides</a>', 'Tides') * 3}", 0.5, 0),
        (f"{STORY}<p>Tides</p><p>The tides are late.</p>", 0.5, 0),
        # many of them do not make the block of the text larger, but long ones, and those of many parts, are text
        (f"{STORY}{TEASER.replace('late', TEXT * 3) * 9}", 0.5, 18),
        (f"{STORY}{TEASER.replace('late', TEXT * 12) * 9}", 0.5, 0),
        (f"{STORY}{TEASER.replace('late', 'late<p>a<p>b<p>c') * 9}", 0.5, 0),
        # pages of links, with and without a few words
        (f"<ul>{LINK * 50}</ul>", 1, 0),
        (f"<div><p>{TEXT}</div><ul>{LINK * 50}</ul>", 1, 0),
        ("", 1, 0),
    ],
)
def test_runs_of_links_beside_an_article_go(html: str, article: float, gone: int) -> None:
    assert len(completed(html, [], drop_link_runs, article=article)) == gone


CHINESE = "今天早上两岛之间的渡船又晚点了，谁也不知道为什么。"


def kept(html: str, mask: list[bool] | None = None) -> list[bool]:
    document = dump_html(html)
    removed = completed(
        document, [] if mask is None else np.flatnonzero(~np.array(mask)).tolist(), drop_copies
    )
    return [row not in removed for row in range(len(document))]


@pytest.mark.parametrize("text", [TEXT, CHINESE])
def test_a_copy_of_another_style_goes(text: str) -> None:
    assert kept(f"<p class=wide>{text}</p><p class=narrow>{text}</p><p>x</p>") == [True, False, True]
    assert kept(f"<div class=tab><p>{text}</p></div><div><p>{text.upper()} *</p></div>") == [True, False]


def test_a_teaser_that_breaks_off_is_no_copy() -> None:
    long = f"{TEXT} Those who had come early stood on the pier for an hour."
    assert kept(f"<p class=teaser>{long[:70]}…</p><p>{long}</p>") == [True, True]


def test_copies_of_one_style_stay() -> None:
    assert kept(f"<p>{TEXT}</p><p>x</p><p>{TEXT}</p>") == [True, True, True]


def test_short_segments_and_code_may_stand_twice() -> None:
    assert kept("<p class=a>Ferry to the islands</p><p>Ferry to the islands</p>") == [True, True]
    assert kept(f"<pre class=a>{TEXT}</pre><pre>{TEXT}</pre>") == [True, True]


def test_only_what_is_kept_counts() -> None:
    assert kept(f"<p class=a>{TEXT}</p><p>{TEXT}</p>", [False, True]) == [False, True]
    assert kept(f"<p class=a>{TEXT}</p><p>{TEXT}</p>", [True, False]) == [True, False]


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("© 2024 Harbour Society. All rights reserved.", True),
        ("Copyright (c)1998 Harbour Society", True),
        ("(C) 2024", True),
        ("Powered by <a href=x>Lantern</a>", True),
        ("Click <a href=x>here</a> to return to the first page.", True),
        ("Follow us on <a href=x>Lantern</a> and Lamp", True),
        ("Search:", False),
        ("Powered by wind, the ferry takes two hours to the island and three hours back in winter.", False),
        ("本文仅代表作者个人观点，不代表本网立场。", True),
        ("記事・写真の無断転載を禁じます。", True),
        ("Harbour Verlag. Alle Rechte vorbehalten.", True),
        ("© Harbour Society", False),
        ("Copyright 2024 by the agency", False),
        ("© 24", False),
        ("© 2024 is a sign and a year, and a sentence of more than twelve words may follow it.", False),
    ],
)
def test_a_last_line_about_the_site_goes(line: str, goes: bool) -> None:
    page = f"<p>The ferry sails.</p><div>{line}</div><p>Home"
    assert completed(page, [2], drop_last_lines) == ([1, 2] if goes else [2])
    assert completed(page, [0, 2], drop_last_lines) == [0, 2]
    assert completed(page, [], drop_last_lines) == []
    assert completed("", [], drop_last_lines) == []


FIRST = "<article><h1>Late again</h1><p>The ferry was late.</article>"
SECOND = "<article><header><h1>Salt</h1></header><p>The bakers went on strike.<p>It was late.</article>"


@pytest.mark.parametrize("between", ["", "<p>Next</p>", "</div><p>Next</p><div>"])
def test_another_article_goes(between: str) -> None:
    page = f"<div>{FIRST}{between}{SECOND}</div>"
    for title, gone in (("Late again", 3), ("Late again - Pier Post", 3), ("Pier Post", 0)):
        document = dump_html(f"<title>{title}</title>{page}")
        kinds = np.array([0.9 if name == "article" else 0.01 for name in KINDS])
        judgement = Judgement(np.ones(len(document), bool), np.zeros(len(document)), kinds)
        mask, _found = finished(document, judgement, shipped_notices())
        assert np.flatnonzero(~mask).tolist() == [*range(len(document) - gone, len(document))]


def test_other_articles_stay_without_a_headline_in_one() -> None:
    # no headline in an article, no heading of its rank in the other one, no article
    for html in (
        f"<h1>Late again</h1><p>a{SECOND}",
        FIRST + SECOND.replace("h1", "h2"),
        "<h1>Late</h1><p>a",
        "",
    ):
        assert completed(f"<title>Late again</title>{html}", [], drop_others, article=1) == []


def test_several_last_lines_go() -> None:
    page = "<p>The ferry sails.<p>© 2024 Harbour<p>Powered by Lantern"
    assert completed(page, [], drop_last_lines) == [1, 2]
    assert completed("<p>© 2024 Harbour<p>Powered by Lantern", [], drop_last_lines) == []


def test_the_way_to_the_page_goes() -> None:
    def without(html: str) -> list[int]:
        return completed(html, [], drop_references)

    page = "<p><a href=/>Home</a> > <a href=/n>News</a> > The ferry</p><p>Home > News</p><h1>The ferry is late</h1>"
    text = "<p>The ferry sails <a href=/h>here</a> > there.</p>"
    assert without(page + text) == [0]
    assert without(page.replace(" > ", ", ")) == []
    assert without(text) == without("") == []


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("<b>Read more:</b> <a href=/y>Who pays for the dyke?</a>", True),
        ("<a href=/y>➡️ Subscribe to our channel to be the first to know</a>", True),
        ("Lea también: <a href=/x>El puerto cierra en marzo</a>", True),
        ("<a href=/x>Читайте также: Паром снова опоздал</a>", True),
        ("<a href=/x>【延伸阅读】渡船又晚点了</a>", True),
        ("<a href=/x>À lire aussi</a>", True),
        (
            "Read more of such stories in the yearbook of the harbour, which has all of them: <a href=/y>yearbook</a>",
            False,
        ),
        # an appeal, with a link or without
        ("Sign up for our newsletter: all of the harbour, each Friday.", True),
        ("✉ Suscríbete a nuestro boletín <a href=/x>aquí</a>.", True),
        ("The captain asked the crew to sign up for our newsletter.", False),
        ("<a href=/y>Who pays for the dyke?</a>", False),
        ("<a href=/y>!</a>", False),
    ],
)
def test_lines_that_lead_to_other_pages_go(line: str, goes: bool) -> None:
    def gone(words: int, article: float) -> list[int]:
        page = f"<p>{'word ' * words}.</p><p>{line}</p><p>It was late.</p>"
        return completed(page, [], drop_references, article=article)

    assert gone(150, 0.5) == [1] * goes
    assert gone(100, 0.5) == gone(150, 0.49) == []


def test_what_heads_kept_text_stays() -> None:
    def without(html: str, removed: list[int], scores: list[float] | None = None) -> list[int]:
        return completed(html, removed, complete_heads, scores)

    page = "<p>a</p><h2>b</h2><p>c</p><h2><a href=/>d</a></h2><p>e</p><h3>f</h3><h4>g</h4><div><p>h</p></div>"
    assert without(page, [1]) == [] and without(page, [5, 6]) == []
    boxed = "<p>a</p><h2><div><div>b</div></div></h2><p>c</p><h2><div><div><div>d . .</div></div></div></h2><p>e</p>"
    assert without(boxed, [1]) == []
    # it is a link, or hidden; nothing near is kept before it, or nothing below it
    assert without(page, [3]) == [3]
    assert without("<p>a<h2 hidden>b</h2><p>c", [1]) == [1]
    assert without("<p>a<p>b<p>c<h2>d</h2><p>e", [1, 2, 3]) == [1, 2, 3]
    assert without(page, [1, 2]) == [1, 2] and without(page, [6, 7]) == [6, 7]
    # a link to its own place is none
    assert without("<p>a<h2><a href=#b>b</a></h2><p>c", [1]) == []
    # terms, titles of what is folded, a heading in a box of its own
    assert without("<p>a<dl><dt>b<dd>c<dt>d<dd>e f</dl>", [1, 3, 4]) == [3, 4]
    assert without("<p>a<details><summary>b</summary><p>c</details><p>d", [1]) == []
    assert without("<p>a<form><fieldset><legend>b</legend><p>c</fieldset></form>", [1]) == []
    assert without("<p>a<div><div><h2>b</h2></div></div><p>c", [1]) == []
    # at least half of the words up to the next one of its rank
    assert without("<p>a<h2>b</h2><p>c<p>d d.<h2>e</h2><p>f f f", [1, 3, 4]) == [1, 3]
    assert without("<p>a<h2>b</h2><p>c c.<p>d d.<h2>e</h2><p>f", [1, 3]) == [3]
    assert without("<p>a<h2>b</h2><p>c<h3>d</h3><p>e e", [1, 3, 4]) == [1, 3, 4]
    # surely none, or a byline
    low = "<p>a<h2>b</h2><p>c", "<p>a<p>x<h2>b</h2><p>c"
    assert without(low[0], [1], [0, -4.9, 0]) == [] and without(low[0], [1], [0, -5.1, 0]) == [1]
    assert without(low[1], [1, 2], [0, -2, -4.9, 0]) == [1] and without(low[1], [1, 2], [0, 0, -5.1, 0]) == [
        1,
        2,
    ]
    assert without("<h2>a</h2>", [0]) == [0] and without("", []) == []


@pytest.mark.parametrize(
    ("first", "stays"), [("Planting garlic", True), ("It was late, and nobody came:", False)]
)
def test_the_first_line_of_a_text_heads_it(first: str, stays: bool) -> None:
    document = dump_text(
        f"{first}\n\nThe cloves go into the ground in autumn.\n\nAnother line\n\nThey need room."
    )
    assert completed(document, [0, 2], complete_heads) == [2] if stays else [0, 2]


def test_the_first_sentence_below_the_headline_stays() -> None:
    def without(html: str, removed: list[int], score: float = -1.5) -> list[int]:
        return completed(f"<title>Pumps</title><h1>Pumps</h1>{html}", removed, complete_heads, [score] * 9)

    steps = "<ol><li>Open the lid.<li>Close it.</ol>"
    lead = "<p>Switch it off before you begin."
    assert without(lead + steps, [1]) == [] and without(lead + steps, [1], -1.7) == [1]
    # a line, a link, a byline, too far from the text, no text below it
    link = "<p><a href=/>Switch it off before you begin.</a>"
    for html in ("<p>Switch it off, before you", link, "<p class=author>By Ann Lee of the pumps."):
        assert without(html + steps, [1]) == [1]
    assert without(f"{lead}<p>a<p>b<p>c<p>d{steps}", [*range(1, 6)]) == [*range(1, 6)]
    assert without(lead + steps, [1, 2, 3]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Previous message: <a href=1.html>[boats] Paint</a>", True),
        ("Last edited by Ann; 12 May at 9:15 AM.", True),
        ("→ Отредактировано: Анна", True),
        ("The last message: it was late.", False),
        (f"Last edited by Ann, {'who was late, ' * 10}", False),
    ],
)
def test_lines_of_programs_go(line: str, goes: bool) -> None:
    assert completed(f"<h1>Late</h1><p>{line}<p>It was late again.", [], drop_references) == [1] * goes


def test_hidden_text_goes_beside_much_other_text() -> None:
    text = f"<p>{'word ' * 60}.</p>"
    for hidden, goes in (
        ("<div hidden>Log in to go on.</div>", True),
        (f"<div hidden>{'more ' * 35}.</div>", False),
        ("<h3>Tools</h3><div hidden>A hammer.<p>A saw.</div>", False),
        ("<p>Is it late?</p><div hidden>Yes.</div>", False),
        ("<p>Then:</p><div hidden>Yes.</div>", False),
        ("<p>It was late.</p><div hidden>Yes.</div>", True),
    ):
        gone = completed(text + hidden, [], drop_hidden)
        document = dump_html(text + hidden)
        assert gone == (np.flatnonzero(document.segments["flags"] & HIDDEN).tolist() if goes else [])
    assert completed("<p>word word<div hidden>a b</div>", [], drop_hidden) == []
    assert completed(f"{text}<h3>Tools</h3><div hidden>A hammer.", [1], drop_hidden) == [1, 2]
    assert completed("", [], drop_hidden) == []
