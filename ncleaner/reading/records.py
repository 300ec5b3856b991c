"""Reads the records of WARC and ARC archives: a fast reader for regular parts, a careful one for all others.

The fast reader (`_warc`) takes whole members with regular WARC records, and stops at anything else. There
the careful reader takes over. It relies on the ends of gzip members and of Zstandard and LZ4 frames, finds
the next record after damage, and reads what the fast one does not: ARC, archives compressed as a whole, line
feeds without carriage returns. After some records without damage the fast reader takes over again. Which of
them reads a record makes no difference to the result.
"""

import io
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from ncleaner.page import Damage
from ncleaner.reading._warc import MAX_HEAD, Head, RegularReader
from ncleaner.reading.inflating import (
    BLOCK,
    MAGIC,
    NO_DICTIONARY,
    Codec,
    Dictionary,
    codec_of,
    whole_inflater,
    zstd_dictionary,
)
from ncleaner.reading.streams import Members, Source
from ncleaner.text.visible import counted

ArchiveKind = Literal["warc", "arc"]
_MembersOf = Callable[[Source, Codec, Callable[[bytes], bool], Dictionary], Members]

#: Record types that may contain pages. Of all others, only the type is read.
PAGES: Final = frozenset({"response", "resource", "conversion"})

# Records in a row without damage after which the fast reader takes over from the careful one: at first, and
# at most, in archives of which it can read nothing.
_CLEAN_RUN: Final = 8
_LONGEST_CLEAN_RUN: Final = 4096
# Inflated bytes at the beginning of an archive in which the end of its first member is looked for.
_FIRST_MEMBER: Final = 1 << 18
# Bytes of a block that is held in memory although it is only passed, to find the record after it if its
# length is wrong.
_TO_REPAIR: Final = 1 << 23
# Longest WARC header block, and longest header line of an ARC.
_MAX_FIELDS: Final = 1 << 18
ARC_LINE: Final = 1 << 13
BLANK: Final = b"\r\n\t "
# Some programs write `warc/1.0`, and some copies made as text have `\r\r\n` at the end of each line.
_WARC_START: Final = re.compile(rb"WARC/\d+\.\d+[ \t\r]*\n", re.IGNORECASE)
# The beginning of a record in the middle of other bytes: the version line, then a header field of WARC.
_WARC_INSIDE: Final = re.compile(rb"WARC/\d+\.\d+[ \t\r]*\n(?:WARC-|Content-)", re.IGNORECASE)
_ARC_INSIDE: Final = re.compile(rb"(?<=\n)(?=[A-Za-z][A-Za-z0-9+.-]{1,16}:)")
_BLANK_LINE: Final = re.compile(rb"\n\r*\n")
_FIELD: Final = re.compile(rb"^([^\s:]+)[ \t]*:[ \t]*([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)", re.MULTILINE)
_LENGTH: Final = re.compile(rb"\d{1,18}")
_SCHEME: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{1,16}:")
_ARC_DATE: Final = re.compile(rb"\d{14}|\d{12}")
_ARC_ADDRESS: Final = re.compile(rb"[0-9A-Fa-f.:]+|-")


@dataclass(slots=True, eq=False, repr=False)
class Record:
    """One record, or its readable part.

    Attributes:
        type: WARC-Type; `response` for every record of an ARC except the first.
        offset: where the record begins in the archive as stored; in a compressed archive, where its member
            begins.
        url, date, record_id, content_type: header fields; empty when missing.
        block: the bytes after the header; None if the record's type is not needed, or the block is above the
            bound.
        large: the block is above the bound.
        truncated: why the crawler has cut the record, as WARC-Truncated says; empty if it has not.
        head: the unchanged header of an undamaged WARC record; only the careful reader keeps it.
        damaged: the record is not whole, or its header is wrong; a `Damage` that says so comes before it.
        http: the HTTP header block, if it has been taken off `block` already.
        length: stored bytes from `offset` to the next record, or to the end of its member; -1 where the
            record is damaged or has no member to itself.
    """

    type: str
    offset: int
    url: str = ""
    date: str = ""
    record_id: str = ""
    content_type: str = ""
    block: bytes | None = None
    large: bool = False
    truncated: str = ""
    head: bytes = b""
    damaged: bool = False
    http: Head | None = None
    length: int = -1


def archive_kind(head: bytes) -> ArchiveKind | None:
    """Returns by its first bytes whether a plain stream is a WARC or an ARC; None if it is neither."""
    head = head.lstrip(BLANK)
    if _WARC_START.match(head):
        return "warc"
    return "arc" if _arc_line(head) else None


def records(source: Source, codec: Codec, kind: ArchiveKind, bound: int) -> Iterator[Record | Damage]:
    """Reads the records of one archive; its content never raises an exception.

    Args:
        source: the archive as stored.
        codec: its compression.
        kind: WARC or ARC.
        bound: largest block to read, in bytes; larger ones are passed over without being held in memory.
    """
    dictionary = zstd_dictionary(source) if codec == "zstd" else NO_DICTIONARY
    if dictionary.damage:
        yield Damage(dictionary.damage, source.name, source.tell())
    if codec != "plain":
        inner = inner_codec(source, codec, dictionary, kind)
        if inner is not None:
            found = _layered(source, codec, inner, dictionary, Members, kind, bound, bound + MAX_HEAD)
            yield from (item for item, _ in found)
            return
    yield from records_until(source, codec, kind, dictionary, bound, -1)


def records_until(
    source: Source, codec: Codec, kind: ArchiveKind, dictionary: Dictionary, bound: int, end: int
) -> Generator[Record | Damage, None, int]:
    """Reads the records of an archive from the position of the source on, both readers by turns.

    What it yields depends on nothing before the position, if a member begins there, or in a plain archive a
    record. The archive is not compressed twice, and its records are not cut into members of one size.

    Args:
        source, codec, kind, bound: as for `records`.
        dictionary: of the archive.
        end: no member, or record of a plain archive, that begins at this offset or after it is read; -1: all
            are.

    Returns:
        Where the first one begins that is not read; -1 at the end of the archive.
    """
    begins_record = _start_test(kind)
    clean_run = _CLEAN_RUN if kind == "warc" else 0
    while True:
        if kind == "warc":
            start = source.tell()
            # the source keeps `bound` bytes and a header block: see `archive._read`
            inflate = whole_inflater(codec, dictionary)
            reader = RegularReader(source, MAGIC.get(codec, b""), inflate, bound, PAGES, Record, end=end)
            for record in reader:
                if dictionary.data:
                    record.length = -1
                yield record
            source.rewind(reader.position)
            if 0 <= end <= reader.position:
                return reader.position
            clean_run = _CLEAN_RUN if reader.position > start else min(4 * clean_run, _LONGEST_CLEAN_RUN)
        members = Members(source, codec, begins_record, dictionary)
        careful = _CarefulReader(source, members, kind, bound)
        yield from careful.run(clean_run, end)
        if careful.ended:
            return -1
        if 0 <= end <= source.tell():
            return source.tell()


def find_record(
    source: Source, codec: Codec, kind: ArchiveKind, dictionary: Dictionary, start: int, end: int
) -> int:
    """Returns where, from `start` on, the first member begins that begins with a record; -1 without one.

    In a plain archive, it returns where the first record begins. That may be within a page that is itself an
    archive, or looks like one.

    Args:
        source, codec, kind, dictionary: as for `records_until`; the source is seekable.
        start: first offset of the search.
        end: the offset before which it ends; -1: the end of the archive.
    """
    if codec != "plain":
        source.rewind(start)
        members = Members(source, codec, _start_test(kind), dictionary)
        return members.start if members.find_member(end) else -1
    source.rewind(start)
    members = Members(source, codec)
    members.next_member()
    reader = _CarefulReader(source, members, kind, 0)
    while members.peek(1) and not 0 <= end <= members.offset:
        if reader.to_line_of_record():
            return -1 if 0 <= end <= members.offset else members.offset
    return -1


def records_from(
    source: Source, codec: Codec, kind: ArchiveKind, bound: int, offset: int
) -> Iterator[Record]:
    """Reads the records from an offset on, with their headers; the source is at its beginning."""
    dictionary = zstd_dictionary(source) if codec == "zstd" else NO_DICTIONARY
    source.rewind(offset)
    members = Members(source, codec, _start_test(kind), dictionary)
    for item in _CarefulReader(source, members, kind, bound).run(0):
        if isinstance(item, Record):
            yield item


def records_through(
    source: Source, kind: ArchiveKind, codec: Codec, members_of: _MembersOf
) -> Iterator[tuple[Record | Damage, int | Members | None]]:
    """Reads all records of an archive, through members that the caller makes.

    Yields each item with its place: where the next member begins, for a record that has a member to itself;
    else the members, which are directly after the item; None for damage that members do not see.

    Args:
        source, kind, codec: as for `records`.
        members_of: makes the members from a source, its codec, a test of the beginning of a record, and a
            dictionary.
    """
    dictionary = zstd_dictionary(source) if codec == "zstd" else NO_DICTIONARY
    if dictionary.damage:
        yield Damage(dictionary.damage, source.name, source.tell()), None
    inner = inner_codec(source, codec, dictionary, kind) if codec != "plain" else None
    if inner is not None:
        yield from _layered(
            source, codec, inner, dictionary, members_of, kind, _TO_REPAIR, MAX_HEAD, every=True
        )
        return
    is_fast = kind == "warc" and codec == "gzip" and source.is_file
    while True:
        if is_fast:
            inflate = whole_inflater("gzip", NO_DICTIONARY)
            regular = RegularReader(
                source, MAGIC["gzip"], inflate, _TO_REPAIR, frozenset(), Record, alone=True
            )
            for record in regular:
                yield record, regular.position
            source.rewind(regular.position)
        members = members_of(source, codec, _start_test(kind), dictionary)
        reader = _CarefulReader(source, members, kind, _TO_REPAIR, True)
        for item in reader.run(_CLEAN_RUN if is_fast else 0):
            yield item, members
        if reader.ended:
            return


def _start_test(kind: ArchiveKind) -> Callable[[bytes], bool]:
    """Returns a function that tests whether bytes are the beginning of a record."""
    return lambda head: archive_kind(head) == kind


def inner_codec(source: Source, codec: Codec, dictionary: Dictionary, kind: ArchiveKind) -> Codec | None:
    """Returns the codec inside a compressed archive whose members are not whole records; else None.

    The members may contain another compressed stream, or a plain stream that is cut into members at any byte,
    as bgzip does: then the first member ends within a record, and the second does not begin with one.
    """
    start = source.tell()
    members = Members(source, codec, None, dictionary)
    first = members.peek(_FIRST_MEMBER) if members.next_member() and members.to_content() else b""
    inner: Codec | None = codec_of(first)
    if inner == "plain":
        inner = None
        is_short = len(first) < _FIRST_MEMBER
        if is_short and not members.damage and members.next_member() and not members.pending:
            window = members.peek(ARC_LINE)
            alone = Source(io.BytesIO(first), source.name, 0)
            reader = _CarefulReader(alone, Members(alone, "plain"), kind, len(first))
            if not _start_test(kind)(window) and any(isinstance(item, Damage) for item in reader.run(0)):
                inner = "plain"
    source.rewind(start)
    return inner


def _layered(
    source: Source,
    codec: Codec,
    inner: Codec,
    dictionary: Dictionary,
    members_of: _MembersOf,
    kind: ArchiveKind,
    bound: int,
    keep: int,
    every: bool = False,
) -> Iterator[tuple[Record | Damage, Members | None]]:
    """Reads an archive as one stream over all its members. Offsets of records are those of members.

    Yields each item with the members of the stream; None for damage of the outer members, of which these know
    nothing.
    """
    outer = Members(
        source, codec, None if inner == "plain" else lambda head: codec_of(head) == inner, dictionary
    )
    stream = Source(outer, source.name, keep)
    members = members_of(stream, inner, _start_test(kind), NO_DICTIONARY)
    for item in _CarefulReader(stream, members, kind, bound, every).run(0):
        for damage in outer.pending:
            yield damage, None
        outer.pending.clear()
        if isinstance(item, Damage):
            yield item._replace(offset=outer.start), members
        else:
            yield replace(item, offset=outer.start, length=-1), members
    for damage in outer.pending:
        yield damage, None


def _text(raw: bytes | None) -> str:
    """Decodes a header value: UTF-8 as in the standard, else Latin-1."""
    if not raw:
        return ""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# The careful reader


class _CarefulReader:
    """Finds the bounds of records itself, and the next record after damage.

    Attributes:
        ended: there are no more records; else the source is at the first of them after a `run`.
    """

    def __init__(
        self, source: Source, members: Members, kind: ArchiveKind, bound: int, every: bool = False
    ) -> None:
        """Reads blocks up to a bound, of records that may contain pages or of every record."""
        self._source = source
        self._members = members
        self._kind: ArchiveKind = kind
        self._bound = bound
        self._every = every
        self.ended = False
        # offset of the member whose damage has been reported with one of its records
        self._reported = -1

    def run(self, clean_run: int, end: int = -1) -> Iterator[Record | Damage]:
        """Reads from the position of the source on; `ended` says then whether it has come to the end.

        Args:
            clean_run: number of records in a row without damage after which the method returns, at the
                beginning of the next record; 0 to read to the end.
            end: the method returns at a member, or a record of a plain archive, that begins here or later.
        """
        members = self._members
        members.next_member()
        is_plain = members.codec == "plain"
        clean = 0
        while True:
            if members.pending:
                yield from members.pending
                members.pending.clear()
                clean = 0
            is_first = members.at_start
            if is_first:
                self._source.mark(members.start)
            if is_plain:
                self._skip_blank()
            if members.at_start or is_plain:
                enough = 0 < clean_run <= clean or 0 <= end <= members.offset
                if enough and members.peek(1):
                    self._source.rewind(members.offset)
                    return
            self._skip_blank()
            if members.peek(1):
                offset = members.offset
                for item in self._record():
                    clean = 0 if isinstance(item, Damage) else clean + 1
                    if isinstance(item, Record) and not (item.damaged or self._every):
                        self._skip_blank()
                        item.length = members.length_from(offset) if is_first or is_plain else -1
                    yield item
                continue
            if members.damage and members.start != self._reported:
                clean = 0
                yield members.damage_item()
            if not members.next_member():
                yield from members.pending
                self.ended = True
                return

    def _skip_blank(self) -> None:
        while window := self._members.peek(64):
            blank = len(window) - len(window.lstrip(BLANK))
            self._members.skip(blank)
            if blank < len(window):
                return

    def _record(self) -> Iterator[Record | Damage]:
        """Reads one record, or the bytes up to the next record as damage."""
        members = self._members
        offset = members.offset
        head = self._head(offset)
        if head is None:
            count, _ = self._to_next(0)
            yield Damage(
                f"{counted(count, 'byte that is', 'bytes that are')} no whole record",
                self._source.name,
                offset,
            )
            return
        record, length = head
        wanted = self._every or record.type in PAGES
        body_at = members.offset
        what = ""
        unread = False
        if length is None:
            what = "no valid Content-Length"
            count, record.block = self._to_next(self._bound if wanted else 0)
            record.large = wanted and count > self._bound
        else:
            is_held = wanted and length <= self._bound
            block, count, cut = self._take(length, is_held)
            unread = members.unread
            if cut:
                what = f"{cut}, {count} of {counted(length, 'byte')} are there"
            elif not self._is_end():
                what = f"no record follows at its Content-Length, {length}"
            if is_held:
                record.block = self._repair(block, length) if what else block
            else:
                record.large = wanted
                if what and members.codec == "plain":
                    # the length may be wrong: search for the next record from the beginning of the body
                    members.reopen(body_at)
                    self._to_next(0)
        if what:
            record.head = b""
            record.damaged = True
            yield Damage(what, self._source.name, offset, record.url, unread)
        yield record

    def _head(self, offset: int) -> tuple[Record, int | None] | None:
        """Takes a record's header; returns the record and its length.

        The length is None if the Content-Length is missing or not valid. The result is None if there is no
        header here.
        """
        if self._kind == "arc":
            line = _arc_line(self._members.peek(ARC_LINE))
            if line is None:
                return None
            self._members.skip(line.size)
            kind = "filedesc" if line.url.startswith("filedesc:") else "response"
            return Record(kind, offset, line.url, line.date, "", line.content_type), line.length
        size = 4096
        window = self._members.peek(size)
        if not _WARC_START.match(window):
            return None
        while (end := _BLANK_LINE.search(window)) is None:
            if len(window) < size or size >= _MAX_FIELDS:
                return None
            size *= 4
            window = self._members.peek(size)
        self._members.skip(end.end())
        fields: dict[bytes, bytes] = {}
        for match in _FIELD.finditer(window, 0, end.start()):
            fields.setdefault(match[1].lower(), b" ".join(map(bytes.strip, match[2].split(b"\n"))))
        length = fields.get(b"content-length", b"")
        cut = fields.get(b"warc-truncated")
        record = Record(
            _text(fields.get(b"warc-type")).lower() or "missing", offset,
            _text(fields.get(b"warc-target-uri")).strip("<>"), _text(fields.get(b"warc-date")),
            _text(fields.get(b"warc-record-id")).strip("<>"), _text(fields.get(b"content-type")),
            truncated="" if cut is None else _text(cut) or "unspecified", head=window[: end.end()],
        )  # fmt: skip
        return record, int(length) if _LENGTH.fullmatch(length) else None

    def _take(self, length: int, is_held: bool) -> tuple[bytes, int, str]:
        """Takes a block, or passes over it; returns it, its length, and a phrase if it is cut short."""
        block, count = b"", 0
        while True:
            if is_held:
                block += self._members.take(length - count)
                count = len(block)
            else:
                count += self._members.skip(length - count)
            if count >= length or (cut := self._cut_at_member_end()):
                return block, count, "" if count >= length else cut

    def _cut_at_member_end(self) -> str:
        """Returns why a record ends early at the end of a member; empty if it continues in the next one.

        Some compressors cut their input into members of one size, at any byte of a record.
        """
        members = self._members
        if members.damage:
            self._reported = members.start
            return members.damage
        if members.codec == "plain" or not members.next_member() or self._at_record():
            return "record cut short"
        return ""

    def _window(self) -> bytes:
        return self._members.peek(ARC_LINE if self._kind == "arc" else 64).lstrip(BLANK)

    def _at_record(self) -> bool:
        return archive_kind(self._window()) == self._kind

    def _is_end(self) -> bool:
        """Whether a record can end here: another record, or the end of the member, follows."""
        window = self._window()
        if not window or archive_kind(window) == self._kind:
            return True
        # the next record may be cut within its first line
        return self._kind == "warc" and len(window) < 10 and window[:7].upper() == b"WARC/1."[: len(window)]

    def _repair(self, block: bytes, length: int) -> bytes:
        """Returns the real block of a record whose length is wrong."""
        members = self._members
        next_record = self._find_record(block + members.peek(256), 0)
        if 0 <= next_record < len(block):
            members.put_back(block[next_record:])
            return block[:next_record].rstrip(b"\r\n")
        if len(block) == length and members.codec != "plain":
            # the rest of the member belongs to the record
            _, rest = self._to_next(self._bound - length)
            block += (rest or b"").rstrip(b"\r\n")
        return block

    def _to_next(self, room: int) -> tuple[int, bytes | None]:
        """Moves to the beginning of the next record, or to the end of the member.

        Returns:
            The number of bytes passed, and these bytes if they are at most `room`.
        """
        members = self._members
        pieces: list[bytes] = []
        count = 0
        start = 1
        while window := members.peek(BLOCK):
            found = self._find_record(window, start)
            start = 0
            if found >= 0:
                step = found
            elif len(window) < BLOCK:
                step = len(window)
            else:
                # the end of the window may be the beginning of a header
                step = len(window) - ARC_LINE
            count += step
            members.skip(step)
            if count <= room:
                pieces.append(window[:step])
            else:
                pieces.clear()
            if found >= 0:
                break
        return count, b"".join(pieces) if count <= room else None

    def to_line_of_record(self) -> bool:
        """Moves to the next line that begins a record; returns False if it has not found one yet."""
        members = self._members
        window = members.peek(BLOCK)
        at = self._find_record(window, 0)
        while at > 0 and window[at - 1] != 10:
            at = self._find_record(window, at + 1)
        if at >= 0:
            members.skip(at)
            return True
        # the end of the window may be the beginning of a header
        members.skip(len(window) if len(window) < BLOCK else len(window) - ARC_LINE)
        return False

    def _find_record(self, window: bytes, start: int) -> int:
        """Returns the index of the first record that begins in the window; -1 without one."""
        if self._kind == "warc":
            found = _WARC_INSIDE.search(window, start)
            return found.start() if found else -1
        for match in _ARC_INSIDE.finditer(window, start):
            if _arc_line(window, match.start()):
                return match.start()
        return -1


class _ArcLine(NamedTuple):
    url: str
    date: str
    content_type: str
    length: int
    size: int


def _arc_line(data: bytes, start: int = 0) -> _ArcLine | None:
    """Reads the header line of an ARC record: URL, IP, date, type, in version 2 five more fields, length.

    Archives do not escape spaces in URLs, so the fields are found from the date on.

    Returns None if the line is not such a header.
    """
    end = data.find(b"\n", start, start + ARC_LINE)
    if end < 0:
        return None
    words = data[start:end].split()
    if len(words) < 4 or not _LENGTH.fullmatch(words[-1]) or not _SCHEME.match(words[0]):
        return None
    for at in range(1, len(words) - 1):
        if _ARC_DATE.fullmatch(words[at]):
            break
    else:
        return None
    url = words[: at - 1] if at > 1 and _ARC_ADDRESS.fullmatch(words[at - 1]) else words[:at]
    date = words[at].decode() + "00"
    return _ArcLine(
        _text(b" ".join(url)),
        f"{date[:4]}-{date[4:6]}-{date[6:8]}T{date[8:10]}:{date[10:12]}:{date[12:14]}Z",
        _text(words[at + 1]) if at + 2 < len(words) else "", int(words[-1]), end + 1 - start,
    )  # fmt: skip
