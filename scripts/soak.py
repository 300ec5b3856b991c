"""Clean the same archives over and over while processes are killed and stopped, and see that nothing changes.

    python scripts/soak.py CRAWL.warc.gz [MORE…] [--minutes 30] [--copies 20] [--jobs 2] [--seed 1]

Every pass is a run of `ncleaner clean -o` over so many copies of the archives. Every few seconds a process of
it is hit: a worker or the server they are forked from is killed, a worker is stopped, or the run itself is
killed and started again, to resume. When a pass has finished, its outputs are compared with those of a first
pass that nobody disturbed. Prints a line for each pass: what was done to it, pages per second, the largest
resident memory of the run and of its workers in the first and in the last third of the pass, and whether the
outputs are the same. Exit status 1 if they ever are not, or a page was given up that was not before. With
`--every 0` nobody disturbs any pass.

Wants psutil, which the extra `test` brings.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import psutil
import typer

TICK = 0.25


def children(processes: list[psutil.Process]) -> list[psutil.Process]:
    """What these processes have started and is still there."""
    found = []
    for process in processes:
        with suppress(psutil.Error):
            found += process.children()
    return found


def resident(processes: list[psutil.Process]) -> float:
    """Largest resident memory of the processes, in MB."""
    largest = 0.0
    for process in processes:
        with suppress(psutil.Error):
            largest = max(largest, process.memory_info().rss / 1e6)
    return largest


@dataclass
class Pass:
    """What happened in a pass."""

    seconds: float = 0.0
    hits: Counter[str] = field(default_factory=Counter)
    run: list[float] = field(default_factory=list)
    workers: list[float] = field(default_factory=list)
    status: int = 0


class Soak:
    """One set of inputs, and a place for outputs."""

    def __init__(self, source: Path, out: Path, jobs: int, dice: random.Random) -> None:
        self.out = out
        self.command = ["ncleaner", "clean", str(source), "-o", str(out), "-f", "jsonl", "-q", f"-j{jobs}"]
        # a worker that is stopped at a page is found soon
        self.command += ["--max-seconds", "5"]
        self.dice = dice

    def run(self, every: float) -> Pass:
        """A pass, until it has finished; something is hit every so many seconds on average (0: nothing)."""
        done = Pass()
        began = time.monotonic()
        process = subprocess.Popen(self.command)
        until = self._later(every)
        while True:
            time.sleep(TICK)
            if process.poll() is not None:
                if process.returncode != -signal.SIGKILL:
                    break
                process = subprocess.Popen(self.command)
            with suppress(psutil.Error):
                runs = [psutil.Process(process.pid)]
                started = children(runs)
                servers = [each for each in started if "multiprocessing" in " ".join(each.cmdline())]
                workers = [each for each in started if each not in servers] + children(servers)
                done.run.append(resident(runs))
                done.workers.append(resident(workers))
            if time.monotonic() >= until:
                self._hit(runs, servers, workers, done)
                until = self._later(every)
        done.seconds = time.monotonic() - began
        done.status = process.returncode
        return done

    def _later(self, every: float) -> float:
        return time.monotonic() + (self.dice.uniform(0.2, 2 * every) if every else 1e9)

    def _hit(
        self,
        runs: list[psutil.Process],
        servers: list[psutil.Process],
        workers: list[psutil.Process],
        done: Pass,
    ) -> None:
        kind = self.dice.choices(
            ["worker killed", "worker stopped", "server killed", "run killed"], [12, 2, 1, 3]
        )[0]
        among = {"run killed": runs, "server killed": servers}.get(kind, workers)
        if not among:
            return
        with suppress(psutil.Error):
            victim = self.dice.choice(among)
            victim.suspend() if kind == "worker stopped" else victim.kill()
            done.hits[kind] += 1

    def outputs(self) -> str:
        """One hash of all outputs."""
        total = hashlib.sha256()
        for path in sorted(self.out.rglob("*.jsonl")):
            total.update(f"{path.relative_to(self.out)}\n".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
        return total.hexdigest()

    def counts(self) -> tuple[int, int]:
        """Pages, and pages given up, of the manifest's last entry for each input."""
        entries = {}
        for line in (self.out / "_run/manifest.log").read_text().splitlines():
            entry = json.loads(line)
            if "input" in entry:
                entries[entry["input"]] = entry
        return (
            sum(entry["pages"] for entry in entries.values()),
            sum(sum(entry["given_up"].values()) for entry in entries.values()),
        )


def thirds(values: list[float]) -> str:
    """The largest of the first and of the last third."""
    third = max(1, len(values) // 3)
    return f"{max(values[:third]):6.0f} {max(values[-third:]):6.0f}"


def main(
    crawls: Annotated[list[Path], typer.Argument(help="Archives.")],
    minutes: Annotated[float, typer.Option(help="How long, about.")] = 30,
    copies: Annotated[int, typer.Option(help="Copies of the archives in a pass.")] = 20,
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    seed: Annotated[int, typer.Option(help="Of the dice.")] = 1,
    every: Annotated[float, typer.Option(help="Seconds between two hits, on average; 0 for none.")] = 4,
) -> None:
    """Cleans archives on repeat, with processes killed at random."""
    end = time.monotonic() + 60 * minutes
    hits: Counter[str] = Counter()
    bad = passes = 0
    with tempfile.TemporaryDirectory() as work:
        source = Path(work, "in")
        for copy in range(copies):
            folder = source / f"{copy:04}"
            folder.mkdir(parents=True)
            for crawl in crawls:
                (folder / crawl.name).symlink_to(crawl.resolve())
        soak = Soak(source, Path(work, "out"), jobs, random.Random(seed))
        reference, expected = "", (0, 0)
        print("pass   pages/s   run MB: first, last third   worker MB   same   hits", flush=True)
        while not passes or time.monotonic() < end:
            done = soak.run(every if passes else 0)
            found, counts = soak.outputs(), soak.counts()
            if not passes:
                reference, expected = found, counts
            same = found == reference and counts == expected
            bad += not same
            hits += done.hits
            said = ", ".join(f"{kind} {number}" for kind, number in sorted(done.hits.items())) or "none"
            print(
                f"{passes:4} {counts[0] / done.seconds:9.0f}   {thirds(done.run):>24}   "
                f"{thirds(done.workers)}   {'yes' if same else 'NO'}    {said}",
                flush=True,
            )
            passes += 1
            shutil.rmtree(soak.out)
    print(
        f"{passes} passes of {expected[0]:,} pages; {hits.total()} hits "
        f"({', '.join(f'{kind} {number}' for kind, number in sorted(hits.items()))}); "
        f"{expected[1]} pages given up in each pass; {bad} passes with other outputs"
    )
    if bad:
        sys.exit(1)


if __name__ == "__main__":
    typer.run(main)
