"""Compresses records that do not have a member or frame to themselves."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final

import zstandard

from ncleaner.reading.inflating import Codec, lz4_frames
from ncleaner.reading.stored import StoredRecord

__all__ = ["pack_small", "packed", "unpacked_head"]

_SUFFIX: Final[dict[Codec, str]] = {"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}
# Compressed bytes that give the first inflated ones: Zstandard gives none of a block of up to 128 KiB before
# its end, LZ4 none of a block of up to 4 MiB.
_TO_FIRST_BYTE: Final = {".gz": 1 << 13, ".zst": 3 << 16, ".lz4": 5 << 20}
_GZIP_LEVEL: Final = 6
_ZSTD_LEVEL: Final = 3
_PIECE: Final = 1 << 20
_IN_MEMORY: Final = 1 << 23


def packed(record: StoredRecord, folder: Path) -> tuple[str, IO[bytes], int]:
    """Returns a record as a gzip member, a Zstandard frame or an LZ4 frame.

    The member or frame of the input is used if it holds this record only. Otherwise the record is compressed:
    by Zstandard, without a dictionary, or LZ4 if the input is; by gzip in all other cases.

    Args:
        record: of the input.
        folder: for the temporary file of a long record.

    Returns:
        The suffix of such files, a file that stands at its beginning, its size in bytes.

    Raises:
        OSError: the temporary file cannot be written.
    """
    if record.codec != "plain":
        return _SUFFIX[record.codec], record.data, record.size
    suffix = _SUFFIX.get(record.packed, ".gz")
    engine = _engine(suffix, record.size)
    out = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # noqa: SIM115
    while piece := record.data.read(_PIECE):
        out.write(engine.compress(piece))
    out.write(engine.flush())
    size = out.tell()
    out.seek(0)
    return suffix, out, size


def _engine(suffix: str, size: int) -> Any:
    """Returns what compresses `size` bytes. None of them writes a time, so the bytes are always the same."""
    if suffix == ".zst":
        return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compressobj(size)
    if suffix == ".lz4":
        return _Lz4()
    return zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)


class _Lz4:
    def __init__(self) -> None:
        self._engine = lz4_frames().LZ4FrameCompressor(content_checksum=True)
        self._head: bytes = self._engine.begin()

    def compress(self, piece: bytes) -> bytes:
        head, self._head = self._head, b""
        return head + bytes(self._engine.compress(piece))

    def flush(self) -> bytes:
        return self._head + bytes(self._engine.flush())


def unpacked_head(suffix: str, pieces: Iterable[bytes | memoryview], size: int) -> tuple[bytes, bytes]:
    """Takes as many pieces of members or frames as it needs to inflate the beginning of the first of them.

    Returns:
        Up to `size` inflated bytes, and the pieces taken.
    """
    suffix = suffix[suffix.rindex(".") :]
    taken = b""
    for piece in pieces:
        taken += piece
        if len(taken) >= _TO_FIRST_BYTE[suffix]:
            break
    if suffix == ".gz":
        return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(taken, size), taken
    if suffix == ".lz4":
        return bytes(lz4_frames().LZ4FrameDecompressor().decompress(taken, max_length=size)), taken
    with zstandard.ZstdDecompressor().stream_reader(taken) as stream:
        return stream.read(size), taken


def pack_small(suffix: str, data: bytes) -> bytes:
    """Returns a short record as a member or frame."""
    engine = _engine(suffix[suffix.rindex(".") :], len(data))
    return bytes(engine.compress(data) + engine.flush())
