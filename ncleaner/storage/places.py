"""Where inputs lie and outputs go: files of this machine, and whatever fsspec can reach by a URL.

All of it looks the same from outside: inputs are streams, outputs are files of a folder that appear whole or
not at all, and what goes wrong is an OSError with a sentence in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from ncleaner.storage.base import Folder, Status, is_url
from ncleaner.storage.local import LocalFolder, local_status
from ncleaner.storage.remote import RemoteFile, RemoteFolder, remote_status

__all__ = ["folder_at", "open_binary", "split", "status"]


def status(path: str) -> Status:
    """Size and time of a file.

    Raises:
        OSError: there is none, or it cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    return remote_status(path) if is_url(path) else local_status(Path(path))


def open_binary(path: str) -> BinaryIO:
    """A file to read, unbuffered where it is on this machine: every reader here asks for blocks.

    Raises:
        OSError: it cannot be opened.
        InputError: the file system is unknown or not installed.
    """
    if is_url(path):
        return RemoteFile(path)  # type: ignore[return-value]
    return Path(path).open("rb", buffering=0)


def folder_at(place: str | Path) -> Folder:
    """The folder at a path or URL; nothing is made yet."""
    return RemoteFolder(str(place)) if is_url(str(place)) else LocalFolder(Path(place))


def split(place: str | Path) -> tuple[Folder, str]:
    """The folder that a file is in, and its name there."""
    text = str(place)
    if is_url(text):
        above, _, name = text.rpartition("/")
        return RemoteFolder(above), name
    path = Path(place)
    return LocalFolder(path.parent), path.name
