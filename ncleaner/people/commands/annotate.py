"""`ncleaner annotate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.people.options import EncodingOption, ModelOption, PageMethod, PageMethodOption, reports_errors

__all__ = ["command"]


@reports_errors
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
    annotator: Annotated[
        str,
        typer.Option(metavar="NAME", help="Who annotates: each person has labels of their own."),
    ] = "me",
    settle: Annotated[
        bool,
        typer.Option(
            "--settle",
            help="Decide only the segments that two other annotators label differently.",
        ),
    ] = False,
    agreement: Annotated[
        bool,
        typer.Option(
            "--agreement", help="Print how far the annotators agree, and all disagreements; then end."
        ),
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="Port of the web page, which only this machine reaches.  [default: a free one]",
            show_default=False,
        ),
    ] = 0,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the web page in a browser, where there is one."),
    ] = True,
    pages: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Take at most N pages of an archive, some of each site."),
    ] = 500,
    goal: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of pages to finish, for the estimate of time.")
    ] = 50,
    every: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Train a model in the background after every N finished pages; 0: never, and the order of "
            "the pages ignores doubt.",
        ),
    ] = 3,
    anno: Annotated[
        bool,
        typer.Option("--anno", help="Write Victor's file (.anno) beside each finished page, too."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR|FILE.anno",
            help="For an archive, the directory of the project, with its pages, labels and clean texts. For "
            "one page, the file of its labels.  [default: beside the input]",
            show_default=False,
        ),
    ] = None,
    method: PageMethodOption = PageMethod(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    clean: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For one page: take the labels from an alignment with this cleaned text of the page, not "
            "from a method.",
            show_default=False,
        ),
    ] = None,
    encoding: EncodingOption = None,
) -> None:
    """Clean pages by hand, on a local web page: a model guesses, keys correct it.

    Each finished page gives a clean text for `train --raw DIR/raw --clean DIR/clean`. Every change is saved
    at once; start again with the same directory to go on. docs/annotation.md has the guidelines and the
    formats.
    """
    from ncleaner.people import annotating

    given = {
        "--settle": settle, "--agreement": agreement, "--anno": anno, "--port": port != 0,
    }  # fmt: skip
    if annotating.is_one_page(what):
        if foreign := [name for name, value in given.items() if value]:
            raise typer.BadParameter(f"{foreign[0]} is for a directory or an archive, and {what} is one page")
        annotating.write_page(Path(what), method.value, model, clean, output, encoding)
        return
    if clean is not None:
        raise typer.BadParameter("--clean is for one page; clean texts in DIR/clean are read by themselves")
    if method.value != DEFAULT_METHOD:
        raise typer.BadParameter(f"--method is for one page; {DEFAULT_METHOD} guesses the labels of many")
    if agreement:
        annotating.show_agreement(annotating.project_of(what, output, pages, encoding))
        return
    annotating.check_installed()
    project = annotating.project_of(what, output, pages, encoding)
    annotating.work(
        project, annotator, settling=settle, model=model, goal=goal, every=every, anno=anno, port=port,
        browser=browser,
    )  # fmt: skip
