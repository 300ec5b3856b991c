"""The items that a reader yields: a captured page, a skipped record, a place of damage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Damage", "Page", "Skip"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was captured, and its place in the input.

    >>> import ncleaner
    >>> page = next(ncleaner.pages("examples/crawl.warc.gz"))
    >>> page.kind, page.content_type, page.offset
    ('html', 'text/html; charset=utf-8', 837)

    Attributes:
        body: the bytes of the page, with transfer and content encodings undone.
        url: target URI, or the path of a file; empty when unknown.
        date: time of the capture as in WARC-Date (`2024-05-01T10:00:00Z`); empty when unknown.
        content_type: the whole HTTP Content-Type (`text/html; charset=koi8-r`); empty when unknown.
        record_id: WARC-Record-ID without its brackets; empty when unknown.
        source: the archive or file that the page was read from; `-` for standard input.
        offset: byte offset of the record in `source` as stored; -1 for a file that is one page.
        kind: `html`, or `text` for plain-text dumps and WET records.
    """

    body: bytes
    url: str = ""
    date: str = ""
    content_type: str = ""
    record_id: str = ""
    source: str = ""
    offset: int = -1
    kind: Literal["html", "text"] = "html"


@dataclass(frozen=True, slots=True)
class Skip:
    """A record that yields no page: another record type, another media type, a page above the limits.

    >>> import ncleaner
    >>> next(ncleaner.read("examples/crawl.warc.gz")).reason
    'record type warcinfo'

    Attributes:
        reason: a short phrase; summaries count by it.
        url, source, offset: as those of `Page`.
        lost: True for a page that was given up (too large, cannot be decoded), False for a record that is
            passed over on purpose.
    """

    reason: str
    url: str = ""
    source: str = ""
    offset: int = -1
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Damage:
    """A place where an input is broken. The readable parts before and after it are read.

    >>> import io, ncleaner
    >>> [item.what for item in ncleaner.read(io.BytesIO(b""), name="nothing.warc")]
    ['empty']

    Attributes:
        what: a short phrase that names the damage.
        source, offset, url: as those of `Page`.
        unread: True if reading stopped because of a disk or a network, not because of the input itself:
            another run may read more.
    """

    what: str
    source: str = ""
    offset: int = -1
    url: str = ""
    unread: bool = False
