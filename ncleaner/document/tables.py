"""A Document: the result of dumping a page, as one UTF-8 buffer and flat tables.

Every cleaning method is a function of these tables and the text. Compiled code writes and reads the rows in
place; Python code can read them as `Segment` objects.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from ncleaner.document import tags
from ncleaner.document._kept import number_kept, without, words_of, words_of_row
from ncleaner.document._siblings import Blocks
from ncleaner.document._tables import ELEMENTS, MARKS, NAMES, RUNS, SEGMENTS, VALUES, Tables
from ncleaner.text.visible import counted

# Bits of `segments.flags`: the segment is inside <pre>; it is in an element that is not shown when the page
# opens; it is a field of the header of a message in plain text; it is from the data of scripts, and
# the page's markup does not have it; it is a note that the markup has inside of the text before it.
PREFORMATTED, HIDDEN, HEADER, STATE, STATED = 1, 2, 4, 8, 16

# The names of the values of `segments.zone`; `_zones.pyx` says how zones are found.
ZONES: tuple[str, ...] = ("", "headline", "byline", "standfirst", "caption", "comment", "related")

# How often a text is on the other pages of a site (`SiteCounts.repetition`): on one of them; on at least
# half; and on half, no fewer than two, where three are known. docs/sites.md has figures for these numbers.
SELDOM, OFTEN, KNOWN = 1, 2, 3
_PAGES, _TEXTS, _SHARE = 3, 2, 0.5

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
        index: position among all segments of the Document, from 0. It does not depend on what is kept.
        kind: `p` (paragraph), `h` (heading) or `l` (list item).
        text: the text. Each sequence of white space is one space; preformatted text keeps its lines.
        start, end: byte offsets in `Document.data`.
        chars, words: number of code points without white space; number of words, where each letter of
            scripts without spaces (Chinese, Japanese, Thai, …) counts as one.
        link_chars: number of those code points that are inside links.
        path: names of the block elements around the segment, such as `html/body/p`; empty for text dumps.
        zone: `headline`, `byline`, `standfirst`, `caption`, `comment` or `related`; empty for the rest of the
            page.
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
    zone: str = ""

    @property
    def link_density(self) -> float:
        """The share of the characters that are inside links, 0 to 1."""
        return self.link_chars / self.chars if self.chars else 0.0

    def __str__(self) -> str:
        return self.text


class SiteCounts(NamedTuple):
    """How often the texts of a page are on other pages of its site.

    Attributes:
        name: the registered domain, or the host without one.
        pages: number of other pages that are known, without those that have the same main text.
        texts: shape (segments,), int32: the number of these pages that have the text of the segment, too.
        reference: one of these pages, that of median size; None if the survey has none, or none is asked for.
    """

    name: str
    pages: int
    texts: npt.NDArray[np.int32]
    reference: "Document | None" = None

    @property
    def repetition(self) -> npt.NDArray[np.uint8]:
        """How often the text of each segment is on other pages: shape (segments,); 0, `SELDOM`, `OFTEN` or
        `KNOWN`."""
        found = np.where(self.texts > 0, SELDOM, 0).astype(np.uint8)
        often = (self.texts > 0) & (self.texts >= _SHARE * self.pages)
        found[often] = OFTEN
        if self.pages >= _PAGES:
            found[often & (self.texts >= _TEXTS)] = KNOWN
        return found


class Fact(NamedTuple):
    """One statement of a page.

    Attributes:
        kind: `meta` (a meta tag), `link` (canonical or license), `data` (JSON-LD), `time`, `item`
            (microdata and RDFa), `author` (an element that is marked as one by its rel or its class),
            `licence` (a link).
        names: what the value is: the values of name, property, itemprop, http-equiv, rel and class, with
            spaces between them. Of `meta`, `link` and `item` those that ncleaner reads, in small letters; a
            statement without such a name is left out.
        value: its content, address or text, as the page has it; up to 2,000 bytes of a content, 400 of a
            text, a million of JSON-LD. A text has a line for each element in it.
    """

    kind: str
    names: str
    value: str


class Sources(NamedTuple):
    """Where the segments of a page are in its bytes as it was served, without Content-Encoding.

    The bytes from start to end, decoded, have the words of the segment in their order, and the markup between
    them. For decoded text, they are those of its UTF-8.

    Attributes:
        starts, ends: shape (segments,), int64; byte offsets, -1 for a segment that is not found.
        selectors: CSS selectors of the innermost element around each, which select no other element: paths of
            at most 48 steps from the nearest element with an id of its own, or from the root; in deeper nests
            the last 16 steps. Empty for plain text, where the element is unknown, and where these 16 steps
            select others, too.
    """

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    selectors: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One dumped page: its text, and the tables from which cleaning methods decide what to keep.

    >>> import ncleaner
    >>> document = ncleaner.Cleaner().document("<title>Ferry</title><h1>Late again</h1><p>Since Monday.</p>")
    >>> document
    <Document 'Ferry': 2 segments, 4 words, 4 elements>
    >>> document.segments["words"].tolist(), document.text
    ([2, 2], 'Late again\\nSince Monday.\\n')

    `runs` has a row for the text between two tags, `elements` one for each block of the tree.

    Columns of runs:
        start, end: byte offsets in `data`.
        segment: index of its segment.
        element: index of the innermost block around it, -1 if no block is around it.
        context: the inline elements around it, as bits (`tags.CONTEXT`).
        words: number of words, separated by white space, that begin in it. The sum over the runs of a segment
            is the number of words of the segment.
        tags: number of all tags of the parsed tree between the previous run and this one. It includes tags
            that the page only implies, and tags of all parts that are left out (scripts, form controls,
            drawings). An element has two tags, a void element (`tags.VOID`) has one. Blocks that are created
            for passages from a page's data count, too.
        markup: length of these tags in bytes, as the parsed tree would be written: names and values of
            attributes in double quotes, without `<` and `>`.
        opened, closed: number of these tags that open and that close an element that is not left out, each at
            most 65,535. A void inline element counts in both.

    Columns of segments:
        start, end: byte offsets in `data`.
        first_run, last_run: indices of its first and last run, both included.
        element: the `element` of its first run.
        chars, words: number of code points without white space; number of words, separated by white space.
        link_chars: number of those code points that are inside links.
        opened, closed: number of blocks opened and closed since the previous segment, each at most 65,535.
        kind: the ASCII code of `p`, `h` or `l`.
        breaks: number of line breaks inside, at most 255.
        zone: the part of the page that the segment belongs to, as an index of `ZONES`; 0 for the rest of the
            page, and for all segments of a plain-text dump.
        flags: the bits `PREFORMATTED`, `HIDDEN`, `HEADER`, `STATE` and `STATED`.

    Columns of elements:
        parent: index of the block around it, -1 for a root.
        first_run, last_run: indices of its runs, the last one not included.
        style: hash of its tag and class.
        cues, names: the words of its class, id and role, as bits (`tags.CUES`) and as a list in `names`.
        chars: number of code points inside it, without white space.
        tags: number of elements inside it, without parts left out, line breaks, rules and images.
        tag: code of its tag (`tags.TAGS`).
        depth: number of blocks around it, at most 65,535.

    Columns of blocks:
        element: index of its element; `blocks` has a row for each of two or more siblings whose skeletons
            agree, such as cards, posts and list items (`_siblings.pyx` says when they do).
        group: number of its group, in the order of their first blocks; siblings have the same.
        size, order: number of blocks of the group, and of those before it.
        parent: index of the innermost of these blocks around it, -1 for none.
        first_segment, last_segment: indices of its first and last segment, both included.
        heading: index of its first segment of kind `h`, -1 for none.
        words, chars, link_chars: sums over its segments.
        facts: the bit `LINKED` (its heading, or else its first segment, is a link).

    Columns of `marks`, one row for what only formats with structure need (`_marks.Mark`), in page order:
        run: index of the first run after it.
        element: the innermost block around it, or the one that it describes; -1 for none.
        kind: of the mark, such as the beginning of a link, a line break, or a number of columns.
        value, length: a number and 0, or byte offset and length of its text in `values`.

    The tables are structured arrays with a field for each column. They are made when somebody asks for them,
    of memory that compiled code reads in place.

    Attributes:
        tables: the tables in this memory.
        data: UTF-8; the texts of all segments, each followed by a newline.
        runs: shape (runs,), in reading order.
        segments: shape (segments,), in reading order.
        elements: shape (elements,), in document order; empty for a plain-text dump.
        names: one-dimensional, uint16; hashes of the words of class, id and role, as a sequence of lists.
            Each list is its length, followed by that number of hashes. The column `names` of an element is
            the index at which its list begins.
        marks: shape (marks,); empty unless `dump_html` was asked for them.
        values: UTF-8; the texts of marks, such as the targets of links, as written.
        title: the page's <title>, with each sequence of white space as one space.
        lang: the <html lang> that the page declares, as written.
        encoding: WHATWG name of the encoding that was used; empty if the input was decoded text.
        dropped_tags: number of tags that were dropped to keep the page within its limits.
        site: what is known of the other pages of its site; None if nothing is.
        facts: the metadata of the page; None if they are not asked for, empty for plain text.
        has_state: whether segments are from the data of scripts (the flag `STATE`).
        sources: where the segments are in the page as it was served; None if they are not asked for.
        tags_behind: number of tags of the tree after the last run. For a plain-text dump, this number and the
            column `tags` of `runs` are 0.
    """

    tables: Tables
    title: str = ""
    lang: str = ""
    encoding: str = ""
    dropped_tags: int = 0
    site: SiteCounts | None = None
    facts: tuple[Fact, ...] | None = None
    has_state: bool = False
    sources: Sources | None = None

    @property
    def data(self) -> bytes:
        """The texts of all segments."""
        return self.tables.text

    @property
    def runs(self) -> Table:
        """The table of runs."""
        return self.tables.array(RUNS)

    @property
    def segments(self) -> Table:
        """The table of segments."""
        return self.tables.array(SEGMENTS)

    @property
    def elements(self) -> Table:
        """The table of elements."""
        return self.tables.array(ELEMENTS)

    @property
    def names(self) -> npt.NDArray[np.uint16]:
        """The words of class, id and role."""
        return self.tables.array(NAMES)

    @property
    def marks(self) -> Table:
        """The table of marks."""
        return self.tables.array(MARKS)

    @property
    def values(self) -> bytes:
        """The texts of marks."""
        return self.tables.array(VALUES).tobytes()

    @property
    def blocks(self) -> Table:
        """The sibling blocks: shape (blocks,), in document order; computed at each access."""
        return Blocks(self.tables).array()

    @property
    def tags_behind(self) -> int:
        """Number of tags of the tree after the last run."""
        return self.tables.tags_behind

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[Segment]:
        return (self[index] for index in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        """Makes the `Segment` at each access."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"segment {index} of {len(self)}")
        row = self.segments[index]
        start, end = int(row["start"]), int(row["end"])
        return Segment(
            index=index, kind=chr(row["kind"]), text=self.data[start:end].decode(), start=start, end=end,
            chars=int(row["chars"]), words=words_of_row(self.tables, index),
            link_chars=int(row["link_chars"]), path=self.path(int(row["element"])), zone=ZONES[row["zone"]],
        )  # fmt: skip

    @property
    def visible(self) -> npt.NDArray[np.bool_]:
        """A mask of shape (segments,), bool: True for segments that are shown when the page opens.

        It is False, for example, for folded text, text in another tab, and text in a pop-up that is not open.
        """
        return without(self.tables, HIDDEN)

    @property
    def is_text(self) -> bool:
        """Whether the document is plain text: it has segments, and no elements."""
        return not self.tables.n_elements and len(self) > 0

    @property
    def readable(self) -> npt.NDArray[np.bool_]:
        """A mask of shape (segments,), bool: True for what a method may keep.

        These are the visible segments without the fields of the headers of messages in plain text.
        """
        return without(self.tables, HIDDEN | HEADER)

    def origin(self, mask: npt.NDArray[np.bool_]) -> str:
        """Returns where segments are from; empty for no segment.

        It is `page` (what the page shows), `state` (the data of its scripts) or `both`.

        Args:
            mask: which segments; shape (segments,), bool.

        Raises:
            TypeError: the mask is no array of bool.
            ValueError: the mask does not fit the document.
        """
        if not number_kept(self.tables, mask):
            return ""
        if not self.has_state:
            return "page"
        of_state = (self.segments["flags"][mask] & STATE) != 0
        return "state" if of_state.all() else "both" if of_state.any() else "page"

    @property
    def text(self) -> str:
        """The whole uncleaned dump, one segment on each line, with segments that are not shown at first."""
        return self.data.decode()

    @property
    def texts(self) -> list[str]:
        """The text of each segment; faster than through `Segment` objects."""
        data = self.data
        return [data[start:end].decode() for start, end in self.segments[["start", "end"]].tolist()]

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns, for each element, the sum of a value over the runs inside it.

        With `runs["words"]` these are the words of each element; with the characters of runs in links, its
        characters in links.

        Args:
            values: shape (runs,).

        Returns:
            Shape (elements,), int64, or float64 for values that are no integers.

        Raises:
            ValueError: there is not one value for each run.
        """
        if len(values) != self.tables.n_runs:
            raise ValueError(f"{len(values)} values, but {self.tables.n_runs} runs")
        kind = np.float64 if values.dtype.kind == "f" else np.int64
        before = np.zeros(len(values) + 1, kind)
        np.cumsum(values, out=before[1:])
        found: npt.NDArray[Any] = before[self.elements["last_run"]] - before[self.elements["first_run"]]
        return found

    def path(self, element: int) -> str:
        """Returns the tags from the root to an element, separated by `/`; empty for an `element` of -1."""
        names: list[str] = []
        while element >= 0:
            row = self.elements[element]
            names.append(tags.TAGS[row["tag"]] or "?")
            element = int(row["parent"])
        return "/".join(reversed(names))

    def sizes(self) -> str:
        """Returns how many segments, words and elements there are, in words."""
        words = int(words_of(self.tables).sum())
        return ", ".join(
            (counted(len(self), "segment"), counted(words, "word"), counted(len(self.elements), "element"))
        )

    def __repr__(self) -> str:
        return f"<Document {self.title!r}: {self.sizes()}>"

    def _repr_html_(self) -> str:
        """Returns an HTML table of the segments, for notebooks."""
        rows = "".join(
            f"<tr><td>{s.index}</td><td>{s.kind}</td><td>{s.words}</td><td>{s.link_density:.2f}</td>"
            f"<td style='text-align:left'>{escape(s.text)}</td></tr>"
            for s in self
        )
        head = "<tr><th></th><th>kind</th><th>words</th><th>links</th><th>text</th></tr>"
        return f"<p>{escape(repr(self))}</p><table>{head}{rows}</table>"


def places_in_text(document: Document, table: Table) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns where the rows of a table begin and end in `Document.text`, in code points: both of shape
    (rows,), int64. The table is `runs` or `segments`."""
    starts, ends = (table[name].astype(np.int64) for name in ("start", "end"))
    if document.data.isascii():
        return starts, ends
    before = np.concatenate(([0], np.cumsum(np.frombuffer(document.data, np.uint8) & 0xC0 != 0x80)))
    return before[starts], before[ends]


def run_chars(document: Document) -> npt.NDArray[np.int64]:
    """Returns the characters of each run, with the white space between its words: shape (runs,)."""
    starts, ends = places_in_text(document, document.runs)
    return ends - starts
