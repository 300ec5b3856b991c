"""The judgement of a page by the structure model, step by step, as `_judge.pyx` makes it in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, KINDS
from ncleaner.modelling._decide import probabilities_of
from ncleaner.modelling._page_features import even_out
from ncleaner.modelling.features import (
    KIND_COLUMN,
    PLAIN,
    Matrix,
    first_features,
    page_features,
    second_features,
)
from ncleaner.modelling.structure import (
    ARTICLE,
    CLEAR,
    EARLY,
    FAVOUR,
    LINKS,
    MANY_LINKS,
    NO_ARTICLE,
    NO_FRAGMENT,
    SUSPECT,
    Structure,
    kinds_of,
)

__all__ = ["Looks", "look"]

_ARTICLE, _FRAGMENT = KINDS.index("article"), KINDS.index(FRAGMENT)


class Looks(NamedTuple):
    """What the steps of a structure model make of a page. All log-odds are in nats.

    Attributes:
        matrix: shape (segments + 2 · spare, features), float32: the features.
        spare: number of its rows at either end that are outside of the page.
        first: shape (segments,), float64: log-odds of the first judgement.
        again: shape (segments,), bool: segments that are judged a second time.
        whole: shape (segments,), bool for each forest of the second judgement: all of its trees are asked;
            those of the others are clear after the first ones.
        articles: weight of the forest of articles in the second judgement, 0 to 1.
        kinds: shape (len(KINDS),), float64: probability of each kind of page; all 0 if the model knows none.
        judged: shape (segments,), float64: log-odds of the last judgement of each segment.
        evened: what segments of the same style add to them.
        favoured: what a page without boilerplate adds.
        stock: what stock phrases add; 0 or less.
    """

    matrix: Matrix
    spare: int
    first: npt.NDArray[np.float64]
    again: npt.NDArray[np.bool_]
    whole: dict[str, npt.NDArray[np.bool_]]
    articles: float
    kinds: npt.NDArray[np.float64]
    judged: npt.NDArray[np.float64]
    evened: npt.NDArray[np.float64]
    favoured: npt.NDArray[np.float64]
    stock: npt.NDArray[np.float64]

    @property
    def odds(self) -> npt.NDArray[np.float64]:
        """Log-odds that each segment is clean: what `Structure.judge` returns."""
        return self.judged + self.evened + self.favoured + self.stock


def look(
    model: Structure,
    document: Document,
    odds: npt.NDArray[np.float64],
    posterior: npt.NDArray[np.float64],
    news: bool = False,
) -> Looks:
    """Judges a page of at most `structure.PART` segments, step by step. Arguments are those of
    `Structure.judge`."""
    size = len(document)
    forests = model.forests
    seen = [name for name in forests if name != "kinds"]
    spare = max(forests[name].reach for name in seen)
    matrix = first_features(document, odds, posterior, model.weights, spare)
    inner = matrix[spare : spare + size]
    first = forests["first"].predict(matrix, spare)
    probabilities = probabilities_of(first)
    second_features(document, matrix, probabilities, spare, PLAIN)
    kinds = np.zeros(len(KINDS))
    if "kinds" in forests:
        row = page_features(document, matrix, probabilities, spare)
        kinds = kinds_of(forests["kinds"].predict_classes(row, len(KINDS))[0])
        inner[:, KIND_COLUMN:] = kinds
    share = 0.0
    if "articles" in forests:
        share = (
            1.0
            if news
            else min(max((float(kinds[_ARTICLE]) - NO_ARTICLE) / (ARTICLE - NO_ARTICLE), 0.0), 1.0)
        )
    again = probabilities >= PLAIN
    chosen = np.flatnonzero(again).astype(np.int32)
    judged = first.copy()
    judged[chosen] = 0
    whole = {}
    for name, weight in (("second", 1 - share), ("articles", share)):
        if weight > 0:
            some = forests[name].predict(matrix, spare, chosen, 0, EARLY)
            whole[name] = again & (np.abs(some) <= CLEAR)
            rest = np.flatnonzero(whole[name]).astype(np.int32)
            some[rest] += forests[name].predict(matrix, spare, rest, EARLY)[rest]
            judged[chosen] += weight * some[chosen]
    evened = judged.copy()
    even_out(document.tables, evened)
    favoured = np.zeros(size)
    fragment = 1.0 if size == 1 and "kinds" in forests else float(kinds[_FRAGMENT])
    if fragment > NO_FRAGMENT:
        other = (inner[:, SUSPECT] != 0).any(axis=1) | (inner[:, LINKS] > MANY_LINKS)
        favoured = FAVOUR * fragment * ~other
    stock = -model.stock.losses(document)
    return Looks(
        matrix, spare, first, again, whole, share, kinds, judged, evened - judged, favoured, stock
    )  # fmt: skip
