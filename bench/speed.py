"""Speed beside the bare parser and beside resiliparse, on one core, in one run.

    python bench/speed.py CRAWL.warc.gz [--rounds 7]

Every round runs each step over the whole archive, one after the other in this process; the table gives the
median over the rounds of each step's CPU time as a multiple of *bare*, which is reading the archive with
FastWARC and parsing each page with selectolax. A WARC to measure on is made from any gold directory by
scripts/make_warc.py. Absolute times are not printed: machines differ, ratios less.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from ncleaner import _bound, charset
from ncleaner.archive import read
from ncleaner.cleaner import DEFAULT_MODEL, Cleaner
from ncleaner.model import NGramModel, load_model
from ncleaner.page import Page
from ncleaner.sinks import make_sink


def bodies(archive: Path) -> Iterator[bytes]:
    """HTML bodies, by FastWARC alone."""
    with archive.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            yield record.reader.read()


def reading(archive: Path) -> int:
    """Reading alone, by FastWARC."""
    return sum(len(body) for body in bodies(archive))


def bare(archive: Path) -> int:
    """Reading and parsing, nothing else."""
    count = 0
    for body in bodies(archive):
        LexborHTMLParser(body)
        count += 1
    return count


def our_reading(archive: Path) -> int:
    """`archive.read`."""
    return sum(len(item.body) for item in read(archive) if isinstance(item, Page))


def ours(method: str, model: str = DEFAULT_MODEL) -> Callable[[Path], int]:
    """Archive to jsonl, as a worker does it."""
    cleaner = Cleaner(method, model)
    sink = make_sink("jsonl")

    def step(archive: Path) -> int:
        size = 0
        for item in read(archive):
            if isinstance(item, Page):
                document, kept = cleaner.page(item)
                size += len(sink.render(item, document, kept, False))
        return size

    return step


def decoding(archive: Path) -> int:
    """Reading, decoding and bounding, without parsing."""
    return sum(
        len(_bound.bounded(charset.decode(item.body, item.content_type)[0])[0])
        for item in read(archive)
        if isinstance(item, Page)
    )


def resiliparse(archive: Path) -> int:
    """resiliparse's main content, fed by FastWARC, its own decoding."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    size = 0
    for body in bodies(archive):
        tree = HTMLTree.parse_from_bytes(body, detect_encoding(body) or "utf-8")
        size += len(extract_plain_text(tree, main_content=True))
    return size


def scoring(archive: Path, rounds: int, model: NGramModel) -> float:
    """Median bytes of UTF-8 text per second of CPU time that a model scores."""
    cleaner = Cleaner("everything")
    documents = [cleaner.page(item)[0] for item in read(archive) if isinstance(item, Page)]
    size = sum(len(document.data) for document in documents)
    speeds = []
    for _ in range(rounds):
        start = time.process_time()
        for document in documents:
            model.statistics(document.data, document.segments["start"], document.segments["end"])
        speeds.append(size / (time.process_time() - start))
    return statistics.median(speeds)


def main(
    archive: Annotated[Path, typer.Argument(help="a WARC file")],
    rounds: int = 7,
    without_resiliparse: bool = False,
    scored: Annotated[list[str], typer.Option(help="models to score with, name or file")] = [],  # noqa: B006
    scoring_only: bool = False,
) -> None:
    """Prints the table."""
    steps: dict[str, Callable[[Path], int]] = {
        "bare: FastWARC and selectolax": bare,
        "  of which FastWARC": reading,
        "ncleaner ngram, archive to jsonl": ours("ngram"),
        "ncleaner ngram, a model per page": ours("ngram", "auto"),
        "ncleaner everything, archive to jsonl": ours("everything"),
        "  of which reading": our_reading,
        "  of which reading, decoding, bounding": decoding,
    }
    if not without_resiliparse:
        steps["resiliparse main content"] = resiliparse
    if scoring_only:
        steps = {}
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            start = time.process_time()
            step(archive)
            times[name].append(time.process_time() - start)
    base = times.get("bare: FastWARC and selectolax", [])
    for name, taken in times.items():
        ratios = [mine / its for mine, its in zip(taken, base, strict=True)]
        print(
            f"{name:<40} {statistics.median(ratios):6.2f} × bare   ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    if not (without_resiliparse or scoring_only):
        mine = times["ncleaner ngram, archive to jsonl"]
        faster = [its / ours_ for its, ours_ in zip(times["resiliparse main content"], mine, strict=True)]
        print(f"ncleaner ngram is {statistics.median(faster):.2f} times as fast as resiliparse")
    for name in scored or [DEFAULT_MODEL]:
        speed = scoring(archive, rounds, load_model(name)) / 1e6
        print(f"scoring alone, model {name}: {speed:,.0f} MB of UTF-8 text per second of CPU time")


if __name__ == "__main__":
    typer.run(main)
