"""Parts of a page that come at its end are read at their places, instead of what stands in for them."""

import pytest

from ncleaner.dumping.html import dump_html

PAGES = [
    ("<p>a</p><!--$?--><template id=B:1></template><i>b</i><!--/$-->c<div hidden id=S:1><p>d</div>", ["a", "d", "c"]),
    # a stand-in with parts of its own, and a part with a place
    ("<b>a</b><!--$?--><template id=B:0></template><!--$-->b<!--/$-->c<!--/$--> d<div hidden id=S:0>"
     "<template id=P:a></template>e</div><p>g</p><div hidden id=S:a>h</div>", ["ahe d", "g"]),
    # without an end, what stands in stays, as does a part without a place, and one that has its place inside
    ("<i>x</i><template id=B:1></template>ab<!--$--><p>c</p><div hidden id=S:1>d</div>", ["xdab", "c"]),
    ("<template id=B:1></template>a<div hidden id=S:2>b</div><div hidden id=S:>c</div>", ["a", "b", "c"]),
    ("<p>a</p><div hidden id=S:1>b<template id=B:1></template>c</div>", ["a", "bc"]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "texts"), PAGES)
def test_parts_that_come_later(html: str, texts: list[str]) -> None:
    assert dump_html(html).texts == texts


@pytest.mark.parametrize("number", [3, 500, 2_000])
@pytest.mark.parametrize("step", [1, -1])
def test_parts_inside_of_parts(number: int, step: int) -> None:
    parts = [f"<div hidden id=S:{i:x}>{i}: <template id=P:{i + 1:x}></template></div>" for i in range(number)]
    document = dump_html("<p>Start <template id=B:0></template></p>" + "".join(parts[::step]), sources=True)
    # beyond the bounds, they stay at the end
    assert sorted(" ".join(document.texts).split()) == sorted(["Start", *(f"{i}:" for i in range(number))])
    assert document.sources is not None and (document.sources.starts > 0).all()
    assert number > 3 or document.texts == ["Start 0: 1: 2:"]
