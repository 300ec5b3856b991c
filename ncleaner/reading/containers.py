"""Files that hold others: archives in a ZIP file, a page in MHTML, and the text in a message of mail.

WACZ, as Webrecorder makes it, is a ZIP file with WARCs, an index and a list of pages. A browser saves MHTML:
a message of mail that holds the page and its pictures.
"""

import lzma
import re
import struct
import sys
import tempfile
import zipfile
import zlib
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from email import errors, message_from_bytes
from email.message import Message
from typing import IO, Final

from ncleaner.errors import InputError
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.inflating import BLOCK, is_zip
from ncleaner.reading.streams import Member, Source, Window

# The header before each file: the magic number, and at its end the lengths of the file's name and of an extra
# field, which follow.
_HEADER: Final = struct.Struct("<4s22xHH")
_ENCRYPTED: Final = 1
# The names of ZIP files that may hold archives, and how many ZIP files may be around them: a collection has
# a WACZ for each of its crawls.
_ZIPS: Final = (".wacz", ".zip")
_DEPTH: Final = 2
# A ZIP file that is compressed in another one is copied to a temporary file. The copy has at most this many
# times its bytes, since its archives are compressed already; a small one may have this many bytes.
_MOST_TIMES: Final = 64
_LEAST_COPIED: Final = 1 << 26
# The header of a message, after the line with which a mailbox sets it off: fields, which may be folded.
_MESSAGE: Final = re.compile(rb"(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_MAILED: Final = re.compile(rb"^(?:Received|Message-ID|MIME-Version):", re.IGNORECASE | re.MULTILINE)
_ENCODED: Final = re.compile(
    rb"^Content-(?:Transfer-Encoding:\s*(?:quoted-printable|base64)|Type:\s*(?:multipart/|text/html))",
    re.IGNORECASE | re.MULTILINE,
)
_BROKEN_BASE64: Final = (
    errors.InvalidBase64PaddingDefect, errors.InvalidBase64CharactersDefect, errors.InvalidBase64LengthDefect,
)  # fmt: skip
_NO_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/]+")
# What Python's module raises for a ZIP file that is broken, encrypted, or compressed in an unknown way.
_ERRORS: Final = (
    zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, OSError,
    ValueError, OverflowError, LookupError, MemoryError, struct.error, zlib.error, lzma.LZMAError,
)  # fmt: skip


@contextmanager
def seekable(source: Source, keep: int) -> Iterator[Source]:
    """Yields a source that is a seekable file: the source itself, or a copy in a temporary file.

    Args:
        source: of which nothing has been read.
        keep: as for `Source`.

    Raises:
        InputError: the temporary file cannot be written.
    """
    if source.is_seekable:
        yield source
        return
    with tempfile.TemporaryFile(buffering=0) as copy:
        try:
            for piece in iter(source.read, b""):
                source.mark(source.tell())
                copy.write(piece)
        except OSError as error:
            what = f"cannot be copied to {tempfile.gettempdir()}: {error.strerror}"
            raise InputError(f"{source.name}: {what}") from error
        copy.seek(0)
        copied = Source(copy, source.name, keep, on_read=source.on_read)
        copied.broken = source.broken
        yield copied


def archives_in_zip(
    source: Source, keep: int, is_archive: Callable[[str], bool], name: str, depth: int = 0
) -> Iterator[Member | Damage]:
    """Yields the archives in a ZIP file, and in the ZIP files in it, in the order of their directories.

    Args:
        source: the ZIP file, of which nothing has been read; it can seek.
        keep: as for `Source`.
        is_archive: tells by the name of a file whether it is an archive.
        name: of the file.
        depth: number of ZIP files around it.

    Yields:
        The archives, and a `Damage` for each that cannot be read. If there are none, the file itself: the
        archives in a WACZ are not compressed by ZIP, and can be found without its directory.
    """
    window = Window(source)
    found: list[zipfile.ZipInfo] = []
    with suppress(*_ERRORS):
        directory = zipfile.ZipFile(window)
        found = directory.infolist()
    # files cannot overlap; a wrong byte in one length costs no other file
    room = 2 * window.size
    is_empty = True
    for info in found:
        is_zip_file = depth < _DEPTH and info.filename.lower().endswith(_ZIPS)
        if not is_zip_file and not is_archive(info.filename):
            continue
        at = source.start + info.header_offset
        try:
            room -= info.compress_size
            if info.header_offset < 0 or room < 0:
                raise zipfile.BadZipFile("its place is wrong")
            with ExitStack() as stack:
                part = _part(source, directory, info, at, keep, stack, is_copied=is_zip_file)
                parts: Iterable[Member | Damage] = [part]
                if is_zip_file:
                    file = stack.enter_context(seekable(part.source, keep))
                    parts = archives_in_zip(file, keep, is_archive, info.filename, depth + 1)
                for each in parts:
                    is_empty = False
                    yield each if part.offset < 0 else each._replace(offset=part.offset)
                damage = getattr(part.source.raw, "damage", "")
        except (*_ERRORS, InputError) as error:
            damage = str(error)
        if damage:
            is_empty = False
            what = f"{info.filename} in the ZIP file cannot be read ({damage})"
            yield Damage(what, source.name, max(0, at))
    is_wacz = name.lower().endswith(".wacz")
    if is_empty and is_wacz:
        yield Damage("the directory of the ZIP file cannot be read", source.name, source.start)
    if is_empty and (is_wacz or not depth):
        source.rewind(source.start)
        yield Member(source)


def _part(
    source: Source,
    directory: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    at: int,
    keep: int,
    stack: ExitStack,
    is_copied: bool,
) -> Member:
    """Opens a file in a ZIP file, whose header is at an offset; `stack` closes it."""
    if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & _ENCRYPTED:
        start = _contents(source, at)
        return Member(Source(source.raw, source.name, keep, start + info.compress_size, source.on_read))
    unpacked = _Unpacked(stack.enter_context(directory.open(info)), is_copied * info.compress_size)
    return Member(Source(unpacked, source.name, keep, on_read=source.on_read), at)


def _contents(source: Source, at: int) -> int:
    """Moves to the contents of a file that is stored without compression, whose header is at an offset."""
    source.rewind(at)
    header = source.peek(_HEADER.size)
    if not is_zip(header):
        raise zipfile.BadZipFile("no file begins at its offset")
    _, name, extra = _HEADER.unpack(header)
    return source.rewind(at + _HEADER.size + int(name) + int(extra))


class _Unpacked:
    """A file in a ZIP as a stream that ends where it is broken.

    Args:
        stream: the file.
        stored: bytes that it has in the ZIP, if it is to be copied: it ends where it has many times as many;
            else 0.
    """

    def __init__(self, stream: IO[bytes], stored: int) -> None:
        self.damage = ""
        self._stream = stream
        self._room = _MOST_TIMES * stored + _LEAST_COPIED if stored else sys.maxsize

    def read(self, size: int = BLOCK, /) -> bytes:
        try:
            data = self._stream.read(size)
        except _ERRORS as error:
            self.damage = str(error)
            return b""
        self._room -= len(data)
        if self._room < 0:
            self.damage = f"it has more than {_MOST_TIMES} times its bytes when it is unpacked"
            return b""
        return data


def page_in_mhtml(body: bytes, name: str) -> Iterator[Page | Skip | Damage]:
    """Yields the page in an MHTML file, its first part that is HTML, and before it what is broken.

    Args:
        body: the file.
        name: the page's `source`, and its URL where the file names none.
    """
    for message, part, html in _parts(body, "text/html", "application/xhtml+xml"):
        # browsers wrap long addresses
        url = "".join(str(part["Content-Location"] or message["Snapshot-Content-Location"] or "").split())
        page = Page(html, url or name, content_type=_content_type(part), source=name)
        yield from _damage(message, part, page)
        yield page
        return
    yield Skip("no page in the MHTML file", name, name, lost=True, advice="save the page again, as HTML")


def _damage(message: Message, part: Message, page: Page) -> Iterator[Damage]:
    """Yields what is broken in a message, of which a part is the page."""
    if any(isinstance(defect, errors.CloseBoundaryNotFoundDefect) for defect in message.defects):
        yield Damage("message cut short: its last boundary is missing", page.source, page.offset, page.url)
    if any(isinstance(defect, _BROKEN_BASE64) for defect in part.defects):
        yield Damage("broken base64 in the message", page.source, page.offset, page.url)


def _header_of(head: bytes) -> bytes:
    """Returns the header that a text begins with; empty for none."""
    found = _MESSAGE.match(head)
    return found[0] if found is not None else b""


def is_message(head: bytes) -> bool:
    """Whether a text is a message of mail, or a mailbox; `head` is its beginning."""
    return _MAILED.search(_header_of(head)) is not None


def is_encoded(head: bytes) -> bool:
    """Whether the header of a message says that its text is encoded, HTML or in several parts."""
    return _ENCODED.search(_header_of(head)) is not None


def page_in_message(page: Page) -> Iterator[Page | Damage]:
    """Yields the text of a message that is encoded, the first part that is text, else the first that is HTML,
    and before it what is broken. Any other text is as it was."""
    for kind in ("text/plain", "text/html") if is_encoded(page.body) else ():
        for message, part, text in _parts(page.body, kind):
            if text.strip() and part.get_content_disposition() != "attachment":
                yield from _damage(message, part, page)
                yield page._replace(
                    body=text,
                    content_type=_content_type(part),
                    kind="text" if kind == "text/plain" else "html",
                )
                return
    yield page


def _parts(body: bytes, *types: str) -> Iterator[tuple[Message, Message, bytes]]:
    """Yields (message, part, decoded content) of the parts of a message that have one of these types."""
    # parts within parts, a thousand deep
    with suppress(RecursionError):
        message = message_from_bytes(body)
        for part in message.walk():
            if part.get_content_type() in types:
                content = part.get_payload(decode=True)
                if not isinstance(content, bytes):
                    continue
                if any(isinstance(defect, errors.InvalidBase64LengthDefect) for defect in part.defects):
                    # Python's module has not decoded it, since one letter is left over
                    letters = _NO_BASE64.sub(b"", content)
                    content = a2b_base64(letters[: len(letters) // 4 * 4])
                yield message, part, content


def _content_type(part: Message) -> str:
    return " ".join(str(part["Content-Type"] or "").split())
