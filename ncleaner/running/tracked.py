"""Jobs of a run with their progress, and with the deaths of their workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ncleaner.page import Damage
from ncleaner.pools.pool import Death, Done, Failed, Waiting
from ncleaner.reading.inputs import Input
from ncleaner.running.jobs import Chunk, GivenUp, Job
from ncleaner.running.tally import Note, Tally

__all__ = ["Progress", "TrackedJob", "end_tally", "note_of", "without"]

# Workers that may die in a row, between pages, at the same place of an input.
_MAX_DEATHS = 5
# Items after such a place whose results are sent one by one, so that fewer are lost with the next worker.
_SEND_EACH = 200

# Called with the counts since the last call, the input, and the offset reached in it (-1: unknown), which is
# the input's size when it is finished.
Progress = Callable[[Tally, Input, int], None]


@dataclass(slots=True)
class TrackedJob:
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

    @property
    def path(self) -> str:
        """Path of the input that is read next."""
        return self.source.path

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


def note_of(task: TrackedJob, event: Waiting | Done | Failed | Death) -> Note | None:
    """Returns what is said of a worker that waits, or has been replaced between two pages."""
    if isinstance(event, Waiting):
        return Note("waiting", event.what, task.path)
    if isinstance(event, Death) and event.item < 0:
        return Note("worker_replaced", f"{event.why}; another one goes on", task.path)
    return None


def end_tally(source: Input, event: Done | Failed | Death) -> Tally:
    """Returns the counts of the end of an input: one input, and the damage if it was not read to the end."""
    tally = Tally(inputs=1)
    if not isinstance(event, Done):
        died = f"{_MAX_DEATHS} workers died here, between pages: " if isinstance(event, Death) else ""
        why = without(source.path, event.why)
        tally.add_damage(Damage(f"{died}{why}", source.path, unread=True))
    return tally


def without(path: str, what: str) -> str:
    """Returns an error without the path that it begins with, since damage names its input."""
    return what.removeprefix(f"{path}: ")
