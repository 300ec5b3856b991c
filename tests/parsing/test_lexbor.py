"""Pages that are parsed into the memory of the pages before them."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping import html as module
from ncleaner.dumping.html import dump_html
from ncleaner.parsing._lexbor import PARSES_AGAIN, Parsed, parsed, parsed_within_bounds

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "pages").glob("*.html"))
PIECES = st.sampled_from(
    "<p>|</p>|<b>|<b class=x id=y>|</b>|<table>|<tr>|<td>|</table>|<svg>|<g/>|</svg>|<x-y z=1>|<o:p>|<!-- c -->|<script>|"
    "</script>|<title>|</title>|<form>|</form>|<input>|<select>|<option selected>|</select>|<template>|</template>|<noscript>|</noscript>|"
    "<math>|<mi>|</math>|<html lang=en>|<body class=b>|<frameset>|<plaintext>|word |é&amp;|&nbsp;|\n|<a href=/x>|</a>|<"
    .split("|")
)  # fmt: skip
DOCTYPES = st.sampled_from(
    ["", "", "<!doctype html>", '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://x">',
     "<!DOCTYPE html SYSTEM 'about:legacy-compat'>", '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML//EN">']
)  # fmt: skip
PAGES = st.builds(
    lambda doctype, pieces: "".join((doctype, *pieces)).encode(), DOCTYPES, st.lists(PIECES, max_size=30)
)


@pytest.mark.skipif(not PARSES_AGAIN, reason="this build of selectolax does not export Lexbor's function")
def test_the_next_page_has_the_parser_of_the_last() -> None:
    first = parsed(b"<p>one")
    parser = first.parser
    second = parsed(b"<p>two")
    assert second.parser is not parser
    first.release()
    third = parsed(b"<p>three")
    assert third.parser is parser
    assert [node.text() for node in parser.css("p")] == ["three"]
    assert second.parser.css("p")[0].text() == "two"
    third.release()
    assert parsed(b"<p>four", again=False).parser is not parser


def test_a_tree_is_released_once() -> None:
    first = parsed(b"<p>one")
    first.release()
    second = parsed(b"<p>two")
    first.release()
    third = parsed(b"<p>three")
    assert third.parser is not second.parser
    assert [tree.parser.css("p")[0].text() for tree in (second, third)] == ["two", "three"]


def test_the_mode_of_a_page_is_its_own() -> None:
    table = b"<p>one<table><tr><td>two</table>"
    for page in (table, b"<!doctype html>" + table, table, b"<!doctype html>" + table):
        tree = parsed(page)
        assert (tree.parser.css_first("p > table") is None) == page.startswith(b"<!doctype")
        tree.release()


@given(st.lists(PAGES, max_size=6))
def test_no_page_knows_the_page_before_it(pages: list[bytes]) -> None:
    for page in pages:
        tree, alone = parsed(page), parsed(page, again=False)
        assert tree.parser.html == alone.parser.html
        tree.release()


@given(st.lists(PAGES, max_size=6))
def test_documents_are_those_of_new_parsers(pages: list[bytes]) -> None:
    found = [dump_html(page) for page in pages]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            module,
            "parsed_within_bounds",
            lambda html, nesting, tags, *_, **more: parsed_within_bounds(html, nesting, tags, False),
        )
        for page, document in zip(pages, found, strict=True):
            alone = dump_html(page)
            assert document.tables == alone.tables
            assert (document.title, document.lang) == (alone.title, alone.lang)


@pytest.mark.untraced
def test_threads_do_not_share_a_parser() -> None:
    pages = [path.read_bytes() for path in EXAMPLES]
    expected = [dump_html(page).tables for page in pages]
    wrong: list[int] = []

    def work() -> None:
        for _ in range(5):
            wrong.extend(i for i, page in enumerate(pages) if dump_html(page).tables != expected[i])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_tree_that_nobody_releases_is_freed() -> None:
    kept: list[Parsed] = [parsed(b"<p>one") for _ in range(20)]
    for tree in kept:
        tree.release()
    assert {parsed(b"<p>two").parser.css("p")[0].text() for _ in range(20)} == {"two"}


# A selectolax whose nodes have lost a name, and one without options.
RENAMED = """
import sys
import selectolax.lexbor as lexbor
Parser = lexbor.LexborHTMLParser
class Node:
    def __init__(self, node):
        self.node = node
    def __getattr__(self, name):
        if name == sys.argv[1]:
            raise AttributeError(name)
        if name == "traverse":
            return lambda *given, **named: map(Node, self.node.traverse(*given, **named))
        return getattr(self.node, name)
class Renamed(Parser):
    def __init__(self, html, **options):
        if options and sys.argv[1] == "options":
            raise TypeError("options")
        super().__init__(html, **options)
    @property
    def root(self):
        root = super().root
        return None if root is None else Node(root)
lexbor.LexborHTMLParser = Renamed
if sys.argv[1] in vars(lexbor):
    delattr(lexbor, sys.argv[1])
from ncleaner.dumping.html import dump_html
print(dump_html(b"<title>a</title><p>one<ul><li>two<li><b>three</b></ul>", facts=True).text.split())
"""


@pytest.mark.untraced
@pytest.mark.parametrize("name", ["LexborDocumentOptions", "options"])
def test_a_selectolax_with_other_names_takes_the_slower_way(name: str) -> None:
    found = subprocess.run(
        [sys.executable, "-P", "-c", RENAMED, name], capture_output=True, text=True, check=False
    )
    assert found.stdout == "['one', 'two', 'three']\n", found.stderr


@pytest.mark.untraced
def test_a_selectolax_with_other_nodes_is_refused() -> None:
    found = subprocess.run(
        [sys.executable, "-P", "-c", RENAMED, "tag_id"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1 and "ImportError: ncleaner cannot read the trees" in found.stderr


MEMORY = """
import psutil
from ncleaner.dumping.html import dump_html
names = [f"<x-{{0}}-{i} a-{{0}}-{i}=1>word</x-{{0}}-{i}>" for i in range(300)]
for number in range(400):
    dump_html("".join(names).format(number))
    if number in (100, 399):
        print(psutil.Process().memory_info().rss)
"""


@pytest.mark.untraced
def test_memory_does_not_grow_with_pages() -> None:
    # in a process of its own: other tests leave memory that is used again, or not
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    first, last = map(int, done.stdout.split())
    assert last - first < 2_000_000, (first, last)
