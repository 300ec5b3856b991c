"""The segments of a page as formats with tags write them: elements, and sentences in them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ncleaner.document import Document
from ncleaner.document._kept import cells_of
from ncleaner.document.kept import Kept
from ncleaner.errors import OutputError

__all__ = ["CELL", "Element", "elements_of", "require_splitter", "sentences_in"]

CELL = "cell"
_ITEM = ord("l")


class Element(NamedTuple):
    """A kept segment.

    Attributes:
        name: `p`, `h`, `l` or `cell`, a cell of a table that is no item of a list in it.
        text: its text.
        cell, row: the cell of a table and its row, as rows of `Document.elements`; -1 outside.
    """

    name: str
    text: str
    cell: int = -1
    row: int = -1


def elements_of(document: Document, kept: Kept) -> Iterator[Element]:
    """Yields the kept segments of a page."""
    rows = np.flatnonzero(kept.mask)
    marks = kept.marks_of(document)[rows].tolist()
    table = document.segments
    starts, ends = table["start"][rows].tolist(), table["end"][rows].tolist()
    cells = cells_of(document.tables)[rows].tolist()
    data = document.data
    for mark, start, end, cell in zip(marks, starts, ends, cells, strict=True):
        text = data[start:end].decode()
        if cell >= 0 and mark == _ITEM:
            yield Element(CELL, text, cell, int(document.elements["parent"][cell]))
        else:
            yield Element(chr(mark), text)


def require_splitter() -> None:
    """Raises OutputError: the splitter of sentences is not installed."""
    if importlib.util.find_spec("sentencex") is None:
        raise OutputError("--sentences needs sentencex: pip install 'ncleaner[sentences]'")


def sentences_in(text: str, language: str) -> Sequence[str]:
    """Returns the sentences of a segment, without white space around them.

    sentencex (Wikimedia) knows the abbreviations of many languages, and takes the rules of a related one, or
    those of English, for all others.

    Args:
        text: of the segment.
        language: ISO 639-1 or 639-3; empty if it is unknown.
    """
    from sentencex import segment  # type: ignore[import-untyped]

    found = [sentence.strip() for sentence in segment(language or "en", text)]
    return [sentence for sentence in found if sentence]
