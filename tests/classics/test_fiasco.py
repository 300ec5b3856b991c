from __future__ import annotations

import numpy as np
import pytest

from ncleaner.classics.fiasco import FIASCO_FEATURES, Fiasco, FiascoModel, target_nodes
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError
from ncleaner.methods.choice import load_model
from ncleaner.modelling.container import pack

PROSE = "The harbour board has decided that the ferry will sail until the end of May."


def model(**weights: float) -> FiascoModel:
    values = np.array([weights.get(name, 0.0) for name in FIASCO_FEATURES], np.float32)
    return FiascoModel(values, weights.get("bias", 0.0), ("home", "terms"))


def test_target_nodes_have_a_tenth_of_their_text() -> None:
    # ten characters of the <div> itself, 90 and then 91 in its paragraph
    for number, expected in ((90, [0, 1]), (91, [0, 1])):
        document = dump_html(f"<div>{'a' * 10}<p>{'b' * number}</p></div>")
        assert target_nodes(document).of_segment.tolist() == expected
    document = dump_html(f"<div>{'a' * 10}<section><span>x</span><p>{'b' * 80}</p></section></div>")
    nodes = target_nodes(document)
    # <section> has too little text of its own; its text belongs to the <div>
    assert nodes.of_segment.tolist() == [0, 0, 1]
    assert nodes.words[0] == ["a" * 10, "x"]


def test_features() -> None:
    document = dump_html(f"<div><h2>Ferry</h2><p>{PROSE} <a href=/>Home</a></p></div>")
    nodes = target_nodes(document)
    values = {
        name: column.tolist() for name, column in zip(FIASCO_FEATURES, model().values(nodes).T, strict=True)
    }
    assert values["characters"] == pytest.approx([np.log1p(5), np.log1p(66)])
    assert values["words"] == pytest.approx([np.log1p(1), np.log1p(16)])
    assert values["types"] == pytest.approx([np.log1p(1), np.log1p(14)])
    assert values["sentences"] == pytest.approx([0, np.log1p(1)])
    assert values["keywords"] == pytest.approx([0, 1 / 16])
    assert values["depth"] == [3, 3] and values["heading"] == [1, 0] and values["paragraph"] == [0, 1]
    assert values["links"] == pytest.approx([0, 4 / 66])
    assert values["position"] == [0, 0.5]
    assert values["share"] == pytest.approx([5 / 71, 66 / 71])


def test_the_linear_function_decides() -> None:
    document = dump_html(f"<ul><li><a href=/>Home</a></ul><p>{PROSE}")
    found = Fiasco(model(links=-2.0, bias=1.0)).keep(document)
    assert found.mask.tolist() == [False, True]
    assert found.scores is not None and found.scores.tolist() == [-1.0, 1.0]
    stricter = model(links=-2.0, bias=1.0).with_threshold(1.5)
    assert not Fiasco(stricter).keep(document).mask.any()
    assert Fiasco(model()).keep(dump_text("One.")).remarks.fallback == "everything"
    assert Fiasco(model()).keep(dump_html("")).mask.shape == (0,)


def test_file() -> None:
    shipped = load_model("fiasco")
    assert isinstance(shipped, FiascoModel) and "cookies" in shipped.keywords
    data = shipped.to_bytes()
    again = FiascoModel.from_bytes(data)
    assert again.to_bytes() == data and "keywords" in repr(again)
    assert len(again.card(3).tables[1].rows) == 3
    with pytest.raises(ModelError, match="no preset 'recall'"):
        shipped.with_threshold("recall")


@pytest.mark.parametrize(
    ("changes", "size"),
    [({"features": ["words"]}, len(FIASCO_FEATURES)), ({}, 3), ({"bias": "x"}, len(FIASCO_FEATURES))],
)
def test_damaged_files(changes: dict[str, object], size: int) -> None:
    header = {
        "kind": "fiasco",
        "features": list(FIASCO_FEATURES),
        "bias": 0.0,
        "keywords": [],
        "threshold": 0.0,
    }
    with pytest.raises(ModelError):
        FiascoModel.from_bytes(pack({**header, **changes}, {"weights": np.zeros(size, np.float32)}))
