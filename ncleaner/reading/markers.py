"""Cuts text files into pages: at marker lines, and into pieces where a text is too long for one page.

Many corpora are large text files in which a separate line is before each document and, in most of them,
names its URL. `FORMS` lists the known forms of such lines; users describe others by a regular expression.
`split_documents` cuts a stream at these lines, in bounded memory.

Pieces of a long text (`pieces_of`) are pages that have the segments of the text together. A piece ends
between paragraphs, after its first mebibyte: after empty lines, or, in text with a paragraph on each line,
after any line. Where paragraphs end, and how wide the lines are, the first mebibyte tells for the whole
text: the rest of a stream is not known when its first page is cleaned, and a file gives the same pages as a
pipe. The pieces depend on the text alone, not on the blocks in which it is read.
"""

import html
import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from ncleaner.errors import InputError
from ncleaner.page import LAYOUTS, TextLayout
from ncleaner.text._layout import layout_of
from ncleaner.text._lines import find_cut, is_mailbox_line, lines_with, without_placeholders
from ncleaner.text.charset import decode, is_wide

#: Longest marker line, in bytes without its line feed: longer than any URL in use.
LONGEST: Final = 1 << 14
#: The byte order mark of UTF-8, which may stand before a marker line.
BOM: Final = b"\xef\xbb\xbf"
_FIRST_LINE: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r\f\v]*\n)*([^\n]*)")
_ATTRIBUTE: Final = re.compile(rb"""(?<![\w:-])([\w:-]+)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# Tags of preverticals that HTML does not have, and those in their place.
_TAGS: Final = {b"h": b"h2", b"l": b"li", b"cell": b"p"}
_OWN_TAG: Final = re.compile(rb"^<(/?)(h|l|cell)>", re.MULTILINE)
# A regular expression that begins with characters that mean themselves.
_PLAIN: Final = re.compile(rb"""\^([\w <>#:;=,"'/-]+)([?*{])?""")
_ADDRESS: Final = re.compile(rb"https?://\S+")


class MarkerForm(NamedTuple):
    """One form of marker line.

    Attributes:
        name: how users see it.
        read: returns the URL that a line names (empty: no URL), or None if it is not a marker line. Its
            argument is a line without its line break, of at most `LONGEST` bytes.
        closing: the line that ends a document of this form and is not text; empty if the form has none.
        beginning: the bytes with which each marker line begins, after a byte order mark; empty if it may
            begin with others. Lines that begin otherwise are not looked at.
        after_empty: whether the line before a marker line is empty, as in a mailbox; the first line of a
            stream has none before it.
        has_markup: whether its documents may have their tags on lines of their own, as in preverticals.
    """

    name: str
    read: Callable[[bytes], bytes | None]
    closing: bytes = b""
    beginning: bytes = b""
    after_empty: bool = False
    has_markup: bool = False

    def url(self, line: bytes) -> str | None:
        """Returns the URL that a line names; None if it is not a marker line.

        The line may lack its line break, and may begin with a byte order mark.
        """
        line = line.removesuffix(b"\n")
        if len(line) > LONGEST:
            return None
        found = self.read(line.removeprefix(BOM).rstrip(b"\r"))
        return None if found is None else found.decode("utf-8", "replace").strip()

    def text(self, body: bytes) -> bytes:
        """Returns the lines of a document without the closing ones."""
        if not self.closing:
            return body
        parts = []
        start = at = 0
        while (at := body.find(self.closing, at)) >= 0:
            begin = body.rfind(b"\n", 0, at) + 1
            end = body.find(b"\n", at) + 1 or len(body)
            at += len(self.closing)
            if body[begin:end].strip() == self.closing:
                parts.append(body[start:begin])
                start = end
        return b"".join([*parts, body[start:]]) if parts else body


def _line(pattern: bytes) -> Callable[[bytes], bytes | None]:
    """Returns a reader of lines that match a pattern from their beginning; its first group is the URL."""
    match = re.compile(pattern).match

    def read(line: bytes) -> bytes | None:
        found = match(line)
        return found[1] if found else None

    return read


def _tag(name: bytes, *attributes: bytes) -> Callable[[bytes], bytes | None]:
    """Returns a reader of lines that are a start tag with any of these attributes, which may hold the URL."""
    # the attributes are read one after the other, so that the time is linear in the line's length
    match = re.compile(rb"<" + name + rb"[ \t]([^<]*)>[ \t]*\Z").match

    def read(line: bytes) -> bytes | None:
        tag = match(line)
        if tag is None:
            return None
        values = {found[1]: found[2] or found[3] or found[4] or b"" for found in _ATTRIBUTE.finditer(tag[1])}
        named = [values[attribute] for attribute in attributes if attribute in values]
        if not named:
            return None
        # an id may begin with the name of the corpus (`wac:http://…`), or may not be a URL
        address = next(filter(None, map(_ADDRESS.search, named)), None)
        return html.unescape(address[0].decode("utf-8", "replace")).encode() if address else b""

    return read


def _from_line(line: bytes) -> bytes | None:
    """Reads the line with which a message in a mailbox begins; it names no URL."""
    return b"" if is_mailbox_line(line) else None


#: The forms that are recognised without an option, by the first line of a text that is not empty.
FORMS: Final = (
    # CleanEval's gold standard, and the CleanEval format of this package
    MarkerForm("URL: …", _line(rb"URL:[ \t]+(\S[^\r]*)\Z"), beginning=b"URL:"),
    # the raw dumps of the WaCky corpora
    MarkerForm("CURRENT URL …", _line(rb"CURRENT URL[ \t]+(\S[^\r]*)\Z"), beginning=b"CURRENT URL"),
    # the published WaCky corpora, and many later corpora
    MarkerForm('<text id="…">', _tag(b"text", b"url", b"id"), b"</text>", b"<text"),
    # Wikipedia extractors, and corpora for the Sketch Engine
    MarkerForm('<doc url="…">', _tag(b"doc", b"url", b"id"), b"</doc>", b"<doc", has_markup=True),
    # mailboxes of the format mbox: an address, and a date
    MarkerForm("From … (mbox)", _from_line, beginning=b"From ", after_empty=True),
)


def html_of(body: bytes) -> bytes:
    """Returns the document of a prevertical as HTML, which has other names for headings, items and cells."""
    return _OWN_TAG.sub(lambda found: b"<%b%b>" % (found[1], _TAGS[found[2]]), body)


def detect_form(head: bytes) -> MarkerForm | None:
    """Returns the form of the first line that is not empty; None if it is not a known marker line.

    Args:
        head: beginning of a text, which must contain that line to its end.
    """
    match = _FIRST_LINE.match(head)
    line = match[1] if match else b""
    return next((form for form in FORMS if form.url(line) is not None), None)


def custom_form(marker: str) -> MarkerForm:
    """Returns the form that a regular expression describes: lines in which it is found.

    Its first group, if there is one, is the URL. The expression is encoded in UTF-8 and matched against
    bytes: a pattern of ASCII characters works in every encoding that contains ASCII.

    Raises:
        InputError: the expression is empty, or not a regular expression.
    """
    if not marker:
        raise InputError("the marker is empty, so that every line would begin a document: give a pattern")
    try:
        pattern = re.compile(marker.encode("utf-8", "surrogateescape"))
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"the marker {marker!r} is not a regular expression: {error}") from error
    search = pattern.search

    def read(line: bytes) -> bytes | None:
        found = search(line)
        if found is None:
            return None
        return (found[1] or b"") if pattern.groups else b""

    return MarkerForm(marker, read, beginning=_beginning(pattern.pattern))


def _beginning(marker: bytes) -> bytes:
    """Returns what all lines begin with in which a regular expression is found, as far as it is plain."""
    found = _PLAIN.match(marker)
    if found is None or b"|" in marker:
        return b""
    # the last character may be there not at all
    return found[1][:-1] if found[2] else found[1]


class MarkedText(NamedTuple):
    """One document of a stream.

    Attributes:
        offset: of its first byte, where its marker line begins; in bytes.
        marker: the marker line with its line break; empty for the text before the first marker line.
        url: the URL that the marker line names, or empty.
        body: all bytes up to the next marker line; None if they are more than the limit.
    """

    offset: int
    marker: bytes
    url: str
    body: bytes | None


def split_documents(blocks: Iterable[bytes], form: MarkerForm, limit: int) -> Iterator[MarkedText]:
    """Cuts a stream at its marker lines.

    The parts' marker lines and bodies, joined in order, are the stream. The result does not depend on the
    sizes of the blocks. Memory holds at most the limit, a marker line and two blocks.

    Args:
        blocks: the stream.
        form: of the marker lines.
        limit: most bytes of a body.
    """
    body = _Body(limit)
    start = passed = 0  # offsets of the document and of the block
    marker, url = b"", ""
    rest = b""  # the beginning of a line whose end has not been read
    inside = False  # whether a line is longer than a marker line, and its beginning is in the body already
    before = b"\n"  # the last line
    for block, last in _with_last(blocks):
        block = rest + block
        end = len(block) if last else block.rfind(b"\n") + 1  # of the last complete line
        taken = 0
        for at, line in _candidates(block, end, form.beginning):
            named = None if inside and not at else form.url(line)
            if named is not None and form.after_empty and not _is_empty(block, at, before, inside):
                named = None
            if named is not None:
                body.take(block[taken:at])
                if marker or body.size:
                    yield MarkedText(start, marker, url, body.whole())
                body = _Body(limit)
                start, marker, url = passed + at, line, named
                taken = at + len(line)
        body.take(block[taken:end])
        if end:
            begin = block.rfind(b"\n", 0, end - 1) + 1
            before = b"x" if inside and not begin else block[begin:end]
            inside = False
        rest = block[end:]
        passed += end
        if len(rest) > LONGEST:
            body.take(rest)
            passed += len(rest)
            rest = b""
            inside = True
    if marker or body.size:
        yield MarkedText(start, marker, url, body.whole())


class _Body:
    """The bytes of a document as they are read: all of them up to a limit, and none beyond it.

    Attributes:
        size: bytes read, even if they are above the limit and no longer held.
    """

    __slots__ = ("_held", "_limit", "size")

    def __init__(self, limit: int) -> None:
        # most bodies are within one block, and need no further copy
        self._held: bytes | bytearray = b""
        self._limit = limit
        self.size = 0

    def take(self, data: bytes) -> None:
        before = self.size
        self.size += len(data)
        if self.size > self._limit:
            self._held = b""
        elif not before:
            self._held = data
        else:
            self._held = bytearray(self._held) if isinstance(self._held, bytes) else self._held
            self._held += data

    def whole(self) -> bytes | None:
        return bytes(self._held) if self.size <= self._limit else None


def _candidates(block: bytes, end: int, beginning: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields (offset, line) of the lines before `end` that may be marker lines."""
    if beginning:
        yield from lines_with(block, end, beginning)
        return
    at = 0
    for line in io.BytesIO(block[:end]):
        yield at, line
        at += len(line)


def _is_empty(block: bytes, at: int, before: bytes, inside: bool) -> bool:
    """Returns whether the line before the place `at` of a block is empty.

    Args:
        block, at: the block, which begins with a line or inside of one.
        before: the line before the block.
        inside: whether the block begins inside of a line, which is not empty.
    """
    if not at:
        return not before.strip()
    begin = block.rfind(b"\n", 0, at - 1) + 1
    return not (inside and not begin) and not block[begin:at].strip()


def _with_last(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yields each block with False, and at the end an empty one with True."""
    for block in blocks:
        yield block, False
    yield b"", True


#: A text of at most this many bytes is one page. Pieces of a longer one end with a paragraph.
PIECE: Final = 1 << 20


class Piece(NamedTuple):
    """A piece of a text.

    Attributes:
        offset: of its first byte in the text; -1 if it is the whole text.
        body: its bytes; None if the text is too large, and cannot be cut (UTF-16).
        layout: of the text, for a piece of it.
    """

    offset: int
    body: bytes | None
    layout: TextLayout | None = None


class _Buffer:
    """The bytes of a text that have been read and not been given."""

    def __init__(self, data: bytes, blocks: Iterator[bytes]) -> None:
        self.data = data
        self._blocks = blocks

    def fill(self, size: int) -> int:
        """Reads up to `size` bytes or more, fewer only at the end of the text; returns their number."""
        found = len(self.data)
        if found >= size:
            return found
        # joined once: a buffer that grows block by block is moved again and again
        parts = [self.data]
        while found < size and (block := next(self._blocks, b"")):
            parts.append(block)
            found += len(block)
        self.data = b"".join(parts)
        return found

    def take(self, end: int) -> bytes:
        """Takes the bytes before `end`."""
        taken, self.data = self.data[:end], self.data[end:]
        return taken


def pieces_of(head: bytes, blocks: Iterator[bytes], limit: int, layout: str = "auto") -> Iterator[Piece]:
    """Cuts a text into pieces.

    Args:
        head: the beginning of the text.
        blocks: the rest of it.
        limit: most bytes of a piece. A paragraph that is longer is cut at the best place before the limit.
        layout: of the text; `auto`: the first piece tells it.
    """
    least = min(PIECE, limit)
    buffer = _Buffer(head, blocks)
    if buffer.fill(least + 1) <= least:
        if buffer.data:
            yield Piece(-1, buffer.data)
        return
    if is_wide(buffer.data[:1024]):
        size = buffer.fill(limit + 1)
        yield Piece(-1, buffer.data if size <= limit else None)
        return
    found = _layout(buffer.data[:least], layout)
    offset = 0
    while end := _end(buffer, least, limit, found.name == LAYOUTS[0]):
        yield Piece(offset, buffer.take(end), found._replace(begins=not offset, ends=False))
        offset += end
    yield Piece(offset or -1, buffer.data, found._replace(begins=not offset))


def _layout(head: bytes, layout: str) -> TextLayout:
    """Returns the layout of the text that begins with `head`, which may end anywhere."""
    # a character or a line that is cut says nothing
    cut = max(head.rfind(b"\n"), head.rfind(b" ")) + 1
    utf8, _ = decode(head[:cut] if cut else head, html=False)
    number, width, margin = layout_of(without_placeholders(utf8))
    return TextLayout(LAYOUTS[number] if layout == "auto" else layout, width, margin)


def _end(buffer: _Buffer, least: int, limit: int, by_line: bool) -> int:
    """Reads on to the end of the first piece, and returns it; 0 if the rest of the text is one piece."""
    place = least
    while True:
        size = buffer.fill(min(place, limit) + 1)
        if size <= least:
            return 0
        end, searched = find_cut(buffer.data, place, min(size, limit), by_line)
        if end:
            return end
        if size > limit:
            return _best_end(buffer.data, limit)
        # a long line is searched, and joined, only a few times
        if size <= place or buffer.fill(min(size + size // 4, limit) + 1) == size:
            return 0
        place = max(searched, place)


def _best_end(data: bytes, limit: int) -> int:
    """Returns the best cut at or before the limit: after a blank line, a line, a word, or a character."""
    for mark in (b"\n\n", b"\n\r\n", b"\n", b" "):
        end = data.rfind(mark, 0, limit)
        if end > 0:
            return end + len(mark)
    end = limit
    while end > max(1, limit - 3) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end
