"""One step over one archive, in a process of its own: prints its CPU time as JSON.

    python -m bench.child STEP ARCHIVE

STEP is floor, fastwarc, parsing, stages, method:NAME or peer:NAME. The time is that of the loop over the
archive: what is imported, and what is loaded for the first pages, is not in it.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from bench.machine import peak_memory

__all__ = ["WARM_UP", "main"]

#: So many records are read before anything is measured: models are loaded for the first page that needs them.
WARM_UP = 60

Step = Callable[[Path, int | None], float]


def _method(name: str, sites: str | None) -> Step:
    """From archive to jsonl by a method, as a worker does it."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.page import Page
    from ncleaner.reading.archive import read
    from ncleaner.running.tally import Tally
    from ncleaner.sinks.formats import Output

    cleaner, sink, tally = Cleaner(name, sites=sites), Output(format="jsonl").sink(), Tally()

    def step(archive: Path, most: int | None) -> float:
        start = time.process_time()
        for item in islice(read(archive), most):
            if isinstance(item, Page):
                document, kept = cleaner.page(item)
                sink.render(item, document, kept, False)
                tally.add_page(item, document, kept, 0.0)
        return time.process_time() - start

    return step


def _peer(name: str) -> Step:
    """Another program, fed by FastWARC; pages it fails on count with the time they took."""
    from bench.floor import bodies
    from ncleaner.lab.comparing.tools import tool_of
    from ncleaner.page import Page

    extract = tool_of(name).extractor()
    # some log every page that they find strange
    logging.disable(logging.CRITICAL)

    def step(archive: Path, most: int | None) -> float:
        start = time.process_time()
        for body in islice(bodies(archive), most):
            # nobody tells them the language, and the URL decides little; both stay unknown
            try:
                extract(Page(body), "")
            except (KeyboardInterrupt, SystemExit):
                raise
            # a panic in Rust is no Exception
            except BaseException:
                continue
        return time.process_time() - start

    return step


def _step(name: str, sites: str | None) -> Step:
    kind, _, argument = name.partition(":")
    if kind == "method":
        return _method(argument, sites)
    if kind == "peer":
        return _peer(argument)
    from bench import floor

    return {"floor": floor.both, "fastwarc": floor.fastwarc, "parsing": floor.parsing}[kind]


def main(arguments: list[str]) -> None:
    """Runs one step and prints its seconds, or those of its stages, and the peak of memory in bytes."""
    name, archive, *sites = arguments
    if name == "stages":
        from bench.stages import stages

        stages(Path(archive), WARM_UP)
        found = stages(Path(archive))
    else:
        step = _step(name, sites[0] if sites else None)
        step(Path(archive), WARM_UP)
        found = {name: step(Path(archive), None)}
    print(json.dumps({"seconds": found, "peak": peak_memory()}))


if __name__ == "__main__":
    main(sys.argv[1:])
