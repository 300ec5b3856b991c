"""A page as a Document: one UTF-8 buffer and flat tables; how HTML and plain text become one."""

from ncleaner.document.tables import Document, Segment

__all__ = ["Document", "Segment"]
