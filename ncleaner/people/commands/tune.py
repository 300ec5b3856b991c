"""`ncleaner tune`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ncleaner.methods.table import DEFAULT_METHOD
from ncleaner.modelling import ALPHABET_NAMES, FOLDS, MAX_ORDER, SCHEMES, Scheme
from ncleaner.options import Declared, option, record_of, words_of
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import (
    Run,
    read_labelled,
    reports_errors,
    training_notes,
)
from ncleaner.people.streams import show
from ncleaner.recipe import Recipe
from ncleaner.training import Labelled, NGramOptions, check_q

if TYPE_CHECKING:
    from ncleaner.training.tuning import Tuning

__all__ = ["EXAMPLES", "command", "train_command"]

EXAMPLES = (
    ("Try two values of n and the default q:", "ncleaner tune --raw pages --clean gold -n 1 -n 2 --q 0.8"),
    ("Write all figures to a file:", "ncleaner tune --raw pages --clean gold -n 2 --json tuned.json"),
)
_TRIED = "What is tried"


@dataclass(frozen=True, slots=True)
class Tried(Declared):
    """What is tried, and where the figures go."""

    order: tuple[int, ...] = option(
        (),
        "A value of n to try; may be given several times.",
        each=int, low=1, high=MAX_ORDER, otherwise=f"1 to {MAX_ORDER}", flags="--order -n", panel=_TRIED,
    )  # fmt: skip
    q: tuple[float, ...] = option(
        (),
        "A value of q to try; may be given several times.",
        each=float, check=check_q, otherwise="0.1 to 0.9, and 0.95", panel=_TRIED,
    )  # fmt: skip
    alphabet: tuple[str, ...] = option(
        (),
        "An alphabet to try; may be given several times.",
        choices=ALPHABET_NAMES, otherwise="all", panel=_TRIED,
    )  # fmt: skip
    scheme: tuple[Scheme, ...] = option(
        (),
        "A training scheme to try; may be given several times.",
        choices=SCHEMES, otherwise="aligned", panel=_TRIED,
    )  # fmt: skip
    method: str = option(
        DEFAULT_METHOD, "The method of `clean` to choose for.",
        choices=("hybrid", "ngram"), flags="--method -m", panel=_TRIED,
    )  # fmt: skip
    folds: int = option(
        FOLDS, "Folds of the cross-validation; no site is in two of them.", low=2, panel=_TRIED
    )
    output: Path = option(
        Path("tune"),
        "Write the plot PREFIX.svg; the printed command writes PREFIX.ncm.",
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
def command(
    *,
    labelled: Labelled,
    tried: Tried,
    ngrams: NGramOptions,
    recipe: Recipe,
    run: Run,
) -> None:
    """Find n, q and alphabet by cross-validation: tables, a plot, and the command that trains the best.

    The best is the plainest combination whose F is within one standard error of the highest.
    """
    import json

    from ncleaner.people.plots import plot_path
    from ncleaner.people.progress import CountDisplay
    from ncleaner.people.tuning import draw_tuning, tuning_table
    from ncleaner.storage.local import check_writable, write_whole
    from ncleaner.training.tuning import DEFAULT_QS
    from ncleaner.training.tuning import tune as search

    if labelled.raw is None:
        raise typer.BadParameter("give --raw, pages or a file of rows", param_hint="--raw")
    plot = plot_path(tried.output)
    # fail now, not after the search
    for path in (plot, *([tried.json] if tried.json else [])):
        check_writable(path)
    with training_notes(run.quiet), CountDisplay("step", "steps", quiet=run.quiet) as display:
        tuning = search(
            read_labelled(labelled, recipe),
            orders=tried.order or range(1, MAX_ORDER + 1),
            qs=tried.q or DEFAULT_QS,
            alphabets=tried.alphabet or ALPHABET_NAMES,
            schemes=tried.scheme or ("aligned",),
            statistic=ngrams.statistic,
            method=tried.method,
            size=ngrams.size,
            cased=ngrams.cased,
            k=tried.folds,
            jobs=run.processes,
            progress=display.advance,
        )
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
