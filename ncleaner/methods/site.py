"""WC Cleaner for many pages of a site: what a page does not share with a reference page (Baisa 2009).

V. Baisa, "Web Content Cleaning" (master's thesis, Masaryk University, 2009), section 2.4 and appendix: the
trees of the page and of the reference page are descended together, from <body> or (`from_target`) from their
target nodes (section 2.3, `webcontent`). Two levels are equal if their visible children, elements and texts,
are of the same types and tags in the same order; then each pair of children is descended. Where levels
differ, `diffCleanLowestLevel` (algorithm 2) maps the children of the reference page onto those of the page in
order, and removes the texts that a pair has in common. What is left is the content. The reference page of a
site is that of median size among those that its survey knows.

Part of a text may be common, such as "posted by". A segment is kept or removed as a whole here, so it is
removed if its common words, at its beginning and its end, are more than half of its words. The Document has
blocks and the text between them, no inline elements.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import Kept, Remarks
from ncleaner.document.tags import CODE
from ncleaner.methods.base import parameter
from ncleaner.methods.everything import kept_whole
from ncleaner.methods.webcontent import WebContent, densities, marks_of, target_node

__all__ = ["Site", "common_share", "different", "is_similar"]

_BODY = CODE["body"]


# A visible child of an element: its place in the page, the code of its tag, and its row. A text is a segment,
# and its tag is -1.
_Item = tuple[int, int, int]
_TEXT = -1


class _Tree:
    """The visible children of each element of a Document in order, and its texts."""

    def __init__(self, document: Document) -> None:
        elements, table = document.elements, document.segments
        self.texts = document.texts
        self.starts: list[int] = elements["first_run"].tolist()
        self.ends: list[int] = elements["last_run"].tolist()
        self.first: list[int] = table["first_run"].tolist()
        self.children: list[list[_Item]] = [[] for _ in self.starts]
        # an element that begins at the same run as a text is empty, and before it
        parents, tags = elements["parent"].tolist(), elements["tag"].tolist()
        for row, (parent, tag, start) in enumerate(zip(parents, tags, self.starts, strict=True)):
            if parent >= 0:
                self.children[parent].append((2 * start, tag, row))
        for row in np.flatnonzero(document.visible & (table["element"] >= 0)).tolist():
            self.children[table["element"][row]].append((2 * self.first[row] + 1, _TEXT, row))
        for each in self.children:
            each.sort(key=_place)

    def segments(self, item: _Item) -> range:
        """The segments of an item, in reading order."""
        _, tag, row = item
        if tag == _TEXT:
            return range(row, row + 1)
        return range(bisect_left(self.first, self.starts[row]), bisect_left(self.first, self.ends[row]))


_place = itemgetter(0)


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
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The segments below one root that the reference page does not have below the other: shape (segments,).

    Args:
        document, reference: the two pages.
        roots: an element of each.
        common: a text with a larger share of common words is the same.
    """
    page, other = _Tree(document), _reference_tree(reference)
    left = np.zeros(len(document), bool)
    left[page.segments((0, 0, roots[0]))] = True
    pairs = [roots]
    while pairs:
        mine, theirs = pairs.pop()
        items, others = page.children[mine], other.children[theirs]
        if [tag for _, tag, _ in items] == [tag for _, tag, _ in others]:
            for (_, tag, row), (_, _, two) in zip(items, others, strict=True):
                if tag != _TEXT:
                    pairs.append((row, two))
                elif common_share(page.texts[row], other.texts[two]) > common:
                    left[row] = False
            continue
        _clean_level(page, other, items, others, left, common)
    return left & document.visible


def _clean_level(
    page: _Tree,
    other: _Tree,
    items: list[_Item],
    others: list[_Item],
    left: np.ndarray[tuple[int], np.dtype[np.bool_]],
    common: float,
) -> None:
    """Algorithm 2: maps the items of the reference page onto those of the page in order, and removes what
    each pair has in common."""
    # a text can be common only where the other level has it: the items that have each text, in order
    places: dict[tuple[int, str], list[int]] = {}
    for place, item in enumerate(others):
        for row in other.segments(item):
            places.setdefault((item[1], other.texts[row]), []).append(place)
    begin = 0
    for item in items:
        _, tag, own = item
        rows = page.segments(item)
        found = []
        for row in rows:
            held = places.get((tag, page.texts[row]), [])
            if (position := bisect_left(held, begin)) < len(held):
                found.append(held[position])
        if found:
            texts = {other.texts[row] for row in other.segments(others[min(found)])}
            for row in rows:
                if page.texts[row] in texts:
                    left[row] = False
            begin = min(found) + 1
        elif tag == _TEXT:
            # two texts may have only a part in common
            for place in range(begin, min(begin + _NEAR, len(others))):
                _, theirs, two = others[place]
                if theirs == _TEXT and common_share(page.texts[own], other.texts[two]) > common:
                    left[own] = False
                    begin = place + 1
                    break


# Texts of the reference page that a text is compared with in its parts.
_NEAR = 8


def is_similar(document: Document, reference: Document) -> bool:
    """Tells whether two pages are of one structure: most styles of the blocks of each are on the other,
    too."""
    mine, theirs = (np.unique(each.elements["style"]) for each in (document, reference))
    both = len(np.intersect1d(mine, theirs))
    return 2 * both >= max(len(mine), len(theirs))


@dataclass(frozen=True)
class Site:
    """Keeps what a page does not share with the reference page of its site. It has no scores.

    It needs a survey with pages (`ncleaner survey --references`). A page without a reference page is cleaned
    as by `webcontent`, and plain text is kept whole; the summary says so.
    """

    from_target: bool = parameter(False, "begin at the target nodes of both pages, not at <body> (-f)")
    prune: bool = parameter(False, "clean pages of another structure by webcontent (-p)")
    common: float = parameter(0.5, "share of common words from which two texts are the same", 0, 1)
    sparse: bool = parameter(True, "keep pages whose target node is sparse: tables, lists (-r keeps none)")
    title: bool = parameter(False, "keep the first heading of the page, too (-t)")

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
        marks = marks_of(document)
        if self.title:
            mask[np.flatnonzero(document.visible & (marks == ord("h")))[:1]] = True
        return Kept(mask, marks=marks)
