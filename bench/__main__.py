"""All measurements of speed and memory, side by side.

    python -m bench ARCHIVE... [--only floor,stages,…] [--rounds 5] [--json FILE] [--docs docs/speed.md]
    python -m bench --json FILE --docs docs/speed.md        # only the tables and plots, from earlier results

Every step runs in a process of its own, all steps of a table in every round, the order reversed in every
second one. What is compared is CPU time, except for several workers. `scripts/make_warc.py` makes an archive
of any gold directory. Results of parts that are not measured again stay in FILE.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from bench.machine import BUSY, Watch
from bench.parts import PARTS, SIZES, Task
from bench.processes import FailedError
from bench.report import section_of, written
from bench.results import Part, load, save
from ncleaner.lab.comparing.peers import PEERS


def _names(given: str, known: list[str], option: str) -> list[str]:
    names = [name for name in given.split(",") if name]
    if unknown := [name for name in names if name not in known]:
        raise typer.BadParameter(
            f"there is no {', '.join(unknown)}: there are {', '.join(known)}", param_hint=option
        )
    return names


def main(
    archives: Annotated[
        list[Path] | None, typer.Argument(help="WARC files", exists=True, dir_okay=False)
    ] = None,
    only: Annotated[str, typer.Option(help="parts, with commas between them; all by default")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="of each measurement")] = 5,
    json: Annotated[Path | None, typer.Option(help="file for the results")] = None,
    docs: Annotated[Path | None, typer.Option(help="document whose measured sections are replaced")] = None,
    sample: Annotated[int, typer.Option(min=1, help="pages for slow programs")] = 100,
    peers: Annotated[str, typer.Option(help="other programs, with commas; all that are installed")] = "",
    sites: Annotated[
        Path | None, typer.Option(help="a survey with references, for `site`", exists=True)
    ] = None,
    gold: Annotated[
        list[Path] | None, typer.Option(help="gold directory whose texts are text dumps", exists=True)
    ] = None,
    megabytes: Annotated[
        float, typer.Option(min=0.01, help="of each text, and of the pages of one size")
    ] = 8.0,
    sizes: Annotated[str, typer.Option(help="sizes of pages in bytes, with commas")] = "",
) -> None:
    """Measures, prints the tables, and writes them where asked."""
    load_before = os.getloadavg()[0]
    chosen = _names(only, list(PARTS), "--only") or list(PARTS)
    if archives:
        task = Task(
            tuple(archives),
            rounds,
            sample,
            sites,
            tuple(gold or ()),
            megabytes,
            tuple(int(size) for size in sizes.split(",")) if sizes else SIZES,
            tuple(_names(peers, list(PEERS), "--peers")),
            lambda text: print(f"bench: {text}", file=sys.stderr),
        )
        if load_before > BUSY:
            print(
                f"bench: the load is {load_before:.2f}: other programs disturb the figures", file=sys.stderr
            )
        for name in chosen:
            with Watch(load_before) as watch:
                tables = PARTS[name](task)
            part = Part({**watch.conditions, "rounds": rounds}, tables)
            print(section_of(name, part), end="\n\n", flush=True)
            if json:
                save({name: part}, json)
    elif not (json and docs):
        raise typer.BadParameter("name an archive, or earlier results and a document", param_hint="ARCHIVES")
    if docs:
        if not json:
            raise typer.BadParameter(
                "needs the results of all parts: name their file by --json", param_hint="--docs"
            )
        written(load(json), docs)


if __name__ == "__main__":
    try:
        typer.run(main)
    except (FailedError, ValueError, OSError) as error:
        sys.exit(f"bench: {error}")
