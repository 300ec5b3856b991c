"""The guard that bounds the parser's work: which pages it bounds or mends, and which it lets through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.parsing._lexbor import PARSES_AGAIN, costs, parsed, parsed_within_bounds

from .test_lexbor import PAGES

TAGS = 450_000

pytestmark = pytest.mark.skipif(
    not PARSES_AGAIN, reason="this build of selectolax does not export Lexbor's functions"
)

STOPPED = {
    "nesting": b"<div>" * 4_100,
    "look-ups": b"<div>" * 4_000 + b"<p>a</p>" * 50_000,
    "formatting elements": b"<p>" + b"".join(b"<b id=%d>" % i for i in range(1_000)) + b"<p>a" * 1_000,
    "attributes of one tag": b"<p " + b" ".join(b"a%d" % i for i in range(1_001)) + b">a",
    "attributes of the page": b"".join(b"<p %s>" % b" ".join(b"a%d" % i for i in range(900)) for _ in range(112)),
    "unknown names": b"".join(b"<x-%d>a</x-%d>" % (i, i) for i in range(50_001)),
    "attributes of the root": b"".join(b"<body %s>" % b" ".join(b"a%d" % (90 * i + j) for j in range(90)) for i in range(200)),
    "options": b"<select>" + b"<option>a" * 12_000,
    "text that is joined": b"<p>" + b"a</zz>" * 150_000,
    "text in a table": b"<table>" + b"word<tr>" * 60_000,
    "title": b"<title>Page<p>a",
    "script": b"<p>a<script>if (1 < 2) {",
    "noscript that leaves a block open": b"<p>a<noscript><div>b</noscript>c",
    "noscript that leaves a link open": b"<div>a<noscript><a href=/>b</noscript>c</div>",
    "noscript whose end is in a comment": b"<p>a<noscript><!-- b </noscript>c",
    "noscript whose end is in a script": b"<p>a<noscript><script>b </noscript>c",
    "noscript whose end is in an attribute": b"<p>a<noscript><img alt='</noscript>'>c",
    "noscript with a frameset": b"<noscript><frameset></frameset></noscript><p>a",
}  # fmt: skip

PASSED = {
    "nesting": b"<div>" * 4_000 + b"a",
    "a large page": b"<p><a href=/x class=y id=z>a</a> <b>b</b> c</p>" * 20_000,
    "attributes of one tag": b"<p " + b" ".join(b"a%d" % i for i in range(999)) + b">a",
    "title": b"<title>Page</title><p>a",
    "title in svg": b"<svg><title>a</svg><p>b",
    "plaintext": b"<p>a<plaintext>b",
    "noscript": b"<p>a<noscript><img src=b></noscript>c",
    "noscript in the head": b"<head><noscript><img src=b></noscript><title>a</title></head><p>c",
    "noscript with whole blocks": b"<div>a<noscript><div><p>b<p>c</div><ul><li>d</ul></noscript>e</div>",
    "noscript that never ends": b"<p>a<noscript><div>b",
    "noscript that ends a paragraph": b"<div><p>a<noscript></p></noscript>b</div>",
    "noscript in deep nesting": b"<div>" * 300 + b"<noscript>a</noscript>",
    "tags of the root": b"<body class=a>" * 200,
    "empty": b"",
}


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("name", STOPPED)
def test_stopped(name: str) -> None:
    found = costs(STOPPED[name], tags=TAGS)
    thinned = name.startswith(("attributes of one", "attributes of the page", "unknown"))
    assert found["bounding"] or found["mending"] or thinned
    assert found["read"] > len(STOPPED[name]) or thinned
    # the next page is not the worse for it
    tree = parsed_within_bounds(b"<p>next")
    assert tree.parser.html == "<html><head></head><body><p>next</p></body></html>"


@pytest.mark.untraced
@pytest.mark.parametrize("name", PASSED)
def test_passed(name: str) -> None:
    found = costs(PASSED[name], tags=TAGS)
    assert not found["bounding"] and not found["mending"] and found["read"] == len(PASSED[name])
    assert parsed_within_bounds(PASSED[name]).parser.html == parsed(PASSED[name], again=False).parser.html


@pytest.mark.parametrize(
    "page",
    [
        b"<p>a" * 3_000,
        b"<!-- a -->" * 1_500,
        b"<p>" + b"".join(b"<i class=c%d>" % i for i in range(50)) + b"<p>a" * 100,
        # each end tag makes the parser copy what is open between
        b"<b a b c d e f>" + b"<i a=1 b c d e f><p>a</b>" * 30,
    ],
)
def test_a_tree_above_its_memory_is_bounded(page: bytes) -> None:
    assert not costs(page, tags=TAGS)["bounding"]
    assert costs(page, tags=1_000)["bounding"]


@pytest.mark.parametrize("name", ["nGt", "nLt"])
def test_references_that_grow_are_written_out(name: str) -> None:
    assert (
        parsed_within_bounds(f"<p>&{name};".encode()).parser.html
        == parsed(f"<p>&{name};".encode()).parser.html
    )


@given(st.lists(PAGES, max_size=4))
def test_trees_are_those_of_new_parsers(pages: list[bytes]) -> None:
    for page in pages:
        tree = parsed_within_bounds(page)
        if not costs(page)["mending"]:
            assert tree.parser.html == parsed(page, again=False).parser.html
        tree.release()
