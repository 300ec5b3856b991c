from __future__ import annotations

from pathlib import Path

import pytest

from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training.pairs import fenced, read_fenced

PAGE = "<ul><li>Home</ul><!-- content begins --><p>The ferry <b>sails</b>.</p><p>Late.</p><!-- content ends --><p>Terms"


def test_what_comments_fence() -> None:
    assert fenced(PAGE.encode(), "begins", "ends") == "The ferry sails.\nLate.\n"
    assert fenced(PAGE.encode(), "nowhere", "ends") is None
    # it ends with the page at the latest, and can begin again
    assert fenced(b"a<!--on--><p>b", "on", "off") == "b\n"
    assert fenced(b"<!--on-->a<!--off-->b<!--on-->c<!--off-->d", "on", "off") == "a\nc\n"
    # a second beginning inside, an end without a beginning, a comment that never ends
    assert fenced(b"x<!--off--><!--on-->a<!--on-->b<!--off-->c", "on", "off") == "ab\n"
    assert fenced(b"a<!--on-->b<!--off", "on", "off") == "b\n"
    # comments without text
    assert fenced(b"x<!--><!--on-->a<!---><!--off-->b", "on", "off") == "a\n"
    assert fenced("<meta charset=koi8-r><!--on-->да<!--off-->".encode("koi8-r"), "on", "off") == "да\n"


def write(folder: Path, **pages: str) -> Path:
    folder.mkdir()
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page)
    return folder


def test_pairs(tmp_path: Path) -> None:
    raw = write(
        tmp_path / "raw",
        a=f"<link rel=canonical href=http://www.ferry.example.org/a>{PAGE}",
        b="<p>None",
        c=PAGE,
    )
    with pytest.warns(TrainingWarning, match="1 of 3 pages has no comment with 'begins' and is left out: b"):
        pairs = read_fenced(raw, "begins", "ends")
    assert [pair.name for pair in pairs] == ["a", "c"]
    assert [pair.site for pair in pairs] == ["example.org", ""]
    assert pairs[0].alignment.clean.tolist() == [False, True, True, False]


def test_no_such_comment(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", a="<p>None")
    with pytest.raises(TrainingError, match=r"no page of .*raw \(1 file\) has a comment with 'begins'"):
        read_fenced(raw, "begins", "ends")
    with pytest.raises(TrainingError, match="is not a directory"):
        read_fenced(tmp_path / "nowhere", "a", "b")
