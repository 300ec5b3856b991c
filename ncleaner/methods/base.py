"""What a cleaning method is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ncleaner.document import Document

if TYPE_CHECKING:
    pass
from ncleaner.document.kept import Kept

__all__ = ["Method"]


class Method(Protocol):
    """A cleaning method."""

    name: str

    def keep(self, document: Document) -> Kept:
        """Which segments to keep."""
        ...
