"""What the people of a project say about the same pages: agreement of each two, and all disagreements."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from ncleaner.annotating.agreement import Agreement, Votes, agreement, conflicts
from ncleaner.annotating.project import Project
from ncleaner.document import Document

__all__ = ["compared", "votes_of"]

_SHOWN: Final = 120


def votes_of(project: Project) -> list[tuple[Document, Votes, str]]:
    """Returns, for each page that at least two people have finished, the page, what they say, and the
    labels of whoever has settled it (empty if nobody has).

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
        ({person: label}) and `settled` (the label of whoever has settled it, or an empty text).

    Raises:
        TrainingError: as `votes_of`.
    """
    everything = votes_of(project)
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
