"""What the commands that train have in common: pages with their cleaned text, and the warnings about them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from ncleaner.cli.printing import tell_error
from ncleaner.errors import TrainingWarning

if TYPE_CHECKING:
    from ncleaner.lab.training import Labelled
    from ncleaner.lab.training.pairs import Pair
    from ncleaner.recipe import Recipe


def read_labelled(pages: "Labelled", recipe: "Recipe") -> "list[Pair]":
    """Reads pages with their cleaned text: of two directories, or of a file of rows.

    Raises as `read_pairs` and `read_rows`; BadParameter: an option does not fit.
    """
    from ncleaner.lab.training.pairs import read_pairs, read_rows, with_sites

    raw, site_from = pages.raw, pages.site_from
    assert raw is not None
    if pages.clean is not None:
        return read_pairs(
            raw, pages.clean, encoding=recipe.encoding, text=recipe.text, manifest=pages.manifest,
            site_from=site_from,
        )  # fmt: skip
    if raw.is_dir():
        raise typer.BadParameter(f"{raw} is a directory of pages: --clean names that of their cleaned text")
    if pages.manifest is not None:
        raise typer.BadParameter("--manifest is for directories: rows have a column `url`")
    pairs = read_rows(raw, encoding=recipe.encoding)
    return pairs if site_from is None else with_sites(pairs, site_from)


@contextmanager
def training_notes(quiet: bool) -> Iterator[None]:
    """Prints warnings of training as lines on standard error."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        if not (quiet and issubclass(category, TrainingWarning)):
            tell_error(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always", TrainingWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield
