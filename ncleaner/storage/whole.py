"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is whole.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(path.name + ".part")
    try:
        with temporary.open("wb") as out:
            yield out
            # its bytes are on the disk before its name says so
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
