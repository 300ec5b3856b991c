from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document.tables import run_chars
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import TrainingError
from ncleaner.lab.training.annotations import (
    labels_from_alignment,
    read_annotated,
    read_annotations,
    write_annotations,
)
from ncleaner.lab.training.labels import LABELS, OTHER, gold_of, labels_from_kept
from ncleaner.lab.training.pairs import Pair

PAGE = (
    "<div><a href=/>Home</a> | <a href=/n>News</a></div><h1>The ferry</h1>"
    "<p>The <b>old</b> ferry was late again this morning.<ul><li>One boat sails <i>early</i>.</ul>"
    "<div>All rights reserved</div>"
)
DOCUMENT = dump_html(PAGE)
TAGS = [
    "<p>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<a href=x>",
    "</a>",
    "<br>",
    "<li>",
    "<h2>",
    "</h2>",
    "<pre>",
]
HTML = st.lists(st.sampled_from(TAGS) | st.text(max_size=8), max_size=30).map(" ".join)


def numbers(labels: str) -> np.ndarray:
    return np.array([LABELS.index(label) for label in labels], np.uint8)


def names(labels: np.ndarray) -> str:
    return "".join(LABELS[label] for label in labels.tolist())


def test_the_file() -> None:
    assert write_annotations(DOCUMENT, numbers("ooohpcclcco"), "ferry.html").decode().splitlines() == [
        "# ferry.html",
        "# p paragraph, h header, l list item, c continuation of the block before, o other (to be removed)",
        "o\tHome",
        "o\t|",
        "o\tNews",
        "h\tThe ferry",
        "p\tThe",
        "c\told",
        "c\tferry was late again this morning.",
        "l\tOne boat sails",
        "c\tearly",
        "c\t.",
        "o\tAll rights reserved",
    ]


def test_a_paragraph_with_a_link() -> None:
    """The thesis (section 2.3) gives this page and its labels."""
    document = dump_html('<p> See <a href="http://example.org">our website</a>\nfor more details.</p>')
    labels = labels_from_kept(document, np.ones(1, bool))
    assert write_annotations(document, labels).decode().splitlines()[2:] == [
        "p\tSee",
        "c\tour website",
        "c\tfor more details.",
    ]


@given(page=HTML, name=st.text(max_size=10), data=st.data())
def test_any_labels_of_any_page_come_back(page: str, name: str, data: st.DataObject) -> None:
    document = dump_html(page)
    size = len(document.runs)
    labels = np.array(data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)), np.uint8)
    written = write_annotations(document, labels, name)
    assert read_annotations(written, "x.anno", document).tolist() == labels.tolist()
    assert read_annotations(written.replace(b"\n", b"\r\n"), "x.anno", document).tolist() == labels.tolist()
    gold = gold_of(document, labels)
    assert gold.kept.shape == gold.kinds.shape == gold.continues.shape == (len(document),)
    assert not (gold.continues & ~gold.kept).any()


@given(page=HTML, data=st.data())
def test_what_is_kept_comes_back(page: str, data: st.DataObject) -> None:
    document = dump_html(page)
    size = len(document)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    gold = gold_of(document, labels_from_kept(document, mask))
    hidden = document.segments["flags"] & 2 != 0
    assert gold.kept.tolist() == (mask & ~hidden).tolist()
    assert gold.kinds[gold.kept].tolist() == document.segments["kind"][gold.kept].tolist()
    assert not gold.continues.any()


LINES = write_annotations(DOCUMENT, np.full(len(DOCUMENT.runs), OTHER, np.uint8)).split(b"\n")


@pytest.mark.parametrize(
    ("number", "line", "said"),
    [
        (3, b"x\tHome", r"x\.anno, line 3: 'x' is not a label; the labels are p, h, l, c, o"),
        (3, b"\tHome", "line 3: '' is not a label"),
        (3, b"oo\tHome", "line 3: 'oo' is not a label"),
        (4, b"o |", "line 4: no tab"),
        (5, b"o\tNew\xffs", r"line 5: not UTF-8 \(byte 5 of the line\)"),
        (5, b"o\tOld", "line 5: the text differs from the page, which has 'News' in this place"),
        (5, b"# a comment", "line 6: the text differs from the page, which has 'News'"),
        (len(LINES), b"o\tmore", f"line {len(LINES)}: the page has only {len(DOCUMENT.runs)} blocks"),
    ],
)
def test_what_is_wrong_with_a_file(number: int, line: bytes, said: str) -> None:
    lines = list(LINES)
    lines[number - 1] = line
    with pytest.raises(TrainingError, match=said):
        read_annotations(b"\n".join(lines), "x.anno", DOCUMENT)


def test_a_file_that_ends_early() -> None:
    with pytest.raises(
        TrainingError, match=f"x.anno ends early: it has 2 of the page's {len(DOCUMENT.runs)} blocks"
    ):
        read_annotations(b"\n".join(LINES[:4]), "x.anno", DOCUMENT)


def test_white_space_and_a_mark_before_are_let_pass() -> None:
    lines = [b"\xef\xbb\xbf# x", b"", *LINES[2:]]
    lines[4] = b"o\t  News\t "
    assert read_annotations(b"\n".join(lines), "x", DOCUMENT).tolist() == [OTHER] * len(DOCUMENT.runs)


def pair(html: str, gold: str) -> Pair:
    return Pair("x", dump_html(html), gold)


@pytest.mark.parametrize(
    ("html", "gold", "expected"),
    [
        # without marks, the page's own kinds
        (PAGE, "The ferry\nThe old ferry was late again this morning.\nOne boat sails early.", "ooohpcclcco"),
        # with marks, theirs
        (PAGE, "<p>The ferry\n<l>The old ferry was late again this morning.\n<h>One boat sails early.", "oooplcchcco"),
        # two paragraphs of the page in one of the gold text
        ("<p>One boat sails.<p>Two boats wait.<p>Menu", "<p>One boat sails. Two boats wait.", "pco"),
        # and the other way round
        ("<p>One boat sails. Two boats wait.<p>Menu", "<h>One boat sails.\n<p>Two boats wait.", "ho"),
        # text before the first mark
        ("<h1>One boat sails</h1><p>Menu", "One boat sails\n<p>that is all", "po"),
        # hidden text is never kept
        ("<p>One boat sails.<div hidden><p>Two boats wait.</div>", "One boat sails. Two boats wait.", "po"),
    ],
)  # fmt: skip
def test_labels_by_gold_text(html: str, gold: str, expected: str) -> None:
    assert names(labels_from_alignment(pair(html, gold))) == expected


@pytest.mark.parametrize(
    ("labels", "kept", "kinds", "continues"),
    [
        ("pchl", "111", "phl", "000"),
        ("pocc", "111", "ppp", "011"),
        ("opcl", "011", "ppl", "000"),
        ("poho", "110", "php", "000"),
        ("oohl", "011", "phl", "000"),
        ("cchl", "111", "phl", "000"),
    ],
)
def test_what_labels_say_of_segments(labels: str, kept: str, kinds: str, continues: str) -> None:
    document = dump_html("<p>Ferries <b>sail.</b><p>Two boats wait.<p>Three left.")
    assert len(document.runs) == 4
    gold = gold_of(document, numbers(labels))
    assert "".join(str(int(x)) for x in gold.kept) == kept
    assert bytes(gold.kinds).decode() == kinds
    assert "".join(str(int(x)) for x in gold.continues) == continues


def test_most_characters_decide() -> None:
    document = dump_html("<p>one <b>löwenzähne</b>")
    assert run_chars(document).tolist() == [3, 10]
    assert gold_of(document, numbers("po")).kept.tolist() == [False]
    assert gold_of(document, numbers("op")).kept.tolist() == [True]


def test_a_text_dump_and_an_empty_page() -> None:
    empty = dump_html("")
    assert labels_from_kept(empty, np.zeros(0, bool)).tolist() == []
    assert gold_of(empty, numbers("")).kept.tolist() == []
    assert read_annotations(write_annotations(empty, numbers("")), "x", empty).tolist() == []
    document: Document = dump_text("A line.\n\nAnother one.")
    assert names(labels_from_kept(document, np.array([True, False]))) == "po"


def test_annotated_pages_on_disk(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="not a directory"):
        read_annotated(tmp_path / "nowhere")
    with pytest.raises(TrainingError, match=r"no annotations \(\*.anno\)"):
        read_annotated(tmp_path)
    page = tmp_path / "b.html"
    page.write_text(f'<link rel=canonical href="https://www.ferry.example.co.uk/x">{PAGE}')
    labels = labels_from_kept(DOCUMENT, np.arange(len(DOCUMENT)) == 1)
    (tmp_path / "b.anno").write_bytes(write_annotations(DOCUMENT, labels, "b.html"))
    (tmp_path / "c.html").write_text("not annotated")
    (found,) = read_annotated(tmp_path)
    assert (found.name, found.site, names(found.labels)) == ("b", "example.co.uk", names(labels))
    page.unlink()
    with pytest.raises(
        TrainingError, match=r"b\.anno has no page of the same name beside it, such as b\.html"
    ):
        read_annotated(tmp_path)
