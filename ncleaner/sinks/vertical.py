"""Vertical text: a token a line, as Sketch Engine and the Corpus Workbench (CWB) read it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import regex

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import Need, SinkOptions, Writable
from ncleaner.sinks.metadata import encodable, made_id, stated_language
from ncleaner.sinks.text import kept_text
from ncleaner.text.tokens import tokens

__all__ = ["VerticalSink"]

# The CWB cuts values at 4,095 bytes and refuses lines of 65,535.
_VALUE_BYTES = 4_000
_ESCAPED_BYTES = 12_000
_UNWRITABLE = regex.compile(r"[\p{Cc}\p{Noncharacter_Code_Point}]++")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# Words that are looked up, and how long they are at most.
_KNOWN = 1 << 15
_KNOWN_LENGTH = 40


class VerticalSink:
    """A `<doc>` for each page with clean text, in it `<p>`, `<h>` or `<l>` for each segment, in it a token a
    line; `<g/>` between tokens that no white space sets apart.

    Attributes of a `<doc>`, always all of them: id (of the original record, without `urn:uuid:`; else the
    offset in the archive, else made of URL and text), url, date (of the capture, as the archive has it),
    title, lang (ISO 639-1: the language a model was chosen for, else the declared one). What is unknown is
    empty, and what is longer than 4,000 bytes cut.

    `&`, `<` and `>`, in attributes `"` as well, are written as XML's entities: `cwb-encode -x` undoes that.
    """

    suffix = ".vert"
    needs: frozenset[Need] = frozenset()

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        self._lines = _Lines()

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """A document; none for a page that nothing is left of."""
        parts = []
        line = self._lines.__getitem__
        table = document.segments
        rows = np.flatnonzero(kept.mask)
        for kind, start, end in table[["kind", "start", "end"]][rows].tolist():
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
            "lang": stated_language(document, kept),
        }
        head = "".join(f' {key}="{_value(value)}"' for key, value in attributes.items())
        return f"<doc{head}>\n{''.join(parts)}</doc>\n".encode()

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """The documents as they are."""
        return nullcontext(out)


def _name(page: Page, document: Document, kept: Kept) -> str:
    """The id of a page that has no record of its own."""
    return f"offset:{page.offset}" if page.offset >= 0 else str(made_id(page, kept_text(document, kept)))


class _Lines(dict[str, str]):
    """{what stands between white space: its tokens, a line each}; made when first asked for.

    Words come again: most of a text is looked up. What has not come again for long is forgotten.
    """

    def __init__(self) -> None:
        self._before: dict[str, str] = {}

    def __missing__(self, word: str) -> str:
        lines = self._before.get(word)
        if lines is None:
            lines = _lines(word)
            if len(word) > _KNOWN_LENGTH:
                return lines
        if len(self) >= _KNOWN:
            self._before = dict(self)
            self.clear()
        self[word] = lines
        return lines


def _lines(word: str) -> str:
    found = tokens(word)
    if not found:
        return ""
    if "&" in word or "<" in word or ">" in word:
        found = [token.translate(_ESCAPES) for token in found]
    return "\n<g/>\n".join(found) + "\n"


def _value(text: str) -> str:
    """An attribute's value: one line, escaped, and no longer than corpus software takes."""
    text = " ".join(_UNWRITABLE.sub(" ", encodable(text)).split())
    text = text.encode()[:_VALUE_BYTES].decode("utf-8", "ignore")
    quoted = text.translate(_QUOTED)
    while len(quoted.encode()) > _ESCAPED_BYTES:
        # hardly anything but what is escaped
        text = text[: len(text) * 3 // 4]
        quoted = text.translate(_QUOTED)
    return quoted
