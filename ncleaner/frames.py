"""Pages as rows, for data frames, databases and datasets."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NotRequired, TypedDict, cast

from ncleaner.arguments import check_is
from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError
from ncleaner.reading.archive import InputFormat, check_source, pages
from ncleaner.reading.inputs import find_inputs
from ncleaner.sinks.jsonl import row_of
from ncleaner.sinks.sink import SinkOptions
from ncleaner.sinks.text import kept_text
from ncleaner.text.visible import visible

_LOG = logging.getLogger("ncleaner")


class Row(TypedDict):
    """A page as `rows` gives it. Unknown values are empty; the last four are there if they are asked for.

    >>> import ncleaner
    >>> row: ncleaner.Row = next(ncleaner.rows("examples/crawl.warc.gz"))
    >>> sorted(set(ncleaner.Row.__annotations__) - set(row))
    ['markdown', 'metadata', 'segments', 'signals']

    Attributes:
        url, date, offset, record_id, truncated: as those of `Page`.
        title: the contents of `<title>`.
        lang: the language that the page declares.
        language: that of the text, ISO 639-1, else ISO 639-3.
        model: name of the model that decided.
        page_kind: the most probable kind of the page.
        page_kinds: the probability of each kind.
        quality: the estimated F1 of the text, 0 to 1; None without a text or an estimate.
        origin: where the text is from: `page` (what it shows), `state` (the data of its scripts) or `both`.
        duplicate_of: URL of the page that this one repeats, by the survey of sites.
        encoding: of the page.
        segments_kept: number of kept segments.
        text: these segments, one per line.
        markdown: the same as Markdown.
        metadata: the fields of `Metadata`.
        signals: figures to filter by; see docs/metadata.md.
        segments: index, kind, zone, origin, score and offsets in `text` of each kept segment; with a survey
            that knows paragraphs, seen; if they are asked for, also source_start, source_end and selector
            (see `Sources`).
    """

    url: str
    date: str
    title: str
    lang: str
    language: str
    model: str
    page_kind: str
    page_kinds: dict[str, float]
    quality: float | None
    origin: str
    duplicate_of: str
    encoding: str
    offset: int
    record_id: str
    truncated: str
    segments_kept: int
    text: str
    markdown: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    signals: NotRequired[dict[str, Any]]
    segments: NotRequired[list[dict[str, Any]]]


def rows(
    source: str | os.PathLike[str] | BinaryIO,
    cleaner: Cleaner | None = None,
    *,
    segments: bool = False,
    metadata: bool = False,
    signals: bool = False,
    markdown: bool = False,
    sources: bool = False,
    input_format: InputFormat = "auto",
    marker: str | None = None,
) -> Iterator[Row]:
    """Cleans the pages of archives or files in this process, and gives each as a dict.

    >>> import ncleaner
    >>> found = list(ncleaner.rows("examples/crawl.warc.gz"))
    >>> len(found), sorted({row["language"] for row in found})[:3]
    (15, ['de', 'el', 'en'])

    The keys are those of jsonl; see `Row`. Pages without clean text are rows,
    too, with an empty `text`. For large crawls, `ncleaner clean -f parquet` takes all cores, survives pages
    that kill a process, and can be interrupted; docs/python.md has recipes for both ways.

    Damage, pages that are given up, and files of a directory that cannot be opened are logged as warnings by
    the logger `ncleaner`.

    Args:
        source: a path or a URL of an archive, an HTML file or a text, or a directory of these; or a binary
            stream.
        cleaner: what cleans the pages; by default that of `clean`.
        segments: add the segments, each with kind, zone, score and offsets.
        metadata: add the metadata of each page; a cleaner that is given must be made with `facts=True`.
        signals: add figures to filter by.
        markdown: add the text as Markdown; a cleaner that is given must be made with `marks=True`.
        sources: with `segments`, add where each of them is in its page; a cleaner that is given must be made
            with `sources=True`.
        input_format, marker: see `read`.

    Raises:
        TypeError: an argument has another type.
        ValueError: `metadata`, `markdown` or `sources` is asked for, and the cleaner does not collect what it
            takes; or `sources` without `segments`.
        InputError: there is no such input, or it cannot be opened.
    """
    check_source(source)
    if cleaner is not None:
        check_is("cleaner", cleaner, Cleaner, "a Cleaner")
    if sources and not segments:
        raise ValueError("sources are part of segments: ask for both")
    options = SinkOptions(
        segments=segments, metadata=metadata, signals=signals, markdown=markdown, source=sources
    )
    own = Cleaner(facts=metadata, marks=markdown, sources=sources) if cleaner is None else cleaner
    _check_collects(own, metadata=metadata, markdown=markdown, sources=sources)
    found: Sequence[str | BinaryIO]
    if isinstance(source, str | os.PathLike):
        found = [item.path for item in find_inputs([source])]
    else:
        found = [source]
    return _rows(found, own, options, input_format, marker)


def _check_collects(cleaner: Cleaner, *, metadata: bool, markdown: bool, sources: bool) -> None:
    """Raises ValueError: the cleaner does not collect what is asked for."""
    if metadata and not cleaner.recipe.facts:
        raise ValueError("metadata needs a Cleaner(facts=True)")
    if markdown and not cleaner.recipe.marks:
        raise ValueError("markdown needs a Cleaner(marks=True)")
    if sources and not cleaner.recipe.sources:
        raise ValueError("sources needs a Cleaner(sources=True)")


def _rows(
    sources: Sequence[str | BinaryIO],
    cleaner: Cleaner,
    options: SinkOptions,
    input_format: InputFormat,
    marker: str | None,
) -> Iterator[Row]:
    for source in sources:
        try:
            recipe = cleaner.recipe
            for page in pages(
                source, input_format=input_format, limits=recipe.limits, marker=marker, text=recipe.text
            ):
                try:
                    document, kept = cleaner.page(page)
                except InputError as error:
                    place = page.url or f"{page.source}, offset {page.offset}"
                    _LOG.warning("%s: page given up: %s", visible(place), visible(str(error)))
                    continue
                text = kept_text(document, kept).decode()
                yield cast(Row, row_of(page, document, kept, options, text))
        except InputError as error:
            # one file of many costs no other
            if len(sources) == 1:
                raise
            _LOG.warning("%s", visible(str(error)))
