from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ncleaner.training.sites import folds


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
