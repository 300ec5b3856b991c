"""Plain-text dumps to Documents: what Lynx, w3m and earlier crawls left behind.

Two layouts are told apart. A *wrapped* dump has lines of at most a screen's width; a segment is what stands
between empty lines, bullets, enumerations and changes of indentation (Evert 2008, section 2). In a dump of
*one paragraph a line*, each line is a segment. The Document is the same as for HTML, with no elements.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ncleaner._document import Builder
from ncleaner.charset import decode
from ncleaner.document import Document
from ncleaner.limits import Limits

__all__ = ["dump_text"]

# Lynx marks nested list items by level: * + o # @ -; other dumpers and people use the rest.
_BULLET = re.compile(
    rb"(?:[*+o#@=~-]|\xe2\x80\xa2|\xc2\xb7|\xe2\x96\xaa|\xe2\x97\x8f|\xe2\x80\xa3|\xe2\x97\xa6)(?=\s+\S)"
)
_ENUMERATION = re.compile(rb"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])(?=\s+\S)")
# What Lynx writes for an image without alternative text: its kind, or the name of its file.
_PLACEHOLDER = re.compile(
    rb"\[(?:INLINE|IMG|LINK|EMBED|ISMAP|USEMAP(?::[^\]\n]*)?|[^\s\[\]]+\.(?:gif|jpe?g|png|bmp|ico|svg|webp))\]",
    re.IGNORECASE,
)
# widest line of a wrapped dump, in bytes: a screen's 80 columns, with room for other scripts
_SCREEN = 100


def _is_wrapped(lines: list[bytes]) -> bool:
    """Whether paragraphs run over several lines: hardly any line is wider than a screen, and there are empty
    lines between paragraphs, or else most lines are as full as they can be."""
    filled = [line.decode("utf-8", "replace") for line in lines if line]
    wide = sum(len(line) > _SCREEN for line in filled)
    if wide * 50 > len(filled):
        return False
    if b"" in b"\n".join(lines).strip(b"\n").split(b"\n"):
        return True
    widest = max(map(len, filled), default=0)
    full = sum(len(line) + 1 + _first_word(after) > widest for line, after in pairwise(filled))
    return full * 2 >= len(filled) - 1


def _first_word(line: str) -> int:
    """What would have had to fit at the end of the line before: a word, or one ideograph."""
    word = line.split(None, 1)[0]
    return 1 if word[0] >= "\u2e80" else len(word)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _wrapped(builder: Builder, lines: list[bytes]) -> None:
    parts: list[bytes] = []  # of the segment so far
    kind = "p"
    margin = 0  # indentation that continues the segment
    body = _body_margin(lines)
    for position, line in enumerate(lines):
        if not line:
            if parts:
                builder.segment(kind, b" ".join(parts))
                parts = []
            continue
        indent = _indent(line)
        text = line[indent:]
        marker = _BULLET.match(text) or (_ENUMERATION.match(text) if indent else None)
        if parts and (marker or abs(indent - margin) > 1):
            builder.segment(kind, b" ".join(parts))
            parts = []
        if not parts:
            kind = "p"
            margin = indent
            if marker:
                kind = "l"
                text = text[marker.end() :].lstrip() if _BULLET.match(text) else text
                margin = len(line) - len(line[indent + marker.end() :].lstrip())
            elif indent < body and _alone(lines, position):
                kind = "h"
        parts.append(text)
    if parts:
        builder.segment(kind, b" ".join(parts))


def _body_margin(lines: list[bytes]) -> int:
    """The indentation at which most running text stands: 3 in a Lynx dump, where only headings go below."""
    counts: dict[int, int] = {}
    for line in lines:
        if len(line) > 40:
            counts[_indent(line)] = counts.get(_indent(line), 0) + 1
    return min(counts, key=lambda indent: (-counts[indent], indent)) if counts else 0


def _alone(lines: list[bytes], position: int) -> bool:
    """Whether a line has an empty line, or nothing, on both sides."""
    before = position == 0 or not lines[position - 1]
    return before and (position + 1 == len(lines) or not lines[position + 1])


def dump_text(
    text: bytes | str,
    *,
    content_type: str = "",
    encoding: str | None = None,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
) -> Document:
    """Makes a Document of one plain-text dump.

    Args:
        text: the dump, bytes in any encoding or decoded text.
        content_type: HTTP header, for its charset.
        encoding: a WHATWG label that overrides everything else.
        limits: bounds; only `bytes` matters for text.

    Raises:
        InputError: `encoding` is no known label, or the text is larger than `limits.bytes`.
    """
    limits.check_size(len(text))
    if isinstance(text, str):
        utf8, used = text.encode("utf-8", "replace"), ""
    else:
        utf8, used = decode(text, content_type, encoding, html=False)
    lines = [line.rstrip().expandtabs() for line in _PLACEHOLDER.sub(b"", utf8).splitlines()]
    builder = Builder(len(utf8))
    if _is_wrapped(lines):
        _wrapped(builder, lines)
    else:
        for line in lines:
            bullet = _BULLET.match(line.lstrip())
            if bullet:
                builder.segment("l", line.lstrip()[bullet.end() :])
            elif line:
                builder.segment("p", line)
    return Document.of_tables(builder.tables(), encoding=used)
