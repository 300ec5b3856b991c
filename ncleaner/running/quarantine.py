"""WARC records of pages that were given up: to examine, to report, or to try again.

A record is copied from its archive without a change. If that is not possible, because the input is a pipe or
the archive is damaged there, a new record is made from the page.
"""

from __future__ import annotations

import gzip
import io
from contextlib import suppress
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from ncleaner.limits import Limits
from ncleaner.page import Page
from ncleaner.reading._heads import split_head
from ncleaner.reading.archive import reread_record

__all__ = ["warc_record"]

_MEDIA_TYPE: Final = {"html": "text/html", "text": "text/plain"}
# a record must have a date, and the same page must give the same bytes
_NO_DATE: Final = "1970-01-01T00:00:00Z"


def warc_record(page: Page, limits: Limits) -> bytes:
    """Returns a page's record as a gzip member of a WARC. `limits` are those that the page was read with."""
    record = None
    with suppress(OSError):
        record = reread_record(page, limits)
    if record is None or record.block is None:
        return _new_record("resource", page, page.body, page.content_type or _MEDIA_TYPE[page.kind])
    if record.head:
        return gzip.compress(record.head + record.block + b"\r\n\r\n", mtime=0)
    if split_head(record.block) is None:
        return _new_record("resource", page, record.block, record.content_type or _MEDIA_TYPE[page.kind])
    return _new_record("response", page, record.block, "application/http; msgtype=response")


def _new_record(kind: str, page: Page, block: bytes, content_type: str) -> bytes:
    # this import takes a tenth of the time of a start, and is needed in few runs
    from warcio.warcwriter import WARCWriter

    url = " ".join(page.url.split()) or "urn:ncleaner:unknown"
    name = page.record_id or uuid5(NAMESPACE_URL, f"{url} {page.offset}").urn
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    writer.write_record(
        writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(block),
            length=len(block),
            warc_content_type=content_type,
            warc_headers_dict={"WARC-Record-ID": f"<{name}>", "WARC-Date": page.date or _NO_DATE},
        )
    )
    return out.getvalue()
