"""Steps for datatrove pipelines.

`NcleanerReader` reads archives as `ncleaner clean` does and yields cleaned documents. `NcleanerExtractor`
replaces another extractor after a reader that yields HTML:

    pipeline=[NcleanerReader("s3://bucket/crawl/"), JsonlWriter("s3://bucket/clean/")]
    pipeline=[WarcReader("s3://bucket/crawl/"), NcleanerExtractor(), JsonlWriter("s3://bucket/clean/")]

`WarcReader` needs packages that the extra `datatrove` does not bring (docs/scale.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import orjson

from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError
from ncleaner.options import options_of
from ncleaner.pools.pool import Pool
from ncleaner.recipe import Recipe
from ncleaner.running.engine import cleaned_items
from ncleaner.running.jobs import pool_of
from ncleaner.running.settings import Reading, Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output

try:
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.pipeline.readers.base import BaseDiskReader
    from datatrove.utils.logging import logger
except ImportError as error:
    raise ImportError("ncleaner.datatrove needs datatrove: pip install 'ncleaner[datatrove]'") from error

__all__ = ["NcleanerExtractor", "NcleanerReader"]


def _taken(kind: type, options: dict[str, Any]) -> Any:
    """Makes a class of options from some of these arguments, and takes them away."""
    return kind(**{each.name: options.pop(each.name) for each in options_of(kind) if each.name in options})


class NcleanerReader(BaseDiskReader):  # type: ignore[misc]  # datatrove has no types
    """Reads archives, HTML and text files and yields their cleaned pages, as `ncleaner clean` writes them.

    Each task cleans in a separate process, so that a page that kills or holds up a process costs no other
    page. A page without clean text gives no document.

    The metadata of a document are the keys of a row of `ncleaner clean -f jsonl` (docs/formats.md) but id and
    text, and file_path; its id is that of its record. Statistics count
    pages (all, cleaned, empty, notices, given up), records that yield no page, places of damage, and files
    that could not be read to their end.

    Args:
        data_folder, paths_file: as for every reader from disk. Files that are neither archives nor HTML are
            read as texts: give a `glob_pattern` if the folder contains other files.
        options: those of `Recipe`, such as `method` and `model`, those of `Reading`, and those of
            `BaseDiskReader`: limit, skip, adapter, glob_pattern, default_metadata, …

    Raises:
        TypeError, ValueError: as `Recipe` does.
        ModelError: as `Cleaner` does; raised when the reader runs.
    """

    name = "🧹 ncleaner"

    def __init__(self, data_folder: Any, paths_file: Any = None, **options: Any) -> None:
        recipe, reading = _taken(Recipe, options), _taken(Reading, options)
        output = _taken(Output, {**options, "format": "jsonl"})
        for each in options_of(Output):
            options.pop(each.name, None)
        super().__init__(data_folder, paths_file, **options)
        self.settings = Settings(recipe, reading, output)
        self._pool: Pool | None = None

    def run(self, data: Iterable[Any] | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yields the documents of a task's share of the files."""
        # raises errors in method or model here, not in the worker
        self.settings.cleaner()
        with pool_of(1, self.settings) as self._pool:
            yield from super().run(data, rank, world_size)
        self._pool = None

    def read_file(self, filepath: str) -> Iterator[Any]:
        """Yields the documents of a file. Raises OSError if it cannot be opened."""
        number = 0
        settings = self.settings
        with ExitStack() as stack:
            pool = self._pool or stack.enter_context(pool_of(1, settings))
            items = settings.read(
                stack.enter_context(self.data_folder.open(filepath, "rb")),
                name=self.data_folder.resolve_paths(filepath),
            )
            chunks = cleaned_items(items, pool, settings.recipe.limits)
            while True:
                with self.track_time():
                    chunk = next(chunks, None)
                if chunk is None:
                    return
                self._count(chunk.tally)
                for line in chunk.output.splitlines():
                    document = self._document(orjson.loads(line), filepath, number)
                    number += 1
                    if document is not None:
                        yield document

    def _document(self, record: dict[str, Any], filepath: str, number: int) -> Any:
        if not record["text"]:
            return None
        data = {self.text_key: record.pop("text")}
        if identity := record.pop("record_id"):
            data[self.id_key] = identity
        return self.get_document_from_dict({**data, **record}, filepath, number)

    def _count(self, tally: Tally) -> None:
        for name in ("pages", "cleaned", "empty", "notices", "damaged", "unread"):
            if number := getattr(tally, name):
                self.stat_update(name, value=number)
        for label, reasons in (("given up", tally.lost), ("record skipped", tally.skipped)):
            for reason, number in reasons.items():
                self.stat_update(label, f"{label}: {reason}", value=number)
        for note in tally.notes:
            logger.warning(str(note))


class NcleanerExtractor(BaseExtractor):  # type: ignore[misc]  # datatrove has no types
    """Cleans documents whose text is HTML. It is picklable, and loads its model once per process.

    Pages without clean text and pages above the limits are dropped.

    Args:
        timeout: seconds for one page, which include loading the model if processes are not forked. None:
            those of `limits`.
        recipe: the arguments of `Recipe`.
    """

    name = "🧹 ncleaner"

    def __init__(self, *given: Any, timeout: float | None = None, **recipe: Any) -> None:
        self.settings = Settings(Recipe(*given, **recipe))
        super().__init__(self.settings.recipe.limits.seconds if timeout is None else timeout)
        self._cleaner: Cleaner | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cleaner": None}

    def run(self, data: Iterable[Any], rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yields the documents, with their clean text. Raises ValueError, ModelError as `Cleaner` does."""
        # loaded here, because the processes that extract are forked from this one
        self._cleaner = self.settings.cleaner()
        yield from super().run(data, rank, world_size)

    def extract(self, text: str) -> str:
        """Returns the clean text of a page; empty if it has none, or is above the limits."""
        if self._cleaner is None:
            self._cleaner = self.settings.cleaner()
        try:
            return self._cleaner.clean(text)
        except InputError:
            return ""
