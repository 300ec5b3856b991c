"""From probabilities to a mask, and its figures."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.modelling._decision import LEAST, decide, figures_of_decision, probabilities_of
from ncleaner.modelling.structure import BALANCES, QUALITY

PAGES = st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=8)


def expected_f(kept: Any, probabilities: np.ndarray, words: np.ndarray, beta: float) -> float:
    right, gold = (probabilities * words)[list(kept)].sum(), (probabilities * words).sum()
    return float((1 + beta**2) * right / (words[list(kept)].sum() + beta**2 * gold + 1e-9))


def columns(page: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p / 100 for p, _ in page]), np.array([float(w) for _, w in page])


@given(page=PAGES, beta=st.sampled_from([*BALANCES.values(), 1.7]))
def test_no_other_segments_are_expected_to_do_better(page: list[tuple[int, int]], beta: float) -> None:
    probabilities, words = columns(page)
    rows = range(len(page))
    best, balanced = (
        max(
            expected_f(kept, probabilities, words, balance)
            for size in range(len(page) + 1)
            for kept in itertools.combinations(rows, size)
        )
        for balance in (beta, 1.0)
    )
    mask = decide(probabilities, words, beta)
    if mask.any():
        assert expected_f(np.flatnonzero(mask), probabilities, words, beta) == pytest.approx(best)
        assert balanced >= LEAST - 1e-9
    else:
        assert balanced < LEAST + 1e-9


@given(page=PAGES, betas=st.tuples(st.floats(0.1, 4), st.floats(0.1, 4)))
def test_who_wants_more_recall_gets_at_least_as_much(
    page: list[tuple[int, int]], betas: tuple[float, float]
) -> None:
    less, more = (decide(*columns(page), beta) for beta in sorted(betas))
    assert np.all(less <= more)


def test_pages_without_main_text() -> None:
    assert decide(np.zeros(0), np.zeros(0)).shape == (0,)
    assert decide(np.zeros(5), np.ones(5)).tolist() == [False] * 5
    assert decide(np.ones(5), np.zeros(5)).tolist() == [False] * 5
    assert decide(np.full(5, 0.05), np.ones(5)).tolist() == [False] * 5
    assert decide(np.ones(3), np.ones(3)).tolist() == [True] * 3


def test_what_is_kept_depends_on_the_rest_of_the_page() -> None:
    words = np.full(4, 10.0)
    # half likely: worth it where nothing is more so, not where much is certain
    assert decide(np.array([0.4, 0.4, 0.3, 0.3]), words).all()
    assert decide(np.array([0.99, 0.99, 0.3, 0.3]), words).tolist() == [True, True, False, False]
    assert decide(np.array([0.99, 0.99, 0.3, 0.3]), words, 2.0).all()


def test_probabilities() -> None:
    found = probabilities_of(np.array([-1e9, -math.log(3), 0.0, 1e9]))
    assert found.tolist() == [pytest.approx(0, abs=1e-12), pytest.approx(0.25), 0.5, pytest.approx(1)]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="3 probabilities, but 2 segments"):
        decide(np.ones(3), np.ones(2))


PARTS = [
    "<nav><a href=/>All the news</a></nav>",
    "<p>The ferry was late again this morning.</p>",
    "<p>More in <a href=/more>our other stories</a></p>",
    "<p>Nobody on the pier knew why.</p>",
    "<footer>All rights reserved</footer>",
]


@given(
    masks=st.lists(st.booleans(), min_size=5, max_size=5),
    scores=st.lists(st.floats(-12, 12), min_size=5, max_size=5),
)
def test_the_figures_of_a_decision(masks: list[bool], scores: list[float]) -> None:
    document = dump_html("".join(PARTS))
    kept, odds = np.array(masks), np.array(scores)
    found = np.full(len(QUALITY), 7, np.float32)
    figures_of_decision(document.tables, kept, odds, found)
    chars, links = (document.segments[name].astype(float) for name in ("chars", "link_chars"))
    p = 1 / (1 + 2.0**-odds)
    size, everything = chars[kept].sum(), chars.sum()
    inside = np.zeros(5, bool)
    if kept.any():
        inside[np.flatnonzero(kept)[0] : np.flatnonzero(kept)[-1] + 1] = True
    hole = chars[inside & ~kept].sum()
    per_char = max(size, 1)
    wanted = [
        2 * (p * chars)[kept].sum() / (size + (p * chars).sum()),
        (p * chars)[kept].sum() / per_char,
        (p * chars)[kept].sum() / (p * chars).sum(),
        math.log1p(size),
        math.log1p(everything),
        size / everything,
        (p * (1 - p) * chars)[kept].sum() / per_char,
        (p * (1 - p) * chars)[~kept].sum() / per_char,
        chars[np.abs(odds) < 2].sum() / per_char,
        (odds * chars)[kept].sum() / per_char,
        -(odds * chars)[~kept].sum() / max(everything - size, 1),
        hole / max(size + hole, 1),
        links[kept].sum() / per_char,
        links.sum() / everything,
    ]
    assert found[:14] == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    assert (found[14:] == 7).all()


def test_figures_of_a_page_without_text_and_of_wrong_arrays() -> None:
    found = np.zeros(14, np.float32)
    figures_of_decision(dump_html("").tables, np.zeros(0, bool), np.zeros(0), found)
    assert not found.any()
    page = dump_html("<p>The ferry was late.</p>")
    with pytest.raises(ValueError, match="do not fit"):
        figures_of_decision(page.tables, np.zeros(2, bool), np.zeros(1), found)
    with pytest.raises(ValueError, match="14 figures"):
        figures_of_decision(page.tables, np.zeros(1, bool), np.zeros(1), found[:3])
