"""Results as tables of Markdown, and the sections of a document that hold them."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from bench.machine import BUSY
from bench.parts import FLOOR, LIBRARIES, OURS, START
from bench.plots import drawn, stages_of
from bench.results import Part, Row, Table, ratios, spread
from bench.stages import ASIDE

__all__ = ["section_of", "written"]

_SECTION = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Returns a table; its first column is text, all others numbers."""
    names = list(head)
    lines = [names, ["---", *("--:" for _ in names[1:])], *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _ratio(row: Row, base: Row) -> str:
    """A median of ratios round by round, and their deviation."""
    found = ratios(row, base)
    middle = statistics.median(found)
    digits = 2 if middle < 10 else 1
    return f"{middle:.{digits}f} ± {middle * spread(found):.{digits}f}"


def _times(row: Row, base: Row) -> str:
    """A median of ratios round by round; the section `about` says how noisy they are."""
    found = statistics.median(ratios(row, base))
    return f"{found:.{2 if found < 10 else 1}f}"


def _micro(row: Row, pages: float) -> str:
    """Microseconds a page."""
    value = row.median / pages * 1e6
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _short(name: str) -> str:
    """`method:hybrid` as `hybrid`, with the marks of code."""
    return f"`{name.partition(':')[2]}`"


def _is_loop(name: str) -> bool:
    return name.startswith(("method:", "peer:"))


def _archive(table: Table) -> str:
    facts = table.facts
    size = facts["bytes"] / facts["pages"] / 1000
    return f"{facts['archive']}, {facts['pages']:,} pages, {size:,.0f} kB a page"


def _about(parts: Mapping[str, Part]) -> str:
    """The machine, the versions, and how noisy the measurement was."""
    said: list[str] = []
    machines = {(part.conditions["cpu"], part.conditions["cores"]) for part in parts.values()}
    said += [f"{cpu}, {cores} cores." for cpu, cores in sorted(machines)]
    listed: dict[str, list[str]] = {}
    for name, part in parts.items():
        found = ", ".join(f"{package} {version}" for package, version in part.conditions["versions"].items())
        listed.setdefault(found, []).append(name)
    for found, names in listed.items():
        said.append(f"{'' if len(listed) == 1 else ', '.join(names) + ': '}{found}.")
    rows = []
    for name, part in parts.items():
        floors = [row for table in part.tables for row in table.rows if row.name == FLOOR]
        noise = f"{100 * statistics.median(spread(row.seconds) for row in floors):.1f} %" if floors else "–"
        conditions = part.conditions
        rows.append(
            [
                name,
                conditions["date"],
                str(conditions["rounds"]),
                f"{conditions['load']:.2f}",
                f"{conditions['others']:.2f}" if "others" in conditions else "unknown",
                noise,
            ]
        )
    table = markdown(
        ["part", "begun", "rounds", "load before", "processors that others used", "deviation of the floor"],
        rows,
    )
    busy = [name for name, part in parts.items() if part.conditions.get("others", 0.0) > BUSY]
    if busy:
        rough = ", ".join(busy)
        said.append(
            f"\n**Other programs used more than {BUSY} processors during {rough}: these figures are rough, "
            "and small differences in them mean nothing.**"
        )
    return "\n".join(said) + "\n\n" + table


def _floor(part: Part) -> str:
    rows = []
    for table in part.tables:
        pages = table.facts["pages"]
        base = table.row(FLOOR)
        rows.append(
            [
                _archive(table),
                _micro(base, pages),
                f"{base.median / table.facts['bytes'] * 1e9:.2f}",
                *(
                    f"{_micro(table.row(name), pages)} ({_ratio(table.row(name), base)})"
                    for name in ("fastwarc", "parsing")
                ),
            ]
        )
    return markdown(
        [
            "archive",
            "floor, µs a page",
            "ns a byte",
            "FastWARC alone, µs (× floor)",
            "parsing alone, µs (× floor)",
        ],
        rows,
    )


def _stages(part: Part) -> str:
    tables = part.tables
    found = [{row.name: row for row in table.rows if row.group == "stages"} for table in tables]
    names = stages_of(tables)

    def cells(pick: Callable[[int], Row | None]) -> list[str]:
        shown: list[str] = []
        for index, table in enumerate(tables):
            row = pick(index)
            if row is None:
                shown += ["–", "–"]
            else:
                shown += [_micro(row, table.facts["pages"]), _times(row, table.row(FLOOR))]
        return shown

    def total(index: int) -> Row:
        values = [row.seconds for name, row in found[index].items() if name != ASIDE]
        return Row("sum", [sum(each) for each in zip(*values, strict=True)])

    rows = [[name, *cells(lambda index, name=name: found[index].get(name))] for name in names]  # type: ignore[misc]
    rows.append(["**all of these**", *cells(total)])
    rows.append(
        [
            "the same loop without the clock of the stages",
            *cells(lambda index: tables[index].row("method:hybrid")),
        ]
    )
    rows.append(["floor", *cells(lambda index: tables[index].row(FLOOR))])
    if any(ASIDE in each for each in found):
        rows.append([f"{ASIDE}, for comparison", *cells(lambda index: found[index].get(ASIDE))])
    head = ["stage"] + [cell for table in tables for cell in (f"{_archive(table)}: µs", "× floor")]
    return markdown(head, rows)


def _methods(part: Part) -> str:
    loops = [table for table in part.tables if any(_is_loop(row.name) for row in table.rows)]
    names = [row.name for row in loops[0].rows if _is_loop(row.name)]
    rows = [
        [_short(name)]
        + [
            cell
            for table in loops
            for cell in (
                _micro(table.row(name), table.facts["pages"]),
                _times(table.row(name), table.row(FLOOR)),
            )
        ]
        for name in names
    ]
    head = ["method"] + [
        cell for table in loops for cell in (f"{table.facts['archive']}, µs a page", "× floor")
    ]
    text = "In one process, from the archive to jsonl, without the start:\n\n" + markdown(head, rows)
    for table in part.tables:
        if table in loops:
            continue
        base = table.row(FLOOR)
        rows = []
        for name in OURS:
            whole, begun = table.row(f"process:{name}"), table.row(f"start:{name}")
            loop = _less(whole, begun)
            rows.append(
                [
                    f"`{name}`",
                    f"{whole.median:.2f}",
                    _times(whole, base),
                    f"{begun.median:.2f}",
                    _times(loop, base),
                    f"{whole.facts['parent']:.2f}",
                ]
            )
        text += f"\n\n`ncleaner clean -j 1 -f jsonl` as a whole, {_archive(table)}:\n\n" + markdown(
            [
                "method",
                "CPU s",
                "× floor",
                "of which start, s",
                "× floor, start subtracted",
                "of which parent, s",
            ],
            rows,
        )
    return text


def _peers(part: Part) -> str:
    texts = []
    for table in part.tables:
        base, ours = table.row(FLOOR), table.row("method:hybrid")
        titles = table.facts.get("titles", {})
        rows = [
            [
                titles.get(row.name) or (f"ncleaner {_short(row.name)}" if _is_loop(row.name) else row.name),
                f"{row.median / table.facts['pages'] * 1e3:.2f}",
                _times(row, base),
                _times(row, ours),
            ]
            for row in sorted(table.rows, key=lambda row: row.median)
        ]
        texts.append(f"{_archive(table)}:\n\n" + markdown(["", "ms a page", "× floor", "× `hybrid`"], rows))
    return "\n\n".join(texts)


def _sizes(part: Part) -> str:
    rows = []
    for table in part.tables:
        for group in table.groups:
            base = table.row(FLOOR, group)
            pages, size = base.facts["pages"], base.facts["bytes"]
            ours = [table.row(f"method:{name}", group) for name in OURS]
            rows.append(
                [
                    f"{table.name}, {size / pages:,.0f}",
                    _micro(base, pages),
                    *(_times(row, base) for row in ours),
                    _micro(ours[-1], pages),
                ]
            )
    head = ["pages, bytes", "floor, µs", *(f"`{name}` × floor" for name in OURS), "`hybrid`, µs"]
    return markdown(head, rows)


def _text(part: Part) -> str:
    forms: list[str] = []
    speeds: dict[tuple[str, str, str], str] = {}
    peaks: dict[str, float] = {"worker peak": 0.0, "parent peak": 0.0}
    for table in part.tables:
        for row in table.rows:
            form, _, method = row.name.partition(":")
            if "bytes" not in row.facts:
                continue
            if form not in forms:
                forms.append(form)
            begun = table.row(f"start:{method}").seconds
            seconds = [a - b for a, b in zip(row.seconds, begun, strict=True)]
            enough = min(seconds) > 0
            each = (
                statistics.median(row.facts["bytes"] / 1e6 / second for second in seconds) if enough else 0.0
            )
            speeds[table.name, form, method] = f"{each:.0f}" if enough else "too little text to tell"
            peaks = {name: max(peak, row.facts[name] / 1e6) for name, peak in peaks.items()}
    methods = list(dict.fromkeys(method for _, _, method in speeds))
    rows = [
        [
            table.name,
            *(
                " / ".join(speeds.get((table.name, form, method), "–") for method in methods)
                for form in forms
            ),
        ]
        for table in part.tables
    ]
    said = ", ".join(f"`{method}`" for method in methods)
    return (
        f"MB per second of CPU time, {said}; at most {peaks['worker peak']:.0f} MB in the worker and "
        f"{peaks['parent peak']:.0f} MB in the parent:\n\n" + markdown(["text", *forms], rows)
    )


def _workers(part: Part) -> str:
    doubt = max(part.conditions["load"], part.conditions.get("others", 0.0)) > BUSY
    rows = []
    for table in part.tables:
        for group in table.groups:
            one, two = table.row("1", group), table.row("2", group)
            rows.append(
                [
                    f"{table.facts['archive']}, {group}",
                    f"{one.median:.2f}",
                    f"{two.median:.2f}",
                    _ratio(two, one),
                    f"{one.facts['cpu']:.2f}",
                    f"{two.facts['cpu']:.2f}",
                ]
            )
    text = markdown(["", "one worker, s", "two workers, s", "two / one", "CPU s, one", "CPU s, two"], rows)
    if doubt:
        text = "**The machine was not idle, so these times are not those of two free processors.**\n\n" + text
    return text


def _options(part: Part) -> str:
    names = [row.name for row in part.tables[0].rows]
    rows = [
        [f"`{name}`", *(_ratio(table.row(name), table.row(names[0])) for table in part.tables)]
        for name in names
    ]
    return markdown(["", *(f"{_archive(table)}, × `{names[0]}`" for table in part.tables)], rows)


def _inputs(part: Part) -> str:
    rows = []
    for table in part.tables:
        pages, begun = table.facts["pages"], table.row(START)
        base = _less(table.rows[1], begun)
        for row in table.rows[1:]:
            parent = max(row.facts["parent"] - begun.facts["parent"], 0.0)
            rest = _less(row, begun)
            fed = (rest.median - parent) / parent if parent else math.inf
            rows.append(
                [
                    f"{table.facts['archive']}, {row.name}",
                    _ratio(rest, base),
                    f"{parent / pages * 1e6:,.0f}",
                    f"{fed:,.0f}" if fed < 1000 else "any number",
                ]
            )
    return markdown(["", "× the archive", "parent, µs a page", "workers that one parent feeds"], rows)


def _less(row: Row, begun: Row) -> Row:
    return Row(row.name, [a - b for a, b in zip(row.seconds, begun.seconds, strict=True)])


def _start(part: Part) -> str:
    table = part.tables[0]
    base = table.row(LIBRARIES)
    return markdown(
        ["", "CPU ms", "× the libraries"],
        [[row.name, f"{1000 * row.median:.0f}", _ratio(row, base)] for row in table.rows],
    )


def _memory(part: Part) -> str:
    rows = [
        [
            f"{table.facts['archive']}, " + (row.name if row.name == FLOOR else f"`{row.name}`"),
            f"{row.facts['parent peak'] / 1e6:.0f}",
            f"{row.facts['worker peak'] / 1e6:.0f}" if "worker peak" in row.facts else "–",
        ]
        for table in part.tables
        for row in table.rows
    ]
    return markdown(["", "parent, or the only process, MB", "worker, MB"], rows)


_SECTIONS: dict[str, Callable[[Part], str]] = {
    "floor": _floor,
    "stages": _stages,
    "methods": _methods,
    "peers": _peers,
    "sizes": _sizes,
    "text": _text,
    "workers": _workers,
    "options": _options,
    "inputs": _inputs,
    "start": _start,
    "memory": _memory,
}


def section_of(name: str, part: Part) -> str:
    """Returns the tables of a part as Markdown."""
    return _SECTIONS[name](part)


def written(parts: Mapping[str, Part], document: Path) -> None:
    """Replaces the measured sections of a document, and draws its plots into the folder of its name.

    A section begins with the line `<!-- measured: NAME -->` and ends with `<!-- end of NAME -->`; its name is
    that of a part, or `about`. Sections of parts without results stay as they are.

    Raises:
        ValueError: the document has no such section.
    """
    text = document.read_text("utf-8")
    if not _SECTION.search(text):
        raise ValueError(f"{document} has no section that begins with <!-- measured: floor --> or the like")
    folder = document.with_suffix("")
    pictures = drawn(parts, folder)

    def replaced(match: re.Match[str]) -> str:
        name = match[2]
        if name != "about" and name not in parts:
            return match[0]
        body = _about(parts) if name == "about" else section_of(name, parts[name])
        shown = [f"\n![{title}]({folder.name}/{file})\n" for file, title in pictures.get(name, {}).items()]
        return match[1] + body + "\n" + "".join(shown) + match[3]

    document.write_text(_SECTION.sub(replaced, text), "utf-8")
