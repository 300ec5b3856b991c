from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document.kept import KINDS
from ncleaner.document.tags import HASHES_VERSION
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError, OutputError
from ncleaner.methods.choice import load_model, read_ngrams
from ncleaner.modelling import structure as structures
from ncleaner.modelling._terms import phrase_hashes
from ncleaner.modelling.container import header_of, pack, unpack
from ncleaner.modelling.features import FEATURES, PAGE_FEATURES, WEIGHTS
from ncleaner.modelling.files import model_bytes
from ncleaner.modelling.structure import STEP, Stock, Structure, Trees, shipped_structure

from ..structures import structure, stumps
from ..tables import with_tables

MODEL = structure(name="by-hand", sources="none")
DATA = MODEL.to_bytes()
PAGE = dump_html(
    "<ul><li><a href=/>Home</a></ul><h2>Late again</h2><p>The ferry was late again, and nobody knew why.</p>"
    "<p><a href=/>Read all that we have written about ferries</a></p>"
)

# judging --------------------------------------------------------------------------------------------


def test_the_second_judgement_sees_the_first_of_its_neighbours() -> None:
    zeros = np.zeros(len(PAGE))
    odds = MODEL.judge(PAGE, zeros, zeros).odds
    # the first is plain at first sight, which stands; the heading is judged by the text behind it
    assert [s.kind for s in PAGE] == ["l", "h", "p", "p"]
    assert odds.tolist() == [-3, 1, 4, 2]
    assert MODEL.judge(dump_html(""), np.zeros(0), np.zeros(0)).odds.shape == (0,)


def test_what_the_ngrams_say_is_a_feature() -> None:
    model = Structure(np.zeros(WEIGHTS, np.float32), stumps(), stumps(("odds", 0, 0.0, -1.0, 1.0)))
    odds = np.array([-1.0, 1.0, 0.0, 2.0])
    assert model.judge(PAGE, odds, np.zeros(4)).odds.tolist() == [-1, 1, -1, 1]


def test_what_is_clear_after_some_trees_is_not_looked_at_further() -> None:
    zeros = np.zeros(len(PAGE))
    steps = [("heading", 0, 0.5, 0.05, 0.2)] * 20
    model = Structure(np.zeros(WEIGHTS, np.float32), stumps(), stumps(*steps, ("words", 0, 0.0, 0.0, -1.0)))
    # the heading has 4 nats by then, the others 1
    assert model.judge(PAGE, zeros, zeros).odds == pytest.approx(np.array([0, 4, 0, 0]), abs=1e-6)


def page_stumps(*values: tuple[float, float]) -> Trees:
    """A tree for each kind: log-odds of pages of up to 20 words per segment, and of others."""
    size = len(KINDS)
    found = [values[number] if number < len(values) else (-30.0, -30.0) for number in range(size)]
    return Trees.of_columns(
        {
            "features": [PAGE_FEATURES.index("words by mass")] * size,
            "rows": [0] * size,
            "thresholds": [20.0] * size,
            "left": [-1] * size,
            "right": [-2] * size,
            "leaves": [leaf for pair in found for leaf in pair],
            "sizes": [1] * size,
        }
    )


LONG = dump_html(f"<h2>Late again</h2><p>{'The ferry was late again. ' * 10}</p>")


def test_articles_have_a_forest_of_their_own() -> None:
    model = Structure(
        MODEL.weights,
        stumps(("words", 0, 0.0, 0.0, 3.0)),
        stumps(("words", 0, 8.0, -1.0, 2.0)),
        page_stumps((0.0, 9.0), (9.0, 0.0)),
        stumps(("kind-article", 0, 0.5, 0.0, -4.0)),
    )
    found = model.judge(PAGE, np.zeros(4), np.zeros(4))
    assert found.kinds.sum() == pytest.approx(1)
    assert KINDS[int(found.kinds.argmax())] == "forum"
    assert found.odds.tolist() == [-1, -1, 2, -1]
    found = model.judge(LONG, np.zeros(2), np.zeros(2))
    assert KINDS[int(found.kinds.argmax())] == "article"
    assert found.odds.tolist() == [-4, -4]
    again = Structure.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    np.testing.assert_array_equal(again.judge(LONG, np.zeros(2), np.zeros(2)).kinds, found.kinds)


def test_news_are_judged_as_articles_whatever_they_look_like() -> None:
    general, articles = stumps(("words", 0, 0.0, 0.0, -1.0)), stumps(("words", 0, 0.0, 0.0, 3.0))
    first, kinds = stumps(("words", 0, 0.0, 0.0, 3.0)), page_stumps((0.0, 0.0), (9.0, 9.0))
    zeros = np.zeros(4)
    model = Structure(MODEL.weights, first, general, kinds, articles)
    assert model.judge(PAGE, zeros, zeros).odds.tolist() == [-1] * 4
    found = model.judge(PAGE, zeros, zeros, news=True)
    assert found.odds.tolist() == [3] * 4
    # the page's kind is still what it looks like
    assert KINDS[int(found.kinds.argmax())] == "forum"
    # a model that knows no articles judges as ever
    model = Structure(MODEL.weights, first, general)
    assert model.judge(PAGE, zeros, zeros, news=True).odds.tolist() == [-1] * 4


def test_between_articles_and_others_the_two_forests_are_mixed() -> None:
    # the probability of an article is 4 of 5
    model = Structure(
        MODEL.weights,
        stumps(("words", 0, 0.0, 0.0, 3.0)),
        stumps(("words", 0, 0.0, 0.0, -1.0)),
        page_stumps((float(np.log(4)), 0.0), (0.0, 0.0)),
        stumps(("words", 0, 0.0, 0.0, 3.0)),
    )
    found = model.judge(PAGE, np.zeros(4), np.zeros(4))
    assert found.kinds[0] == pytest.approx(0.8)
    assert found.odds == pytest.approx(np.ones(4))


def test_a_page_without_boilerplate_stays_whole_but_for_links_and_menus() -> None:
    page = dump_html(
        "<nav><p>Tides</p></nav><h2>Late again</h2><p>The ferry was late again.</p><p><a href=/>Read more</a></p>"
    )
    model = Structure(
        MODEL.weights,
        stumps(("words", 0, 0.0, 0.0, 3.0)),
        stumps(("words", 0, 0.0, 0.0, -1.0)),
        page_stumps(*[(-30.0, -30.0)] * 7, (0.0, 0.0)),
    )
    found = model.judge(page, np.zeros(4), np.zeros(4))
    assert found.kinds[KINDS.index("fragment")] == pytest.approx(1)
    assert found.odds == pytest.approx(np.array([-1, 2, 2, -1]))


def test_a_stock_phrase_goes_wherever_it_is() -> None:
    page = dump_html(
        "<title>Tides</title><h1>Tides</h1><p>The ferry was late again.</p><p>ADVERTISEMENT</p><p>tides</p>"
    )
    hashes = phrase_hashes(page.tables).tolist()
    stock = Stock.of({hashes[2]: 3, hashes[3]: 4})
    model = Structure(
        MODEL.weights, stumps(("words", 0, 0.0, 0.0, 1.0)), stumps(("words", 0, 0.0, 0.0, 2.0)), stock=stock
    )
    zeros = np.zeros(len(page))
    assert [s.zone for s in page] == ["headline", "", "", ""]
    # the headline stays, whatever its words are
    assert model.judge(page, zeros, zeros).odds.tolist() == [2, 2, -1, -2]
    again = Structure.from_bytes(model.to_bytes())
    assert again.judge(page, zeros, zeros).odds.tolist() == [2, 2, -1, -2]


# the file -------------------------------------------------------------------------------------------


def test_the_same_bytes_come_back(tmp_path: Path) -> None:
    model = Structure.from_bytes(DATA)
    assert model.to_bytes() == DATA
    assert pickle.loads(pickle.dumps(model)).to_bytes() == DATA
    assert header_of(DATA)["kind"] == "structure"
    assert (model.name, model.about) == ("by-hand", {"name": "by-hand", "sources": "none"})
    assert repr(model) == "<Structure by-hand: 2 and 3 trees>"
    assert structure().name == "unnamed"
    np.testing.assert_array_equal(model.weights, MODEL.weights)
    zeros = np.zeros(len(PAGE))
    for found, wanted in zip(model.judge(PAGE, zeros, zeros), MODEL.judge(PAGE, zeros, zeros), strict=True):
        np.testing.assert_array_equal(found, wanted)
    MODEL.save(tmp_path / "m.ncm")
    assert load_model(tmp_path / "m.ncm").to_bytes() == DATA
    with pytest.raises(OutputError, match="cannot write"):
        MODEL.save(tmp_path / "nowhere" / "m.ncm")


def test_weights_are_kept_in_steps() -> None:
    weights = np.arange(WEIGHTS, dtype=np.float32) % 50 * np.float32(STEP) - 1
    model = Structure(weights, stumps(), stumps())
    np.testing.assert_array_equal(Structure.from_bytes(model.to_bytes()).weights, weights)


def test_numbers_that_do_not_fit_into_a_file() -> None:
    with pytest.raises(ValueError, match="second: rows is out of range"):
        Structure(MODEL.weights, MODEL.first, stumps(("words", 200, 0.0, 1.0, 2.0))).to_bytes()


def changed(header: dict[str, Any] | None = None, **tables: Any) -> bytes:
    """The file with other tables, its checksums in order; None leaves a table out."""
    old, arrays = unpack(DATA)
    arrays = {**arrays, **{name.replace("_", "."): table for name, table in tables.items()}}
    return pack(
        {**old, **(header or {})}, {name: table for name, table in arrays.items() if table is not None}
    )


ODD_TABLES: list[dict[str, Any]] = [
    {"weights": None},
    {"weights": np.zeros(3, "<i2")},
    {"weights": np.zeros((2, WEIGHTS // 2), "<i2")},
    {"first_features": None},
    {"first_features": np.array([9999, 0], "<u2")},
    {"first_features": np.zeros((2, 2), "<u2")},
    {"first_features": np.array([0.5, 0.0])},
    {"first_features": np.zeros(1, "<u2")},
    {"first_left": np.array([0, -1], "<i2")},
    {"first_left": np.array([-9, -1], "<i2")},
    {"first_left": np.array([[-1, -1]], "<i2")},
    {"first_right": np.array([1, -2], "<i2")},
    {"first_sizes": np.array([2], "<u2")},
    {"first_sizes": np.array([0, 2], "<u2")},
    {"first_sizes": np.array([], "<u2")},
    {"first_sizes": np.array([[1, 1]], "<u2")},
    {"first_leaves": np.array([0, 1, np.nan, 2], "<f4")},
    {"first_leaves": np.zeros(3, "<f4")},
    {"first_thresholds": np.array([0, np.inf], "<f4")},
    {"first_thresholds": np.zeros((2, 2), "<f4")},
    {"first_rows": np.zeros((2, 2), "i1")},
    {"stock_losses": np.zeros(3, "<i2")},
    {"stock_phrases": np.array([9, 5], "<u4")},
    {"stock_phrases": np.array([0, 5], "<u4")},
    {"stock_phrases": np.zeros((2, 2), "<u4")},
    # a forest of articles, without one of kinds
    {f"articles_{name}": table for name, table in {"features": np.zeros(1, "<u2"), "rows": np.zeros(1, "i1"),
     "thresholds": np.zeros(1, "<f4"), "left": np.array([-1], "<i2"), "right": np.array([-2], "<i2"),
     "leaves": np.zeros(2, "<f4"), "sizes": np.ones(1, "<u2")}.items()},
    # trees of kinds that are not a multiple of the kinds
    {f"kinds_{name}": table for name, table in {"features": np.zeros(1, "<u2"), "rows": np.zeros(1, "i1"),
     "thresholds": np.zeros(1, "<f4"), "left": np.array([-1], "<i2"), "right": np.array([-2], "<i2"),
     "leaves": np.zeros(2, "<f4"), "sizes": np.ones(1, "<u2")}.items()},
]  # fmt: skip


@pytest.mark.parametrize("tables", ODD_TABLES, ids=str)
def test_tables_that_do_not_belong_together(tables: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"x\.ncm is not a usable model"):
        Structure.from_bytes(changed(**tables), "x.ncm")


@pytest.mark.parametrize("features", [None, 3, [], [["words"]], {"words": 1}, ["words"]])
def test_headers_that_do_not_belong_to_their_tables(features: Any) -> None:
    with pytest.raises(ModelError, match="not a usable model"):
        Structure.from_bytes(changed({"features": features}), "x.ncm")


def test_kinds_of_pages_do_not_test_other_rows() -> None:
    trees = len(KINDS)
    tables = {
        "features": np.zeros(trees, "<u2"), "rows": np.ones(trees, "i1"), "thresholds": np.zeros(trees, "<f4"),
        "left": np.full(trees, -1, "<i2"), "right": np.full(trees, -2, "<i2"),
        "leaves": np.zeros(2 * trees, "<f4"), "sizes": np.ones(trees, "<u2"),
    }  # fmt: skip
    header = {"kinds": KINDS, "page_features": PAGE_FEATURES}
    with pytest.raises(ModelError, match="the forest of kinds does not fit"):
        Structure.from_bytes(changed(header, **{f"kinds_{name}": table for name, table in tables.items()}))
    tables["rows"] = np.zeros(trees, "i1")
    known = Structure.from_bytes(
        changed(header, **{f"kinds_{name}": table for name, table in tables.items()})
    )
    assert known.kinds is not None


def test_features_have_names_that_last() -> None:
    names = [feature.name for feature in FEATURES]
    # in another order: the numbers in the trees go by the names
    asked = unpack(DATA)[1]["second.features"].tolist()
    moved = Structure.from_bytes(
        changed(
            {"features": names[::-1]},
            first_features=np.array([len(names) - 1 - f for f in MODEL.first.features], "<u2"),
            second_features=np.array([len(names) - 1 - f for f in asked], "<u2"),
        )
    )
    assert moved.to_bytes() == DATA
    # one that no tree asks for may be gone, one that a tree asks for may not
    gone = [*names]
    gone[names.index("digits")] = "gone"
    assert Structure.from_bytes(changed({"features": gone})).to_bytes() == DATA
    gone[names.index("words")] = "word-count"
    with pytest.raises(
        ModelError, match=r"unknown features \(word-count\): .* another version.*train it again"
    ):
        Structure.from_bytes(changed({"features": gone}))


def test_the_version_of_the_hashes_is_checked() -> None:
    assert unpack(DATA)[0]["hashes"] == HASHES_VERSION == 1
    for version in (2, 0, "1", None, [1]):
        with pytest.raises(
            ModelError, match=r"x\.ncm was trained with version .* has version 1: train it again"
        ):
            Structure.from_bytes(changed({"hashes": version}), "x.ncm")


@settings(max_examples=60)
@given(data=st.data())
def test_whatever_the_tables_hold(data: st.DataObject) -> None:
    """A ModelError, or a model that judges."""
    _, arrays = unpack(DATA)
    name = data.draw(st.sampled_from([name for name in arrays if name != "weights"]))
    table = arrays[name].astype(data.draw(st.sampled_from([arrays[name].dtype, np.dtype("<i4")])))
    table[data.draw(st.integers(0, len(table) - 1))] = data.draw(
        st.integers(0, 6) if table.dtype.kind == "u" else st.integers(-6, 6)
    )
    try:
        model = Structure.from_bytes(changed(None, **{name.replace(".", "_"): table}))
    except ModelError:
        return
    zeros = np.zeros(len(PAGE))
    assert np.isfinite(model.judge(PAGE, zeros, zeros).odds).all()


def test_another_kind_of_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="kind 'ngram'"):
        Structure.from_bytes(read_ngrams("en").to_bytes())
    with pytest.raises(ModelError, match="no model 'nowhere'"):
        load_model("nowhere")
    with pytest.raises(ModelError, match="kind 'structure'"):
        (tmp_path / "s.ncm").write_bytes(DATA)
        read_ngrams(tmp_path / "s.ncm")


# the shipped model ----------------------------------------------------------------------------------


PROSE = "Nobody knew why the ferry was late again this morning, and those on the pier did not ask."


@pytest.mark.parametrize(
    ("name", "document", "most"),
    [
        (
            "structure",
            dump_html("<ul><li><a href=/>Home</a><li><a href=/>News</a></ul>" + f"<p>{PROSE}" * 40),
            "most",
        ),
        ("text", dump_text("Home\nNews\n" + f"{PROSE}\n" * 40, layout="lines"), "most_of_text"),
    ],
    ids=["page", "text"],
)
def test_a_very_large_page_is_judged_in_parts(
    monkeypatch: pytest.MonkeyPatch, name: Literal["structure", "text"], document: Document, most: str
) -> None:
    model = shipped_structure(name)
    odds, posterior = np.linspace(-5, 60, len(document)), np.linspace(-2, 9, len(document))
    whole = model.judge(document, odds, posterior)
    parts = [
        model.judge(with_tables(document, segments=document.segments[part]), odds[part], posterior[part])
        for part in (slice(0, 20), slice(20, 40), slice(40, 42))
    ]
    monkeypatch.setitem(structures._RULES, most, 20)
    found = replace(model).judge(document, odds, posterior)
    assert np.array_equal(found.odds, np.concatenate([part.odds for part in parts]))
    assert not np.array_equal(found.odds, whole.odds)
    assert np.allclose(found.kinds, (parts[0].kinds + parts[1].kinds) / 2)
    monkeypatch.setitem(structures._RULES, most, len(document))
    assert np.array_equal(replace(model).judge(document, odds, posterior).odds, whole.odds)


def test_the_shipped_model() -> None:
    model = shipped_structure()
    assert model_bytes("structure") == model.to_bytes()
    zeros = np.zeros(len(PAGE))
    odds = model.judge(PAGE, zeros, zeros).odds
    assert np.isfinite(odds).all()
    assert odds[2] > odds[0]
