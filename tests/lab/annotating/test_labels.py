"""Labels of segments, their files, and what becomes of them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.errors import OutputError, TrainingError
from ncleaner.lab.annotating.project import (
    PageLabels,
    digest_of,
    gold_lines,
    kinds_of,
    letters_of_runs,
    read_labels,
    runs_of_letters,
    write_labels,
)
from ncleaner.lab.training.annotations import read_annotations, write_annotations
from ncleaner.lab.training.labels import LABELS

from .made import WANTED, page

DOCUMENT = dump_html(page())
ROWS = len(DOCUMENT)


def made(letters: str = "." * ROWS) -> PageLabels:
    return PageLabels("p0", letters, digest_of(DOCUMENT))


def test_the_page_is_what_the_other_tests_take_it_for() -> None:
    assert kinds_of(DOCUMENT) == "lllhpppp"
    assert gold_lines(DOCUMENT, WANTED).splitlines()[0] == "<h>New paint on lighthouse 0"
    assert gold_lines(DOCUMENT, "o" * ROWS) == ""


def test_a_continuation_joins_the_segment_before() -> None:
    lines = gold_lines(DOCUMENT, "ooohpclo").splitlines()
    assert [line[:3] for line in lines] == ["<h>", "<p>", "<l>"]
    assert lines[1].count("lighthouse was painted") == 1 and "gulls" in lines[1]
    # there is nothing before the first one that it could continue
    assert gold_lines(DOCUMENT, "oooocooo").startswith("<p>The lighthouse")


@given(st.text("phlo", min_size=ROWS, max_size=ROWS))
def test_labels_of_runs_and_of_segments_say_the_same(letters: str) -> None:
    runs = runs_of_letters(DOCUMENT, letters)
    assert letters_of_runs(DOCUMENT, runs) == letters
    written = write_annotations(DOCUMENT, runs, "p0.html")
    assert letters_of_runs(DOCUMENT, read_annotations(written, "p0.anno", DOCUMENT)) == letters


def test_runs_inside_a_segment_continue_it_and_hidden_text_may_be_kept() -> None:
    document = dump_html(
        "<p>The <b>white</b> paint <i>lasts</i>.</p><div style='display:none'>A folded answer.</div>"
    )
    assert "".join(LABELS[label] for label in runs_of_letters(document, "po")) == "pcccc" + "o"
    assert gold_lines(document, "pl") == "<p>The white paint lasts.\n<l>A folded answer.\n"


def test_a_page_without_text_has_no_labels() -> None:
    document = dump_html("<img src=x>")
    assert len(runs_of_letters(document, "")) == 0
    assert gold_lines(document, "") == ""


@given(
    st.text(".phlco", min_size=ROWS, max_size=ROWS), st.integers(0, 10**6), st.floats(0, 10**6), st.integers(0, ROWS),
    st.lists(st.sampled_from(["anna", "βen", "a-b"]), max_size=2, unique=True),
)  # fmt: skip
def test_files_keep_everything(
    letters: str, revision: int, seconds: float, changed: int, settles: list[str]
) -> None:
    import tempfile

    labels = replace(
        made(letters), revision=revision, seconds=round(seconds, 1), changed=changed, done="." not in letters,
        settles=tuple(settles), finished="2026-01-01T00:00:00Z",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels" / "me" / "p0.json"
        assert read_labels(path, DOCUMENT) is None
        write_labels(path, labels)
        assert read_labels(path, DOCUMENT) == labels
        assert [other.name for other in path.parent.iterdir()] == ["p0.json"]


def test_changes_make_the_next_revision() -> None:
    labels = made().with_changes([(0, "o"), (3, "h")])
    assert (labels.labels, labels.revision) == ("o..h....", 1)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"labels": "x" * ROWS}, "'x' is not a label"),
        ({"labels": "o"}, "1 segment of another text"),
        ({"digest": "0"}, "of another text"),
        ({"done": True}, "marked as done, but has segments without a label"),
        ({"revision": "many"}, "damaged"),
        ({"seconds": math.inf}, "damaged"),
        ({"seconds": 10**400}, "damaged"),
        ({"revision": math.inf}, "damaged"),
        ({"labels": None}, "is not a label"),
    ],
)
def test_damaged_files_are_named(damage: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "p0.json"
    write_labels(path, made())
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    with pytest.raises(TrainingError, match=said) as raised:
        read_labels(path, DOCUMENT)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"page": 1', "\xff", "null"])
def test_what_is_no_file_of_labels(content: str, tmp_path: Path) -> None:
    path = tmp_path / "p0.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(TrainingError, match="not a file of labels"):
        read_labels(path, DOCUMENT)


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="this system has no limits of files")
    path = tmp_path / "p0.json"
    write_labels(path, made())
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        with pytest.raises(OutputError, match="cannot write"):
            write_labels(path, made().with_changes([(0, "p")]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert [other.name for other in tmp_path.iterdir()] == ["p0.json"]
