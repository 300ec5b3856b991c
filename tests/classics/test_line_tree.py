from __future__ import annotations

import numpy as np
import pytest

from ncleaner.classics.line_tree import CLASSES, LINES_FEATURES, Lines, LinesModel, line_features
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError
from ncleaner.methods.choice import load_model
from ncleaner.modelling.container import pack

PROSE = "The harbour board has decided that the ferry will sail until the end of May."


def tree(**changes: list[float]) -> dict[str, object]:
    """A tree: at most 3 words, then n; else in an <li>, l; else p."""
    parts: dict[str, list[float]] = {
        "tests": [1, 0, LINES_FEATURES.index("tag.li") + 1, 0, 0],
        "values": [3, 0, 0.5, 0, 0],
        "left": [1, 0, 3, 0, 0],
        "right": [2, 0, 4, 0, 0],
        "classes": [0, 3, 0, 0, 2],
    }
    kinds = {"values": np.float32, "classes": np.uint8}
    return {
        name: np.array(changes.get(name, part), kinds.get(name, np.uint16)) for name, part in parts.items()
    }


def model(**changes: list[float]) -> LinesModel:
    header = {"kind": "lines", "features": list(LINES_FEATURES), "classes": CLASSES}
    return LinesModel.from_bytes(pack(header, tree(**changes)))  # type: ignore[arg-type]


def test_features() -> None:
    document = dump_html(f"<div><p>{PROSE}</p></div><ul><li><a href=/>Two Words</a></ul>")
    values = {
        name: column.tolist() for name, column in zip(LINES_FEATURES, line_features(document).T, strict=True)
    }
    assert values["words"] == [15, 2]
    assert values["word-length"] == pytest.approx([62 / 15, 4])
    assert values["capitals"] == pytest.approx([2 / 15, 1])
    assert values["punctuation"] == pytest.approx([1 / 15, 0])
    assert values["sentences"] == [1, 0] and values["links"] == [0, 1]
    assert values["tag.p"] == [1, 0] and values["tag.li"] == [0, 1]
    assert values["parent.div"] == [1, 0] and values["parent.p"] == [0, 0]


def test_the_tree_gives_classes() -> None:
    document = dump_html(f"<p>{PROSE}<p>Three words only<ul><li>An item of a list</ul>")
    found = Lines(model()).keep(document)
    assert found.mask.tolist() == [True, False, True]
    assert found.marks is not None and bytes(found.marks[found.mask]) == b"pl"


def test_the_rule_takes_lines_of_some_length() -> None:
    document = dump_html(f"<p>{PROSE}<p>Title<p>ab<li>{PROSE}")
    found = Lines(model(), tree=False).keep(document)
    assert found.mask.tolist() == [True, True, False, True]
    assert found.marks is not None and bytes(found.marks[found.mask]) == b"php"
    # plain text has no elements for the tree
    assert Lines(model()).keep(dump_text(f"{PROSE}\n\nab")).mask.tolist() == [True, False]
    assert Lines(model()).keep(dump_html("")).mask.shape == (0,)


def test_file() -> None:
    shipped = load_model("lines")
    assert isinstance(shipped, LinesModel)
    data = shipped.to_bytes()
    again = LinesModel.from_bytes(data)
    assert again.to_bytes() == data and "nodes" in repr(again)
    assert [name for name, _ in again.card().facts] == ["name", "language", "model", "training", "sources"]
    with pytest.raises(ModelError, match="no threshold"):
        shipped.with_threshold(1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"tests": [1, 0, 99, 0, 0]},
        {"left": [0, 0, 3, 0, 0]},
        {"right": [9, 0, 4, 0, 0]},
        {"classes": [0, 4, 0, 0, 2]},
        {"values": [3, 0]},
        {"tests": [], "values": [], "left": [], "right": [], "classes": []},
    ],
)
def test_damaged_trees(changes: dict[str, list[float]]) -> None:
    with pytest.raises(ModelError):
        model(**changes)
