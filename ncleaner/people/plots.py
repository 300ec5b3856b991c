"""Plots. matplotlib, of the extra `plots`, is imported when a plot is drawn; without it a command says what
it does not draw (`missing`)."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncleaner.comparing.figures import Comparison, ToolFigures
from ncleaner.errors import OutputError
from ncleaner.people.curve import Curve
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible
from ncleaner.training.trials import Trial, Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "draw_comparisons",
    "draw_curve",
    "draw_tuning",
    "missing",
    "plot_paths",
    "save",
    "to_svg",
]

# metadata that each format leaves out, so that the same figures give the same bytes
_METADATA: dict[str, dict[str, Any]] = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}
_MARKERS = "osD^v<>P"
# most characters of a name
_LONGEST = 60


def _clean_entropy(trial: Trial) -> float:
    return trial.clean_entropy


def _dirty_entropy(trial: Trial) -> float:
    return trial.dirty_entropy


def _f_score(trial: Trial) -> float:
    return 100 * trial.figures.f_score


_PANELS = (
    ("clean text", "cross-entropy, bits per character", _clean_entropy),
    ("dirty text", "cross-entropy, bits per character", _dirty_entropy),
    ("cleaning by {}", "F of words, per cent", _f_score),
)


def draw_tuning(tuning: Tuning) -> Figure:
    """A row of panels for each alphabet and scheme: cross-entropy of clean and of dirty text against q, a
    curve for each n (Evert 2008, figure 2), and the F of cleaning, on one scale for all rows. The chosen
    combination has a ring."""
    from matplotlib import colormaps

    groups = tuning.groups()
    orders = sorted({trial.order for trial in tuning.trials})
    best = tuning.best
    figure = _empty(11, 3.4 * len(groups) + 0.6)
    axes = figure.subplots(len(groups), len(_PANELS), squeeze=False)
    for row, ((name, scheme), trials) in zip(axes, groups.items(), strict=True):
        for panel, (title, unit, value) in zip(row, _PANELS, strict=True):
            for number, n in enumerate(orders):
                curve = [trial for trial in trials.values() if trial.order == n]
                panel.plot(
                    [trial.q for trial in curve],
                    [value(trial) for trial in curve],
                    # yellow, the end of the map, is invisible on white
                    color=colormaps["viridis"](0.92 * number / max(len(orders) - 1, 1)),
                    marker=_MARKERS[n - 1],
                    markersize=4,
                    linewidth=1.2,
                    label=f"n = {n}",
                )
            if (best.alphabet, best.scheme) == (name, scheme):
                panel.plot([best.q], [value(best)], "o", markersize=12, color="red", fillstyle="none")
            panel.set_title(f"{name}, {scheme}: {title.format(tuning.method)}", fontsize=10)
            panel.set_xlabel("q")
            panel.set_ylabel(unit)
            panel.grid(alpha=0.3)
            shown = tuning.trials if value is _f_score else trials.values()
            _frame(panel, [value(trial) for trial in shown], upwards=value is _f_score)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles[: len(orders)], labels[: len(orders)], loc="outside right center", frameon=False)
    figure.suptitle(
        f"{counted(tuning.pages, 'page')} of {counted(tuning.sites, 'site')}; values far from the best lie "
        "outside the frames",
        fontsize=10,
    )
    return figure


def _frame(panel: Axes, values: list[float], upwards: bool) -> None:
    """Gives the height of a panel to the better three quarters of the values, and as much again: the worst of
    n and q lie several times as far out, and would press all that matters into a line. `upwards`: larger
    values are better."""
    ordered = sorted(values, reverse=upwards)
    best, worst = ordered[0], ordered[-1]
    farthest = 2 * (ordered[3 * (len(ordered) - 1) // 4] - best)
    if abs(worst - best) > abs(farthest):
        worst = best + farthest
    margin = 0.08 * (worst - best)
    if margin:
        panel.set_ylim(*sorted((best - margin, worst + margin)))


def missing() -> str:
    """Returns a sentence that says what to install, or an empty string if plots can be drawn."""
    if importlib.util.find_spec("matplotlib") is not None:
        return ""
    return "matplotlib is not installed: pip install 'ncleaner[plots]'"


def plot_paths(prefix: Path) -> list[Path]:
    """Returns PREFIX.png and PREFIX.svg; the prefix may have either suffix.

    Raises:
        OutputError: the prefix ends in no name, as `.` and `/` do.
    """
    if not prefix.name:
        raise OutputError(f"cannot write {prefix}.png: the prefix of the plots has to end in a name")
    stem = prefix.name.removesuffix(prefix.suffix) if prefix.suffix in _METADATA else prefix.name
    return [prefix.with_name(stem + suffix) for suffix in _METADATA]


def draw_curve(curve: Curve) -> Figure:
    """Draws precision against recall, with the model's presets."""
    figure = _empty(5.2, 4.6)
    panel = figure.subplots()
    line = [point for point in curve.points if point.threshold is not None]
    panel.plot([100 * p.recall for p in line], [100 * p.precision for p in line], linewidth=1.4)
    for point in curve.points:
        if point.preset:
            panel.plot(100 * point.recall, 100 * point.precision, "o", color="black", markersize=4)
            panel.annotate(
                point.preset if point.threshold is None else f"{point.preset} {point.threshold:g}",
                (100 * point.recall, 100 * point.precision),
                xytext=(-6, -12),
                textcoords="offset points",
                ha="right",
                fontsize=8,
            )
    panel.set_xlabel("recall of words, per cent")
    panel.set_ylabel("precision of words, per cent")
    panel.set_title(
        f"{counted(curve.pages, 'page')}, {curve.method}, model {_plain(curve.model)}", fontsize=10
    )
    panel.grid(alpha=0.3)
    return figure


def draw_comparisons(comparisons: Sequence[Comparison]) -> Figure:
    """Draws accuracy against CPU time per page, a panel for each gold standard: one point for each tool.
    That of a method whose model may have seen the pages is hollow."""
    from matplotlib.ticker import StrMethodFormatter

    figure = _empty(6.4 * len(comparisons), 4.8)
    panels = figure.subplots(1, len(comparisons), squeeze=False)[0]
    points_of = [
        [
            (1000 * figures.mean_time, result.bag(figures).mean, figures)
            for figures in result.ranking
            if figures.mean_time is not None
        ]
        for result in comparisons
    ]
    for panel, result, points in zip(panels, comparisons, points_of, strict=True):
        for name, style in _STYLES.items():
            chosen = [(time, score) for time, score, figures in points if _style(figures) == name]
            if chosen:
                panel.plot(*zip(*chosen, strict=True), linestyle="none", markersize=5, label=name, **style)
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        # room for the names, which stand to the right of their points
        panel.margins(x=0.25, y=0.08)
        panel.set_xlabel("CPU time per page, mean, milliseconds")
        units = {page.unit for page in result.gold.pages}
        tokens = " or ".join(name for unit, name in _UNITS.items() if unit in units)
        panel.set_ylabel(f"F of {tokens} in any order, per cent")
        pages = counted(len(result.gold.pages), "page")
        panel.set_title(f"{_plain(result.gold.name)}, {pages}", fontsize=10)
        panel.grid(alpha=0.3)
    handles = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    shown = [name for name in _STYLES if name in handles]
    figure.legend(
        [handles[name] for name in shown],
        shown,
        loc="outside lower center",
        ncols=3,
        fontsize=8,
        frameon=False,
    )
    # the places of the names follow from those of the panels
    figure.draw_without_rendering()
    for panel, points in zip(panels, points_of, strict=True):
        _name_points(panel, [(time, score, figures.tool.name) for time, score, figures in points])
    return figure


_SEEN = "ncleaner, model may have seen these pages"
_STYLES: dict[str, dict[str, Any]] = {
    "ncleaner": {"marker": "o", "color": "C0"},
    _SEEN: {"marker": "o", "color": "C0", "fillstyle": "none"},
    "other programs": {"marker": "s", "color": "C1"},
}


def _style(figures: ToolFigures) -> str:
    return "other programs" if figures.tool.is_peer else _SEEN if figures.sources else "ncleaner"


_UNITS = {"word": "words", "char": "characters"}
# in points: size of the letters of a name, its height, width of a character, half a marker with a margin
_LETTERS, _LINE, _CHARACTER, _MARKER = 7.5, 8.5, 4.3, 4.0

# left, right, bottom and top of a rectangle, in points
_Box = tuple[float, float, float, float]


def _name_points(panel: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Writes the names of points beside them: to the right or left, and where that is taken, further up or
    down."""
    scale = 72 / panel.figure.dpi
    places = [scale * panel.transData.transform((x, y)) for x, y, _ in points]
    frame = panel.get_window_extent()
    taken: list[_Box] = [(x - _MARKER, x + _MARKER, y - _MARKER, y + _MARKER) for x, y in places]
    for (x, y, name), (left, level) in zip(points, places, strict=True):
        width = _CHARACTER * len(name)
        for shift, begin in _places(width, len(points)):
            box = (
                left + begin,
                left + begin + width,
                level + shift - _LINE / 2,
                level + shift + _LINE / 2,
            )
            inside = box[0] >= scale * frame.x0 and box[1] <= scale * frame.x1
            if inside and not any(_overlap(box, other) for other in taken):
                break
        taken.append(box)
        far = abs(shift) > _LINE
        panel.annotate(
            name,
            (x, y),
            xytext=(begin if begin > 0 else begin + width, shift),
            textcoords="offset points",
            ha="left" if begin > 0 else "right",
            va="center",
            fontsize=_LETTERS,
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "grey"} if far else None,
        )


def _places(width: float, most: int) -> Iterator[tuple[float, float]]:
    """Yields where a name of this width may stand, best first: upwards from its point, and to the right."""
    for step in range(4 * most):
        for shift in (step * _LINE / 4, -step * _LINE / 4):
            yield shift, _MARKER + 1
            yield shift, -_MARKER - 1 - width


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _plain(name: str) -> str:
    """Returns a name from the data: nothing in it is a formula, which matplotlib would draw."""
    return visible(name, _LONGEST).replace("$", r"\$")


def to_svg(figure: Figure) -> str:
    """Returns a figure as an SVG element for an HTML page, with its text as outlines."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({"svg.hashsalt": "ncleaner"}):
        figure.savefig(out, format="svg", metadata=_METADATA[".svg"])
    return out.getvalue().partition("<svg")[1] + out.getvalue().partition("<svg")[2]


def _empty(width: float, height: float) -> Figure:
    """Returns an empty figure of this size in inches, without a window and without pyplot's state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, paths: Iterable[Path]) -> None:
    """Writes a figure to files whose suffix is `.png` or `.svg`. The same figures give the same bytes under
    the same version of matplotlib.

    Raises:
        OutputError: one of them cannot be written.
    """
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "ncleaner"}):
        for path in paths:
            try:
                figure.savefig(path, dpi=130, metadata=_METADATA[path.suffix])
            except OSError as error:
                raise OutputError(f"cannot write {path}: {error.strerror}") from error
