from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ncleaner.document.tables import ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.annotations import Annotated, labels_from_alignment
from ncleaner.lab.training.calibration import fit_calibration
from ncleaner.lab.training.hybrid import examples_of, pair_of, train_hybrid
from ncleaner.lab.training.ngrams import train_and_score
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling.features import FEATURES
from ncleaner.modelling.hybrid import Calibration, HybridModel
from ncleaner.modelling.structure import shipped_structure

from ...structures import grow_small_forests, page_html, paragraphs, structure, stumps


def page(number: int, site: str | None = None) -> Pair:
    gold = "\n".join([f"<h>Ferry {number}", *(f"<p>{text}" for text in paragraphs(number))])
    return Pair(f"page{number}", dump_html(page_html(number)), gold, site or f"s{number}.example")


PAIRS = [page(number) for number in range(12)]
NEW = [page(number) for number in range(12, 16)]


@pytest.fixture
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    grow_small_forests(monkeypatch)


def kept(model: HybridModel, pair: Pair) -> list[bool]:
    return list(map(bool, model.judge(pair.document).mask))


# calibrated to a structure model ----------------------------------------------------------------------


def test_the_shipped_structure_model_is_calibrated() -> None:
    model = train_hybrid(PAIRS, about={"name": "ferries", "language": "en"})
    assert train_hybrid(PAIRS, about={"name": "ferries", "language": "en"}).to_bytes() == model.to_bytes()
    assert (model.name, model.own, model.threshold) == ("ferries", False, None)
    assert model.structure.to_bytes() == shipped_structure().to_bytes()
    assert model.about["training"]["pages"] == 12
    names = ("precision", "recall", "f_score")
    assert model.about["validation"].keys() == {*names, *(f"{name}_error" for name in names)}
    assert all(0 <= value <= 1 for value in model.about["validation"].values())
    # the n-grams have figures of their own
    assert model.ngrams.about["validation"].keys() == model.about["validation"].keys()
    assert HybridModel.from_bytes(model.to_bytes()).calibration == model.calibration
    assert model.ngrams.about["language"] == "en"


def test_any_structure_model_may_be_given() -> None:
    model = train_hybrid(PAIRS, structure=structure(name="by-hand"))
    assert model.own and model.structure.name == "by-hand"
    for pair in NEW:
        assert kept(model, pair) == pair.alignment.clean.tolist()
    assert model.about["validation"]["recall"] > 0.95


def test_annotated_pages_count_as_pairs_do() -> None:
    annotated = [Annotated(p.name, p.document, labels_from_alignment(p), p.site) for p in PAIRS]
    for pair, other in zip(PAIRS, map(pair_of, annotated), strict=True):
        assert (other.name, other.gold, other.site) == (pair.name, pair.gold, pair.site)
    one, half, all_ = (
        train_hybrid(pairs, labels, structure=structure())
        for pairs, labels in ((PAIRS, []), (PAIRS[:6], annotated[6:]), ([], annotated))
    )
    assert one.to_bytes() == half.to_bytes() == all_.to_bytes()


def test_gold_text_of_annotated_pages() -> None:
    document = dump_html("<h2>One</h2><p>two <b>three</b> four</p><p>five</p><pre>six\nseven</pre><p>eight")
    labels = np.array(["phlco".index(label) for label in "hpocclo"], np.uint8)
    assert len(document.runs) == len(labels)
    assert (
        pair_of(Annotated("x", document, labels, "s.example")).gold
        == "<h>One\n<p>two three four five\n<l>six seven"
    )


# calibration --------------------------------------------------------------------------------------------


def calibrated(slope: float, offset: float, number: int) -> Calibration:
    """Of pages on which log-odds are wrong by this much."""
    pages = []
    for seed in range(number):
        right = np.random.default_rng(seed).normal(0, 2, 60)
        pages.append((1 / (1 + np.exp(-right)), np.ones(60), (right - offset) / slope))
    return fit_calibration(pages)


def test_calibration_undoes_what_is_wrong_as_far_as_there_are_pages() -> None:
    found = calibrated(1.0, 0.0, 5)
    assert (found.slope, found.offset) == pytest.approx((1, 0), abs=0.05)
    # made-up pages hold it back: less with more pages
    few, many = calibrated(0.5, 1.0, 5), calibrated(0.5, 1.0, 100)
    assert 0.5 < many.slope < few.slope < 1
    assert 0 < few.offset < many.offset < 1
    assert (many.slope, many.offset) == pytest.approx((0.5, 1), abs=0.15)
    # odds that are the wrong way round are not turned
    assert calibrated(-1.0, 0.0, 100).slope > 0


# with a structure model of one's own --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.usefixtures("small_forests")
@pytest.mark.filterwarnings("ignore::ncleaner.TrainingWarning")
def test_a_structure_model_of_ones_own() -> None:
    options: dict[str, Any] = {"structure": "own", "about": {"name": "ferries"}}
    model = train_hybrid(PAIRS, **options)
    assert train_hybrid(PAIRS, **options).to_bytes() == model.to_bytes()
    assert model.own and model.structure.name == "ferries"
    again = HybridModel.from_bytes(model.to_bytes())
    assert again.structure.to_bytes() == model.structure.to_bytes() != shipped_structure().to_bytes()
    for pair in NEW:
        # the headline is the user's
        told = pair.document.segments["zone"] != ZONES.index("headline")
        assert np.array(kept(again, pair))[told].tolist() == pair.alignment.clean[told].tolist()
    assert model.about["validation"]["f_score"] > 0.9


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.usefixtures("small_forests")
@pytest.mark.filterwarnings("ignore::ncleaner.TrainingWarning")
def test_features_may_be_left_out() -> None:
    model = train_hybrid(PAIRS, structure="own", without=["place", "names"]).structure
    asked = {*model.first.features.tolist(), *model.second.features.tolist()}
    assert not asked & {c for c, f in enumerate(FEATURES) if f.group in ("place", "names")}
    with pytest.raises(ValueError, match="no feature or group 'magic'"):
        train_hybrid(PAIRS, structure="own", without=["magic"])


@pytest.mark.usefixtures("small_forests")
def test_few_pages_are_told() -> None:
    with pytest.warns(TrainingWarning, match="12 pages are few for a structure model: 50 and more"):
        train_hybrid(PAIRS, structure="own")


# what there is too little of ------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["shipped", "own"])
def test_no_pages(source: Any) -> None:
    with pytest.raises(TrainingError, match="no pages"):
        train_hybrid([], structure=source)


def test_one_site_teaches_ngrams_and_no_calibration() -> None:
    with pytest.warns(TrainingWarning, match="all pages come from one site"):
        model = train_hybrid([page(number, "one.example") for number in range(12)])
    assert model.calibration == Calibration() and model.about["validation"] == {}
    for pair in NEW:
        assert kept(model, pair) == pair.alignment.clean.tolist()


def test_plain_text_teaches_ngrams() -> None:
    """It has no structure, and is judged by n-grams alone: a hybrid takes it beside pages, or alone."""
    texts = [
        replace(pair, document=dump_text("\n\n".join(map(str, pair.document))), site=f"t{number}.example")
        for number, pair in enumerate(PAIRS)
    ]
    model = train_hybrid(texts)
    assert model.calibration == Calibration()
    figures, of_ngrams = (about["validation"] for about in (model.about, model.ngrams.about))
    assert figures == of_ngrams and figures["f_score"] > 0.5
    both = train_hybrid([*PAIRS, *texts])
    assert both.about["training"]["pages"] == 24
    assert both.calibration != Calibration()


def test_a_hybrid_that_is_adapted_keeps_its_calibration() -> None:
    base = train_hybrid(PAIRS, structure=structure())
    options = NGramOptions(base=base.ngrams, more_dirty=[dump_text("Moored boats")])
    adapted = train_hybrid([], ngrams=options, base=base)
    assert adapted.calibration == base.calibration
    assert adapted.ngrams.to_bytes() != base.ngrams.to_bytes()


@pytest.mark.untraced
def test_a_threshold_counts_in_the_figures() -> None:
    low, high = (train_hybrid(PAIRS, threshold=bits) for bits in (-1000.0, 1000.0))
    assert (low.threshold, high.threshold) == (-1000.0, 1000.0)
    assert low.about["validation"]["recall"] == 1.0 and high.about["validation"]["recall"] < 0.5


@pytest.mark.untraced
@pytest.mark.usefixtures("small_forests")
@pytest.mark.filterwarnings("ignore::ncleaner.TrainingWarning")
@pytest.mark.parametrize("sites", [1, 2])
def test_two_sites_are_too_few_for_a_structure_model(sites: int) -> None:
    pairs = [page(number, f"s{number % sites}.example") for number in range(12)]
    assert train_hybrid(pairs).own is False
    with pytest.raises(TrainingError, match="at least three sites"):
        train_hybrid(pairs, structure="own")


def test_pages_are_scored_by_ngrams_that_have_not_seen_their_site() -> None:
    """What a page says at training does not depend on what else of its site was trained on."""
    trained = train_and_score(PAIRS)
    examples = examples_of(trained.pairs, trained.scores, trained.model)
    for pair, found in zip(PAIRS, examples, strict=True):
        assert found.site == pair.site
        assert found.odds.shape == found.posterior.shape == found.clean.shape == (len(pair.document),)
        np.testing.assert_array_equal(found.clean, np.nan_to_num(pair.alignment.matched))
    table = PAIRS[0].document.segments
    seen, _ = trained.model.log_odds(PAIRS[0].document.data, table["start"], table["end"])
    assert (examples[0].odds != seen).all()


def test_a_structure_that_asks_for_nothing_is_no_harm() -> None:
    nothing = replace(structure(), first=stumps(), second=stumps())
    model = train_hybrid(PAIRS, structure=nothing)
    assert model.calibration.slope > 0
    assert np.isfinite(model.judge(PAIRS[0].document).scores).all()
