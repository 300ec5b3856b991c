"""The history of an output directory as a table of plain text and as an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta

from ncleaner.people.htmlpage import html_head, html_table, html_text
from ncleaner.running.history import History, PageRow
from ncleaner.running.tally import Tally
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible

__all__ = ["page", "table"]

_MOST = 20  # rows of each list on the page, and of pages in the text
_TITLES = 29  # width of the titles of sums
_LONGEST = 120  # longest reason or name of a count, in characters


# As text


def table(history: History) -> str:
    """Returns the report as plain text: the sums, a row for each input, and lists of slow, quarantined and
    damaged pages."""
    lines = [f"{name:<{_TITLES}}{value}" for name, value in _sums(history)]
    lines += [
        f"{title.lower():<{_TITLES}}" + ", ".join(f"{visible(name, _LONGEST)} {n:,}" for name, n in counter)
        for title, counter in _counters(history)
    ]
    names = [visible(line.input) for line in history.lines]
    width = max([5, *map(len, names)])
    columns = ("pages", "cleaned", "empty", "given up", "damage", "words kept", "MB", "seconds")
    lines += ["", f"{'input':<{width}}" + "".join(f"{name:>12}" for name in columns)]
    for name, line in zip(names, history.lines, strict=True):
        unread = "  not read to its end" if line.tally.unread else ""
        lines.append(f"{name:<{width}}{_cells(line.tally, line.seconds)}{unread}")
    if len(names) != 1:
        lines.append(f"{'all':<{width}}{_cells(history.total, history.seconds)}")
    for title, rows in _lists(history):
        lines += ["", title]
        lines += [
            f"  {visible(row.what)}  {visible(row.input)}"
            + (f" at byte {row.offset:,}" if row.offset >= 0 else "")
            + f"  {visible(row.url)}"
            for row in rows[:_MOST]
        ]
        if len(rows) > _MOST:
            lines.append(f"  and {len(rows) - _MOST:,} more (--json has all)")
    if history.foreign:
        foreign = counted(history.foreign, "line of the manifest is", "lines of the manifest are")
        lines.append(f"\n{foreign} not of this version of ncleaner")
    return "\n".join(line.rstrip() for line in lines)


def _sums(history: History) -> list[tuple[str, str]]:
    inputs, total = len(history.lines), history.total
    unread = sum(bool(line.tally.unread) for line in history.lines)
    return [
        ("inputs", f"{inputs:,}" + (f", {unread:,} of them not read to the end" if unread else "")),
        ("pages", f"{total.pages:,}"),
        *([("in letters new to the model", f"{total.unfamiliar:,}")] if total.unfamiliar else []),
        ("words kept", f"{total.words_kept:,}"),
        ("words removed", f"{total.words_removed:,}"),
        ("megabytes of pages", f"{total.bytes / 1e6:,.1f}"),
        ("time of work, all inputs", str(timedelta(seconds=round(history.seconds)))),
    ]


def _cells(tally: Tally, seconds: float) -> str:
    return (
        f"{tally.pages:12,}{tally.cleaned:12,}{tally.empty:12,}{tally.lost.total():12,}{tally.damaged:12,}"
        f"{tally.words_kept:12,}{tally.bytes / 1e6:12,.1f}{seconds:12,.1f}"
    )


def _counters(history: History) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    for title, counter in (
        ("Pages by outcome", history.outcomes),
        ("Records that are no pages", history.total.skipped),
        ("Encodings", history.total.encodings),
        ("Languages", history.total.languages),
        ("Models", history.total.models),
        ("Plain text, cleaned by", history.total.fallbacks),
        ("Formats of the outputs", history.formats),
        ("Cleaned with", _settings(history)),
    ):
        if counter:
            yield title, sorted(counter.items(), key=lambda item: (-item[1], item[0]))


def _settings(history: History) -> Counter[str]:
    """Counts inputs by method, model and version."""
    return Counter(
        "{method}, model {model}, ncleaner {version}".format(**line.settings) for line in history.lines
    )


def _lists(history: History) -> Iterator[tuple[str, Sequence[PageRow]]]:
    for title, rows in (
        ("Slowest pages", history.slowest(_MOST // 2)),
        ("Pages in quarantine", history.quarantined()),
        ("Damage", history.damage()),
    ):
        if rows:
            yield title, rows


# As a page


def page(history: History) -> str:
    """Returns an HTML page that loads no other file: figures, plots, and the same lists."""
    from ncleaner.people.plots import draw_run, missing, to_svg

    lacking = missing()
    figures = (
        f"<p>No plots were drawn: {html_text(lacking)}</p>"
        if lacking
        else "".join(f"<div>{to_svg(figure)}</div>" for figure in draw_run(history))
    )
    lists = "".join(
        f"<h2>{html_text(title)}</h2>" + html_table(
            ["", "input", "byte", "URL"],
            [
                [row.what, row.input, f"{row.offset:,}" if row.offset >= 0 else "", row.url]
                for row in rows[:500]
            ],
        )
        for title, rows in _lists(history)
    )  # fmt: skip
    slow = sorted(history.lines, key=lambda line: -line.seconds)[:_MOST]
    return (
        html_head(history.folder)
        + html_table(["", ""], _sums(history))
        + f'<div class="plots">{figures}</div>'
        + "".join(
            f"<h2>{html_text(title)}</h2>"
            + html_table(["", ""], [[visible(name, _LONGEST), f"{n:,}"] for name, n in rows])
            for title, rows in _counters(history)
        )
        + "<h2>Inputs that took longest</h2>"
        + html_table(
            ["input", "seconds", "pages", "megabytes"],
            [
                [
                    line.input,
                    f"{line.seconds:,.1f}",
                    f"{line.tally.pages:,}",
                    f"{line.tally.bytes / 1e6:,.1f}",
                ]
                for line in slow
            ],
        )
        + lists
        + "</html>\n"
    )
