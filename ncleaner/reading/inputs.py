"""Which files are inputs, what they are called, and what is in them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Literal, NoReturn

from ncleaner.errors import InputError
from ncleaner.reading.records import begins_archive
from ncleaner.reading.streams import inflated
from ncleaner.storage.base import is_url
from ncleaner.storage.places import files_below, open_binary, status

__all__ = ["STDIN", "Input", "find_inputs", "is_binary", "listed_inputs", "sniff", "stem"]

#: The path that stands for standard input.
STDIN: Final = "-"

_ARCHIVE: Final = (".warc", ".arc", ".wet")
_PAGE: Final = (".html", ".htm", ".xhtml", ".xht", ".shtml")
_TEXT: Final = (".txt", ".text")
_COMPRESSED: Final = (".gz", ".zst")

# Elements that no plain text has at its beginning. Pages of gold collections are wrapped in `<text id=…>`.
_MARKUP: Final = re.compile(
    r"<(?:!doctype\s|html|head|body|title|meta|link|script|style|div|table|frameset|text\s+id\s*=)\b"
    r"|<(?:!doctype\s|text\s+id\s*=)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<(?:[a-z][a-z0-9]*[\s/>]|!--|!doctype|\?xml)", re.IGNORECASE)
_SIGNATURES: Final = (
    b"%PDF-",
    b"\x89PNG",
    b"GIF87a",
    b"GIF89a",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"RIFF",
    b"\x7fELF",
    b"OggS",
    b"wOFF",
    b"wOF2",
    b"Rar!\x1a",
    b"7z\xbc\xaf\x27\x1c",
    b"\xd0\xcf\x11\xe0",
    b"\xca\xfe\xba\xbe",
)
# How many places are asked at once what is there.
_ASKING: Final = 16
_CONTROL: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_HEAD: Final = 2048


@dataclass(frozen=True, slots=True)
class Input:
    """One input.

    Attributes:
        path: where it is: a path, a URL; `-` for standard input.
        relative: its path below the directory that was given, with slashes; its name if it was given itself,
            its line in a list of inputs.
        size: in bytes as stored; -1 when unknown (standard input, pipes, some servers).
        modified: time of its last change, nanoseconds since 1970; -1 when unknown.
    """

    path: str
    relative: str
    size: int
    modified: int = -1

    @property
    def is_pipe(self) -> bool:
        """Whether it can be read once only."""
        return self.size < 0 and not is_url(self.path)

    @property
    def stem(self) -> str:
        """The path below the directory given, without the suffixes of format and compression."""
        if self.path == STDIN:
            return "stdin"
        relative = PurePosixPath(self.relative)
        return str(relative.with_name(stem(relative.name)))


def stem(name: str) -> str:
    """Take the suffixes of format and compression off a file's name: `crawl.warc.gz` gives `crawl`.

    `a.b.html` gives `a.b`; a suffix that no input has stays, and so does a name that is nothing but suffix.
    """
    base = name
    for suffixes in (_COMPRESSED, (*_ARCHIVE, *_PAGE, *_TEXT)):
        for suffix in suffixes:
            if base.lower().endswith(suffix) and len(base) > len(suffix):
                base = base[: -len(suffix)]
                break
    # `x.warc.wet.gz` is what Common Crawl and this package call the text of `x.warc`.
    if base.lower().endswith(".warc") and len(base) > 5:
        base = base[:-5]
    return base


def find_inputs(paths: Iterable[str | os.PathLike[str]]) -> list[Input]:
    """List the inputs that paths stand for, in the order given, and directories sorted.

    A directory stands for all archives, HTML and text files below it, told by their names; hidden files and
    directories are passed over. A file that is named itself is an input whatever its name. `-` is standard
    input. URLs that fsspec knows (`s3://…`, `https://…`) are as good as paths.

    Raises:
        InputError: a path does not exist or cannot be read, or a directory holds no input.
    """
    found: list[Input] = []
    for given in paths:
        path = os.fspath(given)
        if path == STDIN:
            found.append(Input(STDIN, STDIN, -1))
        elif is_url(path):
            found += _at_url(path)
        elif Path(path).is_dir():
            found += _walk(path) or _nothing_in(path)
        else:
            found.append(_file(path, Path(path).name))
    return found


def listed_inputs(path: str, prefix: str = "") -> list[Input]:
    """The inputs that a list names, a path or URL a line: a plain text, or one compressed, as Common Crawl's
    `warc.paths.gz`. Empty lines and lines that begin with `#` are passed over.

    One that is not there is an input all the same, and the run says so when its turn comes: a list of a
    hundred thousand is not refused for one.

    Args:
        path: of the list: a path, a URL, or `-`.
        prefix: goes before each line: a directory, or a URL such as `https://data.commoncrawl.org/`.

    Raises:
        InputError: the list cannot be read, or names nothing.
    """
    try:
        stream = sys.stdin.buffer if path == STDIN else open_binary(path)
        with nullcontext(stream) if path == STDIN else stream:
            text = inflated(stream, path).decode()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is no list of paths, a path or URL a line") from None
    lines = [line.strip() for line in text.splitlines()]
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise InputError(f"{path}: names no inputs")
    from concurrent.futures import ThreadPoolExecutor

    # asking a server takes its time, and there may be many to ask
    with ThreadPoolExecutor(_ASKING) as asking:
        return list(asking.map(lambda name: _listed(prefix, name), names))


def _listed(prefix: str, name: str) -> Input:
    path = name
    if prefix and not is_url(name):
        path = prefix + name if prefix.endswith("/") else f"{prefix}/{name}"
    try:
        size, modified = status(path)
    except OSError:
        size, modified = 0, -1
    parts = (name.partition("://")[2] if is_url(name) else name).split("/")
    relative = "/".join(part for part in parts if part not in ("", ".", ".."))
    return Input(path, relative, size, modified)


def _at_url(url: str) -> list[Input]:
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
        if _is_known(relative) and not any(part.startswith(".") for part in relative.split("/"))
    ]
    return _in_order(inputs) or _nothing_in(url)


def _nothing_in(path: str) -> NoReturn:
    raise InputError(f"{path}: no archives (.warc, .arc, .wet), HTML or text files in this directory")


def _in_order(inputs: list[Input]) -> list[Input]:
    return sorted(inputs, key=lambda item: item.relative.split("/"))


def _walk(root: str) -> list[Input]:
    found: list[Input] = []
    for directory, names, files in os.walk(root, onerror=_unreadable):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and _is_known(name):
                path = Path(directory, name)
                # Neither a broken link nor a socket in a directory tree is what anybody asked for.
                if path.is_file():
                    found.append(_file(str(path), path.relative_to(root).as_posix()))
    return _in_order(found)


def _unreadable(error: OSError) -> NoReturn:
    raise InputError(f"{error.filename}: {error.strerror}") from error


def _file(path: str, relative: str) -> Input:
    try:
        found = status(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    if not os.access(path, os.R_OK):
        raise InputError(f"{path}: cannot be read (permission denied)")
    return Input(path, relative, *found)


def _is_known(name: str) -> bool:
    base = name.lower()
    for suffix in _COMPRESSED:
        base = base.removesuffix(suffix)
    return base.endswith((*_ARCHIVE, *_PAGE, *_TEXT))


def sniff(head: bytes, name: str = "") -> Literal["warc", "arc", "html", "text"]:
    """Tell the format of an input by its first bytes, once inflated; its name decides where they do not.

    Args:
        head: the first few thousand bytes.
        name: the file's name, if it has one.
    """
    archive = begins_archive(head)
    if archive:
        return archive
    base = name.lower()
    for suffix in _COMPRESSED:
        base = base.removesuffix(suffix)
    if base.endswith((".warc", ".wet")):
        return "warc"
    if base.endswith(".arc"):
        return "arc"
    if base.endswith(_PAGE):
        return "html"
    text = _readable(head)
    if base.endswith(_TEXT):
        # Cleaned text may well begin with a tag of some annotation; a whole page says so.
        return "html" if re.match(r"(?:<!doctype\s+html|<html|<\?xml|<text\s+id\s*=)", text, re.I) else "text"
    return "html" if _TAG.match(text) or _MARKUP.search(text) else "text"


def _readable(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "ignore").lstrip("\ufeff").lstrip()
    # NULs go, so that UTF-16 without its mark can be recognised, too.
    return head.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").decode("latin-1").lstrip()


def is_binary(body: bytes, content_type: str = "") -> bool:
    """Tell whether what is called text is an image, a program or some other binary file.

    Known formats are told by their signatures, the rest by control characters, of which text in any
    encoding has next to none. In UTF-16 every other byte may be NUL.
    """
    head = body[:_HEAD]
    if head.startswith(_SIGNATURES):
        return True
    strange = len(head) - len(head.translate(None, _CONTROL))
    if strange * 20 <= len(head):
        return False
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or "utf-16" in content_type.lower():
        return False
    even, odd = head[::2].count(0), head[1::2].count(0)
    others = strange - even - odd
    wide = max(even, odd) * 10 >= len(head) // 2 * 6 and min(even, odd) * 10 <= len(head) // 2
    return not wide or others * 20 > len(head)
