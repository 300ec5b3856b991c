"""The paper, redone: the tables and figures of Evert (2008), cross-validated on gold data.

    python -m bench.paper --data GOLD_DIR [--output bench/results/paper.md] [--jobs 2] [--quiet]

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt; text dumps are taken from lynx/ID.txt or
text/ID.txt, or made by Lynx. Writes a report and, in a directory of its name, the figures. The same pages
give the same bytes under the same versions, whatever the number of processes.

S. Evert: A lightweight and efficient tool for cleaning Web pages. LREC 2008.
"""

from __future__ import annotations

import math
import multiprocessing
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from bench.crossval import load_gold, scores
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.scoring.evaluation import Evaluation
from ncleaner.lab.scoring.measures import (
    Average,
    MatchCounts,
    Summary,
    clusters_of,
    count_diff,
    diff_words,
    split_words,
)
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.examples import folds
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.tuning import DEFAULT_QS, Trial, tune
from ncleaner.methods.registry import entry_of
from ncleaner.page import Page
from ncleaner.sinks.formats import Output

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REPORT = Path("bench/results/paper.md")
FOLDS = 5
# as the paper trains (section 3), and as it decides (section 2): the dirty model has to give a segment the
# higher probability
_PAPER: dict[str, Any] = {
    "scheme": "differential", "statistic": "segment", "threshold": 0.0, "order": 3, "q": 0.5,
}  # fmt: skip
# the q of the paper's figure 2, with which n = 6 has the smallest cross-entropy
_FIGURE_2_Q = 0.6


@dataclass(frozen=True)
class Condition:
    """A row of the tables: a method, and for `ngram` what its models are trained with."""

    label: str
    method: str
    training: Mapping[str, Any]


CONDITIONS = {
    "baseline": Condition("baseline: the uncleaned dump", "everything", {}),
    "heuristics": Condition("heuristics only", "heuristics-only", {}),
    "full": Condition("NCleaner, as in the paper", "ngram", {**_PAPER, "alphabet": "ascii"}),
    "nonlexical": Condition(
        "NCleaner, as in the paper, non-lexical", "ngram", {**_PAPER, "alphabet": "nonlexical"}
    ),
    "own": Condition("ncleaner's defaults", "ngram", {}),
    "own-nonlexical": Condition("ncleaner's defaults, non-lexical", "ngram", {"alphabet": "nonlexical"}),
}
SOURCES = {"html": "HTML", "dump": "text dumps"}
# the learning curve: pages to train on (doubled from the last where there are more), and random orders
SIZES = (5, 10, 20, 30, 40)
ORDERS = 10
SEED = 2008
# width of the bars of figure 3, in points of precision
BIN = 5
LYNX = ("lynx", "-dump", "-nolist", "-force_html", "-display_charset=utf-8")

# the paper's own figures (its tables 3 and 4) by source and row: precision, recall and F of words, and F of
# labelled segmentation; its baseline is the dump of Lynx without marks
PAPER_FIGURES = {
    ("dump", "as it is"): (83.11, 95.15, 88.72, 0.00),
    ("html", "full"): (94.70, 90.83, 92.73, 60.85),
    ("dump", "full"): (90.30, 90.05, 90.18, 34.04),
    ("html", "nonlexical"): (91.65, 92.97, 92.31, 55.76),
    ("dump", "nonlexical"): (89.88, 89.85, 89.86, 33.21),
}
AS_IT_IS = "the dump as it is, without marks"

_MARK = re.compile("<[phl]>", re.IGNORECASE)

# -------------------------------------------------------------------------------------------------
# Cleaning held-out pages, in worker processes


@dataclass(frozen=True)
class Task:
    """A model to train on some pages, and other pages to clean with it.

    Attributes:
        source: `html` or `dump`.
        condition: of `CONDITIONS`.
        training, tested: page numbers.
        counted: whether words are to be counted at once; otherwise the text is returned.
    """

    source: str
    condition: str
    training: tuple[int, ...]
    tested: tuple[int, ...]
    counted: bool = False


@dataclass(frozen=True)
class Done:
    """The pages of a task by name: their text in CleanEval's format, or their words counted.

    `untrained` says that the training pages held nothing to learn from, and that nothing was removed.
    """

    texts: dict[str, bytes]
    words: dict[str, MatchCounts]
    untrained: bool


_folders: dict[str, tuple[Path, str]] = {}


def _start(folders: dict[str, tuple[Path, str]]) -> None:
    _folders.update(folders)
    warnings.simplefilter("ignore", TrainingWarning)


@lru_cache
def _pairs(source: str) -> list[Pair]:
    return load_gold(*_folders[source])


def _has_marks(pair: Pair) -> bool:
    return _MARK.search(pair.gold) is not None


@lru_cache
def _marked(source: str) -> bool:
    """Whether the gold texts have marks; without them ours would all count as wrong words."""
    return any(map(_has_marks, _pairs(source)))


@lru_cache(maxsize=4096)
def _words(predicted: bytes, gold: Path) -> MatchCounts:
    """Word counts as `lab.scoring.measures` has them; small training sets often clean a page alike."""
    return count_diff(diff_words(split_words(predicted), split_words(gold.read_bytes())))[0]


def _run(task: Task) -> Done:
    pairs = _pairs(task.source)
    condition = CONDITIONS[task.condition]
    method, model = condition.method, None
    if method == "ngram":
        try:
            model = train([pairs[page] for page in task.training], method="ngram", **condition.training)
        except TrainingError:
            method = "everything"
    cleaner = entry_of(method).make(model)
    sink = Output(format="cleaneval" if _marked(task.source) else "text").sink()
    texts = {
        pairs[page].name: sink.render(
            Page(b""), pairs[page].document, cleaner.keep(pairs[page].document), True
        )
        for page in task.tested
    }
    untrained = method != condition.method
    if not task.counted:
        return Done(texts, {}, untrained)
    gold = _folders[task.source][0] / "clean"
    return Done({}, {name: _words(text, gold / f"{name}.txt") for name, text in texts.items()}, untrained)


@contextmanager
def _workers(
    folders: dict[str, tuple[Path, str]], jobs: int
) -> Iterator[Callable[[Sequence[Task]], Iterable[Done]]]:
    """A map over tasks, in this process or in several; the results come in order."""
    if jobs == 1:
        _start(folders)
        yield lambda tasks: map(_run, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(folders,)) as pool:
        yield lambda tasks: pool.map(_run, tasks)


class Progress:
    """A line on standard error: the step, and how much of it is done."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Without a terminal only whole steps are told."""
        if self._quiet or not (self._live or done == total):
            return
        end = "\n" if done == total else ""
        start = "\r" if self._live else ""
        print(f"{start}paper: {step} {done}/{total}", end=end, file=sys.stderr, flush=True)


# -------------------------------------------------------------------------------------------------
# Text dumps


def _dump(page: Path) -> bytes:
    done = subprocess.run([*LYNX, page], capture_output=True, check=False, timeout=60)
    return done.stdout


def text_dumps(data: Path, made: Path, jobs: int) -> tuple[str | None, str]:
    """The directory with text dumps, None without any; and where they come from, in words.

    Args:
        data: the gold directory.
        made: where dumps are written when Lynx makes them.
        jobs: how many Lynx runs at once.
    """
    for name in ("lynx", "text"):
        if (data / name).is_dir():
            return name, f"the files of `{name}/`"
    if shutil.which(LYNX[0]) is None:
        return None, ""
    pages = sorted(path for path in (data / "raw").iterdir() if path.is_file() and path.name[0] != ".")
    with ThreadPoolExecutor(jobs) as threads:
        for page, text in zip(pages, threads.map(_dump, pages), strict=True):
            (made / f"{page.stem}.txt").write_bytes(text)
    said = subprocess.run([LYNX[0], "-version"], capture_output=True, text=True, check=False).stdout
    return str(made), f"`{' '.join(LYNX)}` ({said.partition(' (')[0].strip()})"


# -------------------------------------------------------------------------------------------------
# The paired t-test


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 500):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 + term * d, 1 + term / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, 0 <= x <= 1."""
    if x in (0, 1):
        return x
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def two_sided(t: float, df: int) -> float:
    """The probability that Student's t is at least this far from 0."""
    return beta(df / 2, 0.5, df / (df + t * t))


@dataclass(frozen=True)
class PairedTest:
    """Mean difference, t, degrees of freedom and p; t and p are None where no difference varies."""

    difference: float
    t: float | None
    df: int
    p: float | None

    @classmethod
    def of(cls, values: Sequence[float], others: Sequence[float]) -> PairedTest:
        """Of the same pages under two conditions."""
        differences = np.array(values) - np.array(others)
        df = len(differences) - 1
        mean = float(differences.mean())
        error = float(differences.std(ddof=1)) / math.sqrt(df + 1) if df else 0.0
        if error < 1e-12:
            return cls(mean, None, df, None)
        return cls(mean, mean / error, df, two_sided(mean / error, df))

    def cells(self) -> list[str]:
        """For a table."""
        if self.t is None or self.p is None:
            return [_signed(self.difference), "–", str(self.df), "–"]
        shown = "< 0.0001" if self.p < 1e-4 else f"{self.p:.4f}"
        return [_signed(self.difference), _signed(self.t), str(self.df), shown]


# -------------------------------------------------------------------------------------------------
# Tables


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−") if round(value, 2) else "0.00"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """A Markdown table; the first `left` columns hold text, the others figures."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)] + [""]


def _counts(counted: MatchCounts) -> list[str]:
    return [f"{value:.2f}" for value in (counted.precision, counted.recall, counted.f_score)]


def _average(average: Average) -> str:
    return f"{average.mean:.2f}" + ("" if average.sd is None else f" ± {average.sd:.2f}")


def _unmarked(result: Evaluation) -> MatchCounts:
    """The words of the labelled alignment without the marks among them."""
    words, marks = result.words.micro, result.marks.micro
    return MatchCounts(words.tp - marks.tp, words.fp - marks.fp, words.fn - marks.fn)


Results = dict[str, dict[str, Evaluation]]
"""By source and condition."""


def _table_2(results: dict[str, Evaluation]) -> list[str]:
    rows = []
    for name, result in results.items():
        macro = result.words.macro
        means = [_average(average) for average in (macro.precision, macro.recall, macro.f_score)]
        rows.append([CONDITIONS[name].label, *_counts(result.words.micro), *means])
    lines = _table(["", "P", "R", "F", "P by file", "R by file", "F by file"], rows)
    lines += [
        "Paired t-tests over files: the difference of each row to the row before, and to the baseline.",
        "",
    ]
    tests = []
    names = list(results)
    for before, name in pairwise(names):
        for other in dict.fromkeys((before, names[0])):
            cells = [CONDITIONS[name].label, "the baseline" if other == names[0] else "the row before"]
            for figure in ("f_score", "precision"):
                values, others = (
                    [getattr(page.words, figure) for page in results[side].pages] for side in (name, other)
                )
                cells += PairedTest.of(values, others).cells()
            tests.append(cells)
    head = ["", "against", "ΔF", "t", "df", "p", "ΔP", "t", "df", "p"]
    return lines + _table(head, tests, left=2)


def _tables_3_4(results: Results, as_it_is: Evaluation | None) -> tuple[list[str], list[str]]:
    text: list[list[str]] = []
    marks: list[list[str]] = []
    for source, by_condition in results.items():
        rows = {CONDITIONS[name].label: result for name, result in by_condition.items()}
        if source == "dump" and as_it_is is not None:
            rows = {AS_IT_IS: as_it_is, **rows}
        for label, result in rows.items():
            start = [SOURCES[source], label]
            text.append([*start, *_counts(result.words.micro), *_counts(_unmarked(result))])
            marks.append(
                [*start, *_counts(result.marks_unlabelled.micro), *_counts(result.marks.micro)]
            )  # fmt: skip
    words = ["P", "R", "F", "P, no marks", "R, no marks", "F, no marks"]
    kinds = ["P unlabelled", "R unlabelled", "F unlabelled", "P labelled", "R labelled", "F labelled"]
    return _table(["from", "", *words], text, left=2), _table(["from", "", *kinds], marks, left=2)


def _known(results: Results, as_it_is: Evaluation | None) -> list[str]:
    """The paper's figures beside ours."""
    rows = []
    for (source, name), figures in PAPER_FIGURES.items():
        if source not in results:
            continue
        ours = as_it_is if name == "as it is" else results[source][name]
        if ours is not None:
            label = AS_IT_IS if name == "as it is" else CONDITIONS[name].label
            *words, marks = (f"{figure:.2f}" for figure in figures)
            here = [*_counts(ours.words.micro), f"{ours.marks.micro.f_score:.2f}"]
            rows.append([SOURCES[source], label, *words, *here[:3], marks, here[3]])
    head = ["from", "", "P, paper", "R, paper", "F, paper", "P, here", "R, here", "F, here"]
    return _table([*head, "segmentation, paper", "segmentation, here"], rows, left=2)


# -------------------------------------------------------------------------------------------------
# Figures


def _save(path: Path, size: tuple[float, float], draw: Callable[[Figure], None]) -> None:
    """Draws to an SVG file; the same figures give the same bytes under the same version of matplotlib."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: Any = {
        "svg.hashsalt": "ncleaner",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.axisbelow": True,
    }
    with rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        figure.savefig(path, metadata={"Date": None, "Creator": None})


_SIDES = {"clean": "clean text, clean model", "dirty": "dirty text, dirty model"}


def _entropy(trial: Trial, side: str) -> float:
    return trial.clean_entropy if side == "clean" else trial.dirty_entropy


def _figure_2(trials: Sequence[Trial], path: Path) -> list[str]:
    """Cross-entropy against q, for each n."""
    orders = sorted({trial.order for trial in trials})

    def draw(figure: Figure) -> None:
        from matplotlib import colormaps

        panels: Sequence[Axes] = figure.subplots(1, len(_SIDES)).tolist()
        for panel, (side, title) in zip(panels, _SIDES.items(), strict=True):
            minima = []
            for n in orders:
                curve = [trial for trial in trials if trial.order == n]
                values = [_entropy(trial, side) for trial in curve]
                minima.append(min(values))
                panel.plot(
                    [trial.q for trial in curve],
                    values,
                    # yellow, the end of the map, is not seen on white
                    color=colormaps["viridis"](0.92 * (n - 1) / max(orders[-1] - 1, 1)),
                    marker="osD^v<>P"[n - 1],
                    markersize=3.5,
                    linewidth=1.1,
                    label=f"n = {n}",
                )
            # long histories with a small q lie several times as far out, and would flatten all others
            low, high = min(minima), max(minima)
            panel.set_ylim(low - 0.1 * (high - low), high + 0.7 * (high - low))
            panel.set_title(title)
            panel.set_xlabel("q")
            panel.set_ylabel("cross-entropy, bits per character")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", frameon=False)

    _save(path, (8.4, 3.6), draw)
    rows = []
    for n in orders:
        cells = [str(n)]
        for side in _SIDES:
            best = min((trial for trial in trials if trial.order == n), key=lambda t: _entropy(t, side))
            at = next(trial for trial in trials if (trial.order, trial.q) == (n, _FIGURE_2_Q))
            cells += [
                f"{_entropy(best, side):.3f}", "any" if n == 1 else f"{best.q:g}", f"{_entropy(at, side):.3f}"
            ]  # fmt: skip
        rows.append(cells)
    head = ["n"]
    for side in _SIDES:
        head += [f"{side} text: minimum", "at q", f"with q = {_FIGURE_2_Q:g}"]
    return _table(head, rows, left=0)


def _figure_3(results: dict[str, Evaluation], path: Path) -> list[str]:
    """Histogram of the differences of precision to the baseline."""
    shown = ("full", "own")
    baseline = [page.words.precision for page in results["baseline"].pages]
    counted = {}
    for name in shown:
        precision = [page.words.precision for page in results[name].pages]
        pairs = zip(precision, baseline, strict=True)
        # a hair's breadth of rounding error must not move a page from a bin to the next
        counted[name] = Counter(math.floor(round(new - old, 6) / BIN) for new, old in pairs)
    bins = [place for counts in counted.values() for place in counts]
    places = range(min(bins), max(bins) + 1)

    def draw(figure: Figure) -> None:
        from matplotlib.ticker import MaxNLocator

        panel: Axes = figure.subplots()
        for number, name in enumerate(shown):
            panel.bar(
                [BIN * (place + 0.29 + 0.42 * number) for place in places],
                [counted[name][place] for place in places],
                width=0.42 * BIN,
                color=("#35618f", "#d08a2e")[number],
                label=CONDITIONS[name].label,
            )
        panel.axvline(0, color="black", linewidth=0.8)
        panel.set_xlabel("precision, cleaned − uncleaned, in points")
        panel.set_ylabel("files")
        panel.yaxis.set_major_locator(MaxNLocator(integer=True))
        panel.legend(frameon=False)

    _save(path, (7.0, 3.4), draw)
    rows = [
        [
            f"{BIN * place} to {BIN * (place + 1)}".replace("-", "−"),
            *(str(counted[name][place]) for name in shown),
        ]
        for place in places
    ]
    return _table(["points, upper end excluded", *(CONDITIONS[name].label for name in shown)], rows)


# -------------------------------------------------------------------------------------------------
# The learning curve


def _first(groups: Sequence[Sequence[int]], pages: int) -> tuple[int, ...]:
    """Whole sites from the first on, until there are so many pages; in the pages' own order."""
    chosen: list[int] = []
    for group in groups:
        if len(chosen) >= pages:
            break
        chosen += group
    return tuple(sorted(chosen))


def _site_groups(pairs: Sequence[Pair]) -> list[list[int]]:
    """The pages of each site; a page whose site is not known is one of its own."""
    groups: dict[str, list[int]] = {}
    for page, site in enumerate(clusters_of(pair.site for pair in pairs)):
        groups.setdefault(site, []).append(page)
    return list(groups.values())


@dataclass(frozen=True)
class Point:
    """A point of the learning curve: pages of the training sides on average, and F over the orders."""

    pages: float
    f_score: Average


def learning_curve(
    pairs: Sequence[Pair],
    names: Sequence[str],
    clean: Callable[[Sequence[Task]], Iterable[Done]],
    progress: Callable[[int, int], None],
    orders: int,
) -> tuple[dict[str, list[Point]], int]:
    """F of all pages by models of growing parts of the other folds' pages; and how many of the models found
    nothing to learn from."""
    parts = folds([pair.site for pair in pairs], FOLDS)
    sites = _site_groups(pairs)
    rest = len(pairs) - max(map(len, parts))
    sizes = [size for size in SIZES if size < rest]
    while sizes and sizes[-1] >= SIZES[-1] and 2 * sizes[-1] < rest:
        sizes.append(2 * sizes[-1])
    tasks: list[Task] = []
    for name in names:
        for size in (*sizes, len(pairs)):
            # all pages are the same ones in any order
            for order in range(orders if size < len(pairs) else 1):
                shuffled = [
                    sites[site] for site in np.random.default_rng((SEED, order)).permutation(len(sites))
                ]
                for part in parts:
                    tested = set(part)
                    allowed = [group for group in shuffled if tested.isdisjoint(group)]
                    tasks.append(Task("html", name, _first(allowed, size), tuple(part), True))
    results = []
    for done in clean(tasks):
        results.append(done)
        progress(len(results), len(tasks))
    curves: dict[str, list[Point]] = {}
    at = iter(zip(tasks, results, strict=True))
    for name in names:
        curves[name] = []
        for size in (*sizes, len(pairs)):
            trained, found = [], []
            for _ in range(orders if size < len(pairs) else 1):
                words: list[MatchCounts] = []
                for _ in parts:
                    task, done = next(at)
                    trained.append(len(task.training))
                    words += done.words.values()
                found.append(Summary.of(words).micro.f_score)
            curves[name].append(Point(sum(trained) / len(trained), Average.of(found)))
    return curves, sum(done.untrained for done in results)


def _figure_4(curves: dict[str, list[Point]], baseline: float, path: Path) -> list[str]:
    def draw(figure: Figure) -> None:
        panel: Axes = figure.subplots()
        for number, (name, points) in enumerate(curves.items()):
            panel.errorbar(
                [point.pages for point in points],
                [point.f_score.mean for point in points],
                yerr=[point.f_score.sd or 0.0 for point in points],
                color=("#35618f", "#7fa8d1", "#b3661b", "#e3b06b")[number],
                marker="osD^"[number],
                markersize=4,
                linewidth=1.2,
                capsize=2,
                elinewidth=0.7,
                label=CONDITIONS[name].label,
            )
        panel.axhline(
            baseline, color="black", linewidth=0.9, linestyle="--", label=CONDITIONS["baseline"].label
        )
        panel.set_xlabel("pages to train on")
        panel.set_ylabel("F of words, per cent")
        figure.legend(loc="outside lower center", ncols=2, frameon=False)

    _save(path, (7.0, 4.4), draw)
    columns = list(curves.values())
    rows = [
        [f"{points[0].pages:.1f}", *(_average(point.f_score) for point in points)]
        for points in zip(*columns, strict=True)
    ]
    return _table(["pages to train on, mean", *(CONDITIONS[name].label for name in curves)], rows, left=0)


# -------------------------------------------------------------------------------------------------
# The report

_NO_DUMPS = (
    "The rows of text dumps are left out: the data has none, and Lynx is not installed. To get them, install "
    "Lynx (`apt-get install lynx`) and run the command again, or put a dump of each page into `lynx/ID.txt` "
    "or `text/ID.txt` of the data."
)


def _lines(text: str, indent: str = "") -> list[str]:
    """A paragraph, wrapped for reading as plain text."""
    return textwrap.wrap(
        text, 105, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )  # fmt: skip


def _items(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in _lines(f"- {text}", "  ")] + [""]


def _settings(pages: Sequence[Pair]) -> list[list[str]]:
    """What each row's models are, as a model of all pages says."""
    rows = []
    for condition in CONDITIONS.values():
        if condition.method == "ngram":
            model = train(pages, method="ngram", **condition.training)
            scheme, statistic = model.about["training"]["scheme"], model.decision.statistic
            decision = "even odds" if "threshold" in condition.training else "best on the training side"
            order, q = str(model.order), f"{model.q:g}"
            rows.append([condition.label, scheme, model.alphabet.name, order, q, statistic, decision])
    return rows


def _preamble(data: Path, pairs: Mapping[str, Sequence[Pair]], dumps: str) -> list[str]:
    pages = pairs["html"]
    parts = [len(part) for part in folds([pair.site for pair in pages], FOLDS)]
    empty = [f"`{pair.name}`" for pair in pages if not pair.alignment.gold_words]
    versions = ", ".join(f"{name} {version(name)}" for name in ("ncleaner", "numpy", "matplotlib"))
    facts = [
        f"Data: `{data.name}`, {len(pages)} pages of {len(_site_groups(pages))} sites.",
        f"Text dumps: {dumps}, {len(pairs['dump'])} pages." if dumps else "Text dumps: none.",
        f"Versions: {versions}, Python {platform.python_version()}.",
        f"{len(parts)}-fold cross-validation by registered domain: {', '.join(map(str, parts))} pages. No "
        "site stands on both sides.",
        "Scores are those of Evert's `cleaneval.py` 1.0, in per cent. P, R and F without further words are "
        'of all pages as one (micro). "By file" is the mean over files ± standard deviation (macro).',
    ]
    if not any(map(_has_marks, pages)):
        facts.append(
            "The clean text has no segment marks. So the cleaned text is written without them, too, and all "
            "figures of segmentation are 0."
        )
    if empty:
        facts.append(f"Pages without any clean text: {', '.join(empty)}. They count in all figures.")
    others = " to ".join(dict.fromkeys(str(len(pages) - size) for size in (max(parts), min(parts))))
    differences = [
        "The paper trains on 158 pages and tests on CleanEval's final set. Here every page is tested, by a "
        f"model of the other folds' {others} pages. Compare "
        "the distances between rows, not the figures as such.",
        "Rows from HTML take ncleaner's own dump. It knows paragraphs, headings and items by their tags.",
        "Rows from text dumps have paragraphs, headings and list items by their form, and are written with "
        'marks. Only "the dump as it is" has none, like an uncleaned dump of the paper.',
        "The heuristics are those of the paper's third stage (section 2) as ncleaner has them. They are part "
        "of all rows below.",
        "Figure 2 of the paper has one model of all raw text. Here the clean model reads clean text, and the "
        "dirty model dirty text.",
    ]
    return [
        "# The paper, redone",
        "",
        *_lines(
            'The tables and figures of S. Evert, "A lightweight and efficient tool for cleaning Web pages" '
            "(LREC 2008), computed again by ncleaner. Rows stand in one order: baseline, heuristics, full, "
            "non-lexical; then ncleaner's own defaults. A script writes this file:"
        ),
        "",
        f"    python -m bench.paper --data {data.name}",
        "",
        *_items(facts),
        *_table(
            ["row", "training", "alphabet", "n", "q", "statistic", "threshold"], _settings(pages), left=7
        ),
        "How this differs from the paper:",
        "",
        *_items(differences),
    ]


def _report(
    head: Sequence[str],
    results: Results,
    as_it_is: Evaluation | None,
    figures: Mapping[int, list[str]],
    notes: str,
) -> str:
    missing = [] if "dump" in results else [*_lines(_NO_DUMPS), ""]
    table_3, table_4 = _tables_3_4(results, as_it_is)
    lines = [*head, "## Table 2: words", "", "As in `cleaneval.py`, segment marks count as words here.", ""]
    for letter, (source, title) in zip("ab", SOURCES.items(), strict=True):
        lines += [f"### Table 2{letter}: from {title}", ""]
        lines += _table_2(results[source]) if source in results else missing
    lines += ["## Table 3: text only", ""]
    lines += _lines(
        "First the words with the marks among them, as `cleaneval.py` counts them; then the words of the "
        "same alignment alone."
    )
    lines += ["", *table_3, *missing, "## Table 4: segmentation", ""]
    lines += ["The marks alone. Unlabelled: `<p>`, `<h>` and `<l>` are one mark.", "", *table_4, *missing]
    lines += ["## The paper's own figures", ""]
    lines += _lines(
        "Words with the marks among them, and F of labelled segmentation: tables 3 and 4 of the paper, on "
        "CleanEval's final set, beside those above."
    )
    lines += ["", *_known(results, as_it_is)]
    captions = {
        2: (
            "cross-entropy against q",
            "Held-out text in bits per character: `ascii` alphabet, differential training, from HTML. The "
            "frames leave out what lies far above the minima.",
        ),
        3: (
            "differences of precision",
            "Files by the precision of the cleaned text minus that of the uncleaned text, from HTML.",
        ),
        4: (
            "learning curve",
            "F of words from HTML against the number of training pages. Of each training side whole sites "
            f"are added in a random order until the number is reached: {', '.join(map(str, SIZES))}, and "
            f"so on. Mean ± standard deviation of {notes}",
        ),
    }
    for number, (title, text) in captions.items():
        lines += [f"## Figure {number}: {title}", "", *_lines(text), "", *figures[number]]
    return "\n".join(lines).rstrip("\n") + "\n"


def main(
    data: Annotated[Path, typer.Option(help="gold directory: manifest.jsonl, raw/ID.html, clean/ID.txt")],
    output: Annotated[
        Path, typer.Option(help="the report; figures go into a directory of its name")
    ] = REPORT,
    jobs: Annotated[int, typer.Option(min=1, help="worker processes; the result does not depend on it")] = 2,
    orders: Annotated[int, typer.Option(min=1, help="random orders of the learning curve")] = ORDERS,
    quiet: Annotated[bool, typer.Option(help="no progress on standard error")] = False,
) -> None:
    """Writes the tables and figures of the paper for any gold data."""
    warnings.simplefilter("ignore", TrainingWarning)
    data = data.resolve()
    progress = Progress(quiet)
    drawn = output.parent / output.stem
    drawn.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder, dumps = text_dumps(data, Path(made), jobs)
        folders = {"html": (data, "raw")} | ({"dump": (data, folder)} if folder else {})
        pairs = {source: load_gold(*where) for source, where in folders.items()}
        results: Results = {}
        with _workers(folders, jobs) as clean:
            for source in folders:
                results[source] = _tables(source, pairs[source], clean, data / "clean", jobs, progress)
            as_it_is = None
            if folder:
                raw = {
                    path.stem: path.read_bytes()
                    for path in sorted((data / folder).iterdir())
                    if path.is_file()
                }
                as_it_is = scores(
                    {pair.name: raw[pair.name] for pair in pairs["dump"]}, data / "clean", jobs=jobs
                )
            curves, untrained = learning_curve(
                pairs["html"],
                [name for name, condition in CONDITIONS.items() if condition.method == "ngram"],
                clean,
                lambda done, total: progress("learning curve", done, total),
                orders,
            )
        tuning = tune(
            pairs["html"],
            alphabets=("ascii",),
            schemes=("differential",),
            qs=sorted({*DEFAULT_QS, _FIGURE_2_Q}),
            ngrams=NGramOptions(statistic="character"),
            k=FOLDS,
            jobs=jobs,
            progress=lambda done, total: progress("cross-entropy", done, total),
        )
    tables = {
        2: _figure_2(tuning.trials, drawn / "figure-2.svg"),
        3: _figure_3(results["html"], drawn / "figure-3.svg"),
        4: _figure_4(
            curves, results["html"]["baseline"].words.micro.f_score, drawn / "figure-4.svg"
        ),
    }  # fmt: skip
    figures = {
        number: [f"![Figure {number}]({output.stem}/figure-{number}.svg)", "", *table]
        for number, table in tables.items()
    }
    notes = f"{orders} orders (seed {SEED}); all pages are one run."
    if untrained:
        notes += f" {untrained} of the smaller training sides had nothing to learn from; they remove nothing."
    head = _preamble(data, pairs, dumps)
    output.write_text(_report(head, results, as_it_is, figures, notes), "utf-8")


def _tables(
    source: str,
    pairs: Sequence[Pair],
    clean: Callable[[Sequence[Task]], Iterable[Done]],
    gold: Path,
    jobs: int,
    progress: Progress,
) -> dict[str, Evaluation]:
    """All conditions on one source."""
    parts = folds([pair.site for pair in pairs], FOLDS)
    tasks = []
    for name in CONDITIONS:
        for part in parts:
            training = sorted(set(range(len(pairs))) - set(part))
            tasks.append(Task(source, name, tuple(training), tuple(part)))
    texts: dict[str, dict[str, bytes]] = {name: {} for name in CONDITIONS}
    for task, done in zip(tasks, clean(tasks), strict=True):
        if done.untrained:
            raise TrainingError(f"the pages hold nothing to train on ({CONDITIONS[task.condition].label})")
        texts[task.condition].update(done.texts)
    found = {}
    for number, (name, pages) in enumerate(texts.items(), 1):
        found[name] = scores(pages, gold, jobs=jobs)
        progress(f"tables, {SOURCES[source]}", number, len(texts))
    return found


if __name__ == "__main__":
    typer.run(main)
