"""The uncleaned dump, the baseline of all comparisons: every visible segment."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document.kept import Kept

__all__ = ["Everything"]


class Everything:
    """Keeps every visible segment."""

    name = "everything"

    def keep(self, document: Document) -> Kept:
        """Keeps all visible segments."""
        return Kept(document.visible)
