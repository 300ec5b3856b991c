"""Inputs as streams: `Source` can go back a little, `Members` inflates and reads on after damage.

`Source` reads a file or a pipe and can return to an earlier offset. `Members` reads a source that is plain,
gzip, Zstandard, LZ4, bzip2 or xz, one member after the other, and after a broken member looks for the next
whole one. The memory of both is bounded.
"""

import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, NamedTuple, Protocol

from ncleaner.errors import InputError
from ncleaner.page import Damage
from ncleaner.reading.inflating import (
    BLOCK,
    MAGIC,
    NO_DICTIONARY,
    TELLING,
    Codec,
    Dictionary,
    InflateError,
    Inflater,
    codec_of,
    inflaters,
    is_skippable,
)
from ncleaner.text.visible import counted

# Bytes of the shortest member, or of the shortest skippable frame.
_SHORTEST: Final[dict[Codec, int]] = {"gzip": 18, "zstd": 8, "lz4": 8, "bz2": 14, "xz": 32}
# Bytes of compressed input in which a member after damage must give its first byte. Zstandard gives none of
# a block, of up to 128 KiB, before its end, LZ4 none of a block of up to 4 MiB, and bzip2 none of up to
# 900 kB; four MiB would be too long a search after each magic number that is there by chance.
_TO_FIRST_BYTE: Final[dict[Codec, int]] = {
    "gzip": 3 * BLOCK, "zstd": 3 * BLOCK, "lz4": 16 * BLOCK, "bz2": 16 * BLOCK, "xz": 3 * BLOCK,
}  # fmt: skip
_HEAD: Final = 4096


class Readable(Protocol):
    """The method that an underlying stream must have."""

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to `size` bytes; none at the end."""
        ...


class Copier(Protocol):
    """What copies the bytes of members while they are read. The views are valid during the call only.

    Attributes:
        held: stored bytes that are inflated in part, and not yet added; this view stays valid.
    """

    held: memoryview

    def begin(self) -> None:
        """A member begins."""
        ...

    def add_stored(self, data: memoryview) -> None:
        """Adds bytes of the member as they are stored; `Members` reads them ahead of what is taken."""
        ...

    def add_taken(self, data: memoryview) -> None:
        """Adds inflated bytes that the reader has taken or passed over."""
        ...


def inflated(stream: BinaryIO | Readable, name: str, most: int = sys.maxsize) -> bytes:
    """Returns the whole content of a small file, compressed or not; or its beginning.

    Args:
        stream: the file.
        name: its name, for messages.
        most: bytes that are wanted; a little more may come.

    Raises:
        InputError: the file is damaged, or cannot be read to its end.
    """
    source = Source(stream, name, BLOCK)
    members = Members(source, codec_of(source.peek(TELLING)))
    members.next_member()
    data = bytearray()
    while len(data) < most and (more := members.read()):
        data += more
    for damage in members.pending:
        raise InputError(f"{name}: {damage.what}")
    return bytes(data)


class Source:
    """A binary stream that can go back to an earlier offset.

    A seekable file seeks. Of any other stream, the bytes since the last mark are kept in memory, but at most
    `keep` of them; older ones can no longer be read.

    Attributes:
        name: the name of the input in messages.
        raw: the underlying stream.
        size: of the file when it was opened, in bytes; 0 for any other stream.
        start: offset of the first byte.
        end: offset after the last byte, if the stream goes on after it; else -1.
        keep: most bytes since the last mark that are kept.
        on_read: called after each read of the underlying stream.
        broken: why reading stopped before the end (an I/O error, or the file became shorter), or empty.
    """

    def __init__(
        self,
        raw: BinaryIO | Readable,
        name: str,
        keep: int,
        end: int = -1,
        on_read: Callable[[], None] | None = None,
        size: int | None = None,
    ) -> None:
        self.name = name
        self.end = end
        self.on_read = on_read
        self.broken = ""
        self.raw = raw
        self.size = _file_size(raw) if size is None else size
        self.keep = keep
        self._kept = bytearray()
        self._floor = 0
        self._position = 0
        self._seekable = False
        if isinstance(raw, io.IOBase) and raw.seekable():
            try:
                self._position = self._floor = raw.tell()
                self._seekable = True
            except OSError:
                self._seekable = False
        self.start = self._position

    def read(self, size: int = BLOCK) -> bytes:
        """Returns up to `size` bytes; none at the end. An I/O error ends the stream and sets `broken`."""
        if size < 0:
            size = BLOCK
        passed = self._position - self._floor
        if not self._seekable and passed < len(self._kept):
            data = bytes(memoryview(self._kept)[passed : passed + size])
        else:
            data = self._fetch(size if self.end < 0 else min(size, self.end - self._position), self._position)
            if not self._seekable:
                self._kept += data
                excess = len(self._kept) - self.keep - BLOCK
                if excess > 0:
                    self._drop(excess)
        self._position += len(data)
        return data

    def _fetch(self, size: int, at: int) -> bytes:
        if self.broken:
            return b""
        try:
            data = self.raw.read(size)
        except (OSError, EOFError, zlib.error) as error:
            self.broken = f"cannot read on: {getattr(error, 'strerror', None) or error}"
            return b""
        if self.on_read is not None:
            self.on_read()
        if isinstance(data, str):
            raise InputError(f"{self.name}: opened as text; open it in binary mode")
        if not data and size and at < self.size:
            had = counted(self.size, "byte")
            self.broken = f"cannot read on: the file had {had}, and has become shorter"
        # a non-blocking stream returns None if no data has arrived
        return data or b""

    def _drop(self, count: int) -> None:
        del self._kept[:count]
        self._floor += count

    def tell(self) -> int:
        """Returns the offset of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        """Raises UnsupportedOperation, as a pipe does: readers of this stream must not move it."""
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        """Does nothing: the code that has opened the underlying stream closes it."""

    def mark(self, offset: int) -> None:
        """Frees the bytes before `offset`, which are not needed again."""
        if not self._seekable and offset > self._floor:
            self._drop(min(offset, self._position) - self._floor)

    def rewind(self, offset: int) -> int:
        """Goes back to `offset`, or to the nearest later offset still kept; returns the offset reached."""
        if self._seekable:
            assert isinstance(self.raw, io.IOBase)
            self.raw.seek(offset)
            self._position = offset
        else:
            self._position = max(offset, self._floor)
        return self._position

    @property
    def is_seekable(self) -> bool:
        """Whether it can go back to any offset."""
        return self._seekable

    @property
    def is_file(self) -> bool:
        """Whether it is a file on this machine, of which `again` takes no time."""
        return self._seekable and isinstance(self.raw, io.FileIO)

    def again(self, offset: int, size: int) -> Iterator[bytes]:
        """Reads bytes of a seekable file once more, without moving; yields them in pieces.

        There are fewer at the end of the file, and after an I/O error, which sets `broken`.
        """
        assert isinstance(self.raw, io.IOBase)
        while size > 0:
            self.raw.seek(offset)
            piece = self._fetch(min(size, 16 * BLOCK), offset)
            self.raw.seek(self._position)
            if not piece:
                return
            yield piece
            offset += len(piece)
            size -= len(piece)

    def peek(self, size: int) -> bytes:
        """Returns the next `size` bytes without moving; fewer at the end."""
        start = self._position
        pieces: list[bytes] = []
        while size > 0:
            piece = self.read(size)
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        self.rewind(start)
        return b"".join(pieces)


def _file_size(raw: object) -> int:
    file = raw.raw if isinstance(raw, io.BufferedReader) else raw
    if isinstance(file, io.FileIO):
        return os.fstat(file.fileno()).st_size
    # that of a file on a server
    size = getattr(file, "size", None)
    return size if isinstance(size, int) else 0


class Window(io.RawIOBase):
    """The bytes of a source, which can seek, as a file of their own."""

    def __init__(self, source: Source) -> None:
        self._source = source
        end = source.end if source.end >= 0 else source.raw.seek(0, 2)  # type: ignore[union-attr]
        self.size = end - source.start
        self._at = 0

    def readable(self) -> bool:
        """Returns True."""
        return True

    def seekable(self) -> bool:
        """Returns True."""
        return True

    def tell(self) -> int:
        """Returns the offset of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Moves to an offset, from the beginning, from here, or from the end."""
        self._at = max(0, offset + (0, self._at, self.size)[whence])
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """Returns the next bytes; fewer only at the end, and after an I/O error."""
        left = max(0, self.size - self._at)
        left = left if size < 0 else min(size, left)
        self._source.rewind(self._source.start + self._at)
        pieces = []
        while left > 0 and (piece := self._source.read(left)):
            pieces.append(piece)
            left -= len(piece)
        data = b"".join(pieces)
        self._at += len(data)
        return data


class Member(NamedTuple):
    """An input, or an archive in a ZIP file.

    Attributes:
        source: its bytes.
        offset: where it begins in the ZIP file, if it is compressed there, so that its offsets are none in
            the ZIP file; else -1.
    """

    source: Source
    offset: int = -1


class Members:
    """An inflated source, member by member; a plain source is one member.

    Reads stop at the end of the current member, so that callers see where members end; `next_member` moves to
    the next one. After the readable part of a broken member has been read, `damage` says what is wrong.

    Attributes:
        start: offset of the current member in the source.
        damage: how the current member is broken; empty if no damage has been found in it.
        pending: damage between members that has not been reported; callers report it and clear the list.
    """

    def __init__(
        self,
        source: Source,
        codec: Codec,
        begins_record: Callable[[bytes], bool] | None = None,
        dictionary: Dictionary = NO_DICTIONARY,
        copier: Copier | None = None,
    ) -> None:
        """Stands before the first member; `next_member` moves to it.

        Args:
            source: the compressed stream, positioned at the first member.
            codec: its compression.
            begins_record: tests whether inflated bytes are the beginning of a record. The search for the next
                member after damage needs it, since magic bytes also occur by chance within members; without
                it, a broken member is the last.
            dictionary: the result of `zstd_dictionary`.
            copier: gets all bytes of the members that are read.
        """
        self.codec: Codec = codec
        self.start = source.tell()
        self.damage = ""
        self._broken_off = False
        self._has_dictionary = bool(dictionary.data)
        self.pending: list[Damage] = []
        self._source = source
        self._begins_record = begins_record
        self._copier = copier
        # input that is read ahead, the index of its next byte, and the offset of that byte in the source
        self._input = b""
        self._cursor = 0
        self._input_at = source.tell()
        self._buffer = bytearray()
        self._taken = 0
        self._ended = True
        self._first = True
        self._inflater: Inflater | None = None
        self._new_inflater = inflaters(codec, dictionary) if codec != "plain" else None

    # Reading within the member

    @property
    def offset(self) -> int:
        """The offset of the next byte in the source; in a compressed source, the offset of the member."""
        return self.start + self._taken if self.codec == "plain" else self.start

    @property
    def at_start(self) -> bool:
        """Whether no byte of the member has been taken."""
        return self._taken == 0

    def length_from(self, offset: int) -> int:
        """Returns the number of stored bytes from the beginning of the member, or from an offset of a plain
        source, to here; -1 within a member."""
        if self.codec == "plain":
            return self.offset - offset
        is_alone = self.inflated_whole and not self._buffer and not self._has_dictionary
        return self._input_at - self.start if is_alone else -1

    @property
    def inflated_whole(self) -> bool:
        """Whether the member has been inflated to its end, and the end is not broken."""
        return self._ended and not self.damage

    def peek(self, size: int) -> bytes:
        """Returns up to `size` bytes without taking them; fewer only at the end of the member."""
        while len(self._buffer) < size and self._fill():
            pass
        return bytes(memoryview(self._buffer)[:size])

    def take(self, size: int) -> bytes:
        """Takes up to `size` bytes; fewer only at the end of the member."""
        while len(self._buffer) < size and self._fill():
            pass
        return self._take_buffered(size)

    def _take_buffered(self, size: int) -> bytes:
        data = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        self._taken += len(data)
        if self._copier is not None:
            self._copier.add_taken(memoryview(data))
        return data

    def skip(self, size: int) -> int:
        """Passes over up to `size` bytes without holding them; returns their number."""
        left = size
        while left > 0:
            if not self._buffer and not self._fill():
                break
            step = min(left, len(self._buffer))
            if self._copier is not None:
                with memoryview(self._buffer)[:step] as passed:
                    self._copier.add_taken(passed)
            del self._buffer[:step]
            left -= step
        self._taken += size - left
        return size - left

    @property
    def unread(self) -> bool:
        """Whether this member ends early because its source cannot be read further."""
        return self._broken_off and bool(self.damage)

    def damage_item(self) -> Damage:
        """Returns the damage of this member with its place."""
        return Damage(self.damage, self._source.name, self.start, unread=self.unread)

    def put_back(self, data: bytes) -> None:
        """Puts back the bytes that were taken last."""
        self._buffer[:0] = data
        self._taken -= len(data)

    def _fill(self) -> bool:
        """Inflates more of the member; returns False at its end."""
        while not self._ended:
            before = len(self._buffer)
            if self._cursor >= len(self._input) and not self._read():
                self._ended = True
                if self._source.broken:
                    self._broken_off = True
                    self.damage = self._source.broken
                elif self.codec != "plain":
                    self.damage = f"{self.codec} member cut short"
                return len(self._buffer) > before
            if self.codec == "plain":
                self._buffer += self._rest()
                self._consume(len(self._input) - self._cursor)
            else:
                self._inflate()
            if len(self._buffer) > before:
                return True
        return False

    def _read(self) -> bool:
        self._input_at = self._source.tell()
        self._input = self._source.read(BLOCK)
        self._cursor = 0
        return bool(self._input)

    def _rest(self) -> memoryview:
        return memoryview(self._input)[self._cursor :]

    def _consume(self, count: int) -> None:
        self._cursor += count
        self._input_at += count

    def _consume_stored(self, count: int) -> None:
        if self._copier is not None:
            self._copier.add_stored(self._rest()[:count])
        self._consume(count)

    def _inflate(self) -> None:
        inflater = self._inflater
        assert inflater is not None
        piece = self._rest()
        if inflater.piece:
            self._need(inflater.piece)
            piece = self._rest()[: inflater.piece]
        try:
            output, count = inflater.inflate(piece, 4 * BLOCK)
        except InflateError as error:
            self._buffer += inflater.salvage(piece)
            if self._copier is not None:
                self._copier.add_stored(piece)
            self.damage = str(error)
            self._ended = True
            return
        self._buffer += output
        if self._copier is not None:
            self._copier.held = piece if count == 0 else piece[:0]
        self._consume_stored(count)
        self._ended = inflater.eof

    def reopen(self, offset: int) -> None:
        """Goes back to an offset of a plain source, or to the nearest later offset still kept."""
        self._go_to(offset)
        self._open()

    # From member to member

    def next_member(self) -> bool:
        """Moves to the next member; returns False at the end of the source."""
        if self.codec == "plain":
            if not self._first:
                return False
            self._first = False
            self._open()
            return True
        resync = bool(self.damage)
        if resync and self._begins_record is None:
            return False
        if resync:
            # The end of the broken member is unknown, and may have been passed: search for the next one from
            # directly after its beginning.
            self._go_to(self.start + 1)
        elif not self._ended:
            while self.skip(1 << 30):
                pass
            if self.damage:
                return self.next_member()
        self._first = False
        skipped_from = self._input_at
        junk = False
        noted = resync
        while self._need(_SHORTEST[self.codec]):
            if self._at_member() and (not (resync or junk) or self._plausible()):
                if junk and not noted:
                    self._note_junk(skipped_from)
                self._open()
                return True
            if not (resync or junk):
                count = len(self.pending)
                if self._skip_frame():
                    skipped_from = self._input_at
                    continue
                noted = len(self.pending) > count
            junk = True
            self._to_next_magic()
        tail = self._rest().tobytes()
        self._consume(len(tail))
        # padding with zeros, which tapes and copying programs add, is not damage
        if (junk or tail.strip(b"\0")) and not noted:
            self._note_junk(skipped_from)
        if self._source.broken and not resync:
            self.pending.append(Damage(self._source.broken, self._source.name, self._input_at, unread=True))
        self._ended = True
        self.damage = ""
        return False

    def find_member(self, end: int) -> bool:
        """Moves to the first member from here on that begins with a record; returns False without one.

        It passes over everything else, without reporting damage.

        Args:
            end: no member that begins at this offset of the source or after it is looked at; -1: all are.
        """
        while self._need(_SHORTEST[self.codec]) and not 0 <= end <= self._input_at:
            if self._at_member() and self._plausible():
                self._first = False
                self._open()
                return True
            self._to_next_magic()
        return False

    def _note_junk(self, start: int) -> None:
        what = f"{self._input_at - start} bytes that are no {self.codec} member"
        self.pending.append(Damage(what, self._source.name, start))

    def _need(self, size: int) -> bool:
        """Reads until `size` bytes of input are buffered; returns False if the source ends before."""
        while len(self._input) - self._cursor < size:
            more = self._source.read(BLOCK)
            if not more:
                return False
            self._input = self._input[self._cursor :] + more
            self._cursor = 0
        return True

    def _at_member(self) -> bool:
        return self._input.startswith(MAGIC[self.codec], self._cursor)

    def _to_next_magic(self) -> None:
        """Moves forward to the next magic number, or to the end of the input where one may begin."""
        magic = MAGIC[self.codec]
        left = len(self._input) - self._cursor
        found = self._input.find(magic, self._cursor + 1)
        self._consume(found - self._cursor if found >= 0 else max(1, left - len(magic) + 1))

    def _plausible(self) -> bool:
        """Whether a member with a record at its beginning begins here; tries to inflate it."""
        self._need(_TO_FIRST_BYTE[self.codec])
        start = self._rest()
        assert self._new_inflater is not None
        inflater = self._new_inflater()
        step = inflater.piece or len(start)
        output = b""
        try:
            for at in range(0, len(start), step):
                output, _ = inflater.inflate(start[at : at + step], _HEAD)
                if output or inflater.eof:
                    break
        except InflateError:
            return False
        return bool(output) and (self._begins_record is None or self._begins_record(output[:_HEAD].lstrip()))

    def _skip_frame(self) -> bool:
        """Passes over a skippable frame; returns False if none begins here, or it is cut short."""
        head = self._rest()[:8].tobytes()
        if self.codec not in ("zstd", "lz4") or not is_skippable(head):
            return False
        start = self._input_at
        size = 8 + int.from_bytes(head[4:], "little")
        left = size
        while left > 0 and self._need(1):
            step = min(left, len(self._input) - self._cursor)
            self._consume(step)
            left -= step
        if not left:
            return True
        if not self._source.broken:
            what = f"{self.codec} frame to be skipped cut short, {size - left} of {size} bytes are there"
            self.pending.append(Damage(what, self._source.name, start))
        # its length may be wrong, and members may follow
        self._go_to(start)
        return False

    def _go_to(self, offset: int) -> None:
        """Goes back to an offset of the source, or to the nearest later offset still kept."""
        self._input = b""
        self._cursor = 0
        self._input_at = self._source.rewind(offset)

    def _open(self) -> None:
        self.start = self._input_at
        self.damage = ""
        self._buffer.clear()
        self._taken = 0
        self._ended = False
        if self._copier is not None:
            self._copier.begin()
        if self._new_inflater is not None:
            self._inflater = self._new_inflater()

    # As one stream

    def read(self, size: int = BLOCK) -> bytes:
        """Takes bytes from this member or the next one with content; none at the end of the source.

        Members are joined, broken ones too; their damage is added to `pending`.
        """
        return self._take_buffered(size) if self.to_content() else b""

    def to_content(self) -> bool:
        """Moves to the next byte, which may be in a later member; returns False if there is none.

        The damage of members that are passed is added to `pending`.
        """
        while not self._buffer and not self._fill():
            if self.damage:
                self.pending.append(self.damage_item())
            if not self.next_member():
                return False
        return True
