"""Where the readers' comments of a page stand, for those who do not want them.

Comment sections name themselves: by a word in class, id or role of the block that holds them. A block that
holds the page's headline, or nearly all of its text, is no section of the page but the page.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags

__all__ = ["comment_segments"]

_COMMENT = 1 << tags.CUES.index("comment")
_HEADLINE = tags.CODE["h1"]
# blocks that name what the page allows rather than what they hold
_PAGE = frozenset(tags.CODE[name] for name in ("html", "body", "main", "article"))
# share of the page's characters from which a block is the page
_MOST = 0.9


def comment_segments(document: Document) -> npt.NDArray[np.bool_]:
    """Shape (segments,): those inside a section of comments."""
    elements, inside = document.elements, document.segments["element"]
    if not len(elements):
        return np.zeros(len(document), bool)
    parents = elements["parent"].tolist()
    holds_headline = set()
    for element in np.flatnonzero(elements["tag"] == _HEADLINE).tolist():
        while element >= 0 and element not in holds_headline:
            holds_headline.add(element)
            element = parents[element]
    most = _MOST * int(document.segments["chars"].sum())
    section = np.zeros(len(elements) + 1, bool)  # the last for what stands in no block
    named = (elements["cues"] & _COMMENT != 0) & (elements["chars"] < most)
    for element, parent in enumerate(parents):
        own = named[element] and elements["tag"][element] not in _PAGE and element not in holds_headline
        section[element] = own or section[parent]
    found: npt.NDArray[np.bool_] = section[inside]
    return found
