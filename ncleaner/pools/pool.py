"""Worker processes that take one job at a time and send the results back as messages.

A worker that dies, spends too long on one item, or gives no sign of life otherwise, is replaced. The sender
of its job learns at which item it was. Native code cannot be stopped inside a process, so only this bounds
the time of an item. `results` runs tasks in such workers that need no more than an answer each.
"""

import gc
import math
import multiprocessing
import re
import selectors
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.context import BaseContext, ForkContext, ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ncleaner.errors import NcleanerError, WorkerError
from ncleaner.pools.channel import Channel, pair, receive, send
from ncleaner.pools.interrupts import leave_signals_to_parent, raise_if_ended, signals_wait


class Doing(IntEnum):
    """What a worker can be doing."""

    STARTING = 0
    IDLE = 1
    READING = 2
    ITEM = 3
    SENDING = 4


# Seconds without a sign of life after which a worker that is at no page is replaced, by what it is doing:
# loading its models, taking a job, waiting for bytes of an input (a tape may must be fetched), or sending
# its results. A page has the limit of the run.
_SILENCE = {Doing.STARTING: 120.0, Doing.IDLE: 60.0, Doing.READING: 300.0, Doing.SENDING: 60.0}
_WORDS = {
    Doing.STARTING: "starting",
    Doing.IDLE: "taking a job",
    Doing.READING: "waiting for the input",
    Doing.SENDING: "sending results",
}
# Seconds without a sign of life after which this is said, and after which a worker that the system calls
# stopped is replaced.
_SAID_AFTER = 30.0
STOPPED_AFTER = 5.0
# Seconds between two looks at a worker that gives no sign of life, and between two calls of `poll` after
# which the time of the workers is counted from now: this process was stopped, or its output was full.
_LOOK_EVERY = 0.2
_AWAY = 5.0
# Seconds in which workers end by themselves.
_TO_END = 5.0
# Workers in a row that end before they are ready, after which the run ends.
_MAX_FAILED_STARTS = 5
_PR_SET_PDEATHSIG = 1
# The first message of a worker.
_READY = "ready"
# Seconds between two looks at the results of tasks, and deaths of workers at one task that end them all.
_POLL_SECONDS = 0.2
_MAX_DEATHS = 3


class Activity:
    """What a worker is doing, at which item, and since when, in memory shared with the parent.

    The parent can read it even if the worker hangs or is dead. Times are those of `time.monotonic`. While a
    worker reads, the time is that of the last bytes that it has got.
    """

    def __init__(self, context: BaseContext) -> None:
        # numbers, each written at once: item, time, `Doing`, in this order; and the work done
        self._at = context.RawArray("d", 4)
        self._at[1] = time.monotonic()

    def begin(self, doing: Doing, item: int = -1) -> float:
        """Notes that the worker begins something, at an item or at none. Returns the time."""
        at = self._at
        at[0] = item
        at[1] = now = time.monotonic()
        at[2] = doing
        return now

    def live(self) -> None:
        """Notes that the worker goes on with what it is doing."""
        self._at[1] = time.monotonic()

    def add(self, amount: int) -> None:
        """Adds to the work that the worker has done, such as bytes that it has read."""
        self._at[3] += amount

    @property
    def amount(self) -> int:
        """The work that the worker has done."""
        return int(self._at[3])

    @property
    def doing(self) -> Doing:
        """What the worker is doing."""
        return Doing(int(self._at[2]))

    @property
    def item(self) -> int:
        """Index in the job of the item that the worker is at; -1 if it is at none."""
        return int(self._at[0]) if self._at[2] == Doing.ITEM else -1

    @property
    def since(self) -> float:
        """Time of the begin, or of the last sign of life."""
        return float(self._at[1])


class Job(Protocol):
    """A picklable piece of work."""

    def run(self, state: Any, /) -> Iterator[object]:
        """Does it; yields messages for the parent. `state` is what the pool's `setup` has returned."""
        ...


class Done:
    """A job is done; all its messages have been sent."""


class Failed(NamedTuple):
    """A job cannot be done at all; `why` is a sentence."""

    why: str


class Death(NamedTuple):
    """A worker has ended during a job, or has been killed.

    Attributes:
        reason: a few words, by which items given up are counted.
        why: a sentence.
        item: index in the job of the item that the worker was at; -1 if it was at none.
        deaths_to_give_up: number of deaths at an item after which the item is given up.
    """

    reason: str
    why: str
    item: int
    deaths_to_give_up: int = 2


class Waiting(NamedTuple):
    """A worker has given no sign of life for a while; `what` is a sentence. Its job goes on."""

    what: str


Event = Waiting | Done | Failed | Death
"""The events of a job besides its messages: any number of `Waiting`, and at the end one of the others."""
Setup = Callable[[Activity], Any]


def _work(
    end: socket.socket, setup: Setup, activity: Activity, memory: int | None, inherited: Iterable[Channel]
) -> None:
    """Runs in a worker process: does the jobs that arrive, and sends back their messages."""
    leave_signals_to_parent()
    for other in inherited:
        other.close()
    _die_with_parent()
    _bound_memory(memory)
    sys.unraisablehook = _pass_over_memory
    state = setup(activity)
    # modules and models stay: no need to look for garbage among them again and again
    gc.freeze()
    # the connection is closed, possibly in the middle of a message, when the parent has no more jobs or dies
    with suppress(EOFError, OSError):
        activity.begin(Doing.IDLE)
        send(end, _READY)
        while (job := receive(end)) is not None:
            try:
                for message in job.run(state):
                    send(end, message)
                last: Done | Failed | Death = Done()
            except NcleanerError as error:
                last = Failed(str(error))
            except (BrokenPipeError, ConnectionResetError):
                return
            except Exception as error:
                # a bug in this package: the item is treated like one that kills the process
                last = Death("failed", _bug(error), activity.item)
            activity.begin(Doing.SENDING)
            send(end, last)
            activity.begin(Doing.IDLE)


def _pass_over_memory(unraisable: "sys.UnraisableHookArgs") -> None:
    """Says nothing of what is not closed where the memory ends: the job's own error says it."""
    if not issubclass(unraisable.exc_type, MemoryError):
        sys.__unraisablehook__(unraisable)


def _bug(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"(in {last.name}, {Path(last.filename).name}:{last.lineno})"
    if isinstance(error, MemoryError):
        return f"not enough memory {where}"
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{what} {where}, a bug in ncleaner"


def _die_with_parent() -> None:
    """Asks the system to kill this process when its parent ends; a hung one does not read its pipe."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _bound_memory(size: int | None) -> None:
    """Asks the system to refuse this process more than `size` bytes of data besides what it has now.

    A worker that is forked has all data of the program that starts the run, which may be gigabytes."""
    if size is None:
        return
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    bound = size + _data_size()
    resource.setrlimit(resource.RLIMIT_DATA, (bound if most < 0 else min(bound, most), most))


def _data_size() -> int:
    """Returns the bytes of data of this process; 0 on systems that do not say it."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^VmData:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


@dataclass(slots=True, eq=False, repr=False)
class _Worker:
    process: BaseProcess
    channel: Channel
    activity: Activity
    job: Job | None = None
    number: int = -1
    # time of its last message, or of its job
    heard: float = 0.0
    ready: bool = False
    # time of the last look at its activity, and whether its silence was reported
    seen: float = 0.0
    told: bool = False


class Pool:
    """Worker processes that take one job at a time each.

    Args:
        jobs: number of workers.
        setup: makes the state that the jobs of a worker share; called in each worker, and picklable.
        seconds: longest time for one item of a job.
        memory: bytes of data that a worker may allocate after its start; None for no bound.
        fresh: workers are not forked from this process: it may have threads of libraries.
    """

    def __init__(
        self,
        jobs: int,
        setup: Setup,
        *,
        seconds: float = math.inf,
        memory: int | None = None,
        fresh: bool = False,
    ) -> None:
        if jobs < 1:
            raise ValueError(f"a pool has at least one worker, not {jobs}")
        self._setup = setup
        self._seconds = seconds
        self._memory = memory
        self._fresh = fresh
        self._failed_starts = 0
        self._submitted = 0
        # by workers that have been replaced
        self._done_before = 0
        self._workers: list[_Worker] = []
        # the time of the last `poll`, and that from which the silence of workers counts
        self._polled = self._back = time.monotonic()
        for _ in range(jobs):
            self._workers.append(self._start())

    def _start(self) -> _Worker:
        tries = 1
        while True:
            try:
                return self._start_once()
            except (EOFError, OSError) as error:
                # the fork server may have been killed: the next attempt starts a new one
                if tries == _MAX_FAILED_STARTS:
                    why = getattr(error, "strerror", None) or error
                    raise WorkerError(f"workers cannot be started: {why}") from error
                tries += 1

    def _start_once(self) -> _Worker:
        context = _context(self._fresh, getattr(self._setup, "__module__", __name__))
        channel, theirs = pair()
        activity = Activity(context)
        # a forked worker inherits the parent's ends of all connections, and must close them
        forked = context.get_start_method() == "fork"
        inherited = (channel, *(worker.channel for worker in self._workers)) if forked else ()
        process = _started(context, _work, (theirs, self._setup, activity, self._memory, inherited))
        theirs.close()
        return _Worker(process, channel, activity)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.job is not None:
                worker.process.kill()
            else:
                with suppress(OSError):
                    worker.channel.send(None)
            worker.channel.close()
        until = time.monotonic() + _TO_END
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            if worker.process.is_alive():
                _kill(worker)

    @property
    def amount(self) -> int:
        """The work that all workers have done, as their activities count it."""
        return self._done_before + sum(worker.activity.amount for worker in self._workers)

    @property
    def idle(self) -> int:
        """Workers without a job."""
        return sum(worker.job is None for worker in self._workers)

    @property
    def busy(self) -> bool:
        """Whether any worker has a job."""
        return any(worker.job is not None for worker in self._workers)

    def submit(self, job: Job) -> int:
        """Gives a job to an idle worker.

        Returns:
            The number of the job, which its events carry.

        Raises:
            RuntimeError: no worker is idle.
            WorkerError: see `poll`.
        """
        position = next((i for i, worker in enumerate(self._workers) if worker.job is None), None)
        if position is None:
            raise RuntimeError("no idle worker")
        self._submitted += 1
        self._give(position, job, self._submitted)
        return self._submitted

    def _give(self, position: int, job: Job, number: int) -> None:
        while True:
            worker = self._workers[position]
            try:
                worker.channel.send(job)
            except OSError:
                # the worker died while it was idle, or before it was ready
                if not worker.ready:
                    self._count_failed_start(_death_of(worker))
                self._workers[position] = self._replace(worker)
                continue
            worker.job, worker.number, worker.heard = job, number, time.monotonic()
            return

    def _replace(self, worker: _Worker) -> _Worker:
        self._done_before += worker.activity.amount
        _kill(worker)
        worker.channel.close()
        return self._start()

    def poll(self, seconds: float = _POLL_SECONDS, held: Collection[int] = ()) -> list[tuple[int, Any]]:
        """Returns new messages and events in order, as (number of the job, event).

        It waits up to `seconds` for the first.

        Args:
            seconds: the time to wait.
            held: numbers of jobs whose events are left where they are; their workers wait when they have sent
                what the connection takes.

        Raises:
            WorkerError: several workers in a row have ended before they were ready.
            KeyboardInterrupt: a signal has ended the run (`ending_on_signals`).
        """
        raise_if_ended()
        began = time.monotonic()
        if began - self._polled > _AWAY:
            self._back = began
        events: list[tuple[int, Any]] = []
        with selectors.DefaultSelector() as selector:
            for position, worker in enumerate(self._workers):
                if worker.job is None:
                    continue
                wanted = selectors.EVENT_WRITE if worker.channel.is_sending else 0
                if worker.number in held:
                    # the parent is holding its events back, so it is not stuck
                    worker.heard = began
                else:
                    wanted |= selectors.EVENT_READ
                if wanted:
                    selector.register(worker.channel, wanted, position)
            found = selector.select(seconds) if selector.get_map() else []
        self._polled = now = time.monotonic()
        for key, ready in found:
            self._exchange(key.data, ready, events)
        for position, worker in enumerate(self._workers):
            if worker.job is not None and now - worker.seen >= _LOOK_EVERY:
                worker.seen = now
                self._look(position, now, events)
        return events

    def _exchange(self, position: int, ready: int, events: list[tuple[int, Any]]) -> None:
        """Sends and receives what a worker's connection takes and has."""
        worker = self._workers[position]
        assert worker.job is not None
        try:
            if ready & selectors.EVENT_WRITE:
                worker.channel.send_more()
            if ready & selectors.EVENT_READ:
                worker.heard = time.monotonic()
                worker.told = False
                for message in worker.channel.messages():
                    if message == _READY:
                        worker.ready = True
                        self._failed_starts = 0
                        continue
                    events.append((worker.number, message))
                    if isinstance(message, Done | Failed | Death):
                        worker.job = None
        except (EOFError, OSError):
            # the worker has died, possibly in the middle of a message
            if worker.job is None:
                return  # after its last one: the next job goes to another worker
            self._died(position, _death_of(worker), events)

    def _died(self, position: int, death: Death, events: list[tuple[int, Any]]) -> None:
        """Replaces a worker with a job, and tells of its death, or gives the job on if it was not ready."""
        worker = self._workers[position]
        assert worker.job is not None
        self._workers[position] = self._replace(worker)
        if worker.ready:
            events.append((worker.number, death))
        else:
            self._count_failed_start(death)
            self._give(position, worker.job, worker.number)

    def _look(self, position: int, now: float, events: list[tuple[int, Any]]) -> None:
        """Looks whether a worker with a job is stuck."""
        worker = self._workers[position]
        activity = worker.activity
        doing, item, since = activity.doing, activity.item, max(activity.since, self._back)
        silent = now - since
        if silent > STOPPED_AFTER and is_stopped(worker.process):
            # by another process, so that its page is not the cause
            death = Death("stopped", "the worker was stopped by another process", item, 3)
            self._died(position, death, events)
        elif doing is Doing.ITEM:
            limit = self._seconds
            if silent > limit:
                death = Death("too slow", f"not finished after {limit:g} seconds", item)
                self._died(position, death, events)
        else:
            silent = now - max(since, worker.heard)
            if silent > _SILENCE[doing]:
                why = f"no sign of life for {_SILENCE[doing]:g} seconds while {_WORDS[doing]}"
                self._died(position, Death("silent", f"the worker has given {why}", -1), events)
            elif silent > _SAID_AFTER and not worker.told:
                worker.told = True
                what = f"a worker has been {_WORDS[doing]} for {_SAID_AFTER:g} seconds; "
                events.append((worker.number, Waiting(f"{what}it is replaced after {_SILENCE[doing]:g}")))

    def _count_failed_start(self, death: Death) -> None:
        """Counts a worker that has ended before it was ready, which no page can have caused."""
        self._failed_starts += 1
        if self._failed_starts == _MAX_FAILED_STARTS:
            raise WorkerError(f"workers end before they are ready: {death.why}")


def _kill(worker: _Worker) -> None:
    worker.process.kill()
    # one that waits for a disk cannot be killed, and ends later
    worker.process.join(_TO_END)


def is_stopped(process: BaseProcess) -> bool:
    """Whether the system says that a process is stopped; False on systems that do not say it."""
    try:
        status = Path(f"/proc/{process.pid}/stat").read_bytes()
    except OSError:
        return False
    # the name before may contain anything
    return status.rpartition(b")")[2].split()[:1] == [b"T"]


_Context = ForkContext | ForkServerContext | SpawnContext


def _context(fresh: bool, preload: str = __name__) -> _Context:
    """Returns how workers are started.

    A fork of this process takes no time, and is used if this process has no other thread, which could hold a
    lock at that moment. Otherwise workers are forked from a server process without threads that has a module
    and what it needs loaded.
    """
    methods = multiprocessing.get_all_start_methods()
    if not fresh and "fork" in methods and sys.platform != "darwin" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    if "forkserver" not in methods:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", preload])
    return context


def _started(context: _Context, target: Callable[..., None], arguments: tuple[Any, ...]) -> BaseProcess:
    process = context.Process(target=target, args=arguments, daemon=True)
    with warnings.catch_warnings():
        # Python also counts the threads of libraries such as NumPy, which handle forks themselves
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        if context.get_start_method() != "fork":
            # it unblocks signals when it starts, which have to wait in a fork server that starts after it
            resource_tracker.ensure_running()
        with signals_wait():
            process.start()
    return process


def start(target: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Starts a process of its own, which ends with this one and which an interrupt of the terminal does not
    reach."""
    return _started(_context(True), _alone, (target, *arguments))


def _alone(target: Callable[..., None], *arguments: Any) -> None:
    leave_signals_to_parent()
    _die_with_parent()
    target(*arguments)


def _death_of(worker: _Worker) -> Death:
    worker.process.join(5)
    code = worker.process.exitcode
    # real-time signals have no names
    names = {-member.value: member.name for member in signal.Signals}
    name = names.get(code) if code is not None else None
    if code is not None and code < 0:
        why = f"the worker was killed by {name or f'signal {-code}'}"
    else:
        why = f"the worker ended with status {code}"
    # they come from outside (out-of-memory killer, operator): allow one more try
    outside = name in ("SIGKILL", "SIGTERM")
    return Death("killed its worker", why, worker.activity.item, 3 if outside else 2)


class Worker(NamedTuple):
    """What a task of `results` gets from the worker that runs it.

    Attributes:
        shared: what all tasks share.
        report: called with an amount of work that has been done, such as bytes that have been read.
    """

    shared: Any
    report: Callable[[int], object]
    activity: Activity | None = None


Task = Callable[[Worker], Any]
"""A picklable piece of work with one answer. A second worker may do it again if the first one has died."""


class _Answer(NamedTuple):
    value: Any = None
    error: Exception | None = None


class _TaskJob(NamedTuple):
    task: Task

    def run(self, state: Worker) -> Iterator[object]:
        assert state.activity is not None
        state.activity.begin(Doing.ITEM, 0)
        try:
            yield _Answer(self.task(state))
        except Exception as error:
            yield _Answer(error=error)


def _sharing(shared: Any, activity: Activity) -> Worker:
    """Makes the state of a worker that runs tasks."""
    return Worker(shared, activity.add, activity)


Results = Generator[tuple[int, Any], None, None]
Report = Callable[[int], object]


@contextmanager
def running(
    jobs: int, *, shared: Any = None, report: Report = lambda amount: None
) -> Iterator[Callable[[Iterable[Task]], Results]]:
    """Yields a function that runs tasks in workers, as often as it is called; see `results`."""
    if jobs <= 1:
        yield lambda tasks: _in_this_process(tasks, shared, report)
        return
    with Pool(jobs, partial(_sharing, shared)) as pool:
        yield lambda tasks: _in_workers(tasks, pool, report)


def results(
    tasks: Iterable[Task], jobs: int, *, shared: Any = None, report: Report = lambda amount: None
) -> Results:
    """Runs tasks in workers; yields the index and the answer of each when it ends, in any order.

    An exception of a task, or closing this generator, ends all tasks at once; what they have written remains.

    Args:
        tasks: to run.
        jobs: number of processes; with one, this process runs them.
        shared: what all tasks share; it goes to each worker once.
        report: called here with what tasks report.

    Raises:
        WorkerError: several workers have ended at one task.
        KeyboardInterrupt: a signal has ended the run (`ending_on_signals`).
    """
    if isinstance(tasks, Sized):
        jobs = min(jobs, len(tasks))
    with running(jobs, shared=shared, report=report) as run:
        yield from run(tasks)


def _in_this_process(tasks: Iterable[Task], shared: Any, report: Report) -> Results:
    def counted(amount: int) -> None:
        raise_if_ended()
        report(amount)

    for index, task in enumerate(tasks):
        raise_if_ended()
        yield index, task(Worker(shared, counted))


def _in_workers(tasks: Iterable[Task], pool: Pool, report: Report) -> Results:
    waiting = enumerate(tasks)
    running: dict[int, tuple[int, Task]] = {}
    deaths: dict[int, int] = {}
    reported = pool.amount
    while True:
        while pool.idle and (following := next(waiting, None)) is not None:
            running[pool.submit(_TaskJob(following[1]))] = following
        if not running:
            return
        events = pool.poll()
        # read once: the workers go on meanwhile
        amount = pool.amount
        report(amount - reported)
        reported = amount
        for number, event in events:
            index, task = running[number]
            if isinstance(event, _Answer):
                if event.error is not None:
                    raise event.error
                yield index, event.value
            elif isinstance(event, Death):
                del running[number]
                deaths[index] = deaths.get(index, 0) + 1
                if deaths[index] == _MAX_DEATHS:
                    raise WorkerError(f"{_MAX_DEATHS} workers ended at one task: {event.why}")
                running[pool.submit(_TaskJob(task))] = index, task
            elif isinstance(event, Done):
                del running[number]
