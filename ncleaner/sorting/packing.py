"""Compresses records that do not have a member or frame to themselves."""

from __future__ import annotations

import tempfile
import zlib
from pathlib import Path
from typing import IO, Any, Final

import zstandard

from ncleaner.reading.stored import StoredRecord

__all__ = ["packed", "unpacked_head"]

_GZIP_LEVEL: Final = 6
_ZSTD_LEVEL: Final = 3
_PIECE: Final = 1 << 20
_IN_MEMORY: Final = 1 << 23


def packed(record: StoredRecord, folder: Path) -> tuple[str, IO[bytes], int]:
    """Returns a record as a gzip member or a Zstandard frame.

    The member or frame of the input is used if it holds this record only. Otherwise the record is compressed:
    by Zstandard, without a dictionary, if the input is; by gzip in all other cases.

    Args:
        record: of the input.
        folder: for the temporary file of a long record.

    Returns:
        The suffix of such files, a file that stands at its beginning, its size in bytes.

    Raises:
        OSError: the temporary file cannot be written.
    """
    if record.codec != "plain":
        return ".gz" if record.codec == "gzip" else ".zst", record.data, record.size
    engine: Any
    # neither writes a time, so the bytes are the same in every run
    if record.packed == "zstd":
        suffix = ".zst"
        engine = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compressobj(record.size)
    else:
        suffix = ".gz"
        engine = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)
    out = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # noqa: SIM115
    while piece := record.data.read(_PIECE):
        out.write(engine.compress(piece))
    out.write(engine.flush())
    size = out.tell()
    out.seek(0)
    return suffix, out, size


def unpacked_head(suffix: str, data: bytes | memoryview, size: int) -> bytes:
    """Returns up to `size` bytes from the beginning of a member or frame that is whole or cut."""
    if suffix.endswith(".gz"):
        return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(data, size)
    with zstandard.ZstdDecompressor().stream_reader(data) as stream:
        return stream.read(size)


def pack_small(suffix: str, data: bytes) -> bytes:
    """Returns a short record as a member or frame."""
    if suffix.endswith(".gz"):
        return zlib.compress(data, _GZIP_LEVEL, zlib.MAX_WBITS + 16)
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress(data)
