"""The judgement in one call, against its steps one by one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.document.kept import KINDS
from ncleaner.document.tables import ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.lab.training.structure import first_features, second_features
from ncleaner.methods.choice import load_method, read_ngrams
from ncleaner.modelling._decision import decide, probabilities_of
from ncleaner.modelling._judge import HybridJudge, NGramJudge
from ncleaner.modelling._terms import phrase_hashes
from ncleaner.modelling.features import FEATURES, KIND_COLUMN, OUTSIDE, PLAIN
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.structure import BALANCES, Stock, Structure, shipped_structure

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "pages").glob("*.html"))
COLUMNS = {feature.name: column for column, feature in enumerate(FEATURES)}


def losses(stock: Stock, document: Document) -> np.ndarray:
    known = dict(zip(stock.phrases.tolist(), stock.weights.tolist(), strict=True))
    found = [known.get(phrase, 0.0) for phrase in phrase_hashes(document.tables).tolist()]
    return np.where(document.segments["zone"] == ZONES.index("headline"), 0.0, found)


def even_out(document: Document, odds: np.ndarray) -> None:
    """Moves the unsure ones of three segments and more of one kind and style towards their mean."""
    paths: list[tuple[int, ...]] = []
    for parent, style in document.elements[["parent", "style"]].tolist():
        paths.append((*(paths[parent] if parent >= 0 else ()), style))
    alike: dict[object, list[int]] = {}
    for row, (element, kind) in enumerate(document.segments[["element", "kind"]].tolist()):
        alike.setdefault((paths[element] if element >= 0 else (), kind), []).append(row)
    for rows in alike.values():
        if len(rows) >= 3:
            # what is very sure counts for at most 6 nats
            mean = odds[rows].clip(-6, 6).mean()
            odds[rows] += 0.8 * ((3 - abs(odds[rows])) / 2).clip(0, 1) * (mean - odds[rows])


def step_by_step(
    model: Structure, document: Document, odds: np.ndarray, posterior: np.ndarray, news: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What `StructureJudge` does, from the same steps, by NumPy between them."""
    forests = {name: trees.forest() for name, trees in model.trees().items() if name != "kinds"}
    assert model.kinds is not None
    spare = max(forest.reach for forest in forests.values())
    matrix = first_features(document, odds, posterior, model.weights)
    found = forests["first"].predict(matrix, 0)
    first = probabilities_of(found)
    row = second_features(document, matrix, first)[None]
    forest, size = model.kinds.forest(KIND_COLUMN), len(model.kinds.sizes)
    # tree t is of kind t modulo their number
    trees = [float(forest.predict(row, 0, tree, tree + 1)[0]) for tree in range(size)]
    sums = np.reshape(trees, (-1, len(KINDS))).sum(axis=0)
    powers = np.exp(sums - sums.max())
    kinds = powers / powers.sum()
    matrix[:, KIND_COLUMN:] = kinds
    spared = np.pad(matrix, ((spare, spare), (0, 0)), constant_values=OUTSIDE)
    share = 1.0 if news else min(max((kinds[0] - 0.7) / 0.2, 0.0), 1.0)
    chosen = np.flatnonzero(first >= PLAIN).astype(np.int32)
    second = np.zeros(len(chosen))
    for name, weight in (("second", 1 - share), ("articles", share)):
        if weight:
            some = forests[name].predict(spared, spare, 0, 20)
            unclear = chosen[np.abs(some[chosen]) <= 1.5]
            some[unclear] += forests[name].predict(spared, spare, 20)[unclear]
            second += weight * some[chosen]
    found[chosen] = second
    even_out(document, found)
    fragment = 1.0 if len(document) == 1 else kinds[KINDS.index("fragment")]
    if fragment > 0.1:
        others = [COLUMNS[f"in-{name}"] for name in ("nav", "footer", "aside", "related")]
        suspect = matrix[:, others].any(axis=1) | (matrix[:, COLUMNS["link-density"]] > 0.5)
        found += 3.0 * fragment * ~suspect
    return found - losses(model.stock, document), kinds


@pytest.mark.parametrize("news", [False, True])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_structure(path: Path, news: bool) -> None:
    model, document = shipped_structure(), dump_html(path.read_bytes())
    odds, posterior = np.linspace(-20, 60, len(document)), np.linspace(-4, 9, len(document))
    found = model.judge(document, odds, posterior, news)
    expected, kinds = step_by_step(model, document, odds, posterior, news)
    assert found.odds == pytest.approx(expected, abs=1e-9)
    assert found.kinds == pytest.approx(kinds, abs=1e-12)


@pytest.mark.parametrize(
    "html", ["<p>one", "<p>Advertisement", "<ul><li>a<li>b", "<nav><a href=/>x</a></nav>"]
)
def test_small_pages(html: str) -> None:
    model, document = shipped_structure(), dump_html(html)
    zeros = np.zeros(len(document))
    assert model.judge(document, zeros, zeros).odds == pytest.approx(
        step_by_step(model, document, zeros, zeros, False)[0], abs=1e-9
    )


@pytest.mark.parametrize("path", EXAMPLES[:6], ids=lambda path: path.stem)
def test_hybrid(path: Path) -> None:
    model, document = HybridModel.of_ngrams(read_ngrams("en")), dump_html(path.read_bytes())
    sums, counts = model.ngrams.log_odds(document.data, document.segments["start"], document.segments["end"])
    posterior = model.ngrams.decision.statistics(sums, counts)
    assert model.ngrams.judge(document).tolist() == posterior.tolist()
    odds = model.calibration(model.structure.judge(document, sums, posterior).odds)
    for each in (model, model.with_threshold("precision"), model.with_threshold("recall")):
        found = each.judge(document)
        assert found.scores == pytest.approx(odds / math.log(2), abs=1e-12)
        sizes = document.segments["chars"].astype(np.float64)
        kept = decide(probabilities_of(odds), sizes, BALANCES[each.balance])
        assert found.mask.tolist() == kept.tolist()
    assert model.with_threshold(1.5).judge(document).mask.tolist() == (odds / math.log(2) >= 1.5).tolist()


def test_text_that_is_not_composed_is_left_to_others() -> None:
    model = read_ngrams("en")
    composed, other = dump_html("<p>caf\u00e9 au lait"), dump_html("<p>cafe\u0301 au lait")
    assert model.compiled.of(other.tables) is None
    assert model.judge(other).tolist() == model.judge(composed).tolist()
    hybrid = load_method("hybrid", "en", None, False, {})
    # for the structure model, the mark is a character
    assert hybrid.keep(other).scores == pytest.approx(hybrid.keep(composed).scores, abs=0.5)


def test_an_empty_page() -> None:
    model, document = HybridModel.of_ngrams(read_ngrams("en")), dump_html("")
    found = model.judge(document)
    assert found.mask.shape == found.scores.shape == (0,)
    assert found.kinds.sum() == pytest.approx(1)
    assert model.ngrams.judge(document).shape == (0,)


def test_arrays_that_do_not_fit() -> None:
    model, document = HybridModel.of_ngrams(read_ngrams("en")), dump_html("<p>one<p>two")
    three = np.zeros(3)
    with pytest.raises(ValueError, match="do not fit"):
        model.structure.judge(document, three, three)
    judge = HybridJudge(model.ngrams.compiled, model.structure.compiled, 1, 0, 0, 10, 4, None, 1, False)
    with pytest.raises(ValueError, match="do not fit"):
        judge.judge(document.tables, b"", (three, np.ones(3, np.uint32)))
    with pytest.raises(ValueError, match="does not fit"):
        judge.judge(document.tables, b"", None, np.ones(3, np.uint8))
    with pytest.raises(TypeError):
        NGramJudge(None, model.ngrams.alphabet.encoder, model.ngrams.decision.compiled)  # type: ignore[arg-type]
