"""Plots of the results, as SVG that is the same for the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.results import Part, Table, median_ratio
from bench.stages import ASIDE

__all__ = ["drawn", "stages_of"]

_FLOOR = "floor"
_COLOURS = {_FLOOR: "#888888", "everything": "#56b4e9", "ngram": "#e69f00", "hybrid": "#0072b2"}
_OURS, _PEERS = "#0072b2", "#d55e00"


def stages_of(tables: Iterable[Table]) -> list[str]:
    """Returns the stages of results, in their order: older results may have other names than the code."""
    rows = [row for table in tables for row in table.rows if row.group == "stages" and row.name != ASIDE]
    return list(dict.fromkeys(row.name for row in rows if row.median))


def _sizes(part: Part, axes: Any) -> bool:
    """CPU time per byte against the size of the page."""
    for table, style in zip(part.tables, ("-", "--"), strict=False):
        for name, colour in _COLOURS.items():
            rows = [row for row in table.rows if row.name.removeprefix("method:") == name]
            axes.plot(
                [row.facts["bytes"] / row.facts["pages"] for row in rows],
                [row.median / row.facts["bytes"] * 1e9 for row in rows],
                style,
                marker=".",
                color=colour,
                label=f"{name}, {table.name}",
            )
    axes.set(xscale="log", yscale="log", xlabel="bytes a page", ylabel="CPU time, ns a byte")
    axes.grid(True, which="major", color="#dddddd")
    axes.legend(fontsize="small")
    return len(part.tables[0].groups) > 1


def _stages(part: Part, axes: Any) -> bool:
    """The stages of a page, one on the other, beside the floor and its halves."""
    from matplotlib import colormaps

    names = stages_of(part.tables)
    colours = {name: colormaps["tab20"](number) for number, name in enumerate(names)}
    for position, table in enumerate(part.tables):
        pages = table.facts["pages"]
        axes.barh(
            2 * position,
            table.row(_FLOOR).median / pages * 1e6,
            color="#888888",
            label="" if position else _FLOOR,
        )
        left = 0.0
        found = {row.name: row.median / pages * 1e6 for row in table.rows if row.group == "stages"}
        for name in names:
            axes.barh(
                2 * position + 1,
                found.get(name, 0.0),
                left=left,
                color=colours[name],
                label="" if position else name,
            )
            left += found.get(name, 0.0)
    labels = [
        label
        for table in part.tables
        for label in (f"floor\n{table.facts['archive']}", f"hybrid\n{table.facts['archive']}")
    ]
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel("CPU time, µs a page")
    # below the axes, where it covers no bar
    axes.legend(fontsize="small", ncols=5, loc="upper center", bbox_to_anchor=(0.4, -0.2))
    return True


def _bars(table: Table, axes: Any, names: Mapping[str, str]) -> bool:
    base = table.row(_FLOOR)
    values = sorted((median_ratio(table.row(name), base), title, name) for name, title in names.items())
    bars = axes.barh(
        [title for _, title, _ in values],
        [value for value, _, _ in values],
        color=[_PEERS if name.startswith("peer:") else _OURS for _, _, name in values],
    )
    axes.bar_label(bars, fmt="%.2g", padding=3, fontsize="small")
    axes.axvline(1, color="#888888")
    axes.set_xlabel("CPU time as a multiple of the floor")
    return len(values) > 1


def _methods(part: Part, axes: Any) -> bool:
    """All methods on the first archive."""
    table = part.tables[0]
    return _bars(
        table, axes, {row.name: row.name[7:] for row in table.rows if row.name.startswith("method:")}
    )


def _peers(part: Part, axes: Any) -> bool:
    """Other programs and three methods on the sample of the first archive."""
    table = part.tables[1]
    titles = table.facts.get("titles", {})
    names = {
        row.name: titles.get(row.name, f"ncleaner {row.name[7:]}") for row in table.rows if ":" in row.name
    }
    axes.set_xscale("log")
    return _bars(table, axes, names)


_PLOTS: dict[str, tuple[str, Callable[[Part, Any], bool]]] = {
    "stages": ("CPU time of the stages of a page, beside the floor", _stages),
    "methods": ("CPU time of the methods, as multiples of the floor", _methods),
    "peers": ("CPU time of other programs, as multiples of the floor", _peers),
    "sizes": ("CPU time per byte by the size of the page", _sizes),
}


def drawn(parts: Mapping[str, Part], folder: Path) -> dict[str, dict[str, str]]:
    """Draws the plots of the parts that there are; returns {part: {file: title}}."""
    pictures: dict[str, dict[str, str]] = {}
    if not any(name in parts for name in _PLOTS):
        return pictures
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    settings: Any = {"svg.hashsalt": "ncleaner", "svg.fonttype": "none", "font.size": 9}
    for name, (title, draw) in _PLOTS.items():
        if name not in parts or not parts[name].tables:
            continue
        with matplotlib.rc_context(settings):
            figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
            axes.spines[["top", "right"]].set_visible(False)
            if draw(parts[name], axes):
                folder.mkdir(parents=True, exist_ok=True)
                # no date, so that the same results give the same file
                figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
                pictures[name] = {f"{name}.svg": title}
            pyplot.close(figure)
    return pictures
