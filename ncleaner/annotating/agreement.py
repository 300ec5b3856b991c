"""Agreement of the annotators of a project: percentages and Cohen's kappa, and all disagreements.

As D. Bauer, J. Degen, X. Deng et al. worked ("FIASCO: Filtering the Internet by Automatic Subtree
Classification", WAC-3, 2007): two people label each page, and a third one settles what they disagree about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ncleaner.annotating.project import Project
from ncleaner.document import Document
from ncleaner.modelling.victor import LABELS

_OTHER: Final = LABELS.index("o")
# characters of a segment in the list of disagreements
_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Votes:
    """Labels of one page by several people.

    Attributes:
        page: its id.
        words: shape (segments,): number of words of each.
        letters: {person: one label for each segment}.
    """

    page: str
    words: npt.NDArray[np.int64]
    letters: Mapping[str, str]


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
    measures = {
        unit: {"keep": _measure(_two_by_two(table)), "label": _measure(table)}
        for unit, table in tables.items()
    }
    return Agreement((first, second), number, measures)


def _codes(letters: str) -> npt.NDArray[np.int64]:
    return np.array([LABELS.index(letter) for letter in letters], np.int64)


def _two_by_two(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    dropped = np.arange(len(LABELS)) == _OTHER
    sides = np.stack((~dropped, dropped)).astype(np.float64)
    folded: npt.NDArray[np.float64] = sides @ table @ sides.T
    return folded


def conflicts(letters: Sequence[str]) -> list[int]:
    """Returns the numbers of the segments that several people label differently.

    Args:
        letters: the labels of a page by each person.
    """
    return [row for row, labels in enumerate(zip(*letters, strict=True)) if len(set(labels)) > 1]


def _votes_of(project: Project) -> list[tuple[Document, Votes, str]]:
    """Returns, for each page that at least two people have finished, the page, their labels, and the labels
    of the person who settled it (empty if it is not settled).

    Raises:
        TrainingError: a file of labels is damaged, or a page cannot be read.
    """
    found = []
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
            found.append((document, Votes(page, words, own), settled))
    return found


def compared(project: Project) -> tuple[list[Agreement], list[dict[str, Any]]]:
    """Measures the agreement of each two people, and lists the segments that they label differently.

    Returns:
        The agreements; and for each disagreement `page`, `segment`, `text` (its beginning), `words`, `votes`
        ({person: label}) and `settled` (the label of the person who settled it, or an empty text).

    Raises:
        TrainingError: as `_votes_of`.
    """
    everything = _votes_of(project)
    names = sorted({name for _, votes, _ in everything for name in votes.letters})
    pages = [votes for _, votes, _ in everything]
    measured = [agreement(first, second, pages) for first, second in combinations(names, 2)]
    differing = []
    for document, votes, settled in everything:
        for row in conflicts([*votes.letters.values()]):
            differing.append(
                {
                    "page": votes.page,
                    "segment": row,
                    "text": str(document[row])[:_SHOWN],
                    "words": int(votes.words[row]),
                    "votes": {name: letters[row] for name, letters in votes.letters.items()},
                    "settled": settled[row] if len(settled) == len(document) else "",
                }
            )
    return [found for found in measured if found.pages], differing
