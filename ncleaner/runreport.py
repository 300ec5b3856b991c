"""What a manifest tells: the runs into an output directory, as a table, as JSON, and as a page to look at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

from ncleaner.errors import InputError
from ncleaner.manifest import NAME
from ncleaner.storage import is_url, open_binary
from ncleaner.streams import inflated

__all__ = ["RunReport", "page", "read_report", "table"]

_MOST = 20  # rows of each list on the page, and of pages in the text


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page that stands out: an input, a byte offset in it (-1: unknown), a URL, and why."""

    input: str
    offset: int
    url: str
    what: str


@dataclass(slots=True)
class RunReport:
    """What was done in an output directory.

    Attributes:
        folder: the directory.
        inputs: the manifest's last entry for each input, in the order of their names; see
            `Manifest.add` for the keys.
        foreign: lines that are not as this version writes them.
    """

    folder: str
    inputs: list[dict[str, Any]] = field(default_factory=list)
    foreign: int = 0

    def total(self, key: str) -> int:
        """Sum of a figure over all inputs."""
        return sum(entry[key] for entry in self.inputs)

    def counts(self, key: str) -> Counter[str]:
        """Sums by name over all inputs: of `given_up`, `records_skipped`, `encodings`, `languages`."""
        found: Counter[str] = Counter()
        for entry in self.inputs:
            found.update(entry[key])
        return found

    @property
    def outcomes(self) -> Counter[str]:
        """Pages by what became of them."""
        given_up = {f"given up: {reason}": number for reason, number in self.counts("given_up").items()}
        return Counter({"cleaned": self.total("cleaned"), "empty": self.total("empty"), **given_up})

    @property
    def seconds(self) -> float:
        """Seconds that all inputs together were at work."""
        return float(sum(entry["seconds"] for entry in self.inputs))

    def over_time(self) -> list[tuple[datetime, int]]:
        """Pages read until each time at which an input was finished, from when the first one was begun."""
        done = 0
        points: list[tuple[datetime, int]] = []
        for entry in sorted(self.inputs, key=lambda entry: str(entry["finished"])):
            time = datetime.fromisoformat(entry["finished"])
            if not points:
                points.append((time - timedelta(seconds=entry["seconds"]), 0))
            done += entry["pages"]
            points.append((time, done))
        return points

    def slowest(self, number: int) -> list[PageRow]:
        """The slowest pages, the slowest first."""
        rows = [
            (
                page["seconds"],
                PageRow(entry["input"], page["offset"], page["url"], f"{page['seconds']:.3f} s"),
            )
            for entry in self.inputs
            for page in entry["slowest"]
        ]
        return [row for _, row in sorted(rows, key=lambda item: -item[0])[:number]]

    def quarantined(self) -> list[PageRow]:
        """Pages that were given up for what they did to their workers."""
        return [
            PageRow(entry["input"], page["offset"], page["url"], page["why"])
            for entry in self.inputs
            for page in entry["quarantined"]
        ]

    def damage(self) -> list[PageRow]:
        """Places where inputs are broken; the first hundred of each."""
        return [
            PageRow(entry["input"], place["offset"], "", place["what"])
            for entry in self.inputs
            for place in entry["damage"]
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "folder": self.folder,
            "inputs": self.inputs,
            "outcomes": dict(self.outcomes),
            "records_skipped": dict(self.counts("records_skipped")),
            "encodings": dict(self.counts("encodings")),
            "languages": dict(self.counts("languages")),
            "words_kept": self.total("words_kept"),
            "words_removed": self.total("words_removed"),
            "bytes": self.total("bytes"),
            "seconds": round(self.seconds, 3),
        }


def read_report(folder: str) -> RunReport:
    """Reads the manifest of an output directory, on this machine or at a URL.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    path = f"{folder.rstrip('/')}/{NAME}" if is_url(folder) else str(Path(folder) / NAME)
    try:
        with open_binary(path) as stream:
            lines = inflated(stream, path).splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror} (ncleaner clean -o DIRECTORY writes it)") from error
    report = RunReport(folder)
    latest: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            entry = json.loads(line)
            _check(entry)
        except (ValueError, KeyError, TypeError, AttributeError):
            report.foreign += 1
        else:
            latest[entry["input"]] = entry
    report.inputs = [latest[name] for name in sorted(latest)]
    return report


def _check(entry: dict[str, Any]) -> None:
    """Raises one error or another for an entry that is not as `Manifest.add` makes it."""
    for key in ("pages", "cleaned", "empty", "damaged", "bytes", "words_kept", "words_removed"):
        entry[key] += 0
    for key in ("given_up", "records_skipped", "encodings", "languages"):
        Counter({str(name): number + 0 for name, number in entry[key].items()})
    for key, names in (("slowest", "seconds"), ("quarantined", "why"), ("damage", "what")):
        for row in entry[key]:
            row["offset"] += 0
            row[names], "" if key == "damage" else row["url"] + ""
    entry["seconds"] += 0
    entry["input"] + entry["settings"]["version"] + entry["settings"]["model"] + entry["settings"]["method"]
    datetime.fromisoformat(entry["finished"])
    entry["unread"]


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
    from ncleaner.plots import draw_run, to_svg

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
