"""Figures that hold for the next site: each page is cleaned by a model that has not seen its site.

A page is cleaned as `clean` does it by default, with the headline that the method keeps. Words are compared
in order, as in `training.alignment`; in scripts that do not separate words, characters. The figures are means
over pages, and their standard errors take pages of one site as one (`scoring.errors`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.methods.table import entry_of
from ncleaner.methods.zones import Wanted
from ncleaner.modelling.card import validation_of
from ncleaner.modelling.container import Stored
from ncleaner.modelling.decision import PRESETS
from ncleaner.scoring.errors import ratio_error
from ncleaner.training.pairs import Pair

__all__ = ["Figures", "Fold", "cleaned_by", "figures_of_pages", "mean_and_error", "page_figures", "validated"]

M = TypeVar("M", bound=Stored)
Floats = npt.NDArray[np.float64]


class Fold(NamedTuple, Generic[M]):
    """Pages, by their numbers, and a model that has seen no page of their sites."""

    pages: Sequence[int]
    model: M


class Figures(NamedTuple):
    """Precision, recall and F of words, 0 to 1, with the standard errors of these means.

    An error is None if there are fewer than two sites with such a figure.
    """

    precision: float
    recall: float
    f_score: float
    precision_error: float | None = None
    recall_error: float | None = None
    f_score_error: float | None = None

    def to_dict(self) -> dict[str, float]:
        """Returns the entry of a model's header; errors that are not known are left out."""
        return {name: round(value, 6) for name, value in self._asdict().items() if value is not None}


def mean_and_error(values: Floats, sites: Sequence[str]) -> tuple[float, float | None]:
    """Returns the mean over pages and its standard error.

    Args:
        values: shape (pages,): NaN for a page that does not count.
        sites: of each page; a page without a known site (empty) is a site of its own.

    Returns:
        The mean, 0 without pages; and the error, None with fewer than two sites.
    """
    rows = np.flatnonzero(~np.isnan(values)).tolist()
    if not rows:
        return 0.0, None
    found = values[rows].tolist()
    clusters = [sites[row] or f"/{row}" for row in rows]
    return float(np.mean(values[rows])), ratio_error(found, [1.0] * len(rows), clusters, 1.0)


def page_figures(pair: Pair, mask: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """Returns precision, recall and F of the words that a mask keeps of a page, 0 to 1.

    Without output there is no precision, and without a gold text no recall: NaN. F is 1 if there is neither.
    """
    alignment = pair.alignment
    kept, gold = float(alignment.words[mask].sum()), float(alignment.gold_words)
    right = float((np.nan_to_num(alignment.matched) * alignment.words)[mask].sum())
    return (
        right / kept if kept else np.nan,
        right / gold if gold else np.nan,
        2 * right / (kept + gold) if kept + gold else 1.0,
    )


def figures_of_pages(found: Sequence[tuple[float, float, float]], sites: Sequence[str]) -> Figures:
    """Returns the means over pages of what `page_figures` returns, with their errors."""
    columns = np.array(found, np.float64).reshape(len(found), 3).T
    means, errors = zip(*(mean_and_error(column, sites) for column in columns), strict=True)
    return Figures(*means, *errors)


def cleaned_by(
    method: str, model: Stored, preset: str | None = None
) -> Callable[[Document], npt.NDArray[np.bool_]]:
    """Returns a function that gives the mask of what `clean` keeps of a page by default."""
    entry = entry_of(method)
    wanted = Wanted(entry.keeps_headline or None)
    made = entry.make(model, preset)  # type: ignore[arg-type]
    return lambda document: wanted.applied(document, made.keep(document)).mask


def validated(pairs: Sequence[Pair], folds: Iterable[Fold[M]], method: str) -> Mapping[str, dict[str, Any]]:
    """Cleans all pages by a method, each by the model of its fold.

    Returns:
        The entries of a model's header with the figures, for each preset; see `modelling.card`.
    """
    found: dict[str, dict[int, tuple[float, float, float]]] = {preset: {} for preset in PRESETS}
    for fold in folds:
        for preset, pages in found.items():
            mask_of = cleaned_by(method, fold.model, None if preset == "balanced" else preset)
            for number in fold.pages:
                pages[number] = page_figures(pairs[number], mask_of(pairs[number].document))
    sites = [pair.site for pair in pairs]
    return {
        validation_of(preset): figures_of_pages(
            [pages[number] for number in sorted(pages)], [sites[number] for number in sorted(pages)]
        ).to_dict()
        for preset, pages in found.items()
    }
