"""From the record of a capture to its page."""

import re
from collections.abc import Iterator
from typing import Final

from ncleaner.page import LAYOUTS, Damage, Page, Skip, TextLayout, binary
from ncleaner.reading._warc import MAX_HEAD, Head, split_head
from ncleaner.reading.inputs import sniff
from ncleaner.reading.records import Record
from ncleaner.reading.transfer import TooLargeError, UndecodableError, unwrap

#: HTTP status codes of pages with content (0: no code in the status line); others are errors, redirections
#: or empty.
_STATUS: Final = frozenset({0, 200, 203, 206})
_HTML: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_MEDIA_TYPE: Final = re.compile(r"\s*([^\s;,]+)")
# Targets of records in which a crawler says something of a page or of itself: browsertrix has the text that a
# browser shows, `urn:text:https://…`, and what it has loaded, `urn:pageinfo:https://…`; wget has its log.
_OF_CRAWLER: Final = re.compile(r"urn:[a-z0-9-]+:https?:|metadata:", re.IGNORECASE)
# In the records of a WET archive, each line is a block of the page.
_WET_LAYOUT: Final = TextLayout(LAYOUTS[0])
_HEAD: Final = 4096


def page_of_record(record: Record, name: str, limit: int) -> Iterator[Page | Skip | Damage]:
    """Yields the page of a record and its damage, or a `Skip` that says why it yields no page."""
    block = record.block
    if record.large:
        yield Skip("too large", record.url, name, record.offset, lost=True)
        return
    if block is None:
        # such records are only counted, so their headers are not searched for a URL
        yield Skip(f"record type {record.type}", source=name, offset=record.offset)
        return
    if record.type == "resource" and _OF_CRAWLER.match(record.url):
        yield Skip("record of the crawler", record.url, name, record.offset)
        return
    content_type = record.content_type
    trouble = ""
    head = record.http
    start = 0
    if head is None and record.type == "response" and (head := split_head(block)):
        start = head.end
    if head is not None:
        content_type = head.content_type
        if head.status not in _STATUS:
            yield Skip(f"http status {head.status}", record.url, name, record.offset)
            return
    elif content_type.startswith("application/http"):
        content_type = ""
        trouble = "response without HTTP headers"
    match = _MEDIA_TYPE.match(content_type)
    media_type = match[1].lower() if match else ""
    if media_type and media_type not in _HTML and media_type != "text/plain":
        yield Skip(f"media type {media_type}", record.url, name, record.offset)
        return
    try:
        body, more = unwrap(block[start:] if start else block, head, limit)
    except TooLargeError:
        yield Skip("too large", record.url, name, record.offset, lost=True)
        return
    except UndecodableError as error:
        yield Skip(f"cannot decode {error}", record.url, name, record.offset, lost=True)
        return
    trouble = trouble or more
    if trouble and not record.truncated:
        yield Damage(trouble, name, record.offset, record.url)
    yield _page_of_body(record, body, head, content_type, media_type, name)


def _page_of_body(
    record: Record, body: bytes, head: Head | None, content_type: str, media_type: str, name: str
) -> Page | Skip:
    """Returns the page of a record whose body is decoded."""
    if not body:
        is_cut = head is not None and head.end >= MAX_HEAD
        reason = "HTTP header too long" if is_cut else "empty body"
        return Skip(reason, record.url, name, record.offset, lost=is_cut)
    if found := binary(body, content_type):
        return Skip(found.reason, record.url, name, record.offset, lost=not found.is_text)
    text = media_type == "text/plain" or record.type == "conversion"
    if not media_type and not text:
        text = sniff(body[:_HEAD]) in ("text", "mhtml")
    return Page(
        body, record.url, record.date, content_type, record.record_id, name, record.offset,
        "text" if text else "html", _WET_LAYOUT if record.type == "conversion" else None,
        head.rights if head is not None else "", truncated=record.truncated,
        status=head.status if head is not None else 0, length=record.length,
    )  # fmt: skip
