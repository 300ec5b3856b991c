"""What is known of the other pages of a page's site, as an optional table of a Document."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Site"]

# A text is the site's if it is on at least half of its other pages, on no fewer than two, and three are
# known. With these numbers no gold set loses (docs/sites.md).
_PAGES, _TEXTS, _SHARE = 3, 2, 0.5


class Site(NamedTuple):
    """How often the texts of a page are on other pages of its site.

    Attributes:
        name: the registered domain, or the host without one.
        pages: number of other pages that are known, without those that have the same main text.
        texts: shape (segments,), int32: the number of these pages that have the text of the segment, too.
    """

    name: str
    pages: int
    texts: npt.NDArray[np.int32]

    @property
    def repeated(self) -> npt.NDArray[np.bool_]:
        """Segments whose text is part of the site, not of the page: shape (segments,), bool."""
        if self.pages < _PAGES:
            return np.zeros(len(self.texts), bool)
        return (self.texts >= _TEXTS) & (self.texts >= _SHARE * self.pages)
