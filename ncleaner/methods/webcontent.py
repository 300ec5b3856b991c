"""WC Cleaner for a single page: the densest block with most of the text (Baisa 2009).

V. Baisa, "Web Content Cleaning" (master's thesis, Masaryk University, 2009), section 2.3: the density of an
element is

    number of characters inside / number of structural elements inside.

Algorithm 1 begins at <body>, takes the child with the highest density, and goes on into it while it holds
more than half of the characters of the element; the last element is the target node. Section 2.5: the
headings and the items of lists in the target node are those that their tags name, everything else is a
paragraph.

Where the thesis is silent: an element counts as inside itself, so that no density is a division by zero; the
structural elements are the blocks of the Document and the line breaks inside its segments; characters are
counted without white space. Inline elements are no candidates: the Document has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CODE, FORM, HEADING
from ncleaner.methods.base import parameter
from ncleaner.methods.everything import kept_whole

__all__ = ["WebContent", "densities", "marks_of", "target_node"]

_BODY, _ITEM = CODE["body"], CODE["li"]
_HEADINGS = [CODE[name] for name, form in FORM.items() if form == HEADING]


def densities(document: Document) -> npt.NDArray[np.float64]:
    """The density of each element (section 2.3): shape (elements,), characters for each structural
    element."""
    elements = document.elements
    breaks = np.zeros(len(document.runs), np.int64)
    breaks[document.segments["last_run"]] = document.segments["breaks"]
    # elements are in document order, so those inside an element are the rows behind it that begin before its
    # end
    depth = elements["depth"].astype(np.int64)
    sizes = np.ones(len(elements), np.int64)
    for level in range(int(depth.max(initial=0)), 0, -1):
        rows = np.flatnonzero(depth == level)
        np.add.at(sizes, elements["parent"][rows], sizes[rows])
    found: npt.NDArray[np.float64] = elements["chars"] / (sizes + document.sums(breaks))
    return found


def target_node(document: Document, share: float = 0.5) -> int:
    """The target node (algorithm 1).

    Args:
        document: the page.
        share: the part of an element's characters that its densest child must hold more than.

    Raises:
        ValueError: the document has no elements.
    """
    elements, density = document.elements, densities(document)
    node = int(np.argmax(elements["tag"] == _BODY))
    while True:
        children = np.flatnonzero(elements["parent"] == node)
        if not len(children):
            return node
        densest = int(children[np.argmax(density[children])])
        if elements["chars"][densest] <= share * elements["chars"][node]:
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
        if not self.sparse and densities(document)[node] < self.sparse_density:
            mask = np.zeros_like(mask)
        marks = marks_of(document)
        if self.title:
            headings = np.flatnonzero(document.visible & (marks == ord("h")))
            mask[headings[:1]] = True
        return Kept(mask, marks=marks)


def marks_of(document: Document) -> npt.NDArray[np.uint8]:
    """The kind of each segment by its tags alone (section 2.5): shape (segments,), ASCII codes."""
    elements = document.elements
    own = np.full(len(elements), ord("p"), np.uint8)
    own[elements["tag"] == _ITEM] = ord("l")
    own[np.isin(elements["tag"], _HEADINGS)] = ord("h")
    # a paragraph inside an item is the item
    for row, parent in enumerate(elements["parent"].tolist()):
        if parent >= 0 and own[row] == ord("p") and own[parent] != ord("p"):
            own[row] = own[parent]
    owners = document.segments["element"]
    return np.where(owners >= 0, own[owners], np.uint8(ord("p")))
