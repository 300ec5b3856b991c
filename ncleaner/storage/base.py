"""What all places of inputs and outputs look like from outside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Final, NamedTuple, Protocol

__all__ = ["Folder", "Log", "Status", "is_url", "scheme_of"]

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class Status(NamedTuple):
    """What tells a file from a changed one.

    Attributes:
        size: in bytes; -1 when unknown.
        modified: time of its last change, nanoseconds since 1970; -1 when unknown.
    """

    size: int
    modified: int


def is_url(path: str) -> bool:
    """Whether a path is a URL for fsspec, not a file of this machine."""
    return _SCHEME.match(path) is not None


def scheme_of(url: str) -> str:
    """The scheme of a URL, in lower case: `s3` of `s3://bucket/name`."""
    return url.partition("://")[0].lower()


class Log(Protocol):
    """A file of lines that grows while a run goes on, and outlives it."""

    def lines(self) -> Iterator[bytes]:
        """The whole lines that are there, each with its line feed."""
        ...

    def add(self, line: bytes) -> None:
        """Adds one. Raises OSError where there is no space."""
        ...


class Folder(Protocol):
    """A place for outputs. Names are relative paths with slashes; what is above them is made."""

    def file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file that appears under its name only when it is whole. Raises OSError."""
        ...

    def size(self, name: str) -> int:
        """Bytes of a file; -1 if there is none."""
        ...

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        ...

    def log(self, name: str) -> AbstractContextManager[Log]:
        """A log, for one run at a time. Raises OutputError."""
        ...
