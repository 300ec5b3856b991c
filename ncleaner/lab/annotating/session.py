"""One person at work in a project: what the web page shows and changes.

Every change is on the disk before the call returns. A caller gives the revision of the labels that it has
seen; if they have changed since, nothing is written, and it gets the newer ones.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from ncleaner.document import Document
from ncleaner.document.tables import HIDDEN, ZONES
from ncleaner.errors import ModelError, NcleanerError, TrainingError
from ncleaner.lab.annotating.agreement import conflicts
from ncleaner.lab.annotating.learning import Guess, Learning, guess_of, guesser, in_order, styles_of
from ncleaner.lab.annotating.project import OPEN, PageLabels, Project, digest_of, kinds_of
from ncleaner.lab.training.labels import LABELS
from ncleaner.text.visible import counted

#: The guess for a segment that two people label differently.
UNDECIDED: Final = "?"
_KEPT_DOCUMENTS: Final = 24
# longer pauses do not count as work
_MOST_SECONDS: Final = 600.0
# number of finished pages after which a model is trained again
_EVERY: Final = 3


class RequestError(NcleanerError):
    """A request cannot be fulfilled; the message is a sentence."""


class ConflictError(NcleanerError):
    """The labels have changed since the caller saw them.

    Attributes:
        labels: the newer ones.
    """

    def __init__(self, labels: PageLabels) -> None:
        super().__init__(f"the page has been changed elsewhere (revision {labels.revision})")
        self.labels = labels


class Session:
    """The work of a person in a project. Its methods may be called from several threads.

    Args:
        project: the project.
        name: the person.
        model: the model that guesses at the start.
        settling: the person decides where others disagree.
        anno: write a file of Victor for each finished page, too.
        goal: number of pages to finish.
        every: number of finished pages after which a model is trained; 0 for never.
    """

    def __init__(
        self,
        project: Project,
        name: str,
        *,
        model: str = "auto",
        settling: bool = False,
        anno: bool = False,
        goal: int = 50,
        every: int = _EVERY,
    ) -> None:
        self.project = project
        self.name = name
        self.settling = settling
        self.model = model
        self._anno = anno
        self._every = every
        self._lock = threading.RLock()
        self._read = lru_cache(_KEPT_DOCUMENTS)(project.document)
        self._later: list[str] = []
        self.learning = Learning(project, name, model)
        self._guesser = guesser(model)
        self._use_model()
        self.problems: dict[str, str] = {}
        self._states: dict[str, PageLabels] = {}
        self._given: set[str] = set()
        self._votes: dict[str, dict[str, str]] = {}
        self._read_states()
        self.goal = min(goal, len(self._pages()))
        self._since = 0
        if every and not settling:
            self.learning.begin()

    def close(self) -> None:
        """Ends learning in the background."""
        self.learning.end()

    # state ------------------------------------------------------------------------------------------

    def _read_states(self) -> None:
        """Reads which pages are finished, without reading the pages."""
        for page in self.project.pages:
            try:
                everybody = self.project.all_labels(page)
            except TrainingError as error:
                self.problems[page] = str(error)
                continue
            own = everybody.pop(self.name, None)
            if own is not None:
                self._states[page] = own
            finished = own is not None and bool(own.finished)
            if self.project.has_gold(page) and not (
                finished or any(labels.finished for labels in everybody.values())
            ):
                self._given.add(page)
            if self.settling:
                votes = {
                    name: labels.labels
                    for name, labels in everybody.items()
                    if labels.done and not labels.settles
                }
                settles = own is None or own.settles
                alike = len(set(map(len, votes.values()))) == 1
                if settles and len(votes) > 1 and alike and conflicts([*votes.values()]):
                    self._votes[page] = votes

    def _pages(self) -> list[str]:
        return list(self._votes if self.settling else self.project.pages)

    def is_done(self, page: str) -> bool:
        """Whether the person has finished a page, or its clean text comes from elsewhere."""
        state = self._states.get(page)
        if state is not None:
            return state.done and (not self.settling or bool(state.settles))
        return page in self._given and not self.settling

    def document(self, page: str) -> Document:
        """Reads a page, or takes it from those read last.

        Raises:
            RequestError: there is no such page, or it cannot be read.
        """
        if page not in self.project.pages:
            raise RequestError(f"there is no page {page!r}")
        with self._lock:
            try:
                return self._read(page)
            except NcleanerError as error:
                self.problems[page] = str(error)
                raise RequestError(f"the page {page} cannot be read: {error}") from error

    def _use_model(self) -> None:
        try:
            self._guesser = guesser(self.learning.model)
        except ModelError:
            self.learning.learned.own = False

    def poll(self) -> None:
        """Uses what has been learned in the background."""
        with self._lock:
            if self.learning.poll():
                self._use_model()

    def labels(self, page: str) -> PageLabels:
        """Returns the person's labels of a page; those from elsewhere, or none, as revision 0.

        Raises:
            RequestError: they cannot be read.
        """
        document = self.document(page)
        with self._lock:
            try:
                own = self.project.labels(self.name, page, document)
                given = None
                if own is None and page in self._given and not self.settling:
                    given = self.project.given(page, document)
            except NcleanerError as error:
                self.problems[page] = str(error)
                raise RequestError(str(error)) from error
        if own is not None:
            return own
        empty = OPEN * len(document)
        return PageLabels(page, given or empty, digest_of(document), done=given is not None)

    def guess(self, page: str) -> Guess:
        """Returns the guess of the model; when settling, the labels on which the others agree."""
        document = self.document(page)
        guess = guess_of(document, self._guesser)
        if not self.settling:
            return guess
        votes = [*self._votes[page].values()] if page in self._votes else []
        if not votes or len(votes[0]) != len(document):
            raise RequestError(f"there is nothing to settle on the page {page}")
        open_rows = set(conflicts(votes))
        letters = "".join(UNDECIDED if row in open_rows else votes[0][row] for row in range(len(document)))
        certainty = [0.0 if row in open_rows else 1.0 for row in range(len(document))]
        return replace(guess, letters=letters, certainty=certainty)

    def page(self, page: str) -> dict[str, Any]:
        """Returns all that is shown of a page. Raises RequestError."""
        document, labels, guess = self.document(page), self.labels(page), self.guess(page)
        table = document.segments
        return {
            "id": page,
            "title": document.title or page,
            "url": self.project.urls.get(page, ""),
            "site": self.project.site(page),
            "lang": document.lang,
            "language": guess.language,
            "kind": guess.kind,
            "model": guess.model,
            "html": self.project.pages[page].suffix != ".txt",
            "revision": labels.revision,
            "done": labels.done,
            "labels": labels.labels,
            "guess": guess.letters,
            "certainty": guess.certainty,
            "texts": document.texts,
            "kinds": kinds_of(document),
            "words": table["words"].tolist(),
            "styles": styles_of(document),
            "zones": [ZONES[zone] for zone in table["zone"].tolist()],
            "hidden": [bool(flags & HIDDEN) for flags in table["flags"].tolist()],
            "votes": self._votes.get(page, {}),
        }

    # changes ----------------------------------------------------------------------------------------

    def change(
        self, page: str, revision: int, changes: Sequence[tuple[int, str]], seconds: float = 0.0
    ) -> PageLabels:
        """Sets labels, and saves them.

        Args:
            page: its id.
            revision: of the labels that the caller has seen.
            changes: (segment, letter or `.`).
            seconds: of work since the last call.

        Raises:
            ConflictError: the labels have changed since.
            RequestError: there is no such segment, label or page.
            OutputError: they cannot be saved.
        """
        with self._lock:
            labels = self._checked(page, revision, changes)
            labels = replace(
                labels.with_changes([*changes]), done=False, seconds=labels.seconds + _worked(seconds)
            )
            return self._save(labels)

    def finish(self, page: str, revision: int, letters: str, seconds: float = 0.0) -> PageLabels:
        """Finishes a page: saves all its labels, and writes its clean text.

        Args:
            page, revision, seconds: as for `change`.
            letters: the label of each segment, as the caller has seen them, guesses included.

        Raises:
            ConflictError, RequestError, OutputError: as for `change`; or a segment is not decided yet.
        """
        document = self.document(page)
        if len(letters) != len(document):
            raise RequestError(
                f"the page {page} has {counted(len(document), 'segment')}, and "
                f"{counted(len(letters), 'label')} came"
            )
        if UNDECIDED in letters or OPEN in letters:
            open_ = letters.count(UNDECIDED) + letters.count(OPEN)
            raise RequestError(
                f"{counted(open_, 'segment')} of the page {'is' if open_ == 1 else 'are'} not decided yet"
            )
        with self._lock:
            labels = self._checked(page, revision, [*enumerate(letters)])
            guess = self.guess(page).letters
            finished = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            if not labels.finished:
                # without this mark, a crash would leave a clean text that seems to come from elsewhere
                labels = self._save(replace(labels, done=False, finished=finished))
            labels = replace(
                labels, labels=letters, revision=labels.revision + 1, done=True,
                seconds=labels.seconds + _worked(seconds),
                changed=sum(ours != theirs for ours, theirs in zip(letters, guess, strict=True)),
                finished=finished,
            )  # fmt: skip
            self.project.write_gold(self.name, page, document, labels)
            if self._anno:
                self.project.write_anno(page, document, letters)
            saved = self._save(labels)
            if page in self._later:
                self._later.remove(page)
            self._since += 1
            due = self._since >= self._every or not self.learning.learned.trained
            if self._every and not self.settling and due:
                self._since = 0
                self.learning.begin()
            return saved

    def _checked(self, page: str, revision: int, changes: Sequence[tuple[int, str]]) -> PageLabels:
        labels = self.labels(page)
        allowed = {*LABELS, OPEN}
        for row, letter in changes:
            if not 0 <= row < len(labels.labels):
                raise RequestError(f"the page {page} has no segment {row}")
            if letter not in allowed:
                raise RequestError(f"{letter!r} is not a label; the labels are {', '.join(LABELS)}")
        if labels.revision != revision:
            raise ConflictError(labels)
        return labels

    def _save(self, labels: PageLabels) -> PageLabels:
        if self.settling:
            labels = replace(labels, settles=tuple(sorted(self._votes[labels.page])))
        self.project.save(self.name, labels)
        self._states[labels.page] = labels
        self.problems.pop(labels.page, None)
        return labels

    # queue ------------------------------------------------------------------------------------------

    def queue(self) -> list[str]:
        """Returns the ids of the pages that are not finished, the next one first."""
        with self._lock:
            self.poll()
            pages = [page for page in self._pages() if page not in self.problems]
            done = [page for page in pages if self.is_done(page)]
            left = [page for page in pages if not self.is_done(page)]
            if self.settling:
                return left
            learned = self.learning.learned
            left = [page for page in left if not learned.pages.get(page, {}).get("error")]
            urls = self.project.urls
            entries = {page: learned.pages.get(page, {"site": urls.get(page, "")}) for page in left + done}
            order = in_order({page: entries[page] for page in left}, (entries[page] for page in done))
            begun = [page for page in order if page in self._states and page not in self._later]
            rest = [page for page in order if page not in self._states and page not in self._later]
            return begun + rest + [page for page in self._later if page in left]

    def put_off(self, page: str) -> None:
        """Moves a page to the end of the queue."""
        with self._lock:
            if page in self._later:
                self._later.remove(page)
            self._later.append(page)

    def progress(self) -> dict[str, Any]:
        """Returns the progress: pages, words, minutes a page, and an estimate of the time that is left."""
        with self._lock:
            self.poll()
            learned = self.learning.learned
            pages = self._pages()
            done = [page for page in pages if self.is_done(page)]
            states = [self._states[page] for page in done if page in self._states]
            timed = [state for state in states if state.seconds]
            minutes = sum(state.seconds for state in timed) / len(timed) / 60 if timed else 0.0
            left = max(self.goal - len(done), 0)
            return {
                "annotator": self.name,
                "settling": self.settling,
                "pages": len(pages),
                "done": len(done),
                "given": sum(page in self._given and page not in self._states for page in done),
                "goal": self.goal,
                "words": sum(learned.pages.get(page, {}).get("words", 0) for page in done),
                "minutes": round(minutes, 2),
                "left": round(left * minutes, 1),
                "changed": sum(state.changed for state in timed),
                "segments": sum(len(state.labels) for state in timed),
                "learning": {
                    "busy": self.learning.busy,
                    "failed": self.learning.failed,
                    "trained": learned.trained,
                    "own": learned.own,
                    "curve": [_finite(point) for point in learned.curve],
                    "start": _finite(learned.start),
                    "enough": learned.enough,
                    "advice": learned.advice,
                },
            }

    def listing(self) -> list[dict[str, Any]]:
        """Returns a line for each page: the queue, then the finished pages, then the unreadable ones."""
        queue = self.queue()
        rest = [page for page in self._pages() if page not in set(queue)]
        learned = self.learning.learned.pages
        found = []
        for page in queue + sorted(rest, key=lambda page: (page in self.problems, page)):
            entry = learned.get(page, {})
            state = self._states.get(page)
            status = (
                "unreadable"
                if page in self.problems or entry.get("error")
                else "done"
                if self.is_done(page)
                else "begun"
                if state is not None and state.labels.strip(OPEN)
                else "open"
            )
            found.append(
                {
                    "id": page,
                    "status": status,
                    "given": page in self._given and state is None,
                    "site": entry.get("site", "") or self.project.urls.get(page, ""),
                    "kind": entry.get("kind", ""),
                    "words": entry.get("words", 0),
                    "doubt": entry.get("doubt"),
                    "problem": self.problems.get(page) or entry.get("error", ""),
                }
            )
        return found


def _worked(seconds: float) -> float:
    return min(max(seconds, 0.0), _MOST_SECONDS) if math.isfinite(seconds) else 0.0


def _finite(point: dict[str, float]) -> dict[str, float | None]:
    return {key: value if math.isfinite(value) else None for key, value in point.items()}
