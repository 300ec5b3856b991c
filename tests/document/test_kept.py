"""What a mask keeps, against the same in Python."""

from __future__ import annotations

import json
import re

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document._kept import (
    counts_of,
    json_of,
    number_kept,
    sums_of,
    text_of,
    text_of_row,
    thousandths,
    with_zone,
    without,
    words_of,
    words_of_row,
)
from ncleaner.document.kept import Kept, lines_of
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.text.words import UNSPACED

from ..outputs import document
from ..tables import with_tables

TEXTS = st.lists(
    st.one_of(st.text(max_size=30), st.sampled_from(['"', "\\", "\x00\x1f", "a\nb\tc", "\x7f\x80", "漢字", ""])),
    max_size=6,
)  # fmt: skip


@st.composite
def pages(draw: st.DrawFn) -> tuple[list[str], Document, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    texts = draw(TEXTS.map(lambda found: [text.encode("utf-8", "replace").decode() for text in found]))
    page = document(*texts, kinds="".join(draw(st.sampled_from("phl")) for _ in texts))
    return (
        texts,
        page,
        np.array(draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), bool),
    )


@given(pages())
def test_text_json_and_lines(
    given_page: tuple[list[str], Document, np.ndarray[tuple[int], np.dtype[np.bool_]]],
) -> None:
    texts, page, mask = given_page
    kept = [text for text, keeps in zip(texts, mask, strict=True) if keeps]
    assert text_of(page.tables, mask) == "\n".join(kept).encode()
    assert json_of(page.tables, mask) == orjson.dumps("\n".join(kept))
    assert json.loads(json_of(page.tables, mask)) == "\n".join(kept)
    kinds = page.segments["kind"][mask].tolist()
    lines = [f"<{chr(kind)}>{text.replace(chr(10), ' ')}\n" for kind, text in zip(kinds, kept, strict=True)]
    assert lines_of(page, Kept(mask)) == "".join(lines).encode()
    marks = np.full(len(texts), ord("l"), np.uint8)
    assert lines_of(page, Kept(mask, marks=marks)) == "".join(f"<l>{line[3:]}" for line in lines).encode()


def test_sums() -> None:
    page = dump_html("<p>one two <a href=x>three</a><p>four<p><a href=x>five six</a>")
    assert sums_of(page.tables, np.array([True, False, True])) == (18, 12)
    assert sums_of(dump_html("").tables, np.zeros(0, bool)) == (0, 0)
    assert counts_of(page.tables, np.array([True, False, True])) == (2, 5, 6)
    assert counts_of(dump_html("").tables, np.zeros(0, bool)) == (0, 0, 0)


def words_in_python(text: str) -> int:
    """As `words_of`, by patterns."""
    found = 0
    for word in re.findall(r"[^ \t-\r]+", text):
        letters = [each for each in re.findall(f"[{UNSPACED}]", word) if each.isalpha()]
        others = re.sub(f"[{re.escape(''.join(letters))}]", " ", word) if letters else ""
        runs = "".join(each if each.isalnum() else " " for each in others).split()
        found += len(letters) + len(runs) if letters else 1
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one two, three", 3),
        ("“One” – two…", 3),
        ("渡し船は五月末まで運航します。", 14),
        ("2019年のiPhone 15を買う。", 8),
        ("ไปตลาด", 6),
        ("นี้", 1),
        ("한국어는 띄어쓰기를 한다", 3),
        ("木 one", 2),
        ("。", 1),
        ("", 0),
    ],
)
def test_words_as_readers_count_them(text: str, words: int) -> None:
    page = dump_html(f"<p>{text}<p>a b")
    assert words_of(page.tables).tolist() == ([words, 2] if text else [2])
    assert words_in_python(text) == words
    assert [segment.words for segment in page] == words_of(page.tables).tolist()


@given(
    st.lists(
        st.text(st.one_of(st.sampled_from("aZ1é.,。、・々ー木です가ไ้၏ភ  \n"), st.characters()), max_size=12),
        max_size=4,
    )
)
def test_words_of_any_text(texts: list[str]) -> None:
    page = dump_text("\n\n".join(texts).encode("utf-8", "replace"))
    found = words_of(page.tables)
    assert found.tolist() == [words_in_python(text) for text in page.texts]
    assert [words_of_row(page.tables, row) for row in range(len(page))] == found.tolist()
    mask = np.arange(len(page)) % 2 == 0
    assert counts_of(page.tables, mask) == (mask.sum(), found[mask].sum(), found.sum())
    for row in (-1, len(page)):
        with pytest.raises(IndexError):
            words_of_row(page.tables, row)


def test_segments_without_flags_and_their_number() -> None:
    page = dump_html("<p>one<pre>two</pre><p hidden>three<pre hidden>four</pre>")
    flags = page.segments["flags"]
    assert flags.tolist() == [0, 1, 2, 3]
    for chosen in range(4):
        mask = without(page.tables, chosen)
        assert mask.dtype == bool and mask.tolist() == (flags & chosen == 0).tolist()
        assert number_kept(page.tables, mask) == mask.sum()
        # it belongs to the caller
        mask[:] = False
        assert number_kept(page.tables, mask) == 0
    # every other byte of an array
    assert number_kept(page.tables, np.repeat(flags < 2, 2)[::2]) == 2
    assert without(dump_html("").tables, 1).tolist() == []


def test_masks_that_do_not_fit() -> None:
    page = dump_html("<p>one<p>two")
    for function in (text_of, json_of, sums_of, counts_of, number_kept):
        with pytest.raises(ValueError, match="does not fit"):
            function(page.tables, np.ones(3, bool))


@given(pages(), st.data())
def test_a_zone_is_kept_or_removed(
    given_page: tuple[list[str], Document, np.ndarray[tuple[int], np.dtype[np.bool_]]], data: st.DataObject
) -> None:
    texts, page, mask = given_page
    zones = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    table = page.segments.copy()
    table["zone"] = zones
    page = with_tables(page, segments=table)
    before = mask.tolist()
    in_zone = np.array(zones, int) == 2
    assert with_zone(page.tables, mask, 2, True).tolist() == (mask | in_zone).tolist()
    assert with_zone(page.tables, mask, 2, False).tolist() == (mask & ~in_zone).tolist()
    assert mask.tolist() == before
    changed = with_zone(page.tables, mask, 2, True)
    assert with_zone(page.tables, changed, 2, True) is changed


def test_a_zone_of_a_mask_of_another_size() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        with_zone(document("one").tables, np.zeros(2, bool), 1, True)


def test_the_empty_bytes_of_all_stay_empty() -> None:
    page = document("")
    assert text_of(page.tables, np.array([True])) == b""
    # Python reads a byte behind the end here, and raises an error if it is not 0
    assert compile(b"", "empty", "exec") is not None


@given(pages())
def test_text_of_row(
    given_page: tuple[list[str], Document, np.ndarray[tuple[int], np.dtype[np.bool_]]],
) -> None:
    texts, page, _ = given_page
    assert [text_of_row(page.tables, row) for row in range(len(texts))] == texts
    for row in -1, len(texts):
        with pytest.raises(IndexError):
            text_of_row(page.tables, row)


@given(st.lists(st.one_of(st.floats(0, 1), st.integers(0, 2_000).map(lambda half: half / 2_000))))
def test_probabilities_have_three_decimal_places(numbers: list[float]) -> None:
    probabilities = {str(place): number for place, number in enumerate(numbers)}
    assert thousandths(probabilities) == {name: round(number, 3) for name, number in probabilities.items()}
