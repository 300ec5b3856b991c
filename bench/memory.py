"""Memory of a worker over many passes of the same archive: the plateau, and whether it is flat.

    python bench/memory.py CRAWL.warc.gz [--passes 10]

Runs `ncleaner clean -j 1` over the archive as often as asked, in one worker process, and prints the largest
resident set seen in each pass of it and of the parent. Linux only: it reads /proc.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer


def resident(pid: int) -> float:
    """Resident set of a process in MB; 0 when it is gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0.0


def children(pid: int) -> list[int]:
    """Processes that a process has started."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def main(archive: Annotated[Path, typer.Argument(help="a WARC file")], passes: int = 10) -> None:
    """Prints one line for each pass."""
    command = [str(Path(sys.executable).with_name("ncleaner")), "clean", "-j", "1", "-q", "-f", "jsonl"]
    process = subprocess.Popen([*command, *[str(archive)] * passes], stdout=subprocess.PIPE)
    assert process.stdout is not None
    # a pass ends when the first page's record comes round again
    first, seen, passed = b"", 0, 0
    workers: list[float] = [0.0]
    parents: list[float] = [0.0]
    since = time.monotonic()
    for line in process.stdout:
        offset = line.split(b'"offset":', 1)[1].split(b",", 1)[0]
        if not first:
            first = offset
        elif offset == first:
            passed += 1
            workers.append(0.0)
            parents.append(0.0)
        seen += 1
        if time.monotonic() - since > 0.01:
            since = time.monotonic()
            workers[-1] = max(workers[-1], *(resident(child) for child in children(process.pid)), 0.0)
            parents[-1] = max(parents[-1], resident(process.pid))
    process.wait()
    for number, (worker, parent) in enumerate(zip(workers, parents, strict=True), 1):
        print(f"pass {number:2}: worker {worker:6.1f} MB, parent {parent:6.1f} MB")
    print(f"{seen} pages in {passed + 1} passes")


if __name__ == "__main__":
    typer.run(main)
