"""Where inputs lie and outputs go: files of this machine, and whatever fsspec can reach by a URL.

All of it looks the same from outside: inputs are streams, outputs are files of a folder that appear whole or
not at all, and what goes wrong is an OSError with a sentence in it. What reaches URLs is imported with the
first
URL: most runs have none.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from ncleaner.storage.base import Folder, Status, is_url
from ncleaner.storage.local import LocalFolder, local_status

__all__ = ["files_below", "folder_at", "open_binary", "split", "status"]


def status(path: str) -> Status:
    """Size and time of a file.

    Raises:
        OSError: there is none, or it cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    if is_url(path):
        from ncleaner.storage.remote import remote_status

        return remote_status(path)
    return local_status(Path(path))


def files_below(url: str) -> list[tuple[str, str, Status]] | None:
    """The files below a URL: their URLs, their paths below it, what they are; None if it is itself a file.

    Raises:
        OSError: it cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    from ncleaner.storage.remote import remote_files

    return remote_files(url)


def open_binary(path: str) -> BinaryIO:
    """A file to read, unbuffered where it is on this machine: every reader here asks for blocks.

    Raises:
        OSError: it cannot be opened.
        InputError: the file system is unknown or not installed.
    """
    if is_url(path):
        from ncleaner.storage.remote import RemoteFile

        return RemoteFile(path)  # type: ignore[return-value]
    return Path(path).open("rb", buffering=0)


def folder_at(place: str | Path) -> Folder:
    """The folder at a path or URL; nothing is made yet."""
    if is_url(str(place)):
        from ncleaner.storage.remote import RemoteFolder

        return RemoteFolder(str(place))
    return LocalFolder(Path(place))


def split(place: str | Path) -> tuple[Folder, str]:
    """The folder that a file is in, and its name there."""
    if is_url(str(place)):
        above, _, name = str(place).rpartition("/")
    else:
        above, name = str(Path(place).parent), Path(place).name
    return folder_at(above), name
