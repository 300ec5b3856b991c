"""`ncleaner evaluate`."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.options import Declared, option
from ncleaner.people.declared import Given, part, with_options
from ncleaner.people.options import Run, reports_errors
from ncleaner.people.streams import show, show_json, tell, tell_error
from ncleaner.recipe import Recipe
from ncleaner.training import Labelled

if TYPE_CHECKING:
    from ncleaner.people.evaluating import Curve
    from ncleaner.scoring.evaluation import Evaluation
    from ncleaner.scoring.measures import BagUnit
    from ncleaner.training.conventions import ZoneUse
    from ncleaner.training.pairs import Pair


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
        False,
        "Leave non-ASCII characters out, as cleaneval.py -a does.",
        flags="--ascii",
        common=False,
        panel=_MEASURED,
    )
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
        "--method names another method; prints the figures, and draws the curve as PREFIX.svg.",
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
    from ncleaner.people.evaluation import curve_table

    cleaning = [flag for flag in given.by["recipe"] if flag != "--text"]
    are_pages = bool(cleaning) or measuring.curve is not None
    if are_pages and measuring.raw is not None:
        flag = "--curve" if measuring.curve is not None else cleaning[0]
        raise typer.BadParameter(
            f"with {flag}, PRED_DIR holds the pages: leave --raw out", param_hint="--raw"
        )
    if measuring.curve is not None and measuring.html is None:
        pairs = _pairs(predicted, gold, recipe.text, run.quiet)
        _warn(recipe, pairs)
        found = _curve(pairs, recipe, cleaning, run.quiet)
        told = _draw(found, measuring.curve)
        if measuring.json:
            show_json(found.to_dict())
        else:
            show(curve_table(found))
        if not run.quiet:
            tell(told)
        return
    result = _Evaluated(predicted, gold, measuring, recipe, cleaning, labelled.site_from, run.quiet)
    result.run(run.processes)
    result.show()


@dataclass
class _Evaluated:
    """One evaluation with all that is shown of it."""

    predicted: Path
    gold: Path
    measuring: Measuring
    recipe: Recipe
    given: list[str]
    site_from: str | None
    quiet: bool

    def __post_init__(self) -> None:
        self._are_pages = bool(self.given) or self.measuring.curve is not None
        self._convention: dict[str, ZoneUse] | None = None
        self._problem = ""
        self._told: list[str] = []

    def run(self, jobs: int) -> None:
        """Cleans if need be, and compares. Raises as what it calls."""
        from ncleaner.cleaner import Cleaner
        from ncleaner.people.evaluating import cleaned, sites_beside
        from ncleaner.people.progress import CountDisplay
        from ncleaner.scoring.evaluation import evaluate as evaluate_directories
        from ncleaner.training.conventions import conventions_of
        from ncleaner.training.pairs import sites_of_names

        asked = self.measuring
        with (
            CountDisplay("page cleaned", "pages cleaned", quiet=self.quiet) as cleaning,
            cleaned(self.predicted, self.gold, Cleaner(self.recipe), cleaning.advance)
            if self._are_pages
            else nullcontext((self.predicted, self.gold)) as (predicted, gold),
        ):
            pairs = self._read_pairs()
            if self._are_pages:
                _warn(self.recipe, pairs)
            sites = {pair.name: pair.site for pair in pairs} if pairs else sites_beside(gold)
            if self.site_from is not None:
                named = zip(sites, sites_of_names([*sites], self.site_from), strict=True)
                sites |= {name: site for name, site in named if site}
            with CountDisplay("page compared", "pages compared", quiet=self.quiet) as display:
                self.result: Evaluation = evaluate_directories(
                    predicted, gold, unit=_unit(gold) if asked.unit == "auto" else asked.unit,
                    ascii_only=asked.ascii_only, jobs=jobs, progress=display.advance,
                    align_dir=asked.align, sites=sites,
                )  # fmt: skip
            self._convention = conventions_of(pairs) if pairs else None
            if not self._are_pages and (said := _of_pages(self.result, predicted, gold)):
                tell_error(said)
            if said := _other_encoding(self.result, predicted, gold):
                tell_error(said)
            if asked.html is not None:
                self._write_html(asked.html, asked.worst, pairs, predicted, gold, asked.curve)

    def _read_pairs(self) -> list[Pair]:
        """Returns the pages with their gold text; none if they are not known, and `_problem` says why.

        Raises:
            TrainingError: the pages were given, but cannot be read or are not those of the gold texts.
        """
        given = self.predicted if self._are_pages else self.measuring.raw
        beside = given or self.gold.parent / "raw"
        unknown = "The convention of this gold text (zones such as headlines) is not known"
        if self.gold.is_file() or not (given or beside.is_dir()):
            self._problem = f"{unknown}: --raw DIR names its pages."
            return []
        try:
            return _pairs(beside, self.gold, self.recipe.text, self.quiet)
        except TrainingError as error:
            if self.measuring.raw is not None:
                raise
            self._problem = f"{unknown}; --raw DIR names its pages. {error}."
            return []

    def _write_html(
        self, html: Path, worst: int, pairs: list[Pair], predicted: Path, gold: Path, prefix: Path | None
    ) -> None:
        from ncleaner.people.evaluation import convention_table, evaluation_page, worst_pages
        from ncleaner.people.parts import write_page
        from ncleaner.scoring.evaluation import read_pair

        svg = self._curve_of(pairs, prefix) if self._are_pages and pairs else ""
        shown = worst_pages(self.result, worst)
        texts = {page.name: read_pair(page.name, predicted, gold) for page in shown}
        folder = html.with_name(f"{html.stem}_pages")
        links = self._write_views(folder, pairs, {name: text for name, (text, _) in texts.items()})
        convention = convention_table(self._convention) if self._convention else self._problem
        title = f"{self.predicted.name} against {self.gold.name}"
        if self._are_pages:
            title += f", {self.recipe.method}, model {self.recipe.model}"
        write_page(
            html,
            evaluation_page(
                self.result, title, worst=shown, texts=texts, links=links, curve=svg,
                convention=_advice(convention),
            ),
        )  # fmt: skip
        views = f", and {len(links)} views in {folder}" if links else ""
        self._told.append(f"written: {html}{views}")

    def _curve_of(self, pairs: list[Pair], prefix: Path | None) -> str:
        """Returns the curve as SVG, and draws it to a file if a prefix is given."""
        from ncleaner.errors import EvaluationError
        from ncleaner.people.evaluation import curve_panel
        from ncleaner.people.plots import drawing

        try:
            found = _curve(pairs, self.recipe, self.given, self.quiet)
        except EvaluationError as error:
            # a method without thresholds has no curve; asked for, it is an error
            if prefix is not None:
                raise
            self._told.append(f"No curve was drawn: {error}")
            return ""
        if prefix is not None:
            self._told.append(_draw(found, prefix))
        return drawing([[curve_panel(found)]])

    def _write_views(self, folder: Path, pairs: list[Pair], texts: dict[str, bytes]) -> dict[str, str]:
        """Writes a page with verdicts for each of the cleaned texts whose page is known; returns their
        addresses."""
        from ncleaner.cleaner import Cleaner
        from ncleaner.errors import cannot_write
        from ncleaner.explaining.drawing import page_of
        from ncleaner.people.evaluating import view_of
        from ncleaner.people.parts import write_page

        known = {pair.name: pair for pair in pairs}
        cleaner = Cleaner(self.recipe) if self._are_pages else None
        links: dict[str, str] = {}
        for number, (name, text) in enumerate(texts.items(), 1):
            pair = known.get(name) or known.get(Path(name).stem)
            if pair is None:
                continue
            explanation = view_of(pair, text.decode("utf-8", "replace"), cleaner)
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise cannot_write(folder, error) from error
            write_page(folder / f"{number}.html", page_of(explanation))
            links[name] = f"{folder.name}/{number}.html"
        return links

    def show(self) -> None:
        """Shows figures, convention, and what was written."""
        from ncleaner.people.evaluation import convention_table, evaluation_table

        found = self._convention
        if self.measuring.json:
            told = None if found is None else {name: use.to_dict() for name, use in found.items()}
            show_json({**self.result.to_dict(), "convention": told})
        else:
            show(evaluation_table(self.result, per_page=self.measuring.per_page))
            show(convention_table(found) if found else self._problem)
        if not self.quiet:
            for line in self._told:
                tell(line)


def _advice(convention: str) -> str:
    """Returns the sentences of a table of conventions, each on one line."""
    return "\n".join(" ".join(part.split()) for part in convention.split("\n\n")[1:])


def _pairs(raw: Path, gold: Path, text: str, quiet: bool) -> list[Pair]:
    from ncleaner.people.progress import CountDisplay
    from ncleaner.training.pairs import read_pairs

    # the table of figures names the texts without a page
    with CountDisplay("page read", "pages read", quiet=quiet) as display, warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return read_pairs(raw, gold, text=text, progress=display.advance)


def _unit(gold: Path) -> BagUnit:
    """Returns what the multiset F counts of a gold text, or of all in a directory."""
    from ncleaner.comparing.gold import unit_of
    from ncleaner.training.pairs import read_bytes

    files = [path for path in (gold, *gold.rglob("*")) if path.is_file()]
    return unit_of(read_bytes(path).decode("utf-8", "replace") for path in files)


def _warn(recipe: Recipe, pairs: list[Pair]) -> None:
    from ncleaner.people.evaluating import trained_on

    if said := trained_on(recipe, pairs):
        tell_error(said)


def _of_pages(result: Evaluation, predicted: Path, gold: Path) -> str:
    """Returns a warning if the first of the compared texts is a page that is not cleaned yet."""
    from ncleaner.scoring.evaluation import read_pair

    name = result.pages[0].name
    head = read_pair(name, predicted, gold)[0][:4096].lower()
    if not any(tag in head for tag in (b"<!doctype html", b"<html", b"<head", b"<body")):
        return ""
    return (
        f"{name} is an HTML page, and is compared as it is, with all tags: to clean the pages of {predicted} "
        "first, give --method hybrid"
    )


def _other_encoding(result: Evaluation, predicted: Path, gold: Path) -> str:
    """Returns a warning if the gold text of the worst page is not UTF-8, and the cleaned text is."""
    from ncleaner.people.evaluation import worst_pages
    from ncleaner.scoring.evaluation import read_pair
    from ncleaner.text.charset import decode
    from ncleaner.training.pairs import how_to_convert

    for page in worst_pages(result, 1):
        (_, ours), (text, theirs) = (
            decode(text, html=False) for text in read_pair(page.name, predicted, gold)
        )
        if ours == "utf-8" != theirs and text:
            return (
                f"the gold text of {page.name} is not UTF-8, as the cleaned text is, and words with other "
                f"letters cannot be equal: {how_to_convert(theirs)}"
            )
    return ""


def _curve(pairs: list[Pair], recipe: Recipe, given: list[str], quiet: bool) -> Curve:
    """Returns the curve of n-grams from their scores alone, that of another method by cleaning at each
    threshold."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.methods.choice import ngrams_by_page
    from ncleaner.people.evaluating import precision_recall, precision_recall_of
    from ncleaner.people.progress import CountDisplay

    if not set(given) - {"--model"}:
        return precision_recall(pairs, ngrams_by_page(str(recipe.model)))
    with CountDisplay("threshold tried", "thresholds tried", quiet=quiet) as display:
        return precision_recall_of(
            pairs, lambda threshold: Cleaner(replace(recipe, threshold=threshold)), progress=display.advance
        )


def _draw(found: Curve, prefix: Path) -> str:
    """Draws a curve, and returns what to say of it."""
    from ncleaner.people.evaluation import curve_panel
    from ncleaner.people.plots import plot_path, write_plot

    path = plot_path(prefix)
    write_plot(path, [[curve_panel(found)]])
    return f"Plot (SVG): {path}"
