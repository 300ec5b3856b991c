"""`ncleaner evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ncleaner.cli.parameters import Given, Run, part, reports_errors, with_options
from ncleaner.cli.printing import show, show_json, tell
from ncleaner.errors import EvaluationError
from ncleaner.lab.training import Labelled
from ncleaner.options import Declared, option
from ncleaner.recipe import Recipe

if TYPE_CHECKING:
    from ncleaner.lab.training.pairs import Pair


EXAMPLES = (
    ("Clean pages, and compare the result with gold texts:", "ncleaner evaluate pages gold --method hybrid"),
    ("Draw precision against recall at all thresholds:", "ncleaner evaluate pages gold --curve curve"),
)

_MEASURED = "What is measured"
_OUTPUT = "Output"


@dataclass(frozen=True, slots=True)
class Measuring(Declared):
    """What is measured, and what is shown of it."""

    unit: Literal["auto", "word", "char"] = option(
        "auto",
        "What the multiset F counts; auto: characters in scripts without spaces, words in others.",
        choices=("auto", "word", "char"), panel=_MEASURED,
    )  # fmt: skip
    ascii_only: bool = option(
        False, "Leave non-ASCII characters out, as cleaneval.py -a does.", flags="--ascii", common=False,
        panel=_MEASURED,
    )  # fmt: skip
    raw: Path | None = option(
        None,
        "The pages of GOLD_DIR. They show the sites, and which zones, such as headlines, the gold texts "
        "contain. By default the directory `raw` beside GOLD_DIR, if there is one.",
        kind=Path, metavar="DIR", panel=_MEASURED,
    )  # fmt: skip
    json: bool = option(
        False, "Print figures as JSON. All of them, those of each page included.", panel=_OUTPUT
    )
    per_page: bool = option(False, "Also print a line for each page.", panel=_OUTPUT)
    align: Path | None = option(
        None, "Write the alignment of each page with its gold text to this directory.",
        kind=Path, metavar="DIR", common=False, panel=_OUTPUT,
    )  # fmt: skip
    curve: Path | None = option(
        None,
        "Draw precision against recall. Cleans the pages of PRED_DIR at all thresholds, with n-grams unless "
        "--method names another method (with --html, by the method of the report); prints the figures, and "
        "draws the curve as PREFIX.svg.",
        kind=Path, metavar="PREFIX", panel=_OUTPUT,
    )  # fmt: skip
    html: Path | None = option(
        None,
        "Write a report as HTML. It has all figures, the differences of the worst pages and, if pages are "
        "cleaned, the curve; a directory beside it shows what is wrong on each of these pages.",
        kind=Path, metavar="FILE", panel=_OUTPUT,
    )  # fmt: skip
    worst: int = option(
        20, "Number of the worst pages that --html shows.", low=0, common=False, panel=_OUTPUT
    )


@reports_errors
@with_options(
    measuring=Measuring,
    labelled=part(Labelled, "site_from"),
    recipe=part(Recipe, without="alt_text limits"),
    run=part(Run, "jobs quiet"),
)
def command(
    predicted: Annotated[
        Path,
        typer.Argument(
            metavar="PRED_DIR",
            help="Directory of cleaned text; of pages, which are cleaned first, with --method, --model, "
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

    With --method or another option of cleaning, pages are cleaned first. Each figure has a standard error, in
    which the pages of a site are not taken as independent. Also names the convention of the gold standard,
    and the options of `clean` that follow it.
    """
    from ncleaner.lab.commands.curves import curve_drawing, curve_of, curve_table, write_curve
    from ncleaner.lab.commands.evaluating import pairs_of, warn_if_trained_on

    cleaning = [flag for flag in given["recipe"] if flag != "--text"]
    are_pages = bool(cleaning) or measuring.curve is not None
    if are_pages and measuring.raw is not None:
        flag = "--curve" if measuring.curve is not None else cleaning[0]
        raise typer.BadParameter(
            f"with {flag}, PRED_DIR holds the pages: leave --raw out", param_hint="--raw"
        )
    by_cleaning = bool(set(cleaning) - {"--model"})
    if measuring.curve is not None and measuring.html is None:
        pairs = pairs_of(predicted, gold, recipe.text, run.quiet)
        warn_if_trained_on(recipe, pairs)
        curve = curve_of(pairs, recipe, by_cleaning, run.quiet)
        told = [write_curve(curve_drawing(curve), measuring.curve)]
        if measuring.json:
            show_json(curve.to_dict())
        else:
            show(curve_table(curve))
    else:
        told = _evaluate(predicted, gold, measuring, recipe, are_pages, labelled.site_from, run)
    if not run.quiet:
        for line in told:
            tell(line)


def _evaluate(
    predicted: Path,
    gold: Path,
    asked: Measuring,
    recipe: Recipe,
    are_pages: bool,
    site_from: str | None,
    run: Run,
) -> list[str]:
    """Compares texts, or pages after it cleans them, and shows all that is asked for; returns what was
    written."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.cli.progress import CountDisplay
    from ncleaner.lab.commands import evaluating
    from ncleaner.lab.scoring.evaluation import evaluate
    from ncleaner.lab.training.conventions import conventions_of

    told: list[str] = []
    cleaner = Cleaner(recipe) if are_pages else None
    with evaluating.cleaned(predicted, gold, cleaner, run.quiet) as texts:
        pages = predicted if are_pages else asked.raw
        pairs, problem = evaluating.known_pairs(
            pages, gold, recipe.text, run.quiet, asked=asked.raw is not None
        )
        if are_pages:
            evaluating.warn_if_trained_on(recipe, pairs)
        with CountDisplay("page compared", "pages compared", quiet=run.quiet) as display:
            result = evaluate(
                texts, gold, unit=evaluating.unit_in(gold) if asked.unit == "auto" else asked.unit,
                ascii_only=asked.ascii_only, jobs=run.processes, progress=display.advance,
                align_dir=asked.align, sites=evaluating.sites_of(pairs, gold, site_from),
            )  # fmt: skip
        convention = conventions_of(pairs) if pairs else None
        said = evaluating.convention_table(convention) if convention else problem
        evaluating.warn_of_doubts(result, texts, gold, are_given=cleaner is None)
        if asked.html is not None:
            title, svg = f"{predicted.name} against {gold.name}", ""
            if are_pages:
                title += f", {recipe.method}, model {recipe.model}"
                if pairs:
                    svg, about = _curve(pairs, recipe, asked.curve, run.quiet)
                    told += about
            told.append(
                evaluating.write_report(
                    asked.html, result, title, texts, gold, pairs, cleaner,
                    worst=asked.worst, curve=svg, convention=_advice(said),
                )
            )  # fmt: skip
    if asked.json:
        uses = None if convention is None else {name: use.to_dict() for name, use in convention.items()}
        show_json({**result.to_dict(), "convention": uses})
    else:
        show(evaluating.evaluation_table(result, per_page=asked.per_page))
        show(said)
    return told


def _advice(convention: str) -> str:
    """Returns the sentences of a table of conventions, each on one line."""
    return "\n".join(" ".join(part.split()) for part in convention.split("\n\n")[1:])


def _curve(pairs: list[Pair], recipe: Recipe, prefix: Path | None, quiet: bool) -> tuple[str, list[str]]:
    """Returns the curve as SVG, and what to say of it; draws it to a file if a prefix is given."""
    from ncleaner.lab.commands.curves import curve_drawing, curve_of, write_curve

    try:
        # the curve of the method whose figures the report has
        curve = curve_of(pairs, recipe, True, quiet)
    except EvaluationError as error:
        # a method without thresholds has no curve; asked for, it is an error
        if prefix is not None:
            raise
        return "", [f"No curve was drawn: {error}"]
    drawn = curve_drawing(curve)
    return drawn, [] if prefix is None else [write_curve(drawn, prefix)]
