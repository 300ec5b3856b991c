"""`ncleaner tune`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import typer

from ncleaner.cli.parameters import Run, part, reports_errors, with_options
from ncleaner.cli.printing import show
from ncleaner.lab.commands.labelled import read_labelled, training_notes
from ncleaner.lab.commands.plots import Panel, Series, drawing, plot_path, write_plot
from ncleaner.lab.training import Labelled, NGramOptions
from ncleaner.methods.registry import DEFAULT_METHOD
from ncleaner.modelling import ALPHABET_NAMES, DEFAULT_Q, FOLDS, LEAST_Q, MAX_ORDER, MOST_Q, SCHEMES, Scheme
from ncleaner.options import Declared, option, record_of, words_of
from ncleaner.recipe import Recipe
from ncleaner.text.visible import counted

if TYPE_CHECKING:
    from ncleaner.lab.training.tuning import Trial, Tuning


_TRIED = "What is tried"

_WIDTH = 78
_ROWS = 10  # best combinations that are shown
# from dark to light, for rising n
_COLOURS = "#440154 #472f7d #3a528b #2e6d8e #21918c #28ae80 #5ec962 #addc30".split()


@dataclass(frozen=True, slots=True)
class Tried(Declared):
    """What is tried, and where the figures go."""

    order: tuple[int, ...] = option(
        (),
        "A value of n to try. Can be repeated.",
        each=int, low=1, high=MAX_ORDER, otherwise=f"1 to {MAX_ORDER}", flags="--order -n", panel=_TRIED,
    )  # fmt: skip
    q: tuple[float, ...] = option(
        (),
        "A value of q to try. Can be repeated.",
        each=float, low=LEAST_Q, high=MOST_Q, otherwise="0.1 to 0.9, and 0.95", panel=_TRIED,
    )  # fmt: skip
    alphabet: tuple[str, ...] = option(
        (),
        "An alphabet to try. Can be repeated.",
        choices=ALPHABET_NAMES, otherwise="all", panel=_TRIED,
    )  # fmt: skip
    scheme: tuple[Scheme, ...] = option(
        (),
        "A training scheme to try. Can be repeated.",
        choices=SCHEMES, otherwise="aligned", panel=_TRIED,
    )  # fmt: skip
    method: str = option(
        DEFAULT_METHOD, "The method of `clean` to choose for.",
        choices=("hybrid", "ngram"), flags="--method -m", panel=_TRIED,
    )  # fmt: skip
    folds: int = option(FOLDS, "Number of folds. No site is in two of them.", low=2, panel=_TRIED)
    output: Path = option(
        Path("tune"),
        "Write the plot PREFIX.svg. The printed command writes PREFIX.ncm.",
        kind=Path, flags="--output -o", metavar="PREFIX", panel="Output",
    )  # fmt: skip
    json: Path | None = option(
        None, "Write all figures to this file.", kind=Path, metavar="FILE", panel="Output"
    )


@reports_errors
@with_options(
    labelled=Labelled, tried=Tried, ngrams=part(NGramOptions, "size cased statistic"),
    recipe=part(Recipe, "text encoding"), run=part(Run, "jobs quiet"),
)  # fmt: skip
def command(*, labelled: Labelled, tried: Tried, ngrams: NGramOptions, recipe: Recipe, run: Run) -> None:
    """Find n, q and alphabet by cross-validation: tables, a plot, and the command that trains the best.

    The best is the plainest combination whose F is within one standard error of the highest.
    """
    import json

    from ncleaner.lab.commands.steps import CountDisplay
    from ncleaner.lab.training.tuning import DEFAULT_QS
    from ncleaner.lab.training.tuning import tune as search
    from ncleaner.storage.local import check_writable, write_whole

    if labelled.raw is None:
        raise typer.BadParameter("give --raw, pages or a file of rows", param_hint="--raw")
    plot = plot_path(tried.output)
    # fail now, not after the search
    for path in (plot, *([tried.json] if tried.json else [])):
        check_writable(path)
    with training_notes(run.quiet), CountDisplay("step", "steps", quiet=run.quiet) as display:
        tuning = search(
            read_labelled(labelled, recipe), orders=tried.order or range(1, MAX_ORDER + 1),
            qs=tried.q or DEFAULT_QS, alphabets=tried.alphabet or ALPHABET_NAMES,
            schemes=tried.scheme or ("aligned",), ngrams=ngrams, method=tried.method, k=tried.folds,
            jobs=run.processes, progress=display.advance,
        )  # fmt: skip
    training = train_command(tuning, labelled, ngrams, recipe, plot.with_suffix(".ncm"))
    if tried.json:
        found = json.dumps({**tuning.to_dict(), "command": training}, ensure_ascii=False, indent=2)
        write_whole(tried.json, f"{found}\n".encode())
    draw_tuning(tuning, plot)
    show(f"{tuning_table(tuning)}\nPlot (SVG): {plot}\n\n{training}")


def train_command(
    tuning: Tuning, labelled: Labelled, ngrams: NGramOptions, recipe: Recipe, output: Path
) -> str:
    """Returns the command line that trains with the parameters of the best trial, quoted for a shell."""
    trial = tuning.best
    words: list[object] = ["ncleaner", "train", *words_of(Labelled, record_of(labelled))]
    words += ["--method", tuning.method] if tuning.method != DEFAULT_METHOD else []
    words += words_of(Recipe, {"text": recipe.text, "encoding": recipe.encoding})
    words += ["--order", trial.order, "--q", trial.q, "--alphabet", trial.alphabet]
    words += ["--alphabet-size", ngrams.size, *(["--cased"] if ngrams.cased else [])]
    words += ["--scheme", trial.scheme, "--statistic", tuning.statistic, "--output", output]
    return shlex.join(map(str, words))


def _f_score(trial: Trial) -> float:
    return 100 * trial.figures.f_score


_clean_entropy, _dirty_entropy = attrgetter("clean_entropy"), attrgetter("dirty_entropy")
_MEASURES = (
    ("clean text", "cross-entropy, bits per character", _clean_entropy),
    ("dirty text", "cross-entropy, bits per character", _dirty_entropy),
    ("cleaning by {}", "F of words, per cent", _f_score),
)


def draw_tuning(tuning: Tuning, path: Path) -> None:
    """Draws a row of panels for each alphabet and scheme: cross-entropy of clean and of dirty text against q,
    a curve for each n (Evert 2008, figure 2), and the F of cleaning, on one scale for all rows. The chosen
    combination has a ring. Raises OutputError: the file cannot be written."""
    pages, sites = counted(tuning.pages, "page"), counted(tuning.sites, "site")
    about = f"{pages} of {sites}; values far from the best lie outside the frames"
    write_plot(path, drawing(tuning_panels(tuning), about))


def tuning_panels(tuning: Tuning) -> list[list[Panel]]:
    """Returns the panels of `draw_tuning`."""
    rows = []
    for (name, scheme), trials in tuning.groups().items():
        row = []
        for title, unit, value in _MEASURES:
            shown = tuning.trials if value is _f_score else trials.values()
            row.append(
                Panel(
                    f"{name}, {scheme}: {title.format(tuning.method)}", "q", unit,
                    _curves(tuning, [*trials.values()], value),
                    heights=_frame([value(trial) for trial in shown], upwards=value is _f_score),
                )
            )  # fmt: skip
        rows.append(row)
    return rows


def _curves(tuning: Tuning, trials: list[Trial], value: Callable[[Trial], float]) -> list[Series]:
    orders = sorted({trial.order for trial in tuning.trials})
    curves = []
    for number, n in enumerate(orders):
        points = [(trial.q, value(trial)) for trial in trials if trial.order == n]
        colour = _COLOURS[number * (len(_COLOURS) - 1) // max(len(orders) - 1, 1)]
        curves.append(Series(f"n = {n}", points, colour, is_line=True))
    if tuning.best in trials:
        curves.append(Series("chosen", [(tuning.best.q, value(tuning.best))], "#d00", "ring"))
    return curves


def _frame(values: list[float], upwards: bool) -> tuple[float, float]:
    """Returns the heights that the better three quarters of the values take, and as much again: the worst of
    n and q lie several times as far out, and would press all that matters into a line. `upwards`: larger
    values are better."""
    ordered = sorted(values, reverse=upwards)
    best, worst = ordered[0], ordered[-1]
    farthest = 2 * (ordered[3 * (len(ordered) - 1) // 4] - best)
    if abs(worst - best) > abs(farthest):
        worst = best + farthest
    margin = 0.08 * (worst - best) or 0.05 * abs(best) or 1.0
    low, high = sorted((best - margin, worst + margin))
    return low, high


def tuning_table(tuning: Tuning) -> str:
    """Returns the best combinations, tables of n × q for each alphabet and scheme, and the choice."""
    lines = [
        f"{counted(tuning.pages, 'page')} of {counted(tuning.sites, 'site')}, {tuning.folds}-fold "
        f"cross-validation by site, for the method {tuning.method}.",
        "Words in per cent, mean of the pages, ± its standard error over sites; F of the n-grams alone;",
        "cross-entropy (H) in bits per character.",
        "",
        _HEAD,
        *map(_row, tuning.ranking[:_ROWS]),
    ]
    for (name, scheme), trials in tuning.groups().items():
        lines += [
            "",
            f"{name}, {scheme}",
            *_grid(trials, f"F of words, {tuning.method}", _f_score),
            *_grid(trials, "cross-entropy of clean text", _clean_entropy),
            *_grid(trials, "cross-entropy of dirty text", _dirty_entropy),
        ]
    return "\n".join([*lines, "", fill(_choice(tuning), _WIDTH), "", _HEAD, _row(tuning.best)]) + "\n"


def _grid(trials: dict[tuple[int, float], Trial], title: str, value: Callable[[Trial], float]) -> list[str]:
    """Returns a table of n × q."""
    orders = dict.fromkeys(order for order, _ in trials)
    qs = list(dict.fromkeys(q for _, q in trials))
    lines = [title, "  n \\ q" + "".join(f"{q:>7g}" for q in qs)]
    return lines + [f"  {n:>5}" + "".join(f"{value(trials[n, q]):>7.2f}" for q in qs) for n in orders]


def _choice(tuning: Tuning) -> str:
    """Returns why a combination is chosen."""
    best, level, trials = tuning.ranking[0].figures, len(tuning.level), len(tuning.trials)
    error = 100 * (best.f_score_error or 0.0)
    if trials == 1:
        return "There is one combination, and nothing to choose."
    if level == 1:
        return (
            "Chosen: the best combination. All others are worse by more than its standard error, "
            f"{error:.1f} points. Its F is the largest of {trials:,}, so expect less on new sites."
        )
    within = f"within one standard error ({error:.1f} points) of the best F"
    if tuning.is_default(tuning.best):
        return (
            f"These pages cannot tell {level:,} of the {trials:,} combinations apart: they are {within}. "
            "The default of `train` is one of them, so it is chosen. More sites would tell more."
        )
    return (
        f"Chosen: of the {level:,} combinations (of {trials:,}) {within}, the one with the smallest n, "
        f"then with the q nearest to {DEFAULT_Q:g}. These pages cannot tell them apart; more sites would "
        "tell more."
    )


_HEAD = "alphabet    scheme         n     q  precision  recall      F     ±  ngram F  H clean  H dirty"


def _row(trial: Trial) -> str:
    found = trial.figures
    error = "-" if found.f_score_error is None else f"{100 * found.f_score_error:.2f}"
    return (
        f"{trial.alphabet:<12}{trial.scheme:<13}{trial.order:>3}{trial.q:>6g}{100 * found.precision:>11.2f}"
        f"{100 * found.recall:>8.2f}{100 * found.f_score:>7.2f}{error:>6}"
        f"{100 * trial.by_method['ngram'].f_score:>9.2f}{trial.clean_entropy:>9.3f}"
        f"{trial.dirty_entropy:>9.3f}"
    )
