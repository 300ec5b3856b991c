"""The causes of each verdict: the record of a decision (`methods.base.Trace`), in bits and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, NOTICE
from ncleaner.document.tables import HEADER, HIDDEN
from ncleaner.explaining.verdicts import Reason, Ruling
from ncleaner.explaining.words import feature_name, said_of
from ncleaner.methods.base import Trace
from ncleaner.modelling._judge import Steps
from ncleaner.modelling.decision import saturated
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import EARLY

__all__ = ["Causes", "causes_of_hybrid", "causes_of_ngrams", "rulings_of"]

_BIT = math.log(2)
# smaller contributions are rounding errors
_NOTHING = 1e-9
# of a page of more segments only the strongest features are listed, and the sum of the others
_MANY, _STRONGEST = 2000, 20
# number of segments whose contributions are in memory together
_ROWS = 500


class Causes(NamedTuple):
    """The parts of the scores of a method on a page. Each sequence has an entry for each segment.

    Attributes:
        bar: the score that a segment has to reach, in bits; None if the page has no main text.
        base, features, steps, first: see `Why`.
    """

    bar: float | None
    base: Sequence[float]
    features: Sequence[tuple[Reason, ...]]
    steps: Sequence[tuple[Reason, ...]]
    first: Sequence[tuple[Reason, ...]]


def causes_of_ngrams(document: Document, model: NGramModel) -> Causes:
    """Takes the scores of n-grams apart: evidence and neighbours."""
    table, decision = document.segments, model.decision
    sums, counts = model.log_odds(document.data, table["start"], table["end"])
    scores = decision.statistics(sums, counts)
    steps: list[tuple[Reason, ...]]
    if decision.statistic == "page":
        alone = decision.scale * (decision.slope * saturated(sums) + decision.offset)
        near = scores - decision.shift - alone
        steps = [
            (
                Reason(f"its n-grams: {total:+.1f} bits, which saturate and are calibrated", own, "n-grams"),
                Reason("the segments around it, and its place on the page", around, "neighbours"),
            )
            for total, own, around in zip(sums.tolist(), alone.tolist(), near.tolist(), strict=True)
        ]
        base = [decision.shift] * len(scores)
    else:
        per = "a character" if decision.statistic == "character" else "for the whole segment"
        steps = [(Reason(f"its n-grams, {per}", score, "n-grams"),) for score in scores.tolist()]
        base = [0.0] * len(scores)
    none: list[tuple[Reason, ...]] = [()] * len(scores)
    return Causes(decision.threshold, base, none, steps, none)


def causes_of_hybrid(model: HybridModel, steps: Steps) -> Causes:
    """Takes the scores of a hybrid apart: features, and the steps after the last judgement.

    Args:
        model: the hybrid of the page.
        steps: the record of its judgement.
    """
    slope, offset = model.calibration.slope / _BIT, model.calibration.offset / _BIT
    base: list[float] = []
    features: list[tuple[Reason, ...]] = []
    first: list[tuple[Reason, ...]] = []
    most = len(steps.first) if len(steps.first) <= _MANY else _STRONGEST
    for begin in range(0, len(steps.first), _ROWS):
        rows = np.arange(begin, min(begin + _ROWS, len(steps.first)), dtype=np.int32)
        roots, values = _contributions(model, steps, rows)
        base += (slope * roots + offset).tolist()
        features += _reasons(steps, rows, slope * values, most)
        again = steps.again[rows]
        seen = _reasons(steps, rows, slope * _contributions(model, steps, rows, only_first=True)[1], most)
        first += [reasons if twice else () for reasons, twice in zip(seen, again.tolist(), strict=True)]
    return Causes(_bar(model, steps), base, features, _later_steps(steps, slope), first)


def _contributions(
    model: HybridModel, steps: Steps, rows: npt.NDArray[np.int32], *, only_first: bool = False
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the base of some segments, and what the features add to it, in nats: shape
    (rows, 2 · spare + 1, features). A segment that is plainly boilerplate has the features of the first
    forest. Segments are compared with all of the page that the same forest judges."""
    forests = model.structure.forests
    base = np.zeros(len(rows))
    values = np.zeros((len(rows), 2 * steps.spare + 1, steps.matrix.shape[1]))
    every = np.arange(len(steps.first), dtype=np.int32)
    twice = every[steps.again]

    def add(
        name: str, some: npt.NDArray[np.bool_], weight: float, begin: int = 0, end: int | None = None
    ) -> None:
        forest = forests[name]
        background = every if name == "first" else twice
        root, found = forest.contributions(steps.matrix, steps.spare, rows[some], background, begin, end)
        base[some] += weight * root
        values[some, steps.spare - forest.reach : steps.spare + forest.reach + 1] += weight * found

    again = steps.again[rows] & (not only_first)
    add("first", ~again, 1.0)
    for name, weight in (("second", 1 - steps.articles), ("articles", steps.articles)):
        if weight > 0:
            add(name, again, weight, 0, EARLY)
            add(name, again & steps.by_all(name)[rows], weight, EARLY)
    return base, values


def _reasons(
    steps: Steps, rows: npt.NDArray[np.int32], bits: npt.NDArray[np.float64], most: int
) -> Iterator[tuple[Reason, ...]]:
    """Yields what the features add to each of some segments, the strongest first; the weak ones as one."""
    width = bits.shape[2]
    for row, added in zip(rows.tolist(), bits.reshape(len(rows), -1), strict=True):
        strong = np.flatnonzero(np.abs(added) > _NOTHING)
        strong = strong[np.argsort(-np.abs(added[strong]), kind="stable")]
        reasons = []
        for player in strong[:most].tolist():
            away, column = player // width - steps.spare, player % width
            value = float(steps.matrix[row + steps.spare + away, column])
            reasons.append(
                Reason(said_of(column, away, value), float(added[player]), feature_name(column, away))
            )
        if len(rest := strong[most:]):
            reasons.append(Reason(f"{len(rest):,} other features", float(added[rest].sum()), "rest"))
        yield tuple(reasons)


def _later_steps(steps: Steps, slope: float) -> list[tuple[Reason, ...]]:
    """Returns what the steps after the last judgement add to each segment."""
    parts = (
        (slope * steps.evened, "others of its style are judged otherwise", "alike"),
        (slope * steps.favoured, "the page has no boilerplate", FRAGMENT),
        (slope * steps.stock, "a stock phrase, boilerplate on many sites", "phrase"),
        (steps.site / _BIT, "its text is on many pages of the site", "site"),
    )
    return [
        tuple(Reason(said, float(bits[row]), name) for bits, said, name in parts if abs(bits[row]) > _NOTHING)
        for row in range(len(steps.first))
    ]


def _bar(model: HybridModel, steps: Steps) -> float | None:
    """Returns the score that a segment has to reach, in bits; None if no segment of the page could."""
    if model.threshold is not None:
        return model.threshold
    return math.log2(steps.bar / (1 - steps.bar)) if 0 < steps.bar < 1 else None


def rulings_of(document: Document, trace: Trace) -> tuple[list[list[Ruling]], list[str]]:
    """Returns the rules that changed the verdict about each segment, and sentences about the page."""
    rulings: list[list[Ruling]] = [[] for _ in range(len(document))]
    notes = []
    flags = document.segments["flags"].tolist()
    _, before = trace.rules[0]
    for name, mask in trace.rules[1:]:
        for row in np.flatnonzero(mask != before).tolist():
            keeps = bool(mask[row])
            if name == "copy" and trace.copied is not None:
                said = f"a copy of segment {trace.copied[row]}, which is kept"
            elif name == "form":
                said = _form(flags[row]) + (", on a page with little other text" if trace.steps else "")
            else:
                said = _SAID[name, keeps]
            rulings[row].append(Ruling(keeps, said, name))
        if name in _NOTES and before.any():
            notes.append(_NOTES[name])
        before = mask
    return rulings, notes


# {(rule, whether it keeps the segment): words}
_SAID = {
    ("fragment", True): "a part of a few lines without links",
    ("heading", False): "a heading at the end, whose text is removed",
    ("phrase", False): "a stock phrase, boilerplate on many sites",
    ("run", False): "one of the links to other pages beside the text of an article",
    ("table", True): "most of its table is kept",
    ("code", True): "a quarter or more of the code around it is kept",
    ("item", True): "half or more of the segments in its style are kept, on a listing",
    ("links", False): "nearly all that would be kept of the page is links",
    (NOTICE, False): "the page holds nothing but a notice",
    ("headline", True): "the headline of a page with text is kept",
    ("headline", False): "headlines are not wanted",
    ("comment", False): "readers' comments are not wanted",
    ("caption", False): "captions are not wanted",
}
# {rule that removes the whole page: sentence about the page}
_NOTES = {
    "links": "nothing is kept, because the little text that would be kept is nearly all links",
    NOTICE: "nothing is kept, because the page holds nothing but a notice (`clean --notices` keeps it)",
}


def _form(flags: int) -> str:
    """Returns the reason why the heuristics remove a segment."""
    if flags & HIDDEN:
        return "not shown when the page opens"
    if flags & HEADER:
        return "a field of the header of a message"
    return "it has the form of a menu, a copyright line, or has no letter"
