from __future__ import annotations

import itertools
import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.cleaner import Cleaner
from ncleaner.dumping.html import dump_html
from ncleaner.errors import TrainingWarning
from ncleaner.lab.training.hybrid import train_hybrid
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.validation import Fold, figures_of_pages, mean_and_error, page_figures, validated
from ncleaner.modelling.hybrid import HybridModel

from ...structures import page_html, paragraphs


def page(number: int) -> Pair:
    gold = "\n".join([f"<h>Ferry {number}", *(f"<p>{text}" for text in paragraphs(number))])
    return Pair(f"page{number}", dump_html(page_html(number)), gold, f"s{number % 6}.example")


PAIRS = [page(number) for number in range(12)]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcd")), min_size=1, max_size=12))
def test_the_error_is_that_of_the_jackknife_over_sites(rows: list[tuple[float, str]]) -> None:
    """By its definition: the mean again without each site."""
    values, sites = np.array([value for value, _ in rows]), [site for _, site in rows]
    mean, error = mean_and_error(values, sites)
    assert mean == pytest.approx(float(np.mean(values)))
    groups = sorted(set(sites))
    if len(groups) < 2:
        assert error is None
        return
    without = [np.mean([value for value, site in rows if site != left]) for left in groups]
    expected = math.sqrt((len(groups) - 1) / len(groups) * sum((mean - each) ** 2 for each in without))
    assert error == pytest.approx(expected * wider(len(groups)), abs=1e-12)


def wider(sites: int) -> float:
    return 1 + 0.6 / (sites - 1)


def test_of_few_sites_two_thirds_of_the_means_are_within_the_error() -> None:
    draw = np.random.default_rng(1)
    for sites in (3, 5, 10, 40):
        found = [
            mean_and_error(values, [str(n) for n in range(sites)])
            for values in draw.normal(size=(2000, sites))
        ]
        share = np.mean([abs(mean) <= (error or 0) for mean, error in found])
        assert 0.66 < share < 0.71


def test_pages_of_unknown_sites_are_sites_of_their_own() -> None:
    values = np.array([0.2, 0.4, 0.9, 0.5])
    alone = mean_and_error(values, ["a", "b", "c", "d"])
    assert mean_and_error(values, ["", "", "", ""]) == alone
    # of sites with one page each, the error is the usual one of a mean
    assert alone[1] == pytest.approx(np.std(values, ddof=1) / 2 * wider(4))
    assert mean_and_error(np.array([0.5, np.nan]), ["a", "b"]) == (0.5, None)
    assert mean_and_error(np.array([np.nan]), ["a"]) == (0.0, None)


@pytest.mark.parametrize("kept", list(itertools.product([True, False], repeat=3)))
def test_figures_of_a_page_are_of_words(kept: tuple[bool, ...]) -> None:
    pair = Pair("x", dump_html("<p>one two three<p>four five<p>menu"), "one two three four five")
    precision, recall, f_score = page_figures(pair, np.array(kept))
    right, output = 3 * kept[0] + 2 * kept[1], 3 * kept[0] + 2 * kept[1] + kept[2]
    assert precision == pytest.approx(right / output) if output else math.isnan(precision)
    assert recall == right / 5
    assert f_score == pytest.approx(2 * right / (output + 5))


def test_a_page_without_gold_text_has_no_recall() -> None:
    pair = Pair("x", dump_html("<p>menu"), "")
    precision, recall, f_score = page_figures(pair, np.array([True]))
    assert (precision, f_score) == (0.0, 0.0) and math.isnan(recall)
    assert page_figures(pair, np.array([False]))[2] == 1.0
    found = figures_of_pages([page_figures(pair, np.array([False])), (0.5, 0.5, 0.5)], ["a", "b"])
    assert (found.precision, found.recall, found.f_score) == (0.5, 0.5, 0.75)
    assert found.precision_error is None and found.f_score_error == 0.25 * wider(2)
    assert found.to_dict() == {"precision": 0.5, "recall": 0.5, "f_score": 0.75, "f_score_error": 0.4}


@pytest.mark.parametrize("method", ["hybrid", "ngram"])
def test_pages_are_cleaned_as_a_cleaner_does_it(method: str) -> None:
    model = train_hybrid(PAIRS)
    told = validated(PAIRS, [Fold([0, 1], model), Fold(range(2, 12), model)], method)
    assert set(told) == {"validation", "validation_precision", "validation_recall"}
    for name, preset in (("validation", None), ("validation_recall", "recall")):
        cleaner = Cleaner(method, model, threshold=preset)  # type: ignore[arg-type]
        found = [page_figures(pair, cleaner.keep(pair.document).mask) for pair in PAIRS]
        assert told[name] == figures_of_pages(found, [pair.site for pair in PAIRS]).to_dict()


# it trains seven models
@pytest.mark.untraced
def test_figures_are_those_of_models_without_the_site() -> None:
    """The long way: for each fold a hybrid that is trained on all other pages."""
    model = train_hybrid(PAIRS)
    sites = [pair.site for pair in PAIRS]
    by_hand = []
    for pair in PAIRS:
        assert isinstance(model, HybridModel)
        rest = [other for other in PAIRS if other.site != pair.site]
        kept = Cleaner(model=train_hybrid(rest)).keep(pair.document)
        by_hand.append(page_figures(pair, kept.mask))
    # five folds of six sites leave out a site more now and then, and calibrate with fewer scores
    expected = figures_of_pages(by_hand, sites)
    assert model.about["validation"]["f_score"] == pytest.approx(expected.f_score, abs=0.03)


def test_a_page_that_comes_out_unlike_its_gold_text_is_named() -> None:
    """Such as one of which only the headline was saved; an empty text has a warning of its own."""
    cut = [replace(PAIRS[3], gold="Ferry 3"), replace(PAIRS[7], gold="")]
    pairs = [*PAIRS[:3], cut[0], *PAIRS[4:7], cut[1], *PAIRS[8:]]
    with pytest.warns(TrainingWarning) as told:
        train_hybrid(pairs)
    (said,) = [str(each.message) for each in told if "unlike" in str(each.message)]
    assert re.match(
        r"1 page comes out quite unlike its clean text \(in brackets F\): page3 \(\d+ %\); look", said
    )


def test_no_page_is_named_where_the_model_is_weak() -> None:
    weak = [replace(pair, gold=f"Ferry {number}") for number, pair in enumerate(PAIRS)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train_hybrid(weak)
