"""The parts of reports: tables of text; heads, tables, bars and charts of HTML pages.

An HTML page loads no other file, has no script, and takes the colours of the reader's system, light or dark.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from ncleaner.storage.local import check_writable, write_whole
from ncleaner.text.visible import html_text, visible

#: How pages and drawings begin; an output of them replaces nothing else.
PAGES = (b"<!doctype html", b"<!DOCTYPE html", b"<svg")
# most bars of a chart, and most characters of a name
_MOST, _LONGEST = 12, 40
# of a drawing, in its own units
_WIDTH, _HEIGHT, _FOOT = 420, 130, 22
_LETTER = 7  # width of a letter below a chart, at most


def text_table(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Returns the lines of a table, with the columns `left` to the left, and numbers to the right."""
    # names come from crawls, and from model files that may come from anywhere
    shown = [[*map(visible, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return [
        "  ".join(
            f"{cell:{'<' if column in left else '>'}{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in shown
    ]


def write_page(path: Path, text: str) -> None:
    """Writes a page or a drawing, whole or not at all.

    Raises:
        OutputError: it cannot be written, or would replace something else.
    """
    check_writable(path, *PAGES)
    write_whole(path, text.encode("utf-8", "replace"))


def style_of(*names: str) -> str:
    """Returns the rules of style sheets, which are files beside this module."""
    return "".join("\n" + Path(__file__).with_name(f"{name}.css").read_text("utf-8") for name in names)


def html_head(title: str, style: str) -> str:
    """Returns the beginning of a page, up to its headline; `style`: rules that only this page needs."""
    return (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>"
        f"<title>ncleaner: {html_text(title)}</title><meta name=viewport content='width=device-width'>"
        f"<style>{style_of('page')}{style}</style>\n<main><h1>{html_text(title)}</h1>"
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table; a cell that is a number is at the right edge, and so is the title above numbers."""
    titles = "".join(
        f"<th{' class=n' if any(_is_number(row[column]) for row in rows) else ''}>{html_text(name)}</th>"
        if name
        else "<td></td>"
        for column, name in enumerate(head)
    )
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table>{f'<tr>{titles}</tr>' if any(head) else ''}{body}</table>\n"


def wide(title: str, content: str) -> str:
    """Returns content under its heading; in a narrow window it scrolls sideways, by the keyboard, too."""
    name = html_text(title)
    return f"<h2>{name}</h2><div class=wide tabindex=0 role=region aria-label='{name}'>{content}</div>\n"


def _cell(value: str) -> str:
    kind = " class=n" if _is_number(value) else " class=u" if "://" in value else ""
    return f"<td{kind}>{html_text(value)}</td>"


def _is_number(value: str) -> bool:
    return value.partition(" ± ")[0].removesuffix(" s").replace(",", "").replace(".", "").isdigit()


def tiles(figures: Sequence[tuple[str, str]]) -> str:
    """Returns large figures side by side: (name, figure)."""
    cells = "".join(
        f"<div><b>{html_text(value)}</b><span>{html_text(name)}</span></div>" for name, value in figures
    )
    return f'<div class="tiles">{cells}</div>\n'


def bars(title: str, rows: Sequence[tuple[str, int]]) -> str:
    """Returns a bar for each row, with its number and its share of all; a sentence where there is one row
    only, and nothing where there is none."""
    total = sum(number for _, number in rows)
    if not total:
        return ""
    if len(rows) == 1:
        name, number = rows[0]
        return f"<p>{html_text(title)}: {html_text(visible(name, _LONGEST))} {number:,}, no other.</p>\n"
    shown = [*rows[:_MOST]]
    if rest := sum(number for _, number in rows[_MOST:]):
        shown.append((f"{len(rows) - _MOST:,} others", rest))
    longest = max(number for _, number in shown)
    cells = "".join(
        f"<span>{html_text(visible(name, _LONGEST))}</span>"
        f'<i style="width:{100 * number / longest:.1f}%"></i>'
        f"<span>{number:,} ({_per_cent(number, total)})</span>"
        for name, number in shown
    )
    return f"<figure><figcaption>{html_text(title)}</figcaption><div class=bars>{cells}</div></figure>\n"


def distribution(title: str, about: str, counts: Sequence[int], bounds: Sequence[str]) -> str:
    """Returns a drawing of a distribution.

    Args:
        title: what is counted.
        about: what the bins are, and the median.
        counts: of each bin.
        bounds: where each bin begins, in words; some stay empty.
    """
    if sum(1 for count in counts if count) < 2:
        return ""
    most, total = max(counts), sum(counts)
    step = _WIDTH / len(counts)
    # names that would touch are left out
    every = max(1, math.ceil(_LETTER * (max(map(len, bounds)) + 1) / step))
    drawn = []
    for number, (count, bound) in enumerate(zip(counts, bounds, strict=True)):
        height = _HEIGHT * count / most
        left = number * step
        drawn.append(
            f'<rect x="{left + 1:.1f}" y="{_HEIGHT - height:.1f}" width="{step - 2:.1f}" '
            f'height="{height:.1f}">'
            f"<title>{html_text(bound)}: {count:,} ({_per_cent(count, total)})</title></rect>"
        )
        if number % every == 0:
            drawn.append(
                f'<text x="{left + step / 2:.1f}" y="{_HEIGHT + 14}" text-anchor="middle">'
                f"{html_text(bound)}</text>"
            )
    return _drawing(title, about, drawn)


def curve(title: str, about: str, points: Sequence[tuple[float, float]], ends: tuple[str, str]) -> str:
    """Returns a curve that goes up in steps.

    Args:
        title: what is drawn.
        about: what it says at its end.
        points: (x, y), in the order of x; both may have any unit.
        ends: names of the first and of the last x.
    """
    if len(points) < 3:
        return ""
    first, last = points[0][0], points[-1][0]
    top = max(y for _, y in points)
    if last <= first or top <= 0:
        return ""
    # a hundred thousand points would be no finer than the page
    every = max(1, len(points) // (2 * _WIDTH))
    kept = [*points[:-1:every], points[-1]]
    path = "".join(
        f"{'H' if number else 'M'}{_WIDTH * (x - first) / (last - first):.1f}"
        + (f"V{_HEIGHT - _HEIGHT * y / top:.1f}" if number else f",{_HEIGHT - _HEIGHT * y / top:.1f}")
        for number, (x, y) in enumerate(kept)
    )
    drawn = [
        f'<path d="{path}"/>',
        f'<text x="0" y="{_HEIGHT + 14}">{html_text(ends[0])}</text>',
        f'<text x="{_WIDTH}" y="{_HEIGHT + 14}" text-anchor="end">{html_text(ends[1])}</text>',
    ]
    return _drawing(title, about, drawn)


def _drawing(title: str, about: str, drawn: Sequence[str]) -> str:
    name = html_text(f"{title}. {about}")
    return (
        f"<figure><figcaption>{html_text(title)}<small>{html_text(about)}</small></figcaption>"
        f'<svg class=chart role=img aria-label="{name}" viewBox="0 -2 {_WIDTH} {_HEIGHT + _FOOT}">'
        f'<line x1="0" x2="{_WIDTH}" y1="{_HEIGHT}" y2="{_HEIGHT}"/>{"".join(drawn)}</svg></figure>\n'
    )


def _per_cent(number: int, total: int) -> str:
    share = 100 * number / total
    return f"{share:.0f} %" if share >= 1 or not number else "< 1 %"
