from __future__ import annotations

import os
import pickle
import re
import shutil
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError
from ncleaner.lab.comparing.tools import tool_of
from ncleaner.methods._forms import removed_forms
from ncleaner.methods.baselines import Heuristics
from ncleaner.methods.choice import ByLanguage, PerLanguage, fingerprint, load_method, load_model, read_ngrams
from ncleaner.methods.registry import METHODS, entry_of
from ncleaner.modelling.files import model_bytes
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Settings

from ..outputs import document as of_segments

NGRAMS = entry_of("ngram").kinds


def page(*segments: str) -> Document:
    return dump_html("".join(f"<p>{segment}</p>" for segment in segments))


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("Home | News | Sport | Contact us", True),
        ("Home » News » Sport", True),
        ("Start · Über uns · Kontakt", True),
        ("Home • About", False),
        ("| Back", True),
        ("» Read more", True),
        ("a :: b :: c", True),
        ("Home | About", False),
        (
            "One long sentence that happens to use a bar | and then another long sentence behind it | and more of it.",
            False,
        ),
        ("std::vector is a template", False),
        ("© 2024 The Harbour Gazette. All rights reserved.", True),
        ("Copyright 1999 by the author", True),
        ("(c) 2001 somebody", True),
        ("• © 2024 The Gazette", True),
        ("…»“© 2024", True),
        ("—– (C) 2001 somebody", True),
        ("...- © 2024", False),
        ("COPYRİGHT 2001", True),
        ("Copyrighted material may be quoted.", False),
        ("The © sign stands for copyright.", False),
        ("***", True),
        ("- - -", True),
        ("…", True),
        ("→", True),
        ("世界", False),
        ("да", False),
        ("1984", False),
        ("Why?", False),
        ("No suspects here.", False),
    ],
)
def test_heuristics(text: str, removed: bool) -> None:
    document = page("Before.", text, "After.")
    assert Heuristics().keep(document).mask.tolist() == [True, not removed, True]


MARKS = st.sampled_from([*"|»«•·:© ._-–…()cC“aZ9é世ſ½Ⅷ²٣Kıİ\u200b\u0301\n", "::", "(c)", "(C)", "copyright"])
WORDS = st.sampled_from(
    ["copyright", "Copyright", "COPYRIGHT", "COPYRİGHT", "copyrıght", "copyrights", "text"]
)
TEXTS = st.lists(MARKS | WORDS | st.characters(exclude_categories=["Cs"]), max_size=8).map("".join)


# the forms as patterns
SEPARATOR = re.compile(r"\s*(?:\||»|«|•|·|::)\s*")
COPYRIGHT = re.compile(r"\W{0,3}(?:©|\(c\)|copyright\b)", re.IGNORECASE)
WORDLESS = re.compile(r"[\W_]*\Z")


def is_menu(text: str) -> bool:
    items = [item for item in SEPARATOR.split(text) if item]
    separators = len(SEPARATOR.findall(text))
    if separators < 2:
        return separators == 1 and bool(items) and text.strip()[0] in "|»«" and len(items[-1].split()) <= 5
    return sum(len(item.split()) for item in items) <= 5 * max(len(items), 1)


def is_removed(text: str) -> bool:
    return bool(removed_forms(of_segments(text).tables)[0])


@example("• © 2024 The Gazette")
@example("\U0001f600\U0001f600\U0001f600©")
@example("_©")
@example("copyright_")
@example("::: a")
@given(TEXTS)
def test_the_forms_are_those_of_the_patterns(text: str) -> None:
    assert is_removed(text) == bool(WORDLESS.match(text) or is_menu(text) or COPYRIGHT.match(text))


def test_every_case_of_copyright_counts() -> None:
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    for word in ("copyright", "(c)", "©"):
        for place, letter in enumerate(word):
            cases = re.findall(re.escape(letter), everything, re.IGNORECASE)
            assert letter in cases
            for case in cases:
                text = word[:place] + case + word[place + 1 :] + " 2024"
                assert COPYRIGHT.match(text)
                assert is_removed(text)


def test_a_long_copyright_paragraph_is_text() -> None:
    text = "Copyright law, as it has been taught at this university for more than thirty years now, " * 4
    assert Heuristics().keep(page(text)).mask.all()


def test_everything_keeps_everything() -> None:
    kept = entry_of("everything").make().keep(page("***", "Home | News | Sport"))
    assert kept.mask.all()
    assert kept.scores is None


@pytest.mark.parametrize("name", ["everything", "heuristics-only", "ngram", "victor"])
def test_what_is_not_shown_is_not_kept(name: str) -> None:
    text = "The committee will meet again on Thursday to decide what happens to the old ferry landing."
    document = dump_html(f"<p>{text} Or so they say.</p><div hidden><p>{text}</p></div>")
    assert document.visible.tolist() == [True, False]
    assert not load_method(name).keep(document).mask[1]


def test_ngram_scores_and_threshold() -> None:
    model = read_ngrams("en")
    text = "The committee will meet again on Thursday to decide what happens to the old ferry landing."
    document = page("Home | News | Log in | Register", text, "***")
    kept = entry_of("ngram").make(model).keep(document)
    assert kept.scores is not None
    assert kept.mask.tolist() == [False, True, False]
    assert kept.scores[0] < model.decision.threshold <= kept.scores[1]
    strict = entry_of("ngram").make(model.with_parameters(threshold=9.0)).keep(document)
    assert not strict.mask.any()
    np.testing.assert_array_equal(strict.scores, kept.scores)


@pytest.mark.parametrize("name", METHODS)
def test_an_empty_page(name: str) -> None:
    kept = load_method(name).keep(page())
    assert kept.mask.shape == (0,)


@pytest.mark.parametrize("name", METHODS)
def test_the_table_says_what_the_classes_say(name: str) -> None:
    entry = METHODS[name]
    assert entry.name == name == resolve_name(entry.path).name
    assert all(kind.name == kind.model.KIND for kind in (*entry.kinds, *entry.parts.values()))
    # a method has one model for all languages, or one for each, or none
    assert bool(entry.default) == (bool(entry.kinds) and not entry.by_language)
    defaults = {entry.default: entry.kinds[0]} if entry.default else {}
    for shipped, kind in {**defaults, **entry.parts}.items():
        assert isinstance(kind.model.of_model(load_model(shipped)), kind.model)


def test_unknown_and_incomplete() -> None:
    with pytest.raises(ValueError, match="no method 'magic'"):
        entry_of("magic").make()
    for name, entry in METHODS.items():
        if not entry.kinds:
            assert entry_of(name).make().name == name
            continue
        with pytest.raises(ValueError, match=f"the method {name} needs a model: "):
            entry_of(name).make()


@pytest.mark.parametrize("name", ["hybrid", "ngram"])
def test_a_model_per_page(name: str) -> None:
    method = PerLanguage(entry_of(name), ByLanguage(entry_of(name).kinds))
    for text, chosen, language in (
        ("The harbour board has decided to light the north quay again, as it did before.", "en", "en"),
        ("Το λιμεναρχείο αποφάσισε να φωτίσει ξανά τη βόρεια προκυμαία του λιμανιού.", "el", "el"),
        ("Der Hafenrat hat beschlossen, den Nordkai wieder zu beleuchten.", "de", "de"),
        ("Hamnstyrelsen har beslutat att åter belysa den norra kajen.", "nonlexical", "sv"),
        ("港の役員会は、以前のように北の岸壁をふたたび照らすことにした。", "zh", "ja"),
        ("123", "nonlexical", ""),
    ):
        document = page(text)
        kept = method.keep(document)
        assert kept.remarks[:2] == (chosen, language)
        alone = entry_of(name).make(read_ngrams(chosen)).keep(document)
        np.testing.assert_array_equal(kept.scores, alone.scores)
        assert alone.remarks[:2] == ("", "")
        assert method.keep(dump_text(text)).remarks[:3] == (chosen, language, "")


def test_models_of_ones_own_go_first(tmp_path: Path) -> None:
    (tmp_path / "other-kind.ncm").write_bytes(model_bytes("structure"))
    with pytest.raises(ModelError, match=r"no model of a language \(\*\.ncm\) in the directory"):
        load_method("ngram", tmp_path)
    model = read_ngrams("nonlexical")
    model.about.update(name="mine", language="de")
    model.save(tmp_path / "mine.ncm")
    models = ByLanguage(NGRAMS, [tmp_path / "mine.ncm", tmp_path / "other-kind.ncm"])
    assert models["de"].name == "mine"
    assert set(models) == {"", "de", "el", "en", "pl", "ru", "zh"}
    assert pickle.loads(pickle.dumps(models))["de"].name == "mine"
    del model.about["language"]
    model.save(tmp_path / "other.ncm")
    with pytest.raises(ModelError, match="does not say its language: train it with --language"):
        load_method("ngram", tmp_path)
    assert set(ByLanguage(NGRAMS, [tmp_path / "other.ncm"])) == {"", "de", "el", "en", "pl", "ru", "zh"}


def test_a_page_in_letters_the_model_has_never_seen_is_told() -> None:
    thai = page(*["การท่าเรือตัดสินใจเปิดไฟที่ท่าเรือเหนืออีกครั้ง"] * 8)
    kept = entry_of("ngram").make(read_ngrams("el")).keep(thai)
    assert kept.scores is not None and np.isfinite(kept.scores).all()
    assert kept.remarks.unfamiliar == (kept.mask.all() or not kept.mask.any())
    assert (
        not entry_of("ngram").make(read_ngrams("el")).keep(page(*["Το λιμεναρχείο."] * 8)).remarks.unfamiliar
    )


def test_a_path_of_one_part_stays_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # also where the settings of a run have it as text
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine", "ours.ncm").write_bytes(model_bytes("pl"))
    by_path, by_text = (Settings(Recipe("ngram", model)) for model in (Path("mine"), "./mine"))
    assert by_path.fingerprint() == by_text.fingerprint()
    assert by_path == by_text
    (tool,) = {tool_of("ngram", model=model).arguments["model"] for model in (Path("mine"), "./mine")}
    assert tool == f".{os.sep}mine"


def test_names_go_before_what_is_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").mkdir()
    (tmp_path / "mine").write_bytes(model_bytes("pl"))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "ours.ncm").write_bytes(model_bytes("pl"))
    assert load_model("en").name == "en"
    assert not isinstance(load_method("ngram", "en"), PerLanguage)
    assert load_model("./mine").name == load_model(Path("mine")).name == "pl"
    assert load_model("models/ours.ncm").name == "pl"
    for folder in ("./models", "models/", Path("models")):
        assert isinstance(load_method("ngram", folder), PerLanguage)
    with pytest.raises(ModelError, match=r"there is no model of a language .* in the directory \./en"):
        load_method("ngram", "./en")
    for name in ("mine", "models"):
        with pytest.raises(
            ModelError, match=f"no model '{name}'.* the file or folder of this name is ./{name}"
        ):
            load_method("ngram", name)
    with pytest.raises(ModelError, match=r"no model file \./ours"):
        load_model("./ours")


def test_fingerprints_tell_models_apart(tmp_path: Path) -> None:
    prints = [
        fingerprint(method, model)
        for method, model in (
            ("hybrid", "en"), ("ngram", "en"), ("hybrid", "pl"), ("hybrid", "auto"), ("victor", "en"),
            ("everything", "en"),
        )
    ]  # fmt: skip
    assert len(set(prints)) == 6
    assert prints[-1] == ""
    assert prints[0] == fingerprint("hybrid", "en")
    assert fingerprint("victor", "auto") == prints[4]
    (tmp_path / "own.ncm").write_bytes(model_bytes("en"))
    assert fingerprint("hybrid", str(tmp_path / "own.ncm")) == prints[0]


def test_a_directory_of_models_is_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.ncm").write_bytes(model_bytes("en"))
    before = fingerprint("ngram", str(tmp_path))
    assert before != fingerprint("ngram", "auto")
    shutil.copy(tmp_path / "a.ncm", tmp_path / "b.ncm")
    assert fingerprint("ngram", str(tmp_path)) != before


def test_a_model_that_there_is_not() -> None:
    with pytest.raises(ModelError, match="no model 'xx'"):
        fingerprint("hybrid", "xx")
