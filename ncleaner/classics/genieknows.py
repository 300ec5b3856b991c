"""GenieKnows: semantic blocks by a weighted average of their features (Gao and Abou-Assaleh 2007).

W. Gao and T. Abou-Assaleh, "GenieKnows Web Page Cleaning System" (WAC-3, 2007), as V. Baisa's thesis (2009,
section 1.2) describes it: a page is divided into semantic blocks (header, menu, article, …) by its tree and
its look; each block gets a relevance, the weighted average of features of its position, its font, its length
relative to the page, its links and its sentences; relations to other blocks count as well; blocks of high
relevance are kept, rather too many than too few, and a cell of a table is an item of a list.

The weights and the features of the look are not published, and a page is not rendered here. So the position
is the place in reading order, large type means headings, and the relation is to the blocks next to it. The
weights are round numbers that were found on CleanEval's development set.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.classics.punctuation import count_ends
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CODE
from ncleaner.methods.baselines import kept_whole
from ncleaner.options import option

# The elements that lay a page out.
_LAYOUT = [
    CODE[name]
    for name in "html body div td th section article aside header footer nav main form fieldset ul ol".split()
]
_CELLS = [CODE["td"], CODE["th"]]
_ORDINARY_SENTENCES = 3.0


def innermost(document: Document, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The innermost wanted element around each segment, -1 without one: shape (segments,).

    Args:
        document: the page.
        wanted: shape (elements,): which elements are wanted.
    """
    chosen = wanted.tolist()
    around: list[int] = []
    for row, parent in enumerate(document.elements["parent"].tolist()):
        around.append(row if chosen[row] else around[parent] if parent >= 0 else -1)
    # the last value is for segments without an element
    found: npt.NDArray[np.int64] = np.array([*around, -1], np.int64)[document.segments["element"]]
    return found


def semantic_blocks(document: Document) -> npt.NDArray[np.int64]:
    """The semantic block of each segment, as the index of its innermost element of the layout: shape
    (segments,).

    Blocks are these elements; -1 is for segments outside of them.
    """
    return innermost(document, np.isin(document.elements["tag"], _LAYOUT))


@dataclass(frozen=True)
class GenieKnows:
    """Keeps the blocks of high relevance. Its scores are the relevance less the threshold, from -1 to 1.
    Plain text has no elements and is kept whole."""

    length: float = option(1.0, "weight of the length of a block, relative to the longest one", low=0)
    links: float = option(2.0, "weight of the text outside of links", low=0)
    sentences: float = option(1.0, "weight of the sentences in a block", low=0)
    position: float = option(0.5, "weight of the place of a block, 0 at the ends of the page", low=0)
    font: float = option(0.25, "weight of headings", low=0)
    neighbours: float = option(0.5, "weight of the blocks before and after, in relevance", low=0)
    threshold: float = option(0.5, "relevance from which a block is kept", low=0, high=1)

    name = "genieknows"

    def keep(self, document: Document) -> Kept:
        """Decides with scores. Cells of tables are items of lists."""
        if not len(document.elements) or not len(document):
            return kept_whole(document)
        blocks = semantic_blocks(document)
        _, owners = np.unique(blocks, return_inverse=True)
        relevance = self.relevance(document, owners)
        scores = relevance[owners] - self.threshold
        marks = document.segments["kind"].copy()
        cells = np.isin(document.elements["tag"][np.maximum(blocks, 0)], _CELLS) & (blocks >= 0)
        marks[cells & (marks == ord("p"))] = ord("l")
        return Kept(document.readable & (scores >= 0), scores, marks=marks)

    def relevance(self, document: Document, owners: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """The relevance of each block, from 0 to 1.

        Args:
            document: the page.
            owners: shape (segments,): the block of each segment, from 0.
        """
        table = document.segments

        def total(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
            return np.bincount(owners, values).astype(np.float64)

        chars, words = total(table["chars"]), total(table["words"])
        characters = np.maximum(chars, 1)
        places = (np.arange(len(table)) + 0.5) / len(table)
        centre = total(places * table["chars"]) / characters
        features = [
            (self.length, np.sqrt(words / max(words.max(), 1))),
            (self.links, 1 - total(table["link_chars"]) / characters),
            (
                self.sentences,
                np.minimum(
                    total(count_ends(document.data, table["start"], table["end"])) / _ORDINARY_SENTENCES, 1
                ),
            ),
            (self.position, 1 - np.abs(2 * centre - 1)),
            (self.font, total((table["kind"] == ord("h")) * table["chars"]) / characters),
        ]
        whole = sum(weight for weight, _ in features)
        own: npt.NDArray[np.float64] = sum(
            (weight * values for weight, values in features), np.zeros(len(chars))
        ) / max(whole, 1e-9)
        # the blocks next to it in reading order, by their first segments
        first = np.full(len(own), len(table))
        np.minimum.at(first, owners, np.arange(len(table)))
        order = np.argsort(first, kind="stable")
        line = own[order]
        beside = (np.concatenate((line[:1], line[:-1])) + np.concatenate((line[1:], line[-1:]))) / 2
        related = np.empty_like(own)
        related[order] = beside
        return (own + self.neighbours * related) / (1 + self.neighbours)
