"""Pages for the tests of output formats, and outputs made of them in one way and another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import numpy as np
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.dumping.plain import dump_text
from ncleaner.page import Page
from ncleaner.sinks.sink import Sink

from .tables import with_tables

EMPTY = dump_text("")
PROSE = (
    "The lighthouse keeper counts the ships, and writes their names into a book.",
    "Am Abend, wenn der Wind nachlässt, zählt er die Möwen (»nur so«).",
    "Le phare de l'île n'est allumé qu'à la tombée de la nuit; 1 234,5 lampes.",
    "灯台守は船を数える。Маяк горит всю ночь!",
)


def document(
    *segments: str, kinds: str = "", title: str = "", lang: str = "", encoding: str = ""
) -> Document:
    """A Document of segments with this very text, whatever is in it."""
    data = b""
    table, runs = (np.zeros(len(segments), old.dtype) for old in (EMPTY.segments, EMPTY.runs))
    for row, text in enumerate(segments):
        utf8 = text.encode()
        table[row]["start"], table[row]["end"] = len(data), len(data) + len(utf8)
        table[row]["kind"] = ord(kinds[row] if kinds else "p")
        table[row]["chars"] = len("".join(text.split()))
        table[row]["words"] = len(text.split())
        table[row]["first_run"] = table[row]["last_run"] = runs[row]["segment"] = row
        table[row]["element"] = runs[row]["element"] = -1
        for name in ("start", "end", "words"):
            runs[row][name] = table[row][name]
        data += utf8 + b"\n"
    made = with_tables(EMPTY, data=data, runs=runs, segments=table)
    return replace(made, title=title, lang=lang, encoding=encoding)


def all_of(document: Document) -> Kept:
    """Every segment is kept."""
    return Kept(np.ones(len(document), bool))


def none_of(document: Document) -> Kept:
    """No segment is kept."""
    return Kept(np.zeros(len(document), bool))


def page(number: int, **about: object) -> Page:
    """A page of an archive."""
    values = {
        "url": f"http://example.org/{number}",
        "date": f"2024-05-01T10:{number // 60 % 60:02}:{number % 60:02}Z",
        "record_id": f"urn:uuid:{number:08}-0000-4000-8000-000000000000",
        "offset": 1000 * number,
        **about,
    }
    return Page(b"", **values)  # type: ignore[arg-type]


def rendered(sink: Sink, number: int) -> list[bytes]:
    """Pages that differ, every fifth of them without clean text."""
    parts = []
    for i in range(number):
        dumped = document(*(PROSE[(i + j) % 4] for j in range(1 + i % 3)), title=f"Page {i}", lang="en")
        kept = none_of(dumped) if i % 5 == 4 else all_of(dumped)
        parts.append(sink.render(page(i), dumped, kept, False))
    return parts


class Pipe:
    """A stream that can only be written to."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        assert isinstance(data, bytes)
        self.parts.append(data)

    @property
    def data(self) -> bytes:
        return b"".join(self.parts)


def written(sink: Sink, parts: Iterable[bytes], groups: Iterable[int] = ()) -> bytes:
    """The output, with so many pages at a time; what is left over in one piece."""
    out = Pipe()
    left = iter(parts)
    with sink.wrapped(out) as stream:
        for count in groups:
            stream.write(b"".join(islice(left, count)))
        stream.write(b"".join(left))
    return out.data


# How pages may come together in what a worker sends.
GROUPS = st.lists(st.integers(0, 6), max_size=30)
# Anything a string can hold, with what is special to some format.
HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cc", "Cs", "Zl", "Zp", "Zs", "Cf"]),
        st.sampled_from("\r\n\t<>&\"'/ab \ud800\udc80\u2028\x00\x85\ufeff\u200b"),
    ),
    max_size=40,
)
# The same as a Document holds it.
HOSTILE_TEXT = HOSTILE.map(lambda text: text.encode("utf-8", "replace").decode())
