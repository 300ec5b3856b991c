from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import TrainingError
from ncleaner.lab.training import structure as structure_training
from ncleaner.lab.training.fragments import as_lines
from ncleaner.lab.training.structure import Example, NameCounts, stock_of, train_structure
from ncleaner.modelling._terms import phrase_hashes
from ncleaner.modelling.features import FEATURES, OUTSIDE, SEGMENT_COLUMNS, WEIGHTS
from ncleaner.modelling.structure import STEP, Structure

from ...structures import PROSE, grow_small_forests, page_html

NAMES = [feature.name for feature in FEATURES]


def example(number: int, site: str | None = None) -> Example:
    """A page and its labels."""
    document = dump_html(page_html(number))
    clean = np.array([float(s.text in PROSE or s.text == f"Ferry {number}") for s in document])
    words = document.segments["words"].astype(np.float64)
    odds = np.random.default_rng(number).normal(4 * clean - 2, 2, len(clean)).round(3)
    silent = np.zeros(len(clean), bool)
    return Example(document, site or f"s{number // 2}.example", clean, words, odds, odds / 2, "", silent)


EXAMPLES = [example(number) for number in range(40)]
# annotators of no principles, for trees with more to say
HARD = [
    replace(page, clean=(0.5 * page.clean + 0.5 * np.random.default_rng(number).random(len(page.clean))))
    for number, page in enumerate(EXAMPLES)
]


@pytest.fixture(autouse=True)
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    grow_small_forests(monkeypatch)


@cache
def trained() -> Structure:
    return train_structure(EXAMPLES, about={"name": "tiny"})


def judged(model: Structure, page: Example) -> np.ndarray:
    return model.judge(page.document, page.odds, page.posterior).odds


def test_what_was_trained_is_learned() -> None:
    assert trained().name == "tiny"
    for number in range(40, 46):
        page = example(number)
        assert ((judged(trained(), page) > 0) == (page.clean > 0.5)).all()


@pytest.mark.slow
def test_same_pages_same_bytes_whatever_the_threads() -> None:
    assert train_structure(EXAMPLES, about={"name": "tiny"}, threads=2).to_bytes() == trained().to_bytes()
    assert train_structure(EXAMPLES[1:], about={"name": "tiny"}).to_bytes() != trained().to_bytes()


def test_the_seed_changes_the_samples() -> None:
    one, two = (train_structure(HARD[:20], seed=seed).to_bytes() for seed in (1, 2))
    assert train_structure(HARD[:20]).to_bytes() == one != two


def test_the_file_holds_what_was_trained() -> None:
    again = Structure.from_bytes(trained().to_bytes())
    for page in EXAMPLES[:3]:
        np.testing.assert_array_equal(judged(again, page), judged(trained(), page))


def asked(model: Structure) -> set[str]:
    return {NAMES[column] for trees in (model.first, model.second) for column in trees.features.tolist()}


def test_features_may_be_left_out() -> None:
    model = train_structure(HARD, without=["n-grams", "text", "first", "markup"])
    out = {f.name for f in FEATURES if f.group in ("n-grams", "text", "markup")} | {"first"}
    assert out & asked(train_structure(HARD))
    assert not out & asked(model)
    with pytest.raises(ValueError, match="no feature or group 'magic'"):
        train_structure(EXAMPLES, without=["magic"])


def test_only_the_second_forest_asks_for_the_judgement_of_the_first() -> None:
    model = train_structure(HARD)
    assert model.first.features.max() < SEGMENT_COLUMNS <= model.second.features.max()
    assert not model.first.rows.any()
    assert 1 <= np.abs(model.second.rows).max() <= 2
    near = {NAMES[c] for c in model.second.features[model.second.rows != 0].tolist()}
    assert near <= set(structure_training._NEAR.names)


def test_a_model_of_plain_text_tests_the_lines_around_in_both_judgements() -> None:
    texts = [
        replace(page, document=dump_text(as_lines(page.document, range(len(page.document))), layout="lines"))
        for page in HARD
    ]
    assert [len(text.document) for text in texts] == [len(page.document) for page in HARD]
    model = train_structure(texts)
    for trees, names in ((model.first, "_LINES_NEAR"), (model.second, "_LINES_AROUND")):
        near = getattr(structure_training, names)
        beside = trees.rows != 0
        assert beside.any() and set(trees.rows[beside].tolist()) <= set(near.rows)
        assert {NAMES[column] for column in trees.features[beside].tolist()} <= set(near.names)
    assert not asked(model) & {"link-density", "depth", "names-sum"}
    for text in texts[:3]:
        assert np.isfinite(judged(model, text)).all()


def test_arrays_predict_as_the_trainer_does(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, Any]] = []
    fit, trees_of = structure_training._fit, structure_training.trees_of

    def fitted(examples: Any, matrices: Any, chosen: Any, settings: Any) -> Any:
        booster = fit(examples, matrices, chosen, settings)
        seen.append((booster, np.concatenate([matrices[number] for number in chosen])))
        return booster

    monkeypatch.setattr(structure_training, "_fit", fitted)
    train_structure(HARD)
    assert len(seen) == 7  # five folds of the first, the first, the second
    for booster, matrix in seen:
        width = matrix.shape[1]
        trees = trees_of(booster, [(column, 0) for column in range(width)])
        wide = np.zeros((len(matrix), len(FEATURES)), np.float32)
        if width > len(FEATURES):
            continue  # with neighbours: see below
        wide[:, :width] = matrix
        # at the thresholds themselves, too
        rows = np.random.default_rng(1).integers(0, len(wide), 300)
        edges = np.random.default_rng(2).integers(0, len(trees.features), 300)
        wide = np.concatenate((wide, wide[rows]))
        # (what is this near 0 is 0 to the trainer)
        thresholds = np.where(np.abs(trees.thresholds) < 1e-30, 0, trees.thresholds)[edges]
        wide[len(matrix) + np.arange(300), trees.features[edges]] = thresholds
        expected = booster.predict(wide[:, :width], raw_score=True)
        np.testing.assert_allclose(trees.forest().predict(wide, 0), expected, atol=1e-5)


def test_pages_are_judged_as_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second forest on a page's matrix, with its neighbours, says what the trainer says of its row."""
    seen: list[tuple[Any, Any]] = []
    fit = structure_training._fit

    def fitted(examples: Any, matrices: Any, *rest: Any) -> Any:
        seen.append((fit(examples, matrices, *rest), matrices))
        return seen[-1][0]

    monkeypatch.setattr(structure_training, "_fit", fitted)
    model = train_structure(HARD)
    booster, matrices = seen[-1]
    near = structure_training._NEAR.names
    width = len(FEATURES)
    for wide in map(matrices.get, range(5)):
        # the page's matrix again, out of its rows with their neighbours
        assert wide.shape[1] == width + len(near) * 4
        spare = 2
        matrix = np.full((len(wide) + 2 * spare, width), OUTSIDE, np.float32)
        matrix[spare:-spare] = wide[:, :width]
        found = model.second.forest().predict(matrix, spare)
        np.testing.assert_allclose(found, booster.predict(wide, raw_score=True), atol=1e-5)


def test_a_tree_without_a_split() -> None:
    class Booster:
        def dump_model(self) -> Any:
            return {"tree_info": [{"tree_structure": {"leaf_value": 0.25}}]}

    trees = structure_training.trees_of(Booster(), [(7, 0)])
    assert trees.sizes.tolist() == [1]
    assert trees.forest().predict(np.zeros((2, len(FEATURES)), np.float32), 0).tolist() == [0.25, 0.25]


@pytest.mark.parametrize("threshold", [0.0, 0.1, -0.1, 1e-35, 1 / 3, 5.5, -1000.0000001, 16777217.0])
def test_thresholds_are_rounded_down(threshold: float) -> None:
    found = structure_training.rounded_down(np.array([threshold]))[0]
    assert isinstance(found, np.float32)
    assert float(found) <= threshold < float(np.nextafter(found, np.float32(np.inf)))


# names --------------------------------------------------------------------------------------------


def weights_at(html: str, table: np.ndarray) -> list[float]:
    document = dump_html(html)
    words = document.names[1:]  # one list
    return [float(table[int(word) * WEIGHTS >> 16]) for word in words[1 : 1 + int(words[0])].tolist()]


def test_words_of_names_are_weighed_by_sites() -> None:
    table = NameCounts(EXAMPLES).weights()
    assert table.shape == (WEIGHTS,)
    np.testing.assert_array_equal(table, np.rint(table / STEP) * STEP)
    (entry, wide), (menu,), (footer,) = (
        weights_at(html, table)
        for html in ("<div class='entry wide'>", "<div class=topnav>", "<div class=footer>")
    )
    assert entry > 0 and wide > 0 > menu and footer < 0
    # seen on more sites is surer
    assert wide > entry and footer < menu
    assert weights_at("<div class=never>", table) == [0]


def test_a_site_does_not_count_for_itself() -> None:
    odd = replace(EXAMPLES[0], site="odd.example")
    counts = NameCounts([odd, *EXAMPLES[2:]])
    without = NameCounts(EXAMPLES[2:]).weights()
    np.testing.assert_array_equal(counts.weights("odd.example"), without)
    np.testing.assert_array_equal(counts.weights("unknown.example"), counts.weights())
    assert (counts.weights() != without).any()


def test_short_segments_that_are_boilerplate_everywhere_are_stock_phrases() -> None:
    stock = stock_of(EXAMPLES, ["Read on!", "Weiterlesen"])
    assert (np.diff(stock.phrases.astype(np.int64)) > 0).all() and (stock.weights > 0).all()
    page = dump_html(
        "<h1>Page 9</h1><p>Page 1 of 7</p><h2>Ferry 3</h2><p>© 1999 The GAZETTE</p><p>zyzzyva</p>"
    )
    known = dict(zip(stock.phrases.tolist(), stock.weights.tolist(), strict=True))

    def losses(document: Document) -> list[float]:
        return [known.get(phrase, 0.0) for phrase in phrase_hashes(document.tables).tolist()]

    menu, heading, years, unknown = losses(page)[1:]
    assert menu > 1 and years > 1 and heading == unknown == 0
    # known ones count as seen on many sites
    first, second, third = losses(dump_html("<p>READ ON</p><p>weiterlesen</p><p>read of</p>"))
    assert first == second > menu and third == 0


def test_what_the_gold_text_is_silent_about_is_not_counted() -> None:
    silent = [replace(page, silent=np.ones(len(page.clean), bool)) for page in EXAMPLES]
    assert not len(stock_of(silent).phrases)
    assert not NameCounts(silent).weights().any()


def test_words_of_one_site_say_nothing() -> None:
    one = NameCounts([replace(page, site="one.example") for page in EXAMPLES])
    assert not one.weights().any()


# what cannot be trained on ------------------------------------------------------------------------


@pytest.mark.parametrize("pages", [[], EXAMPLES[:2], EXAMPLES[:1]])
def test_one_site_is_too_few(pages: list[Example]) -> None:
    with pytest.raises(TrainingError, match="pages of at least two sites"):
        train_structure(pages)


def test_pages_without_text_are_no_harm() -> None:
    nothing = np.zeros(0)
    empty = Example(dump_html(""), "empty.example", nothing, nothing, nothing, nothing, "", np.zeros(0, bool))
    model = train_structure([*EXAMPLES[:20], empty])
    assert judged(model, empty).shape == (0,)


def test_without_the_trainer_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(TrainingError, match=r"needs LightGBM: pip install 'ncleaner\[train\]'"):
        train_structure(EXAMPLES)
