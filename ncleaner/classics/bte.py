"""BTE, body text extraction: the span with most words inside and most tags outside.

A. Finn, N. Kushmerick and B. Smyth, "Fact or Fiction: Content Classification for Digital Libraries" (2001),
take a page as a sequence of tokens B, where B_n is 1 for a tag and 0 for a word, and choose i and j so that

    T(i, j) = sum of B_n for n < i  +  sum of 1 - B_n for i <= n <= j  +  sum of B_n for n > j

is largest: tags outside and words inside. The tokens are taken from the tree, void elements counted once, and
elements without text, such as scripts, with their tags.
"""

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import Kept


def best_span(document: Document) -> tuple[int, int]:
    """The first and the last run of the span that maximises T; the earliest and longest of equally good ones.

    A best span begins and ends with a word, so its ends are runs. Linear in the runs.

    Raises:
        ValueError: the document has no runs.
    """
    tags = np.cumsum(document.runs["tags"], dtype=np.int64)
    words = np.cumsum(document.runs["words"], dtype=np.int64)
    # A span from run a to run b adds to T the words of a … b less the tags between them: ends[b] - starts[a].
    ends = words - tags
    starts = words - document.runs["words"] - tags
    last = int(np.argmax(ends - np.minimum.accumulate(starts)))
    return int(np.argmin(starts[: last + 1])), last


class BodyText:
    """Keeps the segments most of whose words are in the best span. It has no parameters and no scores."""

    name = "bte"

    def keep(self, document: Document) -> Kept:
        """A segment that the span cuts is kept if at least half of its words are inside."""
        if not len(document):
            return Kept(np.zeros(0, bool))
        first, last = best_span(document)
        runs = document.runs[first : last + 1]
        inside = np.bincount(runs["segment"], runs["words"], minlength=len(document))
        return Kept(document.readable & (2 * inside >= document.segments["words"]))
