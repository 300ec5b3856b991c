"""Worker processes: each cleans what it is given and streams the results back.

A worker that dies or falls silent for longer than a page may take is replaced; who gave it the job learns
how far it came. Native code cannot be stopped inside a process, so this is what really bounds a page.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Literal, Protocol

from ncleaner.archive import InputFormat, read
from ncleaner.cleaner import DEFAULT_METHOD, DEFAULT_MODEL, Cleaner
from ncleaner.decision import Preset
from ncleaner.errors import NcleanerError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.report import Tally
from ncleaner.sinks import Sink, SinkOptions, make_sink

__all__ = ["Chunk", "FileJob", "Job", "PagesJob", "Pool", "Settings"]

# A worker sends what it has when one of these is reached.
_CHUNK_PAGES = 64
_CHUNK_BYTES = 1 << 20
_CHUNK_SECONDS = 0.5
# What a worker may take beyond a page's own time: to start, to read, to send.
_GRACE = 20.0
# How long a worker whose parent was killed may live on.
_ORPHAN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a worker needs to know; what the output depends on besides the input."""

    method: str = DEFAULT_METHOD
    model: str = DEFAULT_MODEL
    threshold: float | Preset | None = None
    output_format: str = "text"
    sink_options: SinkOptions = field(default_factory=SinkOptions)
    input_format: InputFormat = "auto"
    encoding: str | None = None
    alt_text: bool = False
    comments: bool = True
    limits: Limits = field(default_factory=Limits)
    set_off: bool = False  # documents are set off even where an input is one page
    marker: str | None = None  # see `archive.read`

    def cleaner(self) -> Cleaner:
        """The cleaner they describe. Raises as `Cleaner` does."""
        return Cleaner(
            self.method,
            self.model,
            threshold=self.threshold,
            comments=self.comments,
            limits=self.limits,
            encoding=self.encoding,
            alt_text=self.alt_text,
        )

    def sink(self) -> Sink:
        """The sink they describe. Raises as `make_sink` does."""
        return make_sink(self.output_format, self.sink_options)


@dataclass(slots=True)
class Chunk:
    """Part of a job's results.

    Attributes:
        output: rendered pages, in order.
        tally: what they add to the counts.
        items: how many items of the input (pages, skipped records, damages) it covers.
        offset: byte offset in the input of the last of them; -1 where it has none.
    """

    output: bytes
    tally: Tally
    items: int
    offset: int


@dataclass(slots=True)
class _State:
    settings: Settings
    cleaner: Cleaner
    sink: Sink


def _chunks(items: Iterable[Page | Skip | Damage], state: _State) -> Iterator[Chunk]:
    """Cleans and renders pages. The one place where a page's failure is caught."""
    parts: list[bytes] = []
    size = count = 0
    offset = -1
    tally = Tally()
    since = time.monotonic()
    for item in items:
        if isinstance(item, Page):
            try:
                document, kept = state.cleaner.page(item)
                single = item.offset < 0 and not state.settings.set_off
                part = state.sink.render(item, document, kept, single)
            except NcleanerError as error:
                tally.add_lost(type(error).__name__, str(error), item.url, item.source, item.offset)
            except MemoryError:
                tally.add_lost("out of memory", "not enough memory", item.url, item.source, item.offset)
            else:
                tally.add_page(document, kept, len(item.body))
                parts.append(part)
                size += len(part)
        elif isinstance(item, Skip):
            tally.add_skip(item)
        else:
            tally.add_damage(item)
        count += 1
        offset = item.offset
        if count >= _CHUNK_PAGES or size >= _CHUNK_BYTES or time.monotonic() - since >= _CHUNK_SECONDS:
            yield Chunk(b"".join(parts), tally, count, offset)
            parts, size, count, tally, since = [], 0, 0, Tally(), time.monotonic()
    if count:
        yield Chunk(b"".join(parts), tally, count, offset)


class Job(Protocol):
    """Work for a worker process; picklable."""

    def run(self, state: _State) -> Iterator[Chunk]:
        """Does it, in chunks."""
        ...


@dataclass(frozen=True, slots=True)
class FileJob:
    """A whole input, read and cleaned in the worker."""

    path: str

    def run(self, state: _State) -> Iterator[Chunk]:
        """Reads the file and cleans its pages."""
        settings = state.settings
        items = read(
            self.path, input_format=settings.input_format, limits=settings.limits, marker=settings.marker
        )
        return _chunks(items, state)


@dataclass(frozen=True, slots=True)
class PagesJob:
    """Pages that the parent has read."""

    pages: tuple[Page, ...]

    def run(self, state: _State) -> Iterator[Chunk]:
        """Cleans them."""
        return _chunks(self.pages, state)


# -------------------------------------------------------------------------------------------------


def _work(connection: Connection, settings: Settings) -> None:
    """Main function of a worker."""
    # the parent alone decides what an interrupt means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    state = _State(settings, settings.cleaner(), settings.sink())
    parent = multiprocessing.parent_process()
    while True:
        # a parent that was killed closes nothing: the other workers hold its end of the pipe open, too
        while not connection.poll(_ORPHAN_SECONDS):
            if parent is not None and not parent.is_alive():
                return
        try:
            job = connection.recv()
        except EOFError:
            return
        if job is None:
            return
        try:
            for chunk in job.run(state):
                connection.send(("chunk", chunk))
            connection.send(("done", None))
        except NcleanerError as error:
            connection.send(("failed", str(error)))
        except (BrokenPipeError, ConnectionResetError):
            return
        except Exception:
            # a bug of ours: the page is given up like one that kills the process, and the bug is shown
            connection.send(("lost", traceback.format_exc(limit=-3)))


Event = tuple[Literal["chunk", "done", "failed", "lost"], Job, Chunk | str | None]


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job | None = None
    heard: float = 0.0


class Pool:
    """Worker processes that take one job at a time.

    Args:
        jobs: how many.
        settings: for all of them.
    """

    def __init__(self, jobs: int, settings: Settings) -> None:
        self._settings = settings
        self._context = multiprocessing.get_context()
        self._workers = [self._start() for _ in range(jobs)]

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._settings), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.job is not None:
                worker.process.kill()
            else:
                with suppress(BrokenPipeError, ConnectionResetError):
                    worker.connection.send(None)
            worker.connection.close()
        for worker in self._workers:
            worker.process.join(5)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()

    @property
    def idle(self) -> int:
        """Workers without a job."""
        return sum(worker.job is None for worker in self._workers)

    @property
    def busy(self) -> bool:
        """Whether any worker has a job."""
        return any(worker.job is not None for worker in self._workers)

    def submit(self, job: Job) -> None:
        """Gives a job to an idle worker. Raises RuntimeError when there is none."""
        for position, worker in enumerate(self._workers):
            if worker.job is None:
                worker.job, worker.heard = job, time.monotonic()
                try:
                    worker.connection.send(job)
                except (BrokenPipeError, ConnectionResetError):
                    # it died while idle
                    self._workers[position] = worker = self._replace(worker)
                    worker.job, worker.heard = job, time.monotonic()
                    worker.connection.send(job)
                return
        raise RuntimeError("no idle worker")

    def _replace(self, worker: _Worker) -> _Worker:
        worker.process.kill()
        worker.process.join()
        worker.connection.close()
        return self._start()

    def poll(self, seconds: float) -> list[Event]:
        """What the busy workers have to say; waits up to `seconds` for the first word."""
        busy = {
            worker.connection: position
            for position, worker in enumerate(self._workers)
            if worker.job is not None
        }
        events: list[Event] = []
        patience = self._settings.limits.seconds + _GRACE
        ready = wait(list(busy), seconds) if busy else []
        for connection in ready:
            position = busy[connection]  # type: ignore[index]
            worker = self._workers[position]
            assert worker.job is not None
            try:
                word, content = worker.connection.recv()
            except (EOFError, ConnectionResetError):
                events.append(("lost", worker.job, _obituary(worker.process)))
                self._workers[position] = self._replace(worker)
                continue
            worker.heard = time.monotonic()
            events.append((word, worker.job, content))
            if word != "chunk":
                worker.job = None
        now = time.monotonic()
        for position, worker in enumerate(self._workers):
            if worker.job is not None and worker.connection not in ready and now - worker.heard > patience:
                why = f"no answer for {patience:.0f} seconds"
                events.append(("lost", worker.job, why))
                self._workers[position] = self._replace(worker)
        return events


def _obituary(process: BaseProcess) -> str:
    process.join(5)
    code = process.exitcode
    if code is not None and code < 0:
        return f"the worker was killed by {signal.Signals(-code).name}"
    return f"the worker ended with status {code}"
