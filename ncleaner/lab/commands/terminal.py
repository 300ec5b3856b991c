"""The explanation of a page as a table for terminals; only where there is one, it loads rich."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ncleaner.lab.explaining.against import Differences
from ncleaner.lab.explaining.verdicts import MARKS, Said, Verdicts, Why, legend, said_of_segment
from ncleaner.text.visible import visible

# columns of a terminal from which on a table shows more than verdict, score and text
_WIDE, _WIDER = 60, 130
# lines of text that a segment gets
_LINES = 3
_GREEN, _RED = "green", "red"


def explanation_drawing(
    explanation: Verdicts, width: int, *, reasons: bool, whole: bool, only: Sequence[Why]
) -> RenderableType:
    """Returns the explanation as a table that fits a terminal.

    Args:
        explanation: of the page.
        width: of the terminal.
        reasons: say what spoke for and against each segment.
        whole: show texts at any length.
        only: the segments to show.
    """
    table = _table(width, bool(explanation.gold))
    for why in only:
        table.add_row(*_cells(explanation, why, width, reasons=reasons, whole=whole))
    title, *facts = map(visible, explanation.summary())
    head = Text(title, "bold")
    about = [Text(line) for line in facts]
    meanings = Table.grid(padding=(0, 1))
    for name, said in legend(explanation):
        meanings.add_row(Text(name, "bold"), Text(said, "dim"))
    return Group(head, *about, Text(""), table, Text(""), Text(explanation.verdicts(), "bold"), meanings)


def _table(width: int, gold: bool, sides: Sequence[str] = ()) -> Table:
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
    segment = why.segment
    found: list[RenderableType] = [Text(why.sign)] if width >= _WIDE else []
    if width >= _WIDER:
        found += [Text(f"{segment.words:,}"), Text(f"{segment.link_density:.2f}")]
    return found


def _sign(kept: bool) -> Text:
    return Text("+", f"bold {_GREEN}") if kept else Text("-", f"bold {_RED}")


def _folded(why: Why, width: int, *, whole: bool) -> Text:
    text = visible(why.segment.text.replace("\n", "⏎"))
    room = _LINES * max(width - (42 if width >= _WIDER else 28 if width >= _WIDE else 16), 20)
    if not whole and cell_len(text) > room:
        text = set_cell_size(text, room - 1).rstrip() + "…"
    zone = (f"[{why.segment.zone}] " if why.segment.zone else "", "cyan not dim")
    return Text.assemble(zone, text, style="" if why.kept else "dim")


def _with_reasons(*parts: RenderableType | Said) -> RenderableType:
    """Returns texts with reasons below them, each kind of reason in a separate paragraph."""
    return Group(*(_reasons(part) if isinstance(part, Said) else part for part in parts))


def _reasons(said: Said) -> RenderableType:
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
        Text(title, "bold"), *lines, Text(""), *([table] if found.pairs else []),
        Text(visible(found.summary()), "bold"),
    )  # fmt: skip
