"""The labels that one person gives to the segments of one page, and their file.

A label is one letter: `p`, `h`, `l` keep the segment as a paragraph, header or list item; `c` keeps it as the
continuation of the kept segment before; `o` drops it. A segment without a label has a `.`.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from ncleaner.document import Document
from ncleaner.errors import TrainingError, cannot_write
from ncleaner.modelling.victor import CONTINUATION, LABELS, OTHER, Labels, gold_of
from ncleaner.storage.local import write_whole
from ncleaner.text.visible import counted
from ncleaner.training.annotations import Annotated
from ncleaner.training.hybrid import pair_of
from ncleaner.training.pairs import read_bytes

#: Marks a segment without a label.
OPEN: Final = "."


@dataclass(frozen=True, slots=True)
class PageLabels:
    """The labels of one page by one person.

    Attributes:
        page: id of the page.
        labels: one letter for each segment, or `.`.
        digest: of the page's text as it was labelled; see `digest_of`.
        revision: number of changes that have been saved; 0 for an untouched page.
        done: the person has finished the page.
        seconds: time spent on the page, without pauses.
        changed: number of segments whose label differed from the guess when the page was finished.
        finished: time at which the page was finished, in UTC (`2026-05-01T10:00:00Z`); empty before.
        settles: the people between whose labels these decide; empty for a page that was not settled.
    """

    page: str
    labels: str
    digest: str
    revision: int = 0
    done: bool = False
    seconds: float = 0.0
    changed: int = 0
    finished: str = ""
    settles: tuple[str, ...] = ()

    def with_changes(self, changes: list[tuple[int, str]]) -> PageLabels:
        """Returns the labels with some of them replaced, as the next revision."""
        letters = list(self.labels)
        for row, letter in changes:
            letters[row] = letter
        return replace(self, labels="".join(letters), revision=self.revision + 1)


def digest_of(document: Document) -> str:
    """Returns a hash of a page's segments: labels belong to a page whose text has the same hash."""
    return sha256(document.data).hexdigest()[:16]


def kinds_of(document: Document) -> str:
    """Returns the letter of each segment's kind in the page: `p`, `h` or `l`."""
    return bytes(document.segments["kind"]).decode("ascii")


def runs_of_letters(document: Document, letters: str) -> Labels:
    """Returns the labels of a page's runs, for a file of Victor: the first run of a kept segment has the
    letter of the segment, its other runs continue it."""
    runs, table = document.runs, document.segments
    of_segments = np.array([LABELS.index(letter) for letter in letters], np.uint8)
    if not len(of_segments):
        return np.zeros(0, np.uint8)
    labels: Labels = of_segments[runs["segment"]]
    later = np.arange(len(runs)) != table["first_run"][runs["segment"]]
    labels[later & (labels != OTHER)] = CONTINUATION
    return labels


def letters_of_runs(document: Document, labels: Labels) -> str:
    """Returns a letter for each segment from the labels of runs."""
    kept, kinds, continues = gold_of(document, labels)
    letters = np.where(continues, ord("c"), kinds).astype(np.uint8)
    letters[~kept] = ord("o")
    return letters.tobytes().decode("ascii")


def gold_lines(document: Document, letters: str) -> str:
    """Returns the clean text of a page in CleanEval's markup; empty if nothing is kept."""
    gold = pair_of(Annotated("", document, runs_of_letters(document, letters))).gold
    return f"{gold}\n" if gold else ""


# files --------------------------------------------------------------------------------------------


def read_labels(path: Path, document: Document) -> PageLabels | None:
    """Reads the labels of a page; None if there is no file.

    Raises:
        TrainingError: the file is damaged, or belongs to another text.
    """
    if not path.is_file():
        return None
    found = stored_labels(path)
    if found.digest != digest_of(document) or len(found.labels) != len(document):
        raise TrainingError(
            f"{path} has labels for {counted(len(found.labels), 'segment')} of another text: the page, or "
            f"the way in which its segments are found, has changed (now "
            f"{counted(len(document), 'segment')}); move the file away to label the page again"
        )
    return found


def stored_labels(path: Path) -> PageLabels:
    """Reads a file of labels without its page.

    Raises:
        TrainingError: it cannot be read, or is damaged.
    """
    try:
        found: dict[str, Any] = json.loads(read_bytes(path))
        made = PageLabels(
            page=str(found["page"]),
            labels=str(found["labels"]),
            digest=str(found["digest"]),
            revision=int(found["revision"]),
            done=bool(found["done"]),
            seconds=float(found.get("seconds", 0)),
            changed=int(found.get("changed", 0)),
            finished=str(found.get("finished", "")),
            settles=tuple(map(str, found.get("settles", ()))),
        )
        if not math.isfinite(made.seconds):
            raise ValueError(f"seconds: {made.seconds}")
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise TrainingError(f"{path} is not a file of labels, or is damaged ({error!r})") from error
    wrong = sorted(set(made.labels) - set(LABELS) - {OPEN})
    if wrong:
        raise TrainingError(f"{path}: {wrong[0]!r} is not a label; the labels are {', '.join(LABELS)}")
    if made.done and OPEN in made.labels:
        raise TrainingError(f"{path}: the page is marked as done, but has segments without a label")
    return made


def write_labels(path: Path, labels: PageLabels) -> None:
    """Writes the labels of a page; the file is replaced as a whole.

    Raises:
        OutputError: it cannot be written.
    """
    entry = asdict(labels) | {"seconds": round(labels.seconds, 1)}
    if not labels.settles:
        del entry["settles"]
    write_bytes(path, json.dumps(entry, ensure_ascii=False).encode() + b"\n")


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file as a whole, and makes the directory above it.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    write_whole(path, data)
