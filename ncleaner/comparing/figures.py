"""Figures of tools on a gold standard, and their differences with standard errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from ncleaner.comparing.gold import GoldSet
from ncleaner.comparing.tools import Tool
from ncleaner.options import words_of
from ncleaner.recipe import Recipe
from ncleaner.scoring.measures import MatchCounts, ratio_error
from ncleaner.training.conventions import OPTIONS


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over pages, and its standard error; None if all pages are of one site."""

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float], clusters: Sequence[str]) -> Mean:
        """Averages at least one value.

        Pages of one site look alike, so their values are not independent: sites are (`scoring.measures`).

        Args:
            values: of each page.
            clusters: the site of each page.
        """
        return cls(fmean(values), ratio_error(values, [1.0] * len(values), clusters, 1.0))

    def to_dict(self) -> dict[str, float | None]:
        """Returns both, for JSON."""
        return {"mean": self.mean, "standard_error": self.error}


@dataclass(frozen=True, slots=True)
class PageFigures:
    """Figures of one tool on one page.

    Attributes:
        name: of the page.
        words: counts of words in order, as cleaneval.py counts them.
        bag: F of words or characters in any order, per cent; 0 for a failure.
        seconds: CPU time; None for a failure.
        failure: why the tool made nothing of the page; empty otherwise.
        empty: the tool returned no text.
    """

    name: str
    words: MatchCounts
    bag: float
    seconds: float | None = None
    failure: str = ""
    empty: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Returns all figures, for JSON."""
        return {
            "name": self.name,
            "words": self.words.to_dict(),
            "bag": self.bag,
            "cpu_ms": None if self.seconds is None else 1000 * self.seconds,
            "failure": self.failure or None,
            "empty": self.empty,
        }


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """Figures of one tool on a gold standard.

    Attributes:
        tool: the tool.
        pages: its figures on each page, in the order of the gold standard's pages.
        held_out: number of folds, if its models were trained on pages of other sites of the gold standard; 0
            otherwise.
        sources: what its models were trained on; empty if it has none, or they are held out.
    """

    tool: Tool
    pages: tuple[PageFigures, ...]
    held_out: int = 0
    sources: tuple[str, ...] = ()

    @property
    def words(self) -> MatchCounts:
        """Counts of words in order over all pages."""
        return sum((page.words for page in self.pages), MatchCounts())

    @property
    def bags(self) -> list[float]:
        """F of each page in any order, per cent."""
        return [page.bag for page in self.pages]

    @property
    def times(self) -> list[float]:
        """CPU time of each page that the tool did not fail on, in seconds."""
        return [page.seconds for page in self.pages if page.seconds is not None]

    @property
    def mean_time(self) -> float | None:
        """Mean CPU time, in seconds; None if there is none."""
        return fmean(self.times) if self.times else None

    @property
    def median_time(self) -> float | None:
        """Median CPU time, in seconds; None if there is none."""
        return median(self.times) if self.times else None

    @property
    def failures(self) -> list[PageFigures]:
        """Pages on which it failed."""
        return [page for page in self.pages if page.failure]

    @property
    def empty(self) -> int:
        """Number of pages of which it left nothing."""
        return sum(page.empty for page in self.pages)


@dataclass(frozen=True, slots=True)
class NotRun:
    """A tool that could not run, and why; `missing`: it is not installed."""

    tool: Tool
    reason: str
    missing: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it, for JSON."""
        return {
            "tool": self.tool.name,
            "installed": not self.missing,
            "install": self.tool.install or None,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Comparison:
    """All tools on one gold standard.

    Attributes:
        gold: the gold standard.
        tools: figures of the tools that ran, in the order of their names in `NAMES`.
        not_run: the other tools.
        reference: name of the tool that the others are compared with; empty if it did not run.
        rounds: number of rounds in which the time was taken.
    """

    gold: GoldSet
    tools: tuple[ToolFigures, ...]
    not_run: tuple[NotRun, ...] = ()
    reference: str = ""
    rounds: int = 1

    @property
    def ranking(self) -> list[ToolFigures]:
        """The tools by falling mean of the bag F."""
        return sorted(self.tools, key=lambda figures: -fmean(figures.bags))

    @property
    def page_types(self) -> dict[str, list[int]]:
        """{type of page: numbers of its pages}, by name; empty if the manifest tells no types."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, page in enumerate(self.gold.pages):
            found[page.source.page_type].append(number)
        return {} if set(found) == {""} else dict(sorted(found.items()))

    def bag(self, figures: ToolFigures, pages: Sequence[int] | None = None) -> Mean:
        """Returns the mean of a tool's bag F over all pages, or over some of them, per cent."""
        chosen = range(len(self.gold.pages)) if pages is None else pages
        clusters = self.gold.clusters
        return Mean.of([figures.pages[n].bag for n in chosen], [clusters[n] for n in chosen])

    def difference(self, figures: ToolFigures) -> Mean | None:
        """Returns by how much a tool's bag F is above that of the reference, page by page; None without a
        reference, and for the reference."""
        found = [other for other in self.tools if other.tool.name == self.reference]
        if not found or found[0] is figures:
            return None
        pairs = zip(figures.bags, found[0].bags, strict=True)
        return Mean.of([mine - its for mine, its in pairs], self.gold.clusters)

    def to_dict(self) -> dict[str, Any]:
        """Returns all figures, for JSON."""
        gold = self.gold
        told = gold.convention
        return {
            "set": gold.name,
            "compared": len(gold.pages),
            "sites": len(set(gold.clusters)),
            "units": {unit: sum(page.unit == unit for page in gold.pages) for unit in ("word", "char")},
            "convention": None if told is None else {name: use.to_dict() for name, use in told.items()},
            "wishes": {option: gold.wishes.get(option) for option in OPTIONS.values()},
            "options": words_of(Recipe, gold.wishes),
            "reference": self.reference or None,
            "rounds": self.rounds,
            "tools": [self._tool(figures) for figures in self.tools],
            "not_run": [tool.to_dict() for tool in self.not_run],
        }

    def _tool(self, figures: ToolFigures) -> dict[str, Any]:
        tool, difference = figures.tool, self.difference(figures)
        mean, middle = figures.mean_time, figures.median_time
        return {
            "tool": tool.name,
            "kind": "peer" if tool.is_peer else "method",
            "version": tool.version or None,
            "settings": tool.settings or None,
            "trained_on": list(figures.sources),
            "folds": figures.held_out or None,
            "words": figures.words.to_dict(),
            "bag": self.bag(figures).to_dict(),
            "difference": difference and difference.to_dict(),
            "by_page_type": {
                kind or "unknown": {"pages": len(pages), **self.bag(figures, pages).to_dict()}
                for kind, pages in self.page_types.items()
            },
            "cpu_ms": {
                "mean": None if mean is None else 1000 * mean,
                "median": None if middle is None else 1000 * middle,
            },
            "empty": figures.empty,
            "failed": len(figures.failures),
            "pages": [page.to_dict() for page in figures.pages],
        }
