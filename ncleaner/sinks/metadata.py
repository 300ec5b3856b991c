"""Metadata of a page for output formats: dates, languages, ids, and strings that can be written."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime

from ncleaner.page import Page


# Namespace of all ids made here; it is fixed, so that a page gets the same id wherever it is cleaned.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "tag:ncleaner,2024:record")


def replace_surrogates(text: str) -> str:
    """Returns a string that can be encoded in UTF-8: unpaired surrogates become `?`.

    File names that are not valid UTF-8 contain such surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def capture_time(date: str) -> datetime | None:
    """Returns the time of a capture, in UTC and whole seconds; None if it is unknown or not a date.

    Reads the dates of WARC/1.1, too, which may have fractions of a second, or only a day.
    """
    try:
        found = datetime.fromisoformat(date)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found.replace(microsecond=0)


def derived_id(page: Page, text: bytes) -> uuid.UUID:
    """Returns an id for the output of a page.

    It is derived from the id of the page's record. Without one, it is derived from the URL, date and offset
    of the page and from its clean text.
    """
    where = f"{page.url}\n{page.date}\n{page.offset}"
    name = page.record_id or f"{where}\n{hashlib.sha256(text).hexdigest()}"
    return uuid.uuid5(_NAMESPACE, replace_surrogates(name))
