"""What a page says of itself: the compiled walk finds the same as selectolax."""

from __future__ import annotations

import re
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from ncleaner.document.fact_names import NAMES
from ncleaner.document.tables import Fact
from ncleaner.dumping._builder import Builder
from ncleaner.dumping._walk import walk
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PIECES = [
    "<meta name=author content='Ann Lee'>", "<meta content>", "<META NAME=Date CONTENT=2024-01-01 itemprop=x>",
    "<meta property='og:title' name=title content='The &amp; ferry'>", "<link rel=canonical href=/a>",
    "<link rel=stylesheet href=/x.css>", "<link rel=LICENSE href=/l>", "<link href=/x itemprop=url>",
    "<script type='application/ld+json'>{\"a\": 1}</script>", "<script>no</script>", "<script type=ld+json></script>",
    "<time>May</time>", "<time datetime=2024-05-01 class=published>May</time>", "<time datetime>May 2</time>",
    "<b itemprop=author><i>Ann\n Moss</i> <u>Lee</u><script>x</script></b>", "<img itemprop=image src=a.png>",
    "<span itemprop=name content=Ben>no</span>", "<a rel=author href=/ann>Ann</a>", "<a class=byline>By Ann</a>",
    "<a href=https://creativecommons.org/licenses/by/4.0/>licence</a>", "<a rel=license href=/l>licence</a>",
    "<div class='post Author-name'>", "<p class=byLine>", "<p class=authorit", "<p class='xbylin author'>", "</div>", "text",
    "<p property=schema:dateCreated>", "<meta name='Robots viewport' content=noai>", "<b itemprop='offers'>1</b>",
    "<div itemprop=author><b><meta itemprop=NAME content=Ann></b><meta itemprop=nickname content=x></div>",
    "<div itemprop=Reviews>", "<div itemprop=comment>", "<p itemprop=suggestedAnswer>", "<p itemprop=reviewBody>",
    "<span class=sidenote>", "</span>", "<p class=you>", "é", "<!-- author -->", "<table><tr><td class=author>", "<svg><title class=author>x</title></svg>",
]  # fmt: skip


# as in _facts.pyx
_MOST, _VALUE, _TEXT, _DATA, _TEXT_NODES = 512, 2_000, 400, 1_000_000, 40
_READ = {name for names in NAMES.values() for name in names}
_NAMED = ("meta", "link", "item")
_AUTHOR = re.compile("[Aa]uthor|[Bb]y[Ll]ine")
_OTHERS = re.compile("(?:review|comment|.*answer)s?", re.IGNORECASE | re.ASCII | re.DOTALL)


def found_in(parser: LexborHTMLParser) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    walk(parser, Builder(), facts=found)
    return found


def facts_of(parser: LexborHTMLParser) -> list[Fact]:
    return [Fact(*each) for each in found_in(parser)]


def collected(parser: LexborHTMLParser) -> list[tuple[str, str, str]]:
    """Does the same as `walk` through selectolax."""
    root = parser.root
    if root is None:
        return []
    found: list[tuple[str, str, str]] = []
    for node in root.traverse():
        if len(found) == _MOST:
            break
        if (one := fact(node)) is not None:
            found.append(one)
    found = [read(one) for one in found]
    return [one for one in found if (one[1] if one[0] in _NAMED else one[0] != "data" or one[2])]


def read(one: tuple[str, str, str]) -> tuple[str, str, str]:
    """Leaves out names that nothing reads."""
    kind, names, value = one
    if kind in _NAMED:
        each = (name.removeprefix("schema:") for name in names.lower().split())
        names = " ".join(name for name in each if name in _READ)
    return kind, names, value


def fact(node: LexborNode) -> tuple[str, str, str] | None:
    tag = node.tag
    given = {name: value for name, value in node.attributes.items() if value is not None}
    if ("itemprop" in given or tag == "time") and is_of_others(node):
        return "data", "", ""
    if not node.attributes:
        return ("time", "", text_of(node)) if tag == "time" else None

    def names(*wanted: str) -> str:
        return " ".join(cut(given[name], _VALUE) for name in wanted if given.get(name))

    def value(name: str) -> str:
        return cut(given.get(name, ""), _VALUE)

    if tag == "meta":
        if "content" not in given:
            return None
        return "meta", names("name", "property", "itemprop", "http-equiv"), value("content")
    rel = given.get("rel", "").lower()
    if tag == "link":
        if "href" not in given or not ("canonical" in rel or "license" in rel):
            return None
        return "link", value("rel"), value("href")
    if tag == "script":
        if "ld+json" not in given.get("type", "").lower():
            return None
        text = node.text(deep=False)
        return "data", "", text if len(text.encode()) <= _DATA else ""
    if tag == "time":
        return "time", names("itemprop", "property", "class"), value("datetime") or text_of(node)
    if "itemprop" in given or "property" in given:
        item = value("itemprop") or value("property")
        for name in ("content", "datetime", *(["src"] if tag == "img" else [])):
            if name in given:
                return "item", item, value(name)
        text = text_of(node)
        return "item", item, text if text.strip() else named(node)
    if tag == "a":
        if "author" in rel:
            return "author", names("rel", "class"), text_of(node)
        if "license" in rel or "creativecommons.org/" in given.get("href", ""):
            return "licence", "", value("href")
    if _AUTHOR.search(given.get("class", "")):
        return "author", names("rel", "class"), text_of(node)
    return None


def is_of_others(node: LexborNode) -> bool:
    while (above := node.parent) is not None:
        if _OTHERS.fullmatch(above.attributes.get("itemprop") or ""):
            return True
        node = above
    return False


def named(node: LexborNode) -> str:
    within = islice((each for each in node.traverse() if each is not node), _TEXT_NODES)
    metas = (each.attributes for each in within if each.tag == "meta")
    return next(
        (each.get("content") or "" for each in metas if (each.get("itemprop") or "").lower() == "name"), ""
    )


def cut(text: str, most: int) -> str:
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore")


def text_of(root: LexborNode) -> str:
    parts: list[str] = []
    length = seen = 0
    node = root.child
    while node is not None and length < _TEXT and seen < _TEXT_NODES:
        into = True
        if node.is_text_node:
            text = node.text_content or ""
            parts.append(cut(text, _TEXT - length).replace("\n", " "))
            length += len(text.encode())
            seen += 1
        elif node.is_element_node:
            into = node.tag not in ("script", "style")
            parts.append("\n")
        if into and node.child is not None:
            node = node.child
            continue
        while node is not None and node != root and node.next is None:
            node = node.parent
        if node is None or node == root:
            break
        node = node.next
    return "".join(parts)


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12))
def test_the_compiled_walk_finds_what_selectolax_finds(pieces: list[str]) -> None:
    parser = LexborHTMLParser("".join(pieces))
    assert found_in(parser) == collected(parser)


def test_what_counts() -> None:
    page = (
        "<meta name='AUTHOR theme' content='Ann Lee'><meta name=empty content><meta name=theme content=dark>"
        "<link rel='stylesheet' href=a.css><link rel='shortlink canonical' href=/ferry>"
        "<script type=application/ld+json>[1]</script><p class='by-line'>no<p class='c-Byline'>By <b>Ben</b> Moss</p>"
    )
    assert facts_of(LexborHTMLParser(page)) == [
        Fact("meta", "author", "Ann Lee"),
        Fact("link", "canonical", "/ferry"),
        Fact("data", "", "[1]"),
        Fact("author", "c-Byline", "By \nBen Moss"),
    ]


def test_bounds() -> None:
    many = facts_of(LexborHTMLParser("<meta name=date content=b>" * 600))
    assert len(many) == 512
    long = "ä" * 3_000
    data = "x" * 1_000_001
    found = facts_of(
        LexborHTMLParser(
            f"<meta name=date content={long}><script type=ld+json>{data}</script><time>{long}</time><time>"
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
