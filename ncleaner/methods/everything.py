"""Keeps every segment that is shown: the uncleaned dump, the baseline of all comparisons."""

from __future__ import annotations

from ncleaner.document import Document
from ncleaner.document.kept import Kept

__all__ = ["Everything"]


class Everything:
    """The uncleaned dump."""

    name = "everything"

    def keep(self, document: Document) -> Kept:
        """All of them."""
        return Kept(document.visible)
