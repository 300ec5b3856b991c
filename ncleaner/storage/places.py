"""Opens inputs and output folders by path or URL: files on this machine, and whatever fsspec reaches.

Both look the same to callers: inputs are streams, outputs are files of a folder that appear complete or not
at all, and a failure is an OSError whose text is a sentence. The module for URLs is imported with the first
URL, because most runs have none.
"""

from pathlib import Path
from typing import BinaryIO

from ncleaner.storage.local import Folder, LocalFolder, Status, is_url, local_status, open_file


def status(path: str) -> Status:
    """Returns size and time of a file.

    Raises:
        OSError: the file does not exist or cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    if is_url(path):
        from ncleaner.storage.remote import remote_status

        return remote_status(path)
    return local_status(Path(path))


def files_below(url: str) -> list[tuple[str, str, Status]] | None:
    """Lists the files below a URL.

    Returns:
        (URL, path below the given URL, size and time) of each file; None if the URL is itself a file.

    Raises:
        OSError: the URL cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    from ncleaner.storage.remote import remote_files

    return remote_files(url)


def open_binary(path: str, pipes: bool = True) -> BinaryIO:
    """Opens a file for reading; unbuffered on this machine, since every reader of this package reads blocks.

    Args:
        path: path or URL of the file.
        pipes: whether it may be a named pipe or a device; opening a pipe waits for its writer.

    Raises:
        OSError: the file cannot be opened.
        InputError: the file system is unknown or not installed.
    """
    if is_url(path):
        from ncleaner.storage.remote import RemoteFile

        return RemoteFile(path)  # type: ignore[return-value]
    return open(path, "rb", buffering=0, opener=None if pipes else open_file)


def read_range(path: str, start: int, size: int) -> bytes:
    """Reads bytes of a file: fewer at its end. On a server it takes one request.

    Raises:
        OSError: the file cannot be opened or read.
        InputError: the file system is unknown or not installed.
    """
    if is_url(path):
        from ncleaner.storage.remote import remote_range

        return remote_range(path, start, size)
    with open(path, "rb", opener=open_file) as file:
        file.seek(start)
        return file.read(size)


def folder_at(place: str | Path) -> Folder:
    """Returns the folder at a path or URL, without making it."""
    if is_url(str(place)):
        from ncleaner.storage.remote import RemoteFolder

        return RemoteFolder(str(place))
    return LocalFolder(Path(place))


def folder_and_name(place: str | Path) -> tuple[Folder, str]:
    """Returns the folder of a file, and the file's name in it."""
    if is_url(str(place)):
        above, _, name = str(place).rpartition("/")
    else:
        above, name = str(Path(place).parent), Path(place).name
    return folder_at(above), name
