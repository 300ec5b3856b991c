"""`ncleaner compare`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ncleaner.comparing.peers import NAMES, USUAL
from ncleaner.methods.table import DEFAULT_METHOD
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import cores, reports_errors
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

# The choices come from the table, so a new entry is an option at once; mypy cannot see the members.
Tool = StrEnum("Tool", [(name, name) for name in NAMES])  # type: ignore[misc]

_NAMED = ", ".join(name for name in NAMES if name not in USUAL)


@reports_errors
@with_options(recipe=part(Recipe, "model sites"))
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
    raw: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Instead of GOLD_DIR: the pages.",
            show_default=False,
            rich_help_panel="Gold standard",
        ),
    ] = None,
    clean: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Instead of GOLD_DIR: their cleaned text.",
            show_default=False,
            rich_help_panel="Gold standard",
        ),
    ] = None,
    tool: Annotated[
        list[Tool] | None,
        typer.Option(
            "--tool",
            "-t",
            metavar="NAME",
            help=f"A method or another program to run, of {', '.join(NAMES)}; may be given several times.  "
            f"(default: all methods and all programs that are installed, but not {_NAMED})",
            show_default=False,
            rich_help_panel="Programs",
        ),
    ] = None,
    reference: Annotated[
        Tool | None,
        typer.Option(
            metavar="NAME",
            help=f"The tool that the others are compared with, page by page. (default: {DEFAULT_METHOD})",
            show_default=False,
            rich_help_panel="Programs",
        ),
    ] = None,
    recipe: Recipe,
    cross_validate: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=2,
            help="Train the methods that learn on the pages of GOLD_DIR, and clean each page with a model "
            "that has seen no page of its site: K folds. (default: the models of --model)",
            show_default=False,
            rich_help_panel="Programs",
        ),
    ] = None,
    convention: Annotated[
        Literal["auto", "none"],
        typer.Option(
            help="auto: keep or leave out zones such as headlines as the gold texts do, where a tool has a "
            "switch for it; none: all tools with their defaults.",
            rich_help_panel="Gold standard",
        ),
    ] = "auto",
    unit: Annotated[
        Literal["auto", "word", "char"],
        typer.Option(
            help="What the multiset F counts; auto: characters in scripts without spaces, words in others.",
            rich_help_panel="What is measured",
        ),
    ] = "auto",
    unwrap: Annotated[
        bool,
        typer.Option(
            "--unwrap",
            help="Take off the element <text> around each of CleanEval's pages.",
            rich_help_panel="Gold standard",
        ),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="So many pages of each GOLD_DIR, at even distances. (default: all)",
            show_default=False,
            rich_help_panel="Gold standard",
        ),
    ] = None,
    rounds: Annotated[
        int,
        typer.Option(
            min=1,
            help="Clean all pages so often; the time of a page is the median.",
            rich_help_panel="What is measured",
        ),
    ] = 1,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            help="The time for one page, in seconds, after which a tool has failed.",
            rich_help_panel="What is measured",
        ),
    ] = 60.0,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print all figures as JSON, also those of each page.", rich_help_panel="Output"
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="PREFIX",
            help="Draw accuracy against CPU time as PREFIX.png and PREFIX.svg.",
            show_default=False,
            rich_help_panel="Output",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="Tools that run at the same time, and processes that score and train. (default: one tool "
            "after the other, so that their times are exact; all cores score and train)",
            show_default=False,
            rich_help_panel="Run",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel="Run")
    ] = False,
) -> None:
    """Compare methods and other programs on pages with a gold standard: accuracy and CPU time.

    Each tool runs in a process of its own. A page on which it fails counts as nothing found.
    """
    from ncleaner.comparing.comparison import compare
    from ncleaner.comparing.gold import read_gold
    from ncleaner.comparing.held_out import train_folds
    from ncleaner.people.comparison import comparison_table
    from ncleaner.people.plots import draw_comparisons, missing, plot_paths, save
    from ncleaner.people.progress import CountDisplay

    if bool(gold) == bool(raw or clean) or (raw is None) != (clean is None):
        raise typer.BadParameter("give GOLD_DIR, or --raw and --clean")
    names = [chosen.value for chosen in tool] if tool else list(USUAL)
    if reference is not None and reference.value not in names:
        raise typer.BadParameter(
            f"{reference.value} is not among the tools that run", param_hint="--reference"
        )
    paths = plot_paths(plot) if plot is not None else []
    comparisons: list[Comparison] = []
    folders: list[Path | None] = [*gold] if gold else [None]
    for folder in folders:
        with CountDisplay("page read", "pages read", quiet=quiet) as display:
            found = read_gold(
                folder,
                raw=raw,
                clean=clean,
                limit=limit,
                unwrap=unwrap,
                unit=None if unit == "auto" else unit,
                convention=convention == "auto",
                pairs=cross_validate is not None,
                progress=display.advance,
            )
        with TemporaryDirectory(prefix="ncleaner-") as models:
            held_out: Models = {}
            if cross_validate is not None:
                with CountDisplay("model trained", "models trained", quiet=quiet) as display:
                    held_out = train_folds(
                        names,
                        found.pairs,
                        cross_validate,
                        Path(models),
                        threads=jobs or cores(),
                        progress=display.advance,
                    )
            with CountDisplay("page cleaned and scored", "pages cleaned and scored", quiet=quiet) as display:
                result = compare(
                    found,
                    names,
                    reference=reference.value if reference else "",
                    model=str(recipe.model),
                    sites=None if recipe.sites is None else str(recipe.sites),
                    held_out=held_out,
                    rounds=rounds,
                    seconds=seconds,
                    jobs=jobs or 1,
                    scorers=jobs or cores(),
                    progress=display.advance,
                )
        if not as_json:
            show(comparison_table(result))
        comparisons.append(result)
    if as_json:
        show_json({"sets": [result.to_dict() for result in comparisons]})
    if paths:
        lacking = missing()
        if not lacking:
            save(draw_comparisons(comparisons), paths)
        if not quiet:
            drawn = f"No plots were drawn: {lacking}" if lacking else f"Plots: {', '.join(map(str, paths))}"
            tell(drawn)
