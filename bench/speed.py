"""Speed beside the bare parser and beside resiliparse, on one core, in one run.

    python -m bench.speed CRAWL.warc.gz [--rounds 7]

Every round runs each step over the whole archive, one after the other in this process; the table gives the
median over the rounds of each step's CPU time as a multiple of *bare*, which is reading the archive with
FastWARC and parsing each page with selectolax. A WARC to measure on is made from any gold directory by
scripts/make_warc.py. Absolute times are not printed: machines differ, ratios less.

    python -m bench.speed CRAWL.warc.gz --sample 100 [--tool trafilatura …] [--sample-only] [--rounds 3]

Most other extractors are too slow for whole archives. With --sample, pages at even distances are copied into
an archive of their own, and everything in the second table runs over that one: the programs that `ncleaner
compare` knows and that are installed, fed by FastWARC, and once more bare and ncleaner. Its ratios hold for
these very pages.

    python -m bench.speed CRAWL.warc.gz --all-methods [--sites FILE] [--rounds 5]

A third table has all methods of ncleaner; `site` needs a survey with references.
"""

from __future__ import annotations

import logging
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator as AnyArchiveIterator
from warcio.warcwriter import WARCWriter

from ncleaner.cleaner import Cleaner
from ncleaner.comparing.gold import Wishes
from ncleaner.comparing.peers import PEERS
from ncleaner.comparing.tools import tool_of
from ncleaner.document import _bound
from ncleaner.methods.table import AUTO, DEFAULT_METHOD, METHODS
from ncleaner.modelling.ngrams import NGramModel, load_model
from ncleaner.page import Page
from ncleaner.reading.archive import read
from ncleaner.sinks.choice import make_sink
from ncleaner.text import charset

BARE = "bare: FastWARC and selectolax"
# the one model where a model per page is not wanted
ENGLISH = "en"


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


def ours(method: str, model: str = AUTO, sites: Path | None = None) -> Callable[[Path], int]:
    """Archive to jsonl, as a worker does it."""
    cleaner = Cleaner(method, model, sites=sites)
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


def other(tool: str) -> Callable[[Path], int]:
    """A program of `ncleaner compare`, fed by FastWARC; pages it fails on count with the time they took.

    Raises:
        ImportError: it is not installed.
    """
    extract = tool_of(tool, Wishes()).make()

    def step(archive: Path) -> int:
        size = 0
        for body in bodies(archive):
            # Nobody tells the tools the language, and the URL decides little; both stay unknown.
            try:
                size += len(extract(Page(body), "") or "")
            except (KeyboardInterrupt, SystemExit):
                raise
            # A panic in Rust is no Exception.
            except BaseException:
                continue
        return size

    return step


def sampled(archive: Path, count: int, target: Path) -> int:
    """Copies as many responses as asked, at even distances; returns how many there are."""
    with archive.open("rb") as stream:
        total = sum(
            record.rec_type == "response" for record in AnyArchiveIterator(stream, no_record_parse=True)
        )
    count = min(count, total)
    wanted = {i * total // count for i in range(count)}
    position = 0
    with archive.open("rb") as stream, target.open("wb") as output:
        writer = WARCWriter(output, gzip=True)
        for record in AnyArchiveIterator(stream, no_record_parse=True):
            if record.rec_type == "response":
                if position in wanted:
                    writer.write_record(record)
                position += 1
    return count


def measure(steps: Mapping[str, Callable[[Path], int]], archive: Path, rounds: int) -> dict[str, list[float]]:
    """CPU time of every step in every round."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            start = time.process_time()
            step(archive)
            times[name].append(time.process_time() - start)
    return times


def ratios(times: list[float], base: list[float]) -> list[float]:
    """Round by round."""
    return [mine / its for mine, its in zip(times, base, strict=True)]


def compare_on_sample(archive: Path, count: int, tools: list[str], method: str, rounds: int) -> None:
    """Prints the table of the sample."""
    mine = f"ncleaner {method}, archive to jsonl"
    steps: dict[str, Callable[[Path], int]] = {
        BARE: bare,
        mine: ours(method),
        "ncleaner everything, archive to jsonl": ours("everything"),
    }
    missing = []
    for tool in tools:
        found = tool_of(tool, Wishes())
        title = f"{found.title}, {found.settings}" if found.settings else found.title
        try:
            steps[title] = other(tool)
        except ImportError:
            missing.append(title)
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.warc.gz"
        pages = sampled(archive, count, sample)
        # Some log every page they find strange.
        logging.disable(logging.CRITICAL)
        # What is loaded or compiled at the first page is not measured.
        sampled(sample, 1, Path(folder) / "first.warc.gz")
        measure(steps, Path(folder) / "first.warc.gz", 1)
        times = measure(steps, sample, rounds)
        logging.disable(logging.NOTSET)
    print(f"\n{pages} pages of the archive")
    for name, taken in times.items():
        spread = ratios(taken, times[BARE])
        print(
            f"{name:<40} {statistics.median(spread):8.2f} × bare   ({min(spread):.2f} to {max(spread):.2f})"
            f"   {statistics.median(ratios(taken, times[mine])):8.2f} × ncleaner {method}"
        )
    for title in missing:
        print(f"{title:<40} not installed")


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
    method: Annotated[str, typer.Option(help="what ncleaner decides by")] = DEFAULT_METHOD,
    sample: Annotated[int, typer.Option(help="pages to run other extractors on; none by default")] = 0,
    tool: Annotated[list[str], typer.Option(help="other programs; all by default")] = [],  # noqa: B006
    sample_only: bool = False,
    all_methods: Annotated[bool, typer.Option(help="only the table of all methods")] = False,
    sites: Annotated[Path | None, typer.Option(help="a survey with references, for `site`")] = None,
) -> None:
    """Prints the table."""
    if all_methods:
        every_method(archive, rounds, sites)
        return
    if method not in METHODS:
        raise typer.BadParameter(f"not one of {', '.join(METHODS)}", param_hint="--method")
    if unknown := [name for name in tool if name not in PEERS]:
        raise typer.BadParameter(f"no such tool: {', '.join(unknown)}", param_hint="--tool")
    if sample_only and sample < 1:
        raise typer.BadParameter("goes with --sample", param_hint="--sample-only")
    if not sample_only:
        whole_archive(archive, rounds, method, without_resiliparse, scored, scoring_only)
    if sample > 0:
        compare_on_sample(archive, sample, tool or list(PEERS), method, rounds)


def every_method(archive: Path, rounds: int, sites: Path | None) -> None:
    """Prints the table of all methods."""
    steps: dict[str, Callable[[Path], int]] = {BARE: bare}
    for name, entry in METHODS.items():
        if sites is not None or not entry.needs_references:
            steps[name] = ours(name, sites=sites if entry.needs_references else None)
    # what is loaded at the first page is not measured
    with tempfile.TemporaryDirectory() as folder:
        sampled(archive, 1, Path(folder) / "first.warc.gz")
        measure(steps, Path(folder) / "first.warc.gz", 1)
    for name, taken in (times := measure(steps, archive, rounds)).items():
        spread = ratios(taken, times[BARE])
        print(
            f"{name:<30} {statistics.median(spread):6.2f} × bare   ({min(spread):.2f} to {max(spread):.2f})"
        )


def whole_archive(
    archive: Path, rounds: int, method: str, without_resiliparse: bool, scored: list[str], scoring_only: bool
) -> None:
    """Prints the table of the whole archive, and the speed of scoring."""
    mine = f"ncleaner {method}, archive to jsonl"
    steps: dict[str, Callable[[Path], int]] = {
        BARE: bare,
        "  of which FastWARC": reading,
        mine: ours(method),
    }
    if METHODS[method].by_language:
        steps[f"ncleaner {method}, one model for all pages"] = ours(method, ENGLISH)
    steps |= {
        "ncleaner everything, archive to jsonl": ours("everything"),
        "  of which reading": our_reading,
        "  of which reading, decoding, bounding": decoding,
    }
    if not without_resiliparse:
        steps["resiliparse main content"] = other("resiliparse")
    if scoring_only:
        steps = {}
    times = measure(steps, archive, rounds)
    base = times.get(BARE, [])
    for name, taken in times.items():
        spread = ratios(taken, base)
        print(
            f"{name:<40} {statistics.median(spread):6.2f} × bare   ({min(spread):.2f} to {max(spread):.2f})"
        )
    if not (without_resiliparse or scoring_only):
        faster = ratios(times["resiliparse main content"], times[mine])
        print(f"ncleaner {method} is {statistics.median(faster):.2f} times as fast as resiliparse")
    for name in scored or [ENGLISH]:
        speed = scoring(archive, rounds, load_model(name)) / 1e6
        print(f"scoring alone, model {name}: {speed:,.0f} MB of UTF-8 text per second of CPU time")


if __name__ == "__main__":
    typer.run(main)
