"""`ncleaner compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ncleaner.cli.parameters import Run, part, reports_errors, with_options
from ncleaner.cli.parts import text_table
from ncleaner.cli.printing import show, show_json, tell
from ncleaner.lab.commands.labelled import training_notes
from ncleaner.lab.commands.plots import Panel, Series, drawing, plot_path, write_plot
from ncleaner.lab.comparing.peers import NAMES, USUAL
from ncleaner.methods.registry import DEFAULT_METHOD
from ncleaner.options import Declared, option, words_of
from ncleaner.pools import cores
from ncleaner.recipe import Recipe
from ncleaner.text.visible import counted, visible

if TYPE_CHECKING:
    from ncleaner.lab.comparing.comparison import Comparison, Models, ToolFigures


_NAMED = ", ".join(name for name in NAMES if name not in USUAL)
_GOLD = "Gold standard"
_PROGRAMS = "Programs"
_MEASURED = "What is measured"
_OUTPUT = "Output"

_WIDTH = 100
# what is after a tool whose models may have seen the pages, and after one whose models have not
_SEEN, _HELD_OUT = " *", " †"
# longest reason of a failure
_REASON = 120
# of the points of a plot: colour and mark
_FLATTERED = "ncleaner, model may have seen these pages"
_STYLES = {
    "ncleaner": ("#1f77b4", "disc"),
    _FLATTERED: ("#1f77b4", "ring"),
    "other programs": ("#d9660a", "square"),
}


@dataclass(frozen=True, slots=True)
class Comparing(Declared):
    """What is compared on what, and what is shown of it."""

    raw: Path | None = option(None, "Instead of GOLD_DIR: the pages.", kind=Path, metavar="DIR", panel=_GOLD)
    clean: Path | None = option(
        None, "Instead of GOLD_DIR: their cleaned text.", kind=Path, metavar="DIR", panel=_GOLD
    )
    unwrap: bool = option(False, "Take off CleanEval's element <text>.", common=False, panel=_GOLD)
    limit: int | None = option(
        None, "Take N pages of each GOLD_DIR. At even distances.", kind=int, low=1, otherwise="all",
        panel=_GOLD,
    )  # fmt: skip
    convention: Literal["auto", "none"] = option(
        "auto",
        "How to treat zones such as headlines. auto: as the gold texts do, where a tool has a switch for it; "
        "none: all tools with their defaults.",
        choices=("auto", "none"), common=False, panel=_GOLD,
    )  # fmt: skip
    tool: tuple[str, ...] = option(
        (),
        f"A method or program to run. Can be repeated. One of {', '.join(NAMES)}.",
        choices=NAMES, otherwise=f"all methods and all programs that are installed, but not {_NAMED}",
        flags="--tool -t", metavar="NAME", panel=_PROGRAMS,
    )  # fmt: skip
    reference: str | None = option(
        None,
        "Compare the others with this tool, page by page.",
        kind=str, choices=NAMES, otherwise=DEFAULT_METHOD, metavar="NAME", panel=_PROGRAMS,
    )  # fmt: skip
    cross_validate: int | None = option(
        None,
        "Train on GOLD_DIR, in K folds. For the methods that learn: each page is cleaned with a model that "
        "has seen no page of its site.",
        kind=int, low=2, otherwise="the models of --model", metavar="K", panel=_PROGRAMS,
    )  # fmt: skip
    unit: Literal["auto", "word", "char"] = option(
        "auto",
        "What the multiset F counts. auto: characters in scripts without spaces, words in others.",
        choices=("auto", "word", "char"), common=False, panel=_MEASURED,
    )  # fmt: skip
    rounds: int = option(
        1, "How often pages are cleaned. The time of a page is the median.", low=1, panel=_MEASURED
    )
    seconds: float = option(
        60.0,
        "The time for one page, in seconds, after which a tool has failed.",
        above=0, least=0.1, metavar="SECONDS", common=False, panel=_MEASURED,
    )  # fmt: skip
    json: bool = option(False, "Print all figures as JSON. Also those of each page.", panel=_OUTPUT)
    plot: Path | None = option(
        None, "Draw accuracy against time: PREFIX.svg.",
        kind=Path, metavar="PREFIX", panel=_OUTPUT,
    )  # fmt: skip
    jobs: int | None = option(
        None,
        "Number of tools at a time. Also of processes that score and train.",
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
            help="Directories that have pages in `raw`, and their texts in `clean`. The names are the same; "
            "a manifest.jsonl (id, url, lang, page_type) may be beside them.",
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
        write_plot(path, drawing([[comparison_panel(result) for result in comparisons]]))
        if not run.quiet:
            tell(f"Plot (SVG): {path}")


def _compared(folder: Path | None, asked: Comparing, recipe: Recipe, quiet: bool) -> Comparison:
    """Compares the tools on one gold standard."""
    from ncleaner.lab.commands.steps import CountDisplay
    from ncleaner.lab.comparing.comparison import compare, train_folds
    from ncleaner.lab.comparing.gold import read_gold

    names = list(asked.tool or USUAL)
    jobs = asked.jobs or cores()
    with training_notes(quiet), CountDisplay("page read", "pages read", quiet=quiet) as display:
        found = read_gold(
            folder, raw=asked.raw, clean=asked.clean, limit=asked.limit, unwrap=asked.unwrap,
            unit=None if asked.unit == "auto" else asked.unit, convention=asked.convention == "auto",
            pairs=asked.cross_validate is not None, progress=display.advance,
        )  # fmt: skip
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
                found, names, reference=asked.reference or "", model=str(recipe.model),
                sites=None if recipe.sites is None else str(recipe.sites), held_out=held_out,
                rounds=asked.rounds, seconds=asked.seconds, jobs=asked.jobs or 1, scorers=jobs,
                progress=display.advance,
            )  # fmt: skip


def comparison_table(result: Comparison) -> str:
    """Returns the figures of all tools, those by type of page, and what must be known to read them."""
    gold = result.gold
    sites = len(set(gold.clusters))
    units = _units(result, "/")
    lines = [
        f"{visible(gold.name)}: {counted(len(gold.pages), 'page')} of {counted(sites, 'site')}",
        *_convention(result),
        "",
    ]
    titles = [figures.tool.title + _mark(figures) for figures in result.ranking]
    width = max(map(len, titles)) + 1
    against = f"to {result.reference}" if result.reference else ""
    lines += [
        f"{'':<{width}}{'words in order':>21}{units + ' in any order':>31}{'CPU ms a page':>17}",
        f"{'':<{width}}{'P':>7}{'R':>7}{'F':>7}{'F':>10}{against:>21}{'median':>9}{'mean':>8}"
        f"{'empty':>7}{'failed':>8}",
    ]
    for title, figures in zip(titles, result.ranking, strict=True):
        words = figures.words
        lines.append(
            f"{title:<{width}}{words.precision:7.2f}{words.recall:7.2f}{words.f_score:7.2f}"
            f"{result.bag(figures).mean:10.2f}{_difference(result, figures):>21}"
            f"{_milliseconds(figures.median_time):>9}{_milliseconds(figures.mean_time):>8}"
            f"{figures.empty:>7}{len(figures.failures):>8}"
        )
    lines += _types(result, titles, units)
    lines += _notes(result)
    return "\n".join(lines) + "\n"


def _mark(figures: ToolFigures) -> str:
    return _HELD_OUT if figures.held_out else _SEEN if figures.sources else ""


def _convention(result: Comparison) -> list[str]:
    found = result.gold.convention
    if found is None:
        return ["All tools run with their defaults."]
    from ncleaner.lab.training.conventions import OPTIONS

    told = ", ".join(f"{zone}s {found[zone].convention}" for zone in OPTIONS)
    options = " ".join(words_of(Recipe, result.gold.wishes))
    return [f"The gold texts: {told}. ncleaner's methods run with {options or 'their defaults'}."]


def _difference(result: Comparison, figures: ToolFigures) -> str:
    difference = result.difference(figures)
    if difference is None:
        return ""
    return f"{difference.mean:+.2f} ± " + ("-" if difference.error is None else f"{difference.error:.2f}")


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.2f}"


def _types(result: Comparison, titles: Sequence[str], units: str) -> list[str]:
    types = result.page_types
    if not types:
        return []
    rows = [
        ["", *(kind or "unknown" for kind in types)],
        ["pages", *(f"{len(pages):,}" for pages in types.values())],
        *(
            [title, *(f"{result.bag(figures, pages).mean:.2f}" for pages in types.values())]
            for title, figures in zip(titles, result.ranking, strict=True)
        ),
    ]
    return ["", f"F of {units} in any order, by type of page", *text_table(rows)]


def _notes(result: Comparison) -> list[str]:
    notes = []
    if seen := [figures for figures in result.tools if figures.sources]:
        sources = dict.fromkeys(source for figures in seen for source in figures.sources)
        notes.append(
            f"* {', '.join(figures.tool.name for figures in seen)}: models that were trained on pages of "
            f"{'; '.join(map(visible, sources))}. On those pages these figures flatter them: "
            "--cross-validate trains models on pages of other sites, --model takes a model of your own."
        )
    if held_out := [figures for figures in result.tools if figures.held_out]:
        notes.append(
            f"† {', '.join(figures.tool.name for figures in held_out)}: cross-validated, each page is "
            "cleaned by a model that was trained on the pages of other sites of this gold standard "
            f"({held_out[0].held_out} folds)."
        )
    if result.reference:
        notes.append(
            f"to {result.reference}: mean difference page by page ± standard error; the pages of a site are "
            "not taken as independent."
        )
    if set_ := [figures.tool for figures in result.tools if figures.tool.settings]:
        notes.append(f"Settings: {'; '.join(f'{tool.name} {tool.settings}' for tool in set_)}.")
    for figures in result.tools:
        if failures := figures.failures:
            notes.append(
                f"{figures.tool.title} failed on {counted(len(failures), 'page')}, first on "
                f"{visible(failures[0].name)}: {visible(failures[0].failure, _REASON)}"
            )
    notes += [
        f"Not installed: {tool.tool.name} ({tool.tool.install})" for tool in result.not_run if tool.missing
    ]
    notes += [
        f"Not run: {tool.tool.name}: {visible(tool.reason)}" for tool in result.not_run if not tool.missing
    ]
    return [""] + [fill(note, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for note in notes]


def comparison_panel(result: Comparison) -> Panel:
    """Returns accuracy against CPU time per page: one point for each tool, hollow for a method whose model
    may have seen the pages."""
    names: list[tuple[float, float, str]] = []
    points: dict[str, list[tuple[float, float]]] = {style: [] for style in _STYLES}
    for figures in result.ranking:
        if figures.mean_time is not None:
            x, y = 1000 * figures.mean_time, result.bag(figures).mean
            names.append((x, y, figures.tool.name))
            points[_style(figures)].append((x, y))
    return Panel(
        f"{result.gold.name}, {counted(len(result.gold.pages), 'page')}",
        "CPU time per page, mean, milliseconds", f"F of {_units(result, ' or ')} in any order, per cent",
        [Series(style, found, *_STYLES[style]) for style, found in points.items() if found], names,
        x_is_log=True,
    )  # fmt: skip


def _style(figures: ToolFigures) -> str:
    return "other programs" if figures.tool.is_peer else _FLATTERED if figures.sources else "ncleaner"


def _units(result: Comparison, between: str) -> str:
    units = {page.unit for page in result.gold.pages}
    return between.join(name for unit, name in (("word", "words"), ("char", "characters")) if unit in units)
