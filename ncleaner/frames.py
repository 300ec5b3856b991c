"""Pages as rows, for data frames, databases and datasets."""

import logging
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, TypedDict, Unpack, cast

from ncleaner.arguments import check_is, check_whole
from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError, OutputError, require
from ncleaner.options import check_names, options_of
from ncleaner.page import Damage, Page, Skip
from ncleaner.pools import cores
from ncleaner.reading.archive import InputFormat, check_source
from ncleaner.reading.inputs import find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import cleaned_items
from ncleaner.running.jobs import pool_of
from ncleaner.running.settings import Reading, Settings
from ncleaner.running.tally import note_of
from ncleaner.sinks.formats import Output
from ncleaner.sinks.rows import Row, lost_row, row_of
from ncleaner.text.visible import visible

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes of the rows of a batch, as JSON.
_BATCH_BYTES = 1 << 22
_LOG = logging.getLogger("ncleaner")


class RowOptions(TypedDict, total=False):
    """What rows contain, and how inputs are read; the names of the command line.

    Attributes:
        segments: add the segments, each with kind, zone, score, offsets and the headings above it.
        posts: add the posts of forums, questions and comments; a cleaner that is given must be made with
            `facts=True` and `marks=True`.
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
    posts: bool
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
    inputs: str | os.PathLike[str] | BinaryIO, cleaner: Cleaner | None = None, **options: Unpack[RowOptions]
) -> Iterator[Row]:
    """Cleans the pages of archives, files or tables in this process, and gives each as a dict.

    >>> import ncleaner
    >>> found = list(ncleaner.rows("examples/crawl.warc.gz"))
    >>> len(found), sorted({row["language"] for row in found})[:3]
    (15, ['de', 'el', 'en'])

    The keys are those of jsonl and Parquet; see `Row`. For large crawls, `ncleaner clean -f parquet` takes
    all cores, survives pages that kill a process, and can be interrupted; docs/frames.md has recipes for both
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
    check_names(RowOptions.__annotations__.keys(), options, "rows", Recipe)
    if cleaner is not None:
        check_is("cleaner", cleaner, Cleaner, "a Cleaner")
    given: dict[str, Any] = {**options}
    if "carry" in given:
        given["carry"] = tuple(given["carry"])
    reading = {each.name: given.pop(each.name) for each in options_of(Reading) if each.name in given}
    output = Output(format="jsonl", **given)
    if cleaner is None:
        return Settings(reading=Reading(**reading), output=output)
    recipe = cleaner.recipe
    for name, wish, collected in (
        ("metadata", output.metadata, recipe.facts),
        ("markdown", output.markdown, recipe.marks),
        ("source", output.source, recipe.sources),
        ("posts", output.posts, recipe.facts and recipe.marks),
    ):
        if wish and not collected:
            need = {"metadata": "facts", "markdown": "marks", "source": "sources"}.get(
                name, "facts=True, marks"
            )
            raise ValueError(f"{name} needs a Cleaner({need}=True)")
    return Settings(recipe, Reading(**reading), output)


def _rows(sources: Sequence[str | BinaryIO], cleaner: Cleaner, settings: Settings) -> Iterator[Row]:
    for source in sources:
        try:
            for item in settings.read(source):
                row = None
                if isinstance(item, Page):
                    try:
                        row = row_of(item, *cleaner.page(item), settings.output)
                    except InputError as error:
                        row = _lost(item, str(error), settings)
                elif isinstance(item, Damage):
                    _LOG.warning("%s", note_of(item))
                elif item.lost:
                    row = _lost(item, item.reason, settings)
                if row is not None:
                    yield cast(Row, row)
        except InputError as error:
            # one file of many costs no other
            if len(sources) == 1:
                raise
            _LOG.warning("%s", visible(str(error)))


def _lost(item: Page | Skip, why: str, settings: Settings) -> dict[str, Any] | None:
    """Says that a page is given up; returns its row if all pages have one."""
    _LOG.warning("%s", note_of(item, why))
    return lost_row(item, why) if settings.output.all_pages else None


def batches(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    cleaner: Cleaner | None = None,
    *,
    jobs: int | None = None,
    **options: Unpack[RowOptions],
) -> "Iterator[pa.RecordBatch]":
    """Cleans the pages of inputs in worker processes, and gives them as batches of Arrow, in order.

    >>> import ncleaner
    >>> [(len(batch), batch.schema.names[:2]) for batch in ncleaner.batches("examples/crawl.warc.gz", jobs=1)]
    [(15, ['id', 'url'])]

    The batches are those rows that `rows` gives, with one schema (`sinks.schema.schema_of`) for data frames,
    databases and engines; docs/frames.md has examples. A page that kills a worker, or holds it up, is given
    up. No worker is left when the iterator ends, is closed or is deleted.

    Args:
        inputs: paths or URLs as for `rows`, one or several. Of several, one that does not exist costs no
            other.
        cleaner, options: as for `rows`.
        jobs: worker processes; by default one for each core.

    Raises:
        Those of `rows`, and OutputError: pyarrow is not installed.
    """
    if jobs is not None:
        check_whole("jobs", jobs, 1)
    require("batches", "pyarrow", "parquet", error=OutputError)
    paths = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    return _batches(_found(paths), settings_of(cleaner, options), jobs or cores())


def _found(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Returns the paths of all inputs. Raises InputError: none of them can be read."""
    found: list[str] = []
    for path in paths:
        try:
            check_source(path)
            found += [item.path for item in find_inputs([path])]
        except InputError as error:
            if len(paths) == 1:
                raise
            _LOG.warning("%s", visible(str(error)))
    return found


def _batches(paths: Sequence[str], settings: Settings, jobs: int) -> "Iterator[pa.RecordBatch]":
    from ncleaner.sinks.schema import to_table

    lines: list[bytes] = []
    size = 0
    with pool_of(jobs, settings, settings.cleaner()) as pool:
        for chunk in cleaned_items(_items(paths, settings), pool, settings):
            for note in chunk.tally.notes:
                _LOG.warning("%s", note)
            lines.append(chunk.output)
            size += len(chunk.output)
            if size >= _BATCH_BYTES:
                yield from to_table(b"".join(lines), settings.output).to_batches()
                lines, size = [], 0
    if size:
        yield from to_table(b"".join(lines), settings.output).to_batches()


def _items(paths: Sequence[str], settings: Settings) -> Iterator[Page | Skip | Damage]:
    for path in paths:
        try:
            yield from settings.read(path)
        except InputError as error:
            yield Damage(str(error).removeprefix(f"{path}: "), path, unread=True)
