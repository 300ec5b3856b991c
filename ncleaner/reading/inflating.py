"""The compressions of inputs: gzip, Zstandard, LZ4, bzip2 and xz, all member by member in one way."""

import re
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, cast

from zlib_ng import zlib_ng as zlib

from ncleaner.errors import require
from ncleaner.reading import _warc

if TYPE_CHECKING:
    import zstandard


Codec = Literal["plain", "gzip", "zstd", "lz4", "bz2", "xz"]

#: Bytes that are read at once.
BLOCK: Final = 1 << 16
#: The bytes that a member begins with.
MAGIC: Final[dict[Codec, bytes]] = {
    "gzip": b"\x1f\x8b\x08",
    "zstd": b"\x28\xb5\x2f\xfd",
    "lz4": b"\x04\x22\x4d\x18",
    "bz2": b"BZh",
    "xz": b"\xfd7zXZ\0",
}
#: Bytes at the beginning of a stream that tell its compression.
TELLING: Final = 10
# A text may begin with the three letters.
_BZ2: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
# Bytes of memory that xz may take: `xz -9` needs half of them.
_XZ_MEMORY: Final = 1 << 27
# The first byte of a skippable frame's magic is anything from 0x50 to 0x5f; the last of them, at the start
# of a file, holds the dictionary of all frames that follow.
_SKIPPABLE: Final = b"\x2a\x4d\x18"
_DICTIONARY: Final = b"\x5d" + _SKIPPABLE
_MAX_DICTIONARY: Final = 1 << 24
_ZIP_MAGIC: Final = b"PK\x03\x04"
# Bytes of compressed input that all libraries but that of gzip get at once: Zstandard turns four bytes into
# up to 128 KiB, LZ4 one byte into 255, and their output cannot be bounded.
_PIECE: Final = 1024


class InflateError(Exception):
    """A member is broken; the message says how."""


class Inflater(Protocol):
    """Inflates one member.

    Attributes:
        eof: whether the member has ended.
        piece: bytes of input to give at once, so that the result of a broken member does not depend on the
            blocks of its source; 0 for any number.
    """

    eof: bool
    piece: int

    def inflate(self, data: memoryview, size: int) -> tuple[bytes, int]:
        """Inflates a piece, to about `size` bytes; returns them, and how many bytes of the piece they took.

        Raises:
            InflateError: the member is broken in this piece.
        """
        ...

    def salvage(self, data: memoryview) -> bytes:
        """Returns what a piece has before its error, after `inflate` has raised an error for it."""
        ...


class _Gzip:
    piece = 0

    def __init__(self) -> None:
        self.eof = False
        self._inflater = self._before = zlib.decompressobj(31)

    def inflate(self, data: memoryview, size: int) -> tuple[bytes, int]:
        inflater = self._inflater
        self._before = inflater.copy()
        try:
            output = inflater.decompress(data, size)
        except zlib.error as error:
            raise InflateError(f"gzip member broken ({str(error).rpartition(': ')[2]})") from None
        self.eof = inflater.eof
        rest = inflater.unused_data if self.eof else inflater.unconsumed_tail
        return output, len(data) - len(rest)

    def salvage(self, data: memoryview) -> bytes:
        # in small pieces, since zlib returns nothing of a piece with an error
        inflater = self._before
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


def lz4_frames() -> ModuleType:
    """Returns `lz4.frame`.

    Raises:
        InputError: lz4 is not installed.
    """
    require("an .lz4 archive", "lz4", "lz4")
    import lz4.frame

    return cast(ModuleType, lz4.frame)


class _Frame:
    """A frame of Zstandard or LZ4, whose libraries cannot bound their output.

    Args:
        name: for messages.
        inflater: of the library.
        error: what it raises for a broken frame; the message says how, after `mark`. Without a mark, the
            words of the library are not told: those of Zstandard depend on the frames before, whose buffers
            it goes on using.
    """

    piece = _PIECE

    def __init__(self, name: str, inflater: Any, error: type[Exception], mark: str = "") -> None:
        self.eof = False
        self._name, self._inflater, self._error, self._mark = name, inflater, error, mark

    def inflate(self, data: memoryview, size: int) -> tuple[bytes, int]:
        try:
            output = self._inflater.decompress(bytes(data))
        except self._error as error:
            what = f" ({str(error).rpartition(self._mark)[2]})" if self._mark else ""
            raise InflateError(f"{self._name} broken{what}") from None
        self.eof = self._inflater.eof
        return output, len(data) - len(self._inflater.unused_data or b"")

    def salvage(self, data: memoryview) -> bytes:
        return b""


class _BoundedFrame(_Frame):
    """A stream of bzip2, in which forty bytes can be 45 MB, or of xz; their libraries can bound their output.

    A piece counts as taken when it has given all its output; until then the library holds it.
    """

    _is_held = False

    def inflate(self, data: memoryview, size: int) -> tuple[bytes, int]:
        try:
            output = self._inflater.decompress(b"" if self._is_held else data, size)
        except self._error as error:
            raise InflateError(f"{self._name} broken ({str(error).lower()})") from None
        self.eof = self._inflater.eof
        self._is_held = not self.eof and not self._inflater.needs_input
        return output, 0 if self._is_held else len(data) - len(self._inflater.unused_data)


def codec_of(head: bytes) -> Codec:
    """Returns the compression of a stream, by its first bytes.

    A stream that begins with a skippable frame may be Zstandard or LZ4; here it is Zstandard.
    """
    for codec, magic in MAGIC.items():
        if head.startswith(magic) and (codec != "bz2" or _BZ2.match(head)):
            return codec
    return "zstd" if is_skippable(head) else "plain"


def is_skippable(head: bytes) -> bool:
    """Whether a skippable frame, as Zstandard and LZ4 have, begins here."""
    return head[1:4] == _SKIPPABLE and 0x50 <= head[0] <= 0x5F


def is_zip(head: bytes) -> bool:
    """Whether these are the first bytes of a ZIP file with contents."""
    return head.startswith(_ZIP_MAGIC)


class Dictionary(NamedTuple):
    """The dictionary of a `.warc.zst`.

    Attributes:
        data: its bytes; empty without one, and if it cannot be used.
        damage: why it cannot be used; empty if it can.
    """

    data: bytes = b""
    damage: str = ""


NO_DICTIONARY: Final = Dictionary()


class _Peekable(Protocol):
    def peek(self, size: int) -> bytes: ...


def zstd_dictionary(source: _Peekable) -> Dictionary:
    """Returns the dictionary that a `.warc.zst` may have in a frame at its beginning, without moving."""
    head = source.peek(8)
    size = int.from_bytes(head[4:8], "little")
    if not head.startswith(_DICTIONARY) or not size:
        return NO_DICTIONARY
    if size > _MAX_DICTIONARY:
        return Dictionary(damage=f"zstd dictionary of {size} bytes is above {_MAX_DICTIONARY}")
    data = source.peek(8 + size)[8:]
    if len(data) < size:
        # `Members` reports the frame
        return NO_DICTIONARY
    import zstandard

    try:
        if data.startswith(MAGIC["zstd"]):
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MAX_DICTIONARY)
        zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(data))
    except (zstandard.ZstdError, MemoryError, ValueError) as error:
        return Dictionary(damage=f"zstd dictionary broken ({str(error).rpartition(': ')[2]})")
    return Dictionary(data)


def inflaters(codec: Codec, dictionary: Dictionary) -> Callable[[], Inflater]:
    """Returns a function that makes an `Inflater` for a member; `codec` is not `plain`."""
    if codec == "gzip":
        return _Gzip
    if codec != "zstd":
        new, error = _decompressors(codec)
        if codec == "lz4":
            return lambda: _Frame("lz4 frame", new(), error, "ERROR_")
        return lambda: _BoundedFrame(f"{codec} stream", new(), error)
    import zstandard

    decompressor = _zstd_decompressor(dictionary)
    return lambda: _Frame("zstd frame", decompressor.decompressobj(), zstandard.ZstdError)


def _decompressors(codec: Codec) -> tuple[Callable[[], Any], type[Exception]]:
    """Returns what makes a decompressor for a member, and what it raises for a broken one."""
    if codec == "gzip":
        return lambda: zlib.decompressobj(31), zlib.error
    if codec == "bz2":
        import bz2

        return bz2.BZ2Decompressor, OSError
    if codec == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY), lzma.LZMAError
    return lz4_frames().LZ4FrameDecompressor, RuntimeError


def _zstd_decompressor(dictionary: Dictionary) -> "zstandard.ZstdDecompressor":
    import zstandard

    data = zstandard.ZstdCompressionDict(dictionary.data) if dictionary.data else None
    return zstandard.ZstdDecompressor(dict_data=data)


def whole_inflater(
    codec: Codec, dictionary: Dictionary
) -> _warc.Gunzip | Callable[[bytes, int], tuple[bytes, int]] | None:
    """Returns what inflates whole members for `_warc.RegularReader`; None for `plain`."""
    if codec == "plain":
        return None
    if codec == "gzip" and _warc.AVAILABLE:
        return _warc.Gunzip()
    if codec != "zstd":
        new, error = _decompressors(codec)
        return lambda stored, room: _whole(new(), error, stored, room)
    decompressor = _zstd_decompressor(dictionary)
    return lambda stored, room: _unzstd(decompressor, stored, room)


def _whole(inflater: Any, error: type[Exception], stored: bytes, room: int) -> tuple[bytes, int]:
    """Returns a member, and its length. Raises ValueError: it is broken, or has not ended."""
    try:
        output = inflater.decompress(stored, room)
    except error as why:
        raise ValueError(str(why)) from None
    if not inflater.eof:
        raise ValueError("cut short, or too large")
    return output, len(stored) - len(inflater.unused_data or b"")


def _unzstd(decompressor: "zstandard.ZstdDecompressor", stored: bytes, room: int) -> tuple[bytes, int]:
    import zstandard

    inflater = decompressor.decompressobj()
    pieces: list[bytes] = []
    try:
        size = zstandard.frame_content_size(stored)
        # only output whose size is known is bounded
        step = len(stored) if 0 <= size <= room else _PIECE
        for at in range(0, len(stored), step):
            pieces.append(inflater.decompress(stored[at : at + step]))
            room -= len(pieces[-1])
            if inflater.eof or room < 0:
                break
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
    if not inflater.eof or room < 0:
        raise ValueError("cut short, or too large")
    return b"".join(pieces), min(at + step, len(stored)) - len(inflater.unused_data)
