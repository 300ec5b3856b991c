"""The user's wishes about a page, whatever the method: the headline, the readers' comments, the captions, and
pages that hold nothing but a notice.

Gold standards differ on these zones (`Document.segments`, column `zone`), so it is not left to a model.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._kept import number_kept, sums_of, with_zone
from ncleaner.document.kept import NOTICE, Kept
from ncleaner.document.tables import ZONES
from ncleaner.methods.base import Entry, Trace

_HEADLINE, _CAPTION, _COMMENT = (ZONES.index(name) for name in ("headline", "caption", "comment"))
# A page is a discussion if it keeps fewer characters than `_FEW` outside its comments, or, from this
# probability of a forum on, fewer than `_ARTICLE`: more are an article with comments below it.
_FEW, _ARTICLE = 150, 2000
_FORUM = 0.2
# On pages of documentation, blocks with the names of comments hold comments in code, or users' examples.
_DOCUMENTATION = 0.5


class ZoneOptions(NamedTuple):
    """The zones that a user wants.

    Attributes:
        headline: True keeps the headline of each page that has clean text, False removes it, None leaves it
            to the method.
        comments: False removes the readers' comments, unless they are the page, as in a forum.
        captions: False removes the captions of pictures and tables.
        notices: True keeps the text of pages that the method judges to be notices, such as error messages.
        news: no page is a forum: all pages are articles, or the user asks for pages without comments.
    """

    headline: bool | None = None
    comments: bool = True
    captions: bool = True
    notices: bool = False
    news: bool = False

    @classmethod
    def by_default(cls, entry: Entry) -> "ZoneOptions":
        """Returns what is wanted of the pages of a method if the user says nothing."""
        return cls(headline=entry.by_zones or None, comments=not entry.by_zones)

    def applied(self, document: Document, kept: Kept, trace: Trace | None = None) -> Kept:
        """Returns a method's decision with these wishes; `trace` records what they change."""
        mask = kept.mask
        if kept.kinds and not self.notices and kept.kind_probability(NOTICE) > 0.5:
            mask = np.zeros_like(mask)
            if trace is not None:
                trace.note(NOTICE, mask)
            return kept._replace(mask=mask)
        # (zone, keep it)
        wishes: list[tuple[int, bool]] = []
        if not self.comments:
            wishes.append((_COMMENT, False))
        if not self.captions:
            wishes.append((_CAPTION, False))
        if self.headline is not None:
            wishes.append((_HEADLINE, self.headline))
        for zone, keep in wishes:
            if zone == _HEADLINE and not number_kept(document.tables, mask):
                continue
            changed = with_zone(document.tables, mask, zone, keep)
            if zone == _COMMENT and changed is not mask and self._is_discussion(document, kept, changed):
                continue
            mask = changed
            if trace is not None:
                trace.note(ZONES[zone], mask)
        return kept if mask is kept.mask else kept._replace(mask=mask)

    def _is_discussion(self, document: Document, kept: Kept, elsewhere: npt.NDArray[np.bool_]) -> bool:
        """Tells whether the comments of a page are its text; `elsewhere` is the mask without them."""
        chars, _links = sums_of(document.tables, elsewhere)
        if chars < _FEW or self.news:
            return chars < _FEW
        if kept.kind_probability("documentation") >= _DOCUMENTATION:
            return True
        return chars < _ARTICLE and kept.kind_probability("forum") >= _FORUM
