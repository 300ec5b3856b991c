"""Inputs to pages: WARC, ARC and WET archives, HTML files, text dumps.

`read` turns one input into a stream of pages, of records that are no pages, and of places where the input
is damaged. Nothing in an input raises: whatever can be read around damage is read, and damage is an item of
the stream like any other, so that whoever counts the pages can count it, too.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO, Final, Literal

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.inputs import STDIN, is_binary, sniff
from ncleaner.reading.markers import BOM, Form, form_of, own_form, split
from ncleaner.reading.records import Kind, Record, begins_archive, records, records_from
from ncleaner.reading.streams import Codec, Members, Source, codec_of, zstd_dictionary
from ncleaner.reading.transfer import MAX_HEAD, TooLargeError, UndecodableError, unwrap
from ncleaner.reading.transfer import split as split_head
from ncleaner.storage.places import open_binary

__all__ = ["InputFormat", "original", "pages", "read"]

InputFormat = Literal["auto", "warc", "html", "text"]

#: Pages that are worth reading; all others are errors, redirections or nothing.
_STATUS: Final = frozenset({0, 200, 203, 206})
_HTML: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_MEDIA_TYPE: Final = re.compile(r"\s*([^\s;,]+)")
_HEAD: Final = 4096
_COMPRESSED: Final = re.compile(r"\.(?:warc|arc|wet)\.(gz|zst)\Z", re.IGNORECASE)
_BLOCK: Final = 1 << 16
# Two bytes to a character, so that lines cannot be told by single bytes.
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
# White space, and the byte order mark of UTF-8, bytes of which begin no word.
_WHITE: Final = b" \t\r\n\f\xef\xbb\xbf"
_LOG: Final = logging.getLogger("ncleaner")

Item = Page | Skip | Damage


def read(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    input_format: InputFormat = "auto",
    limits: Limits = Limits(),
    name: str | None = None,
    marker: str | None = None,
) -> Iterator[Page | Skip | Damage]:
    """Read one input: its pages, what is no page, and where it is broken.

    >>> import ncleaner
    >>> from collections import Counter
    >>> dict(Counter(type(item).__name__ for item in ncleaner.read("examples/crawl.warc.gz")))
    {'Skip': 37, 'Page': 15}

    Args:
        source: a path, a URL that fsspec knows, `-` for standard input, or a binary stream, which need not be
            seekable.
        input_format: what it is; `auto` looks at its first bytes and, where these do not tell, at its
            name. `warc` stands for WARC, ARC and WET alike. Compression is always recognised.
        limits: bounds for one page.
        name: what the items call their source, instead of the path.
        marker: a regular expression for the lines that set off the documents of a text: each line in which
            it is found begins a new one, and its first group, if there is one, is the URL. Without it the
            forms in `markers.FORMS` are recognised by a text's first line. Archives and HTML have no such
            lines.

    Yields:
        Pages in the order of the input, and between them a `Skip` for each record that is no page and a
        `Damage` for each place that is broken. A page that is damaged yields both itself and its damage.

    Raises:
        InputError: the input cannot be opened, or the marker is no regular expression.
    """
    if input_format not in ("auto", "warc", "html", "text"):
        raise InputError(f"unknown input format {input_format!r}: give auto, warc, html, or text")
    form = own_form(marker) if marker is not None else None
    if not isinstance(source, str | os.PathLike):
        yield from _read(source, name or STDIN, input_format, limits, form)
    elif os.fspath(source) == STDIN:
        yield from _read(sys.stdin.buffer, name or STDIN, input_format, limits, form)
    else:
        path = os.fspath(source)
        try:
            stream = open_binary(path)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error
        with stream:
            yield from _read(stream, name or path, input_format, limits, form)


def pages(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    input_format: InputFormat = "auto",
    limits: Limits = Limits(),
    name: str | None = None,
    marker: str | None = None,
) -> Iterator[Page]:
    """Read the pages of one input; arguments as for `read`.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner()
    >>> texts = [cleaner.clean(page.body) for page in ncleaner.pages("examples/crawl.warc.gz")]
    >>> len(texts)
    15

    Damage, and pages that had to be given up, are told to the logger `ncleaner` as warnings.
    """
    for item in read(source, input_format=input_format, limits=limits, name=name, marker=marker):
        if isinstance(item, Page):
            yield item
        elif isinstance(item, Damage):
            _LOG.warning("%s%s: %s", item.source, _at(item), item.what)
        elif item.lost:
            _LOG.warning("%s%s: page given up: %s", item.source, _at(item), item.reason)


def original(page: Page, limits: Limits = Limits()) -> Record | None:
    """Read the record that a page was made of once more; None if it cannot be found, or there is none.

    Raises:
        OSError: the archive cannot be opened any more.
    """
    if page.source == STDIN or page.offset < 0:
        return None
    bound = limits.bytes + MAX_HEAD

    def found(items: Iterable[Record | Damage]) -> Record | None:
        for item in items:
            if isinstance(item, Record) and (item.offset, item.url) == (page.offset, page.url):
                return item
            if item.offset > page.offset:
                break
        return None

    with open_binary(page.source) as stream:
        source = Source(stream, page.source, max(bound, 1 << 20))
        codec = _codec(source.peek(_HEAD), page.source)
        kind = begins_archive(_layers(source, codec)[-1].peek(_HEAD))
        if kind is None:
            return None
        source.rewind(0)
        record = found(records_from(source, codec, kind, bound, page.offset))
        if record is None:
            # the offset is that of a member with more in it
            source.rewind(0)
            record = found(records(source, codec, kind, bound))
        return record


def _at(item: Skip | Damage) -> str:
    place = f", offset {item.offset}" if item.offset >= 0 else ""
    return f"{place}, {item.url}" if item.url else place


def _read(
    stream: BinaryIO, name: str, input_format: InputFormat, limits: Limits, form: Form | None
) -> Iterator[Item]:
    source = Source(stream, name, max(limits.bytes + MAX_HEAD, 1 << 20))
    told = False
    for item in _items(source, name, input_format, limits, form):
        unread = isinstance(item, Damage) and item.unread
        # a source that cannot be read on ends every layer above it: the first to say so is enough
        if not (unread and told):
            yield item
        told = told or unread


def _items(
    source: Source, name: str, input_format: InputFormat, limits: Limits, form: Form | None
) -> Iterator[Item]:
    bound = limits.bytes + MAX_HEAD
    start = source.tell()
    if not source.peek(1):
        yield Damage(source.broken or "empty", name, 0, unread=bool(source.broken))
        return
    codec = _codec(source.peek(_HEAD), name)
    layers = _layers(source, codec)
    head = layers[-1].peek(_HEAD)
    found: Literal["warc", "arc", "html", "text"]
    if input_format == "warc":
        found = begins_archive(head) or "warc"
    else:
        found = sniff(head, name) if input_format == "auto" else input_format
        if found == "html" and input_format == "auto" and _is_set_off(head, name, form):
            found = "text"
    if found in ("warc", "arc"):
        kind: Kind = "arc" if found == "arc" else "warc"
        source.rewind(start)
        for item in records(source, codec, kind, bound):
            if isinstance(item, Damage):
                yield item
            else:
                yield from _of_record(item, name, limits.bytes)
        return
    pieces = iter(layers[-1].read, b"")
    if found == "html":
        yield _of_file(pieces, name, limits.bytes)
    else:
        yield from _of_text(pieces, name, limits.bytes, layers[0].codec == "plain", form)
    for layer in layers:
        yield from layer.found


def _codec(head: bytes, name: str) -> Codec:
    """Tell the compression of a stream; for an archive broken at its very beginning, by its name."""
    codec = codec_of(head)
    match = _COMPRESSED.search(name)
    if codec == "plain" and match and not begins_archive(head):
        return "gzip" if match[1].lower() == "gz" else "zstd"
    return codec


def _layers(source: Source, codec: Codec) -> list[Members]:
    """Undo the compression of a stream, twice where it has been compressed once more."""
    members = Members(source, codec, None, zstd_dictionary(source))
    members.next_member()
    layers = [members]
    inner = codec_of(members.peek(4))
    if codec != "plain" and inner != "plain":
        members = Members(Source(members, source.name, 1 << 20), inner)
        members.next_member()
        layers.append(members)
    return layers


# Archives


def _of_record(record: Record, name: str, limit: int) -> Iterator[Item]:
    """Make a page of a record, or say why it is none."""
    block = record.block
    if record.large:
        yield Skip("too large", record.url, name, record.offset, lost=True)
        return
    if block is None:
        # Only counted, so its header is not searched for a URL.
        yield Skip(f"record type {record.type}", source=name, offset=record.offset)
        return
    body = block
    content_type = record.content_type
    trouble = ""
    head = split_head(block) if record.type == "response" else None
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
    if head is not None:
        try:
            body, trouble = unwrap(block[head.end :], head, limit)
        except TooLargeError:
            yield Skip("too large", record.url, name, record.offset, lost=True)
            return
        except UndecodableError as error:
            yield Skip(f"cannot decode {error}", record.url, name, record.offset, lost=True)
            return
    if trouble and not record.truncated:
        yield Damage(trouble, name, record.offset, record.url)
    if not body:
        yield Skip("empty body", record.url, name, record.offset)
    elif len(body) > limit:
        yield Skip("too large", record.url, name, record.offset, lost=True)
    elif is_binary(body, content_type):
        yield Skip("not text", record.url, name, record.offset, lost=True)
    else:
        text = media_type == "text/plain" or record.type == "conversion"
        if not media_type and not text:
            text = sniff(body[:_HEAD]) == "text"
        yield Page(
            body,
            record.url,
            record.date,
            content_type,
            record.record_id,
            name,
            record.offset,
            "text" if text else "html",
        )


# Files


def _of_file(pieces: Iterator[bytes], name: str, limit: int) -> Item:
    """Make a page of a file that is one."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > limit:
            return Skip("too large", name, name, lost=True)
    if not body:
        return Damage("empty", name, 0)
    page = bytes(body)
    if is_binary(page):
        return Skip("not text", name, name, lost=True)
    return Page(page, name, source=name)


def _is_set_off(head: bytes, name: str, form: Form | None) -> bool:
    """Whether what looks like markup is text: there is none but the marker lines, which may be tags.

    `<text id="…">` also stands before whole HTML pages, so that what follows has to tell.
    """
    own = form is not None
    form = form or form_of(head)
    if form is None or head.startswith(_WIDE):
        return False
    lines = head.splitlines(keepends=True)
    others = form.text(b"".join(line for line in lines if form.url(line) is None))
    if own and len(others) == len(head):
        return False
    return sniff(others, name) == "text" and sniff(others) == "text"


def _of_text(
    pieces: Iterator[bytes], name: str, limit: int, plain: bool, form: Form | None
) -> Iterator[Item]:
    """Make pages of a text.

    It may hold many documents, set off by marker lines: of a form that the user gave, or of a known one if
    the first line that is not empty is of that form. A text without such lines is one page, and one that is
    too long for a page is several, cut between paragraphs: text is no less good for coming in one large file.
    """
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        if buffer.lstrip(_WHITE).find(b"\n") >= 0 or len(buffer) > _BLOCK:
            break
    if not buffer:
        yield Damage("empty", name, 0)
        return
    form = None if buffer.startswith(_WIDE) else form or form_of(bytes(buffer))
    if form:
        documents = _set_off(chain([bytes(buffer)], pieces), form, limit, name)
    else:
        documents = ((at if plain else -1, name, body) for at, body in _cut(buffer, pieces, limit))
    for offset, url, body in documents:
        if body is None:
            yield Skip("too large", url or name, name, offset, lost=True)
        elif is_binary(body):
            yield Skip("not text", url or name, name, offset, lost=True)
        else:
            yield Page(body, url, source=name, offset=offset, kind="text")


def _set_off(
    blocks: Iterable[bytes], form: Form, limit: int, name: str
) -> Iterator[tuple[int, str, bytes | None]]:
    """Cut a stream at its marker lines: offset, URL, and text, or None for a text above the limit.

    Offsets are those in the text, also where it is compressed: they tell documents without a URL apart.
    """
    parts = split(blocks, form, limit)
    before = next(parts, None)
    if before is None:
        return
    if not before.marker:
        after = next(parts, None)
        if after is None:
            # No marker line at all: a text like any other.
            yield -1, name, before.body
            return
        if before.body is None or before.body.strip(_WHITE):
            yield before.offset, "", before.body
        before = after
    for part in chain([before], parts):
        # The marker line begins behind the byte order mark.
        mark = len(part.marker) - len(part.marker.removeprefix(BOM))
        yield part.offset + mark, part.url, None if part.body is None else form.text(part.body)


def _cut(buffer: bytearray, pieces: Iterator[bytes], limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Cut a stream into texts of no more than the limit, between paragraphs if there are any.

    Gives each text with its offset, -1 if it is the only one, and None for one that cannot be cut.
    """
    wide = buffer.startswith(_WIDE)
    offset = 0
    piece: bytes = b""
    while True:
        while len(buffer) > limit:
            if wide:
                yield -1, None
                return
            end = _paragraph_end(buffer, limit)
            yield offset, bytes(memoryview(buffer)[:end])
            del buffer[:end]
            offset += end
        piece = next(pieces, b"")
        if not piece:
            break
        buffer += piece
    if buffer:
        yield offset or -1, bytes(buffer)


def _paragraph_end(buffer: bytearray, limit: int) -> int:
    """Find the best place to cut at or before the limit: a blank line, a line, a word, a character."""
    for mark in (b"\n\n", b"\n\r\n", b"\n", b" "):
        end = buffer.rfind(mark, 0, limit)
        if end > 0:
            return end + len(mark)
    end = limit
    while end > max(1, limit - 3) and buffer[end] & 0xC0 == 0x80:
        end -= 1
    return end
