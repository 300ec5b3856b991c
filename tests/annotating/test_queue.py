"""The order of the pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ncleaner.annotating.learning import Candidate, in_order

PAGES = st.lists(
    st.builds(
        Candidate,
        st.text("abc", min_size=1, max_size=4),
        st.sampled_from(["", "a.example", "b.example"]),
        st.sampled_from(["", "article", "forum"]),
        st.just(""),
        st.none() | st.floats(0, 1),
        st.integers(0, 1000),
    ),
    unique_by=lambda page: page.page,
)


def page(name: str, site: str = "", kind: str = "", doubt: float | None = 0.1) -> Candidate:
    return Candidate(name, site, kind, "", doubt, 100)


# so many pages that doubt counts
DONE = [page(f"done{number}", f"s{number}.example") for number in range(8)]


def test_typical_pages_come_first() -> None:
    left = [page("a", doubt=0.01), page("b", doubt=0.3), page("c", doubt=0.1)]
    assert in_order(left, []) == ["c", "b", "a"]
    assert in_order(left, DONE[:7]) == ["c", "b", "a"]


def test_doubtful_pages_come_after_them() -> None:
    left = [page("a", doubt=0.01), page("b", doubt=0.3), page("c", doubt=0.1)]
    assert in_order(left, DONE) == ["b", "c", "a"]


def test_other_sites_come_first() -> None:
    left = [page("a", "one.example", doubt=0.12), page("b", "two.example")]
    assert in_order(left, DONE) == ["a", "b"]
    assert in_order(left, [*DONE, page("c", "one.example")]) == ["b", "a"]


def test_other_kinds_come_first() -> None:
    left = [page("a", kind="forum", doubt=0.12), page("b", kind="article")]
    assert in_order(left, DONE) == ["a", "b"]
    assert in_order(left, [page(f"{number}", kind="forum") for number in range(9)]) == ["b", "a"]


def test_a_page_that_nobody_has_looked_at_is_like_the_others() -> None:
    left = [page("a", doubt=0.3), page("b", doubt=None), page("c", doubt=0.2), page("d", doubt=0.1)]
    assert in_order(left, DONE) == ["a", "b", "c", "d"]


def test_a_page_without_words_teaches_nothing() -> None:
    assert in_order([Candidate("empty", doubt=0.0), page("b", doubt=0.001)], []) == ["b", "empty"]


@given(PAGES, PAGES)
def test_no_page_is_lost_and_the_order_is_always_the_same(
    left: list[Candidate], done: list[Candidate]
) -> None:
    order = in_order(left, done)
    assert sorted(order) == sorted(page.page for page in left)
    assert in_order(left[::-1], done[::-1]) == order
