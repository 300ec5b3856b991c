"""Atomic writing: files that appear complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_file"]


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
