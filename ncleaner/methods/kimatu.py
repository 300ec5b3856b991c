"""Kimatu: sure blocks by ratios, then the blocks that belong to them (Saralegi and Leturia 2007).

X. Saralegi and I. Leturia, "Kimatu, a tool for cleaning non-content text parts from HTML docs" (WAC-3, 2007).
A block is a set of text elements of the same look that are near one another (section 3.2). Each block has a
relevance (section 3.3),

    0.5 length + 0.5 average length - (1 - punctuation) - link density,

and seven steps decide (section 3.4), each a function of this module: `find_blocks`, `are_sure`,
`are_functions`, `are_quotes`, `same_style`, `are_dispersed`, `are_near`. `marks_of` chooses the output tags.

A text element is a segment, its look the tag and class of its block and of the block around it, with the
inline elements around its text. The paper gives the two thresholds of relevance that are parameters here; it
keeps its other constants to itself. Those below are round numbers that were found on CleanEval's development
set; distances are in segments.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CODE, CONTEXT_BIT, FORM, HEADING
from ncleaner.methods.base import parameter
from ncleaner.methods.everything import kept_whole
from ncleaner.text.sentences import is_final, phrase_marks

__all__ = [
    "Block", "Kimatu", "are_dispersed", "are_functions", "are_near", "are_quotes", "are_sure", "find_blocks",
    "marks_of", "same_style",
]  # fmt: skip

# Ratios: an average length (in words) that is as long as needed, punctuation marks for each word of prose,
# links for each element that are too many.
_LONG = 40.0
_PROSE = 0.06
_LINKED = 3.0
# Function blocks: most words of an element, fewest elements, and the share of their words that are common.
_SHORT = 8.0
_SEVERAL = 3
_COMMON = 0.5
# Quotes: fewest words, the share of a quote that is in the block before, and the share of a style that is
# quotes.
_QUOTE = 8
_QUOTED = 0.8
_MOSTLY = 0.5
# The longest text that is compared, in words: the time of a comparison is their product over 64.
_COMPARED = 2_000
# With so many references, the largest ones, each block is compared.
_REFERENCES = 20
# Dispersed candidates are this many times as far from the next one as usual.
_FAR = 4.0
# Headings are no longer than this, in words.
_HEADING = 15

_ITEM = CODE["li"]
_LINK = 1 << CONTEXT_BIT["a"]
_HEADINGS = [CODE[name] for name, form in FORM.items() if form == HEADING]


@dataclass(frozen=True, slots=True)
class Block:
    """Text elements of one look, near one another.

    Attributes:
        rows: the segments, in reading order.
        style: stands for the look.
        words: for each segment its words, in lower case.
        relevance: the content-relevance ratio, at most 1.
    """

    rows: tuple[int, ...]
    style: int
    words: tuple[tuple[str, ...], ...]
    relevance: float

    @property
    def size(self) -> int:
        """Number of words."""
        return sum(map(len, self.words))


def _styles(document: Document) -> list[int]:
    """A number for the look of each visible segment, -1 for the others."""
    elements, runs, table = document.elements, document.runs, document.segments
    own = elements["style"].astype(np.uint64)
    above = np.where(elements["parent"] >= 0, own[elements["parent"]], 0)
    looks = np.append(own * np.uint64(1_000_003) ^ above, np.uint64(0))[table["element"]]
    # the inline elements that are around the whole segment
    inline = np.bitwise_and.reduceat(runs["context"], table["first_run"])
    _, numbers = np.unique(looks * np.uint64(8_191) + inline, return_inverse=True)
    return np.where(document.visible, numbers, -1).tolist()  # type: ignore[no-any-return]


def find_blocks(document: Document, distance: int = 8) -> list[Block]:
    """Step 1: the blocks, and their relevance (sections 3.2 and 3.3).

    Args:
        document: the page.
        distance: most segments between two of a block.
    """
    groups: list[list[int]] = []
    last: dict[int, int] = {}
    styles = _styles(document)
    for row, style in enumerate(styles):
        if style < 0:
            continue
        group = last.get(style)
        if group is None or row - groups[group][-1] > distance:
            last[style] = len(groups)
            groups.append([])
        groups[last[style]].append(row)
    if not groups:
        return []
    table = document.segments
    owner = np.full(len(document), len(groups))
    for number, rows in enumerate(groups):
        owner[rows] = number
    runs = document.runs
    linked = runs["context"] & _LINK != 0
    # a link may have several runs
    begins = linked & ~np.append(False, linked[:-1] & (runs["segment"][1:] == runs["segment"][:-1]))
    links = np.bincount(runs["segment"], begins, minlength=len(document))

    def total(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return np.bincount(owner, values, minlength=len(groups))[: len(groups)].astype(np.float64)

    elements, words = total(np.ones(len(document))), total(table["words"])
    average = words / elements
    relevance = (
        0.5 * words / max(words.max(), 1)
        + 0.5 * np.minimum(average / max(min(average.max(), _LONG), 1.0), 1)
        - (
            1
            - np.minimum(
                total(phrase_marks(document.data, table["start"], table["end"]))
                / np.maximum(words, 1)
                / _PROSE,
                1,
            )
        )
        - np.minimum(total(links) / elements / _LINKED, 1)
    )
    texts = [tuple(text.lower().split()) for text in document.texts]
    return [
        Block(tuple(rows), styles[rows[0]], tuple(texts[row] for row in rows), value)
        for rows, value in zip(groups, relevance.tolist(), strict=True)
    ]


def are_sure(blocks: Sequence[Block], threshold: float = 0.32) -> list[bool]:
    """Step 2: the blocks whose relevance is above the threshold, the references of the other steps."""
    return [block.relevance > threshold for block in blocks]


def are_functions(blocks: Sequence[Block]) -> list[bool]:
    """Step 3: the blocks of several short elements that share most of their words, such as "posted by X"."""
    found = []
    for block in blocks:
        if len(block.rows) < _SEVERAL or block.size > _SHORT * len(block.rows):
            found.append(False)
            continue
        elements = [set(words) for words in block.words]
        common = Counter(word for words in elements for word in words)
        shared = sum(
            sum(2 * common[word] > len(elements) for word in words) / len(words) for words in elements
        )
        found.append(shared / len(elements) >= _COMMON)
    return found


def longest_common(text: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence of two sequences of words, by the bits of whole numbers
    (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(text):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(text)) - 1
    row = whole
    for word in other:
        found = row & places.get(word, 0)
        row = (row + found | row - found) & whole
    return len(text) - row.bit_count()


def are_quotes(blocks: Sequence[Block], references: Sequence[bool]) -> list[bool]:
    """Step 4: the blocks of a style of which most are in a reference block before them, word for word.

    A block is a quote if the longest common subsequence of the words of the two is most of it.
    """
    texts = [[word for words in block.words for word in words][:_COMPARED] for block in blocks]
    largest = sorted(
        (number for number, sure in enumerate(references) if sure), key=lambda number: -blocks[number].size
    )[:_REFERENCES]
    quotes = [False] * len(blocks)
    styles: defaultdict[int, list[int]] = defaultdict(list)
    before: list[tuple[int, set[str]]] = []
    for number, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        if len(text) >= _QUOTE:
            styles[block.style].append(number)
            own, need = set(text), _QUOTED * len(text)
            quotes[number] = any(
                blocks[other].style != block.style
                # each word that is missing there shortens the subsequence
                and len(own - words) <= len(text) - need
                and longest_common(text, texts[other]) >= need
                for other, words in before
            )
        if number in largest:
            before.append((number, set(text)))
    return [
        bool(styles[block.style])
        and sum(quotes[number] for number in styles[block.style]) > _MOSTLY * len(styles[block.style])
        for block in blocks
    ]


def _gaps(block: Block, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Segments from each row of a block to the nearest of other rows, which are sorted and not empty."""
    own = np.array(block.rows)
    behind = np.searchsorted(rows, own)
    after = rows[np.minimum(behind, len(rows) - 1)]
    before = rows[np.maximum(behind - 1, 0)]
    gaps: npt.NDArray[np.int64] = np.minimum(np.abs(after - own), np.abs(own - before))
    return gaps


def same_style(
    blocks: Sequence[Block], references: Sequence[bool], ratio: float = 0.1, distance: int = 40
) -> list[bool]:
    """Step 5: the blocks of the style of a reference near it, whose relevance is more than `ratio` of its
    relevance."""
    of_style: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for block, sure in zip(blocks, references, strict=True):
        if sure:
            of_style[block.style] += [(row, block.relevance) for row in block.rows]
    known = {style: (np.array([row for row, _ in rows]), rows) for style, rows in of_style.items()}
    found = []
    for block, sure in zip(blocks, references, strict=True):
        rescued = False
        if not sure and block.style in known:
            rows, pairs = known[block.style]
            nearest = min(int(np.searchsorted(rows, block.rows[0])), len(rows) - 1)
            near = int(_gaps(block, rows).min()) <= distance
            rescued = near and block.relevance > ratio * pairs[nearest][1]
        found.append(rescued)
    return found


def are_dispersed(blocks: Sequence[Block], candidates: Sequence[bool], high: float = 0.5) -> list[bool]:
    """Step 6: the candidates whose distance to the nearest other one is far above the geometric mean of these
    distances, unless their relevance is above `high`."""
    rows = sorted(
        (row, number) for number, found in enumerate(candidates) if found for row in blocks[number].rows
    )
    gaps: dict[int, int] = {}
    # the nearest row of another block is next to a row of the block
    for (row, number), (after, other) in pairwise(rows):
        if number != other:
            for one in (number, other):
                gaps[one] = min(gaps.get(one, after - row), after - row)
    mean = float(np.exp(np.mean(np.log(list(gaps.values()))))) if gaps else 0.0
    return [
        number in gaps and gaps[number] > _FAR * mean and block.relevance <= high
        for number, block in enumerate(blocks)
    ]


def are_near(
    blocks: Sequence[Block], candidates: Sequence[bool], relevance: float = -1.0, distance: int = 2
) -> list[bool]:
    """Step 7: the blocks next to a candidate that have a least relevance, such as headings."""
    rows = np.array(
        sorted(row for number, found in enumerate(candidates) if found for row in blocks[number].rows)
    )
    return [
        bool(len(rows))
        and not found
        and block.relevance >= relevance
        and int(_gaps(block, rows).min()) <= distance
        for block, found in zip(blocks, candidates, strict=True)
    ]


def marks_of(document: Document) -> npt.NDArray[np.uint8]:
    """The output tag of each segment, from its source tag, its punctuation and its length: shape
    (segments,)."""
    marks = np.full(len(document), ord("p"), np.uint8)
    elements, owners = document.elements, document.segments["element"]
    tags = np.append(elements["tag"], np.uint16(0))[owners]
    bold = np.bitwise_and.reduceat(document.runs["context"], document.segments["first_run"])
    emphasis = 1 << CONTEXT_BIT["b"] | 1 << CONTEXT_BIT["strong"]
    short = document.segments["words"] <= _HEADING
    for row in np.flatnonzero(short & (bold & emphasis != 0)).tolist():
        start, end = document.segments[["start", "end"]][row].tolist()
        if not is_final(document.data[start:end].decode()):
            marks[row] = ord("h")
    marks[tags == _ITEM] = ord("l")
    marks[np.isin(tags, _HEADINGS)] = ord("h")
    return marks


def _with(found: Sequence[bool], more: Sequence[bool]) -> list[bool]:
    return [a or b for a, b in zip(found, more, strict=True)]


def _without(found: Sequence[bool], less: Sequence[bool]) -> list[bool]:
    return [a and not b for a, b in zip(found, less, strict=True)]


@dataclass(frozen=True)
class Kimatu:
    """Keeps the blocks that the seven steps leave. Its scores are the relevance of each segment's block.
    Plain text has no look and is kept whole."""

    sure: float = parameter(0.32, "relevance above which a block is surely content", -2, 1)
    ratio: float = parameter(0.1, "relevance of a dispersed block, relative to one of the same style", 0, 1)
    high: float = parameter(0.5, "relevance above which a block stays, however far from the others", -2, 1)
    near: float = parameter(-1.0, "least relevance of a block next to content", -2, 1)
    distance: int = parameter(8, "most segments between two of a block", 1)

    name = "kimatu"

    def keep(self, document: Document) -> Kept:
        """Decides with scores; the kinds of segments are the output tags of the paper."""
        if not len(document.elements) or not len(document):
            return kept_whole(document)
        blocks = find_blocks(document, self.distance)
        candidates = are_sure(blocks, self.sure)
        banned = [
            function or quote
            for function, quote in zip(are_functions(blocks), are_quotes(blocks, candidates), strict=True)
        ]
        candidates = _without(candidates, banned)
        candidates = _with(candidates, _without(same_style(blocks, candidates, self.ratio), banned))
        candidates = _without(candidates, are_dispersed(blocks, candidates, self.high))
        candidates = _with(candidates, _without(are_near(blocks, candidates, self.near), banned))
        mask = np.zeros(len(document), bool)
        scores = np.full(len(document), -2.0)
        for block, kept in zip(blocks, candidates, strict=True):
            mask[list(block.rows)] = kept
            scores[list(block.rows)] = block.relevance
        return Kept(mask, scores, marks=marks_of(document))
