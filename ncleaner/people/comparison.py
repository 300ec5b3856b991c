"""The tables of a comparison of tools as plain text, and their plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from ncleaner.comparing.figures import Comparison, ToolFigures
from ncleaner.options import words_of
from ncleaner.people.parts import text_table
from ncleaner.people.plots import Panel, Series, write_plot
from ncleaner.recipe import Recipe
from ncleaner.text.visible import counted, visible
from ncleaner.training.conventions import OPTIONS

__all__ = ["comparison_panel", "comparison_table", "draw_comparisons"]

_WIDTH = 100
# what stands behind a tool whose models may have seen the pages, and behind one whose models have not
_SEEN, _HELD_OUT = " *", " †"
# longest reason of a failure
_REASON = 120
# of the points of a plot: colour and mark
_FLATTERED = "ncleaner, model may have seen these pages"
_STYLES = {
    "ncleaner": ("#1f77b4", "disc"),
    _FLATTERED: ("#1f77b4", "ring"),
    "other programs": ("#d9660a", "square"),
}


def comparison_table(result: Comparison) -> str:
    """Returns the figures of all tools, those by type of page, and what has to be known to read them."""
    gold = result.gold
    sites = len(set(gold.clusters))
    units = _units(result, "/")
    lines = [
        f"{visible(gold.name)}: {counted(len(gold.pages), 'page')} of {counted(sites, 'site')}",
        *_convention(result),
        "",
    ]
    titles = [figures.tool.title + _mark(figures) for figures in result.ranking]
    width = max(map(len, titles)) + 1
    against = f"to {result.reference}" if result.reference else ""
    lines += [
        f"{'':<{width}}{'words in order':>21}{units + ' in any order':>31}{'CPU ms a page':>17}",
        f"{'':<{width}}{'P':>7}{'R':>7}{'F':>7}{'F':>10}{against:>21}{'median':>9}{'mean':>8}"
        f"{'empty':>7}{'failed':>8}",
    ]
    for title, figures in zip(titles, result.ranking, strict=True):
        words = figures.words
        lines.append(
            f"{title:<{width}}{words.precision:7.2f}{words.recall:7.2f}{words.f_score:7.2f}"
            f"{result.bag(figures).mean:10.2f}{_difference(result, figures):>21}"
            f"{_milliseconds(figures.median_time):>9}{_milliseconds(figures.mean_time):>8}"
            f"{figures.empty:>7}{len(figures.failures):>8}"
        )
    lines += _types(result, titles, units)
    lines += _notes(result)
    return "\n".join(lines) + "\n"


def _mark(figures: ToolFigures) -> str:
    return _HELD_OUT if figures.held_out else _SEEN if figures.sources else ""


def _convention(result: Comparison) -> list[str]:
    found = result.gold.convention
    if found is None:
        return ["All tools run with their defaults."]
    told = ", ".join(f"{zone}s {found[zone].convention}" for zone in OPTIONS)
    options = " ".join(words_of(Recipe, result.gold.wishes))
    return [f"The gold texts: {told}. ncleaner's methods run with {options or 'their defaults'}."]


def _difference(result: Comparison, figures: ToolFigures) -> str:
    difference = result.difference(figures)
    if difference is None:
        return ""
    return f"{difference.mean:+.2f} ± " + ("-" if difference.error is None else f"{difference.error:.2f}")


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.2f}"


def _types(result: Comparison, titles: Sequence[str], units: str) -> list[str]:
    types = result.page_types
    if not types:
        return []
    rows = [
        ["", *(kind or "unknown" for kind in types)],
        ["pages", *(f"{len(pages):,}" for pages in types.values())],
        *(
            [title, *(f"{result.bag(figures, pages).mean:.2f}" for pages in types.values())]
            for title, figures in zip(titles, result.ranking, strict=True)
        ),
    ]
    return ["", f"F of {units} in any order, by type of page", *text_table(rows)]


def _notes(result: Comparison) -> list[str]:
    notes = []
    if seen := [figures for figures in result.tools if figures.sources]:
        sources = dict.fromkeys(source for figures in seen for source in figures.sources)
        notes.append(
            f"* {', '.join(figures.tool.name for figures in seen)}: models that were trained on pages of "
            f"{'; '.join(map(visible, sources))}. On those pages these figures flatter them: "
            "--cross-validate trains models on pages of other sites, --model takes a model of your own."
        )
    if held_out := [figures for figures in result.tools if figures.held_out]:
        notes.append(
            f"† {', '.join(figures.tool.name for figures in held_out)}: cross-validated, each page is "
            "cleaned by a model that was trained on the pages of other sites of this gold standard "
            f"({held_out[0].held_out} folds)."
        )
    if result.reference:
        notes.append(
            f"to {result.reference}: mean difference page by page ± standard error; the pages of a site are "
            "not taken as independent."
        )
    if set_ := [figures.tool for figures in result.tools if figures.tool.settings]:
        notes.append(f"Settings: {'; '.join(f'{tool.name} {tool.settings}' for tool in set_)}.")
    for figures in result.tools:
        if failures := figures.failures:
            notes.append(
                f"{figures.tool.title} failed on {counted(len(failures), 'page')}, first on "
                f"{visible(failures[0].name)}: {visible(failures[0].failure, _REASON)}"
            )
    notes += [
        f"Not installed: {tool.tool.name} ({tool.tool.install})" for tool in result.not_run if tool.missing
    ]
    notes += [
        f"Not run: {tool.tool.name}: {visible(tool.reason)}" for tool in result.not_run if not tool.missing
    ]
    return [""] + [fill(note, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for note in notes]


def draw_comparisons(comparisons: Sequence[Comparison], path: Path) -> None:
    """Draws accuracy against CPU time per page, a panel for each gold standard: one point for each tool.
    That of a method whose model may have seen the pages is hollow. Raises OutputError: the file cannot be
    written."""
    write_plot(path, [[comparison_panel(result) for result in comparisons]])


def comparison_panel(result: Comparison) -> Panel:
    """Returns a panel of `draw_comparisons`."""
    names: list[tuple[float, float, str]] = []
    points: dict[str, list[tuple[float, float]]] = {style: [] for style in _STYLES}
    for figures in result.ranking:
        if figures.mean_time is not None:
            x, y = 1000 * figures.mean_time, result.bag(figures).mean
            names.append((x, y, figures.tool.name))
            points[_style(figures)].append((x, y))
    return Panel(
        f"{result.gold.name}, {counted(len(result.gold.pages), 'page')}",
        "CPU time per page, mean, milliseconds",
        f"F of {_units(result, ' or ')} in any order, per cent",
        [Series(style, found, *_STYLES[style]) for style, found in points.items() if found],
        names,
        x_is_log=True,
    )


def _style(figures: ToolFigures) -> str:
    return "other programs" if figures.tool.is_peer else _FLATTERED if figures.sources else "ncleaner"


def _units(result: Comparison, between: str) -> str:
    units = {page.unit for page in result.gold.pages}
    return between.join(name for unit, name in (("word", "words"), ("char", "characters")) if unit in units)
