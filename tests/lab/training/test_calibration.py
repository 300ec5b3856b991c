from __future__ import annotations

import numpy as np
import pytest

from ncleaner.lab.training.calibration import Scored, fit_decision
from ncleaner.modelling import STATISTICS, Statistic
from ncleaner.modelling.decision import PRESETS


def page(number: int, clean_score: float = 30.0, dirty_score: float = -20.0) -> Scored:
    clean = np.array([False, False, True, True, True, False])
    noise = (number % 5 - 2) * 2.0
    return Scored(
        f"site{number % 4}.example",
        np.where(clean, clean_score, dirty_score) + noise,
        np.full(6, 40, np.uint32),
        np.full(6, 8),
        clean,
        24,
        np.where(clean, 8.0, 0.0),
    )


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_decision_that_separates(statistic: Statistic) -> None:
    pages = [page(number) for number in range(12)]
    decision = fit_decision(pages, statistic)
    assert set(decision.presets) == set(PRESETS) - {"balanced"}
    # 0 separates them, so nothing else is chosen
    assert decision.threshold == 0
    assert decision.presets["recall"] < decision.threshold < decision.presets["precision"]
    for each in pages:
        assert (decision.statistics(each.sums, each.counts) >= 0).tolist() == each.clean.tolist()


@pytest.mark.parametrize("statistic", ["segment", "character"])
def test_the_threshold_follows_the_scores(statistic: Statistic) -> None:
    high = fit_decision([page(number, 50.0, 20.0) for number in range(12)], statistic)
    low = fit_decision([page(number, -20.0, -50.0) for number in range(12)], statistic)
    assert high.threshold > 0 > low.threshold
