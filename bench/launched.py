"""The command `ncleaner`, and what it took: CPU time and peak memory of the parent and its workers.

    python -m bench.launched REPORT ARGUMENT...

At the end it writes to the file REPORT: seconds of the parent, of its workers, peak of the parent, and
of the largest worker, both in bytes.
"""

from __future__ import annotations

import atexit
import os
import resource
import sys
from pathlib import Path

from bench.machine import peak_memory


def _report(path: str, process: int) -> None:
    # workers are forked, and are no parents
    if os.getpid() != process:
        return
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    with Path(path).open("w", encoding="ascii") as file:
        print(own.ru_utime + own.ru_stime, workers.ru_utime + workers.ru_stime, file=file)
        print(peak_memory(), workers.ru_maxrss * 1024, file=file)


def main() -> None:
    """Runs the command with the rest of the arguments."""
    from ncleaner.cli.app import main as run

    atexit.register(_report, sys.argv[1], os.getpid())
    sys.argv = ["ncleaner", *sys.argv[2:]]
    run()


if __name__ == "__main__":
    main()
