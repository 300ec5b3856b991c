"""The tasks of a sort: an input to runs, and the runs of one directory to its archives, one for each site.
Runs are files of records in the order of their places, which a sort writes first and merges then.

A run has one group of bytes for each of its outputs, in the order of directories and names. The groups of
one directory are one stretch of the file, so a merge reads long stretches, however the hosts are interleaved
in the inputs. At the end of the file is a table of the stretches.
"""

import errno
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from heapq import merge
from pathlib import Path
from struct import Struct
from typing import IO, Any, BinaryIO, Final, Literal, NamedTuple

from ncleaner.errors import InputError
from ncleaner.page import Damage
from ncleaner.pools.pool import Worker
from ncleaner.reading.archive import read_stored
from ncleaner.reading.inflating import Codec, lz4_frames, zstandard, zstd_compressor
from ncleaner.reading.raw_records import StoredRecord, filedesc, temporary
from ncleaner.reading.records import ARC_LINE
from ncleaner.storage.local import flush_directories
from ncleaner.text.hosts import host_of, registered_domain

By = Literal["host", "domain"]

#: Directory and file of records that concern no host.
NO_HOST: Final = "no-host"
#: All directories, in their order.
DIRECTORIES: Final = (*(f"{number:02x}" for number in range(256)), NO_HOST)

# A file name may have 255 bytes; the longest suffix and `.part` need 14.
_LONGEST: Final = 200
_REFUSED: Final = re.compile(rb"[^a-z0-9._-]|^[.-]")
# Windows refuses files of these names, with any suffix.
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|\Z)")


class Place(NamedTuple):
    """Where a record goes.

    Attributes:
        directory: index in `DIRECTORIES`.
        stem: name of the file without its suffix.
    """

    directory: int
    stem: str


def place_of(url: str, by: By) -> Place:
    """Returns the place of a record by its URL."""
    return _place(registered_domain(url) if by == "domain" else host_of(url))


@lru_cache(1 << 13)
def _place(site: str) -> Place:
    if not site:
        return Place(DIRECTORIES.index(NO_HOST), NO_HOST)
    return Place(directory_of(site), stem_of(site))


def directory_of(site: str) -> int:
    """Returns the index of the directory of a site: the first byte of a hash of its name.

    The directories get equal numbers of sites, whatever the names are.
    """
    return blake2b(site.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0]


def stem_of(site: str) -> str:
    """Returns a name that every file system takes, and that no other site has.

    Bytes of UTF-8 other than letters, digits, dots, hyphens and underscores are written `%2f`, and so are a
    dot or hyphen at the beginning and the first letter of the name of a device on Windows. A long name is
    cut, and gets a tilde and a hash of the whole.
    """
    whole = site.encode("utf-8", "surrogatepass")
    name = _REFUSED.sub(lambda found: b"%%%02x" % found[0][0], whole).decode()
    if _DEVICES.match(name):
        name = f"%{ord(name[0]):02x}{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 33]}~{blake2b(whole, digest_size=16).hexdigest()}"
    return name


#: The kinds of outputs, in their order.
SUFFIXES: Final = (".arc.gz", ".arc.zst", ".warc.gz", ".warc.zst", ".arc.lz4", ".warc.lz4")

# Length of the stem, index of the suffix, number of records, bytes of the records.
_HEADER: Final = Struct("<HBQQ")
_TABLE: Final = Struct(f"<{len(DIRECTORIES) + 1}Q")
_STRETCH: Final = Struct("<2Q")
# Bytes that the table of a group and its list take in memory, and those of a record besides its data.
_GROUP_BYTES: Final = 800
_RECORD_BYTES: Final = 60
_MIB: Final = 1 << 20


class _Key(NamedTuple):
    place: Place
    suffix: int


class RunWriter:
    """Collects records, and writes them as runs when they fill the memory that they may take.

    Attributes:
        runs: number of runs written.
        bytes: bytes of records in them.
    """

    def __init__(self, folder: Path, bound: int) -> None:
        """Writes to files `0`, `1`, … of a folder; `bound` is the memory for records, in bytes."""
        self.runs = 0
        self.bytes = 0
        self._folder = folder
        self._bound = bound
        self._groups: dict[_Key, list[bytes]] = {}
        self._size = 0

    def add(self, place: Place, suffix: str, data: IO[bytes], size: int) -> None:
        """Adds a record: `size` bytes, which can be read from `data`.

        Raises:
            OSError: a run cannot be written.
        """
        key = _Key(place, SUFFIXES.index(suffix))
        if size > self._bound // 4:
            # a long record is a run by itself, and goes from file to file
            self.flush()
            self._write([(key, 1, size)], lambda out, _: shutil.copyfileobj(data, out, _MIB))
            return
        if key not in self._groups:
            self._groups[key] = []
            self._size += _GROUP_BYTES + len(place.stem)
        self._groups[key].append(data.read(size))
        self._size += size + _RECORD_BYTES
        if self._size >= self._bound:
            self.flush()

    def flush(self) -> None:
        """Writes the collected records as a run. Raises OSError."""
        groups = self._groups
        if not groups:
            return
        self._write(
            [(key, len(groups[key]), sum(map(len, groups[key]))) for key in sorted(groups)],
            lambda out, key: out.writelines(groups[key]),
        )
        groups.clear()
        self._size = 0

    def _write(self, groups: list[tuple[_Key, int, int]], copy: Callable[[BinaryIO, _Key], object]) -> None:
        starts = [0] * (len(DIRECTORIES) + 1)
        at = directory = 0
        with (self._folder / str(self.runs)).open("wb", _MIB) as out:
            for key, records, size in groups:
                while directory < key.place.directory:
                    directory += 1
                    starts[directory] = at
                stem = key.place.stem.encode()
                out.write(_HEADER.pack(len(stem), key.suffix, records, size) + stem)
                copy(out, key)
                at += _HEADER.size + len(stem) + size
                self.bytes += size
            starts[directory + 1 :] = [at] * (len(DIRECTORIES) - directory)
            out.write(_TABLE.pack(*starts))
            out.flush()
            os.fsync(out.fileno())
        self.runs += 1


class Group(NamedTuple):
    """The records of one output in one run.

    Attributes:
        stem, suffix: of the output.
        records: their number.
        size: their bytes.
        pieces: the bytes; they must be read before the next group.
    """

    stem: str
    suffix: str
    records: int
    size: int
    pieces: Iterator[memoryview]


class _Groups:
    """The groups of one directory in one run. The file is open only while a block is read."""

    def __init__(self, path: Path, directory: int, block: int) -> None:
        self._path = path
        self._block = block
        self._buffer = memoryview(b"")
        with path.open("rb", 0) as file:
            file.seek(-_TABLE.size + 8 * directory, os.SEEK_END)
            self._at, self._end = _STRETCH.unpack(file.read(_STRETCH.size))
        self._left = 0

    def __iter__(self) -> Iterator[Group]:
        while self._buffer or self._at < self._end:
            length, suffix, records, self._left = _HEADER.unpack(self._take_whole(_HEADER.size))
            stem = str(self._take_whole(length), "ascii")
            yield Group(stem, SUFFIXES[suffix], records, self._left, self._pieces())
            for _ in self._pieces():
                pass  # they have not been read

    def _pieces(self) -> Iterator[memoryview]:
        """Yields the bytes of the group."""
        while self._left:
            piece = self._take(self._left)
            self._left -= len(piece)
            yield piece

    def _take(self, most: int) -> memoryview:
        if not self._buffer:
            with self._path.open("rb", 0) as file:
                file.seek(self._at)
                self._buffer = memoryview(file.read(min(self._block, self._end - self._at)))
            if not self._buffer:
                raise OSError(errno.EIO, "a temporary file is shorter than it was", str(self._path))
            self._at += len(self._buffer)
        piece, self._buffer = self._buffer[:most], self._buffer[most:]
        return piece

    def _take_whole(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            found += self._take(size - len(found))
        return found


def merged(runs: Sequence[Path], directory: int, memory: int) -> Iterator[Group]:
    """Returns the groups of one directory from all runs: in the order of outputs, then in that of the runs.

    Args:
        runs: the files, in the order in which their records go to an output.
        directory: index in `DIRECTORIES`.
        memory: bytes for blocks of all runs together.

    Raises:
        OSError: a run cannot be read.
    """
    block = min(max(memory // max(len(runs), 1), 1 << 12), _MIB)
    groups = (_Groups(path, directory, block) for path in runs)
    return merge(*groups, key=lambda group: (group.stem, SUFFIXES.index(group.suffix)))


# --------------------------------------------------------------------------------------------------
# The two tasks.

_SUFFIX: Final[dict[Codec, str]] = {"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}
# Compressed bytes that give the first inflated ones: Zstandard gives none of a block of up to 128 KiB before
# its end, LZ4 none of a block of up to 4 MiB.
_TO_HEAD: Final = {".gz": 1 << 13, ".zst": 3 << 16, ".lz4": 5 << 20}
_GZIP_LEVEL: Final = 6


def _packed(record: StoredRecord, folder: Path) -> tuple[str, IO[bytes], int]:
    """Returns a record as a gzip member, a Zstandard frame or an LZ4 frame: the suffix of such files, a file
    at its beginning, and its size in bytes.

    The member or frame of the input is used if it holds this record only. Otherwise the record is compressed:
    by Zstandard, without a dictionary, or LZ4 if the input is; by gzip in all other cases. A long record goes
    to a temporary file in the folder.
    """
    if record.codec != "plain":
        return _SUFFIX[record.codec], record.data, record.size
    suffix = _SUFFIX.get(record.packed, ".gz")
    engine = _engine(suffix, record.size)
    out = temporary(folder)
    while piece := record.data.read(_MIB):
        out.write(engine.compress(piece))
    out.write(engine.flush())
    size = out.tell()
    out.seek(0)
    return suffix, out, size


def _engine(suffix: str, size: int) -> Any:
    """Returns what compresses `size` bytes. None of them writes a time, so the bytes are always the same."""
    if suffix == ".zst":
        engine = zstd_compressor()
        engine.set_pledged_input_size(size)
        return engine
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


def _unpacked_head(suffix: str, pieces: Iterable[memoryview], size: int) -> tuple[bytes, bytes]:
    """Inflates up to `size` bytes of the first of some members or frames; returns them, and the pieces that
    it took for that."""
    taken = b""
    for piece in pieces:
        taken += piece
        if len(taken) >= _TO_HEAD[suffix]:
            break
    if suffix == ".gz":
        return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(taken, size), taken
    if suffix == ".lz4":
        return bytes(lz4_frames().LZ4FrameDecompressor().decompress(taken, max_length=size)), taken
    return zstandard().ZstdDecompressor().decompress(taken, size), taken


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

    def note(self, damage: Damage) -> None:
        """Counts a place of damage."""
        self.damaged += 1
        self.unread |= damage.unread
        if len(self.damages) < _MAX_NOTES:
            self.damages.append(damage)


@dataclass(frozen=True, slots=True)
class ScanTask:
    """Reads an input, and writes its records as runs to a new folder."""

    path: str
    folder: Path
    by: By
    is_pipe: bool

    def __call__(self, worker: Worker) -> Scanned:
        """Runs the task. Raises OSError if the runs cannot be written."""
        # a worker may have died at it before
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        found = Scanned()
        runs = RunWriter(self.folder, _SCAN_MEMORY)
        reached = 0
        try:
            for item in read_stored(self.path, self.folder, self.is_pipe):
                if isinstance(item, Damage):
                    found.note(item)
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
            found.note(Damage(str(error).removeprefix(f"{self.path}: "), self.path, unread=True))
        runs.flush()
        flush_directories([self.folder])
        found.runs, found.bytes = runs.runs, runs.bytes
        return found


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

    The caller must bring them to the disk: for many directories together, that takes less time.
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
    """Writes the record that an ARC begins with, and the part of the group from which it is made; returns the
    bytes of this record."""
    packing = group.suffix[group.suffix.rindex(".") :]
    head, taken = _unpacked_head(packing, group.pieces, ARC_LINE)
    record = filedesc(name, head)
    engine = _engine(packing, len(record))
    first = engine.compress(record) + engine.flush()
    out.write(first + taken)
    return len(first)
