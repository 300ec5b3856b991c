"""Plots as SVG: panels with axes, curves, points and their names. They need no library, and the same figures
give the same bytes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ncleaner.cli.parts import write_page
from ncleaner.errors import OutputError
from ncleaner.text.visible import html_text, visible

# most characters of a title
_LONGEST = 60
# of a panel, in pixels; its margins have the names of its axes
_WIDTH, _HEIGHT = 380, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 30, 44
# of the name of a point: its height, width of a character, half a mark with a margin
_LINE, _CHARACTER, _MARK = 11, 6.2, 5
# of an entry of the legend
_ENTRY = 24


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one colour.

    Attributes:
        name: in the legend; empty for none.
        points: (x, y), in the order of a line.
        colour: of the line and of the marks.
        mark: of each point: `disc`, `ring`, `square`; empty for none.
        is_line: whether a line goes through the points.
    """

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    mark: str = "disc"
    is_line: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes.

    Attributes:
        title: above it.
        x_name, y_name: of the axes, with their units.
        series: what it shows.
        names: (x, y, name) of points, for a text beside each.
        x_is_log: whether x has a logarithmic scale.
        heights: least and largest y; None for those of all points.
    """

    title: str
    x_name: str
    y_name: str
    series: Sequence[Series]
    names: Sequence[tuple[float, float, str]] = ()
    x_is_log: bool = False
    heights: tuple[float, float] | None = None


def plot_path(prefix: Path) -> Path:
    """Returns PREFIX.svg; the prefix may have the suffix, or that of a PNG file.

    Raises:
        OutputError: the prefix ends in no name, as `.` and `/` do.
    """
    if not prefix.name:
        raise OutputError(f"cannot write {prefix}.svg: the prefix of the plots has to end in a name")
    stem = prefix.stem if prefix.suffix in (".png", ".svg") else prefix.name
    return prefix.with_name(f"{stem}.svg")


def write_plot(path: Path, drawn: str) -> None:
    """Writes what `drawing` returns to a file, on white. Raises OutputError: it cannot be written."""
    back = '<rect width="100%" height="100%" fill="white"/>'
    write_page(path, drawn.replace(">\n", f">\n{back}\n", 1))


def drawing(rows: Sequence[Sequence[Panel]], about: str = "") -> str:
    """Returns panels as an SVG element, for a file or for an HTML page, with one legend for all of them.

    Letters and axes have the colour of the text around it.

    Args:
        rows: of panels.
        about: a sentence above them.
    """
    head = 24 if about else 0
    legend = {each.name: each for row in rows for panel in row for each in panel.series if each.name}
    width, height = _WIDTH * max(map(len, rows)), head + _HEIGHT * len(rows) + (_ENTRY if legend else 0)
    name = html_text(about or "; ".join(panel.title for row in rows for panel in row))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{name}" '
        f'viewBox="0 0 {width} {height}" '
        f'style="max-width:{width}px" font-family="sans-serif" font-size="11" fill="currentColor">'
    ]
    if about:
        parts.append(_text(width / 2, 16, about))
    for number, row in enumerate(rows):
        for place, panel in enumerate(row):
            parts.append(f'<g transform="translate({_WIDTH * place} {head + _HEIGHT * number})">')
            parts += [*_Axes(panel).drawn(), "</g>"]
    left = (width - sum(map(_width_of_entry, legend))) / 2
    for name, series in legend.items():
        parts += _marks(series, [(left + 8, height - 14)])
        parts.append(_text(left + _ENTRY - 6, height - 10, name, "start"))
        left += _width_of_entry(name)
    return "\n".join([*parts, "</svg>\n"])


def _width_of_entry(name: str) -> float:
    return _ENTRY + _CHARACTER * (len(name) + 1)


class _Axes:
    """The scales of a panel, from its values to pixels."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        # where every tool failed there are none, and only axes
        points = [point for series in panel.series for point in series.points] or [(1.0, 0.0)]
        # on a logarithmic scale, room for names and at least one round number
        share, least = (0.25, 0.3) if panel.x_is_log else (0.04, 0)
        self._xs = _widened([self._scaled(x) for x, _ in points], share, least)
        self._ys = panel.heights or _widened([y for _, y in points], 0.06)

    def _scaled(self, x: float) -> float:
        return math.log10(max(x, 1e-9)) if self._panel.x_is_log else x

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Returns where a point is, in pixels."""
        (first, last), (low, high) = self._xs, self._ys
        across = (self._scaled(x) - first) / (last - first)
        up = (y - low) / (high - low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    def drawn(self) -> Iterator[str]:
        """Yields the elements of the panel."""
        panel, right, bottom = self._panel, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        yield _text((_LEFT + right) / 2, _TOP - 10, visible(panel.title, _LONGEST))
        yield _text((_LEFT + right) / 2, _HEIGHT - 8, panel.x_name)
        turned = f' transform="rotate(-90 14 {(_TOP + bottom) / 2})"'
        yield _text(14, (_TOP + bottom) / 2, panel.y_name, more=turned)
        for x in _powers(*self._xs) if panel.x_is_log else _ticks(*self._xs):
            across, _ = self.place(x, self._ys[0])
            yield _rule(across, _TOP, across, bottom)
            yield _text(across, bottom + 14, f"{x:g}")
        for y in _ticks(*self._ys):
            _, down = self.place(1, y)
            yield _rule(_LEFT, down, right, down)
            yield _text(_LEFT - 5, down + 4, f"{y:g}", "end")
        # what lies outside the frame, where the heights are chosen, is cut off there
        yield f'<svg x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}" '
        yield f'viewBox="{_LEFT} {_TOP} {right - _LEFT} {bottom - _TOP}">'
        for series in panel.series:
            yield from _marks(series, [self.place(x, y) for x, y in series.points])
        yield "</svg>"
        places = [(*self.place(x, y), visible(name, _LONGEST)) for x, y, name in panel.names]
        for (x, y, name), (left, level) in zip(places, names_of_points(places), strict=True):
            if abs(level - y) > _LINE:
                yield _rule(x, y, left if left > x else left + _CHARACTER * len(name), level)
            yield _text(left, level + 4, name, "start")


def names_of_points(points: Sequence[tuple[float, float, str]]) -> list[tuple[float, float]]:
    """Returns the left end and the height of the name of each point (x, y, name), in pixels within a panel:
    beside the point, and where that is taken, further up or down."""
    taken = [(x - _MARK, x + _MARK, y - _MARK, y + _MARK) for x, y, _ in points]
    found = []
    for x, y, name in points:
        width = _CHARACTER * len(name)
        for left, level in _beside(x, y, width, len(points)):
            box = (left, left + width, level - _LINE / 2, level + _LINE / 2)
            if left < _LEFT or left + width > _WIDTH - _RIGHT or level < _TOP or level > _HEIGHT - _BOTTOM:
                continue
            if not any(
                box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]
                for other in taken
            ):
                break
        taken.append(box)
        found.append((left, level))
    return found


def _beside(x: float, y: float, width: float, most: int) -> Iterator[tuple[float, float]]:
    """Yields where a name may begin, best first: upwards from its point, and to the right."""
    for step in range(4 * most + 4):
        for level in (y - step * _LINE / 4, y + step * _LINE / 4):
            yield x + _MARK + 1, level
            yield x - _MARK - 1 - width, level


def _widened(values: Sequence[float], share: float, least: float = 0) -> tuple[float, float]:
    """Returns the least and the largest value, with a margin."""
    low, high = min(values), max(values)
    margin = max(share * (high - low), least) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def _ticks(low: float, high: float) -> list[float]:
    """Returns four to eight round numbers between two."""
    power = 10.0 ** math.floor(math.log10((high - low) / 8))
    step = next(each * power for each in (1, 2, 5, 10) if (high - low) / (each * power) <= 8)
    return [round(number * step, 12) for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _powers(low: float, high: float) -> list[float]:
    """Returns round numbers between two powers of ten, at even distances on a logarithmic scale."""
    digits = (1, 2, 5) if high - low < 3 else (1,)
    numbers = [digit * 10.0**power for power in range(math.floor(low), math.ceil(high)) for digit in digits]
    return [number for number in numbers if low <= math.log10(number) <= high]


def _marks(series: Series, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    colour = series.colour
    if series.is_line:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for x, y in places:
        if series.mark == "square":
            yield f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>'
        elif series.mark:
            fill = colour if series.mark == "disc" else "none"
            radius = 3 if series.mark == "disc" else 4
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{colour}"/>'


def _rule(x: float, y: float, to_x: float, to_y: float) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="currentColor" '
        'stroke-opacity=".25" stroke-width=".7"/>'
    )


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html_text(text)}</text>'
