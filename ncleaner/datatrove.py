"""Steps for datatrove pipelines.

`NcleanerReader` reads archives and tables as `ncleaner clean` does and yields cleaned documents.
`NcleanerExtractor` replaces another extractor after a reader that yields HTML:

    pipeline=[NcleanerReader("s3://bucket/crawl/"), JsonlWriter("s3://bucket/clean/")]
    pipeline=[WarcReader("s3://bucket/crawl/"), NcleanerExtractor(), JsonlWriter("s3://bucket/clean/")]

Both take the options of `Recipe`, `Reading` and `Output`, and clean in a process of their own: a page that
kills or holds up a process costs no other page. The metadata of a document are the columns of a row
(docs/formats.md) but id and text. `WarcReader` needs packages that the extra `datatrove` does not bring
(docs/scale.md).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import orjson

from ncleaner.errors import InputError
from ncleaner.options import options_of
from ncleaner.page import Page
from ncleaner.pools.pool import Pool
from ncleaner.recipe import Recipe
from ncleaner.running.engine import cleaned_items
from ncleaner.running.jobs import Chunk, pool_of
from ncleaner.running.settings import Reading, Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output

try:
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.pipeline.readers.base import BaseDiskReader
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints
except ImportError as error:
    raise ImportError("ncleaner.datatrove needs datatrove: pip install 'ncleaner[datatrove]'") from error

__all__ = ["NcleanerExtractor", "NcleanerReader"]


def _settings(options: dict[str, Any]) -> Settings:
    """Makes settings of some of these arguments, and takes them away."""
    options["format"] = "jsonl"
    made: list[Any] = [
        kind(**{each.name: options.pop(each.name) for each in options_of(kind) if each.name in options})
        for kind in (Recipe, Reading, Output)
    ]
    return Settings(*made)


class _Counting:
    """A step that counts as `ncleaner clean` does: pages (all, cleaned, empty, notices, given up), records
    that yield no page, places of damage, and files that could not be read to their end."""

    stat_update: Any
    track_time: Any

    def _counted_rows(self, chunks: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        """Yields the rows of chunks, which it counts; only the work of ncleaner is timed."""
        while True:
            with self.track_time():
                chunk = next(chunks, None)
            if chunk is None:
                return
            self._count(chunk.tally)
            yield from map(orjson.loads, chunk.output.splitlines())

    def _count(self, tally: Tally) -> None:
        for name in ("pages", "cleaned", "empty", "notices", "damaged", "unread"):
            if number := getattr(tally, name):
                self.stat_update(name, value=number)
        for label, reasons in (("given up", tally.lost), ("record skipped", tally.skipped)):
            for reason, number in reasons.items():
                self.stat_update(label, f"{label}: {reason}", value=number)
        for note in tally.notes:
            logger.warning(str(note))


class NcleanerReader(_Counting, BaseDiskReader):  # type: ignore[misc]  # datatrove has no types
    """Reads archives, HTML, texts and tables and yields their cleaned pages, as `ncleaner clean` writes them.
    A page without clean text gives no document.

    Args:
        data_folder, paths_file: as for every reader from disk. Files that are neither archives nor tables nor
            HTML are read as texts: give a `glob_pattern` if the folder contains other files. A file that
            cannot be opened is counted, and costs no other.
        options: those of `Recipe`, such as `method` and `model`, those of `Reading` and of `Output`, such as
            `column` and `metadata`, and those of `BaseDiskReader`: limit, skip, adapter, glob_pattern,
            default_metadata, …

    Raises:
        TypeError, ValueError: as `Recipe` does.
        ModelError: as `Cleaner` does; raised when the reader runs.
    """

    name = "🧹 ncleaner"

    def __init__(self, data_folder: Any, paths_file: Any = None, **options: Any) -> None:
        self.settings = _settings(options)
        super().__init__(data_folder, paths_file, **options)
        self._pool: Pool | None = None

    def run(self, data: Iterable[Any] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yields the documents of a task's share of the files."""
        # raises errors in method or model here, not in the worker
        self.settings.cleaner()
        with pool_of(1, self.settings) as self._pool:
            yield from super().run(data, rank, world_size)
        self._pool = None

    def read_file(self, filepath: str) -> Iterator[Any]:
        """Yields the documents of a file."""
        number = 0
        settings = self.settings
        with ExitStack() as stack:
            pool = self._pool or stack.enter_context(pool_of(1, settings))
            try:
                file = stack.enter_context(self.data_folder.open(filepath, "rb"))
            except OSError as error:
                self.stat_update("unread")
                logger.warning(f"{filepath}: cannot be opened ({error})")
                return
            items = settings.read(file, name=self.data_folder.resolve_paths(filepath))
            for row in self._counted_rows(cleaned_items(items, pool, settings)):
                data = {self.text_key: row.pop("text"), self.id_key: row.pop("id"), **row}
                document = self.get_document_from_dict(data, filepath, number)
                number += 1
                if document is not None:
                    yield document


class NcleanerExtractor(_Counting, BaseExtractor):  # type: ignore[misc]  # datatrove has no types
    """Cleans documents whose text is HTML. Pages without clean text and pages above the limits are dropped.

    A document keeps its metadata, and gets the columns of its row that it does not have.

    Args:
        options: those of `Recipe` and of `Output`.
    """

    name = "🧹 ncleaner"

    def __init__(self, **options: Any) -> None:
        self.settings = _settings(options)
        super().__init__(self.settings.recipe.limits.seconds, **options)

    def run(self, data: Iterable[Any], rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yields the documents, with their clean text. Raises ValueError, ModelError as `Cleaner` does."""
        self.settings.cleaner()
        # a row for each page, and so in the order of the documents
        settings = replace(self.settings, output=replace(self.settings.output, all_pages=True))
        held: deque[Any] = deque()
        with pool_of(1, settings) as pool:
            for row in self._counted_rows(cleaned_items(self._pages(data, held), pool, settings)):
                document = held.popleft()
                if row.pop("left_out"):
                    self.stat_update(StatHints.dropped)
                    continue
                document.text = row.pop("text")
                del row["id"]
                document.metadata = {**row, **document.metadata}
                self.stat_update(StatHints.forwarded)
                self.update_doc_stats(document)
                yield document

    def _pages(self, data: Iterable[Any], held: deque[Any]) -> Iterator[Page]:
        """Yields the pages of documents, which are held until they are cleaned."""
        for document in data:
            self.stat_update(StatHints.total)
            held.append(document)
            url, date = (str(document.metadata.get(name) or "") for name in ("url", "date"))
            html = document.text.encode("utf-8", "replace")
            yield Page(html, url, date, "text/html; charset=utf-8", str(document.id))

    def extract(self, text: str) -> str:
        """Returns the clean text of a page; empty if it has none, or is above the limits."""
        try:
            return self.settings.cleaner().clean(text)
        except InputError:
            return ""
