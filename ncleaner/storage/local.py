"""The interfaces of storage; and files and folders on this machine, which appear complete or not at all."""

import errno
import io
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Protocol

from ncleaner.errors import InUseError, OutputError, cannot_write

#: Directory, in a directory of outputs, for all that is no output. Readers of data sets pass over names that
#: begin so, as over those that begin with a dot.
RUN: Final = "_run"

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


class Status(NamedTuple):
    """Size and time of a file, by which a later run sees whether the file has changed.

    Attributes:
        size: in bytes; None when unknown.
        modified: time of its last change, nanoseconds since 1970; -1 when unknown.
    """

    size: int | None
    modified: int


def shipped_folder(folder: str) -> Path:
    """Returns a folder of files that come with the package: in it, or beside it in a source tree."""
    package = Path(__file__).parents[1]
    installed = package / folder
    return installed if installed.is_dir() else package.parent / folder


def is_url(path: str) -> bool:
    """Whether a path is a URL for fsspec, not a file on this machine."""
    return _SCHEME.match(path) is not None


def scheme_of(url: str) -> str:
    """Returns the scheme of a URL in lower case: `s3` for `s3://bucket/name`."""
    return url.partition("://")[0].lower()


class Log(Protocol):
    """A file of lines to which a run appends; `Folder.lines` reads them."""

    def add(self, line: bytes) -> None:
        """Appends a line, which ends with a line feed. Raises OSError if there is no space."""
        ...


class Folder(Protocol):
    """A directory for outputs. Names are relative paths with slashes; missing directories are made."""

    def file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Opens a file that appears under its name only when it is complete. Raises OSError."""
        ...

    def size(self, name: str) -> int | None:
        """Returns the size of a file in bytes; None if it does not exist."""
        ...

    def sizes(self) -> Callable[[str], int | None]:
        """Returns what gives the size of each of many files, as `size` does, with one listing of a store."""
        ...

    def remove(self, name: str) -> None:
        """Deletes a file if it exists."""
        ...

    def lines(self, name: str, log: Log | None = None) -> Iterator[bytes]:
        """Yields the complete lines of a log with their line feeds: of `manifest.log` and its parts, such as
        `manifest.1-of-8.log`. `log`: one of these, if it is open."""
        ...

    def log(self, name: str) -> AbstractContextManager[Log]:
        """Opens a log for one run at a time. Raises OutputError."""
        ...


try:
    import fcntl
except ImportError:  # not on this system, where nothing prevents two runs from writing to one directory
    fcntl = None  # type: ignore[assignment]


def local_status(path: Path) -> Status:
    """Returns size and time of a file. Raises OSError."""
    found = path.stat()
    return Status(found.st_size if path.is_file() else None, found.st_mtime_ns)


def missing(path: Path) -> str:
    """Returns in words that a file or directory does not exist, and which one may be meant."""
    # only here: few paths are wrong
    from difflib import get_close_matches

    said = os.strerror(errno.ENOENT)
    if path.is_symlink():
        return f"it is a link to what does not exist, {path.readlink()}"
    if "*" in path.name:
        return f"{said}: patterns are not expanded: give the files, or their directory"
    with suppress(OSError):
        if similar := get_close_matches(path.name, [each.name for each in path.parent.iterdir()], n=1):
            return f"{said}, did you mean {path.with_name(similar[0])}?"
    above = next((each for each in path.parents if each.exists()), path.parent)
    if above != path.parent:
        return f"{said} (there is no {path.parent})"
    return said if path.is_absolute() else f"{said} (in {above.resolve()})"


def check_writable(path: Path, *heads: bytes) -> None:
    """Checks a name for a file before what may be hours of work.

    Args:
        path: of the file.
        heads: how a file begins that may be replaced; without one, any may.

    Raises:
        OutputError: a file of this name cannot be written, or there is one of another kind.
    """
    reason = 0
    if path.is_dir():
        reason = errno.EISDIR
    elif not path.parent.is_dir():
        reason = errno.ENOTDIR if path.parent.exists() else errno.ENOENT
    elif not os.access(path.parent, os.W_OK):
        reason = errno.EACCES
    if reason:
        raise cannot_write(path, OSError(reason, os.strerror(reason), str(path)))
    if heads and path.is_file():
        try:
            with path.open("rb") as file:
                begun = file.read(max(map(len, heads)))
        except OSError as error:
            raise cannot_write(path, error) from error
        if begun and not begun.startswith(heads):
            raise OutputError(f"{path} exists already and is a file of another kind: give another name")


def _is_special(path: Path) -> bool:
    """Tells whether a path is no file that another one could replace: /dev/null, a named pipe."""
    # /dev/stdout leads to a file if the output is redirected
    if path.is_dir() or not path.exists():
        return False
    return not path.is_file() or (path.parts[:2] == ("/", "dev") and path.is_symlink())


# What has the name of a file that is to be written, by the error of the system.
_IN_THE_WAY: Final = {
    errno.ELOOP: "symbolic link",
    errno.EMLINK: "symbolic link",
    errno.EISDIR: "directory",
    errno.ENXIO: "named pipe",
}


def open_file(path: str, flags: int) -> int:
    """Opens a file for `open`, but does not wait for the writer if a named pipe has taken its place.

    Raises:
        OSError: it is neither a file nor a directory.
    """
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    kind = os.fstat(number).st_mode
    # `open` itself refuses a directory
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        os.close(number)
        raise OSError(errno.EINVAL, "is neither a file nor a directory", path)
    return number


def _without_links(path: str, flags: int) -> int:
    """Opens a file for `open`, unless something else has its name: others may have put a link there, to have
    another file written to, or a pipe without a reader."""
    try:
        return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if what := _IN_THE_WAY.get(error.errno or 0):
            raise OSError(errno.ELOOP, f"it is a {what}: remove it", path) from error
        raise


def _lock(file: BinaryIO, what: Path, kind: str) -> None:
    """Locks a file for this process; workers do not inherit such a lock, so it ends with the run.

    Args:
        file: the open file.
        what, kind: what is written, for the message, and of what kind another one may be given.

    Raises:
        InUseError: another process has locked it.
        OSError: the file system has no locks.
    """
    if fcntl is None:
        return
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            raise
        raise InUseError(
            f"another run is writing to {what}: wait until it ends, or give another {kind}"
        ) from None


# Bytes that are read at a time to find the last line of a log.
_BLOCK: Final = 1 << 16


class _LocalLog:
    def __init__(self, path: Path) -> None:
        self.file = open(path, "a+b", buffering=0, opener=_without_links)  # noqa: SIM115

    def __enter__(self) -> "_LocalLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            os.fsync(self.file.fileno())
        self.file.close()

    def lock(self, folder: Path) -> None:
        _lock(self.file, folder, "directory")

    def cut(self) -> None:
        """Deletes a last line that is not complete: a run was killed while it wrote it."""
        end = self.file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - _BLOCK)
            self.file.seek(begin)
            if (feed := self.file.read(end - begin).rfind(b"\n")) >= 0:
                end = begin + feed + 1
                break
            end = begin
        self.file.truncate(end)

    def add(self, line: bytes) -> None:
        # One write, without fsync: if the machine fails and a line is lost, its input is cleaned once more.
        self.file.write(line)


class LocalFolder:
    """A folder on this machine; see `Folder`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def file(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Opens a file that appears when it is complete; makes the directories above it. A device or a named
        pipe is written to as it is."""
        path = self.path / name
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if _is_special(path):
            return path.open("wb")
        path.parent.mkdir(parents=True, exist_ok=True)
        return atomic_file(path)

    def size(self, name: str) -> int | None:
        """Returns the size of a file in bytes, 0 for a device or a pipe; None if it does not exist."""
        path = self.path / name
        try:
            return 0 if _is_special(path) else path.stat().st_size
        except OSError:
            return None

    def sizes(self) -> Callable[[str], int | None]:
        """Returns `size`: a run asks for few of the files, and a disk answers each by itself."""
        return self.size

    def lines(self, name: str, log: Log | None = None) -> Iterator[bytes]:
        """Yields the complete lines of a log, of all its files."""
        path = self.path / name
        own = log.file if isinstance(log, _LocalLog) else None
        for each in sorted(path.parent.glob(f"{path.stem}*{path.suffix}")):
            if own is not None and each.samefile(own.name):
                # opened anew and closed, the file would no longer be locked
                own.seek(0)
                yield from io.BufferedReader(io.FileIO(own.fileno(), closefd=False))
                continue
            with each.open("rb") as file:
                yield from (line for line in file if line.endswith(b"\n"))

    def remove(self, name: str) -> None:
        """Deletes a file if it exists."""
        (self.path / name).unlink(missing_ok=True)

    def discard(self, name: str) -> None:
        """Deletes what a process that was killed has written of a file."""
        _temporary(self.path / name).unlink(missing_ok=True)

    def log(self, name: str) -> AbstractContextManager[Log]:
        """Opens a log and locks it for one run. Raises OutputError."""
        path = self.path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            log = _LocalLog(path)
        except OSError as error:
            raise cannot_write(path, error) from error
        try:
            log.lock(self.path)
            log.cut()
        except BaseException as error:
            with log:
                pass
            if isinstance(error, OSError):
                # such as a network file system without locks
                raise cannot_write(path, error) from error
            raise
        return log


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


# Files that are brought to the disk one by one: for each, a disk works up to some milliseconds.
_FEW = 16


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a file for writing that appears under its name only when it is complete.

    It is written as `.NAME.part`, which no reader of the directory takes for data, and renamed when the block
    ends; an exception deletes it.

    Raises:
        InUseError: another process is writing it.
        OSError: the file cannot be written.
    """
    temporary = _temporary(path)
    with _opened_alone(temporary, path) as out:
        try:
            yield out
            # the bytes must be on the disk before the file gets its name
            out.flush()
            os.fsync(out.fileno())
            _before_renaming(out)
            temporary.replace(path)
        except BaseException:
            _before_renaming(out)
            temporary.unlink(missing_ok=True)
            raise


def _opened_alone(temporary: Path, path: Path) -> BinaryIO:
    """Opens the temporary file of a file, empty and locked for this process. Raises as `atomic_file`."""
    for _ in range(100):
        # another process may be writing it, so it is not emptied yet
        out = open(temporary, "wb", opener=_without_emptying)  # noqa: SIM115
        try:
            # a network file system may have no locks
            with suppress(OSError):
                _lock(out, path, "file")
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(out.fileno()), temporary.lstat()):
                    out.truncate()
                    return out
        except BaseException:
            out.close()
            raise
        # the process that wrote it has renamed or deleted it, between opening and locking here
        out.close()
    raise OSError(errno.ESTALE, "others replace it again and again", str(temporary))


def _without_emptying(path: str, flags: int) -> int:
    return _without_links(path, flags & ~os.O_TRUNC)


def _before_renaming(out: BinaryIO) -> None:
    """Closes a file where no open file can be renamed or deleted. Elsewhere its lock would end with it, and
    another process take it over."""
    if os.name == "nt":
        out.close()


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that appears when it is complete. Raises OutputError: it cannot be written."""
    try:
        with atomic_file(path) as out:
            out.write(data)
    except OSError as error:
        raise cannot_write(path, error) from error


def flush_directories(paths: Iterable[Path]) -> None:
    """Brings the bytes of all files of some directories to the disk, and their names.

    Raises:
        OSError: the disk is full or fails.
    """
    directories = list(paths)
    files = [entry.path for path in directories for entry in os.scandir(path)]
    if len(files) > _FEW and hasattr(os, "sync"):
        os.sync()
        return
    for file in files:
        with Path(file).open("rb+") as out:
            os.fsync(out.fileno())
    for path in directories:
        # systems that cannot open a directory bring names to the disk by themselves
        with suppress(OSError):
            directory = os.open(path, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
