"""Labels of the text between two tags, as Victor has them: what people give when they clean a page by hand.

Each run of a Document has one label: a paragraph, heading or list item begins (p, h, l), it continues (c), or
the text is not kept (o). Source: M. Marek, P. Pecina and M. Spousta, "Web Page Cleaning with Conditional
Random Fields" (2007).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.tables import run_chars

# The labels in files; the number of a label is its position here.
LABELS = "phlco"
PARAGRAPH, HEADER, ITEM, CONTINUATION, OTHER = range(5)
Labels = npt.NDArray[np.uint8]
"""Shape (runs,): the number of each run's label."""
# The label of a segment by the character code of its kind.
_OF_KIND = np.full(256, PARAGRAPH, np.uint8)
_OF_KIND[[ord("h"), ord("l")]] = HEADER, ITEM
# code of a segment's kind by label
_CODES = np.frombuffer(b"phl", np.uint8)


class Gold(NamedTuple):
    """A document's segments according to labels of its runs.

    Attributes:
        kept: shape (segments,), bool: at least half of the characters are in kept blocks.
        kinds: shape (segments,), uint8: character code of `p`, `h` or `l`, as in the table of segments.
        continues: shape (segments,), bool: the segment is kept and continues the kept segment before.
    """

    kept: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.uint8]
    continues: npt.NDArray[np.bool_]


def labels_from_kept(
    document: Document,
    mask: npt.NDArray[np.bool_],
    kinds: npt.NDArray[np.uint8] | None = None,
    continues: npt.NDArray[np.bool_] | None = None,
) -> Labels:
    """Returns the labels for a mask: the first run of each kept segment gets the segment's kind, its other
    runs `c`. Hidden text gets `o`.

    Args:
        document: the page.
        mask: shape (segments,); True for those that are kept.
        kinds: shape (segments,); character codes of kinds; by default those of the document.
        continues: shape (segments,); True for segments that continue the one before: all their runs get `c`.

    Returns:
        Shape (runs,): the labels.
    """
    runs, table = document.runs, document.segments
    labels: Labels = _OF_KIND[table["kind"] if kinds is None else kinds][runs["segment"]]
    later = np.arange(len(runs)) != table["first_run"][runs["segment"]]
    if continues is not None:
        later |= continues[runs["segment"]]
    labels[later] = CONTINUATION
    labels[~mask[runs["segment"]] | ~document.visible[runs["segment"]]] = OTHER
    return labels


def gold_of(document: Document, labels: Labels) -> Gold:
    """Returns the segments that labels keep, with their kinds.

    A segment has the kind of its first block labelled `p`, `h` or `l`; without such a block, the kind of the
    kept segment before, or the kind in the document. It continues if its first kept block is labelled `c` and
    a kept segment is before it.
    """
    owners, table = document.runs["segment"], document.segments
    size = len(document)
    clean = labels != OTHER
    chars = run_chars(document)
    kept_chars = np.bincount(owners, chars * clean, minlength=size)
    kept = (kept_chars > 0) & (2 * kept_chars >= np.bincount(owners, chars, minlength=size))
    kinds, continues = table["kind"].copy(), np.zeros(size, bool)
    if not kept.any():
        return Gold(kept, kinds, continues)
    # runs are in the order of their segments, so `np.unique` finds the first run of each
    named = np.flatnonzero(labels < CONTINUATION)
    segments, first = np.unique(owners[named], return_index=True)
    kinds[segments] = _CODES[labels[named[first]]]
    segments, first = np.unique(owners[clean], return_index=True)
    continues[segments] = labels[clean][first] == CONTINUATION
    continues[: np.argmax(kept) + 1] = False
    continues &= kept
    # segments without a labelled kind take the kind of the kept segment before
    rows = np.flatnonzero(kept)
    has = np.zeros(size, bool)
    has[owners[named]] = True
    has[rows[0]] = True
    source = np.maximum.accumulate(np.where(has[rows], np.arange(len(rows)), 0))
    kinds[rows] = kinds[rows[source]]
    kinds[~kept] = table["kind"][~kept]
    return Gold(kept, kinds, continues)
