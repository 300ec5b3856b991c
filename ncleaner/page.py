"""The items that a reader yields: a captured page, a skipped record, a place of damage."""

import re
from typing import Any, Final, Literal, NamedTuple

#: Layouts of a plain text: a paragraph on each line, paragraphs between empty lines, lines that are wrapped
#: as by Lynx or in mail. Compiled code knows them by their numbers.
LAYOUTS: Final = ("lines", "paragraphs", "wrapped")
#: What a user can say of the layout; `auto`: as the lines of each text tell.
LAYOUT_CHOICES: Final = ("auto", *LAYOUTS)


class TextLayout(NamedTuple):
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


class Page(NamedTuple):
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
        offset: byte offset of the record in `source` as stored; in a table, the number of the row, from 0 on;
            -1 for a file that is one page.
        kind: `html`, or `text` for plain-text dumps and WET records.
        layout: of a text if the reader knows it: of a piece of a longer text, and of a WET record, in which
            each line is a block of the page. None: as the lines of the page tell.
        rights: the fields X-Robots-Tag, TDM-Reservation and TDM-Policy of the HTTP header, a line each; empty
            without them.
        truncated: why the crawler has cut the page, as WARC-Truncated says: `length`, `time`, `disconnect` or
            `unspecified`; empty if it has not.
        status: of the HTTP response, such as 200; 0 when unknown.
        length: stored bytes of the record from `offset` on, if it has a member of the archive to itself, or
            the archive is not compressed; else -1.
        carried: columns of a table that go with the page, as (name, value).
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
    rights: str = ""
    truncated: str = ""
    status: int = 0
    length: int = -1
    carried: tuple[tuple[str, Any], ...] = ()

    @property
    def is_alone(self) -> bool:
        """Whether its input is this page only, or a text of which it is a piece."""
        return self.offset < 0 or (self.layout is not None and self.layout.is_piece)


class Skip(NamedTuple):
    """A record that yields no page: another record type, another media type, a page above the limits.

    >>> import ncleaner
    >>> next(ncleaner.read("examples/crawl.warc.gz")).reason
    'record type warcinfo'

    Attributes:
        reason: a short phrase; summaries count by it.
        url, source, offset: as those of `Page`.
        lost: True for a page that was given up (too large, cannot be decoded), False for a record that is
            passed over on purpose.
        advice: what the user can do about it; empty in most cases.
    """

    reason: str
    url: str = ""
    source: str = ""
    offset: int = -1
    lost: bool = False
    advice: str = ""


class Damage(NamedTuple):
    """A place where an input is broken. The readable parts before and after it are read.

    >>> import io, ncleaner
    >>> [item.what for item in ncleaner.read(io.BytesIO(b""), name="nothing.warc")]
    ['empty']

    Attributes:
        what: a short phrase that names the damage.
        source, offset, url: as those of `Page`.
        unread: True if reading stopped because of a disk or a network, not because of the input itself:
            another run may read more.
        whole: True if no byte is missing, so that another download is the same: a file is empty, or a table
            lacks a column.
    """

    what: str
    source: str = ""
    offset: int = -1
    url: str = ""
    unread: bool = False
    whole: bool = False


class Binary(NamedTuple):
    """The format of a body that is not text, or no page.

    Attributes:
        name: of the format; empty if it is unknown.
        advice: what to do to have its text cleaned.
        is_text: whether it is text, which lists pages or draws a picture.
    """

    name: str
    advice: str
    is_text: bool = False

    @property
    def reason(self) -> str:
        """Why it is not a page; see `Skip`."""
        what = "not a page" if self.is_text else "not text"
        return f"{what} ({self.name})" if self.name else what


_READ: Final = "HTML, text, web archives and tables are read"
_CONVERT: Final = f"{_READ}; convert it first"
_UNPACK: Final = "decompress it first; `ncleaner.pages` and the command line read compressed files"
_UNKNOWN: Final = Binary("", _READ)
_SIGNATURES: Final = {
    b"%PDF-": Binary("PDF", f"{_CONVERT}, for example with pdftotext"),
    b"\x89PNG": Binary("PNG image", _READ),
    b"GIF87a": Binary("GIF image", _READ),
    b"GIF89a": Binary("GIF image", _READ),
    b"\xff\xd8\xff": Binary("JPEG image", _READ),
    b"PK\x03\x04": Binary("ZIP, as are docx, odt and epub", f"{_READ}; unpack or convert it first"),
    b"\x1f\x8b": Binary("gzip", _UNPACK),
    b"\x28\xb5\x2f\xfd": Binary("Zstandard", _UNPACK),
    b"BZh91AY&SY": Binary("bzip2", _UNPACK),
    b"\xfd7zXZ": Binary("xz", _UNPACK),
    b"RIFF": Binary("RIFF: sound, film or image", _READ),
    b"\x7fELF": Binary("program", _READ),
    b"OggS": Binary("Ogg: sound or film", _READ),
    b"wOFF": Binary("font", _READ),
    b"wOF2": Binary("font", _READ),
    b"Rar!\x1a": Binary("RAR archive", _READ),
    b"7z\xbc\xaf\x27\x1c": Binary("7z archive", _READ),
    b"\xd0\xcf\x11\xe0": Binary("document of Microsoft Office", _CONVERT),
    b"{\\rtf": Binary("RTF", _CONVERT),
    b"\xca\xfe\xba\xbe": Binary("program", _READ),
}
_BEGINNINGS: Final = tuple(_SIGNATURES)
# One of the things that are before the first element of an XML document, and this element.
_BEFORE_ROOT: Final = re.compile(
    rb"[\s\xef\xbb\xbf\xff\xfe]+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>",
    re.IGNORECASE | re.DOTALL,
)
_ROOT: Final = re.compile(rb"<(?:[a-z]+:)?(rss|feed|rdf|urlset|sitemapindex|opml|svg)\b[^>]*", re.IGNORECASE)
_OF_PAGES: Final = f"{_READ}, such as the pages that it lists"
# The formats with such a root, and what is before it or in it: other programs may use its name, and a
# page may begin with a picture.
_ROOTS: Final = {
    b"rss": (Binary("RSS feed", _OF_PAGES, True), b""),
    b"feed": (Binary("Atom feed", _OF_PAGES, True), b"atom"),
    b"rdf": (Binary("RSS feed", _OF_PAGES, True), b"/rss/"),
    b"urlset": (Binary("sitemap", _OF_PAGES, True), b""),
    b"sitemapindex": (Binary("sitemap", _OF_PAGES, True), b""),
    b"opml": (Binary("OPML", _OF_PAGES, True), b""),
    b"svg": (Binary("SVG image", _READ, True), b"<?xml"),
}
# The beginnings of most pages, which need no search.
_HTML: Final = (b"<!DOCTYPE html", b"<!doctype html", b"<html")
# Text with few characters of ASCII: alphabets up to Khmer, typographic signs, East Asian scripts. It takes
# milliseconds to compile, and few pages need it.
_USUAL: Final = "[\0-\u17ff\u2010-\u2027\u2030-\u203a\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]+"
_CONTROL: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_HEAD: Final = 2048


def binary(body: bytes, content_type: str = "", *, decoded: bool = False) -> Binary | None:
    """Returns the format of an image, a program, a feed or another file that is no page; None for a page.

    Known formats are recognised by their signatures, those of XML by their first element, others by control
    characters, of which text in any encoding has almost none. In UTF-16, every other byte may be NUL.

    Args:
        body: of a page, or its first two thousand bytes.
        content_type: names the encoding, if it is known.
        decoded: the body was given as text: only signatures count.
    """
    head = body[:_HEAD]
    if head.startswith(_BEGINNINGS):
        return next(found for signature, found in _SIGNATURES.items() if head.startswith(signature))
    if not head.startswith(_HTML) and (
        found := _of_root(head.replace(b"\0", b"") if b"\0" in head else body)
    ):
        return found
    if decoded:
        return None
    controls = len(head) - len(head.translate(None, _CONTROL))
    if controls * 20 <= len(head):
        return None
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or "utf-16" in content_type.lower():
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    others = controls - even - odd
    is_latin = max(even, odd) * 10 >= len(head) // 2 * 6 and min(even, odd) * 10 <= len(head) // 2
    if (is_latin and others * 20 <= len(head)) or utf16_readings(head, with_tags=True):
        return None
    return _UNKNOWN


def utf16_readings(head: bytes, with_tags: bool) -> dict[str, str]:
    """Returns what bytes are as UTF-16, by their order, where 95 of 100 characters are usual ones.

    Args:
        head: the beginning of a text without a byte order mark.
        with_tags: only those in which there is a tag, a space or a line end, and no control characters.
    """
    size = len(head) // 2 * 2
    texts = {name: head[:size].decode(name, "replace") for name in ("utf-16le", "utf-16be")}
    return {
        name: text
        for name, text in texts.items()
        if sum(map(len, re.findall(_USUAL, text))) * 20 >= len(text) * 19
        and not (
            with_tags and (not re.search("<[A-Za-z/!]|[ \n]", text) or re.search("[\0-\x08\x0e-\x1f]", text))
        )
    }


def _of_root(text: bytes) -> Binary | None:
    """Returns the format that the first element of an XML document names; None for a page."""
    at = 0
    while passed := _BEFORE_ROOT.match(text, at):
        at = passed.end()
    root = _ROOT.match(text, at)
    if root is None:
        return None
    found, needed = _ROOTS[root[1].lower()]
    return found if needed in text[: root.end()].lower() else None
