"""Marker lines: where the documents of one text file begin.

Corpora are kept as large text files in which a line of its own stands before each document and mostly names
its URL. `FORMS` lists the lines that are known; users describe others by a regular expression. `split` cuts
a stream at such lines, in bounded memory whatever the stream holds.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ncleaner.errors import InputError

__all__ = ["BOM", "FORMS", "LONGEST", "Form", "Part", "form_of", "own_form", "split"]

#: Longest line, in bytes before its line feed, that can be a marker line: room for any URL that is in use.
LONGEST: Final = 1 << 14
#: The byte order mark of UTF-8, which may stand before a marker line.
BOM: Final = b"\xef\xbb\xbf"
_FIRST_LINE: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r\f\v]*\n)*([^\n]*)")
_ATTRIBUTE: Final = re.compile(rb"""(?<![\w:-])([\w:-]+)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ADDRESS: Final = re.compile(rb"https?://\S+")


@dataclass(frozen=True, slots=True)
class Form:
    """One form of marker line.

    Attributes:
        name: for people.
        read: gives the URL that a line names (empty: none), or None for a line that is no marker line. The
            line comes without its end, and is no longer than `LONGEST`.
        closing: the line that ends a document of this form and is no text; empty where there is none.
    """

    name: str
    read: Callable[[bytes], bytes | None]
    closing: bytes = b""

    def url(self, line: bytes) -> str | None:
        """The URL that a line names, None for a line that is no marker line. Its end may be missing, and it
        may begin with a byte order mark."""
        line = line.removesuffix(b"\n")
        if len(line) > LONGEST:
            return None
        found = self.read(line.removeprefix(BOM).rstrip(b"\r"))
        return None if found is None else found.decode("utf-8", "replace").strip()

    def text(self, body: bytes) -> bytes:
        """What of a document's lines is text: all but the closing ones."""
        if not self.closing or self.closing not in body:
            return body
        return b"".join(line for line in io.BytesIO(body) if line.strip() != self.closing)


def _line(pattern: bytes) -> Callable[[bytes], bytes | None]:
    """Reads lines that a pattern matches from their beginning; its first group is the URL."""
    match = re.compile(pattern).match

    def read(line: bytes) -> bytes | None:
        found = match(line)
        return found[1] if found else None

    return read


def _tag(name: bytes, *attributes: bytes) -> Callable[[bytes], bytes | None]:
    """Reads lines that are nothing but a start tag with one of these attributes, in which the URL may be."""
    # the attributes are looked at one after the other, so that the time is linear in the line's length
    match = re.compile(rb"<" + name + rb"[ \t]([^<]*)>[ \t]*\Z").match

    def read(line: bytes) -> bytes | None:
        tag = match(line)
        if tag is None:
            return None
        values = {found[1]: found[2] or found[3] or found[4] or b"" for found in _ATTRIBUTE.finditer(tag[1])}
        named = [values[attribute] for attribute in attributes if attribute in values]
        if not named:
            return None
        # an id may begin with the name of the corpus (`wac:http://…`), or be no URL at all
        address = next(filter(None, map(_ADDRESS.search, named)), None)
        return html.unescape(address[0].decode("utf-8", "replace")).encode() if address else b""

    return read


#: The forms that are recognised without being asked for: by the first line of a text that is not empty.
FORMS: Final = (
    # CleanEval's gold standard, and what this package writes
    Form("URL: …", _line(rb"URL:[ \t]+(\S[^\r]*)\Z")),
    # the raw dumps of the WaCky corpora
    Form("CURRENT URL …", _line(rb"CURRENT URL[ \t]+(\S[^\r]*)\Z")),
    # the published WaCky corpora, and many after them
    Form('<text id="…">', _tag(b"text", b"url", b"id"), b"</text>"),
    # Wikipedia extractors, and corpora for the Sketch Engine
    Form('<doc url="…">', _tag(b"doc", b"url", b"id"), b"</doc>"),
)


def form_of(head: bytes) -> Form | None:
    """The form of the first line that is not empty, None if that is no known marker line.

    Args:
        head: beginning of a text, of which that line has to be whole.
    """
    match = _FIRST_LINE.match(head)
    line = match[1] if match else b""
    return next((form for form in FORMS if form.url(line) is not None), None)


def own_form(marker: str) -> Form:
    """The form that a regular expression describes: lines in which it is found; its first group is the URL.

    The expression is matched against bytes in UTF-8, so that it holds for any encoding that has ASCII in it.

    Raises:
        InputError: it is empty, or no regular expression.
    """
    if not marker:
        raise InputError("the marker is empty, so that every line would begin a document: give a pattern")
    try:
        pattern = re.compile(marker.encode("utf-8", "surrogateescape"))
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"the marker {marker!r} is no regular expression: {error}") from error
    search = pattern.search

    def read(line: bytes) -> bytes | None:
        found = search(line)
        if found is None:
            return None
        return (found[1] or b"") if pattern.groups else b""

    return Form(marker, read)


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a stream.

    Attributes:
        offset: of its first byte, that of the marker line; in bytes.
        marker: the marker line with its end; empty for what stands before the first one.
        url: that the marker line names, or empty.
        body: all bytes up to the next marker line; None if they are more than the limit.
    """

    offset: int
    marker: bytes
    url: str
    body: bytes | None


def split(blocks: Iterable[bytes], form: Form, limit: int) -> Iterator[Part]:
    """Cut a stream at its marker lines.

    The parts' marker lines and bodies, one after the other, are the stream; how it comes in blocks makes no
    difference. Never more than the limit, a marker line and two blocks are held.

    Args:
        blocks: the stream.
        form: of the marker lines.
        limit: most bytes of a body.
    """
    body = bytearray()
    size = 0  # of the body, also of what is no longer held

    def take(data: bytes) -> None:
        nonlocal size
        size += len(data)
        if size <= limit:
            body.extend(data)
        else:
            body.clear()

    def part() -> Part:
        return Part(start, marker, url, bytes(body) if size <= limit else None)

    start = passed = 0  # offsets of the document and of the block
    marker, url = b"", ""
    rest = b""  # of a line that is not whole yet
    inside = False  # a line that is too long for a marker line, whose beginning has been taken
    for block, last in _with_last(blocks):
        block = rest + block
        whole = len(block) if last else block.rfind(b"\n") + 1
        taken = at = 0
        for line in io.BytesIO(block[:whole]):
            found = None if inside else form.url(line)
            inside = False
            if found is not None:
                take(block[taken:at])
                if marker or size:
                    yield part()
                body.clear()
                size = 0
                start, marker, url = passed + at, line, found
                taken = at + len(line)
            at += len(line)
        take(block[taken:whole])
        rest = block[whole:]
        passed += whole
        if len(rest) > LONGEST:
            take(rest)
            passed += len(rest)
            rest = b""
            inside = True
    if marker or size:
        yield part()


def _with_last(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The blocks, and an empty one to say that they are over."""
    for block in blocks:
        yield block, False
    yield b"", True
