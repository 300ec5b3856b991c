from __future__ import annotations

import numpy as np
import pytest

from ncleaner import Cleaner
from ncleaner.explaining import background
from ncleaner.explaining.background import counts_file, has_counts, page_counts, paths_of
from ncleaner.explaining.explain import explain
from ncleaner.explaining.structural import look
from ncleaner.methods.choice import read_ngrams
from ncleaner.modelling.container import unpack
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.structure import load_structure

from ..structures import page_html, structure


def test_the_shipped_structure_model_has_its_background() -> None:
    """If this fails, the structure model is new: `python scripts/count_leaves.py GOLD` counts again."""
    model = load_structure()
    assert has_counts(model)
    assert not has_counts(structure())


def test_a_file_of_counts() -> None:
    model = structure()
    counts = {name: np.arange(len(trees.leaves)) for name, trees in model.trees().items()}
    data = counts_file(model, counts, {"pages": 1})
    assert data == counts_file(model, counts, {"pages": 1})
    header, arrays = unpack(data, "x")
    assert header["kind"] == "counts" and header["pages"] == 1
    assert {name: values.tolist() for name, values in arrays.items()} == {
        name: values.tolist() for name, values in counts.items()
    }


def test_a_model_of_ones_own_is_compared_with_the_page() -> None:
    model = HybridModel(read_ngrams("en"), structure())
    found = explain(page_html(4), Cleaner(model=model))
    assert found.explained
    for why in found.segments:
        assert why.base is not None
        total = why.base + sum(reason.bits for reason in (*why.features, *why.steps))
        assert total == pytest.approx(why.score, abs=1e-9)
    assert {reason.name for why in found.segments for reason in why.first} >= {"words", "link-density"}
    assert {reason.name for why in found.segments for reason in why.features} >= {
        "first",
        "first+1",
        "heading",
    }


def test_tests_are_made_once_for_a_shipped_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model, document = load_structure(), Cleaner().document(page_html(3))
    zeros = np.zeros(len(document))
    looks = look(model, document, zeros, zeros)
    first = paths_of(model, "first", looks)
    assert paths_of(model, "first", looks) is first
    monkeypatch.setattr(background, "has_counts", lambda model: False)
    assert paths_of(model, "first", looks) is not first
    assert page_counts(model, looks)["first"].sum() == len(document) * len(model.first.sizes)
