"""Pages that a browser has saved as MHTML: a message of mail that holds the page and its pictures."""

from __future__ import annotations

from email import message_from_bytes

from ncleaner.page import Page, Skip

__all__ = ["page_in_mhtml"]


def page_in_mhtml(body: bytes, name: str) -> Page | Skip:
    """Returns the page in an MHTML file: its first part that is HTML.

    Args:
        body: the file.
        name: the page's `source`, and its URL where the file names none.
    """
    message = message_from_bytes(body)
    for part in message.walk():
        html = part.get_payload(decode=True)
        if part.get_content_type() in ("text/html", "application/xhtml+xml") and isinstance(html, bytes):
            # browsers wrap long addresses
            url = "".join(str(part["Content-Location"] or message["Snapshot-Content-Location"] or "").split())
            content_type = " ".join(str(part["Content-Type"] or "").split())
            return Page(html, url or name, content_type=content_type, source=name)
    return Skip("no page in the MHTML file", name, name, lost=True, advice="save the page again, as HTML")
