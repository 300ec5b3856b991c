"""A Document: what the dumper makes of a page, as one UTF-8 buffer and flat tables.

Every cleaning method is a function of these tables and the text. Compiled code fills and reads the rows
in place; people read them through `Segment` views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ncleaner.document import tags

__all__ = ["ELEMENT", "HIDDEN", "PREFORMATTED", "RUN", "SEGMENT", "Document", "Segment", "Segments"]

# The row structs of _tables.pxd, to the byte; `_document.layout` says how the compiler lays them out.
RUN = np.dtype(
    [("start", "u4"), ("end", "u4"), ("segment", "i4"), ("element", "i4"), ("context", "u4"),
     ("words", "u4"), ("tags", "u4"), ("opened", "u2"), ("closed", "u2")]
)  # fmt: skip
SEGMENT = np.dtype(
    [("start", "u4"), ("end", "u4"), ("first_run", "i4"), ("last_run", "i4"), ("element", "i4"),
     ("chars", "u4"), ("words", "u4"), ("link_chars", "u4"), ("opened", "u2"), ("closed", "u2"),
     ("kind", "u1"), ("breaks", "u1"), ("flags", "u2")]
)  # fmt: skip
ELEMENT = np.dtype(
    [("parent", "i4"), ("first_run", "i4"), ("last_run", "i4"), ("style", "u4"), ("cues", "u4"),
     ("names", "u4"), ("chars", "u4"), ("tags", "u4"), ("tag", "u2"), ("depth", "u2")]
)  # fmt: skip

# Bits of `segments.flags`: inside <pre>; in an element that is not shown at first.
PREFORMATTED, HIDDEN = 1, 2

Table = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Segment:
    """One paragraph, heading or list item of a Document.

    >>> import ncleaner
    >>> document = ncleaner.Cleaner().document("<body><h1>Ferry</h1><p>It <a href=/>sails</a> until May.")
    >>> segment = document[1]
    >>> segment.kind, segment.text, segment.words, segment.link_chars, segment.path
    ('p', 'It sails until May.', 4, 5, 'html/body/p')

    Attributes:
        index: position among the uncut document's segments, from 0; a stable id.
        kind: `p`, `h` or `l`.
        text: the text, white space folded (lines kept in preformatted text).
        start, end: byte offsets in `Document.data`.
        chars, words: code points, white space apart; white-space separated words.
        link_chars: of the code points, those inside links.
        path: the block elements it stands in, `body/div.content/p`, without classes; empty for text dumps.
    """

    index: int
    kind: str
    text: str
    start: int
    end: int
    chars: int
    words: int
    link_chars: int
    path: str

    @property
    def link_density(self) -> float:
        """Share of the characters that stand inside links, 0 to 1."""
        return self.link_chars / self.chars if self.chars else 0.0

    def __str__(self) -> str:
        return self.text


class Segments(Sequence[Segment]):
    """The segments of a Document as a sequence of views, made when asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def __len__(self) -> int:
        return len(self._document.segments)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"segment {index} of {len(self)}")
        document = self._document
        row = document.segments[index]
        start, end = int(row["start"]), int(row["end"])
        return Segment(
            index=index,
            kind=chr(row["kind"]),
            text=document.data[start:end].decode(),
            start=start,
            end=end,
            chars=int(row["chars"]),
            words=int(row["words"]),
            link_chars=int(row["link_chars"]),
            path=document.path(int(row["element"])),
        )

    def __repr__(self) -> str:
        return f"<{len(self)} segments>"


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One dumped page: its text and the tables that methods decide by.

    >>> import ncleaner
    >>> document = ncleaner.Cleaner().document("<title>Ferry</title><h1>Late again</h1><p>Since Monday.</p>")
    >>> document
    <Document 'Ferry': 2 segments, 4 words, 4 elements>
    >>> document.segments["words"].tolist(), document.text
    ([2, 2], 'Late again\\nSince Monday.\\n')

    Columns of `runs`, a row for the text between two tags:
        start, end: its bytes in `data`.
        segment: its segment.
        element: the innermost block around it, -1 for none.
        context: the inline elements around it, as bits (`tags.CONTEXT`).
        words: words, separated by white space, that begin in it. The runs of a segment have the segment's.
        tags: all tags of the parsed tree between the run before and this one, with those that the page only
            implies and those of all that is left out (scripts, form controls, drawings). An element has two
            tags, a void element (`tags.VOID`) one. Blocks made for passages from a page's data count, too.
        opened, closed: of these tags, those that are not left out, up to 65,535. A void inline element is in
            both.

    Columns of `segments`:
        start, end: bytes in `data`.
        first_run, last_run: its runs, both included.
        element: that of its first run.
        chars, words: code points, white space apart; words, separated by white space.
        link_chars: of the code points, those inside links.
        opened, closed: block tags since the segment before, up to 65,535.
        kind: the byte `p`, `h` or `l`.
        breaks: line breaks inside, up to 255.
        flags: the bits `PREFORMATTED` and `HIDDEN`.

    Columns of `elements`, a row for each block of the tree:
        parent: the block around it, -1 for a root.
        first_run, last_run: its runs, the last not included.
        style: hash of its tag and class.
        cues, names: what its class, id and role say, as bits (`tags.CUES`) and as a list in `names`.
        chars: code points below, white space apart.
        tags: elements below, without what is left out, line breaks, rules and images.
        tag: its code (`tags.TAGS`).
        depth: blocks around it, up to 65,535.

    Attributes:
        data: UTF-8; every segment's text, each followed by a newline.
        runs: table of dtype `RUN`, in reading order.
        segments: table of dtype `SEGMENT`, in reading order.
        elements: table of dtype `ELEMENT`, in document order; empty for a plain-text dump.
        names: uint16; the words of class, id and role, hashed: lists of a length and so many words. An
            element's `names` is where its list begins.
        title: the page's <title>, white space folded.
        lang: the <html lang> that the page declares, as written.
        encoding: WHATWG name of the encoding that was used; empty when given decoded text.
        dropped_tags: tags that were dropped to keep the page within its limits.
        tags_behind: tags of the tree behind the last run. A plain-text dump has none here or in `runs`.
    """

    data: bytes
    runs: Table
    segments: Table
    elements: Table
    names: npt.NDArray[np.uint16]
    title: str = ""
    lang: str = ""
    encoding: str = ""
    dropped_tags: int = 0
    tags_behind: int = 0

    @classmethod
    def of_tables(cls, tables: tuple[bytes, bytes, bytes, bytes, bytes, int], **about: Any) -> Document:
        """From the bytes that `Builder.tables()` gives."""
        data, runs, segments, elements, names, tags_behind = tables
        return cls(
            data,
            np.frombuffer(runs, RUN),
            np.frombuffer(segments, SEGMENT),
            np.frombuffer(elements, ELEMENT),
            np.frombuffer(names, np.uint16),
            tags_behind=tags_behind,
            **about,
        )

    def __len__(self) -> int:
        return len(self.segments)

    def __iter__(self) -> Iterator[Segment]:
        return iter(Segments(self))

    def __getitem__(self, index: int) -> Segment:
        return Segments(self)[index]

    @property
    def visible(self) -> npt.NDArray[np.bool_]:
        """Shape (segments,): those that a reader sees at first, not folded away, in another tab, or in a
        pop-up that has not popped up."""
        shown: npt.NDArray[np.bool_] = self.segments["flags"] & HIDDEN == 0
        return shown

    @property
    def text(self) -> str:
        """The whole uncleaned dump, a segment a line, with what is not shown at first."""
        return self.data.decode()

    def path(self, element: int) -> str:
        """Tags from the root to an element (row of `elements`), separated by `/`; empty for -1."""
        names: list[str] = []
        while element >= 0:
            row = self.elements[element]
            names.append(tags.TAGS[row["tag"]] or "?")
            element = int(row["parent"])
        return "/".join(reversed(names))

    def __repr__(self) -> str:
        words = int(self.segments["words"].sum())
        return (
            f"<Document {self.title!r}: {len(self)} segments, {words} words, {len(self.elements)} elements>"
        )

    def _repr_html_(self) -> str:
        """A table of the segments, for notebooks."""
        rows = "".join(
            f"<tr><td>{s.index}</td><td>{s.kind}</td><td>{s.words}</td><td>{s.link_density:.2f}</td>"
            f"<td style='text-align:left'>{escape(s.text)}</td></tr>"
            for s in self
        )
        head = "<tr><th></th><th>kind</th><th>words</th><th>links</th><th>text</th></tr>"
        return f"<p>{escape(repr(self))}</p><table>{head}{rows}</table>"
