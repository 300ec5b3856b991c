"""The explanation of a page as a table for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ncleaner.errors import InputError
from ncleaner.explaining.against import Differences
from ncleaner.explaining.verdicts import Verdicts, Why
from ncleaner.explaining.words import MARKS, Said, legend, said_of_segment
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import page_of_record, record_at
from ncleaner.reading.inputs import STDIN
from ncleaner.running.settings import Settings
from ncleaner.running.tally import note_of
from ncleaner.text.visible import visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["differences_drawing", "explanation_drawing", "nth_page", "page_at"]

# columns of a terminal from which on a table shows more than verdict, score and text
_WIDE, _WIDER = 60, 130
# lines of text that a segment gets
_LINES = 3
_GREEN, _RED = "green", "red"


def nth_page(path: str, number: int, settings: Settings) -> Page:
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
    # what stands there instead of a page
    why = f": {note_of(other).what}" if other is not None and not found else f": it has {found:,}"
    raise InputError(f"{path} has no page {number}{why}")


def page_at(path: str, at: str, settings: Settings) -> Page:
    """Returns the page of a record of an archive.

    Args:
        path: of the archive.
        at: the offset of the record, in bytes, or its id.
        settings: how the archive is read.

    Raises:
        InputError: there is no such record, or it gives no page.
    """
    limits, record = settings.recipe.limits, None
    if at.isascii() and at.isdigit() and path != STDIN:
        record = record_at(path, int(at), limits=limits)
    if record is not None:
        found: Iterable[Page | Skip | Damage] = page_of_record(record, path, limits.bytes)
    else:
        # an id, or the offset that a stored document had in its archive; a record that gives no page has no
        # id here
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
        raise InputError(f"{path}: the record at {at} gives no page: {note_of(other).what}")
    raise InputError(
        f"{path} has no page at {visible(at)}: rows of jsonl have the places, offset and record_id"
    )


# On a terminal


def explanation_drawing(
    explanation: Verdicts, width: int, *, reasons: bool, whole: bool, only: Sequence[Why] | None = None
) -> RenderableType:
    """Returns the explanation as a table that fits a terminal.

    Args:
        explanation: of the page.
        width: of the terminal.
        reasons: say what spoke for and against each segment.
        whole: show texts at any length.
        only: some segments; all by default.
    """
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    shown = explanation.segments if only is None else only
    gold = bool(explanation.gold)
    table = _table(width, gold)
    for why in shown:
        table.add_row(*_cells(explanation, why, width, reasons=reasons, whole=whole))
    title, *facts = map(visible, explanation.summary())
    head = Text(title, "bold")
    about = [Text(line) for line in facts]
    meanings = Table.grid(padding=(0, 1))
    for name, said in legend(explanation):
        meanings.add_row(Text(name, "bold"), Text(said, "dim"))
    return Group(head, *about, Text(""), table, Text(""), Text(explanation.verdicts(), "bold"), meanings)


def _table(width: int, gold: bool, sides: Sequence[str] = ()) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, expand=True, show_edge=False, header_style="bold")
    for side in sides or ("",):
        table.add_column(visible(side, 12), no_wrap=True, width=1 if not side else None)
    if gold:
        table.add_column("gold", no_wrap=True, width=4)
    table.add_column("#", justify="right", no_wrap=True)
    if not sides:
        table.add_column("score", justify="right", no_wrap=True)
    if width >= _WIDE:
        table.add_column("kind", no_wrap=True)
    if width >= _WIDER:
        table.add_column("words", justify="right", no_wrap=True)
        table.add_column("links", justify="right", no_wrap=True)
    table.add_column("text", ratio=1, overflow="fold")
    return table


def _cells(
    explanation: Verdicts, why: Why, width: int, *, reasons: bool, whole: bool
) -> list[RenderableType]:
    from rich.text import Text

    cells: list[RenderableType] = [_sign(why.kept)]
    if explanation.gold:
        cells.append(Text(MARKS[why.against], "bold yellow" if why.is_wrong else "dim"))
    cells.append(Text(str(why.segment.index), "dim"))
    cells.append(Text("" if why.score is None else f"{why.score:+.2f}"))
    cells += _columns(why, width)
    text = _folded(why, width, whole=whole)
    cells.append(_with_reasons(text, said_of_segment(why)) if reasons else text)
    return cells


def _columns(why: Why, width: int) -> list[RenderableType]:
    from rich.text import Text

    segment = why.segment
    found: list[RenderableType] = [Text(why.sign)] if width >= _WIDE else []
    if width >= _WIDER:
        found += [Text(f"{segment.words:,}"), Text(f"{segment.link_density:.2f}")]
    return found


def _sign(kept: bool) -> Text:
    from rich.text import Text

    return Text("+", f"bold {_GREEN}") if kept else Text("-", f"bold {_RED}")


def _folded(why: Why, width: int, *, whole: bool) -> Text:
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    text = visible(why.segment.text.replace("\n", "⏎"))
    room = _LINES * max(width - (42 if width >= _WIDER else 28 if width >= _WIDE else 16), 20)
    if not whole and cell_len(text) > room:
        text = set_cell_size(text, room - 1).rstrip() + "…"
    zone = (f"[{why.segment.zone}] " if why.segment.zone else "", "cyan not dim")
    return Text.assemble(zone, text, style="" if why.kept else "dim")


def _with_reasons(*parts: RenderableType | Said) -> RenderableType:
    """Returns texts with reasons below them, each kind of reason in a separate paragraph."""
    from rich.console import Group

    return Group(*(_reasons(part) if isinstance(part, Said) else part for part in parts))


def _reasons(said: Said) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    if said.ruled:
        table.add_row(Text("!", "bold yellow"), Text(visible(said.ruled), "yellow"))
    for sign, reasons, style in (("▲", said.speaking_for, _GREEN), ("▼", said.against, _RED)):
        if reasons:
            told = ", ".join(f"{visible(reason.said)} ({reason.bits:+.1f})" for reason in reasons)
            table.add_row(Text(sign, style), Text(told, "italic"))
    if said.words:
        told = ", ".join(f"“{piece.text}” {piece.bits:+.1f}" for piece in said.words)
        table.add_row(Text("≈", "blue"), Text(told, "italic"))
    return table


def differences_drawing(found: Differences, width: int, *, reasons: bool, whole: bool) -> RenderableType:
    """Returns the segments that two cleaners judge differently as a table that fits a terminal."""
    from rich.console import Group
    from rich.text import Text

    table = _table(width, bool(found.first.gold), found.names)
    for one, other in found.pairs:
        cells: list[RenderableType] = [_sign(one.kept), _sign(other.kept)]
        if found.first.gold:
            cells.append(Text(visible(found.right(one, other), 4), "yellow"))
        cells.append(Text(str(one.segment.index), "dim"))
        cells += _columns(one, width)
        parts: list[RenderableType | Said] = [_folded(one if one.kept else other, width, whole=whole)]
        if reasons:
            for name, why in zip(found.names, (one, other), strict=True):
                score = "" if why.score is None else f" {why.score:+.2f}"
                parts += [Text(f"{visible(name)}:{score}", "bold"), said_of_segment(why)]
        cells.append(_with_reasons(*parts))
        table.add_row(*cells)
    title, *facts = map(visible, found.first.summary())
    lines = [Text(line) for line in facts[:1]]
    return Group(
        Text(title, "bold"),
        *lines,
        Text(""),
        *([table] if found.pairs else []),
        Text(visible(found.summary()), "bold"),
    )
