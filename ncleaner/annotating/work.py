"""The work on one page as the terminal has it: where the person is, what is chosen, undo, and what is not
saved yet. The web page has the same in its scripts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from ncleaner.annotating.labels import OPEN, PageLabels
from ncleaner.annotating.session import UNDECIDED, ConflictError, Session
from ncleaner.errors import OutputError
from ncleaner.text.counted import counted

__all__ = ["NAMES", "UNSURE", "Work"]

#: What each label is called.
NAMES: Final = {
    "p": "paragraph", "h": "header", "l": "list item", "c": "continues", "o": "drop", UNDECIDED: "undecided",
}  # fmt: skip
#: A guess below this certainty is marked; one above `_SURE` is not offered as doubtful at all.
UNSURE: Final = 0.9
_SURE: Final = 0.97
# a longer pause is no work, in seconds
_IDLE: Final = 60.0

_Step = list[tuple[int, str, str]]


class Work:
    """A page in the hands of a person.

    Args:
        session: where it is saved.
        page: its id.

    Attributes:
        about: what `Session.page` tells of it.
        labels: a letter or `.` for each segment.
        here: the segment where the person is.
        chosen: the segments that the next label is for.
        pending: {segment: label} of changes that are not saved yet.
        trouble: why the last ones could not be saved; empty if they are.
        told: a sentence on the last thing that happened.

    Raises:
        RequestError: the page cannot be read.
    """

    def __init__(self, session: Session, page: str) -> None:
        self._session = session
        self.about: dict[str, Any] = session.page(page)
        self.page = page
        self.labels: list[str] = list(self.about["labels"])
        self._saved = list(self.labels)
        self.revision: int = self.about["revision"]
        self.here = self._anchor = 0
        self.chosen: set[int] = {0} if self.labels else set()
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []
        self._seen: list[int] = []
        self.pending: dict[int, str] = {}
        self.trouble = ""
        self.told = ""
        self._worked = 0.0
        self._last = time.monotonic()
        if self.settling and UNDECIDED in self.about["guess"]:
            self.move(self.about["guess"].index(UNDECIDED))

    @property
    def settling(self) -> bool:
        """The page is one that others disagree about."""
        return bool(self.about["votes"])

    def letter(self, row: int) -> str:
        """The label of a segment, or its guess."""
        label = self.labels[row]
        return str(self.about["guess"][row]) if label == OPEN else label

    def is_doubtful(self, row: int) -> bool:
        """Whether a segment has only a guess, and the guess is not sure."""
        return self.labels[row] == OPEN and self.about["certainty"][row] < UNSURE

    def tick(self) -> None:
        """Counts the time since the last key."""
        now = time.monotonic()
        self._worked += min(now - self._last, _IDLE)
        self._last = now

    # moving -----------------------------------------------------------------------------------------

    def move(self, row: int, extend: bool = False) -> None:
        """Goes to a segment; with `extend`, chooses all up to it."""
        if not self.labels:
            return
        self.here = max(0, min(row, len(self.labels) - 1))
        if not extend:
            self._anchor = self.here
        first, last = sorted((self._anchor, self.here))
        self.chosen = set(range(first, last + 1))
        if extend:
            self.told = f"{counted(len(self.chosen), 'segment')} chosen"

    def choose_all(self) -> None:
        """Chooses all segments."""
        self._anchor = 0
        self.move(len(self.labels) - 1, extend=True)

    def same_style(self) -> None:
        """Chooses all segments with the style of this one."""
        styles = self.about["styles"]
        if not styles:
            return
        self.chosen = {row for row, style in enumerate(styles) if style == styles[self.here]}
        self.told = f"{counted(len(self.chosen), 'segment')} of this style chosen"

    def next_doubt(self) -> None:
        """Goes to the least certain segment that has only a guess; in settling, to the next conflict."""
        certainty = self.about["certainty"]
        if self.settling:
            rows = [row for row in range(len(self.labels)) if self.letter(row) == UNDECIDED]
            best = next((row for row in rows if row > self.here), rows[0] if rows else -1)
        else:
            open_rows = (
                row
                for row, label in enumerate(self.labels)
                if label == OPEN and row not in self._seen and certainty[row] < _SURE
            )
            best = min(open_rows, key=lambda row: (certainty[row], row), default=-1)
        if best < 0:
            self.told = "Nothing doubtful is left; Enter finishes the page"
            return
        self._seen.append(best)
        self.move(best)
        self.told = f"Segment {best + 1}: {NAMES[self.letter(best)]}, {certainty[best]:.0%} sure"

    def last_doubt(self) -> None:
        """Goes back to the doubtful segment before."""
        if self._seen:
            self._seen.pop()
        if self._seen:
            self.move(self._seen[-1])

    # labels -----------------------------------------------------------------------------------------

    def label(self, choose: Callable[[int], str]) -> None:
        """Sets the labels of all chosen segments, and goes to the next segment."""
        if not self.labels:
            return
        step = [(row, self.labels[row], choose(row)) for row in sorted(self.chosen)]
        step = [one for one in step if one[1] != one[2]]
        many, last = len(self.chosen), max(self.chosen)
        whole = last - min(self.chosen) + 1 == many
        self.told = (
            f"{f'{many} segments' if many > 1 else f'Segment {self.here + 1}'}: {NAMES[choose(self.here)]}"
        )
        if step:
            self._undo.append(step)
            self._redo.clear()
            self._set([(row, letter) for row, _, letter in step])
        self.move(last + 1 if whole and last + 1 < len(self.labels) else self.here)

    def keep(self) -> None:
        """Keeps the chosen segments as the kinds that they have in the page."""
        self.label(lambda row: str(self.about["kinds"][row]))

    def drop(self) -> None:
        """Drops the chosen segments."""
        self.label(lambda row: "o")

    def toggle(self) -> None:
        """Keeps what is dropped, or drops what is kept; stays where it is."""
        if not self.labels:
            return
        here = self.here
        if self.letter(here) == "o":
            self.keep()
        else:
            self.drop()
        self.move(here)

    def settle(self, number: int) -> None:
        """Decides as one of the people who disagree."""
        votes = [*self.about["votes"].values()]
        if number < len(votes):
            self.label(lambda row: str(votes[number][row]))

    def undo(self) -> None:
        """Takes the last step back."""
        self._again(self._undo, self._redo, True)

    def redo(self) -> None:
        """Does again what was undone."""
        self._again(self._redo, self._undo, False)

    def _again(self, source: list[_Step], target: list[_Step], back: bool) -> None:
        if not source:
            self.told = "Nothing to undo" if back else "Nothing to do again"
            return
        step = source.pop()
        target.append(step)
        self.told = "Undone" if back else "Done again"
        self._set([(row, old if back else new) for row, old, new in step])
        self.move(step[0][0])

    def _set(self, changes: list[tuple[int, str]]) -> None:
        for row, letter in changes:
            self.labels[row] = letter
        self.pending.update(changes)
        self.save()

    # saving -----------------------------------------------------------------------------------------

    def save(self) -> None:
        """Saves what is not saved yet. What cannot be saved stays, and goes with the next call."""
        while self.pending:
            changes = [*self.pending.items()]
            try:
                saved = self._session.change(self.page, self.revision, changes, self._worked)
            except ConflictError as error:
                self._merge(error.labels)
                continue
            except OutputError as error:
                self.trouble = f"Not saved: {error}. The changes are kept, and saved with the next key."
                return
            self._worked = 0.0
            self.revision = saved.revision
            for row, letter in changes:
                self._saved[row] = letter
            self.pending.clear()
        self.trouble = ""

    def _merge(self, newer: PageLabels) -> None:
        """Takes over newer labels; of segments that were changed on both sides, those of this side are
        there for `redo`."""
        lost = {
            row: letter
            for row, letter in self.pending.items()
            if newer.labels[row] not in (self._saved[row], letter)
        }
        self.pending = {
            row: letter
            for row, letter in self.pending.items()
            if row not in lost and newer.labels[row] != letter
        }
        self._saved = list(newer.labels)
        self.labels = list(newer.labels)
        for row, letter in self.pending.items():
            self.labels[row] = letter
        self.revision = newer.revision
        self._undo.clear()
        self._redo[:] = [[(row, self.labels[row], letter) for row, letter in lost.items()]] if lost else []
        self.told = (
            f"Changed elsewhere, too: {len(lost)} of your changes; r takes yours"
            if lost
            else "The page was changed elsewhere, too; both changes are kept"
        )

    def finish(self) -> bool:
        """Finishes the page; returns whether that was possible."""
        letters = "".join(self.letter(row) for row in range(len(self.labels)))
        if UNDECIDED in letters:
            self.next_doubt()
            self.told = f"{letters.count(UNDECIDED)} left to settle on this page"
            return False
        self.save()
        if self.pending:
            return False
        try:
            self._session.finish(self.page, self.revision, letters, self._worked)
        except ConflictError as error:
            self._merge(error.labels)
            return False
        except OutputError as error:
            self.trouble = f"Not finished: {error}. Press Enter again."
            return False
        return True
