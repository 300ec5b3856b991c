"""The Document (one UTF-8 buffer and flat tables), and the conversion of HTML and plain text to Documents."""

from ncleaner.document.tables import Document, Segment

__all__ = ["Document", "Segment"]
