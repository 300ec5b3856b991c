"""What the commands that train and tune share: options, and the notes of training."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ncleaner.errors import TrainingWarning
from ncleaner.modelling.alphabet import ALPHABET_NAMES, MAX_LEARNED
from ncleaner.modelling.decision import STATISTICS
from ncleaner.training.examples import SCHEMES

__all__ = [
    "CLEAN",
    "RAW",
    "AlphabetName",
    "CasedOption",
    "ManifestOption",
    "SchemeName",
    "SizeOption",
    "StatisticName",
    "check_q",
    "training_notes",
]

# Choices are read off the tables, so that a new entry is an option at once; mypy cannot see the members.
AlphabetName = StrEnum("AlphabetName", [(name, name) for name in ALPHABET_NAMES])  # type: ignore[misc]
StatisticName = StrEnum("StatisticName", [(name, name) for name in STATISTICS])  # type: ignore[misc]
SchemeName = StrEnum("SchemeName", [(name, name) for name in SCHEMES])  # type: ignore[misc]
# `tune` cannot do without these, `train` can
RAW = typer.Option(help="Directory of pages: HTML, or text dumps (.txt).", show_default=False)
CLEAN = typer.Option(help="Directory of their cleaned text: same names, .txt, UTF-8.", show_default=False)
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        help="JSON lines with the id and url of each page, so that no site stands on both sides of a "
        "cross-validation.  [default: manifest.jsonl beside the pages, if there]",
        show_default=False,
    ),
]
SizeOption = Annotated[
    int, typer.Option("--alphabet-size", min=1, max=MAX_LEARNED, help="Characters of a learned alphabet.")
]
CasedOption = Annotated[bool, typer.Option("--cased", help="A learned alphabet tells capitals apart.")]


def check_q(q: float) -> None:
    """Says that an interpolation factor is out of range, before anything is read. Raises BadParameter."""
    from ncleaner.modelling.ngrams import interpolation_weights

    try:
        interpolation_weights(1, q)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--q") from None


@contextmanager
def training_notes(quiet: bool) -> Iterator[None]:
    """Prints what training has to say of its data as lines on standard error."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        if not (quiet and issubclass(category, TrainingWarning)):
            print(f"ncleaner: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", TrainingWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield
