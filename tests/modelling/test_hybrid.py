from __future__ import annotations

import math
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncleaner
from ncleaner.cleaner import Cleaner
from ncleaner.cli.cards import describe, model_table
from ncleaner.document import Document
from ncleaner.document.kept import Remarks
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError
from ncleaner.lab.training.hybrid import train
from ncleaner.methods.choice import ByLanguage, load_method, load_model, read_ngrams
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.ngram import NGram
from ncleaner.methods.registry import entry_of
from ncleaner.modelling import hybrid
from ncleaner.modelling.container import header_of, pack, unpack
from ncleaner.modelling.files import model_bytes
from ncleaner.modelling.hybrid import Calibration, HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import shipped_structure

from ..lab.training.test_ngrams import PAIRS
from ..structures import structure

PROSE = "The ferry was late again this morning, and nobody on the pier knew when it would sail."
PAGE = dump_html(
    f"<ul><li><a href=/>Home</a></ul><h2>Late again</h2><p>{PROSE}</p><p>All rights reserved.</p>"
)
NGRAMS = train(PAIRS, method="ngram", about={"name": "tiny", "language": "en"})
OWN = HybridModel(
    NGRAMS, structure(name="tiny"), Calibration(2.0, -1.0), own=True, about={"name": "mine", "language": "en"}
)
SHIPPED = HybridModel(
    NGRAMS, shipped_structure(), Calibration(1.5, 0.25), about={"name": "mine", "language": "en"}
)


def texts(model: HybridModel, document: Document = PAGE) -> list[str]:
    mask = model.judge(document).mask
    return [segment.text for segment in document if mask[segment.index]]


# judging --------------------------------------------------------------------------------------------


def test_scores_are_the_calibrated_odds_of_the_structure_model() -> None:
    scores = OWN.judge(PAGE).scores
    # by tests/structures.py: -3, 1, 2, -4 nats
    assert (scores * np.log(2)).tolist() == pytest.approx([-7, 1, 3, -9])
    assert texts(OWN) == ["Late again", PROSE]
    # hidden text is judged as all else
    assert texts(OWN, dump_html(f"<p>{PROSE}</p><div hidden><p>{PROSE} Or so they say.</p></div>"))[1:] != []


@pytest.mark.parametrize("model", [OWN, SHIPPED])
def test_thresholds_and_presets(model: HybridModel) -> None:
    scores = model.judge(PAGE).scores
    for threshold in (-100.0, float(scores[1]), 0.0, 100.0):
        found = model.with_threshold(threshold).judge(PAGE)
        assert found.mask.tolist() == (scores >= threshold).tolist()
        np.testing.assert_array_equal(found.scores, scores)
    precise, balanced, whole = (
        model.with_threshold(preset).judge(PAGE).mask for preset in ("precision", "balanced", "recall")
    )
    assert np.all(precise <= balanced) and np.all(balanced <= whole)
    np.testing.assert_array_equal(balanced, model.judge(PAGE).mask)
    # a preset takes a threshold back, and the other way round
    again = model.with_threshold(50.0).with_threshold("recall")
    np.testing.assert_array_equal(again.judge(PAGE).mask, whole)
    for odd in (np.nan, np.inf):
        with pytest.raises(ValueError, match="must be a number"):
            model.with_threshold(odd)


@pytest.mark.parametrize("values", [(0.0, 0.0), (-1.0, 0.0), (np.nan, 0.0), (1.0, np.inf)])
def test_calibrations_that_are_none(values: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="positive slope"):
        Calibration(*values)


def test_an_empty_page() -> None:
    for model in (OWN, SHIPPED):
        found = model.judge(dump_html(""))
        assert found.mask.shape == found.scores.shape == (0,)


# files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [OWN, SHIPPED, OWN.with_threshold(1.5), SHIPPED.with_threshold("recall")])
def test_the_same_bytes_come_back(model: HybridModel, tmp_path: Path) -> None:
    data = model.to_bytes()
    assert header_of(data)["kind"] == "hybrid"
    model.save(tmp_path / "m.ncm")
    for again in (
        HybridModel.from_bytes(data),
        pickle.loads(pickle.dumps(model)),
        load_model(tmp_path / "m.ncm"),
    ):
        assert isinstance(again, HybridModel)
        assert again.to_bytes() == data
        assert (again.calibration, again.threshold, again.balance, again.own) == (
            model.calibration,
            model.threshold,
            model.balance,
            model.own,
        )
        assert (again.name, again.about) == ("mine", {"name": "mine", "language": "en"})
        np.testing.assert_array_equal(again.judge(PAGE).scores, model.judge(PAGE).scores)
        np.testing.assert_array_equal(again.judge(PAGE).mask, model.judge(PAGE).mask)
    assert ("structure" in unpack(data)[1]) == model.own
    assert read_ngrams(tmp_path / "m.ncm").to_bytes() == model.ngrams.to_bytes()
    assert repr(model).startswith("<HybridModel mine: <NGramModel ")


def test_ngrams_alone_are_a_hybrid_with_the_shipped_structure(tmp_path: Path) -> None:
    read_ngrams("pl").save(tmp_path / "pl.ncm")
    for name in ("pl", tmp_path / "pl.ncm"):
        method = load_method("hybrid", name)
        assert isinstance(method, Hybrid)
        model = method.model
        assert (model.name, model.own, model.calibration) == ("pl", False, Calibration())
        assert model.structure.to_bytes() == shipped_structure().to_bytes()
        assert read_ngrams(name).to_bytes() == read_ngrams("pl").to_bytes()


@pytest.mark.parametrize("kind", ["victor", "structure"])
@pytest.mark.parametrize(
    ("method", "wanted"), [("hybrid", "a hybrid or n-grams"), ("ngram", "n-grams or a hybrid")]
)
def test_other_kinds(method: str, wanted: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "x.ncm").write_bytes(model_bytes(kind))
    for name in (kind, tmp_path / "x.ncm"):
        with pytest.raises(ModelError, match=f"holds a model of kind '{kind}', not {wanted}"):
            load_method(method, name)
    with pytest.raises(ModelError, match="no model 'nowhere'"):
        load_method(method, "nowhere")


def changed(header: dict[str, Any], **arrays: Any) -> bytes:
    old, parts = unpack(OWN.to_bytes())
    parts = {**parts, **arrays}
    return pack({**old, **header}, {name: part for name, part in parts.items() if part is not None})


def with_structure(header: dict[str, Any]) -> bytes:
    """The file with another header of its structure model; None leaves a key out."""
    old, tables = unpack(OWN.structure.to_bytes())
    kept = {key: value for key, value in {**old, **header}.items() if value is not None}
    return changed({}, structure=np.frombuffer(pack(kept, tables), np.uint8))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (changed({"balance": "magic"}), "unknown balance 'magic'"),
        (changed({"balance": []}), "not a usable model"),
        (changed({"threshold": "high"}), "not a usable model"),
        (changed({"calibration": {"slope": -1.0, "offset": 0.0}}), "positive slope"),
        (changed({"calibration": {"slope": 1.0, "curve": 0.0}}), "not a usable model"),
        (changed({"calibration": None}), "not a usable model"),
        (changed({}, ngrams=None), "not a usable model"),
        (changed({}, ngrams=np.zeros(9, np.uint8)), "its n-grams"),
        (changed({}, structure=np.zeros(9, np.uint8)), "its structure model"),
        (changed({}, structure=np.frombuffer(NGRAMS.to_bytes(), np.uint8)), "its structure model"),
        (
            with_structure({"hashes": 2}),
            r"x\.ncm \(its structure model\) was trained with version 2 of the hashes",
        ),
        (changed({})[:-1], "damaged"),
        (b"", "not an ncleaner model"),
    ],
)
def test_files_that_are_not_usable(data: bytes, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        HybridModel.from_bytes(data, "x.ncm")


def test_cards(tmp_path: Path) -> None:
    OWN.save(tmp_path / "own.ncm")
    SHIPPED.save(tmp_path / "shipped.ncm")
    own, shipped = (describe(tmp_path / f"{name}.ncm", 5) for name in ("own", "shipped"))
    assert own.startswith("hybrid ") and "\nname       tiny\n" in own
    assert "structure model: of its own; log-odds × 2 " in own and "heading" in own
    assert "structure model: the shipped one; log-odds × 1.5 " in shipped and "heading" not in shipped
    structure().save(tmp_path / "structure.ncm")
    assert "2 for the first judgement, 3 for the second" in describe(tmp_path / "structure.ncm")
    assert "\nen " in model_table()


# the method -----------------------------------------------------------------------------------------


def test_the_method_keeps_what_the_model_does() -> None:
    kept = Hybrid(SHIPPED).keep(PAGE)
    np.testing.assert_array_equal(kept.mask, SHIPPED.judge(PAGE).mask)
    np.testing.assert_array_equal(kept.scores, SHIPPED.judge(PAGE).scores)
    assert kept.remarks == Remarks()


def test_plain_text_has_a_structure_model_of_its_own() -> None:
    menu = "\n".join(["Home", "News", "Log in", "Register", "Contact us"])
    document = dump_text(f"{menu}\n{PROSE}\n{PROSE} Again.\nTerms and conditions\nFollow us")
    model = HybridModel.of_ngrams(read_ngrams("en"))
    kept = Hybrid(model).keep(document)
    assert kept.remarks.fallback == "" and kept.mask.tolist() == [False] * 5 + [True] * 2 + [False] * 2
    # the mean of both log-odds
    assert kept.scores is not None
    sums, counts = model.ngrams.log_odds(document.data, document.segments["start"], document.segments["end"])
    posterior = model.ngrams.decision.statistics(sums, counts)
    odds = shipped_structure("text").judge(document, sums, posterior).odds
    assert kept.scores == pytest.approx(odds / math.log(2) / 2 + posterior / 2)
    # where the statistic is no log-odds given the page, structure alone decides
    ngrams = replace(model.ngrams, decision=replace(model.ngrams.decision, statistic="character"))
    scores = ngrams.decision.statistics(sums, counts)
    alone = HybridModel.of_ngrams(ngrams).judge(document).scores
    assert alone == pytest.approx(shipped_structure("text").judge(document, sums, scores).odds / math.log(2))
    # a calibration is of pages
    calibrated = replace(model, calibration=Calibration(0.1, 9))
    assert Hybrid(calibrated).keep(document).scores == pytest.approx(kept.scores)


def test_a_model_may_leave_plain_text_to_its_ngrams() -> None:
    document = dump_text("\n\n".join(("Home", "News", PROSE, PROSE, "Contact us")))
    model = replace(SHIPPED, text_by_ngrams=True)
    again = HybridModel.from_bytes(model.to_bytes())
    assert again.text_by_ngrams and not HybridModel.from_bytes(SHIPPED.to_bytes()).text_by_ngrams
    kept, alone = Hybrid(again).keep(document), NGram(NGRAMS).keep(document)
    np.testing.assert_array_equal(kept.mask, alone.mask)
    np.testing.assert_array_equal(kept.scores, alone.scores)
    assert Hybrid(SHIPPED).keep(document).scores != pytest.approx(alone.scores)
    # pages are judged as by any other model
    np.testing.assert_array_equal(Hybrid(again).keep(PAGE).scores, Hybrid(SHIPPED).keep(PAGE).scores)


def test_a_line_of_text_is_kept_unless_it_has_the_form_of_a_menu() -> None:
    model = HybridModel.of_ngrams(read_ngrams("en"))
    for line, wanted in (
        ("Hello there, this is a text.", True),
        ("Please enable JavaScript.", True),
        ("Home | News | Log in | Register", False),
        ("(c) 2024 Harbour Gazette", False),
    ):
        assert Hybrid(model).keep(dump_text(line)).mask.tolist() == [wanted], line


def test_a_page_in_letters_the_model_has_never_seen_is_told() -> None:
    greek = dump_html("<p>Το λιμεναρχείο αποφάσισε να φωτίσει ξανά τη βόρεια προκυμαία.</p>" * 8)
    for threshold, unfamiliar in ((-1000.0, True), (1000.0, True)):
        kept = Hybrid(OWN.with_threshold(threshold)).keep(greek)
        assert kept.remarks.unfamiliar == unfamiliar
    assert not Hybrid(OWN.with_threshold(-1000.0)).keep(dump_html(f"<p>{PROSE}</p>" * 8)).remarks.unfamiliar


def test_models_of_ones_own_go_first(tmp_path: Path) -> None:
    OWN.save(tmp_path / "mine.ncm")
    (tmp_path / "structure.ncm").write_bytes(structure().to_bytes())
    models = ByLanguage(entry_of("hybrid").kinds, sorted(tmp_path.glob("*.ncm")))
    own = models["en"]
    assert isinstance(own, HybridModel)
    assert (own.name, own.own) == ("mine", True)
    assert (models["pl"].name, models["pl"].KIND) == ("pl", "ngram")
    assert pickle.loads(pickle.dumps(models))["en"].to_bytes() == models["en"].to_bytes()
    # the n-grams of a hybrid, by themselves
    assert NGramModel.of_model(own).to_bytes() == NGRAMS.to_bytes()


def test_a_preset_is_one_of_the_method_asked_for() -> None:
    method = load_method("hybrid", "en", "recall")
    assert isinstance(method, Hybrid)
    assert method.model.balance == "recall"
    # what decides on plain text keeps its own threshold
    assert method.model.ngrams.decision == read_ngrams("en").decision
    ngram = load_method("ngram", "en", "recall")
    assert isinstance(ngram, NGram)
    assert ngram.model.decision.threshold == read_ngrams("en").decision.presets["recall"]


def test_what_methods_take() -> None:
    for method, model in (("hybrid", NGRAMS), ("hybrid", OWN), ("ngram", OWN), ("ngram", NGRAMS)):
        assert entry_of(method).make(model).name == method
    np.testing.assert_array_equal(
        entry_of("ngram").make(OWN).keep(PAGE).scores, entry_of("ngram").make(NGRAMS).keep(PAGE).scores
    )


def test_cleaners(tmp_path: Path) -> None:
    OWN.save(tmp_path / "mine.ncm")
    html = f"<ul><li><a href=/>Home</a></ul><h2>Late again</h2><p>{PROSE}</p><p>All rights reserved.</p>"
    expected = f"Late again\n{PROSE}"
    for cleaner in (Cleaner(model=OWN), Cleaner(model=tmp_path / "mine.ncm")):
        assert cleaner.clean(html) == expected
        assert pickle.loads(pickle.dumps(cleaner)).clean(html) == expected
    assert Cleaner(model=tmp_path).clean(f"<html lang=en>{html}") == expected
    assert Cleaner(model=OWN, threshold=1000.0).clean(html) == ""
    assert "HybridModel mine" in repr(Cleaner(model=OWN))


@pytest.mark.parametrize("method", ["hybrid", "ngram"])
def test_cleaners_by_language_pickle(method: str) -> None:
    cleaner = Cleaner(method, "auto")
    assert pickle.loads(pickle.dumps(cleaner)).clean(f"<p>{PROSE}") == cleaner.clean(f"<p>{PROSE}")


def test_the_trainer_is_not_needed_to_clean() -> None:
    code = (
        "import sys; sys.modules['lightgbm'] = sys.modules['pycrfsuite'] = None\n"
        "import ncleaner; print(ncleaner.clean(sys.argv[1]), 'rapidfuzz' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-P", "-c", code, f"<h1>Late</h1><p>{PROSE}"], capture_output=True, text=True
    )
    assert PROSE in result.stdout, result.stderr


def test_the_shipped_structure_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert HybridModel.of_ngrams(NGRAMS).structure is HybridModel.of_ngrams(read_ngrams("pl")).structure
    monkeypatch.setattr(hybrid, "shipped_structure", lambda: structure(name="other"))
    assert HybridModel.of_ngrams(NGRAMS).structure.name == "other"


def test_a_few_words_without_links_are_kept_whole() -> None:
    assert ncleaner.clean("<h1>Title</h1><p>Hello</p><p>world</p><p hidden>no</p>") == "Title\nHello\nworld"
    assert ncleaner.clean("<h1>404 Not Found</h1><center>nginx</center>") == ""
    assert "Home" not in ncleaner.clean("<nav><a href=/>Home</a></nav><p>The ferry sails again today.</p>")
