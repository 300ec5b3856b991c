"""The two tasks of a sort: an input to runs, and the runs of one directory to its archives."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

import zstandard

from ncleaner.errors import InputError
from ncleaner.page import Damage
from ncleaner.pools.pool import Worker
from ncleaner.reading.archive import read_stored
from ncleaner.reading.inflating import Codec, lz4_frames
from ncleaner.reading.records import ARC_LINE
from ncleaner.reading.stored import StoredRecord, filedesc, temporary
from ncleaner.sorting.runs import By, Group, RunWriter, merged, place_of
from ncleaner.storage.local import flush_directories

_SUFFIX: Final[dict[Codec, str]] = {"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}
# Compressed bytes that give the first inflated ones: Zstandard gives none of a block of up to 128 KiB before
# its end, LZ4 none of a block of up to 4 MiB.
_TO_HEAD: Final = {".gz": 1 << 13, ".zst": 3 << 16, ".lz4": 5 << 20}
_GZIP_LEVEL: Final = 6
_ZSTD_LEVEL: Final = 3
_PIECE: Final = 1 << 20


def _packed(record: StoredRecord, folder: Path) -> tuple[str, IO[bytes], int]:
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
    out = temporary(folder)
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


def _unpacked_head(suffix: str, pieces: Iterable[bytes | memoryview], size: int) -> tuple[bytes, bytes]:
    """Takes as many pieces of members or frames as it needs to inflate the beginning of the first of them.

    Returns:
        Up to `size` inflated bytes, and the pieces taken.
    """
    suffix = suffix[suffix.rindex(".") :]
    taken = b""
    for piece in pieces:
        taken += piece
        if len(taken) >= _TO_HEAD[suffix]:
            break
    if suffix == ".gz":
        return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(taken, size), taken
    if suffix == ".lz4":
        return bytes(lz4_frames().LZ4FrameDecompressor().decompress(taken, max_length=size)), taken
    with zstandard.ZstdDecompressor().stream_reader(taken) as stream:
        return stream.read(size), taken


def _pack_small(suffix: str, data: bytes) -> bytes:
    """Returns a short record as a member or frame."""
    engine = _engine(suffix[suffix.rindex(".") :], len(data))
    return bytes(engine.compress(data) + engine.flush())


# Bytes that a process takes for records: while it reads an input, and while it merges.
_SCAN_MEMORY: Final = 64 << 20
_MERGE_MEMORY: Final = 32 << 20
# Most places of damage that are reported of one input.
_MAX_NOTES: Final = 100


@dataclass(slots=True)
class Scanned:
    """What has been read from an input.

    Attributes:
        records: whole records.
        copied: those of them whose member or frame is copied.
        runs: number of run files.
        bytes: bytes of the records in them.
        damaged: places of damage.
        damages: the first hundred of them.
        unread: the input could not be read to its end, because of a disk or a network.
    """

    records: int = 0
    copied: int = 0
    runs: int = 0
    bytes: int = 0
    damaged: int = 0
    damages: list[Damage] = field(default_factory=list)
    unread: bool = False


@dataclass(frozen=True, slots=True)
class ScanTask:
    """Reads an input, and writes its records as runs to a new folder."""

    path: str
    folder: Path
    by: By

    def __call__(self, worker: Worker) -> Scanned:
        """Runs the task. Raises OSError if the runs cannot be written."""
        # a worker may have died at it before
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        found = Scanned()
        runs = RunWriter(self.folder, _SCAN_MEMORY)
        reached = 0
        try:
            for item in read_stored(self.path, self.folder):
                if isinstance(item, Damage):
                    self._note(found, item)
                    continue
                if item.offset > reached:
                    worker.report(item.offset - reached)
                    reached = item.offset
                url = "" if item.type in ("warcinfo", "filedesc") else item.url
                packing, data, size = _packed(item, self.folder)
                runs.add(place_of(url, self.by), f".{item.kind}{packing}", data, size)
                if data is not item.data:
                    data.close()
                found.records += 1
                found.copied += item.codec != "plain"
        except InputError as error:
            self._note(found, Damage(str(error).removeprefix(f"{self.path}: "), self.path, unread=True))
        runs.flush()
        flush_directories([self.folder])
        found.runs, found.bytes = runs.runs, runs.bytes
        return found

    def _note(self, found: Scanned, damage: Damage) -> None:
        found.damaged += 1
        found.unread |= damage.unread
        if len(found.damages) < _MAX_NOTES:
            found.damages.append(damage)


@dataclass(frozen=True, slots=True)
class Merged:
    """What has been written to a directory: its number of files and sites, its records and bytes."""

    files: int = 0
    sites: int = 0
    records: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class MergeTask:
    """Writes the archives of one directory to a new folder, which is not made if there are none.

    The caller has to bring them to the disk: for many directories together, that takes less time.
    """

    directory: int
    folder: Path
    runs: tuple[Path, ...]

    def __call__(self, worker: Worker) -> Merged:
        """Runs the task. Raises OSError if the archives cannot be written."""
        shutil.rmtree(self.folder, ignore_errors=True)
        files = sites = records = size = 0
        out: BinaryIO | None = None
        name = stem = ""
        try:
            for group in merged(self.runs, self.directory, _MERGE_MEMORY):
                if out is None or group.stem + group.suffix != name:
                    if out is None:
                        self.folder.mkdir(parents=True)
                    else:
                        out.close()
                    name = group.stem + group.suffix
                    out = (self.folder / name).open("wb")
                    files += 1
                    sites += group.stem != stem
                    stem = group.stem
                    if group.suffix.startswith(".arc"):
                        size += _begin_arc(out, name, group)
                out.writelines(group.pieces)
                records += group.records
                size += group.size
                worker.report(group.size)
        finally:
            if out is not None:
                out.close()
        return Merged(files, sites, records, size)


def _begin_arc(out: BinaryIO, name: str, group: Group) -> int:
    """Writes the record that an ARC begins with, and the part of the group from which it is made.

    Returns the bytes of this record.
    """
    head, taken = _unpacked_head(group.suffix, group.pieces, ARC_LINE)
    first = _pack_small(group.suffix, filedesc(name, head))
    out.write(first + taken)
    return len(first)
