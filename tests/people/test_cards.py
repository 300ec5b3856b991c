from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ncleaner.errors import ModelError
from ncleaner.methods.choice import fingerprint, read_ngrams
from ncleaner.modelling.files import model_bytes
from ncleaner.people.cards import card_text


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


@pytest.mark.parametrize("order", [1, 2, 3])
def test_models_of_any_order_can_be_shown(order: int) -> None:
    said = card_text(read_ngrams("en").with_parameters(order=order).card(number=2))
    assert f"n, q       {order}, " in said
    assert len(said.partition("most informative of dirty text:")[2].splitlines()) == 4
