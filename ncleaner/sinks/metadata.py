"""What formats say about a page besides its text: dates, languages, ids, and strings that can be written."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.text.codes import declared_language, iso_639_1

__all__ = ["captured", "encodable", "made_id", "stated_language"]


# Of all ids that are made here: the same page gets the same id wherever it is cleaned.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "tag:ncleaner,2024:record")


def encodable(text: str) -> str:
    """A string that has a UTF-8 form: unpaired surrogates, as of file names that are no UTF-8, become `?`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def captured(date: str) -> datetime | None:
    """The time of a capture, in UTC and whole seconds; None when it is unknown or no date.

    Dates of WARC/1.1, with fractions of a second or a day alone, are dates, too.
    """
    try:
        found = datetime.fromisoformat(date)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found.replace(microsecond=0)


def stated_language(document: Document, kept: Kept) -> str:
    """The language of a page as far as it is known without a look at the text: the one a model was chosen
    for, else the declared one; as `iso_639_1`."""
    return iso_639_1(kept.remarks.language or declared_language(document.lang))


def made_id(page: Page, text: bytes) -> uuid.UUID:
    """An id for what is made of a page: of the id of its record alone or, where that has none, of where and
    when it was captured and of its clean text."""
    where = f"{page.url}\n{page.date}\n{page.offset}"
    name = page.record_id or f"{where}\n{hashlib.sha256(text).hexdigest()}"
    return uuid.uuid5(_NAMESPACE, encodable(name))
