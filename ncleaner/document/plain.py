"""Plain-text dumps to Documents: what Lynx, w3m and earlier crawls left behind.

Two layouts are told apart. A *wrapped* dump has lines of at most a screen's width; a segment is what stands
between empty lines, bullets, enumerations and changes of indentation (Evert 2008, section 2). In a dump of
*one paragraph a line*, each line is a segment. The Document is the same as for HTML, with no elements.

Mail and newsgroup articles are wrapped text, between header fields, quotes of other messages and signatures.
These are segments of their own, and keep the characters by which an n-gram model can learn them.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ncleaner.document._document import Builder
from ncleaner.document.tables import Document
from ncleaner.limits import Limits
from ncleaner.text.charset import decode

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
# A line that shows nothing: white space of any width, as in Chinese and Japanese text, and separators.
_BLANK = re.compile(
    rb"\A(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+\Z"
)
# How mail and news readers mark a line of another's text: `> `, `>> `, `> > `, `| `, `JD> `, and mixtures. It
# stands in the first column or the second: what Lynx indents is part of a page.
_QUOTE = re.compile(rb" ?((?:>[ ]?|[A-Z][A-Za-z]{0,11}>(?:[ ]|(?=>)|\Z)|\|(?:[ ]|\Z)(?!.*\|))+)")
# A byte is found in a line by its number in a tenth of the time.
_GREATER, _BAR = b">|"
# Mailboxes mask a line of prose that begins so, as this is how their messages begin.
_MASKED = b">From "
# RFC 5322, section 2.2: a field's name is made of printable characters but the colon
_FIELD = re.compile(rb"[!-9;-~]+:(?:\s|\Z)")
# Fields without which a block of such lines is no header: anybody may write `Note: `.
_MAIL_FIELD = re.compile(
    rb"(?:From|To|Subject|Date|Sender|Reply-To|Message-ID|Newsgroups|Path|Received|Return-Path):",
    re.IGNORECASE,
)
# Most lines below a bare `--` that are a signature: four of the author's own as custom has it, and what a
# mailing list adds. With its space (`-- `) the line means nothing else; without, it also parts ordinary text.
_SIGNATURE = 16
# A line is ended early when the next word would have ended before this share of the width.
_EARLY = 0.85
# marks that end a sentence where letters have no case
_FINAL = "。！？.!?।؟۔"
# widest line of a wrapped dump, in bytes: a screen's 80 columns, with room for other scripts
_SCREEN = 100


def _is_wrapped(lines: list[bytes], apart: dict[int, bool]) -> bool:
    """Whether paragraphs run over several lines: hardly any line is wider than a screen, and there are empty
    lines between paragraphs, or else most lines are as full as they can be. Headers and signatures do not
    tell."""
    if apart:
        lines = [line for position, line in enumerate(lines) if position not in apart]
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


def _wrapped(builder: Builder, lines: list[bytes], apart: dict[int, bool]) -> None:
    parts: list[bytes] = []  # of the segment so far
    kind = "p"
    margins = (0, 0)  # indentations that continue the segment
    width = _width(lines)
    level = b""  # how the lines are quoted: their prefix without white space
    body = _body_margin(lines)

    for position, line in enumerate(lines):
        if not line:
            if parts:
                _end(builder, kind, parts)
            continue
        if position in apart:
            if apart[position]:
                _end(builder, kind, parts)
            kind = "p"
            # like no prefix there is, so that whatever follows ends it
            level = b"-"
            parts.append(line)
            continue
        # nearly all lines are told at once
        if level or _GREATER in line or _BAR in line:
            prefix, text = _quoted(line)
            # a prefix alone is an empty line of a quote, but begins none
            if not (text or level):
                prefix = b""
            elif level != prefix or not text:
                _end(builder, kind, parts)
            level = prefix
            if prefix:
                kind = "p"
                if text:
                    # with its prefix on every line: the words alone are clean in the message they are from,
                    # and one prefix says too little against a paragraph of them
                    parts.append(line.lstrip())
                continue
        indent = _indent(line)
        text = line[indent:]
        marker = _BULLET.match(text) or (_ENUMERATION.match(text) if indent else None)
        if parts and (
            marker
            or min(abs(indent - margin) for margin in margins) > 1
            or _ended_early(lines[position - 1], text, width)
        ):
            _end(builder, kind, parts)
        if parts:
            margins = (indent, indent)
        else:
            kind = "p"
            margins = (indent, indent)
            if marker:
                kind = "l"
                # what follows hangs below the text, or begins where the marker does
                margins = (indent, len(line) - len(line[indent + marker.end() :].lstrip()))
                text = text[marker.end() :].lstrip() if _BULLET.match(text) else text
            elif indent < body and _alone(lines, position):
                kind = "h"
        parts.append(text)
    _end(builder, kind, parts)


def _width(lines: list[bytes]) -> int:
    """The column at which a dump was wrapped, in characters: most lines that run on come near it."""
    lengths = sorted(
        len(line.decode("utf-8", "replace")) for line, after in pairwise(lines) if line and after
    )
    return lengths[len(lengths) * 19 // 20] if lengths else 0


def _ended_early(line: bytes, following: bytes, width: int) -> bool:
    """Whether a line break was meant: the next word would have fitted well before the right margin, and does
    not go on in lower case."""
    text, after = line.decode("utf-8", "replace"), following.decode("utf-8", "replace")
    if len(text) + 1 + _first_word(after) >= _EARLY * width:
        return False
    letter = next((character for character in after if character.isalnum()), "a")
    # scripts without case end a line early only after a sentence
    return not letter.islower() and (letter.isupper() or letter.isdigit() or text[-1:] in _FINAL)


def _end(builder: Builder, kind: str, parts: list[bytes]) -> None:
    """Ends a segment, if one is open."""
    if parts:
        builder.segment(kind, b" ".join(parts))
        parts.clear()


def _apart(raw: list[bytes], lines: list[bytes]) -> dict[int, bool]:
    """The lines that are no running text, by number: the header that a message begins with, and all from its
    signature on. True for those that begin a segment, False for those that continue one. A form feed, in
    `raw`, ends a message and begins another."""
    apart: dict[int, bool] = {}
    feeds = [position for position, line in enumerate(raw) if position and line.startswith(b"\f")]
    for start, stop in pairwise([0, *feeds, len(lines)]):
        _header(lines, start, stop, apart)
        signature = _signature(raw, lines, start, stop)
        apart.update(dict.fromkeys(range(signature, stop), True))
    return apart


def _header(lines: list[bytes], start: int, stop: int, apart: dict[int, bool]) -> None:
    """Takes in the header that a message may begin with: a block of nothing but fields, one of which only
    mail has; an empty line ends it."""
    begin = start
    while begin < stop and not lines[begin]:
        begin += 1
    end = begin
    mail = False
    while end < stop and lines[end]:
        line = lines[end]
        folded = end > begin and line.startswith(b" ")
        if not (folded or _FIELD.match(line) or (end == begin and line.startswith(b"From "))):
            return
        mail = mail or bool(_MAIL_FIELD.match(line))
        end += 1
    if mail:
        apart.update((position, not lines[position].startswith(b" ")) for position in range(begin, end))


def _signature(raw: list[bytes], lines: list[bytes], start: int, stop: int) -> int:
    """The line at which a message's signature begins, or where the message ends."""
    if b"--" not in lines[start:stop]:
        return stop
    # from which line on a bare separator has few enough lines below
    near, below = stop - 1, 0
    while near > start and below + bool(lines[near]) <= _SIGNATURE:
        below += bool(lines[near])
        near -= 1
    written = False
    for position in range(start, stop):
        # what stands below nothing signs nothing
        if lines[position] == b"--" and written and (raw[position] == b"-- " or position >= near):
            return position
        written = written or bool(lines[position])
    return stop


def _quoted(line: bytes) -> tuple[bytes, bytes]:
    """The prefix of a quoted line, without white space, and the text behind it; no prefix for other lines."""
    quote = _QUOTE.match(line)
    if quote is None or line.startswith(_MASKED):
        return b"", line
    return quote[1].replace(b" ", b""), line[quote.end() :]


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
    limits: Limits = Limits(),
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
    raw = _PLACEHOLDER.sub(b"", utf8).splitlines()
    lines = [_BLANK.sub(b"", line.lstrip(b"\f").rstrip().expandtabs()) for line in raw]
    apart = _apart(raw, lines)
    builder = Builder(len(utf8))
    if _is_wrapped(lines, apart):
        _wrapped(builder, lines, apart)
    else:
        for line in lines:
            bullet = _BULLET.match(line.lstrip())
            if bullet:
                builder.segment("l", line.lstrip()[bullet.end() :])
            elif line:
                builder.segment("p", line)
    document = Document.of_tables(builder.tables(), encoding=used)
    limits.check_segments(len(document))
    return document
