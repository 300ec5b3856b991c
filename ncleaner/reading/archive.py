"""Reads pages from WARC, ARC and WET archives, HTML files and text dumps.

`read` turns one input into a stream of pages, of records that yield no page, and of places where the input
is damaged. The content of an input never raises an exception: the readable parts before and after damage are
read, and damage is an item of the stream, so that callers can count it like pages.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple, TypeVar

from ncleaner.arguments import check_is
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import LAYOUT_CHOICES, Binary, Damage, Page, Skip, TextLayout, binary
from ncleaner.reading._warc import MAX_HEAD
from ncleaner.reading.captures import page_of_record
from ncleaner.reading.inflating import BLOCK, is_zip
from ncleaner.reading.inputs import (
    STDIN,
    UNMARKED,
    TableKind,
    TableOptions,
    is_archive,
    is_page,
    is_table,
    place_in,
    sniff,
    table_kind,
)
from ncleaner.reading.markers import (
    BOM,
    MarkerForm,
    custom_form,
    detect_form,
    html_of,
    pieces_of,
    split_documents,
)
from ncleaner.reading.opening import compression_of, layers_of, opened
from ncleaner.reading.raw_records import StoredRecord, stored_records
from ncleaner.reading.records import ArchiveKind, Record, archive_kind, records, records_from
from ncleaner.reading.streams import Member, Members, Source
from ncleaner.storage.places import open_binary
from ncleaner.text.visible import visible

InputFormat = Literal["auto", "warc", "html", "text"]

# in characters
_LONGEST_PATH: Final = 4096
_IS_PAGE: Final = re.compile(r"\s*<[!?a-z][^<]*>", re.IGNORECASE)
_TAG_LINE: Final = re.compile(rb"\s*<[a-z][^<>\n]*>[ \t\r]*\n", re.IGNORECASE)
_HEAD: Final = 4096
# Bytes of a pipe that are kept to read again after damage, when records are copied.
_KEPT: Final = 1 << 24
# Byte order marks of UTF-16, in which a line cannot be found by the byte of its line feed.
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
# White space, and the bytes of the byte order mark of UTF-8, with which no word begins.
_WHITE: Final = b" \t\r\n\f\xef\xbb\xbf"
# The beginning of JSON: an object, in a list or not, with a name and a colon. CSV and TSV begin with a line
# of names: at least three, or one is that of a column of addresses or texts.
_JSON: Final = re.compile(rb"""(?:\xef\xbb\xbf)?[\s[]*\{\s*"[^"\\]{1,100}"\s*:""")
_NAMES: Final = rb"(?=[^\n]*\b(?:url|uri|html|body|content|text)\b|(?:[^\n,\t]*[,\t]){2})"
_CSV: Final = re.compile(rb"(?i)(?:\xef\xbb\xbf)?" + _NAMES + rb"[\"\w.-]+(?:[,\t][\"\w.-]+)+\r?\n")
# The beginning of a header field of a message.
_FIELD: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:")
_DATA: Final = (
    (_JSON, Binary("JSON", "JSON lines are read, which jq -c '.[]' makes of a list")),
    (_CSV, Binary("CSV", "--column NAME reads it as a table, --input-format text as a text", is_text=True)),
)
_LOG: Final = logging.getLogger("ncleaner")

Item = Page | Skip | Damage


class _Reading(NamedTuple):
    """How texts are read: the form of their marker lines, if the user gives one, and their layout; and what
    the user says of tables."""

    form: MarkerForm | None = None
    layout: str = "auto"
    table: TableOptions = TableOptions()


T = TypeVar("T")
Placed = TypeVar("Placed", Item, StoredRecord | Damage)


def read(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    input_format: InputFormat = "auto",
    limits: Limits = Limits(),
    name: str | None = None,
    marker: str | None = None,
    text: str = "auto",
    column: str | None = None,
    carry: Sequence[tuple[str, type]] = (),
    prefix: str | None = None,
    on_read: Callable[[], None] | None = None,
) -> Iterator[Page | Skip | Damage]:
    """Reads one input: its pages, the records that yield no page, and the places of damage.

    >>> import ncleaner
    >>> from collections import Counter
    >>> dict(Counter(type(item).__name__ for item in ncleaner.read("examples/crawl.warc.gz")))
    {'Skip': 37, 'Page': 15}

    Args:
        source: a path, a URL that fsspec knows, `-` for standard input, or a binary stream, which need not be
            seekable.
        input_format: the format; `auto` recognises it by the first bytes or, where these are not enough, by
            the name. `warc` stands for WARC, ARC and WET. Compression is always recognised.
        limits: bounds for one page.
        name: the items' `source`, instead of the path.
        marker: a regular expression for the marker lines between the documents of a text: each line in which
            it is found begins a new document, and its first group, if there is one, is the URL. Without it,
            the forms in `markers.FORMS` are recognised by the first line of a text. Archives and HTML have no
            marker lines.
        text: the layout of texts: `lines`, `paragraphs` or `wrapped` (see `dumping.plain.dump_text`), or
            `auto`: as their lines tell. It decides where a text of more than a mebibyte is cut into pages.
        column: the column of a table that has the pages; by default `html`, or another name of
            `columns.txt`. A table with archives, offsets and lengths instead, as Common Crawl's index and the
            rows that this package writes, gives the pages at these places.
        carry: (name, type) of the columns of a table that go with its pages; see `Page.carried`.
        prefix: is put before the names of archives in a table: a directory or a URL.
        on_read: called each time the input has given bytes, which may be long before the next item.

    Yields:
        Pages in the order of the input, and between them a `Skip` for each record that yields no page and a
        `Damage` for each place that is broken. A damaged page yields its damage and itself.

    Raises:
        TypeError: an argument has another type.
        InputError: there is no such format, or the marker is not a regular expression; at the first item, the
            input cannot be opened.
    """
    check_source(source)
    if input_format not in ("auto", "warc", "html", "text"):
        raise InputError(f"unknown input format {input_format!r}: give auto, warc, html, or text")
    if text not in LAYOUT_CHOICES:
        raise InputError(f"unknown layout of text {text!r}: give {', '.join(LAYOUT_CHOICES)}")
    check_is("limits", limits, Limits, "Limits(…)")
    for what, value in (("name", name), ("marker", marker), ("column", column), ("prefix", prefix)):
        if value is not None:
            check_is(what, value, str, "a str")
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        raise InputError(f"{source}: is a directory, which `ncleaner.rows` reads: give a file in it")
    form = custom_form(marker) if marker is not None else None
    kind = input_format if input_format in ("html", "text") else ""
    table = TableOptions(column, tuple(carry), prefix or "", kind)
    return _read(source, name, input_format, limits, _Reading(form, text, table), on_read)


def check_source(source: object) -> None:
    """Raises TypeError: the source is nothing that `read` opens. Raises InputError: it is the page itself."""
    if not hasattr(source, "read"):
        check_is("source", source, (str, os.PathLike), "a path, a URL, or a file that is open with 'rb'")
    # many parsers take the page there
    if isinstance(source, str) and (len(source) > _LONGEST_PATH or _IS_PAGE.match(source)):
        raise InputError(
            "the source is a page, not the path of one: `ncleaner.clean` and `ncleaner.extract` take a page"
        )


def read_stored(
    source: str | os.PathLike[str] | BinaryIO, folder: Path | None = None, pipes: bool = True
) -> Iterator[StoredRecord | Damage]:
    """Reads the records of one archive as they are stored, of all types, and the places of damage.

    Args:
        source: as for `read`. An input that is no archive yields a `Damage` only.
        folder: for temporary files, which hold records of more than some megabytes.
        pipes: see `open_binary`.

    Raises:
        InputError: the input cannot be opened.
        OSError: a temporary file cannot be written.
    """
    with opened(source, pipes) as (stream, name), _archives(stream, name, _KEPT) as parts:
        yield from _of_parts(parts, lambda part: _stored(part, name, folder))


def _stored(source: Source, name: str, folder: Path | None) -> Iterator[StoredRecord | Damage]:
    start = source.tell()
    if not source.peek(1):
        yield Damage(source.broken or "empty", name, start, unread=bool(source.broken))
        return
    codec = compression_of(source.peek(_HEAD), name)
    content = sniff(layers_of(source, codec)[-1].peek(_HEAD), name)
    source.rewind(start)
    if content == "warc" or content == "arc":
        yield from stored_records(source, content, codec, folder)
    else:
        yield Damage("neither a WARC nor an ARC; it is left out", name, 0)


def pages(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    input_format: InputFormat = "auto",
    limits: Limits = Limits(),
    name: str | None = None,
    marker: str | None = None,
    text: str = "auto",
    column: str | None = None,
    carry: Sequence[tuple[str, type]] = (),
    prefix: str | None = None,
) -> Iterator[Page]:
    """Reads the pages of one input; arguments as for `read`.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner()
    >>> texts = [cleaner.clean(page) for page in ncleaner.pages("examples/crawl.warc.gz")]
    >>> len(texts)
    15

    Damage, and pages that are given up, are logged as warnings by the logger `ncleaner`.
    """
    items = read(
        source, input_format=input_format, limits=limits, name=name, marker=marker, text=text, column=column,
        carry=carry, prefix=prefix,
    )  # fmt: skip
    return _pages_of(items)


def _pages_of(items: Iterator[Item]) -> Iterator[Page]:
    for item in items:
        if isinstance(item, Page):
            yield item
        elif isinstance(item, Damage):
            _LOG.warning("%s: %s", _place(item), visible(item.what))
        elif item.lost:
            what = f"{item.reason}: {item.advice}" if item.advice else item.reason
            _LOG.warning("%s: page given up: %s", _place(item), visible(what))


def reread_record(page: Page, limits: Limits = Limits()) -> Record | None:
    """Reads the record of a page again; None if the page has no record, or it cannot be found.

    Raises:
        OSError: the archive can no longer be opened.
    """
    if page.source == STDIN or page.offset < 0:
        return None
    return record_at(page.source, page.offset, page.url, limits)


def record_at(path: str, offset: int, url: str | None = None, limits: Limits = Limits()) -> Record | None:
    """Reads the record at a place of an archive; None if there is none. It does not read what is before it.

    Args:
        path: of the archive.
        offset: of the record, in bytes of the archive as stored.
        url: that of the record, where several have one compressed member; the first by default.
        limits: limits of size.

    Raises:
        OSError: the archive cannot be opened.
    """
    bound = limits.bytes + MAX_HEAD

    def search(items: Iterable[Record | Damage]) -> Record | None:
        for item in items:
            if isinstance(item, Record) and item.offset == offset and url in (None, item.url):
                return item
            if item.offset > offset:
                break
        return None

    with open_binary(path) as stream, _archives(stream, path, max(bound, 1 << 20)) as parts:
        for part in parts:
            if isinstance(part, Damage):
                continue
            source = part.source
            if part.offset >= 0 or 0 <= source.end <= offset or offset < source.start:
                continue
            codec = compression_of(source.peek(_HEAD), path)
            kind = archive_kind(layers_of(source, codec)[-1].peek(_HEAD))
            if kind is None:
                continue
            source.rewind(source.start)
            record = search(records_from(source, codec, kind, bound, offset))
            if record is None:
                # the offset is that of a member with several records
                source.rewind(source.start)
                record = search(records(source, codec, kind, bound))
            if record is not None:
                return record
    return None


def _place(item: Skip | Damage) -> str:
    place = ", ".join(filter(None, [visible(item.source), place_in(item.source, item.offset)]))
    return f"{place}, {visible(item.url)}" if item.url not in ("", item.source) else place


def _read(
    source: str | os.PathLike[str] | BinaryIO,
    name: str | None,
    input_format: InputFormat,
    limits: Limits,
    reading: _Reading,
    on_read: Callable[[], None] | None,
) -> Iterator[Item]:
    keep = max(limits.bytes + MAX_HEAD, 1 << 20)
    with opened(source) as (stream, its_name):
        name = name or its_name
        with _archives(stream, name, keep, on_read, input_format in ("auto", "warc")) as parts:
            yield from _of_parts(parts, lambda part: _items(part, name, input_format, limits, reading))


@contextmanager
def _archives(
    stream: BinaryIO | Source,
    name: str,
    keep: int,
    on_read: Callable[[], None] | None = None,
    may_be_zip: bool = True,
) -> Iterator[Iterable[Member | Damage]]:
    """Yields the archives in an input: those of a ZIP file; of any other input, the input itself."""
    # a caller may have read some of it
    source = stream if isinstance(stream, Source) else Source(stream, name, keep, on_read=on_read)
    if not (may_be_zip and is_zip(source.peek(4))):
        yield [Member(source)]
        return
    # only now, since most runs have no ZIP files
    from ncleaner.reading.containers import archives_in_zip, seekable

    with seekable(source, keep) as file:
        yield archives_in_zip(file, keep, is_archive, name)


def _of_parts(
    parts: Iterable[Member | Damage], items_of: Callable[[Source], Iterable[Placed]]
) -> Iterator[Placed | Damage]:
    """Yields the items of archives, with offsets in the input."""
    for part in parts:
        if isinstance(part, Damage):
            yield part
            continue
        for item in unread_once(items_of(part.source)):
            # the bytes at the offset are those of the ZIP file
            yield item if part.offset < 0 else placed_at(item, part.offset)


def placed_at(item: Placed, offset: int) -> Placed:
    """Returns an item of a copy with its offset in the input, where its length is unknown."""
    item = item._replace(offset=offset)
    return item._replace(length=-1) if isinstance(item, Page) else item


def unread_once(items: Iterable[T]) -> Iterator[T]:
    """Yields all items, but only the first report that the input cannot be read further."""
    reported = False
    for item in items:
        unread = isinstance(item, Damage) and item.unread
        # if the source cannot be read further, every layer above it reports the damage: one report is enough
        if not (unread and reported):
            yield item
        reported = reported or unread


def _items(
    source: Source, name: str, input_format: InputFormat, limits: Limits, reading: _Reading
) -> Iterator[Item]:
    """Yields the items of one archive or file.

    A file without bytes, as a failed download leaves it, is a page without text if its name is that of a
    page, and so is standard input; else it is damage."""
    start = source.tell()
    count = 0
    if source.peek(1):
        for item in _contents(source, name, input_format, limits, reading):
            yield item
            count += 1
    is_dump = name == STDIN and input_format != "warc"
    if not count and (is_page(name) or is_dump) and not source.broken:
        yield Page(b"", name, source=name, kind="text" if sniff(b"", name) == "text" else "html")
    elif not count and (source.broken or not (is_table(name) and source.tell() > start)):
        # a table may have no rows
        yield Damage(source.broken or "empty", name, start, "", bool(source.broken), not source.broken)


def _contents(
    source: Source, name: str, input_format: InputFormat, limits: Limits, reading: _Reading
) -> Iterator[Item]:
    bound = limits.bytes + MAX_HEAD
    start = source.tell()
    codec = compression_of(source.peek(_HEAD), name)
    layers = layers_of(source, codec)
    head = layers[-1].peek(_HEAD)
    table = None
    if input_format != "warc" and not archive_kind(head) and not is_page(name):
        table = table_kind(head, name, reading.table.column)
    content: Literal["warc", "arc", "html", "mhtml", "mail", "text", "prevertical"]
    if input_format == "warc":
        content = archive_kind(head) or "warc"
    else:
        content = sniff(head, name) if input_format == "auto" else input_format
        if input_format == "auto" and content in ("html", "text"):
            if _is_prevertical(head, name, reading.form):
                content = "prevertical"
            elif content == "html" and _is_marked_text(head, name, reading.form):
                content = "text"
            else:
                content = _mail_in(head, name) or content
    # a pipe may have forgotten its beginning: then, if nothing has been found, the layers say why
    if content in ("warc", "arc") and (source.rewind(start) == start or head):
        kind: ArchiveKind = "arc" if content == "arc" else "warc"
        for item in records(source, codec, kind, bound):
            if isinstance(item, Damage):
                yield item
            else:
                yield from page_of_record(item, name, limits.bytes)
        return
    if table is not None:
        yield from _items_of_table(table, source, layers, limits, reading.table)
    elif head and input_format == "auto" and not is_page(name) and (data := _data_in(head)):
        yield Skip(data.reason, name, name, lost=True, advice=data.advice)
    elif head:
        pieces = iter(layers[-1].read, b"")
        if content not in ("text", "prevertical"):
            yield from _page_of_file(pieces, name, limits.bytes, content)
        else:
            plain = layers[0].codec == "plain"
            for page in _pages_of_text(pieces, name, limits.bytes, source if plain else None, reading):
                if content == "prevertical" and isinstance(page, Page):
                    page = page._replace(body=html_of(page.body), kind="html")
                yield page
    for layer in layers:
        yield from layer.pending


def _data_in(head: bytes) -> Binary | None:
    """Returns the format of what is neither a text nor a page by its first line; None for others."""
    return next((found for beginning, found in _DATA if beginning.match(head)), None)


def _items_of_table(
    kind: TableKind, source: Source, layers: Sequence[Members], limits: Limits, options: TableOptions
) -> Iterator[Item]:
    """Yields the items of a table: its pages, or those at the addresses in it."""
    # only now, since most runs have no tables
    from ncleaner.reading.addresses import pages_at
    from ncleaner.reading.cells import Address, pages_of_table

    addresses: list[Address] = []
    for item in pages_of_table(kind, source, layers, limits.bytes, options):
        if isinstance(item, Address):
            addresses.append(item)
        else:
            yield item
    if addresses:
        yield from pages_at(addresses, limits, lambda path: read(path, limits=limits))


# Files


def _page_of_file(pieces: Iterator[bytes], name: str, limit: int, content: str) -> Iterator[Item]:
    """Yields a file as one page."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > limit:
            yield Skip("too large", name, name, lost=True)
            return
    page = Page(bytes(body), name, source=name)
    found: Iterable[Item] = [page]
    if content == "mail":
        found = _page_of_text(page._replace(kind="text"))
    elif content == "mhtml":
        # only now, since most runs have no such files
        from ncleaner.reading.containers import page_in_mhtml

        found = page_in_mhtml(page.body, name)
    for item in found:
        if isinstance(item, Page) and (what := binary(item.body, item.content_type)):
            item = Skip(what.reason, name, name, lost=True, advice=what.advice)
        yield item


def _is_marked_text(head: bytes, name: str, form: MarkerForm | None) -> bool:
    """Whether an input that looks like HTML is a text whose only tags are its marker lines, or has a line
    such as `URL: …` before each page.

    `<text id="…">` also is before whole HTML pages, so the lines after it decide.
    """
    is_custom = form is not None
    form = form or detect_form(head)
    if form is None or head.startswith(_UTF16_MARKS):
        return False
    others = _between(head, form)
    if is_custom and len(others) == len(head):
        return False
    if form.beginning and form.beginning[0] != 60 and not form.after_empty and sniff(b"", name) != "html":
        return True
    return sniff(others, name) == "text" and sniff(others) == "text"


def _is_prevertical(head: bytes, name: str, form: MarkerForm | None) -> bool:
    """Whether an input is a corpus before tokenising, whose documents begin with a tag on a line of its own.

    They are read as HTML.
    """
    # the name of an HTML page decides
    if form is not None or sniff(b"", name) == "html":
        return False
    form = detect_form(head)
    return form is not None and form.has_markup and bool(_TAG_LINE.match(_between(head, form)))


def _between(head: bytes, form: MarkerForm) -> bytes:
    """Returns the lines that are no marker lines."""
    lines = head.splitlines(keepends=True)
    return form.text(b"".join(line for line in lines if form.url(line) is None))


def _pages_of_text(
    blocks: Iterator[bytes], name: str, limit: int, plain: Source | None, reading: _Reading
) -> Iterator[Item]:
    """Yields the pages of a text.

    A text may contain many documents, each after a marker line: of the form that the user has given, or of a
    known form if the first line that is not empty has that form. A text without such lines is one page, or
    several if it is long: it is cut between paragraphs.

    `plain`: the source of the text if it is not compressed.
    """
    head = bytearray()
    for block in blocks:
        head += block
        if head.lstrip(_WHITE).find(b"\n") >= 0 or len(head) > BLOCK:
            break
    wide = head.startswith(_UTF16_MARKS)
    form = None if wide else reading.form or detect_form(bytes(head))
    rest = blocks if plain is None else _forgetting(blocks, plain)
    if form:
        documents = _marked_documents(chain([bytes(head)], rest), form, limit, name)
    else:
        documents = ((name, *piece) for piece in pieces_of(bytes(head), rest, limit, reading.layout))
    for url, offset, body, layout in documents:
        if body is None:
            yield Skip("too large", url or name, name, offset, lost=True)
        elif found := binary(body):
            yield Skip(found.reason, url or name, name, offset, lost=True, advice=found.advice)
            if layout is not None and layout.begins:
                # the rest of a large file is not text, either
                return
        else:
            page = Page(body, url, source=name, offset=offset, kind="text", layout=layout)
            if reading.form and offset < 0:
                yield Skip(UNMARKED, name, name)
            if form and not (form.has_markup or form.after_empty) and sniff(body[:_HEAD]) == "html":
                page = page._replace(kind="html")
            yield from [page] if layout is not None or page.kind == "html" else _page_of_text(page)


def _page_of_text(page: Page) -> Iterable[Page | Damage]:
    """Returns the text of a message of mail, and what is broken in it; any other text as it is."""
    if not _FIELD.match(page.body):
        return [page]
    # only now, since most runs have no mail
    from ncleaner.reading.containers import page_in_message

    return page_in_message(page)


def _mail_in(head: bytes, name: str) -> Literal["", "text", "mail"]:
    """Returns `mail` for one message that is encoded, `text` for other mail, and for a mailbox."""
    if is_page(name) or not (_FIELD.match(head) or head.startswith(b"From ")):
        return ""
    from ncleaner.reading.containers import is_encoded, is_message

    if not is_message(head):
        return ""
    return "text" if detect_form(head) or not is_encoded(head) else "mail"


def _forgetting(blocks: Iterator[bytes], source: Source) -> Iterator[bytes]:
    """Yields the blocks of a text. What has been read is not read again, and a pipe need not keep it."""
    for block in blocks:
        source.mark(source.tell())
        yield block


def _marked_documents(
    blocks: Iterable[bytes], form: MarkerForm, limit: int, name: str
) -> Iterator[tuple[str, int, bytes | None, TextLayout | None]]:
    """Cuts a stream at its marker lines; yields (URL, *fields of a `Piece`).

    Offsets count bytes of the text even if it is compressed: documents without a URL differ in them.
    """
    parts = split_documents(blocks, form, limit)
    before = next(parts, None)
    if before is None:
        return
    if not before.marker:
        after = next(parts, None)
        if after is None:
            # without any marker line, the text is one page
            yield name, -1, before.body, None
            return
        if before.body is None or before.body.strip(_WHITE):
            yield "", before.offset, before.body, None
        before = after
    for offset, marker, url, body in chain([before], parts):
        # the marker line begins after the byte order mark
        begin = offset + len(BOM) if marker.startswith(BOM) else offset
        yield url, begin, None if body is None else form.text(body), None
