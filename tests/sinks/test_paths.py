"""The path of a segment: the headings above it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.page import Page
from ncleaner.sinks.jsonl import JsonlSink
from ncleaner.sinks.sink import SinkOptions


def paths(html: str, left_out: tuple[str, ...] = (), removed: bool = False) -> list[tuple[str, str]]:
    """The text of each segment of a page, and its path."""
    document = dump_html(html)
    kept = Kept(np.array([text not in left_out for text in document.texts]))
    line = JsonlSink(SinkOptions(segments=True, removed=removed)).render(Page(b""), document, kept, True)
    return [(document.texts[each["index"]], each["path"]) for each in json.loads(line)["segments"]]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>a", [("a", "")]),
        (
            "<h1>A</h1><p>b</p><h2>C</h2><p>d</p><h3>E</h3><p>f</p><h2>G</h2><p>h</p><h1>I</h1><p>j",
            [("A", ""), ("b", "A"), ("C", "A"), ("d", "A > C"), ("E", "A > C"), ("f", "A > C > E"), ("G", "A"),
             ("h", "A > G"), ("I", ""), ("j", "I")],
        ),
        # a level may be missing, or come before those above it
        ("<h4>A</h4><p>b</p><h2>C</h2><h6>D</h6><p>e", [("A", ""), ("b", "A"), ("C", ""), ("D", "C"), ("e", "C > D")]),
        ("<h2><div><span> A \n b</span></div></h2><p>c", [("A b", ""), ("c", "A b")]),
    ],
)  # fmt: skip
def test_headings(html: str, found: list[tuple[str, str]]) -> None:
    assert paths(html) == found


def test_what_is_removed_heads_nothing() -> None:
    html = "<h1>A</h1><h2>B</h2><p>c c.</p><h2>D</h2><p>e"
    assert paths(html, ("B",)) == [("A", ""), ("c c.", "A"), ("D", "A"), ("e", "A > D")]
    assert paths(html, ("B", "c c."), removed=True)[1:3] == [("B", "A"), ("c c.", "A")]


def test_headings_without_a_tag_are_below_the_others() -> None:
    section = "<p><b>Section {}</b></p><p>The ferry sails until the end of May, the board says.</p>"
    found = dict(paths("<h1>A</h1><h6>B</h6>" + section.format("one") + section.format("two")))
    assert found["Section two"] == "A > B"
    assert found["The ferry sails until the end of May, the board says."] == "A > B > Section two"


def test_paths_are_bounded() -> None:
    html = (
        f"<h1>{'a ' * 10_000}</h1>"
        + "".join(f"<h{level}>{'b' * 5_000}</h{level}>" for level in range(2, 7))
        + "<p>c"
    )
    assert len(paths(html)[-1][1]) <= 6 * 203
