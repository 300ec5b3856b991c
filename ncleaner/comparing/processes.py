"""One tool over many pages, in a process of its own: what it makes of each page, and its CPU time.

A tool may raise, crash its process, or never end; this costs the page, and nothing else.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from statistics import median
from types import TracebackType
from typing import NamedTuple, Self

from ncleaner.comparing.gold import GoldPage
from ncleaner.comparing.peers import Extractor
from ncleaner.comparing.tools import Tool
from ncleaner.errors import EvaluationError, NcleanerError
from ncleaner.spawning import spawn_context

__all__ = ["Outcome", "ToolError", "run"]

# pages at even distances that a process cleans before its time counts: models and tables are loaded by then
_WARM_UP = 8
# seconds between two looks at `stop`
_GLANCE = 0.2
# seconds in which a process has to be ready: imports and models, on a slow disk
_START = 300.0
# seconds in which it has to end when there are no more pages
_LEAVE = 5.0
_SPACE = re.compile(r"\s+")


class ToolError(EvaluationError):
    """A tool that cannot run at all; `missing`: its package is not installed."""

    def __init__(self, reason: str, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool made of one page.

    Attributes:
        text: in CleanEval's format.
        failure: why there is nothing; empty otherwise.
        seconds: CPU time of the process in each round; empty for a failure.
    """

    text: bytes = b""
    failure: str = ""
    seconds: tuple[float, ...] = ()

    @property
    def time(self) -> float | None:
        """Median CPU time in seconds; None for a failure."""
        return median(self.seconds) if self.seconds else None


class _Answer(NamedTuple):
    """What the process of a tool says of one page."""

    text: bytes = b""
    failure: str = ""
    seconds: float = 0.0


def run(
    tool: Tool,
    pages: Sequence[GoldPage],
    *,
    rounds: int = 1,
    seconds: float = 60.0,
    progress: Callable[[], None] | None = None,
    stop: threading.Event | None = None,
) -> list[Outcome]:
    """Cleans all pages with a tool, in a process of its own, so many times.

    Args:
        tool: the tool.
        pages: the pages.
        rounds: how often all pages are cleaned; the text is that of the first round.
        seconds: the wall-clock time that a page may take.
        progress: called after each page of each round.
        stop: ends the run early if it is set.

    Returns:
        An outcome for each page.

    Raises:
        ToolError: the tool cannot run at all.
    """
    answers: list[list[_Answer]] = [[] for _ in pages]
    with _Process(tool, pages, seconds, stop or threading.Event()) as process:
        for _ in range(rounds):
            for page, found in zip(pages, answers, strict=True):
                if not (found and found[-1].failure):
                    found.append(process.clean(page))
                if progress is not None:
                    progress()
    return [_outcome(found) for found in answers]


def _outcome(answers: Sequence[_Answer]) -> Outcome:
    if answers[-1].failure:
        return Outcome(failure=answers[-1].failure)
    return Outcome(answers[0].text, seconds=tuple(answer.seconds for answer in answers))


class _Process:
    """The process of a tool; a new one where the old one has ended."""

    def __init__(self, tool: Tool, pages: Sequence[GoldPage], seconds: float, stop: threading.Event) -> None:
        count = min(_WARM_UP, len(pages))
        self._warm_up = [pages[i * len(pages) // count] for i in range(count)]
        self._tool = tool
        self._seconds = seconds
        self._stop = stop
        # pages that ended a process are not tried again: {name: why}
        self._fatal: dict[str, str] = {}
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._connection is not None and self._process is not None:
            # it waits for a page, and ends when there will be none
            self._connection.close()
            self._process.join(_LEAVE)
        self._end()

    def clean(self, page: GoldPage) -> _Answer:
        """Cleans a page. Raises ToolError: the tool cannot run at all."""
        while self._process is None and page.name not in self._fatal:
            self._start()
            for other in self._warm_up:
                self._ask(other)
                if self._process is None:
                    break
        return self._ask(page)

    def _start(self) -> None:
        context = spawn_context()
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._tool), daemon=True)
        self._process.start()
        theirs.close()
        refusal = self._receive(_START)
        if isinstance(refusal, ToolError):
            raise refusal
        if refusal is not None:
            raise ToolError(f"its process did not start: {refusal}")

    def _ask(self, page: GoldPage) -> _Answer:
        if page.name in self._fatal:
            return _Answer(failure=self._fatal[page.name])
        assert self._connection is not None
        try:
            self._connection.send(page)
        except OSError:
            answer: object = self._lost()
        else:
            answer = self._receive(self._seconds)
        if isinstance(answer, _Answer):
            return answer
        self._fatal[page.name] = str(answer)
        return _Answer(failure=str(answer))

    def _receive(self, seconds: float) -> object:
        """Returns what the process sends; or why there is nothing, when the process has been ended."""
        assert self._connection is not None
        deadline = time.monotonic() + seconds
        while not self._connection.poll(max(0, min(_GLANCE, deadline - time.monotonic()))):
            if self._stop.is_set():
                self._end()
                raise KeyboardInterrupt
            if time.monotonic() >= deadline:
                self._end()
                return f"more than {seconds:g} seconds"
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            return self._lost()

    def _lost(self) -> str:
        assert self._process is not None
        self._process.join(_GLANCE)
        status = self._process.exitcode
        self._end()
        if status is not None and status < 0:
            try:
                return f"its process died of {signal.Signals(-status).name}"
            except ValueError:
                return f"its process died of signal {-status}"
        return f"its process ended with status {status}"

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None


def _serve(connection: Connection, tool: Tool) -> None:
    """The process of a tool: says whether the tool can run, then answers for each page."""
    # the parent decides when to end
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # tools log and print what they could not parse; the figures show it
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    try:
        extract = tool.make()
    except ImportError as error:
        connection.send(ToolError(str(error), tool.is_peer))
        return
    except NcleanerError as error:
        connection.send(ToolError(str(error)))
        return
    # whatever else another program raises
    except BaseException as error:
        connection.send(ToolError(_said(error)))
        return
    connection.send(None)
    try:
        while True:
            connection.send(_answer(extract, connection.recv()))
    except (EOFError, OSError):
        return


def _answer(extract: Extractor, page: GoldPage) -> _Answer:
    try:
        given = page.page()
        start = time.process_time()
        text = extract(given, page.source.language)
        seconds = time.process_time() - start
    # A panic in Rust is no Exception, and must not end the comparison either.
    except BaseException as error:
        return _Answer(failure=_said(error))
    if not isinstance(text, bytes):
        lines = [_SPACE.sub(" ", line).strip() for line in (text or "").splitlines()]
        text = "".join(f"<p>{line}\n" for line in lines if line).encode("utf-8", "replace")
    return _Answer(text, seconds=seconds)


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
