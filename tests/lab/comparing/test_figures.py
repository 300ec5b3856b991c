from __future__ import annotations

import math
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.lab.comparing.comparison import Comparison, Mean, PageFigures, ToolFigures
from ncleaner.lab.comparing.gold import GoldPage, GoldSet
from ncleaner.lab.comparing.tools import Tool, method
from ncleaner.lab.scoring.measures import MatchCounts
from ncleaner.lab.training.pairs import PairSource

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=20)


@given(VALUES)
def test_pages_of_sites_of_their_own_have_the_usual_standard_error(values: list[float]) -> None:
    found = Mean.of(values, [str(number) for number in range(len(values))])
    assert found.mean == pytest.approx(fmean(values))
    assert found.error == pytest.approx(stdev(values) / math.sqrt(len(values)), abs=1e-9)


@given(VALUES, st.integers(2, 4))
def test_copies_of_a_page_tell_nothing_new(values: list[float], copies: int) -> None:
    sites = [str(number) for number in range(len(values))]
    once = Mean.of(values, sites)
    again = Mean.of(values * copies, sites * copies)
    assert again.mean == pytest.approx(once.mean, abs=1e-9)
    assert again.error == pytest.approx(once.error, abs=1e-9)


def test_pages_of_one_site_have_no_standard_error() -> None:
    assert Mean.of([1.0, 3.0], ["a", "a"]) == Mean(2.0, None)


def figures(name: str, bags: list[float], seconds: list[float | None]) -> ToolFigures:
    pages = tuple(
        PageFigures(str(number), MatchCounts(1, 0, 1), bag, time, "" if time else "broken")
        for number, (bag, time) in enumerate(zip(bags, seconds, strict=True))
    )
    return ToolFigures(Tool(name, method), pages)


def comparison(types: list[str]) -> Comparison:
    gold = GoldSet(
        "gold",
        tuple(
            GoldPage(PairSource(str(number), None, None, page_type=kind), site, "word")  # type: ignore[arg-type]
            for number, (kind, site) in enumerate(zip(types, ["a", "a", "b"], strict=True))
        ),
    )
    tools = (figures("bad", [10, 20, 0], [0.1, 0.5, None]), figures("good", [90, 80, 100], [0.1, 0.3, 0.2]))
    return Comparison(gold, tools, reference="good")


def test_figures_of_a_tool() -> None:
    bad, good = comparison(["", "", ""]).tools
    assert bad.words == MatchCounts(3, 0, 3)
    assert bad.mean_time == pytest.approx(0.3) and bad.median_time == pytest.approx(0.3)
    assert good.mean_time == pytest.approx(0.2) and good.median_time == 0.2
    assert [page.name for page in bad.failures] == ["2"] and not good.failures
    assert figures("none", [0], [None]).mean_time is None


def test_differences_are_those_of_the_same_pages() -> None:
    result = comparison(["", "", ""])
    bad, good = result.tools
    difference = result.difference(bad)
    assert difference is not None and difference.mean == pytest.approx((-80 - 60 - 100) / 3)
    # two sites: the mean without the first is -100, and without the second -70
    assert difference.error == pytest.approx(math.sqrt((20**2 + 10**2) / 2))
    assert result.difference(good) is None
    assert [tool.tool.name for tool in result.ranking] == ["good", "bad"]


def test_types_of_pages() -> None:
    assert comparison(["", "", ""]).page_types == {}
    result = comparison(["forum", "article", "forum"])
    assert result.page_types == {"article": [1], "forum": [0, 2]}
    assert result.bag(result.tools[0], [0, 2]).mean == 5
