"""Files and folders behind a URL, through fsspec."""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ncleaner.errors import InputError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem
from ncleaner.storage.base import Log, Status, scheme_of

__all__ = ["RemoteFile", "RemoteFolder", "remote_files", "remote_status"]

# What brings the file systems that fsspec itself does not.
_EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "http": "http", "https": "http"}
# Read from afar in pieces of so many bytes, and tried so often before an input is given up; seconds before
# the second time, four times as many before each later one.
_PIECE: Final = 4 << 20
_TRIES: Final = 6
_PAUSE: Final = 0.1
# Seconds between two copies of a log to where nothing can be appended.
_COPY_SECONDS: Final = 30.0


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    """Turns what file systems raise, each in its own way, into an OSError, and a missing one into advice.

    Raises:
        OSError: with errno and text.
        InputError: no such file system, or it is not installed.
    """
    try:
        yield
    except FileNotFoundError as error:
        # which is also what http:// says when it is no network that it finds
        cause = f" ({error.__cause__})" if error.__cause__ else ""
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT) + cause, url) from error
    except OSError as error:
        text = error.strerror or str(error) or type(error).__name__
        raise OSError(error.errno or errno.EIO, text, url) from error
    except ImportError as error:
        scheme = scheme_of(url)
        extra = _EXTRAS.get(scheme)
        advice = f"install ncleaner[{extra}]" if extra else f"install what fsspec wants for it ({error})"
        raise InputError(f"{url}: {scheme}:// cannot be reached: {advice}") from error
    except ValueError as error:
        raise InputError(f"{url}: {error}") from error
    except Exception as error:
        # errors of networks and of cloud libraries, which are anything
        raise OSError(errno.EIO, f"{type(error).__name__}: {error}", url) from error


def _system(url: str) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL, and the path on it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError("fsspec is not there") from error
    system, path = url_to_fs(url)
    return system, path


def remote_status(url: str) -> Status:
    """Size and time of a file.

    Raises:
        OSError: there is none, or it cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    with _reaching(url):
        system, inner = _system(url)
        return _status(system.info(inner))


def _status(info: dict[str, Any]) -> Status:
    size = info.get("size")
    # each file system has its own name for it
    time_ = info.get("LastModified") or info.get("mtime") or info.get("updated") or info.get("last_modified")
    if isinstance(time_, str):
        try:
            time_ = datetime.fromisoformat(time_)
        except ValueError:
            time_ = None
    if isinstance(time_, datetime):
        whole = time_ if time_.tzinfo else time_.replace(tzinfo=UTC)
        modified = int(whole.timestamp()) * 1_000_000_000 + whole.microsecond * 1000
    else:
        modified = int(time_ * 1e9) if isinstance(time_, int | float) else -1
    return Status(int(size) if size is not None else -1, modified)


def remote_files(url: str) -> list[tuple[str, str, Status]] | None:
    """As `places.files_below`."""
    with _reaching(url):
        system, inner = _system(url)
        # what http serves is a file, whatever a look at its links may find
        if scheme_of(url) in ("http", "https") or system.isfile(inner):
            return None
        root = inner.rstrip("/") + "/"
        found = system.find(inner, detail=True)
        if not found:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)
        return [
            (system.unstrip_protocol(name), name.removeprefix(root), _status(info))
            for name, info in found.items()
            if info.get("type") == "file"
        ]


class RemoteFile(io.RawIOBase):
    """A file read from afar. A connection that breaks is made again where it broke: it costs no page."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._at = 0
        self._open()

    def _open(self) -> None:
        with _reaching(self._url):
            system, inner = _system(self._url)
            self._file = system.open(inner, "rb", block_size=_PIECE, cache_type="readahead")
            self._size = getattr(self._file, "size", None)

    def readable(self) -> bool:
        """It can."""
        return True

    def seekable(self) -> bool:
        """Whether the server gives parts of the file."""
        # what is streamed, without a size, says that it can seek, and cannot
        return self._size is not None and bool(self._file.seekable())

    def tell(self) -> int:
        """Bytes read so far."""
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Goes to an offset from the beginning."""
        if whence != 0:
            raise io.UnsupportedOperation("seek from elsewhere than the beginning")
        if offset != self._at:
            with _reaching(self._url):
                self._file.seek(offset)
            self._at = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        """Reads up to `size` bytes; a connection that breaks is made again. Raises OSError."""
        for attempt in range(_TRIES):
            try:
                with _reaching(self._url):
                    data: bytes = self._file.read(size)
                    if not data and size and self._size is not None and self._at < self._size:
                        raise OSError(errno.EIO, f"only {self._at:,} of {self._size:,} bytes came", self._url)
            except OSError:
                if attempt == _TRIES - 1 or not self.seekable():
                    raise
                time.sleep(_PAUSE * 4**attempt)
                with suppress(OSError):
                    self._open()
                    self._file.seek(self._at)
                continue
            self._at += len(data)
            return data
        raise AssertionError("not reached")

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer; returns how many bytes it took."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the connection."""
        if not self.closed:
            with suppress(Exception):
                self._file.close()
        super().close()


class _RemoteLog:
    """Where nothing can be appended to: kept on this machine, and copied there now and then and at the end.

    What a run that is killed had not copied yet is cleaned again by the next, to the same bytes.
    """

    def __init__(self, system: AbstractFileSystem, path: str, url: str) -> None:
        self._system, self._path, self._url = system, path, url
        self._file = tempfile.NamedTemporaryFile(suffix=".jsonl")  # noqa: SIM115
        self._copied = time.monotonic()
        self._behind = False

    def __enter__(self) -> _RemoteLog:
        with _reaching(self._url):
            if self._system.exists(self._path):
                with self._system.open(self._path, "rb") as before:
                    shutil.copyfileobj(before, self._file)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._behind:
                self._copy()
        except OSError:
            # what ended the run is what people need to hear of
            if kind is None:
                raise
        finally:
            self._file.close()

    def _copy(self) -> None:
        self._file.flush()
        with _reaching(self._url):
            _put(self._system, self._file.name, self._path)
        self._copied = time.monotonic()
        self._behind = False

    def lines(self) -> Iterator[bytes]:
        self._file.seek(0)
        for line in self._file:
            if line.endswith(b"\n"):
                yield line

    def add(self, line: bytes) -> None:
        self._file.seek(0, os.SEEK_END)
        self._file.write(line)
        self._behind = True
        if time.monotonic() - self._copied >= _COPY_SECONDS:
            self._copy()


def _put(system: AbstractFileSystem, file: str, path: str) -> None:
    try:
        system.put_file(file, path)
    except FileNotFoundError:
        # object stores have no directories, and what they miss is a bucket
        if not _EXTRAS.keys().isdisjoint(
            [system.protocol] if isinstance(system.protocol, str) else system.protocol
        ):
            raise
        system.makedirs(system._parent(path), exist_ok=True)
        system.put_file(file, path)


class RemoteFolder:
    """Files are written on this machine first and copied when whole: an object appears at once or never."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def __str__(self) -> str:
        return self.url

    def _at(self, name: str) -> tuple[AbstractFileSystem, str, str]:
        url = f"{self.url}/{name}"
        with _reaching(url):
            return *_system(url), url

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        """A file that is written on this machine, and copied when it is whole."""
        system, path, url = self._at(name)
        with tempfile.NamedTemporaryFile(suffix=".part") as out:
            yield out  # type: ignore[misc]
            out.flush()
            with _reaching(url):
                _put(system, out.name, path)

    def size(self, name: str) -> int:
        """Bytes of a file; -1 if there is none."""
        try:
            return remote_status(f"{self.url}/{name}").size
        except OSError:
            return -1

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        system, path, url = self._at(name)
        with suppress(FileNotFoundError), _reaching(url):
            system.rm_file(path)

    def log(self, name: str) -> AbstractContextManager[Log]:
        """A log that is kept on this machine and copied now and then."""
        system, path, url = self._at(name)
        return _RemoteLog(system, path, url)
