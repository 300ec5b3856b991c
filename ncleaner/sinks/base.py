"""What an output format is."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from ncleaner.document import Document
    from ncleaner.document.kept import Kept
    from ncleaner.page import Page

__all__ = ["Compression", "Format", "Need", "Sink", "SinkOptions", "Writable"]

Need = Literal["language"]
"""What a format may need of each page: its language in `Kept.remarks`, also where no model was chosen by
it."""

Compression = Literal["gz", "zst"]
"""How an output that is text may be compressed."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What the table of formats says of one.

    Attributes:
        path: `module:class` of the sink, which takes `SinkOptions`; it is imported when the format is asked
            for.
        compresses: its files are compressed by themselves.
    """

    path: str
    compresses: bool = False


class Sink(Protocol):
    """An output format.

    Attributes:
        suffix: of its files, with the dot.
        needs: what has to be found of each page for this format, as it costs time and others do without.
    """

    suffix: str
    needs: frozenset[Need]

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
