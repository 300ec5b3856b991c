"""Agreement of the annotators of a project: percentages and Cohen's kappa, and all disagreements.

As D. Bauer, J. Degen, X. Deng et al. worked ("FIASCO: Filtering the Internet by Automatic Subtree
Classification", WAC-3, 2007): two people label each page, and a third one settles what they disagree about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ncleaner.lab.annotating.project import Project
from ncleaner.lab.training.labels import LABELS

_OTHER: Final = "o"
# characters of a segment in the list of disagreements
_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Votes:
    """Labels of one page by several people.

    Attributes:
        page: its id.
        words: shape (segments,): number of words of each.
        letters: {person: one label for each segment}.
        settled: the labels of the person who settled it; empty if it is not settled.
        texts: of the segments.
    """

    page: str
    words: npt.NDArray[np.int64]
    letters: Mapping[str, str]
    settled: str = ""
    texts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """Agreement of two people.

    Attributes:
        units: number of segments or words that both have labelled.
        share: share of them with the same label, 0 to 1; 1 if there are none.
        kappa: Cohen's kappa: the share beyond chance, at most 1; 1 if both give all units the same label.
    """

    units: int
    share: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two people about the pages that both have finished.

    Attributes:
        people: the two.
        pages: number of pages.
        measures: {`segments` or `words`: {`keep` (keep or drop) or `label` (which label): Measure}}.
    """

    people: tuple[str, str]
    pages: int
    measures: Mapping[str, Mapping[str, Measure]]


def _measure(table: npt.NDArray[np.float64]) -> Measure:
    """Measures from a table of how often the first person gives one label and the second another."""
    total = float(table.sum())
    if not total:
        return Measure(0, 1.0, 1.0)
    share = float(np.trace(table)) / total
    chance = float(table.sum(0) @ table.sum(1)) / total**2
    kappa = 1.0 if chance >= 1 else (share - chance) / (1 - chance)
    return Measure(round(total), share, kappa)


def agreement(first: str, second: str, pages: Iterable[Votes]) -> Agreement:
    """Measures how far two people agree.

    Args:
        first, second: the people.
        pages: their labels; pages that one of the two has not labelled do not count.
    """
    tables = {unit: np.zeros((len(LABELS), len(LABELS))) for unit in ("segments", "words")}
    number = 0
    for votes in pages:
        if not {first, second} <= votes.letters.keys():
            continue
        number += 1
        rows, columns = (_codes(votes.letters[name]) for name in (first, second))
        np.add.at(tables["segments"], (rows, columns), 1)
        np.add.at(tables["words"], (rows, columns), votes.words)
    # keep or drop
    sides = np.array(
        [[letter != _OTHER for letter in LABELS], [letter == _OTHER for letter in LABELS]], float
    )
    measures = {
        unit: {"keep": _measure(sides @ table @ sides.T), "label": _measure(table)}
        for unit, table in tables.items()
    }
    return Agreement((first, second), number, measures)


def _codes(letters: str) -> npt.NDArray[np.int64]:
    return np.array([LABELS.index(letter) for letter in letters], np.int64)


def conflicts(letters: Sequence[str]) -> list[int]:
    """Returns the numbers of the segments that several people label differently.

    Args:
        letters: the labels of a page by each person.
    """
    return [row for row, labels in enumerate(zip(*letters, strict=True)) if len(set(labels)) > 1]


def _votes_of(project: Project) -> Iterator[Votes]:
    """Yields the labels of each page that at least two people have finished."""
    for page in project.pages:
        labels = {name: one for name, one in project.all_labels(page).items() if one.done}
        own = {name: one.labels for name, one in labels.items() if not one.settles}
        settled = next((one.labels for one in labels.values() if one.settles), "")
        if len(own) < 2:
            continue
        document = project.document(page)
        own = {name: letters for name, letters in own.items() if len(letters) == len(document)}
        if len(own) > 1:
            words = document.segments["words"].astype("int64")
            yield Votes(page, words, own, settled if len(settled) == len(document) else "", document.texts)


def compared(project: Project) -> tuple[list[Agreement], list[dict[str, Any]]]:
    """Measures the agreement of each two people, and lists the segments that they label differently.

    Returns:
        The agreements; and for each disagreement `page`, `segment`, `text` (its beginning), `words`, `votes`
        ({person: label}) and `settled` (the label of the person who settled it, or an empty text).

    Raises:
        TrainingError: a file of labels is damaged, or a page cannot be read.
    """
    pages = list(_votes_of(project))
    names = sorted({name for votes in pages for name in votes.letters})
    measured = [agreement(first, second, pages) for first, second in combinations(names, 2)]
    differing = [
        {
            "page": votes.page,
            "segment": row,
            "text": votes.texts[row][:_SHOWN],
            "words": int(votes.words[row]),
            "votes": {name: letters[row] for name, letters in votes.letters.items()},
            "settled": votes.settled[row : row + 1],
        }
        for votes in pages
        for row in conflicts([*votes.letters.values()])
    ]
    return [found for found in measured if found.pages], differing
