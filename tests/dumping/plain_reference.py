"""The compiled reader of plain text, as it was written before in Python: what the tests compare it with.

There are two layouts. A *wrapped* dump has lines of at most the width of a screen. Empty lines, bullets,
enumerations and changes of indentation separate its segments (Evert 2008, section 2). In a dump with *one
paragraph on each line*, each line is a segment. The Document is the same as for HTML, but has no elements.

Mail and newsgroup articles are wrapped text with header fields, quotes of other messages, and signatures.
These three become separate segments, and keep the characters by which an n-gram model can learn to recognize
them.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ncleaner.document.tables import Document
from ncleaner.dumping._builder import Builder

__all__ = ["dump"]

# Lynx marks nested list items by level: * + o # @ -. Other dumpers and authors use the other characters.
# `* * *` is a rule, and `- 3 -` the number of a page.
_BULLET = re.compile(
    rb"(?!(?s:([*+o#@=~-])(?=\s).*\s\1\Z))(?:[*+o#@=~-]|\xe2\x80\xa2|\xc2\xb7|\xe2\x96\xaa|\xe2\x97\x8f|\xe2\x80\xa3|\xe2\x97\xa6)(?=\s+\S)"
)
_ENUMERATION = re.compile(rb"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])(?=\s+\S)")
# Lynx writes this for an image without alternative text: its kind, or the name of its file.
_PLACEHOLDER = re.compile(
    rb"\[(?:INLINE|IMG|LINK|EMBED|ISMAP|USEMAP(?::[^\]\n]*)?"
    rb"|[^\s\[\]]+\.(?i:gif|jpe?g|png|bmp|ico|svg|webp)(?!\]\())\]"
)
# A line without visible characters: only white space of any width, as in Chinese and Japanese text, and
# separators.
_BLANK = re.compile(
    rb"\A(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+\Z"
)
# Mail and news readers mark quoted lines with `> `, `>> `, `> > `, `| `, `JD> `, and mixtures of these. The
# mark is in the first or second column: text that Lynx indents further is part of a page.
_QUOTE = re.compile(rb" ?((?:>[ ]?|[A-Z][A-Za-z]{0,11}>(?:[ ]|(?=>)|\Z)|\|(?:[ ]|\Z)(?!.*\|))+)")
# These are numbers, because the search for a byte in a line takes a tenth of the time if the byte is a
# number.
_GREATER, _BAR = b">|"
# In a mailbox, a line that begins with `From ` starts a message. Such a line in the text of a message is
# masked.
_MASKED = b">From "
# RFC 5322, section 2.2: the name of a field consists of printable characters except the colon.
_FIELD = re.compile(rb"[!-9;-~]+:(?:\s|\Z)")
# A block of such lines is a header only if it has one of these fields: ordinary text may begin with `Note: `.
_MAIL_FIELD = re.compile(
    rb"(?:From|To|Subject|Date|Sender|Reply-To|Message-ID|Newsgroups|Path|Received|Return-Path):",
    re.IGNORECASE,
)
# Most lines of a signature after a line `--`: by convention four lines by the author, and the lines that a
# mailing list adds. With a space at the end (`-- `), the line always begins a signature, of any length.
# Without it, the line may also be a separator in ordinary text.
_SIGNATURE = 16
# A line ends early if the next word would have fitted into this share of the width.
_EARLY = 0.85
# Marks that end a sentence in scripts whose letters have no case.
_FINAL = "。！？.!?।؟۔"
# The line of a mailbox with which a message begins.
_FROM = re.compile(
    rb"From [^ ].* (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    rb" {1,2}[0-9]* [0-9]{2}:[0-9]{2}.*? [12][0-9]{3}(?![0-9])",
    re.DOTALL,
)


def _first_word(line: str) -> int:
    """Returns the length of the first word of `line` in characters, or 1 if it begins with an ideograph.

    The line before was full if it had no room for these characters.
    """
    word = line.split(None, 1)[0]
    return 1 if word[0] >= "\u2e80" else len(word)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _wrapped(builder: Builder, lines: list[bytes], apart: dict[int, bool]) -> None:
    parts: list[bytes] = []  # the lines of the current segment
    kind = "p"
    margins = (0, 0)  # indentations that continue the segment
    width = _width(lines)
    level = b""  # the quotation prefix of the current lines, without white space
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
            # No prefix has this value, so that the next line of text ends the segment.
            level = b"-"
            parts.append(line)
            continue
        # This quick test excludes nearly all lines that are not quoted.
        if level or _GREATER in line or _BAR in line:
            prefix, text = _quoted(line)
            # A line with only a prefix is an empty line inside a quote, but does not begin a quote.
            if not (text or level):
                prefix = b""
            elif level != prefix or not text:
                _end(builder, kind, parts)
            level = prefix
            if prefix:
                kind = "p"
                if text:
                    # Every line keeps its prefix. Without prefixes, the words look as clean as in the quoted
                    # message, and a single prefix is too little evidence against a paragraph of clean words.
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
                # The next lines of the item begin below its text or below its marker.
                margins = (indent, len(line) - len(line[indent + marker.end() :].lstrip()))
                text = text[marker.end() :].lstrip() if _BULLET.match(text) else text
            elif indent < body and _alone(lines, position):
                kind = "h"
        parts.append(text)
    _end(builder, kind, parts)


def _width(lines: list[bytes]) -> int:
    """Returns the column at which a dump was wrapped, in characters: the 95th percentile of the line lengths.

    Only lines with a further line directly after them count.
    """
    lengths = sorted(
        len(line.decode("utf-8", "replace")) for line, after in pairwise(lines) if line and after
    )
    return lengths[len(lengths) * 19 // 20] if lengths else 0


def _ended_early(line: bytes, following: bytes, width: int) -> bool:
    """Returns whether the author intended the line break between `line` and `following`.

    The next word would then have fitted well before the right margin, and does not begin in lower case.
    """
    text, after = line.decode("utf-8", "replace"), following.decode("utf-8", "replace")
    if len(text) + 1 + _first_word(after) >= _EARLY * width:
        return False
    letter = next((character for character in after if character.isalnum()), "a")
    # In scripts without case, only a line break after the end of a sentence is intended.
    return not letter.islower() and (letter.isupper() or letter.isdigit() or text[-1:] in _FINAL)


def _end(builder: Builder, kind: str, parts: list[bytes]) -> None:
    """Ends the current segment if it has lines."""
    if parts:
        builder.segment(kind, b" ".join(parts))
        parts.clear()


def _apart(raw: list[bytes], lines: list[bytes]) -> dict[int, bool]:
    """Returns the lines that are not running text: the header and the signature of each message.

    The signature extends to the end of the message. The keys are line numbers. The value is True if the line
    begins a segment, False if it continues one. A form feed at the beginning of a line of `raw` begins a new
    message.
    """
    apart: dict[int, bool] = {}
    feeds = [
        position
        for position, line in enumerate(raw)
        if position and (line.startswith(b"\f") or (_FROM.match(lines[position]) and not lines[position - 1]))
    ]
    for start, stop in pairwise([0, *feeds, len(lines)]):
        _header(lines, start, stop, apart)
        signature = _signature(raw, lines, start, stop)
        apart.update(dict.fromkeys(range(signature, stop), True))
    return apart


def _header(lines: list[bytes], start: int, stop: int, apart: dict[int, bool]) -> None:
    """Adds the lines of the header of a message to `apart`, if the message begins with a header.

    A header is a block of lines that are all fields, up to an empty line. At least one of the fields must be
    a field that only mail has.
    """
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
    """Returns the line at which the signature of a message begins, or `stop` if it has no signature."""
    if b"--" not in lines[start:stop]:
        return stop
    # Finds the first line from which a separator without a space has at most `_SIGNATURE` lines after it.
    near, below = stop - 1, 0
    while near > start and below + bool(lines[near]) <= _SIGNATURE:
        below += bool(lines[near])
        near -= 1
    written = False
    for position in range(start, stop):
        # A separator begins a signature only if there is text before it.
        if lines[position] == b"--" and written and (raw[position] == b"-- " or position >= near):
            return position
        written = written or bool(lines[position])
    return stop


def _quoted(line: bytes) -> tuple[bytes, bytes]:
    """Returns the prefix of a quoted line, without white space, and the text after it.

    The prefix is empty if the line is not quoted.
    """
    quote = _QUOTE.match(line)
    if quote is None or line.startswith(_MASKED):
        return b"", line
    return quote[1].replace(b" ", b""), line[quote.end() :]


def _body_margin(lines: list[bytes]) -> int:
    """Returns the most frequent indentation of long lines: 3 in Lynx dumps, where only headings have less."""
    counts: dict[int, int] = {}
    for line in lines:
        if len(line) > 40:
            counts[_indent(line)] = counts.get(_indent(line), 0) + 1
    return min(counts, key=lambda indent: (-counts[indent], indent)) if counts else 0


def _alone(lines: list[bytes], position: int) -> bool:
    """Returns whether the lines before and after a line are empty or do not exist."""
    before = position == 0 or not lines[position - 1]
    return before and (position + 1 == len(lines) or not lines[position + 1])


def dump(utf8: bytes, layout: str) -> Document:
    """Returns the Document of a text in the layout `lines` or `wrapped`."""
    raw = _PLACEHOLDER.sub(b"", utf8).splitlines()
    lines = [_BLANK.sub(b"", line.lstrip(b"\f").rstrip().expandtabs()) for line in raw]
    builder = Builder(len(utf8))
    if layout == "wrapped":
        _wrapped(builder, lines, _apart(raw, lines))
    else:
        for line in lines:
            bullet = _BULLET.match(line.lstrip())
            if bullet:
                builder.segment("l", line.lstrip()[bullet.end() :])
            elif line:
                builder.segment("p", line)
    return Document(builder.tables(), encoding="utf-8")
