"""Inputs as streams: one that can go back a little, and one that inflates members and survives damage.

`Source` reads a file or a pipe and can return to a place it has passed. `Members` reads a source that is
plain, gzip or Zstandard, one member after the other, and looks for the next whole member where one is
broken. Both hold a bounded amount of memory whatever they read.
"""

from __future__ import annotations

import io
import zlib
from collections import deque
from collections.abc import Callable
from typing import BinaryIO, Final, Literal, Protocol

import zstandard

from ncleaner.errors import InputError
from ncleaner.page import Damage

__all__ = ["MAGIC", "Codec", "Members", "Readable", "Source", "codec_of", "inflated", "zstd_dictionary"]

Codec = Literal["plain", "gzip", "zstd"]

BLOCK: Final = 1 << 16
GZIP_MAGIC: Final = b"\x1f\x8b\x08"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
# The first byte of a skippable frame's magic is anything from 0x50 to 0x5f; the last of them, at the start
# of a file, holds the dictionary of all frames that follow.
_SKIPPABLE: Final = b"\x2a\x4d\x18"
_DICTIONARY: Final = b"\x5d" + _SKIPPABLE
# Zstandard makes up to 128 KiB of four bytes and its library cannot be told to stop, so it is fed crumbs.
_CRUMB: Final = 1024
# Reads that stay at hand. FastWARC mostly reads a block or two ahead of the record it gives, at times six.
_RECENT: Final = 16
_MAX_DICTIONARY: Final = 1 << 24
#: The bytes that a member begins with.
MAGIC: Final[dict[Codec, bytes]] = {"gzip": GZIP_MAGIC, "zstd": ZSTD_MAGIC}
# Bytes of the shortest member that holds nothing at all.
_SHORTEST: Final = {"gzip": 18, "zstd": 8}


class Readable(Protocol):
    """The one thing asked of an underlying stream."""

    def read(self, size: int = -1, /) -> bytes:
        """Give up to `size` bytes, and none at the end."""
        ...


def codec_of(head: bytes) -> Codec:
    """Tell the compression of a stream by its first bytes."""
    if head.startswith(GZIP_MAGIC):
        return "gzip"
    if head.startswith(ZSTD_MAGIC) or (head[:1] and 0x50 <= head[0] <= 0x5F and head[1:4] == _SKIPPABLE):
        return "zstd"
    return "plain"


def zstd_dictionary(source: Source) -> bytes:
    """Read the dictionary that a `.warc.zst` may begin with, in a skippable frame; empty if there is none."""
    head = source.peek(8)
    size = int.from_bytes(head[4:8], "little")
    if not head.startswith(_DICTIONARY) or size > _MAX_DICTIONARY:
        return b""
    data = source.peek(8 + size)[8:]
    if data.startswith(ZSTD_MAGIC):
        try:
            return zstandard.ZstdDecompressor().decompress(data, max_output_size=_MAX_DICTIONARY)
        except zstandard.ZstdError:
            return b""
    return data


def inflated(stream: BinaryIO | Readable, name: str) -> bytes:
    """Read a small file whole, compressed or not.

    Raises:
        InputError: it is damaged, or cannot be read to its end.
    """
    source = Source(stream, name, BLOCK)
    members = Members(source, codec_of(source.peek(4)))
    members.next_member()
    data = b"".join(iter(members.read, b""))
    for damage in members.found:
        raise InputError(f"{name}: {damage.what}")
    return data


class Source:
    """A binary stream that can go back to a place it has passed.

    A seekable file simply seeks. Of anything else the bytes since the last mark are kept, but never more
    than `keep` of them; what is older is gone.

    Attributes:
        name: what messages call it.
        broken: why reading stopped before the end (an I/O error), or an empty string.
    """

    def __init__(self, raw: BinaryIO | Readable, name: str, keep: int) -> None:
        self.name = name
        self.broken = ""
        self._raw = raw
        self._keep = keep
        self._kept = bytearray()
        self._floor = 0
        self._position = 0
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=_RECENT)
        self._seekable = False
        if isinstance(raw, io.IOBase) and raw.seekable():
            try:
                self._position = self._floor = raw.tell()
                self._seekable = True
            except OSError:
                self._seekable = False

    def read(self, size: int = BLOCK) -> bytes:
        """Give up to `size` bytes; none at the end. An I/O error is an end, and is told in `broken`."""
        if size < 0:
            size = BLOCK
        passed = self._position - self._floor
        if not self._seekable and passed < len(self._kept):
            data = bytes(memoryview(self._kept)[passed : passed + size])
        else:
            data = self._fetch(size)
            if not self._seekable:
                self._kept += data
                excess = len(self._kept) - self._keep - BLOCK
                if excess > 0:
                    self._drop(excess)
        self._recent.append((self._position, data))
        self._position += len(data)
        return data

    def _fetch(self, size: int) -> bytes:
        if self.broken:
            return b""
        try:
            data = self._raw.read(size)
        except (OSError, EOFError, zlib.error) as error:
            self.broken = f"cannot read on: {error}"
            return b""
        if isinstance(data, str):
            raise InputError(f"{self.name}: opened as text; open it in binary mode")
        # A stream that does not block gives None when nothing has come yet.
        return data or b""

    def _drop(self, count: int) -> None:
        del self._kept[:count]
        self._floor += count

    def tell(self) -> int:
        """Give the offset of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        """Refuse, in the way of a pipe: readers on top must not move it behind our back."""
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        """Do nothing: whoever opened the underlying stream closes it."""

    def mark(self, offset: int) -> None:
        """Say that nothing before `offset` will be asked for again."""
        if not self._seekable and offset > self._floor:
            self._drop(min(offset, self._position) - self._floor)

    def rewind(self, offset: int) -> int:
        """Go back to `offset`, or as near to it as can be; give the offset reached."""
        if self._seekable:
            assert isinstance(self._raw, io.IOBase)
            self._raw.seek(offset)
            self._position = offset
        else:
            self._position = max(offset, self._floor)
        return self._position

    def recall(self, offset: int, size: int) -> bytes:
        """Give `size` bytes from `offset` if they are still at hand, without moving; else fewer or others."""
        if not self._seekable:
            passed = max(0, offset - self._floor)
            return bytes(memoryview(self._kept)[passed : passed + size])
        later = b""
        for at, block in reversed(self._recent):
            if at <= offset:
                return (block[offset - at : offset - at + size] + later)[:size]
            later = block[:size]
        return b""

    def peek(self, size: int) -> bytes:
        """Give the next `size` bytes, or what there is before the end, without moving on."""
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


def _inflate_to_error(inflater: zlib._Decompress, data: memoryview) -> bytes:
    """Inflate what comes before an error; zlib gives nothing of a piece that has one, so pieces get small."""
    pieces = []
    position = 0
    for step in (256, 1):
        while position < len(data):
            before = inflater.copy()
            try:
                pieces.append(inflater.decompress(data[position : position + step]))
            except zlib.error:
                inflater = before
                break
            position += step
    return b"".join(pieces)


class Members:
    """A source inflated, member by member; a plain source is one member.

    Reading goes on within the present member only, so whoever reads knows where members end: `next_member`
    moves to the next one. What is wrong with a member is in `damage` once its readable part has been read.

    Attributes:
        start: offset of the present member in the source.
        damage: what broke the present member; empty if nothing did, or nothing has shown yet.
        found: damage between members, for the reader to take.
    """

    def __init__(
        self,
        source: Source,
        codec: Codec,
        begins: Callable[[bytes], bool] | None = None,
        dictionary: bytes = b"",
    ) -> None:
        """Begin before the first member.

        Args:
            source: where to read; its position is where members begin.
            codec: how it is compressed.
            begins: tells whether inflated bytes are the beginning of a record. It guards the search for
                the next member after damage, as magic bytes also occur by chance within members; without
                it, a broken member is the last.
            dictionary: what `zstd_dictionary` found.
        """
        self.codec: Codec = codec
        self.start = source.tell()
        self.damage = ""
        self._broken_off = False
        self.found: list[Damage] = []
        self._source = source
        self._begins = begins
        # Input read ahead, where in it the next byte is, and the offset of that byte in the source.
        self._input = b""
        self._cursor = 0
        self._input_at = source.tell()
        self._buffer = bytearray()
        self._taken = 0
        self._ended = True
        self._first = True
        self._inflater: zlib._Decompress | None = None
        self._unzstd: zstandard.ZstdDecompressionObj | None = None
        self._zstd = zstandard.ZstdDecompressor(
            dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        )

    # Reading within the member

    @property
    def offset(self) -> int:
        """The offset in the source of the next byte; within compressed members, of the member."""
        return self.start + self._taken if self.codec == "plain" else self.start

    @property
    def fresh(self) -> bool:
        """Whether nothing of the member has been taken."""
        return self._taken == 0

    def peek(self, size: int) -> bytes:
        """Give up to `size` bytes without taking them; fewer only where the member ends."""
        while len(self._buffer) < size and self._fill():
            pass
        return bytes(memoryview(self._buffer)[:size])

    def take(self, size: int) -> bytes:
        """Take up to `size` bytes; fewer only where the member ends."""
        while len(self._buffer) < size and self._fill():
            pass
        return self._give(size)

    def _give(self, size: int) -> bytes:
        data = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        self._taken += len(data)
        return data

    def skip(self, size: int) -> int:
        """Pass over up to `size` bytes without holding them; give how many there were."""
        left = size
        while left > 0:
            if not self._buffer and not self._fill():
                break
            step = min(left, len(self._buffer))
            del self._buffer[:step]
            left -= step
        self._taken += size - left
        return size - left

    @property
    def unread(self) -> bool:
        """Whether this member ends here because its source cannot be read on."""
        return self._broken_off and bool(self.damage)

    def told(self) -> Damage:
        """The damage of this member, with its place."""
        return Damage(self.damage, self._source.name, self.start, unread=self.unread)

    def untake(self, data: bytes) -> None:
        """Put back what was taken last."""
        self._buffer[:0] = data
        self._taken -= len(data)

    def _fill(self) -> bool:
        """Inflate some more of the member; False where it ends."""
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
            elif self.codec == "gzip":
                self._fill_gzip()
            else:
                self._fill_zstd()
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

    def _fill_gzip(self) -> None:
        inflater = self._inflater
        assert inflater is not None
        before = inflater.copy()
        try:
            self._buffer += inflater.decompress(self._rest(), 4 * BLOCK)
        except zlib.error as error:
            self._buffer += _inflate_to_error(before, self._rest())
            self._fail(f"gzip member broken ({str(error).rpartition(': ')[2]})")
            return
        rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
        self._consume(len(self._input) - self._cursor - len(rest))
        self._ended = inflater.eof

    def _fill_zstd(self) -> None:
        unzstd = self._unzstd
        assert unzstd is not None
        # Whole crumbs, so that as much comes out of a broken frame however the source hands out its bytes.
        self._need(_CRUMB)
        crumb = self._rest()[:_CRUMB]
        try:
            self._buffer += unzstd.decompress(crumb)
        except zstandard.ZstdError as error:
            self._fail(f"zstd frame broken ({str(error).rpartition(': ')[2]})")
            return
        self._consume(len(crumb) - len(unzstd.unused_data))
        self._ended = unzstd.eof

    def reopen(self, offset: int) -> None:
        """Go back to an offset of a plain source, or as near to it as can be."""
        self._input = b""
        self._cursor = 0
        self._input_at = self._source.rewind(offset)
        self._open()

    def _fail(self, what: str) -> None:
        self.damage = what
        self._ended = True

    # From member to member

    def next_member(self) -> bool:
        """Move to the next member; False at the end of the source."""
        if self.codec == "plain":
            if not self._first:
                return False
            self._first = False
            self._open()
            return True
        resync = bool(self.damage)
        if resync and self._begins is None:
            return False
        if resync:
            # Where the broken member ends nobody knows, and it may have been read past: look for the next
            # one from just after its beginning.
            self._input = b""
            self._cursor = 0
            self._input_at = self._source.rewind(self.start + 1)
        elif not self._ended:
            while self.skip(1 << 30):
                pass
            if self.damage:
                return self.next_member()
        self._first = False
        skipped_from = self._input_at
        junk = False
        while self._need(_SHORTEST[self.codec]):
            if self._at_member() and (not (resync or junk) or self._plausible()):
                if junk and not resync:
                    self._note_junk(skipped_from)
                self._open()
                return True
            if not (resync or junk) and self._skip_frame():
                skipped_from = self._input_at
                continue
            junk = True
            self._to_next_magic()
        tail = self._rest().tobytes()
        self._consume(len(tail))
        # Zero padding is not damage: tapes and copiers leave it behind.
        if (junk or tail.strip(b"\0")) and not resync:
            self._note_junk(skipped_from)
        if self._source.broken and not resync:
            self.found.append(Damage(self._source.broken, self._source.name, self._input_at, unread=True))
        self._ended = True
        self.damage = ""
        return False

    def _note_junk(self, start: int) -> None:
        what = f"{self._input_at - start} bytes that are no {self.codec} member"
        self.found.append(Damage(what, self._source.name, start))

    def _need(self, size: int) -> bool:
        """See to it that `size` bytes of input are there."""
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
        """Move forward to the next magic number, or to where one may begin."""
        magic = MAGIC[self.codec]
        left = len(self._input) - self._cursor
        found = self._input.find(magic, self._cursor + 1)
        self._consume(found - self._cursor if found >= 0 else max(1, left - len(magic) + 1))

    def _plausible(self) -> bool:
        """Try whether what begins here is a member indeed, with a record at its beginning."""
        # Zstandard gives nothing of a block, of up to 128 KiB, before its end.
        self._need(3 * BLOCK)
        start = self._rest()
        out = b""
        try:
            if self.codec == "gzip":
                out = zlib.decompressobj(31).decompress(start, 4096)
            else:
                unzstd = self._zstd.decompressobj()
                for at in range(0, len(start), _CRUMB):
                    out = unzstd.decompress(start[at : at + _CRUMB])
                    if out or unzstd.eof:
                        break
        except (zlib.error, zstandard.ZstdError):
            return False
        return bool(out) and (self._begins is None or self._begins(out[:4096].lstrip()))

    def _skip_frame(self) -> bool:
        """Pass over a skippable Zstandard frame."""
        head = self._rest()[:8].tobytes()
        if self.codec != "zstd" or codec_of(head) != "zstd":
            return False
        size = int.from_bytes(head[4:], "little")
        left = 8 + size
        while left > 0 and self._need(1):
            step = min(left, len(self._input) - self._cursor)
            self._consume(step)
            left -= step
        return True

    def _open(self) -> None:
        self.start = self._input_at
        self.damage = ""
        self._buffer.clear()
        self._taken = 0
        self._ended = False
        if self.codec == "gzip":
            self._inflater = zlib.decompressobj(31)
        elif self.codec == "zstd":
            self._unzstd = self._zstd.decompressobj()

    # As one stream

    def read(self, size: int = BLOCK) -> bytes:
        """Take some bytes from this member or the next that has any; none at the end of the source.

        Members are joined whatever happened to them; damage is moved to `found`.
        """
        while True:
            if self._buffer or self._fill():
                return self._give(size)
            if self.damage:
                self.found.append(self.told())
            if not self.next_member():
                return b""
