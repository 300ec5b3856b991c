"""`ncleaner evaluate`."""

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.cli.parameters import Given, Run, part, reports_errors, with_options
from ncleaner.cli.printing import tell
from ncleaner.lab.commands.asked import Measuring
from ncleaner.lab.training import Labelled
from ncleaner.recipe import Recipe


@reports_errors
@with_options(
    measuring=Measuring, labelled=part(Labelled, "site_from"),
    recipe=part(Recipe, without="alt_text limits learn"), run=part(Run, "jobs quiet"),
    rare=["recipe_comments", "recipe_news", "recipe_sites", "recipe_language", "recipe_min_quality"],
)  # fmt: skip
def command(
    predicted: Annotated[
        Path,
        typer.Argument(
            metavar="PRED_DIR",
            help="Directory of cleaned text, or of pages. Pages are cleaned first, with --method, --model, "
            "--curve or any other option of cleaning.",
        ),
    ],
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD_DIR", help="Directory of gold text: files of the same names.")
    ],
    *,
    measuring: Measuring,
    labelled: Labelled,
    recipe: Recipe,
    given: Given,
    run: Run,
) -> None:
    """Compare cleaned text with a gold standard: precision, recall and F, as cleaneval.py computes them.

    With --method or another option of cleaning, pages are cleaned first. Each figure has a standard error
    over sites. Also names the convention of the gold standard, and the options of `clean` that follow it.
    """
    from ncleaner.lab.commands.evaluating import compared, drawn

    cleaning = [flag for flag in given["recipe"] if flag != "--text"]
    are_pages = bool(cleaning) or measuring.curve is not None
    if are_pages and measuring.raw is not None:
        flag = "--curve" if measuring.curve is not None else cleaning[0]
        raise typer.BadParameter(
            f"with {flag}, PRED_DIR holds the pages: leave --raw out", param_hint="--raw"
        )
    by_cleaning = bool(set(cleaning) - {"--model"})
    if measuring.curve is not None and measuring.html is None:
        told = drawn(predicted, gold, measuring, recipe, by_cleaning, run.quiet)
    else:
        told = compared(predicted, gold, measuring, recipe, are_pages, labelled.site_from, run)
    if not run.quiet:
        for line in told:
            tell(line)
