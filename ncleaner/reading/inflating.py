"""The compressions of inputs: gzip, Zstandard, LZ4, bzip2 and xz, all member by member in one way."""

import re
import sys
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, Protocol

from zlib_ng import zlib_ng as zlib

from ncleaner.errors import named, require
from ncleaner.reading import _warc

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
_CALLED: Final = {"zstd": "frame", "lz4": "frame"}
# A text may begin with the three letters.
_BZ2: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
# Bytes of memory that xz may take: `xz -9` needs half of them.
_XZ_MEMORY: Final = 1 << 27
# The first byte of a skippable frame's magic is 0x50 to 0x5f; 0x5d, at the start of a file, marks the
# dictionary of all frames that follow.
_SKIPPABLE: Final = b"\x2a\x4d\x18"
_DICTIONARY: Final = b"\x5d" + _SKIPPABLE
# The first bytes of a dictionary that has tables besides the text that it repeats.
_TABLES: Final = b"\x37\xa4\x30\xec"
_MAX_DICTIONARY: Final = 1 << 24
_ZIP_MAGIC: Final = b"PK\x03\x04"
# Compressed bytes that every library but that of gzip gets at once: a broken member loses what the library
# holds of the last piece, which is hardly more than one of its blocks.
_PIECE: Final = 1 << 13


class InflateError(Exception):
    """A member is broken; the message says how."""


class _Gzip:
    """Inflates one member of gzip.

    Attributes:
        eof: whether the member has ended.
        piece: bytes of input to give at once, so that the result of a broken member does not depend on the
            blocks of its source; 0 for any number.
    """

    piece = 0

    def __init__(self) -> None:
        self.eof = False
        self._inflater = self._before = zlib.decompressobj(31)

    def inflate(self, data: memoryview, size: int) -> tuple[bytes, int]:
        """Inflates a piece, to about `size` bytes; returns them, and how many bytes of the piece they took.

        Raises:
            InflateError: the member is broken in this piece.
        """
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
        """Returns what a piece has before its error, after `inflate` has raised an error for it."""
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


def lz4_frames() -> Any:
    """Returns `lz4.frame`.

    Raises:
        InputError: lz4 is not installed.
    """
    require("an .lz4 archive", "lz4", "lz4")
    return named("lz4.frame")


def zstandard() -> Any:
    """Returns the module for Zstandard: Python's own from 3.14 on, before that its backport."""
    return named("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def zstd_compressor() -> Any:
    """Returns a compressor of frames with a checksum, for one thread."""
    zstd = zstandard()
    chosen = zstd.CompressionParameter
    return zstd.ZstdCompressor(options={chosen.compression_level: 3, chosen.checksum_flag: 1})


class _Frame:
    """Inflates a frame of Zstandard or LZ4, or a stream of bzip2 or xz, as `_Gzip` does a member.

    Its output is bounded: forty bytes can be 45 MB. A piece counts as taken when it has given all its output;
    until then the library holds it.

    Args:
        name: for messages.
        inflater: of the library.
        error: what it raises for a broken frame.
    """

    piece = _PIECE

    def __init__(self, name: str, inflater: Any, error: type[Exception]) -> None:
        self.eof = self._is_held = False
        self._name, self._inflater, self._error = name, inflater, error

    def inflate(self, data: memoryview, size: int) -> tuple[bytes, int]:
        try:
            output = self._inflater.decompress(b"" if self._is_held else data, size)
        except self._error as error:
            what = str(error).rpartition("ERROR_")[2].rpartition(": ")[2]
            raise InflateError(f"{self._name} broken ({what[:1].lower()}{what[1:]})") from None
        self.eof = self._inflater.eof
        self._is_held = not self.eof and not self._inflater.needs_input
        return output, 0 if self._is_held else len(data) - len(self._inflater.unused_data or b"")

    def salvage(self, data: memoryview) -> bytes:
        return b""


Inflater = _Gzip | _Frame


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
    zstd = zstandard()
    try:
        if data.startswith(MAGIC["zstd"]):
            data = zstd.ZstdDecompressor().decompress(data, _MAX_DICTIONARY)
        zstd.ZstdDecompressor(_zstd_dictionary(data))
    except (zstd.ZstdError, MemoryError, ValueError) as error:
        return Dictionary(damage=f"zstd dictionary broken ({str(error).rpartition(': ')[2]})")
    return Dictionary(data)


def _zstd_dictionary(data: bytes) -> Any:
    """Returns a dictionary; any bytes can be one. Raises ValueError: its tables are broken."""
    return zstandard().ZstdDict(data, is_raw=not data.startswith(_TABLES))


def inflaters(codec: Codec, dictionary: Dictionary) -> Callable[[], Inflater]:
    """Returns a function that makes an `Inflater` for a member; `codec` is not `plain`."""
    if codec == "gzip":
        return _Gzip
    new, error = _decompressors(codec, dictionary)
    return lambda: _Frame(f"{codec} {_CALLED.get(codec, 'stream')}", new(), error)


def _decompressors(codec: Codec, dictionary: Dictionary) -> tuple[Callable[[], Any], type[Exception]]:
    """Returns what makes a decompressor for a member, and what it raises for a broken one."""
    if codec == "gzip":
        return lambda: zlib.decompressobj(31), zlib.error
    if codec == "bz2":
        return named("bz2").BZ2Decompressor, OSError
    if codec == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY), lzma.LZMAError
    if codec == "lz4":
        return lz4_frames().LZ4FrameDecompressor, RuntimeError
    zstd = zstandard()
    known = _zstd_dictionary(dictionary.data) if dictionary.data else None
    return lambda: zstd.ZstdDecompressor(known), zstd.ZstdError


def whole_inflater(
    codec: Codec, dictionary: Dictionary
) -> _warc.Gunzip | Callable[[bytes, int], tuple[bytes, int]] | None:
    """Returns what inflates whole members for `_warc.RegularReader`; None for `plain`."""
    if codec == "plain":
        return None
    if codec == "gzip" and _warc.AVAILABLE:
        return _warc.Gunzip()
    new, error = _decompressors(codec, dictionary)
    return lambda stored, room: _whole(new(), error, stored, room)


def _whole(inflater: Any, error: type[Exception], stored: bytes, room: int) -> tuple[bytes, int]:
    """Returns a member, and its length. Raises ValueError: it is broken, or has not ended."""
    try:
        output = inflater.decompress(stored, room)
    except error as why:
        raise ValueError(str(why)) from None
    if not inflater.eof:
        raise ValueError("cut short, or too large")
    return output, len(stored) - len(inflater.unused_data or b"")
