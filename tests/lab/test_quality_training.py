"""The estimate of quality: a forest that learns the F1 of outputs from the figures of their decisions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from quality_training import Unseen, fit_quality, unseen_quality

from ncleaner.document.kept import KINDS, NOTICE, Kept
from ncleaner.dumping.html import dump_html
from ncleaner.modelling.structure import Structure

from ..structures import structure

PAGE = dump_html(
    "<nav><a href=/>Home</a></nav><p>The ferry was late again this morning.</p><p>Nobody on the pier knew why.</p>"
)


def outputs(number: int) -> list[Unseen]:
    """Decisions of which the sure ones are right, on ten sites."""
    found = []
    for each in range(number):
        sure = 8.0 if each % 2 else 0.5
        kept = Kept(
            np.array([False, True, True]),
            np.array([-sure, sure, sure]),
            kinds=dict.fromkeys((*KINDS, NOTICE), 0.0),
        )
        found.append(Unseen(PAGE, kept, f"s{each % 10}.example", 0.95 if each % 2 else 0.4))
    return found


def test_it_learns_what_sure_decisions_are_worth() -> None:
    examples = outputs(400)
    unseen = unseen_quality(examples)
    right = np.array([example.score for example in examples])
    assert np.abs(unseen - right).max() < 0.05
    model = replace(structure(), quality=fit_quality(examples))
    again = Structure.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    for example in examples[:2]:
        estimate = again.estimate(PAGE, example.kept)
        assert estimate == pytest.approx(example.score, abs=0.05)
        assert estimate == model.estimate(PAGE, example.kept)


def test_the_same_outputs_give_the_same_forest() -> None:
    first, second = (fit_quality(outputs(200)) for _ in range(2))
    assert all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in ("thresholds", "leaves")
    )


def test_a_model_without_the_forest_gives_no_estimate() -> None:
    with pytest.raises(ValueError, match="does not estimate"):
        structure().estimate(PAGE, outputs(1)[0].kept)
    with pytest.raises(ValueError, match="without scores"):
        replace(structure(), quality=fit_quality(outputs(200))).estimate(PAGE, Kept(np.ones(3, bool)))
