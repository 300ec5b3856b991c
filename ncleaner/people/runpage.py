"""The history of an output directory as a table of plain text and as an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from html import escape

from ncleaner.people.htmlpage import html_head, html_table
from ncleaner.running.history import History, PageRow
from ncleaner.running.tally import Tally

__all__ = ["page", "table"]

_MOST = 20  # rows of each list on the page, and of pages in the text


# As text


def table(history: History) -> str:
    """Returns a row for each input, the sums, and lists of slow, quarantined and damaged pages, as plain
    text."""
    width = max([5, *(len(line.input) for line in history.lines)])
    columns = ("pages", "cleaned", "empty", "given up", "damage", "words kept", "MB", "seconds")
    lines = [f"{'input':<{width}}" + "".join(f"{name:>12}" for name in columns)]
    for line in history.lines:
        unread = "  not read to its end" if line.tally.unread else ""
        lines.append(f"{line.input:<{width}}{_cells(line.tally, line.seconds)}{unread}")
    lines.append(f"{'all':<{width}}{_cells(history.total, history.seconds)}")
    lines.append("")
    for title, counter in _counters(history):
        lines.append(f"{title}: " + ", ".join(f"{name} {number:,}" for name, number in counter))
    for title, rows in _lists(history):
        lines += ["", title]
        lines += [
            f"  {row.what}  {row.input}"
            + (f" at byte {row.offset:,}" if row.offset >= 0 else "")
            + f"  {row.url}"
            for row in rows[:_MOST]
        ]
        if len(rows) > _MOST:
            lines.append(f"  and {len(rows) - _MOST:,} more (--json has all)")
    if history.foreign:
        lines.append(f"\n{history.foreign:,} lines of the manifest are not of this version of ncleaner")
    return "\n".join(line.rstrip() for line in lines)


def _cells(tally: Tally, seconds: float) -> str:
    return (
        f"{tally.pages:12,}{tally.cleaned:12,}{tally.empty:12,}{tally.lost.total():12,}{tally.damaged:12,}"
        f"{tally.words_kept:12,}{tally.bytes / 1e6:12,.1f}{seconds:12,.1f}"
    )


def _counters(history: History) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    for title, counter in (
        ("Pages", history.outcomes),
        ("Records that are no pages", history.total.skipped),
        ("Encodings", history.total.encodings),
        ("Languages", history.total.languages),
        ("Models", history.total.models),
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

    inputs, total = len(history.lines), history.total
    unread = sum(bool(line.tally.unread) for line in history.lines)
    sums = [
        ("inputs", f"{inputs:,}" + (f", {unread:,} of them not read to their end" if unread else "")),
        ("pages", f"{total.pages:,}"),
        ("words kept", f"{total.words_kept:,}"),
        ("words removed", f"{total.words_removed:,}"),
        ("megabytes of pages", f"{total.bytes / 1e6:,.1f}"),
        ("time of work, all inputs", str(timedelta(seconds=round(history.seconds)))),
    ]
    lacking = missing()
    figures = (
        f"<p>No plots were drawn: {escape(lacking)}</p>"
        if lacking
        else "".join(f"<div>{to_svg(figure)}</div>" for figure in draw_run(history))
    )
    lists = "".join(
        f"<h2>{escape(title)}</h2>" + html_table(
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
        + html_table(["", ""], sums)
        + f'<div class="plots">{figures}</div>'
        + "".join(
            f"<h2>{escape(title)}</h2>" + html_table(["", ""], [[name, f"{n:,}"] for name, n in rows])
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
