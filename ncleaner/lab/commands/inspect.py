"""`ncleaner inspect`."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncleaner.cli.parameters import part, reports_errors, with_options
from ncleaner.cli.printing import check_stdin, show, show_drawn, show_json, tell, terminal
from ncleaner.errors import InputError
from ncleaner.methods.registry import DEFAULT_MODEL, METHODS
from ncleaner.options import Declared, OptionError, option
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.inputs import STDIN
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.text.visible import visible

if TYPE_CHECKING:
    from ncleaner.cleaner import Cleaner
    from ncleaner.lab.explaining.against import Differences
    from ncleaner.lab.explaining.explain import Explanation


_SHOWN = "What is shown"


@dataclass(frozen=True, slots=True)
class Inspecting(Declared):
    """Which page is explained, and how."""

    number: int = option(1, "Number of the page in an archive.", low=1, flags="--number -n", panel="Input")
    at: str | None = option(
        None, "The page of one record. Its offset in the archive, or its record id, as jsonl has both.",
        kind=str, metavar="OFFSET|ID", panel="Input",
    )  # fmt: skip
    why: bool | None = option(
        None, "Say why. What spoke for and against each segment.",
        kind=bool, otherwise="on a terminal, and with --diff", flags="--why/--no-why", panel=_SHOWN,
    )  # fmt: skip
    whole: bool = option(False, "Show long texts whole, on a terminal.", panel=_SHOWN)
    segment: int | None = option(
        None, "All about one segment, by its number.",
        kind=int, low=0, flags="--segment -s", panel=_SHOWN,
    )  # fmt: skip
    against: Path | None = option(
        None,
        "Compare with a gold text. A file, or a directory with a file of the page's name. Shows what is "
        "wrongly kept (FP) and wrongly removed (FN).",
        kind=Path, metavar="GOLD", panel=_SHOWN,
    )  # fmt: skip
    wrong: bool = option(
        False, "With --against, show only mistakes. What is wrongly kept or removed.", panel=_SHOWN
    )
    diff: tuple[str, str] | None = option(
        None,
        "Where methods or models differ. Shows these segments, and why; each is a name of a method, a "
        "name of a shipped model, or a model file.",
        kind=tuple, length=2, metavar="A B", panel=_SHOWN,
    )  # fmt: skip
    html: Path | None = option(
        None,
        "Write page and verdicts as HTML. Side by side, in one self-contained file.",
        kind=Path, metavar="FILE", panel="Output",
    )  # fmt: skip
    json: bool = option(False, "Print everything as JSON. With all features and n-grams.", panel="Output")

    def __post_init__(self) -> None:
        super(Inspecting, self).__post_init__()
        if self.wrong and (self.against is None or self.diff is not None):
            raise OptionError("wrong", "it needs --against, and no --diff")
        if self.at is not None and self.number != 1:
            raise OptionError("at", "--number names a page, too: give one of them")
        if self.segment is not None and self.diff is not None:
            raise OptionError("segment", "--diff shows all segments that differ: leave one of them out")


@reports_errors
@with_options(
    recipe=part(Recipe, without="alt_text limits learn"),
    reading=part(Reading, "input_format"),
    asked=Inspecting,
    rare=["recipe_comments", "recipe_news", "recipe_sites", "recipe_language", "recipe_min_quality"],
)
def command(
    page: Annotated[
        str,
        typer.Argument(
            metavar="PAGE", help="An HTML or text file, an archive (see --number), or - for standard input."
        ),
    ],
    *,
    recipe: Recipe,
    reading: Reading,
    asked: Inspecting,
) -> None:
    """Show what happens to one page, and why: for each segment whether it is kept, its score, and reasons."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.lab.explaining.against import Differences

    check_stdin([page])
    settings = Settings(recipe, reading)
    item = _nth_page(page, asked.number, settings) if asked.at is None else _page_at(page, asked.at, settings)
    recipe = replace(recipe, facts=True)
    if asked.diff is not None:
        names = asked.diff
        first, second = (
            _explained(item, page, Cleaner(_side(name, recipe)), asked.against) for name in names
        )
        _show_differences(Differences(names, first, second), asked)
        return
    explanation = _explained(item, page, Cleaner(recipe), asked.against)
    if asked.segment is not None and asked.segment >= len(explanation.segments):
        there = len(explanation.segments)
        said = f"the page has the segments 0 to {there - 1}" if there else "the page has no segments"
        raise OptionError("segment", said)
    if asked.html is not None:
        from ncleaner.lab.explaining.drawing import page_of

        _write(asked.html, page_of(explanation, item.body if item.kind == "html" else b""))
    _show(explanation, asked)


def _what(item: Skip | Damage) -> str:
    from ncleaner.running.tally import note_of

    return note_of(item).what


def _nth_page(path: str, number: int, settings: Settings) -> Page:
    """Returns a page of an input. Raises InputError: the input has fewer pages."""
    if Path(path).is_dir():
        raise InputError(f"{path}: is a directory: give one page of it, or an archive")
    found, other = 0, None
    for item in settings.read(path):
        if not isinstance(item, Page):
            other = item
            continue
        found += 1
        if found == number:
            return item
    # what is there instead of a page
    why = f": {_what(other)}" if other is not None and not found else f": it has {found:,}"
    raise InputError(f"{path} has no page {number}{why}")


def _page_at(path: str, at: str, settings: Settings) -> Page:
    """Returns the page of the record of an archive that is `at` an offset in bytes, or has this id."""
    from ncleaner.reading.archive import record_at
    from ncleaner.reading.captures import page_of_record

    limits, record = settings.recipe.limits, None
    # no archive has 2^63 bytes, and no system looks there
    if at.isascii() and at.isdigit() and len(at) < 19 and path != STDIN:
        record = record_at(path, int(at), limits=limits)
    if record is not None:
        found: Iterable[Page | Skip | Damage] = page_of_record(record, path, limits.bytes)
    else:
        # an id, or an offset of standard input; a record that gives no page has no id here
        wanted = at.strip("<>")
        found = (
            item
            for item in settings.read(path)
            if isinstance(item, Page) and wanted in (item.record_id.strip("<>"), str(item.offset))
        )
    other = None
    for item in found:
        if isinstance(item, Page):
            return item
        other = item
    if other is not None:
        raise InputError(f"{path}: the record at {at} gives no page: {_what(other)}")
    raise InputError(f"{path} has no page at {visible(at)}: rows of jsonl have the places, offset and id")


def _side(name: str, recipe: Recipe) -> Recipe:
    """Returns the recipe of one side of a difference: a method has --model, a model has --method."""
    if name not in METHODS:
        return replace(recipe, model=name)
    model = recipe.model if METHODS[name].kinds else DEFAULT_MODEL
    parameters = recipe.parameters if name == recipe.method else {}
    return replace(recipe, method=name, model=model, parameters=parameters)


def _explained(item: Page, path: str, cleaner: "Cleaner", against: Path | None) -> "Explanation":
    from ncleaner.lab.explaining.against import gold_of, with_gold
    from ncleaner.lab.explaining.explain import explain

    explanation = explain(item, cleaner, url=item.url or path)
    if against is None:
        return explanation
    source, gold = gold_of(against, path)
    return with_gold(explanation, gold, str(source))


def _show(explanation: "Explanation", asked: Inspecting) -> None:
    from ncleaner.lab.explaining.verdicts import details_of, lines_of

    only = [each for each in explanation.segments if each.is_wrong or not asked.wrong]
    if asked.json:
        show_json(explanation.to_dict())
    elif asked.segment is not None:
        show("\n".join(details_of(explanation, explanation.segments[asked.segment])))
    elif (console := terminal()) is not None:
        from ncleaner.lab.commands.terminal import explanation_drawing

        reasons = asked.why is not False
        drawing = explanation_drawing(
            explanation, console.width, reasons=reasons, whole=asked.whole, only=only
        )
        show_drawn(console, drawing)
    else:
        show("\n".join(lines_of(explanation, reasons=asked.why is True, only=only)))


def _show_differences(found: "Differences", asked: Inspecting) -> None:
    if asked.html is not None:
        from ncleaner.lab.explaining.drawing import page_of_differences

        _write(asked.html, page_of_differences(found))
    reasons = asked.why is not False
    if asked.json:
        show_json(found.to_dict())
    elif (console := terminal()) is not None:
        from ncleaner.lab.commands.terminal import differences_drawing

        show_drawn(console, differences_drawing(found, console.width, reasons=reasons, whole=asked.whole))
    else:
        show("\n".join(found.lines(reasons=reasons)))


def _write(path: Path, text: str) -> None:
    from ncleaner.cli.parts import write_page

    write_page(path, text)
    tell(f"written: {path}")
