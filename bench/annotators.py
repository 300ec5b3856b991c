"""Simulated annotators: how good a model is after so many pages, and how much there is to correct.

    python -m bench.annotators GOLD_DIR [--seeds 3] [--model nonlexical] [--pages 50]

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. A third of the pages, of sites of their own, are
for testing. On the others an annotator works through the HTTP interface of `ncleaner annotate`, as the web
page does, and answers with the labels of the gold text: once in the order of the queue, once in random order.
Prints the F of words on the test pages of models trained on what is finished after 5, 10, 20, 30 and 50
pages, and for each page how many segments have another label than the guess, beside the number of all.
"""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx2 as httpx
import typer

from ncleaner.errors import TrainingError
from ncleaner.lab.annotating.project import letters_of_runs, open_project
from ncleaner.lab.annotating.server import serving
from ncleaner.lab.annotating.session import Session
from ncleaner.lab.training.annotations import labels_from_alignment
from ncleaner.lab.training.curve import fit
from ncleaner.lab.training.examples import folds
from ncleaner.lab.training.pairs import Pair, read_pairs
from ncleaner.lab.training.validation import cleaned_by, page_figures

MARKS = (5, 10, 20, 30, 50)


class Annotator:
    """Works through the HTTP interface, and knows the labels."""

    def __init__(self, url: str, truth: dict[str, str]) -> None:
        self.truth = truth
        self.client = httpx.Client(
            base_url=url.partition("/?")[0], headers={"Origin": url.partition("/?")[0]}
        )
        self.client.get(url).raise_for_status()

    def get(self, path: str, **query: str) -> Any:
        """Asks for something."""
        return self.client.get(f"/api/{path}", params=query, timeout=120).raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        """Sends something."""
        return self.client.post(f"/api/{path}", json=body, timeout=120).raise_for_status().json()

    def label(self, page: str) -> tuple[int, int, int, int]:
        """Labels a page; returns the numbers of segments, of those kept or dropped against the guess, of
        those with any other label, and of the ranges that they form."""
        found, truth = self.get("page", id=page), self.truth[page]
        guess = found["guess"]
        changes = [(row, letter) for row, letter in enumerate(truth) if letter != guess[row]]
        sides = sum((truth[row] == "o") != (guess[row] == "o") for row, _ in changes)
        ranges = sum(
            number == 0 or changes[number - 1] != (row - 1, letter)
            for number, (row, letter) in enumerate(changes)
        )
        revision = found["revision"]
        if changes:
            revision = self.post("change", id=page, revision=revision, changes=changes, seconds=1)["revision"]
        self.post("finish", id=page, revision=revision, labels=truth, seconds=1)
        return len(truth), sides, len(changes), ranges

    def wait(self) -> None:
        """Waits for what is going on in the background, so that the same seed gives the same figures."""
        while self.get("progress")["learning"]["busy"]:
            time.sleep(0.05)


@dataclass
class Found:
    """Figures of one order, over all seeds."""

    f: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    pages: list[tuple[int, int, int, int, int]] = field(default_factory=list)


def work(
    pool: list[Pair],
    tests: list[Pair],
    gold: Path,
    seed: int,
    queue: bool,
    model: str,
    most: int,
    found: Found,
) -> None:
    """Lets an annotator work in one order."""
    shuffled = [pair.name for pair in pool]
    random.Random(seed).shuffle(shuffled)
    by_name = {pair.name: pair for pair in pool}
    truth = {pair.name: letters_of_runs(pair.document, labels_from_alignment(pair)) for pair in pool}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "raw").mkdir()
        for path in (gold / "raw").iterdir():
            if path.stem in truth:
                shutil.copy(path, Path(folder) / "raw")
        shutil.copy(gold / "manifest.jsonl", folder)
        session = Session(open_project(Path(folder)), "simulated", model=model)
        try:
            with serving(session) as served:
                annotator = Annotator(served.url, truth)
                done: list[str] = []
                while len(done) < min(most, len(pool)):
                    annotator.wait()
                    page = annotator.get("next")["id"] if queue else shuffled[len(done)]
                    found.pages.append((len(done), *annotator.label(page)))
                    done.append(page)
                    if len(done) in MARKS:
                        score = tested([by_name[name] for name in done], tests)
                        if score is not None:
                            found.f[len(done)].append(score)
        finally:
            session.close()


def tested(pairs: list[Pair], tests: list[Pair]) -> float | None:
    """The mean F of words on the test pages; None where no model can be trained."""
    try:
        model = fit(pairs)
    except TrainingError:
        return None
    mask_of = cleaned_by("hybrid", model)
    return statistics.mean(page_figures(pair, mask_of(pair.document))[2] for pair in tests)


def main(
    gold: Annotated[Path, typer.Argument(help="A gold directory.")],
    seeds: int = 3,
    model: Annotated[str, typer.Option(help="The model at the start.")] = "nonlexical",
    pages: Annotated[int, typer.Option(help="Pages that each annotator labels, at most.")] = 50,
) -> None:
    """Compares the order of the queue with a random one."""
    pairs = read_pairs(gold / "raw", gold / "clean")
    both = {"queue": Found(), "random": Found()}
    for seed in range(seeds):
        shuffled = pairs[:]
        random.Random(seed).shuffle(shuffled)
        held_out = set(folds([pair.site for pair in shuffled], 3)[seed % 3])
        tests = [pair for number, pair in enumerate(shuffled) if number in held_out]
        pool = [pair for number, pair in enumerate(shuffled) if number not in held_out]
        for name, found in both.items():
            work(pool, tests, gold, seed, name == "queue", model, pages, found)
    print(f"{gold.name}: {len(pairs)} pages, {seeds} seeds, model at the start: {model}")
    for mark in MARKS:
        cells = []
        for name, found in both.items():
            values = found.f[mark]
            if values:
                spread = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
                cells.append(f"{name} {100 * statistics.mean(values):.1f} ± {100 * spread:.1f}")
        if cells:
            print(f"  F after {mark:2} pages: {', '.join(cells)}")
    for name, found in both.items():
        for first, last in ((0, 9), (10, 19), (20, 49)):
            rows = [row for row in found.pages if first <= row[0] <= last]
            if rows:
                mean = [statistics.mean(row[column] for row in rows) for column in (1, 2, 3, 4)]
                print(
                    f"  {name}, pages {first + 1:2} to {last + 1}: {mean[0]:.1f} segments, {mean[1]:.1f} "
                    f"to keep or drop against the guess, {mean[2]:.1f} with another label, "
                    f"in {mean[3]:.1f} ranges"
                )


if __name__ == "__main__":
    typer.run(main)
