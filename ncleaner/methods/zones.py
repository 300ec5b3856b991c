"""The readers' comments of a page, for users who do not want them.

A comment section has a word such as `comments` in class, id or role of its block. A block that contains the
page's headline, or nearly all of its text, is not a section of the page.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags

__all__ = ["comment_segments"]

_COMMENT = 1 << tags.CUES.index("comment")
_HEADLINE = tags.CODE["h1"]
# such a word on these blocks says that the page allows comments
_PAGE = frozenset(tags.CODE[name] for name in ("html", "body", "main", "article"))
# a block with a larger share of the page's characters is not a section
_MOST = 0.9


def comment_segments(document: Document) -> npt.NDArray[np.bool_]:
    """Returns the segments inside comment sections: shape (segments,), bool."""
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
    section = np.zeros(len(elements) + 1, bool)  # the last entry is for segments outside of blocks
    named = (elements["cues"] & _COMMENT != 0) & (elements["chars"] < most)
    for element, parent in enumerate(parents):
        own = named[element] and elements["tag"][element] not in _PAGE and element not in holds_headline
        section[element] = own or section[parent]
    found: npt.NDArray[np.bool_] = section[inside]
    return found
