"""The Document: one UTF-8 buffer and flat tables."""

from ncleaner.document.tables import Document, Segment

__all__ = ["Document", "Segment"]
