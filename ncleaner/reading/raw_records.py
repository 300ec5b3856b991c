"""Reads the records of WARC and ARC archives as they are stored, to copy them.

A record that has a gzip member or a Zstandard frame to itself is that member, byte for byte. Of any other
record (in a plain archive, in a member with other records, in members that are cut at any byte, in a frame
that needs a dictionary, in bzip2 or xz) the inflated bytes are given, from its header to the end of its
block. A damaged record is not given at all: a `Damage` says where it is and how long.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Final, NamedTuple

from ncleaner.page import Damage
from ncleaner.reading.inflating import Codec, Dictionary
from ncleaner.reading.records import BLANK, ArchiveKind, Record, records_through
from ncleaner.reading.streams import Members, Source
from ncleaner.text.visible import counted

# Bytes of a record that are held in memory; a longer one is held in a file without a name.
_IN_MEMORY: Final = 1 << 23
#: What stands between the records of an archive.
_SEPARATOR: Final[dict[ArchiveKind, bytes]] = {"warc": b"\r\n\r\n", "arc": b"\n"}
_ARC_DATE: Final = re.compile(rb"[ \t](\d{14}|\d{12})[ \t]")
_ARC_FIELDS: Final = {
    1: b"URL IP-address Archive-date Content-type Archive-length",
    2: b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename "
    b"Archive-length",
}


class StoredRecord(NamedTuple):
    """A record as it is stored.

    Attributes:
        kind: of its archive.
        type, url, offset: as those of `records.Record`.
        codec: `gzip`, `zstd` or `lz4` if `data` is a whole member or frame; `plain` if it is the record
            itself, with the separator that follows it.
        packed: the compression of the archive that it is from.
        size: bytes of `data`.
        data: a binary file that is at its beginning; it is valid until the next record is read.
    """

    kind: ArchiveKind
    type: str
    url: str
    offset: int
    codec: Codec
    packed: Codec
    size: int
    data: IO[bytes]


def temporary(folder: Path | None) -> IO[bytes]:
    """Returns a file for a record, in memory up to a bound."""
    return tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=None if folder is None else str(folder))


class _Copy:
    """The bytes of the record that is being read; see `streams.Copier`.

    As long as the record may have its member to itself, the stored bytes are kept. If it has not, they are
    inflated once more; otherwise every record would be copied twice, and once in its full length.
    """

    def __init__(self, folder: Path | None, codec: Codec, has_dictionary: bool) -> None:
        self._folder = folder
        self._codec: Codec = codec
        self._keeps_members = codec in ("gzip", "zstd", "lz4") and not has_dictionary
        self._stored = self._file()
        self._taken = self._file()
        # the stored bytes are kept; all bytes taken from the member are of this record
        self._collects = self._is_first = False
        # a byte of the record has been taken; the member has given nothing yet
        self._has_begun = self._is_fresh = False
        # bytes taken from the member: white space before the first record, and this record
        self._before = self._size = 0
        self.held = memoryview(b"")
        # the member before, if the record may go on in this one
        self._last: IO[bytes] | None = None

    def _file(self) -> IO[bytes]:
        return temporary(self._folder)

    def begin(self) -> None:
        """A member begins."""
        if self._has_begun and self._is_first:
            self._last, self._stored = self._stored, self._file()
        else:
            self._stored = self._emptied(self._stored)
        self._is_fresh = True
        self._collects = self._keeps_members

    def add_stored(self, data: memoryview) -> None:
        """Adds bytes of the member as they are stored."""
        if self._collects:
            self._stored.write(data)

    def add_taken(self, data: memoryview) -> None:
        """Adds bytes of the record; passes over white space before it, which the reader takes by itself."""
        if not data:
            return
        if self._is_fresh:
            self._is_fresh = False
            if self._has_begun:
                # the record goes on in this member
                self._stop_collecting()
            else:
                self._is_first = self._collects
                self._before = self._size = 0
        if not self._has_begun and data[0] in BLANK:
            self._before += len(data)
            return
        self._has_begun = True
        if self._is_first:
            self._size += len(data)
        else:
            self._taken.write(data)

    def end(self) -> None:
        """The record has ended, and its bytes are no longer needed."""
        self._has_begun = self._is_first = False
        self._size = 0
        if not self._is_fresh:
            self._collects = False
            self._stored = self._emptied(self._stored)
        self._taken = self._emptied(self._taken)
        self._forget_last()

    def _forget_last(self) -> None:
        if self._last is not None:
            self._last.close()
            self._last = None

    def close(self) -> None:
        """Frees the memory or the temporary files."""
        self._stored.close()
        self._taken.close()
        self._forget_last()

    def _stop_collecting(self) -> None:
        """Gets the record so far from the stored bytes of its member, and keeps what is taken from now on."""
        if self._is_first:
            stored = self._stored if self._last is None else self._last
            if self._last is None:
                stored.write(self.held)
            stored.seek(0)
            members = Members(Source(stored, "", 0), self._codec)
            members.next_member()
            members.skip(self._before)
            while self._size and (piece := members.take(min(self._size, 1 << 20))):
                self._taken.write(piece)
                self._size -= len(piece)
        self._forget_last()
        self._is_first = self._collects = False
        self._stored = self._emptied(self._stored)

    def _emptied(self, file: IO[bytes]) -> IO[bytes]:
        if not file.tell():
            return file
        file.close()
        return self._file()

    @property
    def is_first(self) -> bool:
        """Whether the record is the first of its member, and does not go on in another one."""
        return self._is_first and self._last is None

    def member(self) -> IO[bytes]:
        """Returns the member as it is stored, as a file that is at its end."""
        return self._stored

    def record(self, separator: bytes) -> IO[bytes] | None:
        """Returns the record, as a file that is at its end; None if its member is broken."""
        self._stop_collecting()
        if self._size:
            return None
        self._taken.write(separator)
        return self._taken


def stored_records(
    source: Source, kind: ArchiveKind, codec: Codec, folder: Path | None = None
) -> Iterator[StoredRecord | Damage]:
    """Reads the records of one archive as they are stored; its content never raises an exception.

    Args:
        source: the archive.
        kind, codec: of the archive.
        folder: for temporary files, which hold records of more than some megabytes.

    Yields:
        Whole records, and between them a `Damage` for each place that is broken. Its `what` says how many
        bytes of the archive are not in any of the records.

    Raises:
        OSError: a temporary file cannot be written.
    """
    copy: _Copy | None = None

    def members_of(
        inner: Source, its_codec: Codec, begins_record: Callable[[bytes], bool], dictionary: Dictionary
    ) -> Members:
        nonlocal copy
        if copy is not None:
            copy.close()
        copy = _Copy(folder, its_codec, bool(dictionary.data))
        return Members(inner, its_codec, begins_record, dictionary, copy)

    damage: Damage | None = None
    try:
        for item, place in records_through(source, kind, codec, members_of):
            found = None
            if isinstance(item, Record) and not item.damaged:
                if isinstance(place, int):
                    found = _member(item, kind, codec, source, place, folder)
                else:
                    assert copy is not None and place is not None
                    found = _found(item, kind, codec, place, copy)
            if damage is not None and (found is not None or isinstance(item, Damage)):
                yield _with_length(damage, item.offset)
                damage = None
            if isinstance(item, Damage):
                damage = item
            if found is not None:
                yield found
                if isinstance(place, int):
                    found.data.close()
            if isinstance(place, Members) and copy is not None:
                copy.end()
    finally:
        if copy is not None:
            copy.close()
    if damage is not None:
        yield _with_length(damage, source.tell())


def _member(
    record: Record, kind: ArchiveKind, codec: Codec, source: Source, end: int, folder: Path | None
) -> StoredRecord | None:
    """Returns a record that has the member up to `end` to itself."""
    size = end - record.offset
    data: IO[bytes] = BytesIO() if size <= _IN_MEMORY else temporary(folder)
    for piece in source.again(record.offset, size):
        data.write(piece)
    if data.tell() < size:
        data.close()
        return None
    data.seek(0)
    return StoredRecord(kind, record.type, record.url, record.offset, codec, codec, size, data)


def _found(
    record: Record, kind: ArchiveKind, codec: Codec, members: Members, copy: _Copy
) -> StoredRecord | None:
    """Returns the record that has been read; None if its member proves to be broken."""
    stored_as: Codec = "plain"
    if copy.is_first:
        window = members.peek(64)
        if len(window) < 64 and not window.strip(BLANK):
            if not members.inflated_whole:
                return None  # the reader reports the damage of the member next
            stored_as = members.codec
    data = copy.record(_SEPARATOR[kind]) if stored_as == "plain" else copy.member()
    if data is None:
        return None
    size = data.tell()
    data.seek(0)
    return StoredRecord(kind, record.type, record.url, record.offset, stored_as, codec, size, data)


def _with_length(damage: Damage, end: int) -> Damage:
    length = end - damage.offset
    if length <= 0 or damage.unread:
        return damage
    return damage._replace(what=f"{damage.what}; {counted(length, 'byte is', 'bytes are')} left out")


def filedesc(name: str, head: bytes) -> bytes:
    """Returns the record that an ARC begins with, for an ARC of other records.

    Args:
        name: of the archive.
        head: the header line of the first of these records; it decides the version, and has the date.
    """
    line = head.partition(b"\n")[0]
    date = _ARC_DATE.search(line)
    after = line[date.end() :].split() if date else []
    version = 2 if len(after) > 6 and after[-6].isdigit() and after[-3].isdigit() else 1
    block = b"%d 0 ncleaner\n%s\n\n" % (version, _ARC_FIELDS[version])
    when = (date[1] + b"00")[:14] if date else b"19700101000000"
    fields = b" 200 - - 0 %s" % name.encode() if version == 2 else b""
    return b"filedesc://%s 0.0.0.0 %s text/plain%s %d\n%s\n" % (
        name.encode(), when, fields, len(block), block,
    )  # fmt: skip
