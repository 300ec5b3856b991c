"""`ncleaner annotate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ncleaner.methods.table import DEFAULT_METHOD
from ncleaner.options import Declared, OptionError, option
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import reports_errors
from ncleaner.recipe import Recipe

__all__ = ["EXAMPLES", "Annotating", "command"]

EXAMPLES = (
    ("Clean the pages of a directory by hand, in the browser:", "ncleaner annotate pages"),
    (
        "Write the labels of one page, to correct them in an editor:",
        "ncleaner annotate pages/lampworks-1997.html -o page.anno",
    ),
)


@dataclass(frozen=True, slots=True)
class Annotating(Declared):
    """Who annotates which pages, with what help."""

    annotator: str = option(
        "me", "Name of the annotator; each person has separate labels.", metavar="NAME", panel="People"
    )
    settle: bool = option(
        False, "Decide only the segments that two other annotators label differently.", panel="People"
    )
    agreement: bool = option(
        False, "Print how far the annotators agree, and all disagreements; then end.", panel="People"
    )
    port: int | None = option(
        None, "Port of the web page, which only this machine reaches.",
        kind=int, low=0, high=65535, otherwise="a free one", panel="Where it is done",
    )  # fmt: skip
    browser: bool = option(
        True, "Open the web page in no browser, only print its address.", panel="Where it is done"
    )
    pages: int = option(500, "Take at most N pages of an archive, some of each site.", low=1, panel="Pages")
    goal: int = option(50, "Number of pages to finish, for the estimate of time.", low=1, panel="What helps")
    every: int = option(
        3,
        "Train a model in the background after every N finished pages; 0: never, and the order of the pages "
        "ignores doubt.",
        low=0, panel="What helps",
    )  # fmt: skip
    anno: bool = option(
        False, "Write Victor's file (.anno) beside each finished page, too.", panel="Labels of Victor"
    )
    output: Path | None = option(
        None,
        "For an archive, the directory of the project, with its pages, labels and clean texts. For one page, "
        "the file of its labels.",
        kind=Path, otherwise="beside the input", flags="--output -o", metavar="DIR|FILE.anno", panel="Pages",
    )  # fmt: skip
    clean: Path | None = option(
        None,
        "For one page: take the labels from an alignment with this cleaned text of the page, not from a "
        "method.",
        kind=Path, metavar="FILE", panel="Labels of Victor",
    )  # fmt: skip


@reports_errors
@with_options(asked=Annotating, recipe=part(Recipe, "method model encoding"))
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
    asked: Annotating,
    recipe: Recipe,
) -> None:
    """Clean pages by hand, on a local web page: a model guesses, keys correct it.

    Each finished page gives a clean text for `train --raw DIR/raw --clean DIR/clean`. Every change is saved
    at once; start again with the same directory to go on. docs/annotation.md has the guidelines and the
    formats.
    """
    from ncleaner.people import annotating

    if annotating.is_one_page(what):
        for name in ("settle", "agreement", "anno", "port"):
            if getattr(asked, name) not in (False, None):
                raise OptionError(name, f"it is for a directory or an archive, and {what} is one page")
        annotating.write_page(Path(what), recipe, asked.clean, asked.output)
        return
    if asked.clean is not None:
        raise OptionError("clean", "it is for one page; clean texts in DIR/clean are read by themselves")
    if recipe.method != DEFAULT_METHOD:
        raise OptionError("method", f"it is for one page; {DEFAULT_METHOD} guesses the labels of many")
    if not asked.agreement:
        annotating.check_installed()
    project = annotating.project_of(what, asked.output, asked.pages, recipe.encoding)
    if asked.agreement:
        annotating.show_agreement(project)
    else:
        annotating.work(project, asked, str(recipe.model))
