"""The outputs of a run: what has one output, their names, files that appear when they are complete, and the
quarantine."""

import errno
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import lru_cache
from itertools import groupby
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, BinaryIO, Final
from zlib import crc32

from ncleaner.errors import InputError, OutputError, cannot_write, stdout_error
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import Chunk, CleaningJob
from ncleaner.running.manifest import FILES, settings_record
from ncleaner.running.settings import Settings
from ncleaner.sinks.formats import Output
from ncleaner.sinks.sink import Sink, Writable
from ncleaner.storage.local import RUN, Folder, LocalFolder, is_url
from ncleaner.storage.places import folder_and_name
from ncleaner.text.visible import counted

# Bytes of the longest name of a file on most systems, without what is added to those of outputs.
_LONGEST_NAME: Final = 255 - len("..part-00000.warc.gz.part")
# Inputs of fewer bytes are packed; and bytes of a pack. A worker reads a whole pack.
_SMALL: Final = 8 << 20
_PACK: Final = 64 << 20
# The same of inputs that share a worker, and no output; their number, and packs for each worker.
_LITTLE: Final = 2 << 20
_JOB: Final = 4 << 20
_MOST_TOGETHER: Final = 64
_EACH: Final = 4
# Bytes that are copied at a time.
_PIECE: Final = 1 << 20
# The end of the stem of the second file of an output, and of later ones.
_PART: Final = re.compile(r"\.part-\d{5}\Z")
#: Directory, in an output directory, for the records of pages that were given up, with a WARC for each input.
QUARANTINE: Final = f"{RUN}/quarantine"


def planned(inputs: list[Input], output: Output) -> dict[Input, str]:
    """Returns the name of the output of each input, and of each pack of small ones.

    Raises:
        InputError: two inputs have the same relative path, or outputs the same name.
    """
    seen: dict[str, Input] = {}
    for source in inputs:
        if (other := seen.setdefault(source.relative, source)) is not source:
            raise InputError(
                f"{other.path} and {source.path} would both be written to outputs of the name "
                f"{source.relative}: clean them into different directories"
            )
    return output_names(packed(inputs, output.rows), output.sink().suffix, is_flat=output.rows > 0)


def in_jobs(inputs: list[Input], jobs: int) -> Iterator[Input]:
    """Yields inputs in their order, small ones in packs, of which each of `jobs` workers gets several."""
    most = min(_MOST_TOGETHER, len(inputs) // (_EACH * jobs))
    for is_small, group in groupby(inputs, lambda each: not each.members and 0 < (each.size or 0) < _LITTLE):
        sources = list(group)
        yield from packed(sources, most, _JOB) if is_small else sources


def packed(inputs: Iterable[Input], rows: int, whole: int = _PACK) -> list[Input]:
    """Returns inputs with those that are small in packs of up to a number, such as of rows; 0: no packs.

    A pack that is half full ends before the next name with a small hash, so that a new input changes its pack
    only, and not all after it. It is full with a number of bytes, or of inputs.
    """
    found: list[Input] = []
    pack: list[Input] = []
    full = 0.0
    for source in inputs:
        if not rows or source.size is None or source.size >= _SMALL:
            found.append(source)
            continue
        share = max(source.size / whole, 1 / rows)
        if full + share > 1 or (full > 0.5 and crc32(os.fsencode(source.relative)) < share * (1 << 34)):
            found.append(_pack(pack))
            pack, full = [], 0.0
        pack.append(source)
        full += share
    return [*found, _pack(pack)] if pack else found


def _pack(members: list[Input]) -> Input:
    """Returns inputs as one, with a name that depends on the first; a single one as it is."""
    first, others = members[0], len(members) - 1
    if not others:
        return first
    name = hashlib.sha256(os.fsencode(first.relative)).hexdigest()[:12]
    seen = hashlib.sha256(repr([(each.relative, each.size, each.modified) for each in members]).encode())
    return Input(
        f"{first.path} and {counted(others, 'other')}", f"part-{name}",
        sum(each.size or 0 for each in members), int.from_bytes(seen.digest()[:6]), tuple(members),
    )  # fmt: skip


def output_names(inputs: Iterable[Input], suffix: str, is_flat: bool = False) -> dict[Input, str]:
    """Returns the name of each input's output in the output directory: the same relative path and stem.

    If inputs have the same stem, the name contains the input's whole name. A name that is too long is cut,
    and has a hash of the input's path.

    Args:
        inputs: of a run.
        suffix: of the outputs.
        is_flat: whether all outputs are in one directory, with names that no reader passes over; Spark reads
            no other directories.

    Raises:
        InputError: two inputs have the same relative path.
    """

    def name_of(path: str) -> str:
        if is_flat:
            path = re.sub(r"\A(?=[._])", "0", path.replace("/", "--"))
        return _short(path + suffix, suffix)

    sources = list(inputs)
    stems: dict[str, list[Input]] = {}
    for source in sources:
        stems.setdefault(source.stem, []).append(source)
    names: dict[Input, str] = {}
    taken: dict[str, Input] = {}
    for stem, sharing in stems.items():
        for source in sharing:
            shares = len(sharing) > 1 or (is_flat and _PART.search(stem))
            name = name_of(source.relative if shares else stem)
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


def _sink(settings: Settings) -> Sink:
    """Returns the sink of an output, which can say how it was made."""
    sink = settings.output.sink()
    if settings.output.format == "parquet":
        sink.about = _about(settings)
    return sink


@lru_cache(2)
def _about(settings: Settings) -> dict[str, str]:
    """Returns what a file says of its settings: what has other names on other machines, or is of the
    directory, is left out, so that the bytes are the same on every road."""
    record = settings_record(settings, "")
    kept = record.keys() - FILES - {"model", "model_fingerprint", "rows_per_file", "many_pages", "prefix"}
    return {"ncleaner": json.dumps({name: record[name] for name in kept}, sort_keys=True)}


class _Parts:
    """Files for the rows of an output: after a number of rows, another one begins.

    The first is open until all are complete. Later ones are in a temporary file until then, so that all
    appear together, and any number of them takes two open files.

    Attributes:
        names: of the files after the first, when they are complete.
    """

    def __init__(self, out: Writable, folder: Folder, name: str, settings: Settings) -> None:
        self.names: list[str] = []
        self._folder, self._name, self._output = folder, name, settings.output
        self._settings = settings
        self._files = ExitStack()
        self._sink = ExitStack()
        self._rest: BinaryIO | None = None
        self._begins: list[int] = []
        self._begin(out)

    def _begin(self, out: Writable) -> None:
        self._out = self._sink.enter_context(_sink(self._settings).wrapped(out))
        self._rows = 0

    def write(self, data: bytes) -> None:
        """Writes rows, each a line."""
        while self._rows + data.count(b"\n") > self._output.rows:
            lines = data.splitlines(keepends=True)
            left = self._output.rows - self._rows
            self._out.write(b"".join(lines[:left]))
            data = b"".join(lines[left:])
            if self._rest is None:
                place = self._folder.path if isinstance(self._folder, LocalFolder) else None
                rest = tempfile.TemporaryFile(prefix=".", dir=place)  # noqa: SIM115
                self._rest = self._files.enter_context(rest)
            self._sink.close()
            self._begins.append(self._rest.tell())
            self._begin(self._rest)
        self._out.write(data)
        self._rows += data.count(b"\n")

    def __enter__(self) -> "_Parts":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        with self._files:
            self._sink.__exit__(kind, *error)
            if kind is not None or self._rest is None:
                return
            try:
                self._copy(self._rest)
            except BaseException:
                for name in self.names:
                    self._folder.remove(name)
                raise

    def _copy(self, rest: BinaryIO) -> None:
        suffix = self._output.sink().suffix
        ends = [*self._begins[1:], rest.tell()]
        rest.seek(0)
        for number, (begin, end) in enumerate(zip(self._begins, ends, strict=True), 1):
            name = f"{self._name.removesuffix(suffix)}.part-{number:05}{suffix}"
            with self._folder.file(name) as out:
                for start in range(begin, end, _PIECE):
                    out.write(rest.read(min(_PIECE, end - start)))
            self.names.append(name)


class OpenOutput:
    """An open output: a file for rendered pages, and one for records of pages given up, if there are any.

    Attributes:
        parts: names of further files of the output; see `_Parts`.
        job: of a worker that writes outputs itself, whose lines of the manifest are written here.
    """

    parts: Sequence[str] = ()
    job: CleaningJob | None = None

    def __init__(self, out: Writable, files: ExitStack, quarantine: tuple[Folder, str] | None) -> None:
        self._out = out
        if isinstance(out, _Parts):
            self.parts = out.names
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
    file: AbstractContextManager[BinaryIO],
    settings: Settings,
    quarantine: tuple[Folder, str] | None,
    place: tuple[Folder, str] | None = None,
) -> Iterator[OpenOutput]:
    """Opens an output.

    Args:
        file: opens the file for rendered pages.
        settings: of the run; they choose the sink.
        quarantine: folder and name of the file for records of pages given up; None if they are not kept.
        place: folder and name of the file in a directory, where an output of many rows has several files.
    """
    with ExitStack() as files:
        out = files.enter_context(file)
        written: AbstractContextManager[Writable]
        if place is not None and settings.output.rows:
            written = _Parts(out, *place, settings)
        else:
            written = _sink(settings).wrapped(out)
        yield OpenOutput(files.enter_context(written), files, quarantine)


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
    """Returns why one output of many cannot be written, for a message. Raises the error if none can be."""
    # a server that could not be reached for minutes may be back for the next one
    is_away = is_url(str(error.filename)) and error.errno not in (errno.ENOENT, errno.EACCES, errno.EPERM)
    if error.errno not in _OF_ONE_NAME and not is_away:
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
    with open_output(folder.file(name), settings, (folder, quarantine), (folder, name)) as output:
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
