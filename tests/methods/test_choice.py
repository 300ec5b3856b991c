from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.document.html import dump_html
from ncleaner.errors import ModelError
from ncleaner.methods.choice import METHODS, ByLanguage, make_method, needs_model
from ncleaner.methods.heuristics import Heuristics
from ncleaner.modelling.hybrid import load_ngrams
from ncleaner.modelling.ngrams import load_model
from ncleaner.modelling.shipped import shipped_models


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
    assert Heuristics().remove(document).tolist() == [False, removed, False]
    assert Heuristics().keep(document).mask.tolist() == [True, not removed, True]


def test_a_long_copyright_paragraph_is_text() -> None:
    text = "Copyright law, as it has been taught at this university for more than thirty years now, " * 4
    assert Heuristics().keep(page(text)).mask.all()


def test_everything_keeps_everything() -> None:
    kept = make_method("everything").keep(page("***", "Home | News | Sport"))
    assert kept.mask.all()
    assert kept.scores is None


@pytest.mark.parametrize("name", ["everything", "heuristics-only", "ngram", "victor"])
def test_what_is_not_shown_is_not_kept(name: str) -> None:
    text = "The committee will meet again on Thursday to decide what happens to the old ferry landing."
    document = dump_html(f"<p>{text} Or so they say.</p><div hidden><p>{text}</p></div>")
    assert document.visible.tolist() == [True, False]
    assert not make_method(name, load_model("en")).keep(document).mask[1]


def test_ngram_scores_and_threshold() -> None:
    model = load_model("en")
    text = "The committee will meet again on Thursday to decide what happens to the old ferry landing."
    document = page("Home | News | Log in | Register", text, "***")
    kept = make_method("ngram", model).keep(document)
    assert kept.scores is not None
    assert kept.mask.tolist() == [False, True, False]
    assert kept.scores[0] < model.decision.threshold <= kept.scores[1]
    strict = make_method("ngram", model.with_parameters(threshold=9.0)).keep(document)
    assert not strict.mask.any()
    np.testing.assert_array_equal(strict.scores, kept.scores)


@pytest.mark.parametrize("name", METHODS)
def test_an_empty_page(name: str) -> None:
    kept = make_method(name, load_model("en")).keep(page())
    assert kept.mask.shape == (0,)


def test_unknown_and_incomplete() -> None:
    with pytest.raises(ValueError, match="no method 'magic'"):
        make_method("magic")
    for name in ("ngram", "hybrid"):
        with pytest.raises(ValueError, match=f"the method {name} needs a model of n-grams"):
            make_method(name)
    assert [name for name in METHODS if needs_model(name)] == ["hybrid", "ngram", "victor"]


def test_a_model_per_page() -> None:
    method = make_method("ngram", ByLanguage(load_ngrams))
    for text, chosen, language in (
        ("The harbour board has decided to light the north quay again, as it did before.", "en", "en"),
        ("Το λιμεναρχείο αποφάσισε να φωτίσει ξανά τη βόρεια προκυμαία του λιμανιού.", "el", "el"),
        ("Der Hafenrat hat beschlossen, den Nordkai wieder zu beleuchten.", "nonlexical", "de"),
        ("123", "nonlexical", ""),
    ):
        document = page(text)
        kept = method.keep(document)
        assert (kept.model, kept.language) == (chosen, language)
        alone = make_method("ngram", load_model(chosen)).keep(document)
        np.testing.assert_array_equal(kept.scores, alone.scores)
        assert (alone.model, alone.language) == ("", "")


def test_models_of_ones_own_go_first(tmp_path: Path) -> None:
    (tmp_path / "other-kind.ncm").write_bytes(shipped_models("structure")["structure"])
    with pytest.raises(ModelError, match=r"no model of a language \(\*\.ncm\) in the directory"):
        ByLanguage(load_ngrams, tmp_path)
    model = load_model("nonlexical")
    model.about.update(name="mine", language="de")
    model.save(tmp_path / "mine.ncm")
    models = ByLanguage(load_ngrams, tmp_path, threshold=1.5)
    assert models["de"].name == "mine"
    assert {models[code].decision.threshold for code in ("de", "en", "")} == {1.5}
    assert set(models) == {"", "de", "el", "en", "pl", "ru", "zh"}
    assert pickle.loads(pickle.dumps(models))["de"].name == "mine"
    del model.about["language"]
    model.save(tmp_path / "other.ncm")
    with pytest.raises(ModelError, match="does not say its language: train it with --language"):
        ByLanguage(load_ngrams, tmp_path)


def test_a_page_in_letters_the_model_has_never_seen_is_told() -> None:
    thai = page(*["การท่าเรือตัดสินใจเปิดไฟที่ท่าเรือเหนืออีกครั้ง"] * 8)
    kept = make_method("ngram", load_model("el")).keep(thai)
    assert kept.scores is not None and np.isfinite(kept.scores).all()
    assert kept.strange == (kept.mask.all() or not kept.mask.any())
    assert not make_method("ngram", load_model("el")).keep(page(*["Το λιμεναρχείο."] * 8)).strange
