"""WC Cleaner for a single page: the densest block with most of the text (Baisa 2009).

V. Baisa, "Web Content Cleaning" (master's thesis, Masaryk University, 2009), section 2.3: the density of an
element is

    number of characters inside / number of structural elements inside.

Algorithm 1 begins at <body>, takes the child with the highest density, and goes on into it while it holds
more than half of the characters of the element; the last element is the target node. Section 2.5: the
headings and the items of lists in the target node are those that their tags name, everything else is a
paragraph.

Characters are counted in texts with a printable one, with the white space inside but not around them, as the
thesis counts them. Where it is silent: the structural elements are the blocks of the Document and the line
breaks inside its segments; those inside an element do not include itself; an element without any has no
density and is not entered. Inline elements are not candidates: the Document has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import run_chars
from ncleaner.document.tags import CODE, FORM, HEADING, TAGS
from ncleaner.methods.base import parameter
from ncleaner.methods.baselines import kept_whole

__all__ = ["WebContent", "densities", "marks_of", "target_node"]

_BODY = CODE["body"]
# The kinds that tags name, by the codes of the tags.
_NAMED = np.zeros(len(TAGS), np.uint8)
_NAMED[CODE["li"]] = ord("l")
_NAMED[[CODE[name] for name, form in FORM.items() if form == HEADING]] = ord("h")


def _inside(document: Document) -> npt.NDArray[np.int64]:
    """The structural elements inside each element: shape (elements,)."""
    breaks = np.zeros(len(document.runs), np.int64)
    breaks[document.segments["last_run"]] = document.segments["breaks"]
    parents = document.elements["parent"].tolist()
    inside = [0] * len(parents)
    # children come after their parent
    for row in range(len(parents) - 1, -1, -1):
        if parents[row] >= 0:
            inside[parents[row]] += inside[row] + 1
    found: npt.NDArray[np.int64] = np.array(inside, np.int64) + document.sums(breaks)
    return found


def densities(document: Document) -> npt.NDArray[np.float64]:
    """The density of each element (section 2.3): shape (elements,), characters for each structural element
    inside; 0 for an element without any."""
    return _densities(document, document.sums(run_chars(document)))


def _densities(document: Document, chars: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    inside = _inside(document)
    return np.divide(chars, inside, out=np.zeros(len(inside)), where=inside > 0)


def target_node(document: Document, share: float = 0.5) -> int:
    """The target node (algorithm 1).

    Args:
        document: the page.
        share: the part of an element's characters that its densest child must hold more than.

    Raises:
        ValueError: the document has no elements.
    """
    chars = document.sums(run_chars(document))
    density, parents = _densities(document, chars), document.elements["parent"]
    node = int(np.argmax(document.elements["tag"] == _BODY))
    while True:
        children = np.flatnonzero(parents == node)
        if not len(children):
            return node
        densest = int(children[np.argmax(density[children])])
        if not density[densest] or chars[densest] <= share * chars[node]:
            return node
        node = densest


@dataclass(frozen=True)
class WebContent:
    """Keeps the target node. It has no scores. Plain text has no elements and is kept whole."""

    share: float = parameter(0.5, "go into the densest child with more than this share of the text", 0, 1)
    sparse: bool = parameter(True, "keep pages whose target node is sparse: tables, lists (-r keeps none)")
    sparse_density: float = parameter(10.0, "density below which a target node is sparse", 0)
    title: bool = parameter(False, "keep the first heading of the page, too (-t)")

    name = "webcontent"

    def keep(self, document: Document) -> Kept:
        """Keeps the visible segments of the target node, with the kinds that their tags name."""
        if not len(document.elements):
            return kept_whole(document)
        node = target_node(document, self.share)
        first, last = (document.elements[node][name] for name in ("first_run", "last_run"))
        runs = document.segments["first_run"]
        mask = document.visible & (runs >= first) & (runs < last)
        if not self.sparse and 0 < densities(document)[node] < self.sparse_density:
            mask = np.zeros_like(mask)
        marks = marks_of(document)
        if self.title:
            headings = np.flatnonzero(document.visible & (marks == ord("h")))
            mask[headings[:1]] = True
        return Kept(mask, marks=marks)


def marks_of(document: Document) -> npt.NDArray[np.uint8]:
    """The kind of each segment by its tags alone (section 2.5): shape (segments,), ASCII codes."""
    elements = document.elements
    marks = np.full(len(document), ord("p"), np.uint8)
    places = document.segments["first_run"]
    marked = np.flatnonzero(_NAMED[elements["tag"]])
    codes = _NAMED[elements["tag"][marked]]
    first, last = (np.searchsorted(places, elements[name][marked]) for name in ("first_run", "last_run"))
    # in document order, so that the inner ones win; a paragraph inside an item is the item
    for code, begin, end in zip(codes.tolist(), first.tolist(), last.tolist(), strict=True):
        marks[begin:end] = code
    return marks
