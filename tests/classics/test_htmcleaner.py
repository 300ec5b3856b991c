from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncleaner.classics.htmcleaner import Htmcleaner, best_runs, characters_in
from ncleaner.classics.punctuation import sentences_in
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods.choice import read_ngrams

PROSE = "The harbour board has decided that the ferry will sail until the end of May, in all weathers."


@pytest.fixture(scope="module")
def english() -> Htmcleaner:
    return Htmcleaner(read_ngrams("en"))


@given(st.lists(st.tuples(st.integers(-4, 4), st.booleans()), max_size=12))
def test_runs(sentences: list[tuple[int, bool]]) -> None:
    gains = np.array([gain for gain, _ in sentences], np.int64)
    good = np.array([fits for _, fits in sentences], bool)
    runs = best_runs(gains, good)
    scores = [int(gains[first : last + 1].sum()) for first, last in runs]
    # disjoint, in reading order, between good sentences, and worth something
    flat = [place for run in runs for place in run]
    assert all(a <= b for a, b in pairwise(flat))
    assert all(runs[n][1] < runs[n + 1][0] for n in range(len(runs) - 1))
    assert all(good[first] and good[last] for first, last in runs) and all(score > 0 for score in scores)
    places = np.flatnonzero(good).tolist()
    every = {(a, b): int(gains[a : b + 1].sum()) for a in places for b in places if a <= b}
    best = max([score for score in every.values() if score > 0], default=None)
    assert max(scores, default=None) == best
    # no run that is left touches none of them and is worth something
    for (a, b), score in every.items():
        assert score <= 0 or any(first <= b and a <= last for first, last in runs)


def best_of(gains: list[int], good: list[bool], first: int, end: int) -> list[tuple[int, int]]:
    """The runs of [first, end) by their definition: the best one, the shortest of equally good ones, then those
    on both sides of it."""
    every = [
        (sum(gains[a : b + 1]), a - b, -a)
        for a in range(first, end)
        for b in range(a, end)
        if good[a] and good[b]
    ]
    score, shorter, begin = max(every, default=(0, 0, 0))
    if score <= 0:
        return []
    a, b = -begin, -begin - shorter
    return [*best_of(gains, good, first, a), (a, b), *best_of(gains, good, b + 1, end)]


@given(st.lists(st.tuples(st.integers(-4, 4), st.booleans()), max_size=12))
@example([(0, True), (1, False), (-1, True), (2, False), (-1, True)])
def test_runs_are_the_best_and_those_beside_them(sentences: list[tuple[int, bool]]) -> None:
    gains, good = [gain for gain, _ in sentences], [fits for _, fits in sentences]
    runs = best_runs(np.array(gains, np.int64), np.array(good, bool))
    expected = best_of(gains, good, 0, len(gains))
    assert [sum(gains[a : b + 1]) for a, b in runs] == [sum(gains[a : b + 1]) for a, b in expected]


def test_long_inputs_take_linear_time() -> None:
    # prefix sums that fall and rise make each search for a lower beginning long, unless it skips
    gains = np.array([1, -2] * 100_000 + [1, 1] * 50_000, np.int64)
    good = np.array([True, False] * 100_000 + [True, True] * 50_000)
    assert len(best_runs(gains, good)) == 100_001


def test_function_words_are_of_the_model(english: Htmcleaner) -> None:
    assert {"the", "of", "and", "to", "in", "is", "that"} <= english.function_words
    assert len(english.function_words) == 100
    russian = Htmcleaner(read_ngrams("ru")).function_words
    assert {"и", "в", "на", "не"} <= russian
    chinese = Htmcleaner(read_ngrams("zh")).function_words
    assert "的" in chinese and all(len(word) == 1 for word in chinese)


def test_prose_between_menus(english: Htmcleaner) -> None:
    menu = "".join(f"<li><a href=/{n}>The best of the rest of item {n}.</a>" for n in range(9))
    document = dump_html(f"<ul>{menu}</ul><p>{PROSE}<p>Yes.<p>{PROSE}<p>All rights reserved<ul>{menu}</ul>")
    found = english.keep(document).mask
    # what stands between two good sentences belongs to the run
    assert [str(document[row]) for row in np.flatnonzero(found).tolist()] == [PROSE, "Yes.", PROSE]


def test_weaker_runs_need_a_share_of_the_best(english: Htmcleaner) -> None:
    cut = "<p>" + "<a href=/>A link of some length.</a> " * 20
    document = dump_html(f"<p>{(PROSE + ' ') * 9}{cut}<p>{PROSE}")
    assert english.keep(document).mask.tolist() == [True, False, True]
    assert Htmcleaner(english.model, share=0.5).keep(document).mask.tolist() == [True, False, False]


def test_a_script_without_spaces() -> None:
    chinese = Htmcleaner(read_ngrams("zh"))
    document = dump_html(
        "<li><a href=/>首页</a><li><a href=/>新闻</a><p>港口的渡轮将在五月底之前的每一天都照常开航，这是昨天的决定。"
    )
    assert chinese.keep(document).mask.tolist() == [False, False, True]


def test_function_words_count_with_their_letters() -> None:
    text = "The END of it, and THE ferry. İt İs the"
    found = sentences_in(text, np.zeros(1, np.int64), np.full(1, len(text)))
    words = frozenset({"the", "of", "and", "end", "it"})
    # "it," is no word of the list, nor is what İ becomes
    assert characters_in(words, text, found.begins, False).tolist() == [3 + 3 + 2 + 3 + 3, 3]


def test_copies_of_a_model_have_its_function_words(monkeypatch: pytest.MonkeyPatch) -> None:
    model = read_ngrams("en")
    first = Htmcleaner(model)
    monkeypatch.setattr("ncleaner.classics.htmcleaner._likely_words", None)
    assert Htmcleaner(model.with_others([])).function_words == first.function_words


def test_nothing_to_read(english: Htmcleaner) -> None:
    assert english.keep(dump_html("")).mask.shape == (0,)
    assert english.keep(dump_text(f"{PROSE}\n\nshort")).mask.tolist() == [True, False]
