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

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from ncleaner.classics.punctuation import phrase_marks
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CODE, CONTEXT_BIT, HEADINGS
from ncleaner.methods.baselines import kept_whole
from ncleaner.options import option
from ncleaner.text.words import is_final

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
# The longest text that is compared, in words: a comparison takes the product of both over 64.
_COMPARED = 2_000
# Number of references, the largest ones, with which each block is compared.
_REFERENCES = 20
# Dispersed candidates are this many times as far from the next one as usual.
_FAR = 4.0
# Headings are no longer than this, in words.
_HEADING = 15

_ITEM = CODE["li"]
_LINK = 1 << CONTEXT_BIT["a"]
# Number of bits of each byte.
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)).reshape(256, 8).sum(axis=1).astype(np.int64)


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page, in the order of their first segments.

    Attributes:
        rows: shape (segments in blocks,), int64: the segments of one block after the other, in reading order.
        starts: shape (blocks + 1,), int64: the segments of block b are rows[starts[b] : starts[b + 1]].
        styles: shape (blocks,), int64: a number for each look.
        sizes: shape (blocks,), int64: number of words.
        relevance: shape (blocks,), float64: the content-relevance ratio, at most 1.
        text: gives the text of a segment.
    """

    rows: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    styles: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    relevance: npt.NDArray[np.float64]
    text: Callable[[int], str]

    def __len__(self) -> int:
        return len(self.styles)

    @property
    def elements(self) -> npt.NDArray[np.int64]:
        """Number of text elements of each block: shape (blocks,)."""
        return np.diff(self.starts)

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """The block of each of `rows`."""
        return np.repeat(np.arange(len(self)), self.elements)

    def rows_of(self, block: int) -> list[int]:
        """The segments of a block."""
        found: list[int] = self.rows[self.starts[block] : self.starts[block + 1]].tolist()
        return found

    def words(self, block: int) -> list[list[str]]:
        """The words of each text element of a block, in lower case."""
        return [self.text(row).lower().split() for row in self.rows_of(block)]


def _styles(document: Document) -> npt.NDArray[np.int64]:
    """A number for the look of each segment."""
    elements, runs, table = document.elements, document.runs, document.segments
    own = elements["style"].astype(np.uint64)
    above = np.where(elements["parent"] >= 0, own[elements["parent"]], 0)
    looks = np.append(own * np.uint64(1_000_003) ^ above, np.uint64(0))[table["element"]]
    # the inline elements that are around the whole segment
    inline = np.bitwise_and.reduceat(runs["context"], table["first_run"])
    _, numbers = np.unique(looks * np.uint64(8_191) + inline, return_inverse=True)
    return numbers.astype(np.int64)


def _links(document: Document) -> npt.NDArray[np.int64]:
    """The number of links that begin in each segment: shape (segments,).

    Between two runs in links, the link is another one if more elements end and begin than the formats that
    only one of the two has.
    """
    runs = document.runs
    context, linked = runs["context"], runs["context"] & _LINK != 0
    begins = linked.copy()
    after = np.flatnonzero(linked[1:] & linked[:-1] & (runs["segment"][1:] == runs["segment"][:-1])) + 1
    gained, lost = context[after] & ~context[after - 1], context[after - 1] & ~context[after]
    begins[after] = (runs["opened"][after] > _count_bits(gained)) & (
        runs["closed"][after] > _count_bits(lost)
    )
    return np.bincount(runs["segment"], begins, minlength=len(document)).astype(np.int64)


def _count_bits(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = _BITS[values.view(np.uint8).reshape(-1, 4)].sum(axis=1)
    return found


def find_blocks(document: Document, distance: int = 8) -> Blocks:
    """Step 1: the blocks, and their relevance (sections 3.2 and 3.3).

    Args:
        document: the page, with segments and elements.
        distance: most segments between two of a block.
    """
    table = document.segments
    shown = np.flatnonzero(document.visible)
    styles = _styles(document)
    order = shown[np.argsort(styles[shown], kind="stable")]
    begins = np.ones(len(order), bool)
    begins[1:] = (styles[order[1:]] != styles[order[:-1]]) | (np.diff(order) > distance)
    firsts = order[begins]
    size = len(firsts)
    numbers = np.empty(size, np.int64)
    numbers[np.argsort(firsts)] = np.arange(size)
    # hidden segments are in a block after the last one
    owner = np.full(len(document), size)
    owner[order] = numbers[np.cumsum(begins) - 1]
    rows = shown[np.argsort(owner[shown], kind="stable")]

    def total(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return np.bincount(owner, values, minlength=size)[:size].astype(np.float64)

    elements = np.bincount(owner, minlength=size)[:size]
    words = total(table["words"])
    average = words / elements
    marks = total(phrase_marks(document.data, table["start"], table["end"]))
    relevance = (
        0.5 * words / max(words.max(initial=0), 1)
        + 0.5 * np.minimum(average / max(min(average.max(initial=0), _LONG), 1.0), 1)
        - (1 - np.minimum(marks / np.maximum(words, 1) / _PROSE, 1))
        - np.minimum(total(_links(document)) / elements / _LINKED, 1)
    )
    data, places = document.data, table[["start", "end"]].tolist()

    def text(row: int) -> str:
        start, end = places[row]
        return data[start:end].decode()

    return Blocks(
        rows, np.concatenate(([0], np.cumsum(elements))), styles[np.sort(firsts)], words.astype(np.int64),
        relevance, text,
    )  # fmt: skip


def are_sure(blocks: Blocks, threshold: float = 0.32) -> Mask:
    """Step 2: the blocks whose relevance is above the threshold, the references of the other steps."""
    return blocks.relevance > threshold


def are_functions(blocks: Blocks, among: Mask | None = None) -> Mask:
    """Step 3: the blocks of several short elements that share most of their words, such as "posted by X".

    Args:
        blocks: of the page.
        among: shape (blocks,): only these are compared, by default all.
    """
    found = np.zeros(len(blocks), bool)
    elements = blocks.elements
    short = (elements >= _SEVERAL) & (blocks.sizes <= _SHORT * elements)
    for number in np.flatnonzero(short if among is None else short & among).tolist():
        each = [set(words) for words in blocks.words(number) if words]
        common = Counter(word for words in each for word in words)
        most = {word for word, times in common.items() if 2 * times > len(each)}
        shared = sum(len(words & most) / len(words) for words in each) if most else 0.0
        found[number] = shared >= _COMMON * len(each)
    return found


def are_quotes(blocks: Blocks, references: Mask) -> Mask:
    """Step 4: the blocks of a style of which most are in a reference block before them, word for word.

    A block is a quote if the longest common subsequence of the words of the two is most of it, and the two
    are of different styles.
    """
    quotes = np.zeros(len(blocks), bool)
    sure = np.flatnonzero(references)
    largest = set(sure[np.argsort(-blocks.sizes[sure], kind="stable")][:_REFERENCES].tolist())
    if not largest:
        return quotes
    before: list[tuple[int, set[str], list[str]]] = []
    compared = blocks.sizes >= _QUOTE
    styles = blocks.styles.tolist()
    # nothing before the first reference can be a quote
    for number in range(min(largest), len(blocks)):
        if not compared[number] and number not in largest:
            continue
        text = [word for words in blocks.words(number) for word in words][:_COMPARED]
        if compared[number]:
            quotes[number] = any(
                styles[other] != styles[number]
                # each word that is missing there shortens the subsequence
                and sum(map(known.__contains__, text)) >= _QUOTED * len(text)
                and LCSseq.similarity(text, words) >= _QUOTED * len(text)
                for other, known, words in before
            )
        if number in largest:
            before.append((number, set(text), text))
    # styles have small numbers
    found = np.bincount(blocks.styles, quotes) > _MOSTLY * np.bincount(blocks.styles, compared)
    return found[blocks.styles]


def _nearest(
    keys: npt.NDArray[np.int64], known: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The nearest of some known keys, which are sorted and not empty, as a place in them, and how far it
    is."""
    behind = np.searchsorted(known, keys)
    after, before = np.minimum(behind, len(known) - 1), np.maximum(behind - 1, 0)
    there, here = np.abs(known[after] - keys), np.abs(keys - known[before])
    return np.where(here <= there, before, after), np.minimum(here, there)


def same_style(blocks: Blocks, references: Mask, ratio: float = 0.1, distance: int = 40) -> Mask:
    """Step 5: the blocks of the style of a reference near it, whose relevance is more than `ratio` of its
    relevance."""
    if not references.any():
        return np.zeros(len(blocks), bool)
    owners = blocks.owners
    # rows of different styles are too far from one another
    keys = blocks.rows + blocks.styles[owners] * (int(blocks.rows.max()) + distance + 1)
    sure = np.flatnonzero(references[owners])
    sure = sure[np.argsort(keys[sure])]
    places, gaps = _nearest(keys, keys[sure])
    least = np.minimum.reduceat(gaps, blocks.starts[:-1])
    # the first one of the nearest rows
    rows = np.flatnonzero(gaps == least[owners])[::-1]
    relevance = np.empty(len(blocks))
    relevance[owners[rows]] = blocks.relevance[owners[sure[places[rows]]]]
    return ~references & (least <= distance) & (blocks.relevance > ratio * relevance)


def are_dispersed(blocks: Blocks, candidates: Mask, high: float = 0.5) -> Mask:
    """Step 6: the candidates whose distance to the nearest other one is far above the geometric mean of these
    distances, unless their relevance is above `high`."""
    owners = blocks.owners
    chosen = candidates[owners]
    order = np.argsort(blocks.rows[chosen])
    rows, owners = blocks.rows[chosen][order], owners[chosen][order]
    # the nearest row of another block is next to a row of the block
    between = np.flatnonzero(owners[1:] != owners[:-1])
    gaps = np.full(len(blocks), np.iinfo(np.int64).max)
    for side in (between, between + 1):
        np.minimum.at(gaps, owners[side], rows[between + 1] - rows[between])
    known = np.unique(owners[np.concatenate((between, between + 1))])
    mean = float(np.exp(np.log(gaps[known]).mean())) if len(known) else 0.0
    found = np.zeros(len(blocks), bool)
    found[known] = (gaps[known] > _FAR * mean) & (blocks.relevance[known] <= high)
    return found


def are_near(blocks: Blocks, candidates: Mask, relevance: float = -1.0, distance: int = 2) -> Mask:
    """Step 7: the blocks next to a candidate that have a least relevance, such as headings."""
    rows = np.sort(blocks.rows[candidates[blocks.owners]])
    if not len(rows):
        return np.zeros(len(blocks), bool)
    gaps = np.minimum.reduceat(_nearest(blocks.rows, rows)[1], blocks.starts[:-1])
    return ~candidates & (blocks.relevance >= relevance) & (gaps <= distance)


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
    marks[np.isin(tags, HEADINGS)] = ord("h")
    return marks


@dataclass(frozen=True)
class Kimatu:
    """Keeps the blocks that the seven steps leave. Its scores are the relevance of each segment's block.
    Plain text has no look and is kept whole."""

    sure: float = option(0.32, "relevance above which a block is surely content", low=-2, high=1)
    ratio: float = option(
        0.1, "relevance of a dispersed block, relative to one of the same style", low=0, high=1
    )
    high: float = option(
        0.5, "relevance above which a block stays, however far from the others", low=-2, high=1
    )
    near: float = option(-1.0, "least relevance of a block next to content", low=-2, high=1)
    distance: int = option(8, "most segments between two of a block", low=1)

    name = "kimatu"

    def keep(self, document: Document) -> Kept:
        """Decides with scores; the kinds of segments are the output tags of the paper."""
        if not len(document.elements) or not len(document):
            return kept_whole(document)
        blocks = find_blocks(document, self.distance)
        mask = np.zeros(len(document), bool)
        scores = np.full(len(document), -2.0)
        if not len(blocks):
            return Kept(mask, scores, marks=marks_of(document))
        candidates = are_sure(blocks, self.sure)
        candidates &= ~are_functions(blocks, candidates)
        quotes = are_quotes(blocks, candidates)
        candidates &= ~quotes
        # blocks that steps 3 and 4 delete do not come back
        more = same_style(blocks, candidates, self.ratio) & ~quotes
        candidates |= more & ~are_functions(blocks, more)
        candidates &= ~are_dispersed(blocks, candidates, self.high)
        more = are_near(blocks, candidates, self.near) & ~quotes
        candidates |= more & ~are_functions(blocks, more)
        mask[blocks.rows] = candidates[blocks.owners]
        scores[blocks.rows] = blocks.relevance[blocks.owners]
        return Kept(mask, scores, marks=marks_of(document))
