"""Atomic writing: files that appear complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ncleaner.errors import OutputError

__all__ = ["atomic_file", "flush_directories", "write_whole"]

# Files that are brought to the disk one by one: for each, a disk works up to some milliseconds.
_FEW = 16


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a file for writing that appears under its name only when it is complete.

    It is written under the name with `.part` added, and renamed when the block ends; an exception deletes it.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = path.with_name(path.name + ".part")
    try:
        with temporary.open("wb") as out:
            yield out
            # the bytes must be on the disk before the file gets its name
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that appears when it is complete. Raises OutputError: it cannot be written."""
    try:
        with atomic_file(path) as out:
            out.write(data)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def flush_directories(paths: Iterable[Path]) -> None:
    """Brings the bytes of all files of some directories to the disk, and their names.

    Raises:
        OSError: the disk is full or fails.
    """
    directories = list(paths)
    files = [entry.path for path in directories for entry in os.scandir(path)]
    if len(files) > _FEW and hasattr(os, "sync"):
        os.sync()
        return
    for file in files:
        with Path(file).open("rb+") as out:
            os.fsync(out.fileno())
    for path in directories:
        # systems that cannot open a directory bring names to the disk by themselves
        with suppress(OSError):
            directory = os.open(path, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
