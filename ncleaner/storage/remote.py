"""Files and folders after a URL, through fsspec."""

import errno
import io
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

from ncleaner.errors import InputError
from ncleaner.storage.local import Log, Status, scheme_of

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

T = TypeVar("T")

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
# Bytes that are taken at a time where answers break off.
_TAKEN: Final = 1 << 16
# Seconds without a byte after which such a connection is given up.
_SILENCE: Final = 60
# Seconds between attempts to reach a file; after the last one it is given up. Servers are away for minutes.
_PAUSES: Final = (0.1, 0.4, 1.6, 6.4, 25.6, 60, 60, 60)
# Most pauses before a run has done anything, when a wrong address is likelier than an outage.
_AT_START: Final = 2
# Seconds between two copies of a log, and the share of the run's time that they are at least, and the most.
_COPY_SECONDS, _COPY_SHARE, _MOST_COPY_SECONDS = 30.0, 0.05, 300.0


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
            what = f"unknown kind of URL {scheme}://: fsspec may know it (hf://: huggingface_hub): {_GIVE}"
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
        number = errno.EIO
        if "Credentials" in text and extra in _CREDENTIALS:
            number, text = errno.EACCES, f"{text}: set {_CREDENTIALS[extra]}"
        raise OSError(number, text, url) from error


def _patiently(url: str, action: Callable[[], T], most: int | None = None) -> T:
    """Returns what an action gives; tries it again if it cannot be reached, `most` times or for minutes.

    Raises:
        OSError: it failed each time, or the file does not exist or is forbidden.
        InputError: as `_reaching`.
    """
    for pause in (*_PAUSES[:most], None):
        try:
            with _reaching(url):
                return action()
        except OSError as error:
            is_final = isinstance(error, FileNotFoundError | PermissionError) or "InvalidRange" in str(error)
            if pause is None or is_final:
                raise
            time.sleep(pause)
    raise AssertionError("not reached")


def _system(url: str) -> "tuple[AbstractFileSystem, str]":
    """Returns the file system of a URL, and the path on it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError("fsspec is not installed", name="fsspec") from error
    system, path = url_to_fs(url)
    if loop := getattr(system, "loop", None):
        # a request that fails raises; what its tasks say beside that would be a traceback on the terminal
        loop.set_exception_handler(lambda *_: None)
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
    """Reads bytes of a file with one request; see `places.read_range`."""

    def read() -> bytes:
        system, inner = _system(url)
        data: bytes = system.cat_file(inner, start=start, end=start + size)
        if len(data) > size:
            raise PermissionError(errno.EPERM, "the server does not send parts of files", url)
        return data

    return _patiently(url, read)


class RemoteFile(io.RawIOBase):
    """A file on a server, for reading, in pieces. While one is used, the next is fetched in the background.

    If a connection breaks, a new one goes on after the last byte that has come.

    Attributes:
        size: in bytes; None if the server does not say it.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._at = self._begin = 0
        self._piece = b""
        # where answers break off, what has come of them is used
        self._breaks = False
        self._next: tuple[int, Future[bytes]] | None = None
        self._thread: ThreadPoolExecutor | None = None
        _patiently(url, self._open)

    def _open(self) -> None:
        system, inner = _system(self._url)
        self._file = system.open(inner, "rb", block_size=_PIECE, cache_type="none")
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
        if whence != 0 or (offset != self._at and not self.seekable()):
            raise io.UnsupportedOperation("seek is possible from the beginning of a file with parts only")
        self._at = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        """Reads up to `size` bytes, 4 MiB at most. Raises OSError."""
        if self.size is None or not self.seekable():
            with _reaching(self._url):
                data: bytes = self._file.read(size)
        else:
            if not self._begin <= self._at < self._begin + len(self._piece):
                self._advance(self.size)
            start = self._at - self._begin
            data = self._piece[start : start + size if size >= 0 else None]
        self._at += len(data)
        return data

    def _advance(self, size: int) -> None:
        """Takes the piece at the current offset; a reader that goes on will find the next one fetched."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1)
        goes_on = self._at == self._begin + len(self._piece)
        if self._next is None or self._next[0] != self._at:
            self._next = self._at, self._thread.submit(self._fetch, self._at)
        self._begin, future = self._next
        self._piece, self._next = future.result(), None
        end = self._begin + len(self._piece)
        if goes_on and end < size:
            self._next = end, self._thread.submit(self._fetch, end)

    def _fetch(self, at: int) -> bytes:
        """Returns the bytes from an offset on, up to a piece; in the thread. Raises OSError."""
        size = self.size or 0
        if at >= size:
            return b""

        def read() -> bytes:
            try:
                data = self._of_broken(at) if self._breaks else b""
                if not data:
                    self._file.seek(at)
                    data = self._file.read(_PIECE)
            except BaseException:
                self._breaks = scheme_of(self._url) in ("http", "https")
                raise
            if not data:
                reason = f"the server has sent only {at:,} of {size:,} bytes"
                raise OSError(errno.EIO, reason, self._url)
            return data

        return _patiently(self._url, read)

    def _of_broken(self, at: int) -> bytes:
        """Returns what comes of an answer of http before it breaks off; fsspec's client would drop it."""
        # only here: most servers send whole answers
        from urllib.request import Request, urlopen

        system, inner = _system(self._url)
        last = min(at + _PIECE, self.size or 0) - 1
        request = Request(str(system.encode_url(inner)), headers={"Range": f"bytes={at}-{last}"})
        data = bytearray()
        with suppress(OSError), urlopen(request, timeout=_SILENCE) as answer:
            while answer.status == HTTPStatus.PARTIAL_CONTENT and (taken := answer.read(_TAKEN)):
                data += taken
        return bytes(data)

    def readinto(self, buffer: Any) -> int:
        """Reads into a buffer; returns the number of bytes read."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the connection; does not wait for what is fetched."""
        if not self.closed:
            if self._thread is not None:
                self._thread.shutdown(wait=False, cancel_futures=True)
            with suppress(Exception):
                self._file.close()
        super().close()


class _RemoteLog:
    """A log on a file system that cannot append: a file for some minutes of lines each, and at the end one
    with all lines of the run in place of these.

    If a run is killed, the next one cleans the inputs of lines that were not copied again, to the same bytes.
    """

    def __init__(self, folder: "RemoteFolder", name: str) -> None:
        self._stem, _, self._suffix = name.rpartition(".")
        # no other run has this name, on whatever machine
        self._stem += f".{uuid.uuid4().hex}"
        self._folder = folder
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._parts: list[str] = []
        self._done = 0
        self._begun = self._copied = time.monotonic()

    def __enter__(self) -> "_RemoteLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file:
            if kind is not None:
                self._copy()
            elif self._file.tell():
                self._file.seek(0)
                with self._folder.file(f"{self._stem}.{self._suffix}") as out:
                    shutil.copyfileobj(self._file, out)
                for part in self._parts:
                    self._folder.remove(part)

    def add(self, line: bytes) -> None:
        self._file.write(line)
        now = time.monotonic()
        share = _COPY_SHARE * (now - self._begun)
        if now - self._copied >= max(_COPY_SECONDS, min(share, _MOST_COPY_SECONDS)):
            self._copy()

    def _copy(self) -> None:
        """Copies the lines since the last copy; a copy that fails is only late."""
        part = f"{self._stem}.{len(self._parts):05}.{self._suffix}"
        self._file.seek(self._done)
        data = self._file.read()
        with suppress(OSError):
            if data:
                self._folder.put(part, data)
                self._parts.append(part)
            self._done += len(data)
        self._copied = time.monotonic()


def _put(system: "AbstractFileSystem", put: Callable[[str], object], path: str) -> None:
    """Writes a file by `put`, and makes the directory above it where there are any."""
    try:
        put(path)
    except FileNotFoundError:
        # Object stores have no directories to make; there, a bucket is missing.
        if not EXTRAS.keys().isdisjoint(
            [system.protocol] if isinstance(system.protocol, str) else system.protocol
        ):
            raise
        system.makedirs(system._parent(path), exist_ok=True)
        put(path)


class RemoteFolder:
    """A folder after a URL. Files are written on this machine first, and copied when they are complete."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def __str__(self) -> str:
        return self.url

    def _at(self, name: str) -> "tuple[AbstractFileSystem, str, str]":
        url = f"{self.url}/{name}"
        with _reaching(url):
            system, path = _system(url)
            # others write here, too
            system.invalidate_cache()
            return system, path, url

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        """Opens a file on this machine, and copies it to the folder when it is complete."""
        system, path, url = self._at(name)
        with tempfile.NamedTemporaryFile(suffix=".part") as out:
            yield out  # type: ignore[misc]
            out.flush()
            _patiently(url, lambda: _put(system, partial(system.put_file, out.name), path))

    def put(self, name: str, data: bytes) -> None:
        """Writes a small file; tries it once. Raises OSError."""
        system, path, url = self._at(name)
        with _reaching(url):
            _put(system, partial(system.pipe_file, value=data), path)

    def size(self, name: str) -> int | None:
        """Returns the size of a file in bytes; None if it does not exist or cannot be reached."""
        system, path, url = self._at(name)
        with suppress(OSError), _reaching(url):
            return _status(system.info(path)).size
        return None

    def sizes(self) -> Callable[[str], int | None]:
        """Returns what gives the sizes of files in bytes, by one listing of the folder. Raises OSError."""
        system, root, url = self._at("")
        found = _patiently(url, lambda: system.find(root, detail=True), _AT_START)
        return {name.removeprefix(root).lstrip("/"): _status(info).size for name, info in found.items()}.get

    def remove(self, name: str) -> None:
        """Deletes a file if it exists."""
        system, path, url = self._at(name)
        with suppress(FileNotFoundError):
            _patiently(url, lambda: system.rm_file(path))

    def lines(self, name: str, log: Log | None = None) -> Iterator[bytes]:
        """Yields the lines of a log, of all runs."""
        stem, _, suffix = name.rpartition(".")
        system, path, url = self._at(stem)

        def read() -> dict[str, bytes | Exception]:
            files: list[str] = []
            with suppress(FileNotFoundError):
                files = system.ls(system._parent(path), detail=False)
            logs = [file for file in files if file.startswith(path) and file.endswith(f".{suffix}")]
            found: dict[str, bytes | Exception] = system.cat(sorted(logs), on_error="return") if logs else {}
            for each in found.values():
                # a run that ends puts one file in place of many
                if isinstance(each, Exception) and not isinstance(each, FileNotFoundError):
                    raise each
            return found

        for _, data in sorted(_patiently(url, read, _AT_START).items()):
            if isinstance(data, bytes):
                yield from data.splitlines(keepends=True)

    def log(self, name: str) -> AbstractContextManager[Log]:
        """Opens a log that is written on this machine, and copied at intervals and at the end."""
        return _RemoteLog(self, name)
