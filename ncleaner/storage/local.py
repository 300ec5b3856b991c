"""Files and folders of this machine."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from ncleaner.errors import OutputError
from ncleaner.storage.whole import whole_file

try:
    import fcntl
except ImportError:  # not on this system: nobody keeps two runs apart there
    fcntl = None  # type: ignore[assignment]
from ncleaner.storage.base import Log, Status

__all__ = ["LocalFolder", "local_status"]


def local_status(path: Path) -> Status:
    """Size and time of a file. Raises OSError."""
    found = path.stat()
    return Status(found.st_size if path.is_file() else -1, found.st_mtime_ns)


class _LocalLog:
    def __init__(self, path: Path) -> None:
        self._file = path.open("a+b", buffering=0)

    def __enter__(self) -> _LocalLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            os.fsync(self._file.fileno())
        self._file.close()

    def lock(self) -> None:
        if fcntl is not None:
            # of the kind that workers do not inherit: one that lives on for a moment holds nothing
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lines(self) -> Iterator[bytes]:
        self._file.seek(0)
        whole = 0
        for line in io.BufferedReader(io.FileIO(self._file.fileno(), closefd=False)):
            if not line.endswith(b"\n"):
                # the run was ended while it wrote this one
                self._file.truncate(whole)
                break
            whole += len(line)
            yield line

    def add(self, line: bytes) -> None:
        # in one piece; a line that is lost with the machine costs no more than its input's time
        self._file.write(line)


class LocalFolder:
    """A folder of this machine; see `Folder`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file that appears when it is whole; directories above it are made."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return whole_file(path)

    def size(self, name: str) -> int:
        """Bytes of a file; -1 if there is none."""
        try:
            return (self.path / name).stat().st_size
        except OSError:
            return -1

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        (self.path / name).unlink(missing_ok=True)

    def log(self, name: str) -> AbstractContextManager[Log]:
        """A log, locked for one run. Raises OutputError."""
        path = self.path / name
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            log = _LocalLog(path)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error
        try:
            log.lock()
        except OSError:
            with log:
                pass
            raise OutputError(
                f"another run is writing to {self.path}: wait for it, or give another directory"
            ) from None
        return log
