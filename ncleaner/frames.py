"""Pages as rows, for data frames, databases and datasets."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, TypedDict, Unpack, cast

from ncleaner.arguments import check_is
from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError
from ncleaner.options import check_names, options_of
from ncleaner.page import Damage, Page
from ncleaner.reading.archive import InputFormat, check_source
from ncleaner.reading.inputs import find_inputs
from ncleaner.running.settings import Reading, Settings
from ncleaner.running.tally import note_of
from ncleaner.sinks.formats import Output
from ncleaner.sinks.rows import Row, row_of
from ncleaner.text.visible import visible

_LOG = logging.getLogger("ncleaner")


class RowOptions(TypedDict, total=False):
    """What rows contain, and how inputs are read; the names of the command line.

    Attributes:
        segments: add the segments, each with kind, zone, score and offsets.
        metadata: add the metadata of each page; a cleaner that is given must be made with `facts=True`.
        signals: add figures to filter by.
        markdown: add the text as Markdown; a cleaner that is given must be made with `marks=True`.
        removed: add the removed text.
        source: with `segments`, add where each of them is in its page; a cleaner that is given must be made
            with `sources=True`.
        all_pages: give pages without clean text, too, with `left_out`.
        carry: columns of a table that go with its pages: `NAME` or `NAME:TYPE`.
        column: the column of a table that has the pages.
        prefix, input_format, marker: see `read`.
    """

    segments: bool
    metadata: bool
    signals: bool
    markdown: bool
    removed: bool
    source: bool
    all_pages: bool
    carry: Sequence[str]
    column: str | None
    prefix: str | None
    input_format: InputFormat
    marker: str | None


def rows(
    inputs: str | os.PathLike[str] | BinaryIO,
    cleaner: Cleaner | None = None,
    **options: Unpack[RowOptions],
) -> Iterator[Row]:
    """Cleans the pages of archives, files or tables in this process, and gives each as a dict.

    >>> import ncleaner
    >>> found = list(ncleaner.rows("examples/crawl.warc.gz"))
    >>> len(found), sorted({row["language"] for row in found})[:3]
    (15, ['de', 'el', 'en'])

    The keys are those of jsonl and Parquet; see `Row`. For large crawls, `ncleaner clean -f parquet` takes
    all cores, survives pages that kill a process, and can be interrupted; docs/python.md has recipes for both
    ways.

    Damage, pages that are given up, and files of a directory that cannot be opened are logged as warnings by
    the logger `ncleaner`.

    Args:
        inputs: a path or a URL of an archive, an HTML file, a text or a table, or a directory of these; or a
            binary stream.
        cleaner: what cleans the pages; by default that of `clean`.
        options: see `RowOptions`.

    Raises:
        TypeError: an argument has another type, or there is none of this name.
        ValueError: `metadata`, `markdown` or `source` is asked for, and the cleaner does not collect what it
            takes; or `source` without `segments`.
        InputError: there is no such input, or it cannot be opened.
    """
    check_source(inputs)
    settings = settings_of(cleaner, options)
    own = settings.cleaner() if cleaner is None else cleaner
    found: Sequence[str | BinaryIO]
    if isinstance(inputs, str | os.PathLike):
        found = [item.path for item in find_inputs([inputs])]
    else:
        found = [inputs]
    return _rows(found, own, settings)


def settings_of(cleaner: Cleaner | None, options: RowOptions) -> Settings:
    """Returns the settings for rows. Raises as `rows`."""
    of_reading = {each.name for each in options_of(Reading)}
    check_names(Output, options.keys() - of_reading - {"format"}, "rows")
    if cleaner is not None:
        check_is("cleaner", cleaner, Cleaner, "a Cleaner")
    given: dict[str, Any] = {**options}
    if "carry" in given:
        given["carry"] = tuple(given["carry"])
    reading = {name: given.pop(name) for name in of_reading & given.keys()}
    output = Output(format="jsonl", **given)
    if cleaner is None:
        return Settings(reading=Reading(**reading), output=output)
    recipe = cleaner.recipe
    for name, wish, collected in (
        ("metadata", output.metadata, recipe.facts),
        ("markdown", output.markdown, recipe.marks),
        ("source", output.source, recipe.sources),
    ):
        if wish and not collected:
            need = {"metadata": "facts", "markdown": "marks", "source": "sources"}[name]
            raise ValueError(f"{name} needs a Cleaner({need}=True)")
    return Settings(recipe, Reading(**reading), output)


def _rows(sources: Sequence[str | BinaryIO], cleaner: Cleaner, settings: Settings) -> Iterator[Row]:
    for source in sources:
        try:
            for item in settings.read(source):
                if not isinstance(item, Page):
                    if isinstance(item, Damage) or item.lost:
                        _LOG.warning("%s", note_of(item))
                    continue
                try:
                    document, kept = cleaner.page(item)
                except InputError as error:
                    _LOG.warning("%s", note_of(item, str(error)))
                    continue
                if (row := row_of(item, document, kept, settings.output)) is not None:
                    yield cast(Row, row)
        except InputError as error:
            # one file of many costs no other
            if len(sources) == 1:
                raise
            _LOG.warning("%s", visible(str(error)))
