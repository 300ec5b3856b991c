from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.errors import TrainingError
from ncleaner.training.sites import folds, site_notes, sites_of_names


@given(
    sites=st.lists(st.sampled_from(["", "a.org", "b.org", "c.org", "d.org"]), min_size=1, max_size=40),
    k=st.integers(2, 6),
)
def test_folds_share_no_site_and_lose_no_page(sites: list[str], k: int) -> None:
    dealt = folds(sites, k)
    assert sorted(page for fold in dealt for page in fold) == list(range(len(sites)))
    assert all(dealt) and len(dealt) <= k
    homes = [{sites[page] for page in fold if sites[page]} for fold in dealt]
    assert sum(map(len, homes)) == len(set().union(*homes))
    assert dealt == folds(sites, k)


def test_pages_of_unknown_sites_stay_with_their_neighbours() -> None:
    dealt = folds([""] * 40, 5)
    assert [len(fold) for fold in dealt] == [8] * 5
    assert all(fold[i + 1] - fold[i] == 1 for fold in dealt for i in (0, 1, 2))


def test_names_tell_sites() -> None:
    names = ["kyma_01", "kyma_02", "pylos-3", "other"]
    assert sites_of_names(names, r"^([a-z]+)[_-]") == ["kyma", "kyma", "pylos", ""]
    assert sites_of_names(names, r"^[a-z]+") == ["kyma", "kyma", "pylos", "other"]
    # the first group, also where others match
    assert sites_of_names(names, r"(k|p)(y)") == ["k", "k", "p", ""]


@pytest.mark.parametrize(("pattern", "match"), [("(", "not a regular expression"), ("x{5}", "finds no site")])
def test_patterns_that_find_nothing(pattern: str, match: str) -> None:
    with pytest.raises(TrainingError, match=match):
        sites_of_names(["one", "two"], pattern)


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        (["a", "b", "c", "d", "e"], []),
        (["a", "b", "", "", "e"], ["the sites of 2 of 5 pages are not known"]),
        ([""] * 6, ["the sites of all pages are not known"]),
        (["a"] * 6 + ["b", "c", "d", "e"], ["a has 6 of 10 pages: they are judged by a model of only 4"]),
        (["a", "a", "b", "b"], ["the pages are of only 2 sites"]),
        (["a"], []),
        ([""], []),
        ([*"abcdefghi", ""], []),
    ],
)
def test_what_makes_figures_doubtful(sites: list[str], said: list[str]) -> None:
    notes = site_notes(sites)
    assert len(notes) == len(said)
    for note, beginning in zip(notes, said, strict=True):
        assert note.startswith(beginning)
