"""`ncleaner evaluate`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from ncleaner.errors import TrainingError
from ncleaner.methods.table import DEFAULT_MODEL
from ncleaner.people.options import JobsOption, TextLayoutName, TextOption, cores, reports_errors
from ncleaner.people.streams import show, show_json, tell

if TYPE_CHECKING:
    from ncleaner.training.conventions import ZoneUse

__all__ = ["command"]

Unit = StrEnum("Unit", [(name, name) for name in ("word", "char")])  # type: ignore[misc]


@reports_errors
def command(
    predicted: Annotated[
        Path, typer.Argument(metavar="PRED_DIR", help="Directory of cleaned text; with --curve: of pages.")
    ],
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD_DIR", help="Directory of gold text: files of the same names.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all figures as JSON, also those of each page.")
    ] = False,
    per_page: Annotated[bool, typer.Option("--per-page", help="Also print a line for each page.")] = False,
    unit: Annotated[
        Unit, typer.Option(help="What the multiset F counts; use char for scripts without spaces.")
    ] = Unit("word"),
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Leave non-ASCII characters out, as cleaneval.py -a does.")
    ] = False,
    align: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write the alignment of each page with its gold text to this directory."
        ),
    ] = None,
    raw: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The pages of GOLD_DIR, to tell its convention: whether it contains headlines, captions, "
            "comments and other zones. By default the directory `raw` beside GOLD_DIR, if there is one.",
            show_default=False,
        ),
    ] = None,
    jobs: JobsOption = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            metavar="PREFIX",
            help="Clean the pages of PRED_DIR with the n-grams of --model at all thresholds: print precision "
            "and recall, and draw the curve as PREFIX.png and PREFIX.svg.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option("--model", metavar="auto|NAME|FILE", help="The model for --curve, as `clean` takes it."),
    ] = DEFAULT_MODEL,
    text: TextOption = TextLayoutName("auto"),
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Compare cleaned text with a gold standard: precision, recall and F, as cleaneval.py computes them.

    Also tells the convention of the gold standard, and with which options of `clean` to be measured by it.
    """
    from ncleaner.people.progress import CountDisplay
    from ncleaner.people.tables import convention_table, evaluation_table
    from ncleaner.scoring.evaluation import evaluate as evaluate_directories

    if curve is not None:
        if raw is not None:
            raise typer.BadParameter("with --curve, PRED_DIR has the pages", param_hint="--raw")
        _draw_curve(predicted, gold, model, curve, text.value, as_json=as_json, quiet=quiet)
        return
    with CountDisplay("page compared", "pages compared", quiet=quiet) as display:
        result = evaluate_directories(
            predicted,
            gold,
            unit=cast(Literal["word", "char"], unit.value),
            ascii_only=ascii_only,
            jobs=jobs or cores(),
            progress=display.advance,
            align_dir=align,
        )
    found, problem = _convention(raw, gold, text.value, quiet=quiet)
    if as_json:
        told = None if found is None else {name: use.to_dict() for name, use in found.items()}
        show_json({**result.to_dict(), "convention": told})
    else:
        show(evaluation_table(result, per_page=per_page))
        show(convention_table(found) if found else problem)


def _convention(
    raw: Path | None, gold: Path, text: str, *, quiet: bool
) -> tuple[dict[str, ZoneUse] | None, str]:
    """Returns the convention of the gold texts; or None, and why it is not known.

    Raises:
        TrainingError: the pages were given, but cannot be read or are not those of the gold texts.
    """
    from ncleaner.people.progress import CountDisplay
    from ncleaner.training.conventions import conventions_of
    from ncleaner.training.pairs import read_pairs

    beside = raw or gold.parent / "raw"
    unknown = "The convention of this gold text (headline, captions, comments) is not known"
    if gold.is_file() or not (raw or beside.is_dir()):
        return None, f"{unknown}: --raw DIR names its pages."
    with CountDisplay("page read", "pages read", quiet=quiet) as display:
        try:
            return conventions_of(read_pairs(beside, gold, text=text, progress=display.advance)), ""
        except TrainingError as error:
            if raw is not None:
                raise
            return None, f"{unknown}; --raw DIR names its pages. {error}."


def _draw_curve(
    raw: Path, gold: Path, model: str, prefix: Path, text: str, *, as_json: bool, quiet: bool
) -> None:
    from ncleaner.methods.choice import ngrams_by_page
    from ncleaner.people.curve import precision_recall
    from ncleaner.people.plots import draw_curve, missing, plot_paths, save
    from ncleaner.people.progress import CountDisplay
    from ncleaner.people.tables import curve_table
    from ncleaner.training.pairs import read_pairs

    paths = plot_paths(prefix)
    model_of = ngrams_by_page(model)
    with CountDisplay("page read", "pages read", quiet=quiet) as display:
        pairs = read_pairs(raw, gold, text=text, progress=display.advance)
    found = precision_recall(pairs, model_of)
    lacking = missing()
    if not lacking:
        save(draw_curve(found), paths)
    if as_json:
        show_json(found.to_dict())
    else:
        show(curve_table(found))
    if not quiet:
        drawn = f"No plots were drawn: {lacking}" if lacking else f"Plots: {', '.join(map(str, paths))}"
        tell(drawn)
