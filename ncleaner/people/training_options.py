"""Options and notes that the commands `train` and `tune` share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ncleaner.errors import TrainingWarning
from ncleaner.modelling import ALPHABET_NAMES, MAX_LEARNED, SCHEMES, STATISTICS
from ncleaner.people.streams import tell_error

if TYPE_CHECKING:
    from ncleaner.training.pairs import Pair

__all__ = [
    "CLEAN",
    "RAW",
    "AlphabetName",
    "CasedOption",
    "ManifestOption",
    "SchemeName",
    "SiteOption",
    "SizeOption",
    "StatisticName",
    "check_q",
    "read_labelled",
    "training_notes",
]

# The choices come from the tables, so a new entry is an option at once; mypy cannot see the members.
AlphabetName = StrEnum("AlphabetName", [(name, name) for name in ALPHABET_NAMES])  # type: ignore[misc]
StatisticName = StrEnum("StatisticName", [(name, name) for name in STATISTICS])  # type: ignore[misc]
SchemeName = StrEnum("SchemeName", [(name, name) for name in SCHEMES])  # type: ignore[misc]
# required by `tune`, optional for `train`
RAW = typer.Option(
    metavar="DIR|FILE",
    help="Directory of pages: HTML, or text dumps (.txt). Or a file of JSON lines or Parquet whose rows have "
    "`html` and `clean`, and maybe `url` and `id`; then without --clean.",
    show_default=False,
    rich_help_panel="Pages",
)
CLEAN = typer.Option(
    metavar="DIR",
    help="Directory of their cleaned text: same names, .txt, UTF-8.",
    show_default=False,
    rich_help_panel="Pages",
)
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File of JSON lines with the id and url of each page; they tell which pages share a site.  "
        "(default: manifest.jsonl beside the pages, if it exists)",
        show_default=False,
        rich_help_panel="Pages",
    ),
]
SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site-from",
        metavar="REGEX",
        help="The site of a page is what this regular expression finds in its name without suffix: its "
        "first group, or all of it. `'^([^_]+)_'` for SITE_NUMBER.html. (default: from the manifest, else "
        "from the address that the page states)",
        show_default=False,
        rich_help_panel="Pages",
    ),
]
SizeOption = Annotated[
    int,
    typer.Option(
        "--alphabet-size",
        min=1,
        max=MAX_LEARNED,
        help="Characters of a learned alphabet.",
        rich_help_panel="N-grams",
    ),
]
CasedOption = Annotated[
    bool,
    typer.Option("--cased", help="Let a learned alphabet distinguish capitals.", rich_help_panel="N-grams"),
]


def check_q(q: float) -> None:
    """Checks an interpolation factor before anything is read. Raises BadParameter."""
    from ncleaner.modelling.ngrams import interpolation_weights

    try:
        interpolation_weights(1, q)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--q") from None


def read_labelled(
    raw: Path,
    clean: Path | None,
    *,
    encoding: str | None,
    text: str,
    manifest: Path | None,
    site_from: str | None,
) -> list[Pair]:
    """Reads pages with their cleaned text: of two directories, or of a file of rows.

    Raises as `read_pairs` and `read_rows`; BadParameter: an option does not fit.
    """
    from ncleaner.training.pairs import read_pairs, with_sites
    from ncleaner.training.sources import read_rows

    if clean is not None:
        return read_pairs(raw, clean, encoding=encoding, text=text, manifest=manifest, site_from=site_from)
    if raw.is_dir():
        raise typer.BadParameter(f"{raw} is a directory of pages: --clean names that of their cleaned text")
    if manifest is not None:
        raise typer.BadParameter("--manifest is for directories: rows have a column `url`")
    pairs = read_rows(raw, encoding=encoding)
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
