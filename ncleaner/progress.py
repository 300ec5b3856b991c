"""What a run tells people while it goes on: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ncleaner.inputs import Input
from ncleaner.report import Tally

__all__ = ["CountDisplay", "ProgressDisplay"]

# seconds between plain lines
_EVERY = 10.0


class _Display:
    """A rich bar on a terminal, else a plain line on standard error every ten seconds."""

    def __init__(self, total: int | None, quiet: bool) -> None:
        self._quiet = quiet
        self._total = total
        self._console = Console(stderr=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._started = self._said = time.monotonic()

    def __enter__(self) -> Self:
        if not self._quiet and self._console.is_terminal:
            self._bar = Progress(
                BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TextColumn("{task.description}"),
                TimeRemainingColumn(), console=self._console, transient=True, refresh_per_second=5,
            )  # fmt: skip
            self._task = self._bar.add_task("", total=self._total)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self, text: str, done: int) -> None:
        if self._quiet:
            return
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text, completed=done, total=self._total)
            return
        now = time.monotonic()
        if now - self._said >= _EVERY:
            self._said = now
            print(f"ncleaner: {text}{self._left(done, now)}", file=sys.stderr, flush=True)

    def _left(self, done: int, now: float) -> str:
        if not self._total or not done:
            return ""
        seconds = (now - self._started) * (self._total - done) / done
        return f", {100 * done / self._total:.0f} % done, {_duration(seconds)} left"

    def say(self, message: str) -> None:
        """A message for people, above the bar."""
        if self._bar is not None:
            self._bar.console.print(message, markup=False, highlight=False)
        else:
            print(message, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


class ProgressDisplay(_Display):
    """Progress of a cleaning run, by bytes of input; messages of lost pages and damage are shown always."""

    def __init__(self, inputs: Iterable[Input], quiet: bool = False) -> None:
        sizes = [source.size for source in inputs]
        # the length of a pipe is not known
        super().__init__(sum(sizes) if all(size >= 0 for size in sizes) else None, quiet)
        self._reached: dict[Input, int] = {}
        self._done = 0
        self._pages = 0
        self._bytes = 0

    def advance(self, tally: Tally, source: Input, offset: int) -> None:
        """Takes what the engine reports (`engine.Progress`)."""
        for message in tally.messages:
            self.say(f"ncleaner: {message}")
        self._pages += tally.pages
        self._bytes += tally.bytes
        before = self._reached.get(source, 0)
        if offset > before:
            self._done += offset - before
            self._reached[source] = offset
        if tally.inputs:
            self._reached.pop(source, None)
        seconds = max(time.monotonic() - self._started, 1e-3)
        rates = f"{self._pages / seconds:,.0f} pages/s, {self._bytes / seconds / 1e6:.1f} MB/s"
        self._show(f"{self._pages:,} pages, {rates}", self._done)


class CountDisplay(_Display):
    """Progress of work of which the number of steps is known."""

    def __init__(self, what: str, quiet: bool = False) -> None:
        super().__init__(None, quiet)
        self._what = what

    def advance(self, done: int, total: int) -> None:
        """`done` of `total` steps are finished."""
        self._total = total
        self._show(f"{done:,} {self._what}", done)
