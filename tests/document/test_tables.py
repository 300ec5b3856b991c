from __future__ import annotations

import gc
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncleaner.document._tables import ELEMENT, MARK, RUN, SEGMENT
from ncleaner.document.kept import Kept
from ncleaner.document.tables import HIDDEN, PREFORMATTED, places_in_text, run_chars
from ncleaner.dumping.html import dump_html
from ncleaner.sinks.text import kept_text

from ..tables import with_tables

PAGES = sorted((Path(__file__).parents[2] / "examples" / "pages").glob("*.html"))
DOCUMENTS = {path.stem: dump_html(path.read_bytes()) for path in PAGES}
each = pytest.mark.parametrize("name", DOCUMENTS)


@pytest.mark.parametrize("dtype", [RUN, SEGMENT, ELEMENT, MARK])
def test_rows_have_no_padding(dtype: np.dtype[np.void]) -> None:
    assert dtype.names is not None
    assert dtype.itemsize == sum(dtype[name].itemsize for name in dtype.names)


def test_flags_are_those_of_compiled_code() -> None:
    document = dump_html("<p>a</p><pre>b</pre><p hidden>c</p><pre hidden>d")
    assert document.segments["flags"].tolist() == [0, PREFORMATTED, HIDDEN, PREFORMATTED | HIDDEN]


@each
def test_segments_cover_the_text(name: str) -> None:
    document = DOCUMENTS[name]
    lines = []
    at = 0
    for row in document.segments:
        assert row["start"] == at
        lines.append(document.data[row["start"] : row["end"]])
        at = row["end"] + 1
    assert b"".join(line + b"\n" for line in lines) == document.data


@each
def test_segments_count_right(name: str) -> None:
    for segment in DOCUMENTS[name]:
        assert segment.text
        assert segment.text.rstrip() == segment.text
        assert segment.chars == len(re.sub(r"\s", "", segment.text))
        # a sample page is either of a language with spaces, or in Japanese
        assert segment.words >= len(segment.text.split())
        assert name.endswith("-ja") or segment.words == len(segment.text.split())
        assert 0 <= segment.link_chars <= segment.chars
        assert segment.kind in "phl"


@each
def test_runs_tile_their_segments(name: str) -> None:
    document = DOCUMENTS[name]
    assert np.all(np.diff(document.runs["segment"]) >= 0)
    assert np.all(document.runs["start"] < document.runs["end"])
    for index, row in enumerate(document.segments):
        runs = document.runs[row["first_run"] : row["last_run"] + 1]
        assert set(runs["segment"]) == {index}
        assert runs["end"][-1] == row["end"]
        gaps = [
            document.data[a:b]
            for a, b in zip(runs["end"][:-1].tolist(), runs["start"][1:].tolist(), strict=True)
        ]
        assert all(not gap.strip() for gap in gaps)
        assert row["element"] == runs["element"][0]
        assert row["words"] == runs["words"].sum()


@each
def test_elements_form_a_tree_in_document_order(name: str) -> None:
    document = DOCUMENTS[name]
    elements = document.elements
    assert elements["parent"][0] == -1
    for index, row in enumerate(elements[1:], 1):
        parent = elements[row["parent"]]
        assert 0 <= row["parent"] < index
        assert row["depth"] == parent["depth"] + 1
        assert parent["first_run"] <= row["first_run"] <= row["last_run"] <= parent["last_run"]
        assert row["tags"] < parent["tags"]
    # what stands below an element is what its runs hold
    assert elements["last_run"][0] == len(document.runs)
    assert elements["chars"][0] == document.segments["chars"].sum()


@each
def test_names_are_lists_in_their_table(name: str) -> None:
    document = DOCUMENTS[name]
    assert document.names.dtype == np.uint16
    assert document.names[0] == 0
    starts = document.elements["names"]
    ends = starts + document.names[starts] + 1
    assert ends.max() <= len(document.names)
    assert document.names[starts].max() <= 32
    # lists that elements have are apart, or one and the same
    lists = np.unique(np.stack((starts, ends), 1), axis=0)
    assert np.all(lists[1:, 0] >= lists[:-1, 1])


@each
def test_runs_stand_in_their_elements(name: str) -> None:
    document = DOCUMENTS[name]
    for index, run in enumerate(document.runs):
        element = document.elements[run["element"]]
        assert element["first_run"] <= index < element["last_run"]


def test_views() -> None:
    document = dump_html("<h1>Head</h1><p>one <a href=x>two</a></p><ul><li>three")
    assert len(document) == 3
    assert [str(segment) for segment in document] == ["Head", "one two", "three"]
    assert document[-1].text == document[2].text == "three"
    assert document[1].path == "html/body/p"
    assert document[1].link_density == pytest.approx(3 / 6)
    assert [segment.index for segment in document[1:]] == [1, 2]
    assert [segment.index for segment in document] == [0, 1, 2]
    with pytest.raises(IndexError):
        document[3]
    with pytest.raises(IndexError):
        document[-4]
    assert document.text == "Head\none two\nthree\n"


def test_notebook_view_escapes() -> None:
    document = dump_html("<title>a &lt; b</title><p>1 &lt;script&gt; 2")
    shown = document._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "1 segment, 3 words" in repr(document)


def test_tables_are_read_only() -> None:
    document = dump_html("<p>a")
    with pytest.raises(ValueError, match="read-only"):
        document.segments["kind"][0] = 0


@each
def test_tables_can_be_made_of_arrays_and_pickled(name: str) -> None:
    document = DOCUMENTS[name]
    same = with_tables(document, segments=document.segments.copy())
    assert same.tables == document.tables
    assert same.text == document.text and len(same) == len(document)
    assert pickle.loads(pickle.dumps(document)).tables == document.tables
    fewer = with_tables(document, segments=document.segments[1:])
    assert fewer.tables != document.tables and len(fewer) == len(document) - 1


def test_arrays_of_a_page_cannot_be_changed_and_outlive_it() -> None:
    segments = dump_html("<p>one<p>two").segments
    gc.collect()
    assert segments["words"].tolist() == [1, 1]
    with pytest.raises(ValueError, match="read-only"):
        segments["words"] = 7
    assert dump_html("").elements["tag"].size == len(dump_html("").elements)
    assert dump_html("").segments.shape == (0,)


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        (np.ones(1, np.bool_), ValueError),
        (np.ones(99, np.bool_), ValueError),
        (np.ones(2, np.uint8), TypeError),
        (np.ones(2), TypeError),
        ([True, True], TypeError),
        (None, TypeError),
    ],
)
def test_a_mask_that_does_not_fit_is_an_error(mask: Any, error: type[Exception]) -> None:
    document = dump_html("<p>one<p>two")
    with pytest.raises(error, match="mask"):
        document.origin(mask)
    with pytest.raises(error, match="mask"):
        kept_text(document, Kept(mask))
    with pytest.raises(ValueError, match="3 values, but 2 runs"):
        document.sums(np.zeros(3))


def test_a_document_has_no_way_to_other_tables() -> None:
    # compiled code believes what they say of each other
    document = dump_html("<p>one<p>two")
    assert not hasattr(document, "with_tables")
    for name in ("runs", "segments", "elements", "names", "marks"):
        assert not getattr(document, name).flags.writeable


@pytest.mark.parametrize("word", ["harbour", "Hafenmöwe"])
def test_places_are_of_code_points(word: str) -> None:
    document = dump_html(f"<p>The <b>{word}</b> is calm.</p><p>{word}</p>")
    for table in (document.runs, document.segments):
        starts, ends = places_in_text(document, table)
        texts = [document.text[start:end] for start, end in zip(starts, ends, strict=True)]
        data = [document.data[start:end].decode() for start, end in table[["start", "end"]].tolist()]
        assert texts == data
    assert run_chars(document)[-1] == len(word)
