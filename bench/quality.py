"""How well the quality of an output is estimated, on pages that no part of the models has seen.

    python -m bench.quality GOLD_ROOT [--seeds 1,2] [--text]

GOLD_ROOT holds the gold directories of scripts/goldsets.py. Each page is cleaned by the hybrid of a
cross-validation, by the convention of its set, and the estimate comes from a forest that has not seen its
site either. --text takes text dumps of the pages. Prints for each set, beside the F1 that the scores of the
segments promise and the mean distance of the scores from the border:

    ρ       rank correlation of estimate and F1
    AUC     how often a page of the worst tenth has a lower estimate than another page
    ECE     mean distance of estimate and F1 in ten groups of pages by their estimate

and then the F1 of the surest pages, and the F1 of the pages of each tenth of the estimate.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from bench.together import auc

sys.path.append(str(Path(__file__).parent.parent / "scripts"))
from goldsets import SETS, read_sets, unseen_outputs
from quality_training import Unseen, unseen_quality

from ncleaner.errors import TrainingWarning
from ncleaner.modelling.structure import QUALITY, quality_row

Values = npt.NDArray[np.float64]


def error_of(estimates: Values, scores: Values, groups: int = 10) -> float:
    """The expected calibration error, with groups of the same size."""
    found = [
        len(group) * abs(estimates[group].mean() - scores[group].mean())
        for group in np.array_split(np.argsort(estimates, kind="stable"), min(groups, len(scores)))
    ]
    return float(sum(found) / len(scores))


def ranks(values: Values) -> Values:
    """The rank of each value."""
    return np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)


def worst(scores: Values) -> npt.NDArray[np.bool_]:
    """The worst tenth of the pages."""
    return scores <= np.quantile(scores, 0.1)


def line_of(name: str, scores: Values, estimates: dict[str, Values]) -> str:
    """The figures of a set."""
    parts = [f"{name:<17}{len(scores):>6}  {scores.mean():.3f}"]
    for values in estimates.values():
        rank = np.corrcoef(ranks(values), ranks(scores))[0, 1]
        area = auc(-values, worst(scores))
        parts.append(f"{rank:>7.2f} {area:.3f} {error_of(values, scores):.3f}")
    return "  ".join(parts)


def main(
    gold: Annotated[Path, typer.Argument(help="where the gold directories are")],
    seeds: Annotated[str, typer.Option(help="of the forests, separated by commas")] = "1,2",
    text: Annotated[bool, typer.Option("--text", help="text dumps of the pages")] = False,
) -> None:
    """Prints the tables."""
    warnings.simplefilter("ignore", TrainingWarning)
    sets = read_sets(gold, SETS, text)
    outputs: list[Unseen] = []
    numbers: dict[str, list[int]] = defaultdict(list)
    for place, output in unseen_outputs(sets, [int(seed) for seed in seeds.split(",")]):
        numbers[place.set].append(len(outputs))
        outputs.append(output)
    rows: Any = np.array([quality_row(output.document, output.kept) for output in outputs])
    scores = np.array([output.score for output in outputs])
    sure = [
        float(np.abs(output.kept.scores) @ output.document.segments["chars"])
        / max(float(output.document.segments["chars"].sum()), 1)
        for output in outputs
        if output.kept.scores is not None
    ]
    estimates = {
        "estimate": unseen_quality(outputs),
        "expected F1": rows[:, QUALITY.index("expected-f")].astype(np.float64),
        "mean |score|": np.tanh(np.array(sure) / 8),
    }
    print(f"{'':<17}{'pages':>6}  F1   " + "".join(f"{name + ': ρ, AUC, ECE':>24}" for name in estimates))
    for name, own in [*numbers.items(), ("all", list(range(len(outputs))))]:
        print(line_of(name, scores[own], {key: values[own] for key, values in estimates.items()}))
    order = np.argsort(-estimates["estimate"], kind="stable")
    for share in (100, 90, 80, 70, 50):
        print(f"F1 of the surest {share} %: {scores[order[: len(order) * share // 100]].mean():.3f}")
    print("estimate, pages, mean estimate, F1")
    tenths = np.minimum((10 * estimates["estimate"]).astype(int), 9)
    for tenth in range(10):
        here = tenths == tenth
        if here.any():
            mean = estimates["estimate"][here].mean()
            print(f"{tenth / 10:.1f}  {here.sum():>5}  {mean:.3f}  {scores[here].mean():.3f}")


if __name__ == "__main__":
    typer.run(main)
