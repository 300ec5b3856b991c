"""`ncleaner tune`."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ncleaner.errors import OutputError
from ncleaner.methods.table import DEFAULT_METHOD
from ncleaner.modelling import FOLDS, Statistic
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import JobsOption, cores, reports_errors
from ncleaner.people.streams import show
from ncleaner.people.training_options import (
    CLEAN,
    RAW,
    AlphabetName,
    CasedOption,
    ManifestOption,
    SchemeName,
    SiteOption,
    SizeOption,
    StatisticName,
    check_q,
    read_labelled,
    training_notes,
)
from ncleaner.recipe import Recipe

if TYPE_CHECKING:
    from ncleaner.training.trials import Tuning

__all__ = ["EXAMPLES", "command", "train_command"]

EXAMPLES = (
    ("Try two values of n and the default q:", "ncleaner tune --raw pages --clean gold -n 1 -n 2 --q 0.8"),
    ("Write all figures to a file:", "ncleaner tune --raw pages --clean gold -n 2 --json tuned.json"),
)

TunableName = StrEnum("TunableName", [(name, name) for name in ("hybrid", "ngram")])  # type: ignore[misc]


@reports_errors
@with_options(recipe=part(Recipe, "text encoding"))
def command(
    raw: Annotated[Path, RAW],
    *,
    clean: Annotated[Path | None, CLEAN] = None,
    manifest: ManifestOption = None,
    site_from: SiteOption = None,
    recipe: Recipe,
    order: Annotated[
        list[int] | None,
        typer.Option(
            "--order",
            "-n",
            min=1,
            max=8,
            help="A value of n to try; may be given several times. (default: 1 to 8)",
            show_default=False,
            rich_help_panel="What is tried",
        ),
    ] = None,
    q: Annotated[
        list[float] | None,
        typer.Option(
            help="A value of q to try; may be given several times. (default: 0.1 to 0.9, and 0.95)",
            show_default=False,
            rich_help_panel="What is tried",
        ),
    ] = None,
    alphabet: Annotated[
        list[AlphabetName] | None,
        typer.Option(
            help="An alphabet to try; may be given several times. (default: all)",
            show_default=False,
            rich_help_panel="What is tried",
        ),
    ] = None,
    alphabet_size: SizeOption = 60,
    cased: CasedOption = False,
    scheme: Annotated[
        list[SchemeName] | None,
        typer.Option(
            help="A training scheme to try; may be given several times. (default: aligned)",
            show_default=False,
            rich_help_panel="What is tried",
        ),
    ] = None,
    statistic: Annotated[
        StatisticName,
        typer.Option(
            help="By what n-grams decide on a segment; see `train`.", rich_help_panel="What is tried"
        ),
    ] = StatisticName("page"),
    method: Annotated[
        TunableName,
        typer.Option(
            "--method", "-m", help="The method of `clean` to choose for.", rich_help_panel="What is tried"
        ),
    ] = TunableName(DEFAULT_METHOD),
    folds: Annotated[
        int,
        typer.Option(
            min=2,
            help="Folds of the cross-validation; no site is in two of them.",
            rich_help_panel="What is tried",
        ),
    ] = FOLDS,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PREFIX",
            help="Write the plots PREFIX.png and PREFIX.svg; the printed command writes PREFIX.ncm.",
            rich_help_panel="Output",
        ),
    ] = Path("tune"),
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            metavar="FILE",
            help="Write all figures to this file.",
            show_default=False,
            rich_help_panel="Output",
        ),
    ] = None,
    jobs: JobsOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress, only errors.", rich_help_panel="Run")
    ] = False,
) -> None:
    """Find n, q and alphabet by cross-validation: tables, plots, and the command that trains the best.

    The best is the plainest combination whose F is within one standard error of the highest.
    """
    import json

    from ncleaner.modelling.ngrams import MAX_ORDER
    from ncleaner.people.plots import draw_tuning, missing, plot_paths, save
    from ncleaner.people.progress import CountDisplay
    from ncleaner.people.tables import tuning_table
    from ncleaner.training.examples import Scheme
    from ncleaner.training.tuning import DEFAULT_QS
    from ncleaner.training.tuning import tune as search

    for value in q or ():
        check_q(value)
    plots = plot_paths(output)
    lacking = missing()
    # fail now, not after the search
    for path in (*plots, *([json_file] if json_file else [])):
        if not path.parent.is_dir():
            raise OutputError(f"cannot write {path}: there is no directory {path.parent}")
    with training_notes(quiet), CountDisplay("step", "steps", quiet=quiet) as display:
        tuning = search(
            read_labelled(
                raw, clean, encoding=recipe.encoding, text=recipe.text, manifest=manifest, site_from=site_from
            ),
            orders=order or range(1, MAX_ORDER + 1),
            qs=q or DEFAULT_QS,
            alphabets=[name.value for name in alphabet or AlphabetName],
            schemes=[cast(Scheme, name.value) for name in scheme or [SchemeName("aligned")]],
            statistic=cast(Statistic, statistic.value),
            method=method.value,
            size=alphabet_size,
            cased=cased,
            k=folds,
            jobs=jobs or cores(),
            progress=display.advance,
        )
    training = train_command(
        tuning,
        raw=raw,
        clean=clean,
        manifest=manifest,
        site_from=site_from,
        encoding=recipe.encoding,
        text=recipe.text,
        size=alphabet_size,
        cased=cased,
        output=plots[0].with_suffix(".ncm"),
    )
    if json_file:
        found = json.dumps({**tuning.to_dict(), "command": training}, ensure_ascii=False, indent=2)
        try:
            json_file.write_text(found + "\n", "utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {json_file}: {error.strerror}") from error
    if lacking:
        drawn = f"No plots were drawn: {lacking}"
    else:
        save(draw_tuning(tuning), plots)
        drawn = f"Plots: {', '.join(map(str, plots))}"
    show(f"{tuning_table(tuning)}\n{drawn}\n\n{training}")


def train_command(
    tuning: Tuning,
    *,
    raw: Path,
    clean: Path | None,
    output: Path,
    manifest: Path | None = None,
    site_from: str | None = None,
    encoding: str | None = None,
    text: str = "auto",
    size: int = 60,
    cased: bool = False,
) -> str:
    """Returns the command line that trains with the parameters of the best trial, quoted for a shell."""
    trial = tuning.best
    words: list[object] = ["ncleaner", "train", "--raw", raw]
    words += ["--clean", clean] if clean is not None else []
    words += ["--method", tuning.method] if tuning.method != DEFAULT_METHOD else []
    words += ["--manifest", manifest] if manifest is not None else []
    words += ["--site-from", site_from] if site_from is not None else []
    words += ["--encoding", encoding] if encoding is not None else []
    words += ["--text", text] if text != "auto" else []
    words += ["--order", trial.order, "--q", trial.q]
    words += ["--alphabet", trial.alphabet, "--alphabet-size", size, *(["--cased"] if cased else [])]
    words += ["--scheme", trial.scheme, "--statistic", tuning.statistic, "--output", output]
    return shlex.join(map(str, words))
