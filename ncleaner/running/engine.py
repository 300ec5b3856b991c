"""Sends the pages of all inputs through the workers into the outputs, and handles the deaths of workers.

There are three ways to divide the work. *By file*: a worker reads an input, or a pack of small ones, and
sends the result back, so that only clean text passes between processes. *In stretches*: all workers read
parts of one archive, and the results are written in order (`stretched`). It is used where there is one
output, and for archives so large that one worker would still be at one when the others have finished.
*Spread*: the parent reads the input and sends batches of pages to all workers; of an archive of gzip members
in a pipe, pieces as they are stored. It is used where stretches are not possible: for standard input, other
large inputs, and archives that are compressed as a whole. All give the same bytes.

When a worker dies, another one continues its job: the results received so far stay, and a page at which a
second worker dies is given up.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError, NcleanerError, OutputError
from ncleaner.options import WHOLE, OptionError, Shard
from ncleaner.page import Damage, Page, Skip
from ncleaner.pools.pool import Death, Done, Failed, Pool
from ncleaner.reading._warc import MAX_HEAD
from ncleaner.reading.inputs import Input
from ncleaner.reading.opening import opened
from ncleaner.reading.streams import Source
from ncleaner.reading.stretches import Layout, layout_in, layout_of, pieces
from ncleaner.running.jobs import (
    Chunk,
    CleaningJob,
    FileJob,
    PagesJob,
    PieceJob,
    Progress,
    StretchJob,
    Task,
    TrackedJob,
    end_tally,
    events_of,
    in_order,
    pool_of,
    warc_record,
    without,
)
from ncleaner.running.manifest import Manifest, open_manifest, settings_record
from ncleaner.running.outputs import (
    Opener,
    OpenOutput,
    check_replaced,
    fault_of_one,
    in_jobs,
    is_directory,
    open_output,
    open_output_in,
    output_errors,
    planned,
)
from ncleaner.running.packs import WritingJob
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.storage.local import Folder, LocalFolder
from ncleaner.storage.places import folder_and_name, folder_at
from ncleaner.text.visible import counted

# Bytes of an input that keep a worker busy for some time.
_LEAST_SHARE = 1 << 18
# An archive larger than this part of a worker's share is read by all workers together: at the end of a run,
# others would have nothing to do while the last one is cleaned.
_SHARES = 10
# A batch is sent when it has this many pages and bytes, so that messages cost little beside short pages; or
# most bytes, so that memory is bounded; or has been gathered for some time, from a pipe that gives little.
_BATCH_PAGES = 32
_BATCH_BYTES = 1 << 19
_MOST_BATCH_BYTES = 2_000_000
_BATCH_SECONDS = 0.5
# Outputs one after the other that a store does not take, each for minutes, before a run ends.
_MOST_FAILED = 5


def no_progress(tally: Tally, source: Input, offset: int | None) -> None:
    """Progress callback that ignores every report."""


@dataclass(slots=True, eq=False, repr=False)
class _TrackedFile(TrackedJob):
    """An input that a worker reads and cleans, and its output; or a pack, and the manifest."""

    closing: ExitStack = field(default_factory=ExitStack)
    output: OpenOutput | None = None

    def job_after(self, death: Death) -> CleaningJob | None:
        """Returns the job that continues after a death; None for a pack whose outputs the worker writes."""
        return None if isinstance(self.job, WritingJob) else TrackedJob.job_after(self, death)


@dataclass(slots=True, eq=False, repr=False)
class _Batch(TrackedJob):
    """A batch of pages."""

    offset: int = -1

    @property
    def path(self) -> str:
        """Path of the input of the next page: a batch may have pages of several."""
        assert isinstance(self.job, PagesJob)
        return self.job.pages[min(self.items, len(self.job.pages) - 1)].source


@dataclass(slots=True, eq=False, repr=False)
class _Piece(TrackedJob):
    """A piece of a pipe, where it ends, and its results, which count if it is whole."""

    end: int = 0
    chunks: list[Chunk] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class _Run:
    settings: Settings
    pool: Pool
    jobs: int
    progress: Progress
    total: Tally = field(default_factory=Tally)
    # counts of the inputs that are being cleaned, if each has a separate output
    tallies: dict[Input, Tally] = field(default_factory=dict)

    def count(self, tally: Tally, source: Input, offset: int | None) -> None:
        """Adds to the counts, and calls the progress callback."""
        self.total += tally
        if source in self.tallies:
            self.tallies[source] += tally
        # in a compressed text, offsets count inflated bytes, and may be larger than the file
        if offset is not None and source.size is not None:
            offset = min(offset, source.size)
        self.progress(tally, source, offset)

    def events(self, running: dict[int, Task]) -> Iterator[tuple[Task, Chunk | Done | Failed | Death]]:
        """Yields the chunks of the tasks that run, and their ends; counts the notes."""
        for task, event in events_of(self.pool, running):
            if isinstance(event, Note):
                self.count(Tally(notes=[event]), task.source, None)
            else:
                yield task, event

    def by_file(self, sources: Iterable[Input], opener: Opener) -> None:
        """Gives each input to one worker; `opener` opens its output."""
        waiting = deque(sources)
        running: dict[int, _TrackedFile] = {}
        with ExitStack() as leaving:
            # only running inputs are kept, since there may be a hundred thousand
            leaving.push(partial(_discard_outputs, self.pool, running))
            while waiting or running:
                while waiting and self.pool.idle:
                    source = waiting.popleft()
                    file = _TrackedFile(source, FileJob(source=source))
                    file.output = file.closing.enter_context(opener(source))
                    if file.output is not None:
                        file.job = file.output.job or file.job
                        running[self.pool.submit(file.job)] = file
                for file, event in self.events(running):
                    if isinstance(event, Chunk):
                        assert file.output is not None
                        file.output.write(event)
                        self.count(event.tally, file.source, event.offset)
                        continue
                    if not isinstance(file.job, WritingJob):
                        self.count(end_tally(file.source, event), file.source, file.source.size)
                    elif isinstance(event, Failed):
                        raise OutputError(event.why)
                    else:
                        self.count(Tally(inputs=file.items), file.source, file.source.size)
                        # after a death, each by itself, so that it shows at which page
                        waiting.extend(file.source.members[file.items :])
                    file.closing.close()

    def layout(self, source: Input) -> Layout | None:
        """Returns the layout of an input that is worth reading in stretches; None for any other."""
        if (source.size or 0) < _LEAST_SHARE or source.members:
            return None
        try:
            return layout_of(source.path, self.settings.reading.input_format)
        except InputError:
            # it is reported when the input is read
            return None

    def in_stretches(self, archives: Iterable[tuple[Input, Layout]], opener: Opener) -> None:
        """Gives each archive to all workers, which read stretches of it; `opener` opens its output."""
        # rarely needed
        from ncleaner.running.stretched import CleaningInStretches

        CleaningInStretches(archives, opener, self.pool, self.jobs, self.count).run()

    def together(self, sources: Iterable[Input], output: OpenOutput) -> None:
        """Gives each input to all workers; the output keeps the order."""
        found = ((source, self.layout(source)) for source in sources)
        for is_layout, group in groupby(found, lambda each: each[1] is not None):
            if is_layout:
                archives = ((source, layout) for source, layout in group if layout is not None)
                self.in_stretches(archives, lambda source: nullcontext(output))
            else:
                self.spread((source for source, _ in group), output)

    def _items(
        self, sources: Iterable[Input], stream: Source | None = None
    ) -> Iterator[tuple[Input, Page | Skip | Damage | None]]:
        """Yields each input's items, or a Damage if it cannot be read at all; None at the end of each.
        `stream`: of the input, where it is open."""
        for source in sources:
            for file in source.files:
                try:
                    for item in self.settings.read(stream or file.path, file.is_pipe, name=file.path):
                        yield source, item
                except InputError as error:
                    yield source, Damage(without(file.path, str(error)), file.path, unread=True)
            yield source, None

    def spread(self, sources: Iterable[Input], output: OpenOutput) -> None:
        """Sends packs, pieces of pipes, and the pages of other inputs, to all workers; the output keeps the
        order."""
        for is_pipe, group in groupby(sources, key=lambda source: source.is_pipe):
            if not is_pipe:
                self._in_order(self._tasks(group), output)
                continue
            for source in group:
                try:
                    with opened(source.path) as (stream, name):
                        self._piped(source, Source(stream, name, sys.maxsize), output)
                except InputError as error:
                    self.count(end_tally(source, Failed(str(error))), source, source.size)

    def _piped(self, source: Input, stream: Source, output: OpenOutput) -> None:
        """Lets workers inflate an archive from a pipe; what cannot be cut into pieces, or is damaged in one,
        is read here."""
        layout = layout_in(stream, self.settings.reading.input_format)
        reached, is_whole = stream.rewind(stream.start), True

        def tasks() -> Iterator[_Piece]:
            for start, data in pieces(stream, layout) if layout else ():
                yield _Piece(
                    source, PieceJob(path=source.path, start=start, data=data), end=start + len(data)
                )
                if not is_whole:
                    return

        for piece, event in in_order(tasks(), self.pool, 2 * self.jobs + 1):
            if isinstance(event, Chunk):
                piece.chunks.append(event)
            elif isinstance(event, Note):
                self.count(Tally(notes=[event]), source, None)
            elif is_whole := is_whole and isinstance(event, Done):
                for chunk in piece.chunks:
                    output.write(chunk)
                    self.count(chunk.tally, source, chunk.offset)
                reached = piece.end
                stream.mark(reached)
        stream.keep = max(self.settings.recipe.limits.bytes + MAX_HEAD, 1 << 20)
        # an empty one is damage
        if stream.rewind(reached) == stream.start or stream.peek(1) or stream.broken:
            self._in_order(_batches(self._items([source], stream), self.count), output)
        else:
            self.count(Tally(inputs=1), source, source.size)

    def _in_order(self, tasks: Iterator[TrackedJob], output: OpenOutput) -> None:
        for task, event in in_order(tasks, self.pool, 4 * self.jobs):
            if isinstance(event, Note):
                self.count(Tally(notes=[event]), task.source, None)
            elif isinstance(task, _Batch):
                if (chunk := _chunk_of(task, event, self.settings)) is not None:
                    output.write(chunk)
                    self.count(chunk.tally, task.source, task.offset)
            elif isinstance(event, Chunk):
                output.write(event)
                self.count(event.tally, task.source, event.offset)
            else:
                self.count(end_tally(task.source, event), task.source, task.source.size)

    def _tasks(self, sources: Iterable[Input]) -> Iterator[TrackedJob]:
        for is_pack, group in groupby(sources, lambda source: bool(source.members)):
            if is_pack:
                yield from (TrackedJob(pack, FileJob(source=pack)) for pack in group)
            else:
                yield from _batches(self._items(group), self.count)


def _batches(items: Iterable[tuple[Input, Page | Skip | Damage | None]], count: Progress) -> Iterator[_Batch]:
    """Collects pages, and those that are given up, in batches; calls `count` for other items at once, before
    the pages that still wait.

    None in place of an item is the end of an input.
    """
    pages: list[Page | Skip] = []
    size, since = 0, 0.0
    for source, item in items:
        # a page that the reader has given up may have a row
        if isinstance(item, Page) or (isinstance(item, Skip) and item.lost):
            if not pages:
                since = time.monotonic()
            pages.append(item)
            size += len(item.body) if isinstance(item, Page) else 0
            if (
                (size >= _BATCH_BYTES and len(pages) >= _BATCH_PAGES)
                or size >= _MOST_BATCH_BYTES
                or time.monotonic() - since >= _BATCH_SECONDS
            ):
                yield _batch(source, pages)
                pages, size = [], 0
        elif item is None:
            count(Tally(inputs=len(source.files)), source, source.size)
        else:
            tally = Tally()
            tally.add_item(item)
            count(tally, source, item.offset)
    if pages:
        yield _batch(source, pages)


def _batch(source: Input, pages: list[Page | Skip]) -> _Batch:
    return _Batch(source, PagesJob(pages=tuple(pages)), offset=pages[-1].offset)


def _discard_outputs(pool: Pool, running: Mapping[int, _TrackedFile], *error: Any) -> None:
    """Closes outputs that are not complete because of an error, so that they do not appear."""
    if running:
        # workers may be writing some
        pool.__exit__()
    for file in running.values():
        with suppress(OSError):
            file.closing.__exit__(*error)


def _chunk_of(batch: _Batch, event: Chunk | Done | Failed | Death, settings: Settings) -> Chunk | None:
    """Returns a chunk of a batch, and at its end the pages that are given up, when workers die and no single
    page is the cause."""
    if not isinstance(event, Death):
        return event if isinstance(event, Chunk) else None
    assert isinstance(batch.job, PagesJob)
    tally = Tally()
    left = batch.job.pages[batch.items :]
    for page in left:
        if isinstance(page, Page):
            tally.add_quarantined(event.reason, event.why, page)
        else:
            tally.add_item(page)
    limits, sink = settings.recipe.limits, settings.output.sink()
    records = b"".join(warc_record(page, limits) for page in left if isinstance(page, Page))
    rows = b"".join(sink.lost(page, event.why) for page in left)
    return Chunk(rows, tally, len(left), batch.offset, records)


# For callers that divide the work themselves


def cleaned(source: Input, pool: Pool, job: StretchJob | None = None) -> Iterator[Chunk]:
    """Cleans an input, or a stretch of it, in an idle pool of one worker; yields the results in order.

    The last chunk counts the input. A caller that stops before it must close the pool.

    Raises:
        WorkerError: workers end before they are ready.
    """
    for _, event in in_order(iter([TrackedJob(source, job or FileJob(source=source))]), pool, 1):
        if isinstance(event, Chunk):
            yield event
        elif isinstance(event, Note):
            yield Chunk(b"", Tally(notes=[event]), 0, -1)
        else:
            yield Chunk(b"", end_tally(source, event), 0, -1)


def cleaned_items(items: Iterable[Page | Skip | Damage], pool: Pool, settings: Settings) -> Iterator[Chunk]:
    """Cleans items that the caller has read, in an idle pool with these settings, as `cleaned` does."""
    counted: list[Chunk] = []
    batches = _batches(
        ((Input(item.source, "", None), item) for item in items),
        lambda tally, source, offset: counted.append(Chunk(b"", tally, 1, -1)),
    )
    for batch, event in in_order(batches, pool, 4 * pool.idle):
        yield from counted
        counted.clear()
        if isinstance(event, Note):
            yield Chunk(b"", Tally(notes=[event]), 0, -1)
        elif (chunk := _chunk_of(batch, event, settings)) is not None:
            yield chunk
    yield from counted


def run(
    inputs: list[Input],
    settings: Settings,
    *,
    output: str | Path | BinaryIO,
    jobs: int = 1,
    progress: Progress = no_progress,
    again: bool = False,
    quarantine: str | Path | None = None,
    shard: Shard = WHOLE,
) -> Tally:
    """Cleans all inputs, or a shard of them.

    Args:
        inputs: see `find_inputs`.
        settings: method, model, formats, limits.
        output: a directory, with a file for each input, or as `Output.rows` says; or a file (a path with a
            suffix) or a binary stream for all results, in the order of the inputs. Directory and file may be
            URLs for fsspec.
        jobs: number of worker processes; the output does not depend on it.
        progress: called after each part of the work.
        again: also clean inputs that an earlier run into the same directory has finished. By default, an
            input is passed over if its output exists and neither the input nor the settings have changed.
        quarantine: a WARC for the records of pages given up because they killed, held up or broke a worker,
            if the output is not a directory. In a directory, they go to `QUARANTINE`, to a WARC for each
            input.
        shard: the part of the inputs that is cleaned into a directory. Other processes, with the same inputs
            and settings, clean the other parts into it; the files are those of one run.

    Returns:
        The counts. `Tally.complete` is True if every input was read completely and no page was given up.

    Raises:
        NcleanerError: the model, an option or the output cannot be used at all.
    """
    if not inputs:
        return Tally()
    to_directory = isinstance(output, str | Path) and is_directory(output)
    if not to_directory and len(inputs) > 1:
        settings = replace(settings, many_pages=True)
    if not to_directory and settings.output.rows_per_file is not None:
        raise OptionError("rows_per_file", "only a directory of outputs has it: give -o DIRECTORY")
    if not to_directory and shard.of > 1:
        raise OptionError("shard", "shards share a directory of outputs: give -o DIRECTORY")
    names = planned(inputs, settings.output) if to_directory else {}
    if isinstance(output, str | Path):
        place = str(output)
        check_replaced(inputs, (f"{place}/{name}" for name in names.values()) if to_directory else [place])
    # raises errors in method, model or encoding here, not in each worker
    cleaner = settings.cleaner()
    jobs = _useful(jobs, inputs)
    with pool_of(jobs, settings, _loaded(cleaner, jobs)) as pool:
        work = _Run(settings, pool, jobs, progress)
        with output_errors(output):
            if isinstance(output, str | Path) and to_directory:
                _to_directory(work, names, folder_at(output), again, shard)
            else:
                _to_file(work, inputs, output, quarantine)
    return work.total


def _useful(jobs: int, inputs: list[Input]) -> int:
    """Returns the number of workers that can have something to do."""
    if any(source.is_pipe for source in inputs):
        return jobs
    return min(jobs, sum(1 + (source.size or 0) // _LEAST_SHARE for source in inputs))


def _loaded(cleaner: Cleaner, jobs: int) -> Cleaner | None:
    """Returns a cleaner for workers to take over; for several of them, it loads what most pages need."""
    if cleaner.sites is not None:
        # open files of a database must not go through a fork
        return None
    if jobs > 1:
        # the limits may be below any page
        with suppress(NcleanerError):
            cleaner.page(Page(b"<p>The ferry will sail until the end of May, the harbour board decided.</p>"))
    return cleaner


def _to_directory(work: _Run, names: Mapping[Input, str], folder: Folder, again: bool, shard: Shard) -> None:
    """Writes an output and a line in the manifest for each input of a shard that is not finished yet."""
    settings = work.settings
    record = settings_record(settings, settings.fingerprint())
    failed: list[Input] = []
    with open_manifest(folder, record, again, shard) as manifest:

        @contextmanager
        def lines_of(pack: Input) -> Iterator[OpenOutput]:
            assert isinstance(folder, LocalFolder)
            output = OpenOutput(manifest, ExitStack(), None)
            outputs = tuple(names[each] for each in pack.members)
            output.job = WritingJob(source=pack, names=outputs, folder=folder, key=manifest.key)
            try:
                yield output
            except BaseException:
                for name in outputs:
                    folder.discard(name)
                raise

        @contextmanager
        def output_of(source: Input) -> Iterator[OpenOutput | None]:
            began = time.monotonic()
            with ExitStack() as stack:
                try:
                    output = stack.enter_context(open_output_in(folder, names[source], settings))
                except OSError as error:
                    work.count(end_tally(source, Failed(fault_of_one(error))), source, source.size)
                    yield None
                    return
                work.tallies[source] = Tally()
                yield output
                tally = work.tallies.pop(source)
                try:
                    stack.close()
                except OSError as error:
                    failed.append(source)
                    if len(failed) == _MOST_FAILED:
                        raise
                    lost = Tally()
                    lost.add_item(Damage(fault_of_one(error), source.path, unread=True))
                    work.count(lost, source, source.size)
                    return
            failed.clear()
            manifest.add(source, names[source], tally, time.monotonic() - began, output.parts)

        others: Iterable[Input]
        left = unfinished(names, manifest, work.count, shard)
        layouts, to_spread, others = _divided(left, work.jobs, work.layout)
        work.in_stretches(layouts.items(), output_of)
        for source in to_spread:
            with output_of(source) as output:
                if output is not None:
                    work.spread([source], output)
        if isinstance(folder, LocalFolder):
            others = in_jobs(others, work.jobs)
        work.by_file(others, lambda source: (output_of if source in names else lines_of)(source))


def _to_file(
    work: _Run, inputs: list[Input], output: str | Path | BinaryIO, quarantine: str | Path | None
) -> None:
    """Writes all results to one file or stream, in the order of the inputs."""
    records = folder_and_name(quarantine) if quarantine is not None else None
    file: AbstractContextManager[BinaryIO]
    if isinstance(output, str | Path):
        folder, name = folder_and_name(output)
        file = folder.file(name)
    else:
        file = nullcontext(output)
    packs = in_jobs(inputs, work.jobs)
    with open_output(file, work.settings, records) as out:
        if work.jobs == 1 and not any(source.is_pipe for source in inputs):
            work.by_file(packs, lambda source: nullcontext(out))
        else:
            work.together(packs, out)


def unfinished(
    names: Mapping[Input, str], manifest: Manifest, count: Progress, shard: Shard = WHOLE
) -> list[Input]:
    """Returns the inputs of a shard that no earlier run has finished; counts the others of the shard, and
    deletes what earlier runs have written of the inputs elsewhere.

    `names` has the name of the output of each input, of all shards.

    Raises:
        OutputError: as `Manifest.remove_outdated`.
    """
    left: list[Input] = []
    for source in shard.part_of(names):
        name = names[source]
        if manifest.is_finished(source, name):
            tally = Tally(resumed=len(source.files))
            if flaws := manifest.flaws(source, name):
                tally.flawed = 1
                what = f"finished by an earlier run, with {flaws}, which `ncleaner report` names"
                tally.notes.append(Note("flawed", what, source.path))
            count(tally, source, source.size)
        else:
            left.append(source)
    manifest.remove_outdated(names, left)
    if manifest.changed:
        count(Tally(notes=_cleaned_again_notes(manifest.changed)), left[0], 0)
    return left


def _cleaned_again_notes(changed: Mapping[str, int]) -> list[Note]:
    """Returns notes that say why finished inputs are cleaned again."""
    notes = []
    for name, number in sorted(changed.items()):
        have, were = ("has", "was") if number == 1 else ("have", "were")
        known = {
            "input": f"that {have} changed since",
            "member": "with one that has changed since, whose output they share",
            "output": "whose output is missing or has changed",
            "model_fingerprint": f"that {were} cleaned with other files of models, of a survey or a table",
        }
        why = known.get(name, f"that {were} cleaned by another version of ncleaner")
        notes.append(Note("cleaned_again", f"cleaning {counted(number, 'input')} again {why}"))
    return notes


def _divided(
    inputs: list[Input], jobs: int, layout: Callable[[Input], Layout | None]
) -> tuple[dict[Input, Layout], list[Input], list[Input]]:
    """Returns the inputs to be read in stretches, with their layouts; those to be spread; and all others."""
    share = sum(source.size or 0 for source in inputs) / jobs
    layouts: dict[Input, Layout] = {}
    to_spread, others = [], []
    for source in inputs:
        size = source.size or 0
        found = layout(source) if jobs > 1 and size > share / _SHARES else None
        if found is not None:
            layouts[source] = found
        elif source.is_pipe or (jobs > 1 and size > share):
            to_spread.append(source)
        else:
            others.append(source)
    return layouts, to_spread, others
