"""A comparison: the figures of tools on a gold standard, and the run over its pages that gives them.

For a cross-validation, models are first trained on the pages of other sites (`train_folds`).
"""

import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from ncleaner.errors import EvaluationError, ModelError, TrainingError, TrainingWarning, named
from ncleaner.lab.comparing.gold import GoldPage, GoldSet
from ncleaner.lab.comparing.tools import Outcome, Tool, ToolError, run, sources_of, tool_of
from ncleaner.lab.scoring.measures import (
    MatchCounts,
    bag_overlap,
    count_diff,
    diff_words,
    ratio_error,
    split_words,
)
from ncleaner.lab.training.conventions import OPTIONS
from ncleaner.lab.training.examples import folds
from ncleaner.lab.training.hybrid import train, train_hybrid
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods.base import Entry
from ncleaner.methods.choice import load_method
from ncleaner.methods.registry import DEFAULT_METHOD, DEFAULT_MODEL, METHODS
from ncleaner.modelling.container import ModelFile
from ncleaner.options import words_of
from ncleaner.pools.pool import Worker, results
from ncleaner.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over pages, and its standard error; None if all pages are of one site."""

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float], clusters: Sequence[str]) -> "Mean":
        """Averages at least one value.

        Pages of one site look alike, so their values are not independent: sites are (`lab.scoring.measures`).

        Args:
            values: of each page.
            clusters: the site of each page.
        """
        return cls(fmean(values), ratio_error(values, [1.0] * len(values), clusters, 1.0))

    def to_dict(self) -> dict[str, float | None]:
        """Returns both, for JSON."""
        return {"mean": self.mean, "standard_error": self.error}


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


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
            "cpu_ms": _milliseconds(self.seconds),
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
                "mean": _milliseconds(figures.mean_time),
                "median": _milliseconds(figures.median_time),
            },
            "empty": figures.empty,
            "failed": len(figures.failures),
            "pages": [page.to_dict() for page in figures.pages],
        }


# --------------------------------------------------------------------------------------------------
# Runs.

Progress = Callable[[int, int], None]


class TrainedFold(NamedTuple):
    """Names of pages, and the file of the model that has seen no page of their sites."""

    pages: frozenset[str]
    model: Path


Models = Mapping[str, "Sequence[TrainedFold] | TrainingError"]
"""{method: its folds, or why there are none}."""


def scored(page: GoldPage, outcome: Outcome, worker: Worker | None = None) -> PageFigures:
    """Scores what a tool made of a page: words in order, and words or characters in any order. It is a task
    for workers.

    A page on which the tool failed counts as an empty text, and as 0 in any order.
    """
    gold = page.gold()
    words, _ = count_diff(diff_words(split_words(outcome.text), split_words(gold)))
    return PageFigures(
        page.name, words, 0.0 if outcome.failure else bag_overlap(outcome.text, gold, page.unit).f_score,
        outcome.time, outcome.failure, not (outcome.text or outcome.failure),
    )  # fmt: skip


def compare(
    gold: GoldSet,
    names: Sequence[str],
    *,
    reference: str = "",
    model: str | Path = DEFAULT_MODEL,
    sites: str | None = None,
    held_out: Models | None = None,
    rounds: int = 1,
    seconds: float = 60.0,
    jobs: int = 1,
    scorers: int = 1,
    progress: Progress = lambda done, total: None,
) -> Comparison:
    """Compares tools on the pages of a gold standard.

    Args:
        gold: the gold standard.
        names: of the tools, of `peers.NAMES`.
        reference: of the tool that the others are compared with; by default the default method, or the first
            tool if that is not among them.
        model: for the methods that use one, as `clean` takes it.
        sites: a survey of sites for the methods that use one.
        held_out: models for a cross-validation, by method; the methods that are not there take `model`.
        rounds: how often each tool cleans each page, for its time.
        seconds: the wall-clock time that a tool may take for a page.
        jobs: number of tools that run at the same time. The times are exact with one.
        scorers: number of processes that score.
        progress: called with the number of steps done and of all steps.

    Raises:
        ValueError: there is no such method or peer.
        ModelError: no method that is compared can use the model.
        EvaluationError: no tool could run.
    """
    held_out = held_out or {}
    tools = [tool_of(name, gold.wishes, model, sites) for name in dict.fromkeys(names)]
    _check_model(tools, model)
    total, done, lock = len(tools) * len(gold.pages) * (rounds + 1), 0, threading.Lock()

    def advance(steps: int = 1) -> None:
        nonlocal done
        # tools in several threads
        with lock:
            done = min(done + steps, total)
            progress(done, total)

    stop = threading.Event()
    run_one = partial(run, rounds=rounds, seconds=seconds, progress=advance, stop=stop)
    cleaned = partial(_cleaned, gold, held_out, run_one)
    found: list[ToolFigures] = []
    not_run: list[NotRun] = []
    # closed where scoring is interrupted, so that tools in other threads end, too
    with closing(_each(cleaned, tools, jobs, stop)) as each:
        for tool, result in zip(tools, each, strict=True):
            if isinstance(result, NotRun):
                advance(len(gold.pages) * (rounds + 1))
                not_run.append(result)
            else:
                models = held_out.get(tool.name, ())
                folds = 0 if isinstance(models, TrainingError) else len(models)
                pages = _scores(gold, result, scorers, advance)
                found.append(ToolFigures(tool, pages, folds, () if folds else tuple(sources_of(tool))))
    if not found:
        reasons = "; ".join(f"{tool.tool.name}: {tool.reason}" for tool in not_run)
        raise EvaluationError(f"no tool could run ({reasons})")
    chosen = _reference(reference, [figures.tool.name for figures in found])
    return Comparison(gold, tuple(found), tuple(not_run), chosen, rounds)


def _cleaned(
    gold: GoldSet, models: Models, run_one: Callable[..., list[Outcome]], tool: Tool
) -> list[Outcome] | NotRun:
    """Returns what a tool makes of each page, or why it does not run."""
    folds = models.get(tool.name)
    if isinstance(folds, TrainingError):
        return NotRun(tool, str(folds))
    try:
        return run_one(tool, gold.pages) if folds is None else _by_fold(tool, gold, folds, run_one)
    except ToolError as error:
        return NotRun(tool, str(error), error.missing)


def _scores(
    gold: GoldSet, outcomes: Sequence[Outcome], scorers: int, advance: Callable[[], None]
) -> tuple[PageFigures, ...]:
    """Scores all pages in several processes."""
    tasks = [partial(scored, *pair) for pair in zip(gold.pages, outcomes, strict=True)]
    pages: dict[int, PageFigures] = {}
    for index, figures in results(tasks, scorers):
        pages[index] = figures
        advance()
    return tuple(pages[index] for index in range(len(tasks)))


def _each(
    function: Callable[[Tool], list[Outcome] | NotRun],
    tools: Sequence[Tool],
    jobs: int,
    stop: threading.Event,
) -> Generator[list[Outcome] | NotRun, None, None]:
    """Yields the result for each tool; `jobs` tools run at the same time."""
    if jobs <= 1:
        yield from map(function, tools)
        return
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(function, tool) for tool in tools]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _by_fold(
    tool: Tool, gold: GoldSet, folds: Sequence[TrainedFold], run_one: Callable[..., list[Outcome]]
) -> list[Outcome]:
    """Cleans each page with a model that has seen no page of its site."""
    found: dict[str, Outcome] = {}
    dumped = frozenset().union(*(fold.pages for fold in folds))
    for number, fold in enumerate(folds):
        # a page that cannot be dumped is in no fold, and fails with any model
        pages = [
            page
            for page in gold.pages
            if page.name in fold.pages or (number == 0 and page.name not in dumped)
        ]
        if pages:
            own = replace(tool, arguments={**tool.arguments, "model": str(fold.model)})
            outcomes = run_one(own, pages)
            found |= {page.name: outcome for page, outcome in zip(pages, outcomes, strict=True)}
    return [found[page.name] for page in gold.pages]


def _check_model(tools: Sequence[Tool], model: str | Path) -> None:
    """Raises ModelError: none of the methods can use the model."""
    errors = []
    for tool in tools:
        if tool.trained:
            try:
                load_method(tool.name, model)
            except ModelError as error:
                errors.append(error)
            else:
                return
    if errors:
        raise errors[0]


def _reference(asked: str, ran: Sequence[str]) -> str:
    """Returns the tool to compare with; empty if the one that was asked for did not run."""
    if asked:
        return asked if asked in ran else ""
    return DEFAULT_METHOD if DEFAULT_METHOD in ran else ran[0]


# --------------------------------------------------------------------------------------------------
# Cross-validation.


def _trainer_of(entry: Entry) -> Callable[[Sequence[Pair], int], ModelFile]:
    return lambda pairs, threads: named(entry.trainer)(pairs)


# By the kind of model that a method has as its own. The structure model is trained, too: the shipped one has
# seen the pages of the gold sets.
_TRAINERS: dict[str, Callable[[Sequence[Pair], int], ModelFile]] = {
    "ngram": lambda pairs, threads: train(pairs, method="ngram"),
    "hybrid": lambda pairs, threads: train_hybrid(pairs, structure="own", threads=threads),
    **{entry.kinds[0].name: _trainer_of(entry) for entry in METHODS.values() if entry.trainer},
}


def train_folds(
    methods: Sequence[str],
    pairs: Sequence[Pair],
    k: int,
    folder: Path,
    *,
    threads: int = 1,
    progress: Progress = lambda done, total: None,
) -> Models:
    """Trains the models of methods for each fold of the pages; no site is in two folds. Methods with the same
    kind of model share it.

    Args:
        methods: names; those that are not trainable are left out.
        pairs: all pages.
        k: number of folds; fewer where there are fewer sites.
        folder: directory for the model files.
        threads: of LightGBM.
        progress: called with the number of models trained and of all models.

    Returns:
        The folds of each trainable method; or an error: a package is missing, all pages are of one site, no
            model can be trained.
    """
    dealt = folds([pair.site for pair in pairs], k)
    methods_of: dict[str, list[str]] = {}
    for name in methods:
        kinds = METHODS[name].kinds if name in METHODS else ()
        if kinds and kinds[0].name in _TRAINERS:
            methods_of.setdefault(kinds[0].name, []).append(name)
    found: dict[str, list[TrainedFold] | TrainingError] = {}
    for place, (kind, names) in enumerate(methods_of.items()):
        trained: list[TrainedFold] = []
        result: list[TrainedFold] | TrainingError = trained
        try:
            if len(dealt) < 2:
                raise TrainingError("all pages are of one site: cross-validation needs at least two")
            for fold in dealt:
                path = folder / f"{kind}-{len(trained)}.ncm"
                tested = set(fold)
                rest = [pair for page, pair in enumerate(pairs) if page not in tested]
                _train(kind, rest, threads, path)
                trained.append(TrainedFold(frozenset(pairs[page].name for page in fold), path))
                progress(place * len(dealt) + len(trained), len(methods_of) * len(dealt))
        except TrainingError as error:
            result = error
        found |= dict.fromkeys(names, result)
    return found


def _train(kind: str, pairs: Sequence[Pair], threads: int, path: Path) -> None:
    with warnings.catch_warnings():
        # the same pairs would be named again in each fold
        warnings.simplefilter("ignore", TrainingWarning)
        _TRAINERS[kind](pairs, threads).save(path)
