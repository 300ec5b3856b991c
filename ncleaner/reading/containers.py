"""Files that hold others: archives in a ZIP file, a page in MHTML, and the text in a message of mail.

WACZ, as Webrecorder makes it, is a ZIP file with WARCs, an index and a list of pages. A browser saves MHTML:
a message of mail that holds the page and its pictures.
"""

from __future__ import annotations

import lzma
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes
from email.message import Message
from typing import IO, Final

from ncleaner.errors import InputError
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.inflating import BLOCK, is_zip
from ncleaner.reading.streams import Part, Source

# The header before each file: the magic number, and at its end the lengths of the file's name and of an extra
# field, which follow.
_HEADER: Final = struct.Struct("<4s22xHH")
_ENCRYPTED: Final = 1
# The header of a message, after the line with which a mailbox sets it off: fields, which may be folded.
_MESSAGE: Final = re.compile(rb"(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_MAILED: Final = re.compile(rb"^(?:Received|Message-ID|MIME-Version):", re.IGNORECASE | re.MULTILINE)
_ENCODED: Final = re.compile(
    rb"^Content-(?:Transfer-Encoding:\s*(?:quoted-printable|base64)|Type:\s*(?:multipart/|text/html))",
    re.IGNORECASE | re.MULTILINE,
)
# What Python's module raises for a ZIP file that is broken, encrypted, or compressed in an unknown way.
_ERRORS: Final = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
    MemoryError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
)


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
    source: Source, keep: int, is_archive: Callable[[str], bool]
) -> Iterator[Part | Damage] | None:
    """Finds the archives in a ZIP file.

    Args:
        source: the ZIP file, of which nothing has been read; it can seek.
        keep: as for `Source`.
        is_archive: tells by the name of a file whether it is an archive.

    Returns:
        The archives in the order of the ZIP's directory, and a `Damage` for each that cannot be read. None if
        the ZIP file contains no archive, or cannot be read as one; then nothing has been read.
    """
    try:
        directory = zipfile.ZipFile(source.raw)  # type: ignore[arg-type]
        found = [info for info in directory.infolist() if is_archive(info.filename)]
    except _ERRORS:
        found = []
    source.rewind(source.start)
    return _archives(source, directory, found, keep) if found else None


def _archives(
    source: Source, directory: zipfile.ZipFile, found: list[zipfile.ZipInfo], keep: int
) -> Iterator[Part | Damage]:
    for info in found:
        damage = ""
        try:
            if info.header_offset < 0:
                raise zipfile.BadZipFile("its offset is wrong")
            if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & _ENCRYPTED:
                start = _contents(source, info)
                source.rewind(start)
                yield Part(Source(source.raw, source.name, keep, start + info.file_size, source.on_read))
            else:
                with directory.open(info) as stream:
                    unpacked = _Unpacked(stream)
                    yield Part(
                        Source(unpacked, source.name, keep, on_read=source.on_read), info.header_offset
                    )
                    damage = unpacked.damage
        except _ERRORS as error:
            damage = str(error)
        if damage:
            what = f"{info.filename} in the ZIP file cannot be read ({damage})"
            yield Damage(what, source.name, max(0, info.header_offset))


def _contents(source: Source, info: zipfile.ZipInfo) -> int:
    """Returns the offset of the contents of a file that is stored without compression."""
    source.rewind(info.header_offset)
    header = source.peek(_HEADER.size)
    if not is_zip(header):
        raise zipfile.BadZipFile("no file begins at its offset")
    _, name, extra = _HEADER.unpack(header)
    return source.tell() + _HEADER.size + int(name) + int(extra)


class _Unpacked:
    """A file in a ZIP as a stream that ends where it is broken."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.damage = ""
        self._stream = stream

    def read(self, size: int = BLOCK, /) -> bytes:
        try:
            return self._stream.read(size)
        except _ERRORS as error:
            self.damage = str(error)
            return b""


def page_in_mhtml(body: bytes, name: str) -> Page | Skip:
    """Returns the page in an MHTML file: its first part that is HTML.

    Args:
        body: the file.
        name: the page's `source`, and its URL where the file names none.
    """
    for message, part, html in _parts(body, "text/html", "application/xhtml+xml"):
        # browsers wrap long addresses
        url = "".join(str(part["Content-Location"] or message["Snapshot-Content-Location"] or "").split())
        return Page(html, url or name, content_type=_content_type(part), source=name)
    return Skip("no page in the MHTML file", name, name, lost=True, advice="save the page again, as HTML")


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


def page_in_message(page: Page) -> Page:
    """Returns the text of a message that is encoded: the first part that is text, else the first that is
    HTML. Any other text is as it was."""
    if not is_encoded(page.body):
        return page
    for kind in ("text/plain", "text/html"):
        for _, part, text in _parts(page.body, kind):
            if text.strip() and part.get_content_disposition() != "attachment":
                return page._replace(
                    body=text,
                    content_type=_content_type(part),
                    kind="text" if kind == "text/plain" else "html",
                )
    return page


def _parts(body: bytes, *types: str) -> Iterator[tuple[Message, Message, bytes]]:
    """Yields (message, part, decoded content) of the parts of a message that have one of these types."""
    # parts within parts, a thousand deep
    with suppress(RecursionError):
        message = message_from_bytes(body)
        for part in message.walk():
            if part.get_content_type() in types:
                content = part.get_payload(decode=True)
                if isinstance(content, bytes):
                    yield message, part, content


def _content_type(part: Message) -> str:
    return " ".join(str(part["Content-Type"] or "").split())
