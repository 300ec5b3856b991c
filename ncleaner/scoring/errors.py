"""Standard errors of figures over pages, where the pages of a site are not taken as independent.

All figures are ratios of sums over pages, or means, which are ratios whose denominators are 1. The error of
such a ratio r = Σ a / Σ b says how much it changes when all pages of one site are taken out: the jackknife
with sites as units (Cochran 1977, "Sampling Techniques", section 6.17),

    variance = (G - 1) / G · Σ (r - r without the site)²,

the sum over G sites. If each page is a site of its own and all b are 1, this is the usual variance of a mean.
Where one site has most pages it is larger than the linearised variance (section 6.5), and nearer to what
further sites show.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ncleaner.scoring.measures import MatchCounts, Overlap

__all__ = [
    "ALIGNED",
    "Errors",
    "MeasureErrors",
    "StandardErrors",
    "clusters_of",
    "mean_errors",
    "ratio_error",
]


# the measures by alignment, which have counts for all pages as one, too
ALIGNED = ("words", "marks", "words_unlabelled", "marks_unlabelled")


class Errors(NamedTuple):
    """Standard errors of precision, recall and F, in per cent; None if all pages are of one site."""

    precision: float | None
    recall: float | None
    f_score: float | None


class MeasureErrors(NamedTuple):
    """Standard errors of all pages as one (`micro`) and of the means of the pages (`macro`)."""

    micro: Errors
    macro: Errors

    @classmethod
    def of(cls, pages: Sequence[MatchCounts], clusters: Sequence[str]) -> MeasureErrors:
        """Computes them from the counts of each page."""
        hits = [page.tp for page in pages]
        micro = Errors(
            ratio_error(hits, [page.tp + page.fp for page in pages], clusters),
            ratio_error(hits, [page.tp + page.fn for page in pages], clusters),
            ratio_error(
                [2 * hit for hit in hits], [2 * page.tp + page.fp + page.fn for page in pages], clusters
            ),
        )
        return cls(micro, mean_errors(pages, clusters))

    def to_dict(self) -> dict[str, Any]:
        """Returns all of them, for JSON."""
        return {"micro": self.micro._asdict(), "macro": self.macro._asdict()}


@dataclass(frozen=True, slots=True)
class StandardErrors:
    """Standard errors of the figures of an evaluation.

    Attributes:
        by: what is taken as independent: the sites of the pages, or the pages themselves if no site is known.
        clusters: number of sites, or of pages.
        unknown: number of pages of unknown sites, each of which counts as a site of its own.
        words, marks, words_unlabelled, marks_unlabelled: those of the alignment measure.
        bag: those of the bag measure.
    """

    by: Literal["site", "page"]
    clusters: int
    unknown: int
    words: MeasureErrors
    marks: MeasureErrors
    words_unlabelled: MeasureErrors
    marks_unlabelled: MeasureErrors
    bag: Errors

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, for JSON."""
        return {
            "by": self.by,
            "clusters": self.clusters,
            "unknown_sites": self.unknown,
            **{name: getattr(self, name).to_dict() for name in ALIGNED},
            "bag": self.bag._asdict(),
        }


def ratio_error(
    numerators: Sequence[float], denominators: Sequence[float], clusters: Sequence[str], scale: float = 100.0
) -> float | None:
    """Returns the standard error of Σ numerators / Σ denominators, times `scale`.

    None for pages of one site, and for a ratio without denominator, or without one when a site is left out.

    Args:
        numerators, denominators: of each page.
        clusters: the site of each page.
    """
    whole = math.fsum(denominators)
    if not whole:
        return None
    ratio = math.fsum(numerators) / whole
    residuals: dict[str, float] = defaultdict(float)
    sizes: dict[str, float] = defaultdict(float)
    for above, below, cluster in zip(numerators, denominators, clusters, strict=True):
        residuals[cluster] += above - ratio * below
        sizes[cluster] += below
    if len(sizes) < 2 or any(size >= whole for size in sizes.values()):
        return None
    changes = [residuals[cluster] / (whole - size) for cluster, size in sizes.items()]
    return scale * math.sqrt((len(sizes) - 1) / len(sizes) * math.fsum(change * change for change in changes))


def mean_errors(pages: Sequence[MatchCounts] | Sequence[Overlap], clusters: Sequence[str]) -> Errors:
    """Returns the standard errors of the means of precision, recall and F."""
    ones = [1.0] * len(pages)
    figures = [(page.precision, page.recall, page.f_score) for page in pages]
    return Errors(*(ratio_error(column, ones, clusters, 1.0) for column in zip(*figures, strict=True)))


def clusters_of(
    names: Sequence[str], sites: Mapping[str, str]
) -> tuple[list[str], Literal["site", "page"], int]:
    """Returns the cluster of each page, what clusters are, and the number of pages of unknown sites.

    Args:
        names: of the pages.
        sites: {name: registered domain}; a page that is missing or has an empty site is of an unknown one.
    """
    known = [sites.get(name, "") for name in names]
    unknown = known.count("")
    by: Literal["site", "page"] = "page" if unknown == len(names) else "site"
    # no registered domain contains a slash
    return [site or f"/{name}" for name, site in zip(names, known, strict=True)], by, unknown
