"""Output formats: what becomes of a Document and a mask.

A sink turns one page at a time into bytes, in the worker that cleaned it; the engine puts the bytes one
after the other into the output. To add a format, write a module with a class as below and enter it in
`SINKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ncleaner.document import Document
from ncleaner.methods import Kept
from ncleaner.page import Page
from ncleaner.sinks.cleaneval import CleanEvalSink
from ncleaner.sinks.jsonl import JsonlSink
from ncleaner.sinks.text import TextSink

__all__ = ["SINKS", "Sink", "SinkOptions", "make_sink"]


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """What the user asked of the output. `segments`: kind, score and offsets too, where the format can."""

    segments: bool = False


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


SINKS: dict[str, Callable[[SinkOptions], Sink]] = {
    "text": lambda options: TextSink(),
    "cleaneval": lambda options: CleanEvalSink(),
    "jsonl": lambda options: JsonlSink(options.segments),
}


def make_sink(name: str, options: SinkOptions = SinkOptions()) -> Sink:
    """A sink by its name.

    Raises:
        ValueError: no such format.
    """
    if name not in SINKS:
        raise ValueError(f"no output format {name!r}: there are {', '.join(SINKS)}")
    return SINKS[name](options)
