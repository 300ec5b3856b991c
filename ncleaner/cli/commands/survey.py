"""`ncleaner survey`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncleaner.cli.parameters import Run, going_on, part, reports_errors, with_options
from ncleaner.cli.printing import show, show_json, tell
from ncleaner.options import REQUIRED, Declared, option
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.text.visible import counted, visible

if TYPE_CHECKING:
    from ncleaner.running.tally import Tally


# how a survey begins, which is a database
_SURVEY = b"SQLite format 3\0"


# The numbers of surveying, which need not be imported for a help text.
_PAGES, _MOST_PAGES, _MOST_SHARDS = 32, 64, 256
_FOUND = "What is found"


@dataclass(frozen=True, slots=True)
class Surveying(Declared):
    """What a survey keeps, and what is shown of it."""

    output: Path = option(
        REQUIRED, "The survey to write. Such as sites.ncs; with --shards, a directory.",
        kind=Path, flags="--output -o", metavar="PATH", panel="Output",
    )  # fmt: skip
    shards: int = option(
        1,
        "Write N files in a directory. They are made in parallel: for more than a million pages.",
        low=1, high=_MOST_SHARDS, metavar="N", panel="Output",
    )  # fmt: skip
    pages: int = option(_PAGES, "Pages kept of each site. A sample.", low=2, high=_MOST_PAGES, panel=_FOUND)
    references: bool = option(False, "Keep their HTML, too. For the method `site`.", panel=_FOUND)
    duplicates: bool = option(
        False,
        "Find near duplicates. Pages with the same or nearly the same clean text, for the column "
        "`duplicate_of` of `clean --sites` (needs the extra `duplicates`).",
        panel=_FOUND,
    )
    paragraphs: bool = option(
        False,
        "Find repeated paragraphs. The first page of each, for `clean --sites FILE --drop-seen`.",
        panel=_FOUND,
    )
    html: Path | None = option(
        None, "Write a portrait of the crawl as HTML.", kind=Path, metavar="FILE", panel="Output"
    )
    json: bool = option(False, "Print the portrait as JSON.", panel="Output")


@reports_errors
@with_options(
    reading=part(Reading, "input_format"), surveying=Surveying, recipe=part(Recipe, "method model encoding"),
    asked=part(Run, without="shard"),
)  # fmt: skip
def command(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Inputs as `clean` takes them. Or surveys (.ncs) and signatures (.signatures.jsonl), which "
            "are merged.",
        ),
    ] = None,
    *,
    reading: Reading,
    surveying: Surveying,
    recipe: Recipe,
    asked: Run,
) -> None:
    """Find out which texts are on many pages of a site, for `clean --sites`; and show what a crawl contains.

    The method is for the portrait: kinds of pages and words kept. With -m everything, a survey takes half the
    time.
    """
    if not inputs and asked.inputs_from is None:
        raise typer.BadParameter("give archives, or - for standard input", param_hint="INPUT")
    from ncleaner.cli.parts import PAGES
    from ncleaner.storage.local import check_writable

    if surveying.shards == 1:
        check_writable(surveying.output, _SURVEY)
    if surveying.html is not None:
        check_writable(surveying.html, *PAGES)
    tally, sums = _survey(inputs or [], surveying, Settings(recipe, asked.reading(reading)), asked)
    _show(surveying, sums, asked.quiet)
    if not tally.complete:
        raise typer.Exit(1)


def _survey(
    inputs: list[str], surveying: Surveying, settings: Settings, asked: Run
) -> "tuple[Tally, dict[str, int]]":
    """Makes the survey; returns the counts of the run, and the numbers of pages and sites."""
    from ncleaner.cli.progress import ProgressDisplay
    from ncleaner.running.surveys import Contents, parts_of, survey

    parts = {name: parts_of(Path(name)) for name in inputs if Path(name).exists()}
    sources = asked.sources([name for name in inputs if not parts.get(name)])
    with going_on(), ProgressDisplay(sources, quiet=asked.quiet, as_json=asked.log_json) as display:
        tally, found = survey(
            sources, [part for each in parts.values() for part in each], surveying.output, settings,
            contents=Contents(*(getattr(surveying, name) for name in Contents._fields)),
            shards=surveying.shards, jobs=asked.processes, progress=display.advance, again=asked.again,
        )  # fmt: skip
    if sources:
        display.finish(tally)
    return tally, found


def _show(surveying: Surveying, sums: dict[str, int], quiet: bool) -> None:
    """Shows the portrait of the crawl in each form that is wanted."""
    from ncleaner.cli.parts import write_page
    from ncleaner.cli.reports import survey_page, survey_text
    from ncleaner.surveying.survey import Survey, portrait_of

    portrait = portrait_of(Survey(surveying.output))
    if surveying.html is not None:
        write_page(surveying.html, survey_page(portrait, str(surveying.output)))
    if surveying.json:
        show_json(portrait.to_dict())
    elif not quiet:
        show(survey_text(portrait))
        pages = f"{counted(sums['pages'], 'page')} of {counted(sums['sites'], 'site')}"
        tell(f"{visible(surveying.output)}: {pages}")
