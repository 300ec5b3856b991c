"""Names of the outputs of a sort: a directory and a file for each site. And runs: files of records in the
order of their places, which a sort writes first and merges then.

A run has one group of bytes for each of its outputs, in the order of directories and names. The groups of
one directory are one stretch of the file, so a merge reads long stretches, however the hosts are interleaved
in the inputs. At the end of the file is a table of the stretches.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from heapq import heapify, heappop, heapreplace
from pathlib import Path
from struct import Struct
from typing import IO, BinaryIO, Final, Literal, NamedTuple

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
    site = registered_domain(url) if by == "domain" else host_of(url)
    return _place(site) if site else Place(DIRECTORIES.index(NO_HOST), NO_HOST)


@lru_cache(1 << 13)
def _place(site: str) -> Place:
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


# Writes the bytes of a group to a file.
_CopyGroup = Callable[[BinaryIO, _Key], object]


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
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = []
            self._size += _GROUP_BYTES + len(place.stem)
        group.append(data.read(size))
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

    def _write(self, groups: list[tuple[_Key, int, int]], copy: _CopyGroup) -> None:
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
        pieces: the bytes; they have to be read before the next group.
    """

    stem: str
    suffix: str
    records: int
    size: int
    pieces: Iterator[memoryview]


class _Stretch:
    """The groups of one directory in one run. The file is open only while a block is read."""

    def __init__(self, path: Path, directory: int, block: int) -> None:
        self._path = path
        self._block = block
        self._buffer = memoryview(b"")
        with path.open("rb", 0) as file:
            file.seek(-_TABLE.size + 8 * directory, os.SEEK_END)
            self._at, self._end = _STRETCH.unpack(file.read(_STRETCH.size))
        self._left = 0
        self.key = ("", 0)
        self.records = self.size = 0

    def next_group(self) -> bool:
        """Moves to the next group; returns False at the end."""
        for _ in self.pieces():
            pass  # they have not been read
        if not self._buffer and self._at == self._end:
            return False
        length, suffix, self.records, self.size = _HEADER.unpack(self._take_whole(_HEADER.size))
        self.key = (str(self._take_whole(length), "ascii"), suffix)
        self._left = self.size
        return True

    def pieces(self) -> Iterator[memoryview]:
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


def merged(runs: Iterable[Path], directory: int, memory: int) -> Iterator[Group]:
    """Yields the groups of one directory from all runs: in the order of outputs, then in that of the runs.

    Args:
        runs: the files, in the order in which their records go to an output.
        directory: index in `DIRECTORIES`.
        memory: bytes for blocks of all runs together.

    Raises:
        OSError: a run cannot be read.
    """
    paths = list(runs)
    block = min(max(memory // max(len(paths), 1), 1 << 12), _MIB)
    heap: list[tuple[tuple[str, int], int, _Stretch]] = []
    for number, path in enumerate(paths):
        stretch = _Stretch(path, directory, block)
        if stretch.next_group():
            heap.append((stretch.key, number, stretch))
    heapify(heap)
    while heap:
        key, number, stretch = heap[0]
        yield Group(key[0], SUFFIXES[key[1]], stretch.records, stretch.size, stretch.pieces())
        if stretch.next_group():
            heapreplace(heap, (stretch.key, number, stretch))
        else:
            heappop(heap)
