"""What a snapshot of Common Crawl costs, computed from an archive: core-hours and dollars by options.

    python -m bench.cost ARCHIVE [--rounds 5] [--pages 2.64e9] [--bytes 4.33e14] [--dollars 0.04]

The command runs with one worker, from the archive to Parquet: all options in turn in each round, CPU time,
medians. An estimate by pages is too high, since the pages of a crawl are smaller than those of most gold
sets, and one by bytes is too low, since small pages cost more for each byte. trafilatura runs on the same
pages, if it is installed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from bench.processes import cpu_seconds
from bench.report import markdown
from ncleaner.page import Page
from ncleaner.reading.archive import read

OPTIONS = {
    "`-f parquet`": (),
    "`--metadata --signals --markdown`": ("--metadata", "--signals", "--markdown"),
    "`--segments --source`": ("--segments", "--source"),
}
_TRAFILATURA = """
import sys, trafilatura
from ncleaner.page import Page
from ncleaner.reading.archive import read
for page in read(open(sys.argv[1], "rb"), name=sys.argv[1]):
    if isinstance(page, Page):
        trafilatura.extract(page.body)
"""


def main(
    archive: Annotated[Path, typer.Argument(exists=True, dir_okay=False)],
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    pages: Annotated[float, typer.Option(help="of the snapshot")] = 2.64e9,
    size: Annotated[float, typer.Option("--bytes", help="of the snapshot's pages")] = 4.33e14,
    dollars: Annotated[float, typer.Option(help="for a core and an hour")] = 0.04,
) -> None:
    """Measures, and prints the table."""
    with archive.open("rb") as file:
        sizes = [len(each.body) for each in read(file, name=str(archive)) if isinstance(each, Page)]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "pages.parquet")
        clean = [sys.executable, "-m", "ncleaner", "clean", str(archive), "-q", "-j", "1", "-o", str(output)]
        commands = {name: [*clean, *options] for name, options in OPTIONS.items()}
        if find_spec("trafilatura"):
            commands["trafilatura"] = [sys.executable, "-c", _TRAFILATURA, str(archive)]
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        written: dict[str, int] = {}
        for _ in range(rounds):
            for name, command in commands.items():
                output.unlink(missing_ok=True)
                seconds[name].append(cpu_seconds(command))
                written[name] = output.stat().st_size if output.exists() else 0
    rows = []
    for name, found in seconds.items():
        each = statistics.median(found)
        hours = sorted((each / sum(sizes) * size / 3600, each / len(sizes) * pages / 3600))
        rows.append(
            (
                name,
                f"{each / len(sizes) * 1e3:.1f}",
                f"{sum(sizes) / each / 1e6:.0f}",
                " to ".join(f"{number:,.0f}" for number in hours),
                " to ".join(f"{number * dollars:,.0f}" for number in hours),
                f"{written[name] / sum(sizes):.1%}" if written[name] else "",
            )
        )
    print(f"{len(sizes)} pages of {sum(sizes) / len(sizes) / 1e3:.0f} kB, {rounds} rounds")
    print(markdown(("", "ms a page", "MB/s", "core-hours", "dollars", "output of HTML"), rows))


if __name__ == "__main__":
    typer.run(main)
