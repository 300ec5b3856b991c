"""Output formats: what becomes of a Document and a mask.

A sink turns one page at a time into bytes, in the worker that cleaned it; the engine puts the bytes one
after the other into what the sink has wrapped around the output. To add a format, write a module with a class
as below and enter it in `SINKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ncleaner.document import Document
from ncleaner.methods import Kept
from ncleaner.page import Page
from ncleaner.sinks.cleaneval import CleanEvalSink
from ncleaner.sinks.compression import COMPRESSIONS, Compressed, Compression
from ncleaner.sinks.jsonl import JsonlSink
from ncleaner.sinks.text import TextSink

__all__ = [
    "COMPRESSED",
    "COMPRESSIONS",
    "SINKS",
    "Compression",
    "Sink",
    "SinkOptions",
    "Writable",
    "make_sink",
]


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """What the user asked of the output.

    Attributes:
        segments: kind, score and offsets, too, in jsonl.
        compression: of the output, in formats that are text.
    """

    segments: bool = False
    compression: Compression | None = None


class Writable(Protocol):
    """What bytes can be written to: a file, a pipe, or what a sink makes of one."""

    def write(self, data: bytes, /) -> object:
        """Takes all of it."""
        ...


class Sink(Protocol):
    """An output format.

    Attributes:
        suffix: of its files, with the dot.
    """

    suffix: str

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """One page as it stands in the output; empty bytes for a page without any clean text that this
        format leaves out. `single` tells that the input is one page, not an archive of many."""
        ...

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """What makes an output of rendered pages; called once for each output, in the parent.

        What is written to it are rendered pages in their order, any number at a time: the bytes that reach
        `out` do not depend on how many. What is still to be written is written on leaving; after an exception
        nothing is. `out` stays open.
        """
        ...


# What few need is loaded when it is asked for.


def _vertical(options: SinkOptions) -> Sink:
    from ncleaner.sinks.vertical import VerticalSink

    return VerticalSink()


def _wet(options: SinkOptions) -> Sink:
    from ncleaner.sinks.wet import WetSink

    return WetSink()


def _parquet(options: SinkOptions) -> Sink:
    from ncleaner.sinks.parquet import ParquetSink

    return ParquetSink()


SINKS: dict[str, Callable[[SinkOptions], Sink]] = {
    "text": lambda options: TextSink(),
    "cleaneval": lambda options: CleanEvalSink(),
    "jsonl": lambda options: JsonlSink(options.segments),
    "vertical": _vertical,
    "wet": _wet,
    "parquet": _parquet,
}

# Formats that compress by themselves.
COMPRESSED = frozenset({"wet", "parquet"})


def make_sink(name: str, options: SinkOptions = SinkOptions()) -> Sink:
    """A sink by its name.

    Raises:
        ValueError: no such format or compression, or the format is compressed already.
        OutputError: the format needs a package that is not installed.
    """
    if name not in SINKS:
        raise ValueError(f"no output format {name!r}: there are {', '.join(SINKS)}")
    if options.compression is None:
        return SINKS[name](options)
    if options.compression not in COMPRESSIONS:
        raise ValueError(f"no compression {options.compression!r}: there are {', '.join(COMPRESSIONS)}")
    if name in COMPRESSED:
        raise ValueError(f"{name} is compressed already: leave {options.compression} out")
    return Compressed(SINKS[name](options), options.compression)
