"""The outputs of a run: their names, files that appear when they are complete, and the quarantine."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO, Final

from ncleaner.errors import InputError, OutputError, cannot_write, stdout_error
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import Chunk
from ncleaner.running.settings import Settings
from ncleaner.sinks.sink import Writable
from ncleaner.storage.local import RUN, Folder, is_url
from ncleaner.storage.places import folder_and_name

# Bytes of the longest name of a file on most systems, without what is added to those of outputs.
_LONGEST_NAME: Final = 255 - len("..warc.gz.part")
#: Directory, in an output directory, for the records of pages that were given up, with a WARC for each input.
QUARANTINE: Final = f"{RUN}/quarantine"


def output_names(inputs: Iterable[Input], suffix: str) -> dict[Input, str]:
    """Returns the name of each input's output in the output directory: the same relative path and stem.

    If inputs have the same stem, the name contains the input's whole name. A name that is too long is cut,
    and has a hash of the input's path.

    Raises:
        InputError: two inputs have the same relative path.
    """
    sources = list(inputs)
    stems: dict[str, list[Input]] = {}
    for source in sources:
        stems.setdefault(source.stem, []).append(source)
    names: dict[Input, str] = {}
    taken: dict[str, Input] = {}
    for stem, sharing in stems.items():
        for source in sharing:
            name = _short((source.relative if len(sharing) > 1 else stem) + suffix, suffix)
            if name in taken:
                raise InputError(
                    f"{taken[name].path} and {source.path} would both be written to {name}: "
                    "clean them into different directories"
                )
            taken[name] = source
            names[source] = name
    return names


def _short(name: str, suffix: str) -> str:
    above, slash, last = name.rpartition("/")
    if len(os.fsencode(last)) <= _LONGEST_NAME:
        return name
    end = f"-{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}{suffix}"
    begin = os.fsencode(last)[: _LONGEST_NAME - len(end)].decode("utf-8", "ignore")
    return f"{above}{slash}{begin}{end}"


def check_new(inputs: Iterable[Input], output: str) -> None:
    """Refuses an output that is a file and exists already. An empty one may be replaced.

    Raises:
        InputError: it is an input.
        OutputError: it exists.
    """
    if is_directory(output):
        return
    check_replaced(inputs, [output])
    folder, name = folder_and_name(output)
    if folder.size(name):
        raise OutputError(f"{output} exists already: name another file, or give --force to replace it")


def check_replaced(inputs: Iterable[Input], outputs: Iterable[str]) -> None:
    """Refuses outputs that would replace inputs.

    Args:
        inputs: of the run.
        outputs: paths or URLs of the outputs.

    Raises:
        InputError: an output is an input.
    """
    # Only files of one name are looked at, since there may be a hundred thousand, on slow disks. Some systems
    # do not tell capitals from small letters.
    by_name: dict[str, list[str]] = {}
    for source in inputs:
        by_name.setdefault(PurePath(source.path).name.casefold(), []).append(source.path)
    suspects = [(path, PurePath(path).name.casefold()) for path in outputs]
    suspects = [(path, name) for path, name in suspects if name in by_name]
    replaced = {_identity(path): path for name in {name for _, name in suspects} for path in by_name[name]}
    for path, _ in suspects:
        identity = _identity(path)
        if identity is not None and identity in replaced:
            raise InputError(
                f"{replaced[identity]} is an input, and the output {path} would replace it: name another one"
            )


def _identity(path: str) -> str | tuple[int, int] | None:
    """Returns what is the same for all names of a file; None if there is no such file."""
    if is_url(path):
        return path
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class OpenOutput:
    """An open output: a file for rendered pages, and one for records of pages given up, if there are any."""

    def __init__(self, out: Writable, files: ExitStack, quarantine: tuple[Folder, str] | None) -> None:
        self._out = out
        self._files = files
        self._quarantine = quarantine
        self._records: BinaryIO | None = None

    def write(self, chunk: Chunk) -> None:
        """Writes the pages and the records of a chunk."""
        self._out.write(chunk.output)
        if chunk.quarantine and self._quarantine:
            if self._records is None:
                folder, name = self._quarantine
                self._records = self._files.enter_context(folder.file(name))
            self._records.write(chunk.quarantine)

    @property
    def has_quarantined(self) -> bool:
        """Whether a record of a page given up has been written."""
        return self._records is not None


#: Opens the output of an input, or gives None if that cannot be written; then this has been counted.
Opener = Callable[[Input], AbstractContextManager[OpenOutput | None]]


@contextmanager
def open_output(
    file: AbstractContextManager[BinaryIO], settings: Settings, quarantine: tuple[Folder, str] | None
) -> Iterator[OpenOutput]:
    """Opens an output.

    Args:
        file: opens the file for rendered pages.
        settings: of the run; they choose the sink.
        quarantine: folder and name of the file for records of pages given up; None if they are not kept.
    """
    with ExitStack() as files:
        out = files.enter_context(file)
        yield OpenOutput(files.enter_context(settings.output.sink().wrapped(out)), files, quarantine)


@contextmanager
def output_errors(output: object) -> Iterator[None]:
    """Turns an OSError into an OutputError that names the output; leaves a BrokenPipeError unchanged."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and getattr(output, "name", "") in ("<stdout>", 1):
            raise stdout_error(error) from error
        where = error.filename or (output if isinstance(output, str | Path) else "stream")
        raise cannot_write(f"the output {where}", error) from error


# Faults of the name of one output. Any other, such as a full disk, is one of the run.
_OF_ONE_NAME: Final = frozenset(
    (errno.EACCES, errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EPERM)
)


def fault_of_one(error: OSError) -> str:
    """Returns why one output of many cannot be opened, for a message. Raises the error if none can be."""
    if error.errno not in _OF_ONE_NAME:
        raise error
    return str(cannot_write(f"the output {error.filename}", error))


@contextmanager
def open_output_in(folder: Folder, name: str, settings: Settings) -> Iterator[OpenOutput]:
    """Opens an input's output in a directory, a file that appears when it is complete.

    Records of pages given up are written to a WARC in `QUARANTINE`, if there are any.

    Raises:
        OSError: the output cannot be written.
    """
    # with the suffix of the format, since another format may have other limits; but not as a suffix, by which
    # readers would take the records for data
    suffix = settings.output.sink().suffix
    quarantine = f"{QUARANTINE}/{name.removesuffix(suffix)}{suffix.replace('.', '-')}.warc.gz"
    with open_output(folder.file(name), settings, (folder, quarantine)) as output:
        yield output
    if not output.has_quarantined:
        # the file of an earlier run
        folder.remove(quarantine)


def is_directory(output: str | Path) -> bool:
    """Whether the option -o names a directory: it is one, or does not exist and has no suffix."""
    if is_url(str(output)):
        return not PurePosixPath(str(output)).suffix or str(output).endswith("/")
    path = Path(output)
    return path.is_dir() or not (path.suffix or path.exists())
