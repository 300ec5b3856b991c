"""Sends the pages of all inputs through the workers into the outputs, and handles the deaths of workers.

There are two ways to divide the work. *By file*: a worker reads an input and sends the result back, so that
only clean text passes between processes. *Spread*: the parent reads the input and sends batches of pages to
all workers, whose results are written in order. It is used for standard input and output, and for inputs so
large that one worker would still be at one when the others have finished. Both give the same bytes.

When a worker dies, another one continues its job: the results received so far stay, and a page at which a
second worker dies is given up.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import Chunk, Death, Done, Failed, FileJob, GivenUp, Job, PagesJob, Waiting
from ncleaner.running.manifest import Manifest, open_manifest, settings_record
from ncleaner.running.outputs import (
    Output,
    check_replaced,
    is_directory,
    open_output,
    open_output_in,
    output_errors,
    output_names,
)
from ncleaner.running.quarantine import warc_record
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.running.workers import Pool
from ncleaner.storage.base import Folder
from ncleaner.storage.places import folder_and_name, folder_at
from ncleaner.text.counted import counted

__all__ = ["Progress", "cleaned", "cleaned_items", "no_progress", "run", "unfinished"]


_BATCH_PAGES = 32
_BATCH_BYTES = 2_000_000
_POLL_SECONDS = 0.2
# Workers that may die in a row, between pages, at the same place of an input.
_MAX_DEATHS = 5
# Items after such a place whose results are sent one by one, so that fewer are lost with the next worker.
_SEND_EACH = 200

# Called with the counts since the last call, the input, and the offset reached in it (-1: unknown), which is
# the input's size when it is finished.
Progress = Callable[[Tally, Input, int], None]


def no_progress(tally: Tally, source: Input, offset: int) -> None:
    """Progress callback that ignores every report."""


@dataclass(slots=True)
class _TrackedJob:
    """A job with its progress and the deaths of its workers.

    A page at which a worker dies is tried again, since the page may not be the cause. It is given up at the
    second death or, if the cause may lie outside, at the third.

    Attributes:
        source: the input of the job.
        job: the job; after a death, its remaining part.
        items: number of items that are done.
        deaths: deaths between pages since the last progress.
        deaths_at_item: deaths at each page, by the index of its item.
    """

    source: Input
    job: Job
    items: int = 0
    deaths: int = 0
    deaths_at_item: Counter[int] = field(default_factory=Counter)

    def advance(self, chunk: Chunk) -> None:
        """Counts the items of a chunk as done."""
        self.items += chunk.items
        self.deaths = 0

    def job_after(self, death: Death) -> Job | None:
        """Returns the job that continues after a death; None if too many workers have died at one place."""
        given_up = {item: entry for item, entry in self.job.given_up.items() if item >= self.items}
        if death.item < 0:
            self.deaths += 1
            if self.deaths == _MAX_DEATHS:
                return None
        else:
            self.deaths_at_item[death.item] += 1
            if self.deaths_at_item[death.item] >= death.deaths_to_give_up:
                # a page that was given up before has killed a worker again, which was saving its record
                is_again = death.item in given_up
                given_up[death.item] = GivenUp(death.reason, death.why, quarantine=not is_again)
        send_each_until = death.item if death.item >= 0 else self.items + _SEND_EACH
        self.job = replace(self.job, skip=self.items, given_up=given_up, send_each_until=send_each_until)
        return self.job


@dataclass(slots=True)
class _TrackedFile(_TrackedJob):
    """An input that a worker reads and cleans, and its output."""

    closing: ExitStack = field(default_factory=ExitStack)
    output: Output | None = None


@dataclass(slots=True)
class _Batch(_TrackedJob):
    """A batch of pages, and the chunks received for it."""

    offset: int = -1
    chunks: list[Chunk] = field(default_factory=list)
    done: bool = False


class _CountedItem(NamedTuple):
    """Counts of an item that is not a page, and the offset reached in its input."""

    tally: Tally
    source: Input
    offset: int


@dataclass(slots=True)
class _Run:
    settings: Settings
    pool: Pool
    jobs: int
    progress: Progress
    total: Tally = field(default_factory=Tally)
    # counts of the inputs that are being cleaned, if each has a separate output
    tallies: dict[Input, Tally] = field(default_factory=dict)

    def count(self, tally: Tally, source: Input, offset: int) -> None:
        """Adds to the counts, and calls the progress callback."""
        self.total += tally
        if source in self.tallies:
            self.tallies[source] += tally
        # in a compressed text, offsets count inflated bytes, and may be larger than the file
        self.progress(tally, source, min(offset, source.size) if source.size >= 0 else offset)

    def by_file(
        self, sources: Iterable[Input], opener: Callable[[Input], AbstractContextManager[Output]]
    ) -> None:
        """Gives each input to one worker; `opener` opens its output."""
        waiting = deque(sources)
        running: dict[int, _TrackedFile] = {}
        with ExitStack() as leaving:
            # only running inputs are kept, since there may be a hundred thousand
            leaving.push(partial(_discard_outputs, running))

            def submit(file: _TrackedFile) -> None:
                running[self.pool.submit(file.job)] = file

            while waiting or running:
                while waiting and self.pool.idle:
                    source = waiting.popleft()
                    file = _TrackedFile(source, FileJob(path=source.path))
                    file.output = file.closing.enter_context(opener(source))
                    submit(file)
                for number, event in self.pool.poll(_POLL_SECONDS):
                    file = running[number]
                    if isinstance(event, Chunk):
                        assert file.output is not None
                        file.output.write(event)
                        file.advance(event)
                        self.count(event.tally, file.source, event.offset)
                        continue
                    self._tell(file, event)
                    if isinstance(event, Waiting):
                        continue
                    del running[number]
                    if isinstance(event, Death) and file.job_after(event):
                        submit(file)
                        continue
                    self.count(_end_tally(file, event), file.source, file.source.size)
                    file.closing.close()

    def _tell(self, task: _TrackedJob, event: Waiting | Done | Failed | Death) -> None:
        """Tells of a worker that waits, or has been replaced between two pages."""
        note = _note(task, event)
        if note is not None:
            self.count(Tally(notes=[note]), task.source, -1)

    def _items(self, sources: Iterable[Input]) -> Iterator[tuple[Input, Page | Skip | Damage | None]]:
        """Yields each input's items, or a Damage if it cannot be read at all; None at the end of each."""
        for source in sources:
            try:
                for item in read(
                    source.path,
                    input_format=self.settings.input_format,
                    limits=self.settings.limits,
                    marker=self.settings.marker,
                ):
                    yield source, item
            except InputError as error:
                yield source, Damage(_without(source.path, str(error)), source.path, unread=True)
            yield source, None

    def _gather(self, parts: Iterator[_Batch | _CountedItem]) -> _Batch | None:
        """Returns the next batch, and counts the items before it; None at the end."""
        for part in parts:
            if isinstance(part, _Batch):
                return part
            self.count(*part)
        return None

    def spread(self, sources: Iterable[Input], output: Output) -> None:
        """Reads the inputs here and sends their pages to all workers; the output keeps the order."""
        parts = _batches(self._items(sources))
        pending: deque[_Batch] = deque()
        running: dict[int, _Batch] = {}
        ended = False

        def submit(batch: _Batch) -> None:
            running[self.pool.submit(batch.job)] = batch

        while True:
            # a bounded number of batches: if the output is read slowly, the input is read slowly, too
            while not ended and self.pool.idle and len(pending) < 4 * self.jobs:
                batch = self._gather(parts)
                if batch is None:
                    ended = True
                else:
                    pending.append(batch)
                    submit(batch)
            while pending and pending[0].done:
                batch = pending.popleft()
                for chunk in batch.chunks:
                    output.write(chunk)
                    self.count(chunk.tally, batch.source, batch.offset)
            if ended and not pending:
                return
            for number, event in self.pool.poll(_POLL_SECONDS):
                batch = running[number]
                if isinstance(event, Chunk):
                    batch.chunks.append(event)
                    batch.advance(event)
                    continue
                self._tell(batch, event)
                if isinstance(event, Waiting):
                    continue
                del running[number]
                if isinstance(event, Death):
                    if batch.job_after(event):
                        submit(batch)
                        continue
                    batch.chunks.append(_give_up_rest(batch, event, self.settings.limits))
                batch.done = True


def _batches(items: Iterable[tuple[Input, Page | Skip | Damage | None]]) -> Iterator[_Batch | _CountedItem]:
    """Collects pages in batches; yields counts of other items at once, before the pages that still wait.

    None in place of an item is the end of an input.
    """
    pages: list[Page] = []
    size = 0
    for source, item in items:
        if isinstance(item, Page):
            pages.append(item)
            size += len(item.body)
            if len(pages) == _BATCH_PAGES or size >= _BATCH_BYTES:
                yield _batch(source, pages)
                pages, size = [], 0
        elif item is None:
            yield _CountedItem(Tally(inputs=1), source, source.size)
        else:
            tally = Tally()
            tally.add_item(item)
            yield _CountedItem(tally, source, item.offset)
    if pages:
        yield _batch(source, pages)


def _batch(source: Input, pages: list[Page]) -> _Batch:
    return _Batch(source, PagesJob(pages=tuple(pages)), offset=pages[-1].offset)


def _discard_outputs(running: Mapping[int, _TrackedFile], *error: Any) -> None:
    """Closes outputs that are not complete because of an error, so that they do not appear."""
    for file in running.values():
        with suppress(OSError):
            file.closing.__exit__(*error)


def _note(task: _TrackedJob, event: Waiting | Done | Failed | Death) -> Note | None:
    """Returns what is said of a worker that waits, or has been replaced between two pages."""
    if isinstance(event, Waiting):
        return Note("waiting", event.what, task.source.path)
    if isinstance(event, Death) and event.item < 0:
        return Note("worker_replaced", f"{event.why}; another one goes on", task.source.path)
    return None


def _end_tally(task: _TrackedJob, event: Done | Failed | Death) -> Tally:
    """Returns the counts of the end of an input: one input, and the damage if it was not read to the end."""
    tally = Tally(inputs=1)
    if not isinstance(event, Done):
        died = f"{_MAX_DEATHS} workers died here, between pages: " if isinstance(event, Death) else ""
        why = _without(task.source.path, event.why)
        tally.add_damage(Damage(f"{died}{why}", task.source.path, unread=True))
    return tally


def _without(path: str, what: str) -> str:
    """Returns an error without the path that it begins with, since damage names its input."""
    return what.removeprefix(f"{path}: ")


def _give_up_rest(batch: _Batch, death: Death, limits: Limits) -> Chunk:
    """Gives up the remaining pages of a batch, when workers die and no single page is the cause."""
    assert isinstance(batch.job, PagesJob)
    tally = Tally()
    left = batch.job.pages[batch.items :]
    for page in left:
        tally.add_quarantined(death.reason, death.why, page)
    records = b"".join(warc_record(page, limits) for page in left)
    return Chunk(b"", tally, len(left), batch.offset, records)


# One input at a time, for callers that divide the work themselves


def _chunks(task: _TrackedJob, pool: Pool) -> Generator[Chunk, None, Done | Failed | Death]:
    """Runs a job in an idle pool of one worker; yields its chunks and returns its last event."""
    pool.submit(task.job)
    while True:
        for _, event in pool.poll(_POLL_SECONDS):
            if isinstance(event, Chunk):
                task.advance(event)
                yield event
                continue
            note = _note(task, event)
            if note is not None:
                yield Chunk(b"", Tally(notes=[note]), 0, -1)
            if isinstance(event, Waiting):
                continue
            if isinstance(event, Death) and task.job_after(event):
                pool.submit(task.job)
            else:
                return event


def cleaned(source: Input, pool: Pool) -> Iterator[Chunk]:
    """Cleans an input in an idle pool of one worker; yields the results in order.

    The last chunk counts the input. A caller that stops before it has to close the pool.

    Raises:
        WorkerError: workers end before they are ready.
    """
    task = _TrackedJob(source, FileJob(path=source.path))
    end = yield from _chunks(task, pool)
    yield Chunk(b"", _end_tally(task, end), 0, source.size)


def cleaned_items(items: Iterable[Page | Skip | Damage], pool: Pool, limits: Limits) -> Iterator[Chunk]:
    """Cleans items that the caller has read, as `cleaned` does; `limits` are those they were read with."""
    for part in _batches((Input(item.source, "", -1), item) for item in items):
        if isinstance(part, _CountedItem):
            yield Chunk(b"", part.tally, 1, part.offset)
            continue
        end = yield from _chunks(part, pool)
        if isinstance(end, Death):
            yield _give_up_rest(part, end, limits)


def run(
    inputs: list[Input],
    settings: Settings,
    *,
    output: str | Path | BinaryIO,
    jobs: int = 1,
    progress: Progress = no_progress,
    again: bool = False,
    quarantine: str | Path | None = None,
) -> Tally:
    """Cleans all inputs.

    Args:
        inputs: see `find_inputs`.
        settings: method, model, formats, limits.
        output: a directory for one file per input; or a file (a path with a suffix) or a binary stream for
            all results, in the order of the inputs. Directory and file may be URLs for fsspec.
        jobs: number of worker processes; the output does not depend on it.
        progress: called after each part of the work.
        again: also clean inputs that an earlier run into the same directory has finished. By default, an
            input is passed over if its output exists and neither the input nor the settings have changed.
        quarantine: a WARC for the records of pages given up because they killed, held up or broke a worker,
            if the output is not a directory. In a directory, they go to `QUARANTINE`, to a WARC for each
            input.

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
    names = output_names(inputs, settings.sink().suffix) if to_directory else {}
    if isinstance(output, str | Path):
        place = str(output)
        check_replaced(inputs, (f"{place}/{name}" for name in names.values()) if to_directory else [place])
    # raises errors in method, model or encoding here, not in each worker
    settings.cleaner()
    with Pool(jobs, settings) as pool:
        work = _Run(settings, pool, jobs, progress)
        with output_errors(output):
            if isinstance(output, str | Path) and to_directory:
                _to_directory(work, names, folder_at(output), again)
            else:
                records = folder_and_name(quarantine) if quarantine is not None else None
                file: AbstractContextManager[BinaryIO]
                if isinstance(output, str | Path):
                    folder, name = folder_and_name(output)
                    file = folder.file(name)
                else:
                    file = nullcontext(output)
                with open_output(file, settings, records) as out:
                    if jobs == 1 and not any(source.is_pipe for source in inputs):
                        work.by_file(inputs, lambda source: nullcontext(out))
                    else:
                        work.spread(inputs, out)
    return work.total


def _to_directory(work: _Run, names: Mapping[Input, str], folder: Folder, again: bool) -> None:
    """Writes an output and a line in the manifest for each input that is not finished yet."""
    settings = work.settings
    record = settings_record(settings, settings.fingerprint())
    with open_manifest(folder, record, again) as manifest:

        @contextmanager
        def output_of(source: Input) -> Iterator[Output]:
            began = time.monotonic()
            work.tallies[source] = Tally()
            with open_output_in(folder, names[source], settings) as output:
                yield output
            manifest.add(source, names[source], work.tallies.pop(source), time.monotonic() - began)

        left = unfinished(names, manifest, work.count)
        to_spread = _inputs_to_spread(left, work.jobs)
        for source in to_spread:
            with output_of(source) as output:
                work.spread([source], output)
        work.by_file([source for source in left if source not in to_spread], output_of)


def unfinished(names: Mapping[Input, str], manifest: Manifest, count: Progress) -> list[Input]:
    """Returns the inputs that no earlier run has finished; counts the others.

    `names` has the name of the output of each input.
    """
    left: list[Input] = []
    for source, name in names.items():
        if manifest.is_finished(source, name):
            count(Tally(resumed=1), source, source.size)
        else:
            left.append(source)
    if manifest.changed:
        count(Tally(notes=_cleaned_again_notes(manifest.changed)), left[0], 0)
    return left


def _cleaned_again_notes(changed: Mapping[str, int]) -> list[Note]:
    """Returns notes that say why finished inputs are cleaned again."""
    notes = []
    for name, number in sorted(changed.items()):
        have, were = ("has", "was") if number == 1 else ("have", "were")
        known = {"input": f"that {have} changed since", "output": "whose output is missing or has changed"}
        why = known.get(name, f"that {were} cleaned with another {name}")
        notes.append(Note("cleaned_again", f"cleaning {counted(number, 'input')} again {why}"))
    return notes


def _inputs_to_spread(inputs: list[Input], jobs: int) -> list[Input]:
    """Returns the inputs to spread over all workers: pipes, and inputs larger than one worker's share."""
    share = sum(max(source.size, 0) for source in inputs) / jobs
    return [source for source in inputs if source.is_pipe or (jobs > 1 and source.size > share)]
