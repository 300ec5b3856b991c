"""Finds inputs: paths, URLs and lists of them, their names, and their formats."""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path, PurePosixPath
from typing import Final, Literal, NamedTuple, NoReturn

from ncleaner.errors import InputError
from ncleaner.reading.records import archive_kind
from ncleaner.reading.streams import inflated
from ncleaner.storage.local import RUN, Status, is_url, missing
from ncleaner.storage.places import files_below, open_binary, status
from ncleaner.text.visible import counted, joined

TableKind = Literal["parquet", "arrow", "jsonl", "csv"]

#: Stands for a cell of a table that is larger than any page may be.
TOO_LARGE: Final = object()
#: The path that stands for standard input.
STDIN: Final = "-"

_ARCHIVE: Final = (".warc", ".arc", ".wet")
_ZIP: Final = ".wacz"
_PAGE: Final = (".html", ".htm", ".xhtml", ".xht", ".shtml")
# The end of the directory in which a browser saves images, scripts and frames of a page.
_FRAMES: Final = "_files"
_MHTML: Final = (".mhtml", ".mht")
_TEXT: Final = (".txt", ".text")
TABLES: Final = (".parquet", ".arrow", ".feather", ".jsonl", ".ndjson", ".csv", ".tsv")
_COMPRESSED: Final = (".gz", ".zst", ".lz4", ".bz2", ".xz")

# Tags that plain text does not have at its beginning. Pages of gold collections are wrapped in `<text id=…>`.
_MARKUP: Final = re.compile(
    r"<(?:!doctype\s|html|head|body|title|meta|link|script|style|div|table|frameset|text\s+id\s*=)\b"
    r"|<(?:!doctype\s|text\s+id\s*=)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<(?:[a-z][a-z0-9]*[\s/>]|!--|!doctype|\?xml)", re.IGNORECASE)
# The beginning of an object of JSON: a name and a colon.
_OBJECT: Final = re.compile(rb"""\{\s*"[^"\\]{1,100}"\s*:""")
# The beginning of MHTML, as browsers write it.
_SAVED: Final = re.compile(rb"From: <Saved by |Snapshot-Content-Location: ", re.IGNORECASE)
# Why a text is one document although the user says what is between documents.
UNMARKED: Final = "text without a marker line"
# Threads that ask for the sizes of listed inputs.
_STATUS_THREADS: Final = 16


class Input(NamedTuple):
    """One input, or several that have one output.

    Attributes:
        path: a path or URL; `-` for standard input; of several, what a message names.
        relative: for an input in a directory, the path below that directory, with slashes; for an input given
            by itself, its name; for one in a list of inputs, its line.
        size: in bytes as stored; None when unknown (standard input, pipes, some servers).
        modified: time of its last change, nanoseconds since 1970; -1 when unknown. Of several, a number that
            changes with the name, size or time of any.
        members: the several.
    """

    path: str
    relative: str
    size: int | None
    modified: int = -1
    members: "tuple[Input, ...]" = ()

    def __hash__(self) -> int:
        # there may be thousands of members
        return hash(self[:4])

    @property
    def files(self) -> "tuple[Input, ...]":
        """What is read."""
        return self.members or (self,)

    @property
    def is_pipe(self) -> bool:
        """Whether the input can be read only once."""
        return self.size is None and not is_url(self.path)

    @property
    def stem(self) -> str:
        """`relative` without the suffixes of format and compression."""
        if self.path == STDIN:
            return "stdin"
        relative = PurePosixPath(self.relative)
        return str(relative.with_name(stem(relative.name)))


class TableOptions(NamedTuple):
    """What a user says of tables.

    Attributes:
        column: name of the column of pages; None: by its name, see `columns.txt`.
        carry: (name, type) of the columns that go with the pages.
        prefix: is put before the names of archives.
        kind: `html` or `text` if pages are, whatever they look like; else empty.
    """

    column: str | None = None
    carry: tuple[tuple[str, type], ...] = ()
    prefix: str = ""
    kind: str = ""


def total_size(inputs: Iterable[Input]) -> int | None:
    """Returns the sum of the sizes of inputs, in bytes; None if one of them is unknown."""
    sizes = [source.size for source in inputs]
    return None if None in sizes else sum(filter(None, sizes))


def stem(name: str) -> str:
    """Returns a file's name without the suffixes of format and compression: `crawl` for `crawl.warc.gz`.

    `a.b.html` gives `a.b`. An unknown suffix stays, and so does a name that consists of a suffix only.
    """
    base = name
    for suffixes in (_COMPRESSED, (*_ARCHIVE, _ZIP, *_PAGE, *_MHTML, *_TEXT, *TABLES)):
        for suffix in suffixes:
            if base.lower().endswith(suffix) and len(base) > len(suffix):
                base = base[: -len(suffix)]
                break
    # Common Crawl and this package name the text of `x.warc` `x.warc.wet.gz`.
    if base.lower().endswith(".warc") and len(base) > 5:
        base = base[:-5]
    return base


def find_inputs(
    paths: Iterable[str | os.PathLike[str]],
    *,
    output: str | os.PathLike[str] | None = None,
    note: Callable[[str], object] = len,
) -> list[Input]:
    """Lists the inputs at some paths, in the order given; those of a directory are sorted.

    A directory gives all archives, HTML and text files and tables below it, which are recognised by their
    names; all others, hidden ones and what a run keeps beside its outputs (`_run`) are passed over, and links
    to directories are not followed. A file given by itself is an input whatever its name. `-` is standard
    input. URLs that fsspec knows (`s3://…`, `https://…`) may be in place of paths.

    A file or directory below a given directory that cannot be read, or a link to a file that is gone, is
    returned as an input, too, and the run reports it later: it does not stop a run over all others.

    Args:
        paths: of files and directories.
        output: where the outputs will be; what is there is no input.
        note: gets a sentence for each thing in a directory that is passed over and could be missed.

    Raises:
        InputError: a path does not exist or cannot be read, a directory contains no input, or `output` is one
            of the directories, so that a later run would read the outputs of this one.
    """
    place = None if output is None else _place(os.fspath(output))
    found: list[Input] = []
    for given in paths:
        path = os.fspath(given)
        if path == STDIN:
            found.append(Input(STDIN, STDIN, None))
            continue
        is_folder = is_url(path) or Path(path).is_dir()
        if is_folder and place == _place(path):
            raise InputError(
                f"{path}: is also the output directory, and the next run would read the outputs of this one: "
                "name another directory for the outputs"
            )
        if is_url(path):
            found += _at_url(path, place)
        elif is_folder:
            found += _walk(path, place, note)
        else:
            found.append(_file(path, Path(path).name))
    return found


def _place(path: str) -> str:
    """Returns a path or URL in the one form in which two of them can be compared."""
    return path.rstrip("/") if is_url(path) else os.path.realpath(path)


def listed_inputs(path: str, prefix: str = "") -> list[Input]:
    """Returns the inputs in a list: a text with one path or URL per line, plain or compressed.

    Common Crawl's `warc.paths.gz` is such a list. Empty lines and lines that begin with `#` are passed over.
    A listed file that does not exist is returned as an input, too, and the run reports it later: one missing
    file does not stop a run over a hundred thousand.

    Args:
        path: path or URL of the list, or `-` for standard input.
        prefix: is put before each line: a directory, or a URL such as `https://data.commoncrawl.org/`.

    Raises:
        InputError: the list cannot be read, or contains no input.
    """
    try:
        stream = sys.stdin.buffer if path == STDIN else open_binary(path)
        with nullcontext(stream) if path == STDIN else stream:
            text = inflated(stream, path).decode()
    except FileNotFoundError as error:
        raise InputError(f"{path}: {error.strerror if is_url(path) else missing(Path(path))}") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a directory, not a list of inputs: give it as an input") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not a list of inputs, a text with one path or URL per line") from None
    lines = [line.strip() for line in text.splitlines()]
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise InputError(f"{path}: names no inputs")
    from concurrent.futures import ThreadPoolExecutor

    # each answer of a server takes time, and there may be many inputs
    with ThreadPoolExecutor(_STATUS_THREADS) as threads:
        return list(threads.map(lambda name: _input_in_list(prefix, name), names))


def below(prefix: str, name: str) -> str:
    """Returns a path or URL with a prefix, unless it is a URL or absolute already."""
    if not prefix or is_url(name) or (name.startswith("/") and not is_url(prefix)):
        return name
    return prefix + name if prefix.endswith("/") else f"{prefix}/{name}"


def _input_in_list(prefix: str, name: str) -> Input:
    path = below(prefix, name)
    parts = (name.partition("://")[2] if is_url(name) else name).split("/")
    relative = "/".join(part for part in parts if part not in ("", ".", ".."))
    size, modified = _status(path)
    # a named pipe holds nothing up: it is opened as a file, and so refused
    return Input(path, relative, size if size is not None or is_url(path) else 0, modified)


def _at_url(url: str, place: str | None) -> list[Input]:
    try:
        found = files_below(url)
        if found is None:
            name = url.partition("?")[0].rstrip("/").rpartition("/")[2]
            return [Input(url, name, *status(url))]
    except OSError as error:
        raise InputError(f"{url}: {error.strerror}") from error
    inputs = [
        Input(path, relative, *info)
        for path, relative, info in found
        if _is_known(relative)
        and not any(part.startswith(".") or part == RUN for part in relative.split("/"))
        and not (place is not None and (path == place or path.startswith(f"{place}/")))
    ]
    return _in_order(inputs) or _raise_no_inputs(url)


def _raise_no_inputs(path: str, others: Counter[str] | None = None) -> NoReturn:
    said = f"{path}: no archives (.warc, .arc, .wet, .wacz), HTML or text files or tables in this directory"
    raise InputError(f"{said}, but {_other_names(others)}" if others else said)


def _other_names(others: Counter[str]) -> str:
    """Returns what to say of files that a directory has besides, by the suffixes of their names."""
    suffixes = [f"{suffix or 'without suffix'} {number:,}" for suffix, number in others.most_common()]
    files = counted(others.total(), "file")
    return f"{files} with other names ({joined(suffixes, 5)}): give them by name to read them"


def _in_order(inputs: list[Input]) -> list[Input]:
    return sorted(inputs, key=lambda item: item.relative.split("/"))


def _walk(root: str, place: str | None, note: Callable[[str], object]) -> list[Input]:
    found: list[Input] = []
    others: Counter[str] = Counter()
    saved = 0

    def add(path: Path) -> None:
        found.append(Input(str(path), path.relative_to(root).as_posix(), *_status(str(path))))

    def add_unreadable(error: OSError) -> None:
        if error.filename == root:
            raise InputError(f"{root}: {error.strerror}") from error
        add(Path(error.filename))

    for directory, names, files in os.walk(root, onerror=add_unreadable):
        of_pages = {Path(name).stem + _FRAMES for name in files if name.lower().endswith(_PAGE)}
        saved += len(of_pages.intersection(names))
        names[:] = sorted(n for n in names if not n.startswith(".") and n != RUN and n not in of_pages)
        for name in list(names):
            path = Path(directory, name)
            if path.is_symlink():
                note(f"{path}: is a link to a directory, and not followed; give it as an input of its own")
            elif place is not None and os.path.realpath(path) == place:
                names.remove(name)
        for name in sorted(files):
            path = Path(directory, name)
            if name.startswith("."):
                continue
            is_link = path.is_symlink()
            if is_link and not path.exists() and not _is_known(name):
                note(f"{path}: is a link to what does not exist")
            elif place is not None and os.path.realpath(path) == place:
                continue
            elif not _is_known(name):
                # a mirror has names such as `page.php?id=1`
                others[path.suffix.lower().partition("?")[0]] += 1
            elif path.is_file() or not path.exists():
                add(path)
            else:
                note(f"{path}: is neither a file nor a directory")
    if not found:
        _raise_no_inputs(root, others)
    if saved:
        folders = counted(saved, "directory", "directories")
        note(f"{root}: passes over {folders} `…{_FRAMES}`, in which browsers save the parts of a page")
    if others:
        note(f"{root}: passes over {_other_names(others)}")
    return _in_order(found)


def _status(path: str) -> Status:
    """Returns size and time of a file; if it cannot be reached, what reading it reports later."""
    try:
        return status(path)
    except OSError:
        return Status(0, -1)


def _file(path: str, relative: str) -> Input:
    try:
        found = status(path)
    except FileNotFoundError as error:
        raise InputError(f"{path}: {missing(Path(path))}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    if not os.access(path, os.R_OK):
        raise InputError(f"{path}: cannot be read (permission denied): `chmod u+r` gives you the right to")
    return Input(path, relative, *found)


def _is_known(name: str) -> bool:
    # the list of the pages in a gold directory
    if name.rpartition("/")[2] == "manifest.jsonl":
        return False
    return uncompressed(name).endswith((*_ARCHIVE, _ZIP, *_PAGE, *_MHTML, *_TEXT, *TABLES))


def is_archive(name: str) -> bool:
    """Whether a file is a WARC or an ARC, compressed or not, by its name."""
    return uncompressed(name).endswith(_ARCHIVE)


def is_table(name: str) -> bool:
    """Whether a file is a table, compressed or not, by its name."""
    return uncompressed(name).endswith(TABLES)


def place_in(source: str, offset: int) -> str:
    """Returns the place of an item in words, such as `byte 1,024` or `row 7`; empty without one."""
    if offset < 0:
        return ""
    return f"{'row' if is_table(source) else 'byte'} {offset:,}"


def is_page(name: str) -> bool:
    """Whether a file is an HTML page or a text, not compressed, by its name."""
    return name.lower().endswith((*_PAGE, *_TEXT))


def uncompressed(name: str) -> str:
    """Returns the name of a file in small letters, without the suffixes of compression."""
    base = name.lower()
    for suffix in _COMPRESSED:
        base = base.removesuffix(suffix)
    return base


def table_kind(head: bytes, name: str, column: str | None = None) -> TableKind | None:
    """Returns the format of a table, by its first bytes, its name, or because a column is asked for; None for
    anything else.

    Args:
        head: the first bytes, without compression.
        name: of the file.
        column: name of the column of pages, if the user gives one.
    """
    bare = uncompressed(name)
    if head.startswith(b"PAR1") or bare.endswith(".parquet"):
        return "parquet"
    if head.startswith((b"ARROW1\0", b"\xff\xff\xff\xff")) or bare.endswith((".arrow", ".feather")):
        return "arrow"
    first, end, _ = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    is_object = _OBJECT.match(first) is not None and (not end or first.rstrip().endswith(b"}"))
    if is_object or bare.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "csv" if column is not None or bare.endswith((".csv", ".tsv")) else None


def sniff(head: bytes, name: str = "") -> Literal["warc", "arc", "html", "mhtml", "text"]:
    """Returns the format of an input, by its first bytes; the name decides if they are not enough.

    Args:
        head: the first few thousand bytes, without compression.
        name: the file's name, if it has one.
    """
    archive = archive_kind(head)
    if archive:
        return archive
    base = uncompressed(name)
    if base.endswith((".warc", ".wet", _ZIP)):
        return "warc"
    if base.endswith(".arc"):
        return "arc"
    if base.endswith(_PAGE):
        return "html"
    if base.endswith(_MHTML) or _SAVED.match(head):
        return "mhtml"
    text = _readable(head)
    if base.endswith(_TEXT):
        # Cleaned text may begin with a tag, such as an annotation; an HTML page begins with one of these.
        return "html" if re.match(r"(?:<!doctype\s+html|<html|<\?xml|<text\s+id\s*=)", text, re.I) else "text"
    return "html" if _TAG.match(text) or _MARKUP.search(text) else "text"


def _readable(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "ignore").lstrip("\ufeff").lstrip()
    # without the NUL bytes, tags in UTF-16 without byte order mark can be found, too
    return head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").decode("latin-1").lstrip()
