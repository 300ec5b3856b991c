"""Where the results of a run go: names of outputs, files that appear when they are whole, the quarantine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from ncleaner.errors import InputError, OutputError
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import Chunk
from ncleaner.running.manifest import NAME as MANIFEST
from ncleaner.running.settings import Settings
from ncleaner.sinks.base import Writable
from ncleaner.storage.base import Folder, is_url

__all__ = [
    "QUARANTINE",
    "Output",
    "is_directory",
    "opened",
    "output_in",
    "output_names",
    "writing",
]

#: Where in an output directory records of pages go that had to be given up, a WARC for each input.
QUARANTINE: Final = "quarantine"


def output_names(inputs: Iterable[Input], suffix: str) -> dict[Input, str]:
    """What each input's output is called, below the output directory: same relative path and stem. Inputs
    that would share an output, or have the manifest's name, keep their whole name in it.

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
            name = stem + suffix
            if len(sharing) > 1 or name == MANIFEST:
                name = source.relative + suffix
            if name in taken:
                raise InputError(
                    f"{taken[name].path} and {source.path} would both be written to {name}: "
                    "clean them into different directories"
                )
            taken[name] = source
            names[source] = name
    return names


class Output:
    """Where results go: rendered pages into one file, records of pages given up, if any, into another."""

    def __init__(self, out: Writable, files: ExitStack, quarantine: tuple[Folder, str] | None) -> None:
        self._out = out
        self._files = files
        self._quarantine = quarantine
        self._records: BinaryIO | None = None

    def write(self, chunk: Chunk) -> None:
        """Writes what a chunk holds."""
        self._out.write(chunk.output)
        if chunk.quarantine and self._quarantine:
            if self._records is None:
                folder, name = self._quarantine
                self._records = self._files.enter_context(folder.file(name))
            self._records.write(chunk.quarantine)

    @property
    def has_quarantined(self) -> bool:
        """Whether a page has been given up."""
        return self._records is not None


@contextmanager
def opened(
    file: AbstractContextManager[BinaryIO], settings: Settings, quarantine: tuple[Folder, str] | None
) -> Iterator[Output]:
    """An output in a file that is to be opened."""
    with ExitStack() as files:
        out = files.enter_context(file)
        yield Output(files.enter_context(settings.sink().wrapped(out)), files, quarantine)


@contextmanager
def writing(output: object) -> Iterator[None]:
    """Says which output it is that cannot be written. Raises OutputError; BrokenPipeError as it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        where = error.filename or output
        raise OutputError(f"cannot write the output: {error.strerror} ({where})") from error


@contextmanager
def output_in(folder: Folder, name: str, settings: Settings) -> Iterator[Output]:
    """An input's output in a directory: a file that appears when it is whole, and the records of pages given
    up, if there are any, in `QUARANTINE`.

    Raises:
        OSError: it cannot be written.
    """
    quarantine = f"{QUARANTINE}/{name.removesuffix(settings.sink().suffix)}.warc.gz"
    with opened(folder.file(name), settings, (folder, quarantine)) as output:
        yield output
    if not output.has_quarantined:
        # there may be one of an earlier run
        folder.remove(quarantine)


def is_directory(output: str | Path) -> bool:
    """Whether -o means a directory: it is one, or its name has no suffix."""
    if is_url(str(output)):
        return not PurePosixPath(str(output)).suffix or str(output).endswith("/")
    return Path(output).is_dir() or not Path(output).suffix
