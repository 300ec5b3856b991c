"""Interface of an output format."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from ncleaner.markup.options import MarkupOptions

if TYPE_CHECKING:
    from ncleaner.document import Document
    from ncleaner.document.kept import Kept
    from ncleaner.page import Page

__all__ = ["METADATA", "Compression", "Format", "Sink", "SinkOptions", "Writable"]

Compression = Literal["gz", "zst"]
"""Compressions of an output that is text."""

# {name in a corpus: name in `Metadata`}
METADATA = {
    "headline": "title",
    **{
        name: name
        for name in (
            "authors", "published", "modified", "site", "description", "canonical", "licence", "image",
        )
    },
}  # fmt: skip
"""What pages say of themselves, by the names that formats for corpora have for it."""


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """Options of the user for the output.

    Attributes:
        segments: whether jsonl also contains each segment with kind, score and offsets.
        references: whether signatures also contain the pages.
        duplicates: whether signatures, and the signals of jsonl and Parquet, also contain what is needed to
            find duplicates.
        metadata: whether jsonl, Parquet and vertical also contain what pages say of themselves.
        signals: whether jsonl and Parquet also contain figures of each page.
        sentences: whether vertical, prevertical and TEI have sentences.
        attributes: those of the documents of vertical and prevertical, `NAME` or `NAME=FIELD`, in order; by
            default those that `Fields` says.
        table: a file of what is known of documents; see `fields.read_table`.
        compression: of the output, in formats that are text; None for none.
        markdown: whether jsonl and parquet also contain each page as Markdown.
        markup: options of Markdown and HTML.
        front_matter: whether each page of Markdown begins with what it says of itself, as YAML.
    """

    segments: bool = False
    compression: Compression | None = None
    references: bool = False
    duplicates: bool = False
    metadata: bool = False
    signals: bool = False
    sentences: bool = False
    attributes: tuple[str, ...] = ()
    table: str | None = None
    markdown: bool = False
    markup: MarkupOptions = field(default_factory=MarkupOptions)
    front_matter: bool = False

    @property
    def wants_facts(self) -> bool:
        """Whether the output has what pages say of themselves."""
        fields = {attribute.rpartition("=")[2] for attribute in self.attributes}
        return self.metadata or self.front_matter or not fields.isdisjoint(METADATA)


class Writable(Protocol):
    """An object that bytes can be written to: a file, a pipe, or a sink's wrapper around one."""

    def write(self, data: bytes, /) -> object:
        """Writes all of `data`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """An entry in the table of formats.

    Attributes:
        path: `module:class` of the sink, whose constructor takes `SinkOptions`; it is imported when the
            format is used.
        compresses: whether the format compresses its files itself.
    """

    path: str
    compresses: bool = False


class Sink(Protocol):
    """An output format.

    Attributes:
        suffix: suffix of its files, with the dot.
        marks: whether `render` needs Documents with marks (`dump_html`).
    """

    suffix: str
    marks: bool

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns one page as bytes of the output.

        Args:
            page: the captured page.
            document: its text dump.
            kept: mask and scores.
            single: the output has this page only, or pieces of one text, not many pages of an archive.

        Returns:
            The page; empty if it has no clean text and the format leaves such pages out.
        """
        ...

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """Returns a wrapper that makes an output of rendered pages; called in the parent, once per output.

        The engine writes rendered pages to it in order, any number at a time: the bytes that reach `out` do
        not depend on that number. Bytes that are still held are written at the end of the block, and not
        written after an exception. `out` stays open.
        """
        ...
