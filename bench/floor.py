"""The floor: an archive read by FastWARC and parsed by selectolax, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

__all__ = ["bodies", "both", "fastwarc", "parsing"]


def bodies(archive: Path) -> Iterator[bytes]:
    """Yields the bodies of all responses."""
    with archive.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            yield record.reader.read()


def both(archive: Path, most: int | None = None) -> float:
    """Reads and parses at most so many responses; returns the CPU time in seconds."""
    start = time.process_time()
    for body in islice(bodies(archive), most):
        LexborHTMLParser(body)
    return time.process_time() - start


def fastwarc(archive: Path, most: int | None = None) -> float:
    """Reads the same, and does not parse; returns the CPU time in seconds."""
    start = time.process_time()
    for _ in islice(bodies(archive), most):
        pass
    return time.process_time() - start


def parsing(archive: Path, most: int | None = None) -> float:
    """Reads and parses, and returns the CPU time of parsing, in seconds; the tree is freed in it."""
    seconds = 0.0
    for body in islice(bodies(archive), most):
        start = time.process_time()
        LexborHTMLParser(body)
        seconds += time.process_time() - start
    return seconds
