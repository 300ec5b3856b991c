"""What a page says of itself: the compiled walk finds the same as selectolax."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from ncleaner.document import _facts, facts
from ncleaner.document.facts import facts_of
from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.document.tables import Fact

PIECES = [
    "<meta name=author content='Ann Lee'>", "<meta content>", "<META NAME=Date CONTENT=2024-01-01 itemprop=x>",
    "<meta property='og:title' name=title content='The &amp; ferry'>", "<link rel=canonical href=/a>",
    "<link rel=stylesheet href=/x.css>", "<link rel=LICENSE href=/l>", "<link href=/x itemprop=url>",
    "<script type='application/ld+json'>{\"a\": 1}</script>", "<script>no</script>", "<script type=ld+json></script>",
    "<time>May</time>", "<time datetime=2024-05-01 class=published>May</time>", "<time datetime>May 2</time>",
    "<b itemprop=author><i>Ann</i> <u>Lee</u><script>x</script></b>", "<img itemprop=image src=a.png>",
    "<span itemprop=name content=Ben>no</span>", "<a rel=author href=/ann>Ann</a>", "<a class=byline>By Ann</a>",
    "<a href=https://creativecommons.org/licenses/by/4.0/>licence</a>", "<a rel=license href=/l>licence</a>",
    "<div class='post Author-name'>", "<p class=byLine>", "<p class=authorit", "<p class='xbylin author'>", "</div>", "text",
    "<p class=you>", "é", "<!-- author -->", "<table><tr><td class=author>", "<svg><title class=author>x</title></svg>",
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12))
def test_the_compiled_walk_finds_what_selectolax_finds(pieces: list[str]) -> None:
    assert _facts.COMPILED
    parser = LexborHTMLParser("".join(pieces))
    assert _facts.collect(parser) == facts._collected(parser)


def test_what_counts() -> None:
    page = (
        "<meta name=author content='Ann Lee'><meta name=empty content><meta name=viewport>"
        "<link rel='stylesheet' href=a.css><link rel='shortlink canonical' href=/ferry>"
        "<script type=application/ld+json>[1]</script><p class='by-line'>no<p class='c-Byline'>By <b>Ben</b> Moss</p>"
    )
    assert facts_of(LexborHTMLParser(page)) == [
        Fact("meta", "author", "Ann Lee"),
        Fact("link", "shortlink canonical", "/ferry"),
        Fact("data", "", "[1]"),
        Fact("author", "c-Byline", "By \nBen Moss"),
    ]


@pytest.mark.parametrize("compiled", [True, False])
def test_bounds(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_facts, "COMPILED", compiled)
    many = facts_of(LexborHTMLParser("<meta name=a content=b>" * 600))
    assert len(many) == 512
    long = "ä" * 3_000
    data = "x" * 1_000_001
    found = facts_of(
        LexborHTMLParser(
            f"<meta name=a content={long}><script type=ld+json>{data}</script><time>{long}</time><time>"
            + "<b>x</b>" * 90
        )
    )
    assert [(fact.kind, len(fact.value.replace("\n", ""))) for fact in found] == [
        ("meta", 1_000), ("time", 200), ("time", 40),
    ]  # fmt: skip
    assert facts_of(LexborHTMLParser("")) == []


def test_documents_have_them_where_they_are_asked_for() -> None:
    page = b"<meta charset=koi8-r><meta name=author content='\xe1\xce\xce\xc1'><p>x"
    assert dump_html(page).facts is None
    assert dump_html(page, facts=True).facts == (Fact("meta", "author", "Анна"),)
    assert dump_text("By Ann Lee").facts == ()
