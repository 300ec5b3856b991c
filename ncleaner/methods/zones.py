"""The user's wishes about a page, whatever the method: the headline, the readers' comments, the captions, and
pages that hold nothing but a notice.

Gold standards differ on these zones (`Document.segments`, column `zone`), so it is not left to a model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ncleaner.document import Document
from ncleaner.document._kept import with_zone
from ncleaner.document.kept import NOTICE, Kept
from ncleaner.document.tables import ZONES
from ncleaner.methods.base import Trace

__all__ = ["Wanted"]

_HEADLINE, _CAPTION, _COMMENT = (ZONES.index(name) for name in ("headline", "caption", "comment"))
# A page is a discussion from this probability of a forum on, or if fewer words than `_FEW_WORDS` are kept
# outside its comments: then the comments are the page.
_FORUM = 0.2
# On pages of documentation, blocks with the names of comments hold comments in code, or users' examples.
_FORUM_OR_DOCUMENTATION = 0.3
_FEW_WORDS = 30


class Wanted(NamedTuple):
    """The zones that a user wants.

    Attributes:
        headline: True keeps the headline of each page that has clean text, False removes it, None leaves it
            to the method.
        comments: False removes the readers' comments, unless they are the page, as in a forum.
        captions: False removes the captions of pictures and tables.
        notices: True keeps the text of pages that the method judges to be notices, such as error messages.
    """

    headline: bool | None = None
    comments: bool = True
    captions: bool = True
    notices: bool = False

    def applied(self, document: Document, kept: Kept, trace: Trace | None = None) -> Kept:
        """Returns a method's decision with these wishes; `trace` records what they change."""
        mask = kept.mask
        if not self.notices and kept.kind_probability(NOTICE) > 0.5:
            mask = np.zeros_like(mask)
            if trace is not None:
                trace.note(NOTICE, mask)
            return kept._replace(mask=mask)
        # (zone, keep it)
        wishes: list[tuple[int, bool]] = []
        if not self.comments and not _is_discussion(document, kept):
            wishes.append((_COMMENT, False))
        if not self.captions:
            wishes.append((_CAPTION, False))
        if self.headline is not None:
            wishes.append((_HEADLINE, self.headline))
        for zone, keep in wishes:
            if zone != _HEADLINE or np.count_nonzero(mask):
                mask = with_zone(document.tables, mask, zone, keep)
                if trace is not None:
                    trace.note(ZONES[zone], mask)
        return kept if mask is kept.mask else kept._replace(mask=mask)


def _is_discussion(document: Document, kept: Kept) -> bool:
    """Tells whether the comments of a page are its text."""
    forum = kept.kind_probability("forum")
    if forum >= _FORUM or forum + kept.kind_probability("documentation") >= _FORUM_OR_DOCUMENTATION:
        return True
    elsewhere = kept.mask & (document.segments["zone"] != _COMMENT)
    return int(document.segments["words"][elsewhere].sum()) < _FEW_WORDS
