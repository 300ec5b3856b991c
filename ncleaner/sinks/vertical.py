"""Vertical text: one token per line, as Sketch Engine and the Corpus Workbench (CWB) read it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import regex

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import SinkOptions, Writable
from ncleaner.sinks.metadata import derived_id, replace_surrogates
from ncleaner.sinks.text import kept_text
from ncleaner.text.tokens import tokens

__all__ = ["VerticalSink"]

# The CWB cuts values at 4,095 bytes and refuses lines of 65,535.
_VALUE_BYTES = 4_000
_ESCAPED_BYTES = 12_000
_UNWRITABLE = regex.compile(r"[\p{Cc}\p{Noncharacter_Code_Point}]++")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# Most words in a table of known words, and most code points of such a word.
_KNOWN = 1 << 15
_KNOWN_LENGTH = 40


class VerticalSink:
    """A `<doc>` for each page with clean text; in it `<p>`, `<h>` or `<l>` for each segment; in these one
    token per line, with `<g/>` between tokens without white space between them.

    Every `<doc>` has these attributes: id (of the original record, without `urn:uuid:`; else the offset in
    the archive, else derived from URL and text), url, date (of the capture, unchanged), title, lang (as the
    page declares it), language (that of the page, ISO 639-1, else ISO 639-3). Unknown values are empty;
    values longer than 4,000 bytes are cut.

    `&`, `<` and `>`, and in attributes also `"`, are written as XML entities; `cwb-encode -x` decodes them.
    """

    suffix = ".vert"
    marks = False

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        self._lines = _Lines()

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a `<doc>`; empty for a page without clean text."""
        parts = []
        line = self._lines.__getitem__
        table = document.segments
        rows = np.flatnonzero(kept.mask)
        marks = kept.marks_of(document)[rows].tolist()
        for kind, (start, end) in zip(marks, table[["start", "end"]][rows].tolist(), strict=True):
            lines = "".join(map(line, document.data[start:end].decode().split()))
            if lines:
                parts.append(f"<{kind:c}>\n{lines}</{kind:c}>\n")
        if not parts:
            return b""
        attributes = {
            "id": page.record_id.removeprefix("urn:uuid:") or _name(page, document, kept),
            "url": page.url,
            "date": page.date,
            "title": document.title,
            "lang": document.lang,
            "language": kept.remarks.language,
        }
        head = "".join(f' {key}="{_value(value)}"' for key, value in attributes.items())
        return f"<doc{head}>\n{''.join(parts)}</doc>\n".encode()

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns the output itself."""
        return nullcontext(out)


def _name(page: Page, document: Document, kept: Kept) -> str:
    """Returns the id of a page without a record id."""
    return f"offset:{page.offset}" if page.offset >= 0 else str(derived_id(page, kept_text(document, kept)))


class _Lines(dict[str, str]):
    """{word between white space: its tokens, one per line}, filled when a word is first looked up.

    Most words of a text repeat, so they are found here. When the table is full, it becomes the older table,
    which replaces the one before: words that do not occur for a long time are dropped.
    """

    def __init__(self) -> None:
        self._older: dict[str, str] = {}

    def __missing__(self, word: str) -> str:
        lines = self._older.get(word)
        if lines is None:
            lines = _token_lines(word)
            if len(word) > _KNOWN_LENGTH:
                return lines
        if len(self) >= _KNOWN:
            self._older = dict(self)
            self.clear()
        self[word] = lines
        return lines


def _token_lines(word: str) -> str:
    found = tokens(word)
    if not found:
        return ""
    if "&" in word or "<" in word or ">" in word:
        found = [token.translate(_ESCAPES) for token in found]
    return "\n<g/>\n".join(found) + "\n"


def _value(text: str) -> str:
    """Returns an attribute's value: one line, escaped, and cut to the length that corpus software reads."""
    text = " ".join(_UNWRITABLE.sub(" ", replace_surrogates(text)).split())
    text = text.encode()[:_VALUE_BYTES].decode("utf-8", "ignore")
    quoted = text.translate(_QUOTED)
    while len(quoted.encode()) > _ESCAPED_BYTES:
        # nearly every character is escaped
        text = text[: len(text) * 3 // 4]
        quoted = text.translate(_QUOTED)
    return quoted
