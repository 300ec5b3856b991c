from __future__ import annotations

from pathlib import Path

import pytest

from ncleaner.errors import EvaluationError, TrainingError
from ncleaner.lab.comparing.gold import read_gold
from ncleaner.lab.training.conventions import ZoneUse, wishes_of
from ncleaner.options import words_of
from ncleaner.recipe import Recipe

from .gold_dirs import little, write


def test_pages_with_what_the_manifest_says(tmp_path: Path) -> None:
    gold = read_gold(little(tmp_path / "little"))
    assert gold.name == "little"
    assert [
        (page.name, page.source.url, page.source.language, page.source.page_type) for page in gold.pages
    ] == [
        ("bread", "http://bread.example/", "en", "product"),
        ("rain", "http://rain.example/", "en", "article"),
        ("tea", "http://tea.example/", "", "article"),
    ]
    assert gold.clusters == ["bread.example", "rain.example", "tea.example"]
    assert gold.pages[2].page().body == b"<p>Tea is drunk hot."
    assert gold.pages[2].page().kind == "html"
    assert gold.pages[2].gold() == b"Tea is drunk hot.\n"
    assert gold.convention is not None and not gold.pairs


def test_a_limit_spreads(tmp_path: Path) -> None:
    little(tmp_path / "little")
    for limit, names in ((2, ["bread", "rain"]), (1, ["bread"]), (9, ["bread", "rain", "tea"])):
        gold = read_gold(tmp_path / "little", limit=limit)
        assert [page.name for page in gold.pages] == names


def test_pairs_are_those_of_all_pages(tmp_path: Path) -> None:
    little(tmp_path / "little")
    for convention in (True, False):
        gold = read_gold(tmp_path / "little", limit=1, pairs=True, convention=convention)
        assert len(gold.pages) == 1 and [pair.name for pair in gold.pairs] == ["bread", "rain", "tea"]
        assert (gold.convention is not None) == convention


def test_two_directories_without_a_manifest(tmp_path: Path) -> None:
    write(tmp_path, [], {"a": "<p>One.", "b": "<link rel=canonical href=//www.b.example/1><p>Two."}, {})
    (tmp_path / "raw" / "c.txt").write_text("Three.")
    for name in "abc":
        (tmp_path / "clean" / f"{name}.txt").write_text("One.")
    gold = read_gold(raw=tmp_path / "raw", clean=tmp_path / "clean", convention=False)
    assert gold.name == "raw" and gold.convention is None and gold.wishes == {}
    assert [page.source.page_type for page in gold.pages] == ["", "", ""]
    # a page of an unknown site is a site of its own
    assert gold.clusters == ["/0", "b.example", "/2"]
    assert [page.page().kind for page in gold.pages] == ["html", "html", "text"]


def test_unwrap(tmp_path: Path) -> None:
    page = '<text id="http://a.example/">\n<html><p>a</text>b</html>\n</text>\n'
    folder = write(tmp_path / "wrapped", [], {"1": page}, {"1": "a"})
    [stored], [bare] = (read_gold(folder, unwrap=unwrap).pages for unwrap in (False, True))
    assert stored.page().body == page.encode()
    assert bare.page().body == b"<html><p>a</text>b</html>\n"


def test_characters_count_in_scripts_without_spaces(tmp_path: Path) -> None:
    texts = {
        "en": "Rain fell.",
        "ja": "雨が降りました。2024",
        "mixed": "The word 雨 is rain.",
        "th": "ฝนตก",
        "zero": "",
    }
    folder = write(tmp_path / "gold", [], dict.fromkeys(texts, "<p>x"), texts)
    units = {page.name: page.unit for page in read_gold(folder).pages}
    assert units == {"en": "word", "ja": "char", "mixed": "word", "th": "char", "zero": "word"}
    assert {page.unit for page in read_gold(folder, unit="char").pages} == {"char"}


def test_a_page_that_is_too_large_for_ncleaner_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = little(tmp_path / "little")
    monkeypatch.setattr("ncleaner.limits.Limits.check_size", _refuse_bread)
    gold = read_gold(folder, pairs=True)
    assert [page.name for page in gold.pages] == ["bread", "rain", "tea"]
    assert gold.clusters == ["bread.example", "rain.example", "tea.example"]
    assert [pair.name for pair in gold.pairs] == ["rain", "tea"]


def _refuse_bread(limits: object, size: int) -> None:
    from ncleaner.errors import InputError

    if size == len("<nav>Home</nav><p>Bread of rye, a loaf.<footer>Terms</footer>"):
        raise InputError("too large")


def test_wishes_follow_the_convention() -> None:
    uses = {"headline": (10, 9), "comment": (10, 1), "caption": (10, 5)}
    wishes = wishes_of({zone: ZoneUse(zone, *numbers) for zone, numbers in uses.items()})
    assert wishes == {"headline": True, "comments": False}
    assert words_of(Recipe, wishes) == ["--headline", "--no-comments"]
    others = {"headline": False, "comments": True, "captions": False}
    assert words_of(Recipe, others) == ["--no-headline", "--comments", "--no-captions"]
    # fewer than five pages tell nothing
    assert wishes_of({zone: ZoneUse(zone, 4, 0) for zone in uses}) == {}


def test_what_is_no_gold_directory(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    with pytest.raises(EvaluationError, match=r"is not a gold directory.*--raw and --clean"):
        read_gold(tmp_path)
    with pytest.raises(EvaluationError, match="give gold directories"):
        read_gold(raw=tmp_path)
    (tmp_path / "clean").mkdir()
    with pytest.raises(TrainingError, match="no file of"):
        read_gold(tmp_path)
    write(tmp_path / "bad", [], {"a": "x"}, {"a": "x"})
    (tmp_path / "bad" / "manifest.jsonl").write_text("[]\n")
    with pytest.raises(TrainingError, match="line 1: not a JSON object"):
        read_gold(tmp_path / "bad")
