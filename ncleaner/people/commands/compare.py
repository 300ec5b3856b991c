"""`ncleaner compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ncleaner.comparing.peers import NAMES, USUAL
from ncleaner.methods.table import DEFAULT_METHOD
from ncleaner.options import Declared, option
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import Run, cores, reports_errors
from ncleaner.people.streams import show, show_json, tell
from ncleaner.recipe import Recipe

if TYPE_CHECKING:
    from ncleaner.comparing.figures import Comparison
    from ncleaner.comparing.held_out import Models

__all__ = ["EXAMPLES", "command"]

EXAMPLES = (
    (
        "Three methods on the same pages:",
        "ncleaner compare --raw pages --clean gold -t hybrid -t ngram -t bte",
    ),
    (
        "Draw accuracy against time:",
        "ncleaner compare --raw pages --clean gold -t hybrid -t bte --plot compared",
    ),
)

_NAMED = ", ".join(name for name in NAMES if name not in USUAL)
_GOLD = "Gold standard"
_PROGRAMS = "Programs"
_MEASURED = "What is measured"
_OUTPUT = "Output"


@dataclass(frozen=True, slots=True)
class Comparing(Declared):
    """What is compared on what, and what is shown of it."""

    raw: Path | None = option(None, "Instead of GOLD_DIR: the pages.", kind=Path, metavar="DIR", panel=_GOLD)
    clean: Path | None = option(
        None, "Instead of GOLD_DIR: their cleaned text.", kind=Path, metavar="DIR", panel=_GOLD
    )
    unwrap: bool = option(False, "Take off the element <text> around each of CleanEval's pages.", panel=_GOLD)
    limit: int | None = option(
        None,
        "Number of pages of each GOLD_DIR, at even distances.",
        kind=int,
        low=1,
        otherwise="all",
        panel=_GOLD,
    )
    convention: Literal["auto", "none"] = option(
        "auto",
        "auto: keep or leave out zones such as headlines as the gold texts do, where a tool has a switch "
        "for it; none: all tools with their defaults.",
        choices=("auto", "none"), panel=_GOLD,
    )  # fmt: skip
    tool: tuple[str, ...] = option(
        (),
        f"A method or another program to run, of {', '.join(NAMES)}; may be given several times.",
        choices=NAMES, otherwise=f"all methods and all programs that are installed, but not {_NAMED}",
        flags="--tool -t", metavar="NAME", panel=_PROGRAMS,
    )  # fmt: skip
    reference: str | None = option(
        None,
        "The tool that the others are compared with, page by page.",
        kind=str, choices=NAMES, otherwise=DEFAULT_METHOD, metavar="NAME", panel=_PROGRAMS,
    )  # fmt: skip
    cross_validate: int | None = option(
        None,
        "Train the methods that learn on the pages of GOLD_DIR, and clean each page with a model that has "
        "seen no page of its site: K folds.",
        kind=int, low=2, otherwise="the models of --model", metavar="K", panel=_PROGRAMS,
    )  # fmt: skip
    unit: Literal["auto", "word", "char"] = option(
        "auto",
        "What the multiset F counts; auto: characters in scripts without spaces, words in others.",
        choices=("auto", "word", "char"), panel=_MEASURED,
    )  # fmt: skip
    rounds: int = option(
        1, "How often all pages are cleaned; the time of a page is the median.", low=1, panel=_MEASURED
    )
    seconds: float = option(
        60.0,
        "The time for one page, in seconds, after which a tool has failed.",
        above=0, least=0.1, metavar="SECONDS", panel=_MEASURED,
    )  # fmt: skip
    json: bool = option(False, "Print all figures as JSON, also those of each page.", panel=_OUTPUT)
    plot: Path | None = option(
        None, "Draw accuracy against CPU time as PREFIX.svg.",
        kind=Path, metavar="PREFIX", panel=_OUTPUT,
    )  # fmt: skip
    jobs: int | None = option(
        None,
        "Tools that run at the same time, and processes that score and train.",
        kind=int, low=1, flags="--jobs -j", panel="Run",
        otherwise="one tool after the other, so that their times are exact; all cores score and train",
    )  # fmt: skip


@reports_errors
@with_options(comparing=Comparing, recipe=part(Recipe, "model sites"), run=part(Run, "quiet"))
def command(
    gold: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="GOLD_DIR",
            help="Directories with the pages in `raw`, their text in `clean` (same names) and, if there is "
            "one, a manifest.jsonl (id, url, lang, page_type).",
            show_default=False,
        ),
    ] = None,
    *,
    comparing: Comparing,
    recipe: Recipe,
    run: Run,
) -> None:
    """Compare methods and other programs on pages with a gold standard: accuracy and CPU time.

    Each tool runs in a separate process. A page on which it fails counts as nothing found.
    """
    from ncleaner.people.comparison import comparison_table, draw_comparisons
    from ncleaner.people.plots import plot_path

    asked = comparing
    if bool(gold) == bool(asked.raw or asked.clean) or (asked.raw is None) != (asked.clean is None):
        raise typer.BadParameter("give GOLD_DIR, or --raw and --clean")
    if asked.reference and asked.tool and asked.reference not in asked.tool:
        raise typer.BadParameter(
            f"{asked.reference} is not among the tools that run", param_hint="--reference"
        )
    path = None if asked.plot is None else plot_path(asked.plot)
    comparisons: list[Comparison] = []
    folders: list[Path | None] = [*gold] if gold else [None]
    for folder in folders:
        result = _compared(folder, asked, recipe, run.quiet)
        if not asked.json:
            show(comparison_table(result))
        comparisons.append(result)
    if asked.json:
        show_json({"sets": [result.to_dict() for result in comparisons]})
    if path is not None:
        draw_comparisons(comparisons, path)
        if not run.quiet:
            tell(f"Plot (SVG): {path}")


def _compared(folder: Path | None, asked: Comparing, recipe: Recipe, quiet: bool) -> Comparison:
    """Compares the tools on one gold standard."""
    from ncleaner.comparing.comparison import compare
    from ncleaner.comparing.gold import read_gold
    from ncleaner.comparing.held_out import train_folds
    from ncleaner.people.progress import CountDisplay

    names = list(asked.tool or USUAL)
    jobs = asked.jobs or cores()
    with CountDisplay("page read", "pages read", quiet=quiet) as display:
        found = read_gold(
            folder,
            raw=asked.raw,
            clean=asked.clean,
            limit=asked.limit,
            unwrap=asked.unwrap,
            unit=None if asked.unit == "auto" else asked.unit,
            convention=asked.convention == "auto",
            pairs=asked.cross_validate is not None,
            progress=display.advance,
        )
    with TemporaryDirectory(prefix="ncleaner-") as models:
        held_out: Models = {}
        if asked.cross_validate is not None:
            with CountDisplay("model trained", "models trained", quiet=quiet) as display:
                held_out = train_folds(
                    names, found.pairs, asked.cross_validate, Path(models), threads=jobs,
                    progress=display.advance,
                )  # fmt: skip
        with CountDisplay("page cleaned and scored", "pages cleaned and scored", quiet=quiet) as display:
            return compare(
                found,
                names,
                reference=asked.reference or "",
                model=str(recipe.model),
                sites=None if recipe.sites is None else str(recipe.sites),
                held_out=held_out,
                rounds=asked.rounds,
                seconds=asked.seconds,
                jobs=asked.jobs or 1,
                scorers=jobs,
                progress=display.advance,
            )
