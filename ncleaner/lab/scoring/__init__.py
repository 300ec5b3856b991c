"""Scores of cleaned text against a gold standard. What people decide about it is declared here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ncleaner.options import Declared, option

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
