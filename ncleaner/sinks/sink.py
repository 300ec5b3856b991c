"""Interface of an output format, and what formats share: times, ids, and strings that can be written."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ncleaner.arguments import check_local
from ncleaner.errors import OutputError, require
from ncleaner.markup import MarkupOptions
from ncleaner.options import Declared, OptionError, option

if TYPE_CHECKING:
    from ncleaner.document import Document
    from ncleaner.document.kept import Kept
    from ncleaner.page import Page, Skip

#: Types that a carried column can have, by the names that users give them.
TYPES: dict[str, type] = {"string": str, "int64": int, "double": float, "bool": bool}
METADATA = {
    "headline": "title",
    **{
        name: name
        for name in (
            "robots tdm_reservation tdm_policy authors published modified date_source site description tags "
            "canonical licence image hostname breadcrumbs"
        ).split()
    },
}
"""What pages say of themselves: {name in a corpus: name in `Metadata` or `Rights`}."""

_CORPORA = ("vertical", "prevertical", "tei")
_ROWS = ("jsonl", "parquet")
_PANEL = "Output"


class Carried(NamedTuple):
    """A column that goes from the input table to the output, and its type."""

    name: str
    type: type


@dataclass(frozen=True, slots=True)
class SinkOptions(Declared):
    """What an output contains; each format has some of these options."""

    segments: bool = option(False, "Add each segment's kind, score and offsets.", of=_ROWS, panel=_PANEL)
    posts: bool = option(
        False,
        "Add the posts of forums, questions and comments. In `posts`: author, date, offsets, what it "
        "answers, address and kind of each.",
        of=_ROWS, panel=_PANEL,
    )  # fmt: skip
    removed: bool = option(
        False,
        "Add removed text. In `removed`; --segments then lists all segments, each with `kept`.",
        of=_ROWS, panel=_PANEL,
    )  # fmt: skip
    source: bool = option(
        False,
        "Add the place of each segment in its page. With --segments: byte offsets in the page as served, and "
        "the CSS selector of the element.",
        of=_ROWS, panel=_PANEL,
    )  # fmt: skip
    metadata: bool = option(
        False,
        "Add title, authors, dates and more. As stated by the page: title without the site's name, authors, "
        "dates, site, description, tags, canonical address, licence, image, and what it says about its use; "
        "in markdown as YAML before each page.",
        of=(*_ROWS, *_CORPORA, "markdown"), common=True, panel=_PANEL,
    )  # fmt: skip
    signals: bool = option(
        False,
        "Add figures to filter pages by: words, share kept, mean score, link density, share of lists, a hash "
        "of the text and more.",
        of=_ROWS, panel=_PANEL,
    )  # fmt: skip
    attributes: tuple[str, ...] = option(
        (),
        "An attribute of <doc>, instead of the default ones; repeatable. FIELD is url, date, host, "
        "domain, language, published, authors, words and so on, or a column of --table.",
        of=("vertical", "prevertical"), what="names of attributes", flags="--attribute",
        metavar="NAME[=FIELD]", panel=_PANEL,
    )  # fmt: skip
    table: str | None = option(
        None,
        "Your own metadata: CSV, TSV or JSON lines with a column url or file; the other "
        "columns become attributes.",
        kind=str, check=check_local, of=_CORPORA, metavar="FILE", panel=_PANEL,
    )  # fmt: skip
    sentences: bool = option(
        False, "Mark sentences with <s> (needs the extra `sentences`).", of=_CORPORA, panel=_PANEL
    )
    markdown: bool = option(False, "Add each page as Markdown, in `markdown`.", of=_ROWS, panel=_PANEL)
    markup: MarkupOptions = option(MarkupOptions(), "Options of Markdown and HTML.", what="MarkupOptions(…)")
    references: bool = option(
        False, "Add the HTML of each page, for the method `site`.", of=("signatures",), panel=_PANEL
    )
    duplicates: bool = option(
        False,
        "Add what finding near duplicates needs; in jsonl and parquet with --signals (needs the extra "
        "`duplicates`).",
        of=("signatures", *_ROWS), panel=_PANEL,
    )  # fmt: skip
    paragraphs: bool = option(
        False, "Add what finding repeated paragraphs needs.", of=("signatures",), panel=_PANEL
    )
    all_pages: bool = option(
        False,
        "Add pages without clean text. `left_out` says why: empty, a notice, or why an option such as "
        "--language leaves it out.",
        of=_ROWS, panel=_PANEL,
    )  # fmt: skip
    carry: tuple[str, ...] = option(
        (),
        "A column of the input table that goes with its page into the output; repeatable. It is a string, "
        f"unless TYPE says {', '.join(tuple(TYPES)[1:])}.",
        of=_ROWS, what="names of columns", metavar="NAME[:TYPE]", panel=_PANEL,
    )  # fmt: skip

    @property
    def carried(self) -> list[Carried]:
        """What `carry` names. Raises OptionError: a type is unknown, or a name is there twice."""
        found: dict[str, Carried] = {}
        for each in (name.strip() for names in self.carry for name in names.split(",")):
            name, _, kind = each.rpartition(":") if ":" in each else (each, "", "string")
            if kind not in TYPES:
                raise OptionError("carry", f"{kind} is no type: give {', '.join(TYPES)}")
            if not name or name in found:
                raise OptionError("carry", f"{each!r} is no name of a column, or is given twice")
            found[name] = Carried(name, TYPES[kind])
        return list(found.values())

    @property
    def wants_facts(self) -> bool:
        """Whether the output has what pages state."""
        fields = {attribute.rpartition("=")[2] for attribute in self.attributes}
        # pages state which image is theirs
        return self.metadata or self.posts or self.markup.images or not fields.isdisjoint(METADATA)


class Writable(Protocol):
    """An object that bytes can be written to: a file, a pipe, or a sink's wrapper around one."""

    def write(self, data: bytes, /) -> object:
        """Writes all of `data`."""
        ...


class Format(NamedTuple):
    """An entry in the table of formats.

    Attributes:
        path: `module:class` of the sink, whose constructor takes `SinkOptions`; it is imported when the
            format is used.
        compresses: whether the format compresses its files itself.
        suffixes: names of files end so, in small letters, that are to have this format.
    """

    path: str
    compresses: bool = False
    suffixes: tuple[str, ...] = ()


class Sink(ABC):
    """An output format. Its constructor takes the options of the user, and raises OutputError where sentences
    are wanted, and their splitter is not installed.

    Attributes:
        suffix: suffix of its files, with the dot.
        marks: whether `render` needs Documents with marks (`dump_html`).
        about: how the output is made, for a format that can say it.
    """

    suffix: str
    marks: bool = False
    about: Mapping[str, str] = {}

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        if options.sentences:
            require("--sentences", "sentencex", "sentences", error=OutputError)
        self.options = options
        self.marks = self.marks or options.markdown or options.posts

    @abstractmethod
    def render(self, page: "Page", document: "Document", kept: "Kept", single: bool) -> bytes:
        """Returns one page as bytes of the output.

        Args:
            page: the captured page.
            document: its text dump.
            kept: mask and scores.
            single: the output has this page only, or pieces of one text, not many pages of an archive.

        Returns:
            The page; empty if it has no clean text and the format leaves such pages out.
        """

    def lost(self, page: "Page | Skip", why: str) -> bytes:
        """Returns what the output has of a page that is given up: nothing, in most formats."""
        return b""

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns a wrapper that makes an output of rendered pages; called in the parent, once per output.

        The engine writes rendered pages to it in order, any number at a time: the bytes that reach `out` do
        not depend on that number. Bytes that are still held are written at the end of the block, and not
        written after an exception. `out` stays open. By default it is the output itself.
        """
        return nullcontext(out)


def replace_surrogates(text: str) -> str:
    """Returns a string that can be encoded in UTF-8: unpaired surrogates become `?`.

    File names that are not valid UTF-8 contain such surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def capture_time(date: str) -> datetime | None:
    """Returns the time of a capture, in UTC and whole seconds; None if it is unknown or not a date.

    Reads the dates of WARC/1.1, too, which may have fractions of a second, or only a day.
    """
    try:
        found = datetime.fromisoformat(date)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found.replace(microsecond=0)
