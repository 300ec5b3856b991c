"""Interfaces of the places where inputs are read and outputs are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Final, NamedTuple, Protocol

__all__ = ["Folder", "Log", "Status", "is_url", "scheme_of"]

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class Status(NamedTuple):
    """Size and time of a file, by which a later run sees whether the file has changed.

    Attributes:
        size: in bytes; -1 when unknown.
        modified: time of its last change, nanoseconds since 1970; -1 when unknown.
    """

    size: int
    modified: int


def is_url(path: str) -> bool:
    """Whether a path is a URL for fsspec, not a file on this machine."""
    return _SCHEME.match(path) is not None


def scheme_of(url: str) -> str:
    """Returns the scheme of a URL in lower case: `s3` for `s3://bucket/name`."""
    return url.partition("://")[0].lower()


class Log(Protocol):
    """A file of lines to which a run appends, and which later runs read."""

    def lines(self) -> Iterator[bytes]:
        """Yields the complete lines of the file, each with its line feed."""
        ...

    def add(self, line: bytes) -> None:
        """Appends a line, which ends with a line feed. Raises OSError if there is no space."""
        ...


class Folder(Protocol):
    """A directory for outputs. Names are relative paths with slashes; missing directories are made."""

    def file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Opens a file that appears under its name only when it is complete. Raises OSError."""
        ...

    def size(self, name: str) -> int:
        """Returns the size of a file in bytes; -1 if it does not exist."""
        ...

    def remove(self, name: str) -> None:
        """Deletes a file if it exists."""
        ...

    def log(self, name: str) -> AbstractContextManager[Log]:
        """Opens a log for one run at a time. Raises OutputError."""
        ...
