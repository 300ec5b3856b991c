"""WC Cleaner (Baisa 2009): the densest block with most of the text, or what no page of the site shares.

V. Baisa, "Web Content Cleaning" (master's thesis, Masaryk University, 2009).

*A single page* (`webcontent`), section 2.3: the density of an element is

    number of characters inside / number of structural elements inside.

Algorithm 1 begins at <body>, takes the child with the highest density, and goes on into it while it holds
more than half of the characters of the element; the last element is the target node. Section 2.5: the
headings and the items of lists in the target node are those that their tags name, everything else is a
paragraph.

Characters are counted in texts with a printable one, with the white space inside but not around them, as the
thesis counts them. Where it is silent: the structural elements are the blocks of the Document and the line
breaks inside its segments; those inside an element do not include itself; an element without any has no
density and is not entered. Inline elements are not candidates: the Document has none.

*Many pages of a site* (`site`), section 2.4 and appendix: the trees of the page and of the reference page are
descended together, from <body> or (`from_target`) from their target nodes. Two levels are equal if their
visible children, elements and texts, are of the same types and tags in the same order; then each pair of
children is descended. Where levels differ, `diffCleanLowestLevel` (algorithm 2) maps the children of the
reference page onto those of the page in order, and removes the texts that a pair has in common. What is left
is the content. The reference page of a site is the page of median size among the pages that its survey has.

Part of a text may be common, such as "posted by". A segment is kept or removed as a whole here, so it is
removed if its common words, at its beginning and its end, are more than half of its words. The Document has
blocks and the text between them, no inline elements.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept, Remarks
from ncleaner.document.tables import run_chars
from ncleaner.document.tags import CODE, HEADINGS, TAGS
from ncleaner.methods.baselines import kept_whole
from ncleaner.options import option

_BODY = CODE["body"]
# The kinds that tags name, by the codes of the tags.
_NAMED = np.zeros(len(TAGS), np.uint8)
_NAMED[CODE["li"]] = ord("l")
_NAMED[[*HEADINGS]] = ord("h")


def densities(document: Document) -> npt.NDArray[np.float64]:
    """The density of each element (section 2.3): shape (elements,), characters for each structural element
    inside; 0 for an element without any."""
    return _densities(document, document.sums(run_chars(document)))


def _densities(document: Document, chars: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    breaks = np.zeros(len(document.runs), np.int64)
    breaks[document.segments["last_run"]] = document.segments["breaks"]
    parents = document.elements["parent"].tolist()
    below = [0] * len(parents)
    # children come after their parent
    for row in range(len(parents) - 1, -1, -1):
        if parents[row] >= 0:
            below[parents[row]] += below[row] + 1
    inside: npt.NDArray[np.int64] = np.array(below, np.int64) + document.sums(breaks)
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

    share: float = option(
        0.5, "go into the densest child with more than this share of the text", low=0, high=1
    )
    sparse: bool = option(True, "keep pages whose target node is sparse: tables, lists (-r keeps none)")
    sparse_density: float = option(10.0, "density below which a target node is sparse", low=0)
    title: bool = option(False, "keep the first heading of the page, too (-t)")

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
        return _marked(document, mask, self.title)


def _marked(document: Document, mask: npt.NDArray[np.bool_], title: bool) -> Kept:
    """The decision with the kinds that tags name and, if the title is wanted, with the first heading."""
    marks = marks_of(document)
    if title:
        mask[np.flatnonzero(document.visible & (marks == ord("h")))[:1]] = True
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


# --------------------------------------------------------------------------------------------------
# Many pages of a site.

_TEXT = -1
# Texts of the reference page that a text is compared with in its parts.
_NEAR = 8


class _Tree:
    """The visible children of each element of a Document in order: *items*, elements and texts (segments).

    Attributes:
        texts: the text of each segment.
        firsts: the first item of each element, and at its end the number of items.
        tags: code of the tag of each item; -1 for a text.
        rows: the element or the segment that an item is.
        begins, ends: the segments of each item, as rows [begin, end).
    """

    def __init__(self, document: Document) -> None:
        elements, table = document.elements, document.segments
        self.texts = document.texts
        inner = np.flatnonzero(elements["parent"] >= 0)
        shown = np.flatnonzero(document.visible & (table["element"] >= 0))
        parents = np.concatenate((elements["parent"][inner], table["element"][shown]))
        first = table["first_run"].astype(np.int64)
        starts, stops = (elements[name][inner].astype(np.int64) for name in ("first_run", "last_run"))
        # an element that begins at the same run as a text is empty, and before it
        places = np.concatenate((2 * starts, 2 * first[shown] + 1))
        order = np.lexsort((places, parents))
        self.firsts: list[int] = np.searchsorted(parents[order], np.arange(len(elements) + 1)).tolist()
        tags = np.concatenate((elements["tag"][inner].astype(np.int64), np.full(len(shown), _TEXT)))
        self.tags: list[int] = tags[order].tolist()
        self.rows: list[int] = np.concatenate((inner, shown))[order].tolist()
        begins = np.concatenate((np.searchsorted(first, starts), shown))
        ends = np.concatenate((np.searchsorted(first, stops), shown + 1))
        self.begins: list[int] = begins[order].tolist()
        self.ends: list[int] = ends[order].tolist()

    def items(self, element: int) -> range:
        """The items of an element, in reading order."""
        return range(self.firsts[element], self.firsts[element + 1])


@lru_cache(16)
def _reference_tree(reference: Document) -> _Tree:
    """The tree of a reference page, which many pages of a site have in a row."""
    return _Tree(reference)


def common_share(text: str, other: str) -> float:
    """The share of the words of a text that are at the beginning or the end of another text, too, 0 to 1."""
    if text == other:
        return 1.0
    words, others = text.split(), other.split()
    most = min(len(words), len(others))
    front = next((n for n in range(most) if words[n] != others[n]), most)
    back = next((n for n in range(most - front) if words[-1 - n] != others[-1 - n]), most - front)
    return (front + back) / max(len(words), 1)


def different(
    document: Document, reference: Document, roots: tuple[int, int], common: float = 0.5
) -> npt.NDArray[np.bool_]:
    """The segments below one root that the reference page does not have below the other: shape (segments,).

    Args:
        document, reference: the two pages.
        roots: an element of each.
        common: a text with a larger share of common words is the same.
    """
    page, other = _Tree(document), _reference_tree(reference)
    bounds = document.elements[["first_run", "last_run"]][roots[0]].tolist()
    first, last = np.searchsorted(document.segments["first_run"], bounds).tolist()
    left = [False] * len(document)
    left[first:last] = [True] * (last - first)
    pairs = [roots]
    while pairs:
        mine, theirs = pairs.pop()
        items, others = page.items(mine), other.items(theirs)
        if page.tags[items.start : items.stop] != other.tags[others.start : others.stop]:
            _clean_level(page, other, items, others, left, common)
            continue
        for item, two in zip(items, others, strict=True):
            row = page.rows[item]
            if page.tags[item] != _TEXT:
                # without text there is nothing to remove
                if page.begins[item] < page.ends[item]:
                    pairs.append((row, other.rows[two]))
            elif common_share(page.texts[row], other.texts[other.rows[two]]) > common:
                left[row] = False
    return np.array(left, bool) & document.visible


def _clean_level(
    page: _Tree, other: _Tree, items: range, others: range, left: list[bool], common: float
) -> None:
    """Algorithm 2: maps the items of the reference page onto the items of the page in order, and removes what
    each pair has in common."""
    # a text can be common only where the other level has it: the items that have each text, in order
    places: dict[int, dict[str, list[int]]] = {}
    for two in others:
        known = places.setdefault(other.tags[two], {})
        for text in other.texts[other.begins[two] : other.ends[two]]:
            known.setdefault(text, []).append(two)
    begin = others.start
    for item in items:
        known = places.get(page.tags[item], {})
        rows = range(page.begins[item], page.ends[item])
        nearest = others.stop
        for row in rows:
            if held := known.get(page.texts[row]):
                position = bisect_left(held, begin)
                if position < len(held) and held[position] < nearest:
                    nearest = held[position]
        if nearest < others.stop:
            texts = set(other.texts[other.begins[nearest] : other.ends[nearest]])
            for row in rows:
                if page.texts[row] in texts:
                    left[row] = False
            begin = nearest + 1
        elif page.tags[item] == _TEXT:
            # two texts may have only a part in common
            text = page.texts[page.rows[item]]
            for two in range(begin, min(begin + _NEAR, others.stop)):
                if other.tags[two] == _TEXT and common_share(text, other.texts[other.rows[two]]) > common:
                    left[page.rows[item]] = False
                    begin = two + 1
                    break


def is_similar(document: Document, reference: Document) -> bool:
    """Tells whether two pages are of one structure: most styles of the blocks of each are on the other,
    too."""
    mine, theirs = (np.unique(each.elements["style"]) for each in (document, reference))
    both = len(np.intersect1d(mine, theirs))
    return 2 * both >= max(len(mine), len(theirs))


@dataclass(frozen=True)
class SiteReferences:
    """Keeps what a page does not share with the reference page of its site. It has no scores.

    It needs a survey with pages (`ncleaner survey --references`). A page without a reference page is cleaned
    as by `webcontent`, and plain text is kept whole; the summary says so.
    """

    from_target: bool = option(False, "begin at the target nodes of both pages, not at <body> (-f)")
    prune: bool = option(False, "clean pages of another structure by webcontent (-p)")
    common: float = option(0.5, "share of common words from which two texts are the same", low=0, high=1)
    sparse: bool = option(True, "keep pages whose target node is sparse: tables, lists (-r keeps none)")
    title: bool = option(False, "keep the first heading of the page, too (-t)")

    name = "site"

    def keep(self, document: Document) -> Kept:
        """Keeps segments with the kinds that their tags name."""
        if not len(document.elements) or not len(document):
            return kept_whole(document)
        single = WebContent(sparse=self.sparse, title=self.title)
        reference = None if document.site is None else document.site.reference
        if (
            reference is None
            or not len(reference.elements)
            or (self.prune and not is_similar(document, reference))
        ):
            return single.keep(document)._replace(remarks=Remarks(fallback=single.name))
        roots = tuple(
            target_node(each) if self.from_target else int(np.argmax(each.elements["tag"] == _BODY))
            for each in (document, reference)
        )
        mask = different(document, reference, (roots[0], roots[1]), self.common)
        if not self.sparse and densities(document)[target_node(document)] < single.sparse_density:
            mask = np.zeros_like(mask)
        return _marked(document, mask, self.title)
