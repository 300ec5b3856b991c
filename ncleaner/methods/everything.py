"""The uncleaned dump, the baseline of all comparisons: every visible segment."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document.kept import Kept, Remarks

__all__ = ["Everything", "kept_whole"]


class Everything:
    """Keeps every visible segment."""

    name = "everything"

    def keep(self, document: Document) -> Kept:
        """Keeps all visible segments."""
        return Kept(document.readable)


def kept_whole(document: Document) -> Kept:
    """Keeps a plain text as a whole, for methods that judge elements; the summary reports it."""
    return Kept(document.readable, remarks=Remarks(fallback=Everything.name))
