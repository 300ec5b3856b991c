"""Pieces of a long text: each is a page, and all of them together have the segments of the text.

A piece ends between paragraphs, behind its first mebibyte: behind empty lines, or, in text with a paragraph
on each line, behind any line. Where paragraphs end, and how wide the lines are, the first mebibyte tells for
the whole text: the rest of a stream is not known when its first page is cleaned, and a file gives the same
pages as a pipe. The pieces depend on the text alone, not on the blocks in which it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from ncleaner.page import LAYOUTS, TextLayout
from ncleaner.text._layout import layout_of
from ncleaner.text._lines import find_cut, without_placeholders
from ncleaner.text.charset import decode, is_wide

__all__ = ["PIECE", "Piece", "pieces_of"]

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
        yield Piece(offset, buffer.take(end), replace(found, begins=not offset, ends=False))
        offset += end
    yield Piece(offset or -1, buffer.data, replace(found, begins=not offset))


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
