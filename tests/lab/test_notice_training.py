from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from notice_training import Text, read_texts, small_parts, terms_of_texts, train_notices

from ncleaner.dumping.html import dump_html
from ncleaner.errors import TrainingError
from ncleaner.lab.training.pairs import Pair

NOTICES = [
    Text("en", "error", title, lines, ())
    for title, lines in (
        ("Not found", ("This page was not found.",)),
        ("Error", ("The page could not be found on this server.",)),
        ("Gone", ("The page is gone and was not found.",)),
        ("", ("Page not found",)),
    )
]
OTHERS = [
    Text("en", "text", title, lines, ())
    for title, lines in (
        ("The ferry", ("The ferry was late again this morning.",)),
        ("", ("Those on the pier talked about the weather.",)),
        ("Bread", ("Knead the dough and let it rest for an hour.",)),
        ("Letter", ("Thank you for the jam, it was gone by the evening.",)),
    )
]


def test_a_file_of_texts(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(
        "en | error | 404 | Gone\nThe page\nis gone.\n> Home\n\n\nde | consent |\nCookies?\n", "utf-8"
    )
    assert read_texts(tmp_path / "t.txt") == [
        Text("en", "error", "404 | Gone", ("The page", "is gone."), ("Home",)),
        Text("de", "consent", "", ("Cookies?",), ()),
    ]
    (tmp_path / "t.txt").write_text("")
    assert read_texts(tmp_path / "t.txt") == []


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="cannot read the texts"):
        read_texts(tmp_path / "t.txt")
    (tmp_path / "t.txt").write_bytes(b"\xff")
    with pytest.raises(TrainingError, match="cannot read the texts"):
        read_texts(tmp_path / "t.txt")
    (tmp_path / "t.txt").write_text("A page without a head.\n")
    with pytest.raises(TrainingError, match="a text begins with 'A page without a head"):
        read_texts(tmp_path / "t.txt")


def test_our_own_texts() -> None:
    folder = Path(__file__).parents[3] / "scripts" / "notices"
    if not folder.is_dir():
        pytest.skip("the texts are not here")
    for name in ("notices", "ordinary"):
        texts = read_texts(folder / f"{name}.txt")
        assert all(text.title or text.lines for text in texts)
        assert {text.kind == "text" for text in texts} == {name == "ordinary"}
        assert len({text.language for text in texts}) == 18


def test_forms_of_a_text() -> None:
    forms = Text("en", "error", "a < b", ("One & two.",), ("Home",)).pages()
    documents = [dump_html(form) for form in forms]
    assert [document.title for document in documents] == ["a < b", "a < b", ""]
    assert [document.text.split("\n")[:-1] for document in documents] == [
        ["a < b", "One & two.", "Home"],
        ["One & two.", "Home"],
        ["a < b", "One & two."],
    ]
    # three of the first, two of the second, which is empty without its title, none of the third
    long = Text("en", "error", "", ("word " * 200,), ())
    assert len(terms_of_texts([NOTICES[0], Text("en", "error", "Gone", (), ()), long])) == 5


def test_training_tells_the_two_classes() -> None:
    model = train_notices(terms_of_texts(NOTICES), terms_of_texts(OTHERS), {"name": "small"})
    assert model.name == "small"
    assert np.abs(model.weights.astype(int)).max() == 127
    found = []
    for html in (
        "<p>The page was not found on the server.",
        "<p>The ferry was late, and those on the pier talked.",
        "<p>Nichts davon kommt irgendwo vor.",
    ):
        document = dump_html(html)
        found.append(model.probability(document, np.ones(len(document), bool)))
    assert found[0] > 0.7 and found[1] < 0.3 and found[2] < 0.5
    again = train_notices(terms_of_texts(NOTICES), terms_of_texts(OTHERS), {"name": "small"})
    assert again.to_bytes() == model.to_bytes()


def test_both_classes_are_needed() -> None:
    for notices, others in (([], OTHERS), (NOTICES, [])):
        with pytest.raises(TrainingError, match="needs notices and other texts"):
            train_notices(terms_of_texts(notices), terms_of_texts(others))


def test_small_parts_of_a_gold_page() -> None:
    prose = "Those who had come early stood on the pier for an hour and talked about the weather of the day."
    html = f"<ul><li><a href=/>Home</a></ul><h1>Late</h1><p>{prose}</p>"
    pair = Pair("p1", dump_html(html), f"<h>Late\n<p>{prose}", "harbour.example")
    parts = small_parts(pair)
    assert len(parts) == 3
    assert {part.site for part in parts} == {"harbour.example"}
    # a page whose gold text is elsewhere has none
    assert small_parts(Pair("p2", dump_html("<p>Home"), f"<p>{prose}", "harbour.example")) == []
