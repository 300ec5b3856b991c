from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncleaner import Cleaner
from ncleaner.document.kept import Kept
from ncleaner.errors import TrainingError
from ncleaner.lab.explaining.against import gold_of, with_gold
from ncleaner.lab.explaining.explain import explain

from ...structures import PROSE, page_html, paragraphs

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_errors_of_each_side() -> None:
    document = Cleaner().document(f"<p>{PROSE[0]}</p><p>{PROSE[1]}</p><p>Log in here now</p><p>***</p>")
    kept = Kept(document.segments["words"] < 10)
    found = explain(document, kept=kept, gold=f"<p>{PROSE[0]}\n<p>{PROSE[1]}")
    assert [why.against for why in found.segments] == [
        "wrongly removed",
        "wrongly removed",
        "wrongly kept",
        "unknown",
    ]
    assert [why.is_wrong for why in found.segments] == [True, True, True, False]
    assert [why.matched for why in found.segments] == [1, 1, 0, None]
    assert "1 segment (4 words) wrongly kept; 2 segments (32 words) wrongly removed" in found.verdicts()
    assert found.to_dict()["segments"][0]["against"] == "wrongly removed"
    text = str(found)
    assert " FN " in text and " FP " in text


def test_a_gold_text_that_is_right() -> None:
    found = explain(page_html(4), gold="\n".join(["Ferry 4", *paragraphs(4)]))
    assert {why.against for why in found.segments} == {"right"} and found.found == 1
    assert not any("gold" in note for note in found.notes)


@pytest.mark.parametrize(
    ("gold", "note"),
    [
        ("", "the gold text is empty"),
        (
            "Something else that was never on this page, of all the pages in the world.",
            "does not seem to belong",
        ),
        (
            "\n".join([*paragraphs(4), "and four words more"]),
            "words of the gold text are nowhere on the page",
        ),
    ],
)
def test_a_gold_text_that_does_not_fit(gold: str, note: str) -> None:
    found = with_gold(explain(page_html(4)), gold)
    assert any(note in each for each in found.notes)
    assert any(note in line for line in found.summary())


def test_where_a_gold_text_is(tmp_path: Path) -> None:
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean" / "7.txt").write_text("seven")
    (tmp_path / "raw").mkdir()
    for given in (tmp_path, tmp_path / "clean", tmp_path / "clean" / "7.txt"):
        assert gold_of(given, "pages/7.html") == (tmp_path / "clean" / "7.txt", "seven")
    assert gold_of(tmp_path, "pages/7.html.gz")[1] == "seven"
    with pytest.raises(TrainingError, match="no file of this name"):
        gold_of(tmp_path, "pages/8.html")
    (tmp_path / "clean" / "7.text").write_text("seven again")
    with pytest.raises(TrainingError, match="2 files of this name"):
        gold_of(tmp_path, "pages/7.html")
    (tmp_path / "8.txt").write_bytes(b"\xff")
    with pytest.raises(TrainingError, match="not UTF-8"):
        gold_of(tmp_path, "8.html")
    with pytest.raises(TrainingError, match="cannot read"):
        gold_of(tmp_path / "none.txt", "8.html")


def test_a_gold_text_beside_its_page(tmp_path: Path) -> None:
    (tmp_path / "7.html").write_text("<p>seven")
    (tmp_path / "7.txt").write_text("seven")
    assert gold_of(tmp_path, str(tmp_path / "7.html")) == (tmp_path / "7.txt", "seven")


def test_of_two_segments_with_the_same_words_the_kept_one_is_right() -> None:
    document = Cleaner().document(f"<p>{PROSE[0]}</p><div>{PROSE[0]}</div>")
    for mask in ([True, False], [False, True]):
        found = explain(document, kept=Kept(np.array(mask)), gold=PROSE[0])
        assert [why.against for why in found.segments] == ["right", "right"]
