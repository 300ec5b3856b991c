"""The items that a reader yields: a captured page, a skipped record, a place of damage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["LAYOUTS", "LAYOUT_CHOICES", "Damage", "Page", "Skip", "TextLayout"]

#: Layouts of a plain text: a paragraph on each line, paragraphs between empty lines, lines that are wrapped
#: as by Lynx or in mail. Compiled code knows them by their numbers.
LAYOUTS: Final = ("lines", "paragraphs", "wrapped")
#: What a user can say of the layout; `auto`: as the lines of each text tell.
LAYOUT_CHOICES: Final = ("auto", *LAYOUTS)


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How the lines of a plain text are read, and which piece of the text a page is.

    A long text is read in pieces. Its first piece tells the layout of all of them.

    Attributes:
        name: one of `LAYOUTS`.
        width: the column at which the lines of the text are wrapped, in characters; -1: as the lines of the
            page tell.
        margin: the indentation of most of its long lines, in columns; likewise.
        begins, ends: whether the text begins, and ends, with the page.
    """

    name: str
    width: int = -1
    margin: int = -1
    begins: bool = True
    ends: bool = True

    @property
    def is_piece(self) -> bool:
        """Whether the page is only a piece of a text."""
        return not (self.begins and self.ends)


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
        layout: of a text if the reader knows it: of a piece of a longer text, and of a WET record, in which
            each line is a block of the page. None: as the lines of the page tell.
    """

    body: bytes
    url: str = ""
    date: str = ""
    content_type: str = ""
    record_id: str = ""
    source: str = ""
    offset: int = -1
    kind: Literal["html", "text"] = "html"
    layout: TextLayout | None = None

    def __reduce__(self) -> tuple[type[Page], tuple[object, ...]]:
        # every page of a pipe goes to a worker: what dataclasses have for it takes three times as long
        return Page, (
            self.body, self.url, self.date, self.content_type, self.record_id, self.source, self.offset,
            self.kind, self.layout,
        )  # fmt: skip


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
