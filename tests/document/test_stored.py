from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import zstandard
from fuzz.targets import TARGETS
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document._stored import pack, unpack
from ncleaner.document.stored import restored, stored
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Page, TextLayout, page_of_stored, stored_head
from ncleaner.versions import DOCUMENTS

from ..tables import with_tables

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted((ROOT / "examples" / "pages").glob("*.html"))
PAGE = PAGES[0].read_bytes()


def same(one: Document, other: Document) -> bool:
    """All fields are the same; arrays do not compare as fields do."""
    for each in fields(Document):
        mine, theirs = getattr(one, each.name), getattr(other, each.name)
        if each.name == "sources" and mine is not None:
            if not all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True)):
                return False
        elif mine != theirs:
            return False
    return True


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
@pytest.mark.parametrize("everything", [False, True])
def test_a_document_comes_back(path: Path, everything: bool) -> None:
    document = dump_html(path.read_bytes(), marks=everything, facts=everything, sources=everything)
    found, has_marks = restored(stored(Page(b""), document, has_marks=everything))
    assert same(found, document)
    assert has_marks is everything


@given(st.lists(st.sampled_from(
    ["<p>", "<div class=a>", "<div id=b>", "</div>", "<li>", "<table><tr><td>", "</table>", "<a href=/x>",
     "</a>", "Möwe ", "gull", "灯台守", "\u00a0", " ", "<img src=a.png alt=b>", "<pre>\n x\n</pre>", "<br>",
     "<h2>", "<template>c</template>", "&#x1F600;", "<b>", "</b>", "<math><mi>x</mi></math>"]
), max_size=40))  # fmt: skip
def test_any_page_comes_back(parts: list[str]) -> None:
    document = dump_html("".join(parts), marks=True, facts=True)
    assert same(restored(stored(Page(b""), document, has_marks=True))[0], document)


def test_a_text_comes_back() -> None:
    document = dump_text(b"The ferry\nwas late.\n\n* one\n* two\n")
    assert same(restored(stored(Page(b""), document, has_marks=False))[0], document)


def test_surrogates_of_file_names_and_titles_come_back() -> None:
    document = replace(dump_html(PAGE), title="\udcff")
    block = stored(Page(b"", url="a\udcff"), document, has_marks=False)
    assert restored(block)[0].title == "\udcff"
    assert b'"url": "a\\udcff"' in block


def test_what_follows_is_not_written() -> None:
    """A page of a hundred like paragraphs takes few bytes more than one of ten."""
    few, many = (pack(dump_html("<p class=a>The ferry was late." * n).tables) for n in (10, 110))
    text = 100 * len("The ferry was late.\n")
    # a byte for each of 21 columns, and nothing of it is left when it is compressed
    assert len(many) - len(few) - text < 100 * 25
    assert len(zstandard.compress(many)) < len(zstandard.compress(few)) + 60


def test_tables_that_contradict_each_other_are_not_stored() -> None:
    document = dump_html(PAGE)
    runs = document.runs.copy()
    runs["end"][3] = len(document.data) + 1
    with pytest.raises(ValueError, match="contradict"):
        pack(with_tables(document, runs=runs).tables)


@given(st.integers(0, 10_000))
def test_broken_tables_are_refused_or_harmless(seed: int) -> None:
    TARGETS["stored"].check(TARGETS["stored"].case(seed))


def test_a_file_cut_anywhere() -> None:
    block = stored(Page(b""), dump_html(PAGE), has_marks=False)
    for end in range(0, len(block), 7):
        with pytest.raises(InputError, match="damaged"):
            restored(block[:end])
    packed = pack(dump_html(PAGE).tables)
    for end in range(len(packed)):
        with pytest.raises(ValueError, match="damaged"):
            unpack(packed[:end])


def test_another_version_and_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    document = dump_html(PAGE)
    monkeypatch.setattr("ncleaner.document.stored.DOCUMENTS", DOCUMENTS + 1)
    block = stored(Page(b""), document, has_marks=False)
    monkeypatch.undo()
    with pytest.raises(InputError, match=f"format {DOCUMENTS + 1}, and .* reads {DOCUMENTS}"):
        restored(block)
    bomb = zstandard.compress(bytes(1 << 20))
    with pytest.raises(InputError, match="--max-bytes"):
        restored(stored_head(Page(b"")) + bomb, Limits(bytes=1 << 10))


@pytest.mark.parametrize(
    "told",
    [
        {"title": 1},
        {"title": None},
        {"dropped_tags": "3"},
        {"facts": [["meta", "a"]]},
        {"facts": [["meta", "a", 1]]},
        {"facts": 3},
        {"sources": [[1], [2], ["a"]]},
        {"sources": []},
        {"version": []},
    ],
)
def test_json_that_says_something_else(told: dict[str, object]) -> None:
    block = stored(Page(b""), dump_html(PAGE), has_marks=False)
    head = stored_head(Page(b""))
    line, _, tables = zstandard.decompress(block[len(head) :]).partition(b"\n")
    changed = json.dumps({**json.loads(line), **told}).encode() + b"\n" + tables
    with pytest.raises(InputError, match=r"damaged|format"):
        restored(head + zstandard.compress(changed))
    with pytest.raises(InputError, match="damaged"):
        restored(head + zstandard.compress(b"[" * 100_000 + b"\n" + tables))


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"1", b"[" * 100_000, b'{"url": 1}', b'{"layout": 3}', b"\xff"]
)
def test_a_head_that_says_something_else(line: bytes) -> None:
    first = stored_head(Page(b"")).split(b"\n")[0]
    with pytest.raises(ValueError, match="damaged"):
        page_of_stored(first + b"\n" + line + b"\n", "x", 0)
    page = page_of_stored(stored_head(Page(b"", "a", layout=TextLayout("lines", 3))) + b"\n", "x", 7)
    assert (page.url, page.layout, page.stored_at) == ("a", TextLayout("lines", 3), 7)
