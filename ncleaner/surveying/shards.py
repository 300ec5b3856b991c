"""The shards of a survey: SQLite files, of which each has an equal range of the numbers by which rows are
found.

A site, a capture, a band and a sequence of words have a number each. So rows are looked up in one shard,
shards are made beside each other, each in bounded memory, and a survey of one file is one shard.
"""

import hashlib
import os
import sqlite3
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ncleaner.errors import ModelError
from ncleaner.versions import SURVEYS

# Bits of the numbers of sites, of captures, and of bands and sequences: SQLite has signed numbers.
SITE_BITS, CAPTURE_BITS, KEY_BITS = 32, 55, 63
MOST_SHARDS = 256
# How the names of the files of shards begin.
SHARD = "shard-"
# SQLite's field for what a database is: "NCLS"; another one has the version of the tables.
APPLICATION = 0x4E434C53
MAGIC = b"SQLite format 3\0"
# Bytes of SQLite's header, and bytes that are read at a time.
_HEAD, _BLOCK = 100, 1 << 20
# Behind the database: a sign, its length in bytes, its SHA-256, and the SHA-256 of those of all shards;
# little endian.
_SEAL = struct.Struct("<8sQ32s32s")
_SIGN = b"NCLSEAL\0"
_CACHED = 64
# Memory for the rows of all shards that a thread has open, in kB.
_MEMORY = 4_000


def site_number(site: str) -> int:
    """The number of a site, of `SITE_BITS`."""
    return zlib.crc32(site.encode("utf-8", "surrogatepass"))


def shard_of(number: int, bits: int, shards: int) -> int:
    """The shard that has the rows of a number with this many bits."""
    return number * shards >> bits


def range_of(shard: int, bits: int, shards: int) -> tuple[int, int]:
    """The first and the last number with this many bits that a shard has."""
    first, end = (-(-(each << bits) // shards) for each in (shard, shard + 1))
    return first, end - 1


def files_of(path: Path) -> list[Path]:
    """The files of a survey: itself, or all shards in a directory."""
    return sorted(path.glob(f"{SHARD}[0-9][0-9][0-9].ncs")) if path.is_dir() else [path]


def shard_paths(path: Path, shards: int) -> list[Path]:
    """The files that a survey with these shards is to have: itself, or those in a directory."""
    return [path] if shards == 1 else [path / f"{SHARD}{number:03}.ncs" for number in range(shards)]


def is_survey(path: Path) -> bool:
    """Tells whether a file is a database as surveys are, or a directory has one as a shard."""
    try:
        with next(iter(files_of(path))).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, StopIteration):
        return False


class Seal(NamedTuple):
    """What stands behind a database: its length in bytes, its SHA-256, and that of the digests of all
    shards."""

    size: int
    digest: bytes
    survey: bytes


def digest_of(path: Path, size: int) -> bytes:
    """Returns the SHA-256 of the first bytes of a file. Raises OSError: it cannot be read."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while size > 0 and (block := file.read(min(size, _BLOCK))):
            found.update(block)
            size -= len(block)
    return found.digest()


def seal(path: Path, digest: bytes, digests: Sequence[bytes]) -> None:
    """Writes a seal behind the database of a shard.

    Args:
        path: the file.
        digest, digests: its SHA-256, and those of all shards.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.write(_SEAL.pack(_SIGN, size, digest, _joined(digests)))
        file.flush()
        os.fsync(file.fileno())


def _joined(digests: Sequence[bytes]) -> bytes:
    return hashlib.sha256(b"".join(digests)).digest()


def checked_seals(path: Path) -> list[Seal]:
    """Returns the seals of all files of a survey.

    Raises:
        ModelError: there is no survey, a file is none, of another version or not complete, or the shards are
            not those of one survey.
        OSError: a file cannot be read.
    """
    files = files_of(path)
    if not files or not files[0].is_file():
        raise ModelError(f"there is no survey {path}: `ncleaner survey` makes one")
    seals = [_seal_of(each) for each in files]
    survey = _joined([each.digest for each in seals])
    if any(each.survey != survey for each in seals):
        if path.is_file():
            raise ModelError(f"{path} is one shard of a survey (give its directory), or damaged")
        raise ModelError(f"the survey {path} is not complete, or of several surveys: make it again")
    return seals


def _seal_of(path: Path) -> Seal:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if not head.startswith(MAGIC):
            raise ModelError(f"{path} is not a survey: `ncleaner survey` makes one")
        if int.from_bytes(head[68:72]) != APPLICATION:
            raise ModelError(f"{path} is a database, but not a survey: `ncleaner survey` makes one")
        version = int.from_bytes(head[60:64])
        if version != SURVEYS:
            raise ModelError(f"the survey {path} is of version {version}: make it again")
        size = max(file.seek(0, os.SEEK_END) - _SEAL.size, 0)
        file.seek(size)
        end = file.read()
    sign, *found = _SEAL.unpack(end) if len(end) == _SEAL.size else (b"", 0, b"", b"")
    if sign != _SIGN or found[0] != size:
        raise damaged(path)
    return Seal(*found)


@lru_cache(_CACHED)
def check_whole(path: Path, seal: Seal, _state: tuple[int, ...]) -> None:
    """Raises ModelError: a file is not as it was written; OSError: it cannot be read.

    It may have gigabytes: workers that are forked know what their parent has checked."""
    if digest_of(path, seal.size) != seal.digest:
        raise damaged(path)


def damaged(path: Path) -> ModelError:
    """Returns the error for a file whose bytes are not those that were written."""
    return ModelError(f"the survey {path} is damaged or not complete: make it again")


class Connection(sqlite3.Connection):
    """A connection that is closed when nothing holds it any more; from Python 3.13 on, others give a
    ResourceWarning."""

    def __del__(self) -> None:
        # one that could not be opened
        with suppress(sqlite3.ProgrammingError):
            self.close()


class Shards(dict[int, Connection]):
    """The connections of one thread to the shards of a survey, read only, each opened when it is first
    asked."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files

    def __missing__(self, shard: int) -> Connection:
        uri = f"{self.files[shard].absolute().as_uri()}?mode=ro&immutable=1"
        # the thread that frees it need not be this one
        found = sqlite3.connect(uri, uri=True, check_same_thread=False, factory=Connection)
        found.execute(f"PRAGMA cache_size = -{_MEMORY // len(self.files) + 64}")
        self[shard] = found
        return found

    def of(self, number: int, bits: int) -> Connection:
        """The connection to the shard that has the rows of a number with this many bits."""
        return self[shard_of(number, bits, len(self.files))]

    def all(self) -> list[Connection]:
        """The connections to all shards."""
        return [self[shard] for shard in range(len(self.files))]
