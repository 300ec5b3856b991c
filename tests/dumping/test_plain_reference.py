"""The compiled reader of plain text against the one in Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ncleaner.dumping.plain import dump_text

from . import plain_reference

# what lines consist of, and what they begin with
WORDS = st.sampled_from(
    ["a", "Ferry", "late", "again.", "the", "quay", "(12)", "渡轮", "晚了。", "Лодка", "опять", "½", "x" * 45, ">", "|", "--",
     "[INLINE]", "[IMG]", "[link]", "[logo.gif]", "[.gif]", "[USEMAP:a b]", "[12]", "\u3000", "\xa0", "e\u0301", "\t", "\f", "\x1c", "\r"]
)  # fmt: skip
BEGINNINGS = st.sampled_from(
    ["", "", "", " ", "   ", "\t", " \t", "\f", "\x0b", "* ", "  + ", "o\t", "• ", "·", "1. ", " 2) ", "  (iv)\t", " a. ", "> ",
     ">", ">> ", " > ", "> > ", "JD> ", "JD>", ">\t", "| ", "|", ">From ", "From: ", "Subject: ", "To:", "Note: ", "-- ", "--",
     "From a@b.example Mon Jan  1 10:00:00 2001", "From a at b Tue Feb 12 10:00 CET 1999 x", "From Mon "]
)  # fmt: skip
LINES = st.builds(lambda begin, words, end: begin + " ".join(words) + end, BEGINNINGS,
                  st.lists(WORDS, max_size=14), st.sampled_from(["", "", "", " ", "\t", "\x0c"]))  # fmt: skip
TEXTS = st.builds(
    lambda lines, end: end.join(lines), st.lists(st.one_of(LINES, st.just("")), max_size=25),
    st.sampled_from(["\n", "\r\n", "\r"]),
)  # fmt: skip


def compare(text: str, layout: str) -> None:
    utf8 = text.encode()
    # what is decoded as something else than UTF-8 is not compared here
    found = dump_text(text, layout=layout)
    expected = plain_reference.dump(utf8, layout)
    # fields of headers are not shown, which is newer
    rows = found.segments.copy()
    rows["flags"] = 0
    assert found.data == expected.data
    assert np.array_equal(found.runs, expected.runs)
    assert np.array_equal(rows, expected.segments)


@pytest.mark.parametrize("layout", ["lines", "wrapped"])
@settings(deadline=None)
@given(TEXTS)
@example("a\n> b\n\n>\nc")
@example("From: a\n\n>\n> b\n>\nc")
def test_lines_like_those_of_dumps(layout: str, text: str) -> None:
    compare(text, layout)


@pytest.mark.parametrize("layout", ["lines", "wrapped"])
@settings(deadline=None)
@given(st.text(st.sampled_from("ab A1.\n\r\t\f\x0b >|*-o:[]é\u3000—，。"), max_size=80))
def test_any_characters(layout: str, text: str) -> None:
    compare(text, layout)
