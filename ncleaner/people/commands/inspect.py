"""`ncleaner inspect`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncleaner.methods.table import METHODS
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import reports_errors
from ncleaner.people.streams import check_stdin, show, show_drawn, show_json, tell, terminal
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings

if TYPE_CHECKING:
    from ncleaner.cleaner import Cleaner
    from ncleaner.explaining.against import Differences
    from ncleaner.explaining.explain import Explanation
    from ncleaner.page import Page

__all__ = ["EXAMPLES", "command"]

EXAMPLES = (
    ("Why each segment of a page is kept or removed:", "ncleaner inspect pages/lampworks-1997.html --why"),
    (
        "Where two methods differ, on the third page of a crawl:",
        "ncleaner inspect crawl.warc.gz -n 3 --diff ngram hybrid",
    ),
)


@reports_errors
@with_options(recipe=part(Recipe, without="alt_text limits"), reading=part(Reading, "input_format"))
def command(
    page: Annotated[
        str,
        typer.Argument(
            metavar="PAGE", help="An HTML or text file, an archive (see --number), or - for standard input."
        ),
    ],
    *,
    recipe: Recipe,
    reading: Reading,
    number: Annotated[
        int,
        typer.Option(
            "--number", "-n", min=1, help="Number of the page in an archive.", rich_help_panel="Input"
        ),
    ] = 1,
    why: Annotated[
        bool | None,
        typer.Option(
            "--why/--no-why",
            help="Say what spoke for and against each segment. (default: on a terminal, and with --diff)",
            show_default=False,
            rich_help_panel="What is shown",
        ),
    ] = None,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole", help="On a terminal: show long texts to their end.", rich_help_panel="What is shown"
        ),
    ] = False,
    segment: Annotated[
        int | None,
        typer.Option(
            "--segment",
            "-s",
            min=0,
            help="All details of the segment with this number.",
            show_default=False,
            rich_help_panel="What is shown",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="GOLD",
            help="Compare with a gold text: a file, or a directory with a file of the page's name. Shows "
            "what is wrongly kept (FP) and wrongly removed (FN).",
            show_default=False,
            rich_help_panel="What is shown",
        ),
    ] = None,
    wrong: Annotated[
        bool,
        typer.Option(
            "--wrong",
            help="With --against: show only what is wrongly kept or removed.",
            rich_help_panel="What is shown",
        ),
    ] = False,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B",
            help="Show the segments that two methods or models judge differently, and why: each a name of a "
            "method, a name of a shipped model, or a model file.",
            show_default=False,
            rich_help_panel="What is shown",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the page and the verdicts side by side to this HTML file, which needs no other file.",
            show_default=False,
            rich_help_panel="Output",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print everything as JSON, with all features and n-grams.",
            rich_help_panel="Output",
        ),
    ] = False,
) -> None:
    """Show what happens to one page, and why: for each segment whether it is kept, its score, and reasons."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.people.inspect import nth_page

    check_stdin([page])
    if wrong and (against is None or diff is not None):
        raise typer.BadParameter("it needs --against, and no --diff", param_hint="--wrong")
    recipe = replace(recipe, facts=True)
    item = nth_page(page, number, Settings(recipe, reading))
    if diff is not None:
        if segment is not None:
            raise typer.BadParameter("--diff shows all segments that differ", param_hint="--segment")
        first, second = (_explained(item, page, Cleaner(_side(name, recipe)), against) for name in diff)
        _show_differences(diff, first, second, html, why=why, whole=whole, as_json=as_json)
        return
    explanation = _explained(item, page, Cleaner(recipe), against)
    if segment is not None and segment >= len(explanation.segments):
        there = len(explanation.segments)
        said = f"the page has the segments 0 to {there - 1}" if there else "the page has no segments"
        raise typer.BadParameter(said, param_hint="--segment")
    if html is not None:
        from ncleaner.explaining.drawing import page_of

        _write(html, page_of(explanation, item.body if item.kind == "html" else b""))
    _show(explanation, why=why, whole=whole, segment=segment, wrong=wrong, as_json=as_json)


def _side(name: str, recipe: Recipe) -> Recipe:
    """Returns the recipe of one side of a difference: a method has --model, a model has --method."""
    if name not in METHODS:
        return replace(recipe, model=name)
    return replace(recipe, method=name, parameters=recipe.parameters if name == recipe.method else {})


def _explained(item: Page, path: str, cleaner: Cleaner, against: Path | None) -> Explanation:
    from ncleaner.explaining.against import gold_of, with_gold
    from ncleaner.explaining.explain import explain

    explanation = explain(item, cleaner, url=item.url or path)
    if against is None:
        return explanation
    source, gold = gold_of(against, path)
    return with_gold(explanation, gold, str(source))


def _show(
    explanation: Explanation,
    *,
    why: bool | None,
    whole: bool,
    segment: int | None,
    wrong: bool,
    as_json: bool,
) -> None:
    from ncleaner.explaining.words import details_of, lines_of
    from ncleaner.people.inspect import explanation_drawing

    only = [why for why in explanation.segments if why.is_wrong] if wrong else explanation.segments
    if as_json:
        show_json(explanation.to_dict())
    elif segment is not None:
        show("\n".join(details_of(explanation, explanation.segments[segment])))
    elif (console := terminal()) is not None:
        reasons = why is not False
        drawing = explanation_drawing(explanation, console.width, reasons=reasons, whole=whole, only=only)
        show_drawn(console, drawing)
    else:
        show("\n".join(lines_of(explanation, reasons=why is True, only=only)))


def _show_differences(
    names: tuple[str, str], first: Explanation, second: Explanation, html: Path | None, *,
    why: bool | None, whole: bool, as_json: bool,
) -> None:  # fmt: skip
    from ncleaner.explaining.against import differences_of
    from ncleaner.people.inspect import differences_drawing

    found: Differences = differences_of(names, first, second)
    if html is not None:
        from ncleaner.explaining.drawing import page_of_differences

        _write(html, page_of_differences(found))
    reasons = why is not False
    if as_json:
        show_json(found.to_dict())
    elif (console := terminal()) is not None:
        show_drawn(console, differences_drawing(found, console.width, reasons=reasons, whole=whole))
    else:
        show("\n".join(found.lines(reasons=reasons)))


def _write(path: Path, text: str) -> None:
    from ncleaner.people.htmlpage import write_page

    write_page(path, text)
    tell(f"written: {path}")
