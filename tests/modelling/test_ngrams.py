from __future__ import annotations

import json
import pickle
import struct
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unicodedata import normalize as form

import numpy as np
import pytest
from fuzz.models import remade, summed
from hypothesis import example, given
from hypothesis import strategies as st

from ncleaner.cli.cards import card_text, model_table
from ncleaner.errors import ModelError
from ncleaner.lab.training.counting import GramCounter, two_sides
from ncleaner.lab.training.ngrams import learned_alphabet
from ncleaner.methods.choice import read_ngrams
from ncleaner.modelling.decision import Decision
from ncleaner.modelling.files import model_bytes, shipped_models
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.versions import MODELS

from ..test_ngram import CLEAN, DIRTY, model_of

MODEL = model_of(CLEAN, DIRTY, 3, 0.5)
DATA = MODEL.to_bytes()


def same(one: NGramModel, other: NGramModel) -> bool:
    return one.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("order", [1, 3, 8])
def test_round_trip(order: int) -> None:
    model = model_of(CLEAN, DIRTY, order, 0.3, "nonlexical").with_parameters(threshold=-0.25)
    model.about["name"] = "Größe"
    again = NGramModel.from_bytes(model.to_bytes())
    assert same(model, again)
    assert (again.order, again.q, again.alphabet.name, again.decision.threshold) == (
        order,
        0.3,
        "nonlexical",
        -0.25,
    )
    assert again.about == {"name": "Größe"}
    assert (
        again.log_probabilities("ferry", "clean").tolist()
        == model.log_probabilities("ferry", "clean").tolist()
    )


def test_same_model_same_bytes() -> None:
    assert model_of(CLEAN, DIRTY, 3, 0.5).to_bytes() == DATA


def test_pickles_by_its_bytes() -> None:
    assert same(pickle.loads(pickle.dumps(MODEL)), MODEL)


def test_save_and_load(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "m.ncm")
    assert [path.name for path in tmp_path.iterdir()] == ["m.ncm"]
    assert same(read_ngrams(tmp_path / "m.ncm"), MODEL)
    assert same(read_ngrams(str(tmp_path / "m.ncm")), MODEL)


@given(texts=st.lists(st.text(max_size=60), max_size=12), name=st.sampled_from(shipped_models("ngram")))
def test_any_text_has_finite_statistics(texts: list[str], name: str) -> None:
    parts = [text.encode("utf-8", "replace") for text in texts]
    ends = np.cumsum([len(part) for part in parts]).astype(np.uint32)
    starts = ends - np.array([len(part) for part in parts], np.uint32)
    found = LOADED.setdefault(name, read_ngrams(name)).statistics(b"".join(parts), starts, ends)
    assert found.shape == (len(parts),)
    assert np.isfinite(found).all()


LOADED: dict[str, NGramModel] = {}


def test_with_parameters() -> None:
    shorter = MODEL.with_parameters(order=2, q=0.9, threshold=1.0)
    assert (shorter.order, shorter.q, shorter.decision.threshold, len(shorter.levels)) == (2, 0.9, 1.0, 2)
    expected = model_of(CLEAN, DIRTY, 2, 0.9)
    text = CLEAN[0]
    assert shorter.log_probabilities(text, "clean") == pytest.approx(
        expected.log_probabilities(text, "clean")
    )
    with pytest.raises(ValueError, match="orders 1 to 3"):
        MODEL.with_parameters(order=4)


def forged(change: dict[str, object]) -> bytes:
    """A file whose checksums are right and whose header says something else."""
    header, tables = opened()
    return summed(json.dumps({**header, **change}).encode(), tables)


def opened() -> tuple[dict[str, Any], bytes]:
    length = struct.unpack_from("<8sHHII", DATA)[3]
    return json.loads(DATA[20 : 20 + length]), DATA[20 + length :]


# parts of a decision that are none
DECISIONS: list[dict[str, object]] = [
    {"statistic": "word"},
    {"threshold": "high"},
    {"threshold": float("nan")},
    {"slope": None},
    {"stay_clean": 1.0},
    {"to_clean": 0},
    {"presets": []},
    {"presets": {"recall": "low"}},
]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "hybrid"},
        {"order": 9},
        {"order": 4},
        {"order": 0},
        {"order": 10**30},
        {"order": float("inf")},
        {"order": "three"},
        {"q": 2},
        {"alphabet": {"name": "runes", "size": 3}},
        {"alphabet": {"name": "ascii", "size": 3}},
        {"arrays": []},
        {"arrays": [{"array": "keys1", "dtype": "|O", "length": 1, "bytes": 4}]},
        {"arrays": None},
        {"decision": None},
        {"decision": {}},
        *({"decision": {**asdict(Decision("page")), **change}} for change in DECISIONS),
        {"alphabet": {"name": "learned", "size": 3}},
        {"alphabet": {"name": "learned", "size": 18, "characters": "", "cased": True}},
        {"alphabet": {"name": "learned", "size": 19, "characters": "aa", "cased": True}},
        {"alphabet": {"name": "learned", "size": 19, "characters": "a b", "cased": True}},
        {"alphabet": ["ascii"]},
        {"alphabet": {"name": ["ascii"], "size": 96}},
    ],
    ids=str,
)
def test_a_header_that_does_not_fit_its_tables(change: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        NGramModel.from_bytes(forged(change), "forged")


@pytest.mark.parametrize(
    "text", [b"[]", b"null", b"{", b'"\xff"', b"{}", b"[" * 100_000], ids=lambda text: str(text[:8])
)
def test_a_header_that_is_none(text: bytes) -> None:
    with pytest.raises(ModelError, match="not a usable model"):
        NGramModel.from_bytes(summed(text, b""))


def with_tables(change: dict[str, list[int]]) -> bytes:
    """A file with other numbers in some of its arrays."""
    return remade(DATA, arrays={name: np.array(values, "<u8") for name, values in change.items()})


def test_other_numbers_are_read() -> None:
    level = MODEL.levels[0]
    doubled = NGramModel.from_bytes(with_tables({"clean1": (2 * level.clean).tolist()}))
    assert doubled.levels[0].clean.tolist() == (2 * level.clean).tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"clean1": [1, 2]},
        {"keys1": [], "clean1": [], "dirty1": []},
        {"keys1": [1, 0], "clean1": [1, 1], "dirty1": [1, 1]},
        {"keys1": [1, 2**64 - 1], "clean1": [1, 1], "dirty1": [1, 1]},
        {"keys1": [96], "clean1": [1], "dirty1": [1]},
        {"keys3": [5], "clean3": [1], "dirty3": [1]},
        {"keys3": [2**63], "clean3": [1], "dirty3": [1]},
        {"keys3": [int(MODEL.levels[2].keys[0])], "clean3": [2**63], "dirty3": [1]},
    ],
    ids=["lengths", "empty", "twice", "falling", "symbol", "suffix", "too long", "negative"],
)
def test_tables_that_cannot_be(change: dict[str, list[int]]) -> None:
    with pytest.raises(ModelError, match="not a usable model"):
        NGramModel.from_bytes(with_tables(change))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "ascii", "keys1", "<u4", "ngram"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "size", "array", "pages", "precision", "blocks"]), inner)
    ),
    max_leaves=6,
)


@given(key=st.sampled_from([*opened()[0], "training", "validation"]), value=JSON)
@example(key="training", value={"pages": "many"})
@example(key="training", value={"blocks": {"o": "many"}})
@example(key="validation", value={"precision": [1]})
def test_any_value_in_the_header(key: str, value: object) -> None:
    try:
        model = NGramModel.from_bytes(forged({key: value}))
    except ModelError:
        return
    assert np.isfinite(model.log_probabilities("ferry", "clean")).all()
    assert np.isfinite(model.ratio.values(model.alphabet.encoder, b"ferry")).all()
    assert card_text(model.card())


def test_newer_format_says_what_to_do() -> None:
    newer = DATA[:8] + struct.pack("<H", MODELS + 1) + DATA[10:]
    with pytest.raises(ModelError, match=r"format 2.*install a newer ncleaner"):
        NGramModel.from_bytes(newer)


@pytest.mark.parametrize("content", [b"", b"not a model", b"PK\x03\x04" * 100])
def test_foreign_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.ncm").write_bytes(content)
    with pytest.raises(ModelError, match="is not an ncleaner model"):
        read_ngrams(tmp_path / "x.ncm")


def test_no_such_model() -> None:
    with pytest.raises(
        ModelError, match=r"no model 'xx': the shipped ones are de, el, en, nonlexical, pl, ru, zh$"
    ):
        read_ngrams("xx")


def test_a_learned_alphabet_is_stored() -> None:
    symbols = learned_alphabet(["Φέρρι, ferry 12"], size=7)
    counter = GramCounter(symbols, 2)
    data = "Το φέρρι".encode()
    counter.add(data, np.array([0]), np.array([len(data)]))
    model = NGramModel(2, 0.5, symbols, two_sides(counter.tallies(), counter.tallies(), False))
    again = NGramModel.from_bytes(model.to_bytes())
    assert same(model, again)
    assert again.alphabet.characters == symbols.characters
    assert (again.alphabet.pages[again.alphabet.index] == symbols.pages[symbols.index]).all()


def test_a_model_card_shows_what_was_learned() -> None:
    card = card_text(read_ngrams("en").card(5))
    assert "learned, 77 symbols" in card
    assert "most informative of clean text" in card
    clean, dirty = card.split("most informative of dirty text")
    assert len([line for line in dirty.splitlines() if line.startswith("  ")]) == 6
    assert all(" -" in line for line in dirty.splitlines()[2:])
    assert "␣" in clean


def test_strange_scripts() -> None:
    model = read_ngrams("el")
    assert model.unfamiliarity("Ζούμε σε μια εποχή εξαιρετικά δύσκολη.".encode()) < 0.05
    assert model.unfamiliarity("ฉันรักภาษาไทย".encode()) > 0.9
    assert model.unfamiliarity(b"") == model.unfamiliarity(b"12 | 34") == 0.0


def test_composed_and_decomposed_text_score_alike() -> None:
    model = read_ngrams("el")
    texts = [form("NFC", "Ζούμε σε μια εποχή."), form("NFD", "Ζούμε σε μια εποχή."), "Άλλο"]
    assert len(texts[0]) < len(texts[1])
    data = "\n".join(texts).encode()
    ends = np.cumsum([len(text.encode()) + 1 for text in texts]).astype(np.uint32)
    starts = np.concatenate(([0], ends[:-1])).astype(np.uint32)
    odds, counts = model.log_odds(data, starts, ends - 1)
    assert odds[0] == odds[1]
    assert counts.tolist() == [20, 20, 5]


def test_shipped_models() -> None:
    assert shipped_models("ngram") == ["de", "el", "en", "nonlexical", "pl", "ru", "zh"]
    table = model_table()
    for name in shipped_models("ngram"):
        data = model_bytes(name)
        model = read_ngrams(name)
        assert model.to_bytes() == data
        assert len(data) < 1_000_000
        assert model.about["training"]["pages"] >= 50
        assert model.about["validation"]["f_score"] > 0.7
        assert name in table


def test_a_clean_segment_scores_above_a_dirty_one() -> None:
    data = b"The committee will meet again on Thursday to decide what happens next.\nHome | Contact | Login"
    odds, counts = read_ngrams("en").log_odds(
        data, np.array([0, 71], np.uint32), np.array([70, 93], np.uint32)
    )
    assert odds[0] > 0 > odds[1]
    assert counts.tolist() == [71, 23]
