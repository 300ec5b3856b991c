"""`ncleaner annotate`: the labels of one page in a file, or a person's work on many pages."""

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.cli.parameters import part, reports_errors, with_options
from ncleaner.errors import require
from ncleaner.lab.annotating import Annotating
from ncleaner.methods.registry import DEFAULT_METHOD
from ncleaner.options import OptionError
from ncleaner.reading.inputs import is_archive
from ncleaner.recipe import Recipe
from ncleaner.storage.local import is_url


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
    at once; start again with the same directory to resume. docs/training.md has the guidelines and the
    formats.
    """
    from ncleaner.lab.commands import sessions

    if _is_one_page(what):
        for name in ("settle", "agreement", "anno", "port"):
            if getattr(asked, name) not in (False, None):
                raise OptionError(name, f"it is for a directory or an archive, and {what} is one page")
        sessions.write_page(Path(what), recipe, asked.clean, asked.output)
        return
    if asked.clean is not None:
        raise OptionError("clean", "it is for one page; clean texts in DIR/clean are found without it")
    if recipe.method != DEFAULT_METHOD:
        raise OptionError("method", f"it is for one page; {DEFAULT_METHOD} guesses the labels of many")
    if not asked.agreement:
        for module in ("starlette", "uvicorn", "nh3"):
            require("annotating", module, "annotate")
    project = sessions.project_of(what, asked.output, asked.pages, recipe.encoding)
    if asked.agreement:
        sessions.show_agreement(project)
    else:
        sessions.work(project, asked, str(recipe.model))


def _is_one_page(what: str) -> bool:
    """Whether an argument is one page: a file that is not an archive."""
    return not (is_url(what) or Path(what).is_dir() or is_archive(what) or what.lower().endswith(".wacz"))
