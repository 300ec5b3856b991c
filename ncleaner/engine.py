"""Moves the pages of all inputs through the workers into the outputs, and owns what happens when they fail.

Two ways to share work out. *By file*: a worker reads an input and streams the result back; nothing but
clean text crosses between processes. *Spread*: the parent reads and deals pages out to all workers, in
batches whose results are put together in order; for standard input and output, and for inputs so large that
the last worker would be left alone with one. Both give the same bytes.

An input whose worker dies is taken up again by spreading: what the worker had delivered stands, and of the
pages after that the one that kills is found by dealing them out one by one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ncleaner.archive import read
from ncleaner.catalogue import fingerprint
from ncleaner.errors import InputError, OutputError
from ncleaner.files import whole_file
from ncleaner.inputs import Input
from ncleaner.manifest import NAME as MANIFEST
from ncleaner.manifest import Manifest, settings_record
from ncleaner.page import Damage, Page, Skip
from ncleaner.report import Tally
from ncleaner.workers import Chunk, FileJob, Job, PagesJob, Pool, Settings

__all__ = ["Progress", "output_paths", "run"]

_BATCH_PAGES = 32
_BATCH_BYTES = 2_000_000
_POLL_SECONDS = 0.2

# Called with a tally of what has been done since the last call, the input and the offset reached in it
# (-1: unknown), or the input's size when it is finished.
Progress = Callable[[Tally, Input, int], None]


def _no_progress(tally: Tally, source: Input, offset: int) -> None:
    pass


def output_paths(inputs: Iterable[Input], folder: Path, suffix: str) -> dict[Input, Path]:
    """Where each input's output goes: same relative path and stem. Inputs that would share an output, or
    have the manifest's name, keep their whole name in it.

    Raises:
        InputError: two inputs have the same relative path.
    """
    sources = list(inputs)
    stems: dict[str, list[Input]] = {}
    for source in sources:
        stems.setdefault(source.stem, []).append(source)
    paths: dict[Input, Path] = {}
    taken: dict[Path, Input] = {}
    for stem, sharing in stems.items():
        for source in sharing:
            path = folder / (stem + suffix)
            if len(sharing) > 1 or path == folder / MANIFEST:
                path = folder / (source.relative + suffix)
            if path in taken:
                raise InputError(
                    f"{taken[path].path} and {source.path} would both be written to {path}: "
                    "clean them into different directories"
                )
            taken[path] = source
            paths[source] = path
    return paths


def _output_file(path: Path) -> AbstractContextManager[BinaryIO]:
    """A file for output, in directories that are made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return whole_file(path)


class _Batch:
    """Pages that are cleaned together, and how far that has come."""

    def __init__(self, source: Input, pages: list[Page]) -> None:
        self.source = source
        self.offset = pages[-1].offset
        self.waiting: deque[list[Page]] = deque([pages])
        self.now: list[Page] = []
        self.finished = 0  # pages of `now`
        self.chunks: list[Chunk] = []
        self.done = False

    def next_job(self) -> PagesJob:
        self.now, self.finished = self.waiting.popleft(), 0
        return PagesJob(tuple(self.now))

    def lost(self, why: str) -> None:
        """The worker died over `now`: what is left goes again, page by page; a single page is given up."""
        left = self.now[self.finished :]
        if len(self.now) > 1:
            self.waiting.extendleft([page] for page in reversed(left))
        elif left:
            tally = Tally()
            page = left[0]
            tally.add_lost("killed its worker", why, page.url, page.source, page.offset)
            self.chunks.append(Chunk(b"", tally, 1, page.offset))


@dataclass(slots=True)
class _File:
    """An input in the hands of a worker, and its output."""

    source: Input
    output: ExitStack
    out: BinaryIO
    job: Job
    items: int = 0


@dataclass(slots=True)
class _Run:
    settings: Settings
    pool: Pool
    jobs: int
    progress: Progress
    total: Tally = field(default_factory=Tally)
    # of the inputs at work, where each has an output of its own
    tallies: dict[Input, Tally] = field(default_factory=dict)

    def count(self, tally: Tally, source: Input, offset: int) -> None:
        """Adds up what has been done, and tells who watches."""
        self.total += tally
        if source in self.tallies:
            self.tallies[source] += tally
        # offsets in a compressed text are those of the text
        self.progress(tally, source, min(offset, source.size) if source.size >= 0 else offset)

    def by_file(
        self, sources: Iterable[Input], opener: Callable[[Input], AbstractContextManager[BinaryIO]]
    ) -> None:
        """Gives each input to a worker of its own; `opener` opens its output."""
        waiting = deque(sources)
        running: dict[int, _File] = {}
        again: list[_File] = []
        with ExitStack() as outputs:
            while waiting or running:
                while waiting and self.pool.idle:
                    source = waiting.popleft()
                    output = outputs.enter_context(ExitStack())
                    file = _File(source, output, output.enter_context(opener(source)), FileJob(source.path))
                    running[id(file.job)] = file
                    self.pool.submit(file.job)
                for word, job, content in self.pool.poll(_POLL_SECONDS):
                    file = running[id(job)]
                    if isinstance(content, Chunk):
                        file.out.write(content.output)
                        file.items += content.items
                        self.count(content.tally, file.source, content.offset)
                        continue
                    del running[id(job)]
                    if word == "lost":
                        again.append(file)
                    else:
                        self._finish(file, str(content) if word == "failed" else "")
                # spreading wants all workers; with a single one this keeps the order of the output, too
                while again and not running:
                    file = again.pop(0)
                    self.spread([file.source], file.out, skip=file.items, finish=False)
                    self._finish(file)

    def _finish(self, file: _File, failure: str = "") -> None:
        tally = Tally(inputs=1)
        if failure:
            tally.add_unread(file.source.path, failure)
        self.count(tally, file.source, file.source.size)
        file.output.close()

    def _items(
        self, sources: Iterable[Input], skip: int, finish: bool
    ) -> Iterator[tuple[Input, Page | Skip | Damage | InputError | None]]:
        """What the inputs hold, one after the other, or why nothing can be read; None at the end of each."""
        for source in sources:
            try:
                items = read(
                    source.path,
                    input_format=self.settings.input_format,
                    limits=self.settings.limits,
                    marker=self.settings.marker,
                )
                for item in islice(items, skip, None):
                    yield source, item
            except InputError as error:
                yield source, error
            if finish:
                yield source, None

    def _gather(
        self, items: Iterator[tuple[Input, Page | Skip | Damage | InputError | None]]
    ) -> _Batch | None:
        """The next pages; counts what is no page on the way. None at the end."""
        pages: list[Page] = []
        size = 0
        for source, item in items:
            if isinstance(item, Page):
                pages.append(item)
                size += len(item.body)
                if len(pages) == _BATCH_PAGES or size >= _BATCH_BYTES:
                    return _Batch(source, pages)
                continue
            tally = Tally()
            if isinstance(item, Skip):
                tally.add_skip(item)
            elif isinstance(item, Damage):
                tally.add_damage(item)
            elif isinstance(item, InputError):
                tally.add_unread(source.path, str(item))
            else:
                tally.inputs = 1
            self.count(tally, source, item.offset if isinstance(item, Skip | Damage) else source.size)
        return _Batch(source, pages) if pages else None

    def spread(self, sources: Iterable[Input], out: BinaryIO, skip: int = 0, finish: bool = True) -> None:
        """Reads the inputs here and deals their pages out to all workers; the output keeps their order.

        `skip` items at the beginning have been dealt with before; `finish` counts finished inputs.
        """
        items = self._items(sources, skip, finish)
        pending: deque[_Batch] = deque()
        running: dict[int, tuple[Job, _Batch]] = {}
        ended = False

        def go_on(batch: _Batch) -> None:
            if batch.waiting:
                job = batch.next_job()
                running[id(job)] = (job, batch)
                self.pool.submit(job)
            else:
                batch.done = True

        while True:
            # no more batches than keep everybody busy: a slow reader of the output slows this loop down
            while not ended and self.pool.idle and len(pending) < 4 * self.jobs:
                batch = self._gather(items)
                if batch is None:
                    ended = True
                else:
                    pending.append(batch)
                    go_on(batch)
            while pending and pending[0].done:
                batch = pending.popleft()
                for chunk in batch.chunks:
                    out.write(chunk.output)
                    self.count(chunk.tally, batch.source, batch.offset)
            if ended and not pending:
                return
            for word, job, content in self.pool.poll(_POLL_SECONDS):
                _, batch = running[id(job)]
                if isinstance(content, Chunk):
                    batch.chunks.append(content)
                    batch.finished += content.items
                    continue
                del running[id(job)]
                if word in ("lost", "failed"):
                    batch.lost(str(content))
                go_on(batch)


def _is_directory(output: Path) -> bool:
    """Whether -o means a directory: it is one, or its name has no suffix."""
    return output.is_dir() or not output.suffix


def run(
    inputs: list[Input],
    settings: Settings,
    *,
    output: Path | BinaryIO,
    jobs: int = 1,
    progress: Progress = _no_progress,
    again: bool = False,
) -> Tally:
    """Cleans all inputs.

    Args:
        inputs: see `find_inputs`.
        settings: method, model, formats, limits.
        output: a directory that gets one file per input, a file (a path with a suffix) or a binary stream
            that gets everything, in the order of the inputs.
        jobs: worker processes. The output does not depend on it.
        progress: called after each part of the work.
        again: clean what an earlier run into the same directory has finished, too. Otherwise inputs are
            passed over whose output stands, if neither they nor the settings have changed.

    Returns:
        What was done. `Tally.complete` tells whether every input was read whole.

    Raises:
        NcleanerError: the model, an option or the output cannot be used at all.
    """
    if not inputs:
        return Tally()
    to_directory = isinstance(output, Path) and _is_directory(output)
    if not to_directory and len(inputs) > 1:
        settings = replace(settings, set_off=True)
    # what is wrong with method, model or encoding is said here, not by each worker
    settings.cleaner()
    with Pool(jobs, settings) as pool:
        work = _Run(settings, pool, jobs, progress)
        try:
            if isinstance(output, Path) and to_directory:
                _to_directory(work, inputs, output, again)
            else:
                with _output_file(output) if isinstance(output, Path) else nullcontext(output) as out:
                    if jobs == 1 and all(source.size >= 0 for source in inputs):
                        work.by_file(inputs, lambda source: nullcontext(out))
                    else:
                        work.spread(inputs, out)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(
                f"cannot write the output: {error.strerror} ({error.filename or output})"
            ) from error
    return work.total


def _to_directory(work: _Run, inputs: list[Input], folder: Path, again: bool) -> None:
    """An output for each input that has none yet, and a line in the manifest."""
    settings = work.settings
    paths = output_paths(inputs, folder, settings.sink().suffix)
    record = settings_record(settings, fingerprint(settings.method, settings.model))
    with Manifest(folder, record, again) as manifest:

        @contextmanager
        def output_of(source: Input) -> Iterator[BinaryIO]:
            began = time.monotonic()
            work.tallies[source] = Tally()
            with _output_file(paths[source]) as out:
                yield out
            manifest.add(source, paths[source], work.tallies.pop(source), time.monotonic() - began)

        left: list[Input] = []
        for source in inputs:
            if manifest.is_finished(source, paths[source]):
                work.count(Tally(resumed=1), source, source.size)
            else:
                left.append(source)
        if manifest.changed:
            work.count(Tally(messages=_reasons(manifest.changed)), left[0], 0)
        alone = _largest(left, work.jobs)
        for source in alone:
            with output_of(source) as out:
                work.spread([source], out)
        work.by_file([source for source in left if source not in alone], output_of)


def _reasons(changed: Mapping[str, int]) -> list[str]:
    """Why inputs that were finished are cleaned again, for people."""
    known = {"input": "that have changed since", "output": "whose output is not as it was written"}
    return [
        f"cleaning {number:,} inputs again {known.get(name, f'that were cleaned with another {name}')}"
        for name, number in sorted(changed.items())
    ]


def _largest(inputs: list[Input], jobs: int) -> list[Input]:
    """Inputs to spread over all workers: pipes, and those that alone are more than a worker's share."""
    share = sum(max(source.size, 0) for source in inputs) / jobs
    return [source for source in inputs if source.size < 0 or (jobs > 1 and source.size > share)]
