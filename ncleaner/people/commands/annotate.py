"""`ncleaner annotate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.methods.table import DEFAULT_METHOD
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import reports_errors
from ncleaner.recipe import Recipe

__all__ = ["EXAMPLES", "command"]

EXAMPLES = (
    ("Clean the pages of a directory by hand, in the browser:", "ncleaner annotate pages"),
    (
        "Write the labels of one page, to correct them in an editor:",
        "ncleaner annotate pages/lampworks-1997.html -o page.anno",
    ),
)


@reports_errors
@with_options(recipe=part(Recipe, "method model encoding"))
def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="DIR|ARCHIVE|PAGE",
            help="A directory of pages (in it, or in its directory raw/), an archive, or a directory of "
            "archives. Or one page (HTML, or a text dump .txt): its labels are written to a file, to be "
            "corrected in an editor.",
        ),
    ],
    *,
    annotator: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who annotates: each person has labels of their own.",
            rich_help_panel="People",
        ),
    ] = "me",
    settle: Annotated[
        bool,
        typer.Option(
            "--settle",
            help="Decide only the segments that two other annotators label differently.",
            rich_help_panel="People",
        ),
    ] = False,
    agreement: Annotated[
        bool,
        typer.Option(
            "--agreement",
            help="Print how far the annotators agree, and all disagreements; then end.",
            rich_help_panel="People",
        ),
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="Port of the web page, which only this machine reaches. (default: a free one)",
            show_default=False,
            rich_help_panel="Where it is done",
        ),
    ] = 0,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser",
            help="Open the web page in a browser, where there is one.",
            rich_help_panel="Where it is done",
        ),
    ] = True,
    pages: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Take at most N pages of an archive, some of each site.",
            rich_help_panel="Pages",
        ),
    ] = 500,
    goal: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Number of pages to finish, for the estimate of time.",
            rich_help_panel="What helps",
        ),
    ] = 50,
    every: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Train a model in the background after every N finished pages; 0: never, and the order of "
            "the pages ignores doubt.",
            rich_help_panel="What helps",
        ),
    ] = 3,
    anno: Annotated[
        bool,
        typer.Option(
            "--anno",
            help="Write Victor's file (.anno) beside each finished page, too.",
            rich_help_panel="Labels of Victor",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR|FILE.anno",
            help="For an archive, the directory of the project, with its pages, labels and clean texts. For "
            "one page, the file of its labels. (default: beside the input)",
            show_default=False,
            rich_help_panel="Pages",
        ),
    ] = None,
    recipe: Recipe,
    clean: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For one page: take the labels from an alignment with this cleaned text of the page, not "
            "from a method.",
            show_default=False,
            rich_help_panel="Labels of Victor",
        ),
    ] = None,
) -> None:
    """Clean pages by hand, on a local web page: a model guesses, keys correct it.

    Each finished page gives a clean text for `train --raw DIR/raw --clean DIR/clean`. Every change is saved
    at once; start again with the same directory to go on. docs/annotation.md has the guidelines and the
    formats.
    """
    from ncleaner.people import annotating

    encoding = recipe.encoding

    given = {
        "--settle": settle, "--agreement": agreement, "--anno": anno, "--port": port != 0,
    }  # fmt: skip
    if annotating.is_one_page(what):
        if foreign := [name for name, value in given.items() if value]:
            raise typer.BadParameter(f"{foreign[0]} is for a directory or an archive, and {what} is one page")
        annotating.write_page(Path(what), recipe.method, str(recipe.model), clean, output, encoding)
        return
    if clean is not None:
        raise typer.BadParameter("--clean is for one page; clean texts in DIR/clean are read by themselves")
    if recipe.method != DEFAULT_METHOD:
        raise typer.BadParameter(f"--method is for one page; {DEFAULT_METHOD} guesses the labels of many")
    if agreement:
        annotating.show_agreement(annotating.project_of(what, output, pages, encoding))
        return
    annotating.check_installed()
    project = annotating.project_of(what, output, pages, encoding)
    annotating.work(
        project, annotator, settling=settle, model=str(recipe.model), goal=goal, every=every, anno=anno,
        port=port, browser=browser,
    )  # fmt: skip
