"""Worker processes: each cleans what it is given and streams the results back.

A worker that dies, or is at a page for longer than it may be, is replaced; who gave it the job learns how far
it came, and at which page it was. Native code cannot be stopped inside a process, so this is what really
bounds a page.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext, ForkContext, ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal

from ncleaner.archive import InputFormat, read
from ncleaner.cleaner import DEFAULT_METHOD, DEFAULT_MODEL, Cleaner
from ncleaner.decision import Preset
from ncleaner.errors import NcleanerError, WorkerError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.quarantine import warc_record
from ncleaner.report import Tally
from ncleaner.sinks import Sink, SinkOptions, make_sink

__all__ = ["Chunk", "Death", "FileJob", "GivenUp", "Job", "PagesJob", "Pool", "Settings"]

# A worker sends what it has when one of these is reached.
_CHUNK_PAGES = 64
_CHUNK_BYTES = 1 << 20
_CHUNK_SECONDS = 0.5
# How long a worker that is at no page may say nothing: it starts, or passes over a record of many gigabytes.
_SILENCE = 600.0
# How many workers in a row may end before they are ready to work.
_STILLBORN = 5
_PR_SET_PDEATHSIG = 1
# Names a file of Python that each worker runs first: how tests make pages deadly.
_HOOK = "NCLEANER_WORKER_HOOK"


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
        quarantine: WARC records of pages that were given up for what they did to a worker.
    """

    output: bytes
    tally: Tally
    items: int
    offset: int
    quarantine: bytes = b""


@dataclass(frozen=True, slots=True)
class Death:
    """How a worker came to its end.

    Attributes:
        reason: a few words, for counting.
        why: a sentence.
        item: number, in the job, of the page that it was at; -1 if at none.
        deaths: how many of this kind there have to be at a page before the page is to blame.
    """

    reason: str
    why: str
    item: int
    deaths: int = 2


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A page that is not to be cleaned: it has ended workers. `quarantine`: its record is to be kept."""

    reason: str
    why: str
    quarantine: bool = True


class _Watch:
    """What a worker is at, for its parent to see: it stays readable when the worker is dead or hangs."""

    def __init__(self, context: BaseContext) -> None:
        # two numbers, each written in one piece: the item, and since when; 0 where it is at no page
        self._at = context.RawArray("d", 2)

    def begin(self, item: int, now: float) -> None:
        self._at[0] = item
        self._at[1] = now

    def end(self) -> None:
        self._at[1] = 0.0

    @property
    def item(self) -> int:
        return int(self._at[0]) if self._at[1] else -1

    def seconds(self, now: float) -> float:
        """How long the worker has been at its page; 0 if it is at none."""
        since = self._at[1]
        return now - since if since else 0.0


@dataclass(slots=True)
class _State:
    settings: Settings
    cleaner: Cleaner
    sink: Sink
    watch: _Watch


def _clean(page: Page, state: _State, tally: Tally) -> bytes:
    """A page's output. The one place where a page's failure is caught."""
    began = time.monotonic()
    try:
        document, kept = state.cleaner.page(page)
        part = state.sink.render(page, document, kept, page.offset < 0 and not state.settings.set_off)
    except NcleanerError as error:
        tally.add_lost(type(error).__name__, str(error), page)
        return b""
    tally.add_page(page, document, kept, time.monotonic() - began)
    return part


@dataclass(frozen=True, slots=True)
class Job:
    """Work for a worker process; picklable.

    Attributes:
        skip: so many items have been dealt with before.
        given_up: pages that are not to be cleaned, by the number of their item.
        singly: results up to this item are sent one by one, lest they are lost with another worker.
    """

    skip: int = 0
    given_up: Mapping[int, GivenUp] = field(default_factory=dict)
    singly: int = -1

    def items(self, settings: Settings) -> Iterable[Page | Skip | Damage]:
        """What there is to do. Raises InputError if it cannot be read at all."""
        raise NotImplementedError

    def run(self, state: _State) -> Iterator[Chunk]:
        """Does it, in chunks."""
        parts: list[bytes] = []
        quarantine: list[bytes] = []
        size = count = 0
        offset = -1
        tally = Tally()
        since = time.monotonic()
        for number, item in enumerate(self.items(state.settings)):
            if number < self.skip:
                continue
            if isinstance(item, Page):
                state.watch.begin(number, time.monotonic())
                known = self.given_up.get(number)
                try:
                    part = b"" if known else _clean(item, state, tally)
                except MemoryError:
                    part, known = b"", GivenUp("out of memory", "not enough memory")
                if known:
                    tally.add_quarantined(known.reason, known.why, item)
                    if known.quarantine:
                        quarantine.append(warc_record(item, state.settings.limits))
                state.watch.end()
                parts.append(part)
                size += len(part)
            else:
                tally.add_item(item)
            count += 1
            offset = item.offset
            if (
                count >= _CHUNK_PAGES
                or size >= _CHUNK_BYTES
                or number <= self.singly
                or time.monotonic() - since >= _CHUNK_SECONDS
            ):
                yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))
                parts, quarantine, size, count = [], [], 0, 0
                tally, since = Tally(), time.monotonic()
        if count:
            yield Chunk(b"".join(parts), tally, count, offset, b"".join(quarantine))


@dataclass(frozen=True, slots=True)
class FileJob(Job):
    """A whole input, read and cleaned in the worker."""

    path: str = ""

    def items(self, settings: Settings) -> Iterable[Page | Skip | Damage]:
        """Reads the file."""
        return read(
            self.path, input_format=settings.input_format, limits=settings.limits, marker=settings.marker
        )


@dataclass(frozen=True, slots=True)
class PagesJob(Job):
    """Pages that the parent has read."""

    pages: tuple[Page, ...] = ()

    def items(self, settings: Settings) -> Iterable[Page | Skip | Damage]:
        """They are at hand."""
        return self.pages


# -------------------------------------------------------------------------------------------------


def _work(
    connection: Connection, settings: Settings, watch: _Watch, hook: str, inherited: Iterable[Connection]
) -> None:
    """Main function of a worker."""
    # the parent alone decides what an interrupt means
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.close()
    _die_with_parent()
    _bound_memory(settings.limits.memory)
    if hook:
        runpy.run_path(hook)
    state = _State(settings, settings.cleaner(), settings.sink(), watch)
    # a parent that has no more need of us, or is no more, closes its end, even in the middle of a word
    with suppress(EOFError, OSError):
        connection.send(("ready", None))
        while (job := connection.recv()) is not None:
            try:
                for chunk in job.run(state):
                    connection.send(("chunk", chunk))
                connection.send(("done", None))
            except NcleanerError as error:
                connection.send(("failed", str(error)))
            except (BrokenPipeError, ConnectionResetError):
                return
            except Exception as error:
                # a bug of ours: the page is given up like one that kills the process
                death = Death("failed", _bug(error), watch.item)
                watch.end()
                connection.send(("lost", death))


def _bug(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} (in {where.name}, {Path(where.filename).name}:{where.lineno}), an error of this program"


def _die_with_parent() -> None:
    """Has the system kill this process when its parent ends: one that hangs sees no pipe close."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _bound_memory(size: int | None) -> None:
    """Has the system refuse this process more than so many bytes."""
    if size is None:
        return
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))


Event = tuple[Literal["chunk", "done", "failed", "lost"], Job, Chunk | Death | str | None]


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    watch: _Watch
    job: Job | None = None
    heard: float = 0.0
    ready: bool = False


class Pool:
    """Worker processes that take one job at a time.

    Args:
        jobs: how many.
        settings: for all of them.
    """

    def __init__(self, jobs: int, settings: Settings) -> None:
        self._settings = settings
        self._stillborn = 0
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            self._workers.append(self._start())

    def _start(self) -> _Worker:
        tries = 1
        while True:
            try:
                return self._started()
            except (EOFError, OSError) as error:
                # the server that workers are forked from may have been killed: the next try begins a new one
                if tries == _STILLBORN:
                    raise WorkerError(f"workers cannot be started: {error}") from error
                tries += 1

    def _started(self) -> _Worker:
        context = _context()
        ours, theirs = context.Pipe()
        watch = _Watch(context)
        # a copy of this process has its ends of all pipes, too, and would keep them open
        inherited = () if _begins_clean(context) else (ours, *(worker.connection for worker in self._workers))
        arguments = (theirs, self._settings, watch, os.environ.get(_HOOK, ""), inherited)
        process = context.Process(target=_work, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # Python counts the system's threads, NumPy's among them, which know of forks
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            process.start()
        theirs.close()
        return _Worker(process, ours, watch)

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
        """Gives a job to an idle worker.

        Raises:
            RuntimeError: there is none.
            WorkerError: see `poll`.
        """
        position = next((i for i, worker in enumerate(self._workers) if worker.job is None), None)
        if position is None:
            raise RuntimeError("no idle worker")
        while True:
            worker = self._workers[position]
            try:
                worker.connection.send(job)
            except OSError:
                # it died while idle, or is not ready
                if not worker.ready:
                    self._bury(_obituary(worker))
                self._workers[position] = self._replace(worker)
                continue
            worker.job, worker.heard = job, time.monotonic()
            return

    def _replace(self, worker: _Worker) -> _Worker:
        worker.process.kill()
        worker.process.join()
        worker.connection.close()
        return self._start()

    def poll(self, seconds: float) -> list[Event]:
        """What the busy workers have to say; waits up to `seconds` for the first word.

        Raises:
            WorkerError: one worker after the other ends before it is ready to work.
        """
        busy = {
            worker.connection: position
            for position, worker in enumerate(self._workers)
            if worker.job is not None
        }
        events: list[Event] = []
        ready = wait(list(busy), seconds) if busy else []
        for connection in ready:
            position = busy[connection]  # type: ignore[index]
            worker = self._workers[position]
            assert worker.job is not None
            try:
                word, content = worker.connection.recv()
            except (EOFError, OSError):
                # it may have been killed in the middle of a word
                death = _obituary(worker)
                self._workers[position] = self._replace(worker)
                if worker.ready:
                    events.append(("lost", worker.job, death))
                else:
                    self._bury(death)
                    self.submit(worker.job)
                continue
            worker.heard = time.monotonic()
            if word == "ready":
                worker.ready = True
                self._stillborn = 0
                continue
            events.append((word, worker.job, content))
            if word != "chunk":
                worker.job = None
        for position, worker in enumerate(self._workers):
            if worker.job is None or worker.connection in ready:
                continue
            overdue = self._overdue(worker, time.monotonic())
            if overdue is not None:
                events.append(("lost", worker.job, overdue))
                self._workers[position] = self._replace(worker)
        return events

    def _bury(self, death: Death) -> None:
        """Counts a worker that has ended before it was ready: none of its work is to blame."""
        self._stillborn += 1
        if self._stillborn == _STILLBORN:
            raise WorkerError(f"workers end before they can begin: {death.why}")

    def _overdue(self, worker: _Worker, now: float) -> Death | None:
        limit = self._settings.limits.seconds
        if worker.watch.seconds(now) > limit:
            return Death("too slow", f"not finished after {limit:g} seconds", worker.watch.item)
        if not worker.watch.seconds(now) and now - worker.heard > _SILENCE:
            return Death("silent", f"the worker has said nothing for {_SILENCE:g} seconds", -1)
        return None


_Context = ForkContext | ForkServerContext | SpawnContext


def _context() -> _Context:
    """How a worker begins: as a copy of this process, which costs nothing, if it has no threads that may just
    now hold a lock; else as a copy of a clean process that has what a worker needs."""
    methods = multiprocessing.get_all_start_methods()
    if "fork" in methods and sys.platform != "darwin" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    if "forkserver" not in methods:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    return context


def _begins_clean(context: _Context) -> bool:
    return context.get_start_method() != "fork"


def _obituary(worker: _Worker) -> Death:
    worker.process.join(5)
    code = worker.process.exitcode
    if code is not None and code < 0:
        why = f"the worker was killed by {signal.Signals(-code).name}"
    else:
        why = f"the worker ended with status {code}"
    # a process does not do that to itself: it may have been for its memory, or anybody's whim
    outside = code in (-signal.SIGKILL, -signal.SIGTERM)
    return Death("killed its worker", why, worker.watch.item, 3 if outside else 2)
