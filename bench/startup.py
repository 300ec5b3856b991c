"""What it costs to start: CPU time of whole processes against the libraries that cleaning rests on.

    python -m bench.startup [--rounds N]

Prints for each command the median of its user and system time, and its ratio to `import numpy,
selectolax.lexbor, fastwarc`, measured in turn with it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

PYTHON = [sys.executable, "-c"]
NCLEANER = str(Path(sys.executable).with_name("ncleaner"))
REFERENCE = "import numpy, selectolax.lexbor, fastwarc"
PAGE = "<p>The ferry will sail until the end of May, the harbour board decided on Monday.</p>"
COMMANDS: dict[str, list[str]] = {
    REFERENCE: [*PYTHON, REFERENCE],
    "import ncleaner": [*PYTHON, "import ncleaner"],
    "from ncleaner import Cleaner, pages": [*PYTHON, "from ncleaner import Cleaner, pages"],
    "ncleaner.clean(page)": [*PYTHON, f"import ncleaner; ncleaner.clean({PAGE!r})"],
    "ncleaner --help": [NCLEANER, "--help"],
    "ncleaner clean --help": [NCLEANER, "clean", "--help"],
    "ncleaner models": [NCLEANER, "models"],
}


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: Annotated[int, typer.Option(min=1, help="Rounds to take the median of.")] = 11) -> None:
    """Prints the table."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for round_ in range(rounds + 1):
        for name, command in COMMANDS.items():
            seconds = cpu_seconds(command)
            # the first round fills the caches of the system
            if round_:
                times[name].append(seconds)
    print(f"{'':<44}{'ms':>8}{'ratio':>8}")
    for name, found in times.items():
        ratios = [mine / theirs for mine, theirs in zip(found, times[REFERENCE], strict=True)]
        print(f"{name:<44}{1000 * median(found):>8.0f}{median(ratios):>8.2f}")


if __name__ == "__main__":
    typer.run(main)
