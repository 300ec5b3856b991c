"""Files and folders after a URL, through fsspec."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ncleaner.errors import InputError
from ncleaner.storage.local import Log, Status, scheme_of

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem


# What to do about a URL of an unknown kind.
_GIVE: Final = "give a path, or s3://…, gs://… or https://…"
#: {scheme: extra of this package} for the file systems that need more than fsspec.
EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "http": "http", "https": "http"}
# {extra: where its library finds credentials}
_CREDENTIALS: Final = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; FSSPEC_S3_ANON=true for public data",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
}
# Bytes of one request to a server.
_PIECE: Final = 4 << 20
# Attempts to read a piece before the input is given up.
_TRIES: Final = 6
# Seconds before the second attempt; each later pause is four times as long.
_PAUSE: Final = 0.1
# Seconds between two copies of a log to a file system that cannot append.
_COPY_SECONDS: Final = 30.0


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    """Turns the different exceptions of file systems into an OSError with errno and text.

    Raises:
        OSError: the file system has failed.
        InputError: the file system is unknown, or not installed; the message says what to install.
    """
    extra = EXTRAS.get(scheme_of(url))
    try:
        yield
    except FileNotFoundError as error:
        # http:// raises this for whatever goes wrong; the cause tells
        cause = error.__cause__
        if isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError):
            what = f"cannot be reached ({cause}): check the address and the network"
            raise ConnectionError(errno.EHOSTUNREACH, what, url) from error
        status = getattr(cause, "status", None)
        if status is not None and status not in (404, 410):
            what = f"the server answers {status} ({getattr(cause, 'message', '')})" if status else ""
            raise OSError(errno.EIO, what or "the server redirects without an end", url) from error
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url) from error
    except OSError as error:
        text = error.strerror or str(error) or type(error).__name__
        if code := getattr(error.__cause__, "response", {}).get("Error", {}).get("Code"):
            text = f"{text.rstrip('.')} ({code})"
        if isinstance(error, PermissionError) and extra in _CREDENTIALS:
            text = f"{text}: check your credentials ({_CREDENTIALS[extra]})"
        raise OSError(error.errno or errno.EIO, text, url) from error
    except ImportError as error:
        scheme = scheme_of(url)
        if extra is None and error.name == "fsspec":
            what = f"unknown kind of URL {scheme}://, unless fsspec (not installed) knows it: {_GIVE}"
            raise InputError(f"{url}: {what}") from error
        needs = f"install the package that fsspec needs ({error})"
        advice = f"pip install 'ncleaner[{extra}]'" if extra else needs
        raise InputError(f"{url}: {scheme}:// cannot be read or written: {advice}") from error
    except ValueError as error:
        what = str(error)
        if what.startswith("Protocol not known"):
            what = f"unknown kind of URL {scheme_of(url)}://: {_GIVE}"
        raise InputError(f"{url}: {what}") from error
    except Exception as error:
        # networks and cloud libraries raise exceptions of many types
        text = f"{type(error).__name__}: {error}"
        if "Credentials" in text and extra in _CREDENTIALS:
            text = f"{text}: set {_CREDENTIALS[extra]}"
        raise OSError(errno.EIO, text, url) from error


def _system(url: str) -> tuple[AbstractFileSystem, str]:
    """Returns the file system of a URL, and the path on it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError("fsspec is not installed", name="fsspec") from error
    system, path = url_to_fs(url)
    return system, path


def remote_status(url: str) -> Status:
    """Returns size and time of a file.

    Raises:
        OSError: the file does not exist or cannot be reached.
        InputError: the file system is unknown or not installed.
    """
    with _reaching(url):
        system, inner = _system(url)
        return _status(system.info(inner))


def _status(info: dict[str, Any]) -> Status:
    size = info.get("size")
    # each file system has its own key for the time
    time_ = info.get("LastModified") or info.get("mtime") or info.get("updated") or info.get("last_modified")
    if isinstance(time_, str):
        try:
            time_ = datetime.fromisoformat(time_)
        except ValueError:
            time_ = None
    if isinstance(time_, datetime):
        aware = time_ if time_.tzinfo else time_.replace(tzinfo=UTC)
        modified = int(aware.timestamp()) * 1_000_000_000 + aware.microsecond * 1000
    else:
        modified = int(time_ * 1e9) if isinstance(time_, int | float) else -1
    return Status(int(size) if size is not None else None, modified)


def remote_files(url: str) -> list[tuple[str, str, Status]] | None:
    """Lists the files below a URL; see `places.files_below`."""
    with _reaching(url):
        system, inner = _system(url)
        # a URL of http is always one file, although fsspec would list the links of a page as files below it
        if scheme_of(url) in ("http", "https") or system.isfile(inner):
            return None
        # no shell expands patterns in URLs
        fixed = re.split(r"[*?[]", inner)[0]
        is_pattern = fixed != inner
        root = fixed.rpartition("/")[0] + "/" if is_pattern else inner.rstrip("/") + "/"
        found = (system.glob if is_pattern else system.find)(inner, detail=True)
        if not found:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)
        return [
            (system.unstrip_protocol(name), name.removeprefix(root), _status(info))
            for name, info in found.items()
            if info.get("type") == "file"
        ]


def remote_range(url: str, start: int, size: int) -> bytes:
    """Reads bytes of a file with one request, and tries again if that fails; see `places.read_range`."""
    for attempt in range(_TRIES):
        try:
            with _reaching(url):
                system, inner = _system(url)
                data: bytes = system.cat_file(inner, start=start, end=start + size)
                return data
        except FileNotFoundError:
            raise
        except OSError as error:
            if attempt == _TRIES - 1 or "InvalidRange" in str(error):
                raise
            time.sleep(_PAUSE * 4**attempt)
    raise AssertionError("not reached")


class RemoteFile(io.RawIOBase):
    """A file on a server, for reading. If a connection breaks, a new one goes on at the same offset.

    Attributes:
        size: in bytes; None if the server does not say it.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._at = 0
        self._open()

    def _open(self) -> None:
        with _reaching(self._url):
            system, inner = _system(self._url)
            self._file = system.open(inner, "rb", block_size=_PIECE, cache_type="readahead")
            self.size: int | None = getattr(self._file, "size", None)

    def readable(self) -> bool:
        """Returns True."""
        return True

    def seekable(self) -> bool:
        """Whether the server can send parts of the file."""
        # a stream without a size says that it can seek, but cannot
        return self.size is not None and bool(self._file.seekable())

    def tell(self) -> int:
        """Returns the offset of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Moves to an offset in bytes, which counts from the beginning of the file."""
        if whence != 0:
            raise io.UnsupportedOperation("seek is possible from the beginning of the file only")
        if offset != self._at:
            with _reaching(self._url):
                self._file.seek(offset)
            self._at = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        """Reads up to `size` bytes; connects again if the connection breaks. Raises OSError."""
        for attempt in range(_TRIES):
            try:
                with _reaching(self._url):
                    data: bytes = self._file.read(size)
                    if not data and size and self.size is not None and self._at < self.size:
                        reason = f"the server has sent only {self._at:,} of {self.size:,} bytes"
                        raise OSError(errno.EIO, reason, self._url)
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
        """Reads into a buffer; returns the number of bytes read."""
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
    """A log on a file system that cannot append: a local file, copied every half minute and at the end.

    If a run is killed, the next one cleans the inputs of lines that were not copied again, to the same bytes.
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
            # an exception that has ended the run is more important than this one
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
        # Object stores have no directories to make; there, a bucket is missing.
        if not EXTRAS.keys().isdisjoint(
            [system.protocol] if isinstance(system.protocol, str) else system.protocol
        ):
            raise
        system.makedirs(system._parent(path), exist_ok=True)
        system.put_file(file, path)


class RemoteFolder:
    """A folder after a URL. Files are written on this machine first, and copied when they are complete."""

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
        """Opens a file on this machine, and copies it to the folder when it is complete."""
        system, path, url = self._at(name)
        with tempfile.NamedTemporaryFile(suffix=".part") as out:
            yield out  # type: ignore[misc]
            out.flush()
            with _reaching(url):
                _put(system, out.name, path)

    def size(self, name: str) -> int | None:
        """Returns the size of a file in bytes; None if it does not exist or cannot be reached."""
        try:
            return remote_status(f"{self.url}/{name}").size
        except OSError:
            return None

    def remove(self, name: str) -> None:
        """Deletes a file if it exists."""
        system, path, url = self._at(name)
        with suppress(FileNotFoundError), _reaching(url):
            system.rm_file(path)

    def log(self, name: str) -> AbstractContextManager[Log]:
        """Opens a log that is written on this machine, and copied at intervals and at the end."""
        system, path, url = self._at(name)
        return _RemoteLog(system, path, url)
