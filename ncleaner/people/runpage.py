"""What a manifest tells: the runs into an output directory, as a table, as JSON, and as a page to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from html import escape

from ncleaner.running.history import PageRow, RunReport

__all__ = ["page", "table"]

_MOST = 20  # rows of each list on the page, and of pages in the text


# As text


def table(report: RunReport) -> str:
    """A row for each input, then sums, and the pages to look at."""
    width = max([5, *(len(entry["input"]) for entry in report.inputs)])
    columns = ("pages", "cleaned", "empty", "given up", "damage", "words kept", "MB", "seconds")
    lines = [f"{'input':<{width}}" + "".join(f"{name:>12}" for name in columns)]
    for entry in report.inputs:
        given_up = sum(entry["given_up"].values())
        lines.append(
            f"{entry['input']:<{width}}{entry['pages']:12,}{entry['cleaned']:12,}{entry['empty']:12,}"
            f"{given_up:12,}{entry['damaged']:12,}{entry['words_kept']:12,}{entry['bytes'] / 1e6:12,.1f}"
            f"{entry['seconds']:12,.1f}" + ("  not read to its end" if entry["unread"] else "")
        )
    lines.append(
        f"{'all':<{width}}{report.total('pages'):12,}{report.total('cleaned'):12,}{report.total('empty'):12,}"
        f"{report.counts('given_up').total():12,}{report.total('damaged'):12,}"
        f"{report.total('words_kept'):12,}{report.total('bytes') / 1e6:12,.1f}{report.seconds:12,.1f}"
    )
    lines.append("")
    for title, counter in _counters(report):
        lines.append(f"{title}: " + ", ".join(f"{name} {number:,}" for name, number in counter))
    for title, rows in _lists(report):
        lines += ["", title]
        lines += [
            f"  {row.what}  {row.input}"
            + (f" at byte {row.offset:,}" if row.offset >= 0 else "")
            + f"  {row.url}"
            for row in rows[:_MOST]
        ]
        if len(rows) > _MOST:
            lines.append(f"  and {len(rows) - _MOST:,} more (--json has all)")
    if report.foreign:
        lines.append(
            f"\n{report.foreign:,} lines of the manifest are of another version, or of something else"
        )
    return "\n".join(line.rstrip() for line in lines)


def _counters(report: RunReport) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    for title, counter in (
        ("Pages", report.outcomes),
        ("Records that are no pages", report.counts("records_skipped")),
        ("Encodings", report.counts("encodings")),
        ("Languages", report.counts("languages")),
        ("Cleaned with", _settings(report)),
    ):
        if counter:
            yield title, sorted(counter.items(), key=lambda item: (-item[1], item[0]))


def _settings(report: RunReport) -> Counter[str]:
    """Inputs by method, model and version."""
    return Counter(
        f"{settings['method']}, model {settings['model']}, ncleaner {settings['version']}"
        for settings in (entry["settings"] for entry in report.inputs)
    )


def _lists(report: RunReport) -> Iterator[tuple[str, Sequence[PageRow]]]:
    for title, rows in (
        ("Slowest pages", report.slowest(_MOST // 2)),
        ("Pages in quarantine", report.quarantined()),
        ("Damage", report.damage()),
    ):
        if rows:
            yield title, rows


# As a page

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 72rem; padding: 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; font-size: 13px } th { text-align: left; background: #f2f2f2 }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums } td.u { word-break: break-all }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem }
.plots svg { width: 100%; height: auto }
"""


def page(report: RunReport) -> str:
    """A page of HTML that needs nothing besides itself: figures, plots, and the pages to look at."""
    from ncleaner.people.plots import draw_run, to_svg

    inputs, pages = len(report.inputs), report.total("pages")
    unread = sum(bool(entry["unread"]) for entry in report.inputs)
    sums = [
        ("inputs", f"{inputs:,}" + (f", {unread:,} of them not read to their end" if unread else "")),
        ("pages", f"{pages:,}"),
        ("words kept", f"{report.total('words_kept'):,}"),
        ("words removed", f"{report.total('words_removed'):,}"),
        ("megabytes of pages", f"{report.total('bytes') / 1e6:,.1f}"),
        ("time of work, all inputs", str(timedelta(seconds=round(report.seconds)))),
    ]
    figures = "".join(f"<div>{to_svg(figure)}</div>" for figure in draw_run(report))
    lists = "".join(
        f"<h2>{escape(title)}</h2>" + _html_table(
            ["", "input", "byte", "URL"],
            [
                [row.what, row.input, f"{row.offset:,}" if row.offset >= 0 else "", row.url]
                for row in rows[:500]
            ],
        )
        for title, rows in _lists(report)
    )  # fmt: skip
    slow = sorted(report.inputs, key=lambda entry: -entry["seconds"])[:_MOST]
    return (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>"
        f"<title>ncleaner: {escape(report.folder)}</title><style>{_STYLE}</style>\n"
        f"<h1>{escape(report.folder)}</h1>"
        + _html_table(["", ""], sums)
        + f'<div class="plots">{figures}</div>'
        + "".join(
            f"<h2>{escape(title)}</h2>" + _html_table(["", ""], [[name, f"{n:,}"] for name, n in rows])
            for title, rows in _counters(report)
        )
        + "<h2>Inputs that took longest</h2>"
        + _html_table(
            ["input", "seconds", "pages", "megabytes"],
            [
                [e["input"], f"{e['seconds']:,.1f}", f"{e['pages']:,}", f"{e['bytes'] / 1e6:,.1f}"]
                for e in slow
            ],
        )
        + lists
        + "</html>\n"
    )


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>" if any(head) else ""
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table>{titles}{body}</table>\n"


def _cell(value: str) -> str:
    number = value.replace(",", "").replace(".", "").isdigit()
    kind = " class=n" if number else " class=u" if "://" in value else ""
    return f"<td{kind}>{escape(value)}</td>"
