"""The causes of each verdict: the steps of the methods `hybrid` and `ngram` again, with what each adds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, NOTICE, Kept
from ncleaner.document.tables import HEADER, HIDDEN, ZONES
from ncleaner.explaining.additions import Added, what_added
from ncleaner.explaining.meanings import feature_name, said_of
from ncleaner.explaining.structural import Looks, look
from ncleaner.explaining.verdicts import Reason, Ruling
from ncleaner.methods.heuristics import Heuristics
from ncleaner.modelling._cells import complete_tables
from ncleaner.modelling._copies import drop_copies
from ncleaner.modelling._decide import bar_of, probabilities_of
from ncleaner.modelling.decision import saturated
from ncleaner.modelling.hybrid import REPEATED, HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import BALANCES, PART

__all__ = ["Causes", "causes_of_hybrid", "causes_of_ngrams", "rulings_of_user"]

_BIT = math.log(2)
# what adds less says nothing
_NOTHING = 1e-9
# a page of more segments has only so many features of each, and the sum of the others: a gigabyte otherwise
_MANY, _STRONGEST = 2000, 20


class Causes(NamedTuple):
    """What led to the scores and the verdicts of a method on a page. Each sequence has an entry for each
    segment.

    Attributes:
        bar: the score that a segment has to reach, in bits.
        base: see `Why`.
        features, steps, first, rulings: see `Why`.
        notes: sentences about the page as a whole.
    """

    bar: float | None
    base: Sequence[float]
    features: Sequence[tuple[Reason, ...]]
    steps: Sequence[tuple[Reason, ...]]
    first: Sequence[tuple[Reason, ...]]
    rulings: list[list[Ruling]]
    notes: list[str]


def causes_of_ngrams(document: Document, model: NGramModel) -> Causes:
    """Takes apart what the method `ngram` does: evidence, neighbours, threshold, forms."""
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
    rulings = [[Ruling(False, said, "form")] if said else [] for said in _forms(document)]
    none: list[tuple[Reason, ...]] = [()] * len(scores)
    return Causes(decision.threshold, base, none, steps, none, rulings, [])


def causes_of_hybrid(document: Document, model: HybridModel, kept: Kept) -> Causes | None:
    """Takes apart what the method `hybrid` does on an HTML page; None for a page that it judges in parts.

    Args:
        document: the page.
        model: the hybrid of the page.
        kept: what the method has decided, without what a user wants (`zones.Wanted`).
    """
    if len(document) > PART:
        return None
    table, ngrams = document.segments, model.ngrams
    sums, counts = ngrams.log_odds(document.data, table["start"], table["end"])
    looks = look(model.structure, document, sums, ngrams.decision.statistics(sums, counts), model.news)
    slope, offset = model.calibration.slope / _BIT, model.calibration.offset / _BIT
    repeated = np.zeros(len(document), bool)
    if document.site is not None:
        repeated = document.site.repeated & (table["zone"] != ZONES.index("headline"))
    scores = slope * looks.odds + offset - repeated * (REPEATED / _BIT)
    steps = [
        tuple(
            reason
            for reason in (
                Reason("others of its style are judged otherwise", evened, "alike"),
                Reason("the page has no boilerplate", favoured, FRAGMENT),
                Reason("a stock phrase, boilerplate on many sites", stock, "phrase"),
                Reason("stands on many pages of the site", site, "site"),
            )
            if abs(reason.bits) > _NOTHING
        )
        for evened, favoured, stock, site in zip(
            (slope * looks.evened).tolist(),
            (slope * looks.favoured).tolist(),
            (slope * looks.stock).tolist(),
            (-(REPEATED / _BIT) * repeated).tolist(),
            strict=True,
        )
    ]
    judged = what_added(model.structure, looks)
    first = what_added(model.structure, looks, "first")
    features = _reasons(judged, looks, slope)
    seen = _reasons(first, looks, slope)
    bar = _bar(document, model, scores)
    rulings, notes = _rulings_of_hybrid(document, model, scores, kept)
    if bar is None:
        notes.insert(0, "nothing is kept, because no part of the page is likely enough to be main text")
    return Causes(
        bar,
        (slope * judged.base + offset).tolist(),
        features,
        steps,
        [found if again else () for found, again in zip(seen, looks.again.tolist(), strict=True)],
        rulings,
        notes,
    )


def _reasons(added: Added, looks: Looks, slope: float) -> list[tuple[Reason, ...]]:
    """Returns what the features add to each segment, in bits, the strongest first; on a page of many segments
    the weak ones as one."""
    columns = np.array([column for column, _ in added.players])
    away = np.array([row for _, row in added.players])
    bits = slope * added.values
    most = len(columns) if len(bits) <= _MANY else _STRONGEST
    order = np.argsort(-np.abs(bits), axis=1, kind="stable")
    found = []
    for row, ranked in enumerate(order):
        values = looks.matrix[row + looks.spare + away, columns]
        strong = [player for player in ranked.tolist() if abs(bits[row, player]) > _NOTHING]
        reasons = [
            Reason(
                said_of(added.players[player], float(values[player])),
                float(bits[row, player]),
                feature_name(added.players[player]),
            )
            for player in strong[:most]
        ]
        if rest := strong[most:]:
            reasons.append(Reason(f"{len(rest):,} other features", float(bits[row, rest].sum()), "rest"))
        found.append(tuple(reasons))
    return found


def _bar(document: Document, model: HybridModel, scores: npt.NDArray[np.float64]) -> float | None:
    """Returns the score that a segment has to reach, in bits; None if no segment of the page could."""
    if model.threshold is not None:
        return model.threshold
    sizes = document.segments["chars"].astype(np.float64)
    least = bar_of(probabilities_of(scores * _BIT), sizes, BALANCES[model.balance])
    return None if least >= 1 else math.log2(least / (1 - least)) if least > 0 else None


def _rulings_of_hybrid(
    document: Document, model: HybridModel, scores: npt.NDArray[np.float64], kept: Kept
) -> tuple[list[list[Ruling]], list[str]]:
    """Returns the rules that `Hybrid.keep` applies to the mask of the model, by their effects, in order."""
    rulings: list[list[Ruling]] = [[] for _ in scores]
    notes: list[str] = []
    before = model.judge(document).mask
    mask = before.copy()
    drop_copies(document.tables, mask)
    for row in np.flatnonzero(before & ~mask).tolist():
        rulings[row].append(Ruling(False, _copy_of(document, mask, row), "copy"))
    without = mask.copy()
    complete_tables(document.tables, mask)
    for row in np.flatnonzero(mask & ~without).tolist():
        rulings[row].append(Ruling(True, "most of its table is kept", "table"))
    lost = np.flatnonzero(mask & ~kept.mask).tolist()
    forms = _forms(document)
    for row in lost:
        if forms[row]:
            rulings[row].append(Ruling(False, f"{forms[row]}, on a page with little other text", "form"))
        else:
            rulings[row].append(Ruling(False, "nearly all that would be kept of the page is links", "links"))
    if any(rulings[row][-1].name == "links" for row in lost):
        notes.append("nothing is kept, because the little text that would be kept is nearly all links")
    return rulings, notes


def _copy_of(document: Document, mask: npt.NDArray[np.bool_], row: int) -> str:
    """Names the segment that this one repeats."""

    def letters(text: str) -> str:
        return "".join(filter(str.isalnum, text.casefold()))

    texts = document.texts
    own = letters(texts[row])
    for other in np.flatnonzero(mask[:row]).tolist():
        if letters(texts[other]) == own:
            return f"a copy of segment {other}, which is kept"
    return "a copy of a segment that is kept"


def _forms(document: Document) -> list[str]:
    """Says of each segment why the heuristics remove it; empty if they do not."""
    removed = Heuristics().remove(document)
    flags = document.segments["flags"]
    return [
        ""
        if not out
        else "not shown when the page opens"
        if flag & HIDDEN
        else "a field of the header of a message"
        if flag & HEADER
        else "it has the form of a menu, a copyright line, or has no letter"
        for out, flag in zip(removed.tolist(), flags.tolist(), strict=True)
    ]


def rulings_of_user(document: Document, decided: Kept, kept: Kept) -> tuple[list[list[Ruling]], list[str]]:
    """Returns what the wishes of the user change of a method's decision (`zones.Wanted`).

    Args:
        document: the page.
        decided: the decision of the method.
        kept: the same with the wishes.
    """
    rulings: list[list[Ruling]] = [[] for _ in range(len(document))]
    if decided.kind_probability(NOTICE) > 0.5 and decided.mask.any() and not kept.mask.any():
        for row in np.flatnonzero(decided.mask).tolist():
            rulings[row].append(Ruling(False, "the page holds nothing but a notice", NOTICE))
        note = "nothing is kept, because the page holds nothing but a notice (`clean --notices` keeps it)"
        return rulings, [note]
    zones = document.segments["zone"]
    for row in np.flatnonzero(decided.mask != kept.mask).tolist():
        zone = ZONES[zones[row]]
        said = {
            "headline": "the headline of a page with text is kept"
            if kept.mask[row]
            else "headlines are not wanted",
            "comment": "readers' comments are not wanted",
            "caption": "captions are not wanted",
        }[zone]
        rulings[row].append(Ruling(bool(kept.mask[row]), said, zone))
    return rulings, []
