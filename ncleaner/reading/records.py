"""Records of WARC and ARC archives: a fast reader for whole ones, a careful one for the rest.

FastWARC reads WARC at the speed of its inflater, and stops or, worse, stays silent where an archive is
damaged. So it is trusted only as far as it can be checked: each record is handed on when the next one has
been found right behind it. Wherever that fails, and for the last record of every archive, the careful
reader takes over at the last good record. It frames records itself, uses the ends of gzip members and
Zstandard frames as firm ground, finds the next record after damage, and reads what FastWARC cannot: ARC,
archives compressed as a whole, line feeds without carriage returns. After a stretch without damage it
hands back.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord

from ncleaner.page import Damage
from ncleaner.reading.streams import MAGIC, Codec, Members, Source, codec_of, zstd_dictionary
from ncleaner.reading.transfer import MAX_HEAD

__all__ = ["Kind", "Record", "begins_archive", "records", "records_from"]

Kind = Literal["warc", "arc"]

#: Record types that may be pages. Of all others only the type is read.
PAGES: Final = frozenset({"response", "resource", "conversion"})

_BLOCK: Final = 1 << 16
# Records without damage after which the careful reader hands back to the fast one.
_FIRM: Final = 64
# How far into an archive its second member is looked for, in bytes inflated.
_FIRST_MEMBER: Final = 1 << 18
# Longest WARC header block, and longest header line of an ARC.
_MAX_FIELDS: Final = 1 << 18
_ARC_LINE: Final = 1 << 13
_BLANK: Final = b"\r\n\t "
_WARC_START: Final = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")
# Where a record may begin in the middle of something: the version line, then a header of WARC's own.
_WARC_LATER: Final = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n(?:WARC-|Content-)", re.IGNORECASE)
_ARC_LATER: Final = re.compile(rb"(?<=\n)(?=[A-Za-z][A-Za-z0-9+.-]{1,16}:)")
_BLANK_LINE: Final = re.compile(rb"\r?\n\r?\n")
_FIELD: Final = re.compile(rb"^([^\s:]+)[ \t]*:[ \t]*([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)", re.MULTILINE)
_LENGTH: Final = re.compile(rb"\d{1,18}")
_SCHEME: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{1,16}:")
_ARC_DATE: Final = re.compile(rb"\d{14}|\d{12}")
_ARC_ADDRESS: Final = re.compile(rb"[0-9A-Fa-f.:]+|-")


@dataclass(slots=True)
class Record:
    """One record, as far as it could be read.

    Attributes:
        type: WARC-Type; `response` for all of an ARC but its first.
        offset: where it begins in the archive as stored; its member where that is all that can be known.
        url, date, record_id, content_type: header fields; empty when missing.
        block: what follows the header. None where nobody wants it, or it is above the bound.
        large: the block is above the bound.
        truncated: the crawler says that it cut the record itself.
        head: the header as it stands, of a WARC's whole record; the careful reader alone keeps it.
    """

    type: str
    offset: int
    url: str = ""
    date: str = ""
    record_id: str = ""
    content_type: str = ""
    block: bytes | None = None
    large: bool = False
    truncated: bool = False
    head: bytes = b""


def begins_archive(head: bytes) -> Kind | None:
    """Tell by its first bytes whether a plain stream is a WARC or an ARC."""
    head = head.lstrip(_BLANK)
    if _WARC_START.match(head):
        return "warc"
    return "arc" if _arc_line(head) else None


def records(source: Source, codec: Codec, kind: Kind, bound: int) -> Iterator[Record | Damage]:
    """Read the records of one archive; never raises for anything in it.

    Args:
        source: the archive as stored.
        codec: how it is compressed.
        kind: WARC or ARC.
        bound: largest block to read; larger ones are passed over streaming.
    """
    dictionary = zstd_dictionary(source) if codec == "zstd" else b""
    begins = _begins(kind)
    if codec != "plain":
        inner = _inner_codec(source, codec, dictionary, kind)
        if inner is not None:
            yield from _layered(source, codec, inner, kind, bound, dictionary)
            return
    while kind == "warc":
        yield from _fast(source, codec, bound)
        members = Members(source, codec, begins, dictionary)
        # FastWARC learns a dictionary at the start of the file only.
        if (yield from _Careful(source, members, kind, bound).run(0 if dictionary else _FIRM)):
            return
    yield from _Careful(source, Members(source, codec, begins, dictionary), kind, bound).run(0)


def records_from(source: Source, codec: Codec, kind: Kind, bound: int, offset: int) -> Iterator[Record]:
    """Read the whole records from an offset on, with their headers; the source is at its beginning."""
    dictionary = zstd_dictionary(source) if codec == "zstd" else b""
    source.rewind(offset)
    for item in _Careful(source, Members(source, codec, _begins(kind), dictionary), kind, bound).run(0):
        if isinstance(item, Record):
            yield item


def _begins(kind: Kind) -> Callable[[bytes], bool]:
    return lambda head: begins_archive(head) == kind


def _inner_codec(source: Source, codec: Codec, dictionary: bytes, kind: Kind) -> Codec | None:
    """Tell what a compressed archive holds if it is not whole records, member by member.

    That is another compressed stream, or a plain one cut into members wherever it happened to be (as
    bgzip does): its first member ends within a record, and its second does not begin with one.
    """
    start = source.tell()
    members = Members(source, codec, None, dictionary)
    first = members.peek(_FIRST_MEMBER) if members.next_member() else b""
    inner: Codec | None = codec_of(first)
    if inner == "plain":
        inner = None
        if len(first) < _FIRST_MEMBER and not members.damage and members.next_member() and not members.found:
            window = members.peek(_ARC_LINE)
            alone = Source(io.BytesIO(first), source.name, 0)
            reader = _Careful(alone, Members(alone, "plain"), kind, len(first))
            if not _begins(kind)(window) and any(isinstance(item, Damage) for item in reader.run(0)):
                inner = "plain"
    source.rewind(start)
    return inner


def _layered(
    source: Source, codec: Codec, inner: Codec, kind: Kind, bound: int, dictionary: bytes
) -> Iterator[Record | Damage]:
    """Read an archive as one stream through its members. Offsets are those of the members."""
    begins = None if inner == "plain" else lambda head: codec_of(head) == inner
    outer = Members(source, codec, begins, dictionary)
    stream = Source(outer, source.name, bound + MAX_HEAD)
    for item in _Careful(stream, Members(stream, inner, _begins(kind)), kind, bound).run(0):
        yield from outer.found
        outer.found.clear()
        yield replace(item, offset=outer.start)
    yield from outer.found


# The fast reader


def _fast(source: Source, codec: Codec, bound: int) -> Iterator[Record | Damage]:
    """Read a WARC with FastWARC while it can be trusted, and leave the source where that ends.

    A record is given when two more have been found where one can begin: at the magic number of a member,
    or at a version line. Two, because the second record of a member gets an offset that may be that of
    the member after it, which shows only when the record that is really there comes next. So the last
    records are always left to the careful reader, which knows whether the archive has a proper end.
    """
    held: deque[Record] = deque()
    start = source.tell()
    reader = _FastWarc(source, MAGIC.get(codec, b"WARC/"), bound)
    while True:
        record = reader.pull()
        if record == "end" and held and held[-1].large:
            # It was passed over to the end of the archive, and may be too long to go back.
            yield from held
            held.clear()
            start = source.tell()
        if not isinstance(record, Record) or (held and record.offset <= held[-1].offset):
            break
        held.append(record)
        while len(held) > 2 or (len(held) == 2 and (held[0].large or record.large)):
            yield held.popleft()
        source.mark(held[0].offset)
        if record.large and not reader.pass_over():
            break
    start = held[0].offset if held else start
    if source.rewind(start) > start:
        yield from held
        yield Damage("damage behind a record too large to go back to", source.name, start)


class _FastWarc:
    """FastWARC's iterator, without its exceptions."""

    def __init__(self, source: Source, magic: bytes, bound: int) -> None:
        self._source = source
        self._magic = magic
        self._bound = bound
        self._iterator: ArchiveIterator | None = None
        self._found: WarcRecord | None = None

    def pull(self) -> Record | Literal["end", "damage"]:
        """Read one record, or say that there is none, or that there is damage or something to doubt."""
        try:
            return self._pull()
        except BaseException as error:
            if not _is_fastwarcs(error):
                raise
            return "damage"

    def _pull(self) -> Record | Literal["end", "damage"]:
        if self._iterator is None:
            self._iterator = ArchiveIterator(self._source, parse_http=False)
        self._found = found = next(self._iterator, None)
        if found is None:
            return "end"
        offset = found.stream_pos
        # To be checked now, while what FastWARC has read last is still at hand.
        if self._source.recall(offset, len(self._magic)) != self._magic:
            return "damage"
        kind = _TYPES.get(int(found.record_type))
        length = found.content_length
        headers = found.headers
        if kind is None or (length == 0 and headers.get_bytes(b"Content-Length") != b"0"):
            return "damage"
        record = Record(kind, offset)
        if kind not in PAGES:
            return record
        record.url = _text(headers.get_bytes(b"WARC-Target-URI")).strip("<>")
        if length > self._bound:
            record.large = True
            return record
        record.date = _text(headers.get_bytes(b"WARC-Date"))
        record.record_id = _text(headers.get_bytes(b"WARC-Record-ID")).strip("<>")
        record.content_type = _text(headers.get_bytes(b"Content-Type"))
        record.truncated = headers.contains_key_bytes(b"WARC-Truncated")
        record.block = found.reader.read(length)
        return record if len(record.block) == length else "damage"

    def pass_over(self) -> bool:
        """Pass over the body of the record read last; False if it is cut short."""
        found = self._found
        if found is None:
            return False
        try:
            return found.reader.consume() == found.content_length
        except BaseException as error:
            if not _is_fastwarcs(error):
                raise
            return False


def _is_fastwarcs(error: BaseException) -> bool:
    """Tell what FastWARC raises for bad data: a Rust panic is not even an Exception."""
    return isinstance(error, OSError | ValueError) or type(error).__name__ == "PanicException"


# By number: FastWARC's type looks like an enumeration, and can neither be listed nor hashed.
_TYPES: Final = {
    2: "warcinfo",
    4: "response",
    8: "resource",
    16: "request",
    32: "metadata",
    64: "revisit",
    128: "conversion",
    256: "continuation",
}


def _text(raw: bytes | None) -> str:
    """Decode a header value: UTF-8 by the standard, something of the West where it is not."""
    if not raw:
        return ""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# The careful reader


class _Careful:
    """Frames records by itself, and finds its way around whatever is no record."""

    def __init__(self, source: Source, members: Members, kind: Kind, bound: int) -> None:
        self._source = source
        self._members = members
        self._kind: Kind = kind
        self._bound = bound
        # The member whose damage has been told with a record of it.
        self._told = -1

    def run(self, firm: int) -> Generator[Record | Damage, None, bool]:
        """Read on from where the source is.

        Args:
            firm: return after so many records without damage, at the beginning of the next; 0 for never.

        Returns:
            True at the end; False if there is more, and the source stands at the beginning of a record.
        """
        members = self._members
        members.next_member()
        clean = 0
        while True:
            if members.found:
                yield from members.found
                members.found.clear()
                clean = 0
            if members.fresh:
                self._source.mark(members.start)
            if firm and clean >= firm and (members.fresh or members.codec == "plain") and members.peek(1):
                self._source.rewind(members.offset)
                return False
            self._skip_blank()
            if members.peek(1):
                for item in self._record():
                    clean = 0 if isinstance(item, Damage) else clean + 1
                    yield item
                continue
            if members.damage and members.start != self._told:
                clean = 0
                yield members.told()
            if not members.next_member():
                yield from members.found
                return True

    def _skip_blank(self) -> None:
        while window := self._members.peek(64):
            blank = len(window) - len(window.lstrip(_BLANK))
            self._members.skip(blank)
            if blank < len(window):
                return

    def _record(self) -> Iterator[Record | Damage]:
        """Read what is here: a record, or something that is none."""
        members = self._members
        offset = members.offset
        head = self._head(offset)
        if head is None:
            count, _ = self._to_next(0)
            yield Damage(f"{count} bytes that are no whole record", self._source.name, offset)
            return
        record, length = head
        wanted = record.type in PAGES
        body_at = members.offset
        what = ""
        unread = False
        if length is None:
            what = "no valid Content-Length"
            count, record.block = self._to_next(self._bound if wanted else 0)
            record.large = wanted and count > self._bound
        elif wanted and length <= self._bound:
            block, cut = self._take(length)
            unread = members.unread
            if cut:
                what = f"{cut}, {len(block)} of {length} bytes are there"
            elif not self._ends_here():
                what = f"no record follows at its Content-Length, {length}"
            if what:
                block = self._repair(block, length)
            record.block = block
        else:
            record.large = wanted
            count, cut = self._pass(length)
            unread = members.unread
            if cut:
                what = f"{cut}, {count} of {length} bytes are there"
            elif not self._ends_here():
                what = f"no record follows at its Content-Length, {length}"
            if what and members.codec == "plain":
                # The length may be anything; look for the next record from where the body begins.
                members.reopen(body_at)
                self._to_next(0)
        if what:
            record.head = b""
            yield Damage(what, self._source.name, offset, record.url, unread)
        yield record

    def _head(self, offset: int) -> tuple[Record, int | None] | None:
        """Take a record's header, and give its length if it has a valid one; None if there is no header."""
        if self._kind == "arc":
            line = _arc_line(self._members.peek(_ARC_LINE))
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
            fields.setdefault(match[1].lower(), match[2].strip())
        length = fields.get(b"content-length", b"")
        record = Record(
            _text(fields.get(b"warc-type")).lower() or "missing",
            offset,
            _text(fields.get(b"warc-target-uri")).strip("<>"),
            _text(fields.get(b"warc-date")),
            _text(fields.get(b"warc-record-id")).strip("<>"),
            _text(fields.get(b"content-type")),
            truncated=b"warc-truncated" in fields,
            head=window[: end.end()],
        )
        return record, int(length) if _LENGTH.fullmatch(length) else None

    def _take(self, length: int) -> tuple[bytes, str]:
        """Take a block, and say what cut it short."""
        block = self._members.take(length)
        while len(block) < length:
            cut = self._cut_here()
            if cut:
                return block, cut
            block += self._members.take(length - len(block))
        return block, ""

    def _pass(self, length: int) -> tuple[int, str]:
        """Pass over a block, and say what cut it short."""
        count = self._members.skip(length)
        while count < length:
            cut = self._cut_here()
            if cut:
                return count, cut
            count += self._members.skip(length - count)
        return count, ""

    def _cut_here(self) -> str:
        """At the end of a member, within a record: say why the record ends here; empty if it goes on.

        Some compressors cut their input into members of one size, wherever records end.
        """
        members = self._members
        if members.damage:
            self._told = members.start
            return members.damage
        if members.codec == "plain" or not members.next_member() or self._at_record():
            return "record cut short"
        return ""

    def _window(self) -> bytes:
        return self._members.peek(_ARC_LINE if self._kind == "arc" else 64).lstrip(_BLANK)

    def _at_record(self) -> bool:
        return begins_archive(self._window()) == self._kind

    def _ends_here(self) -> bool:
        """Tell whether a record's end is where its length says: a record, or the end of a member, follows."""
        window = self._window()
        if not window or begins_archive(window) == self._kind:
            return True
        # The next record may have been cut within its first line.
        return self._kind == "warc" and len(window) < 10 and window[:7] == b"WARC/1."[: len(window)]

    def _repair(self, block: bytes, length: int) -> bytes:
        """Find the true end of a block whose length is wrong."""
        members = self._members
        swallowed = self._later(block + members.peek(256), 0)
        if 0 <= swallowed < len(block):
            members.untake(block[swallowed:])
            return block[:swallowed].rstrip(b"\r\n")
        if len(block) == length and members.codec != "plain":
            # All that is left of the member belongs to the record.
            _, rest = self._to_next(self._bound - length)
            block += (rest or b"").rstrip(b"\r\n")
        return block

    def _to_next(self, room: int) -> tuple[int, bytes | None]:
        """Move to the next beginning of a record, or to the end of the member.

        Returns:
            How many bytes were passed, and these bytes if they are no more than `room`.
        """
        members = self._members
        pieces: list[bytes] = []
        count = 0
        start = 1
        while window := members.peek(_BLOCK):
            found = self._later(window, start)
            start = 0
            if found >= 0:
                step = found
            elif len(window) < _BLOCK:
                step = len(window)
            else:
                # What is at the very end may be the beginning of a header.
                step = len(window) - _ARC_LINE
            count += step
            members.skip(step)
            if count <= room:
                pieces.append(window[:step])
            else:
                pieces.clear()
            if found >= 0:
                break
        return count, b"".join(pieces) if count <= room else None

    def _later(self, window: bytes, start: int) -> int:
        """Find where a record begins; -1 if none does."""
        if self._kind == "warc":
            found = _WARC_LATER.search(window, start)
            return found.start() if found else -1
        for match in _ARC_LATER.finditer(window, start):
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
    """Read the header line of an ARC record: URL, IP, date, type, in version 2 five fields more, length.

    URLs with spaces stand in the archives as they are, so the line is read from the date.
    """
    end = data.find(b"\n", start, start + _ARC_LINE)
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
        _text(words[at + 1]) if at + 2 < len(words) else "",
        int(words[-1]),
        end + 1 - start,
    )
