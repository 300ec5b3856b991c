"""Percentages and kappa, by hand and by their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.lab.annotating.agreement import Votes, agreement, conflicts

LETTERS = st.text("phlco", min_size=1, max_size=30)


def votes(first: str, second: str, words: list[int] | None = None) -> Votes:
    return Votes("p", np.array(words or [1] * len(first), np.int64), {"anna": first, "ben": second})


def test_by_hand() -> None:
    # kept by both 2, only by anna 1, only by ben 1, by none 4: 6 of 8 agree; chance (3·3 + 5·5) / 64
    found = agreement("anna", "ben", [votes("pppo", "ppop", [1, 1, 1, 1]), votes("oooo", "oooo")])
    keep = found.measures["segments"]["keep"]
    assert (found.pages, keep.units, keep.share) == (2, 8, 0.75)
    assert keep.kappa == pytest.approx((0.75 - 34 / 64) / (1 - 34 / 64))


def test_words_weigh() -> None:
    found = agreement("anna", "ben", [votes("po", "oo", [90, 10])])
    assert found.measures["segments"]["keep"].share == 0.5
    assert found.measures["words"]["keep"].share == pytest.approx(0.1)
    assert found.measures["words"]["keep"].units == 100


def test_kinds_count_only_among_labels() -> None:
    found = agreement("anna", "ben", [votes("phlo", "lllo")])
    assert found.measures["segments"]["keep"].share == 1
    assert found.measures["segments"]["label"].share == 0.5


@given(LETTERS)
def test_who_says_the_same_agrees_wholly(letters: str) -> None:
    found = agreement("anna", "ben", [votes(letters, letters)])
    for kinds in found.measures.values():
        for one in kinds.values():
            assert (one.share, one.kappa) == (1, 1)
    assert conflicts([letters, letters]) == []


@given(st.lists(st.tuples(st.sampled_from("phlco"), st.sampled_from("phlco")), min_size=1))
def test_the_two_may_change_places(pairs: list[tuple[str, str]]) -> None:
    first, second = ("".join(side) for side in zip(*pairs, strict=True))
    one, other = (agreement(*names, [votes(first, second)]) for names in (("anna", "ben"), ("ben", "anna")))
    for what in ("keep", "label"):
        mine, theirs = one.measures["words"][what], other.measures["words"][what]
        assert mine.share == theirs.share and mine.kappa == pytest.approx(theirs.kappa)
        assert mine.kappa <= 1
    assert conflicts([first, second]) == [row for row, (a, b) in enumerate(pairs) if a != b]


def test_pages_of_one_person_do_not_count() -> None:
    alone = Votes("q", np.ones(1, np.int64), {"anna": "p"})
    found = agreement("anna", "ben", [alone])
    assert (found.pages, found.measures["words"]["keep"].units) == (0, 0)
