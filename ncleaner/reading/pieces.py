"""Pieces of a long text: each is a page, and all of them together have the segments of the text.

A piece ends between paragraphs, behind its first mebibyte: behind empty lines, or, in text with a paragraph
on each line, behind any line. Where paragraphs end, and how wide the lines are, the first mebibyte tells for
the whole text: the rest of a stream is not known when its first page is cleaned, and a file gives the same
pages as a pipe. The pieces depend on the text alone, not on the blocks in which it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from ncleaner.page import LAYOUTS, TextLayout
from ncleaner.text._layout import layout_of
from ncleaner.text._lines import find_cut, without_placeholders
from ncleaner.text.charset import decode, is_wide

__all__ = ["PIECE", "Piece", "pieces_of"]

#: A text of at most so many bytes is one page. Of a longer one, pieces are longer by the rest of a paragraph.
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


def pieces_of(
    buffer: bytearray,
    blocks: Iterator[bytes],
    limit: int,
    layout: str = "auto",
    on_piece: Callable[[], object] = lambda: None,
) -> Iterator[Piece]:
    """Cuts a text into pieces.

    Args:
        buffer: the beginning of the text; it is changed.
        blocks: the rest of it.
        limit: most bytes of a piece. A paragraph that is longer is cut at the best place before the limit.
        layout: of the text; `auto`: the first piece tells it.
        on_piece: called before a piece is given.
    """
    least = min(PIECE, limit)
    _fill(buffer, blocks, least + 1)
    if len(buffer) <= least:
        if buffer:
            yield Piece(-1, bytes(buffer))
        return
    if is_wide(bytes(memoryview(buffer)[:1024])):
        _fill(buffer, blocks, limit + 1)
        yield Piece(-1, bytes(buffer) if len(buffer) <= limit else None)
        return
    found = _layout(bytes(memoryview(buffer)[:least]), layout)
    offset = 0
    while end := _end(buffer, blocks, least, limit, found.name == LAYOUTS[0]):
        on_piece()
        yield Piece(offset, bytes(memoryview(buffer)[:end]), replace(found, begins=not offset, ends=False))
        del buffer[:end]
        offset += end
    on_piece()
    yield Piece(offset or -1, bytes(buffer), replace(found, begins=not offset))


def _fill(buffer: bytearray, blocks: Iterator[bytes], size: int) -> None:
    """Reads up to `size` bytes or more; fewer only at the end of the text."""
    while len(buffer) < size:
        block = next(blocks, b"")
        if not block:
            return
        buffer += block


def _layout(head: bytes, layout: str) -> TextLayout:
    """Returns the layout of the text that begins with `head`, which may end anywhere."""
    # a character or a line that is cut says nothing
    cut = max(head.rfind(b"\n"), head.rfind(b" ")) + 1
    utf8, _ = decode(head[:cut] if cut else head, html=False)
    number, width, margin = layout_of(without_placeholders(utf8))
    return TextLayout(LAYOUTS[number] if layout == "auto" else layout, width, margin)


def _end(buffer: bytearray, blocks: Iterator[bytes], least: int, limit: int, by_line: bool) -> int:
    """Reads on to the end of the first piece, and returns it; 0 if the rest of the text is one piece."""
    place = least
    while True:
        _fill(buffer, blocks, min(place, limit) + 1)
        size = len(buffer)
        if size <= least:
            return 0
        end, searched = find_cut(buffer, place, min(size, limit), by_line)
        if end:
            return end
        if size > limit:
            return _best_end(buffer, limit)
        if size <= place:
            return 0
        # the line at which the search has ended may be long, and is searched again
        _fill(buffer, blocks, size + max(size - searched, 1))
        if len(buffer) == size:
            return 0
        place = max(searched, place)


def _best_end(buffer: bytearray, limit: int) -> int:
    """Returns the best cut at or before the limit: after a blank line, a line, a word, or a character."""
    for mark in (b"\n\n", b"\n\r\n", b"\n", b" "):
        end = buffer.rfind(mark, 0, limit)
        if end > 0:
            return end + len(mark)
    end = limit
    while end > max(1, limit - 3) and buffer[end] & 0xC0 == 0x80:
        end -= 1
    return end
