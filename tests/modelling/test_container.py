from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.models import summed
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ncleaner.errors import ModelError, OutputError
from ncleaner.methods.choice import load_model
from ncleaner.modelling.container import header_of, pack, unpack
from ncleaner.modelling.files import model_bytes, shipped_models
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import Structure

TYPES = ["u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f4", "<f8"]
DATA = pack(
    {"kind": "k", "größe": [1, None]}, {"a": np.arange(6, dtype="<i2").reshape(2, 3), "b": np.ones(2)}
)


@given(
    table=st.sampled_from(TYPES).flatmap(
        lambda kind: arrays(kind, array_shapes(max_dims=2, min_side=0, max_side=5))
    )
)
def test_any_array_comes_back(table: Any) -> None:
    header, found = unpack(pack({"kind": "k"}, {"x": table}))
    assert header == {"kind": "k"}
    assert found["x"].dtype == table.dtype
    assert found["x"].shape == table.shape
    assert found["x"].tobytes() == table.tobytes()


def test_order_and_header_come_back() -> None:
    header, found = unpack(DATA)
    assert header == {"kind": "k", "größe": [1, None]}
    assert list(found) == ["a", "b"]
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert header_of(DATA)["kind"] == "k"


def test_big_endian_arrays_are_stored_little() -> None:
    assert pack({"kind": "k"}, {"x": np.arange(3, dtype=">u4")}) == pack(
        {"kind": "k"}, {"x": np.arange(3, dtype="<u4")}
    )


@pytest.mark.parametrize(
    "table", [np.zeros((1, 1, 1)), np.array(1), np.array(["a"]), np.array([None]), np.array([1j])]
)
def test_arrays_that_have_no_place(table: Any) -> None:
    with pytest.raises(ValueError, match="array x"):
        pack({"kind": "k"}, {"x": table})


def test_another_kind() -> None:
    with pytest.raises(ModelError, match="m holds a model of kind 'k', not n-grams"):
        NGramModel.from_bytes(DATA, "m")
    with pytest.raises(ModelError, match="m holds a model of kind 'k', not a structure model"):
        Structure.from_bytes(DATA, "m")


@pytest.mark.parametrize(
    "change",
    [
        {"length": -1}, {"length": 1}, {"length": 10**12}, {"length": 2.0}, {"shape": []}, {"shape": [1, 1, 2]},
        {"shape": [-1, -2]}, {"shape": None}, {"shape": [True, 2]}, {"dtype": "|O"}, {"dtype": []}, {"bytes": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_an_entry_that_does_not_fit(change: dict[str, Any]) -> None:
    whole = pack({"kind": "k"}, {"x": np.ones(2)})
    length = struct.unpack_from("<8sHHII", whole)[3]
    header = json.loads(whole[20 : 20 + length])
    header["arrays"][0] |= change
    text = json.dumps(header).encode()
    with pytest.raises(ModelError, match="not a usable model"):
        unpack(summed(text, whole[20 + length :]))


def test_shipped_models_keep_their_bytes() -> None:
    for name in shipped_models():
        assert load_model(name).to_bytes() == model_bytes(name)


def test_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    model = load_model("lines")
    model.save(tmp_path / "m.ncm")
    assert [path.name for path in tmp_path.iterdir()] == ["m.ncm"]
    assert (tmp_path / "m.ncm").read_bytes() == model.to_bytes()
    with pytest.raises(OutputError, match="cannot write the model"):
        model.save(tmp_path / "nowhere" / "m.ncm")
