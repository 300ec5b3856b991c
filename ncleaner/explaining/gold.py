"""The verdicts about a page against its gold text."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from ncleaner.errors import TrainingError
from ncleaner.explaining.explanation import Explanation
from ncleaner.explaining.verdicts import Against
from ncleaner.text.counted import counted
from ncleaner.training.alignment import align
from ncleaner.training.examples import belongs
from ncleaner.training.pairs import Pair, read_text

_PAGES = {".html", ".htm", ".xhtml"}

__all__ = ["gold_of", "with_gold"]


def gold_of(given: Path, page: str) -> tuple[Path, str]:
    """Returns the file of the gold text for a page, and the text.

    Args:
        given: the file; or a directory with a file of the page's name, whatever its suffix, or with a
            directory `clean` that has one.
        page: path of the page.

    Raises:
        TrainingError: there is no such file, or several, or it is not UTF-8.
    """
    if not given.is_dir():
        return given, read_text(given)
    stem = Path(page).name
    while (shorter := Path(stem).stem) != stem:
        stem = shorter
    folders = [folder for folder in (given, given / "clean") if folder.is_dir()]
    names = {Path(page).stem, stem}
    found = [
        path
        for folder in folders
        for path in sorted(folder.iterdir())
        if path.is_file() and path.stem in names
    ]
    # a gold directory may have the pages beside their text
    found = [path for path in found if path.suffix.lower() not in _PAGES] or found
    if len(found) != 1:
        there = f"{counted(len(found), 'file')} of this name" if found else "no file of this name"
        raise TrainingError(f"there is no one gold text for {page} in {given}: {there}")
    return found[0], read_text(found[0])


def with_gold(explanation: Explanation, gold: str, source: str = "the gold text") -> Explanation:
    """Returns an explanation with what a gold text says to each verdict.

    A segment is clean if at least half of its words are aligned with the gold text (`training.alignment`), as
    in training. Kept segments are aligned first: of two segments with the words of the gold text, that which
    is kept is right. A segment without words is neither right nor wrong.

    Args:
        explanation: of the page.
        gold: UTF-8 text, plain or with CleanEval's markup.
        source: where it is from, for messages.
    """
    pair = Pair(source, explanation.document, gold)
    alignment = align(explanation.document, gold, explanation.mask)
    notes = list(explanation.notes)
    if not alignment.gold_words:
        notes.append("the gold text is empty: all that is kept is wrong")
    elif not belongs(pair):
        notes.append(
            f"the gold text does not seem to belong to this page: the page has {alignment.found:.0%} of its "
            f"{counted(alignment.gold_words, 'word')}"
        )
    elif alignment.found < 0.995:
        lost = round((1 - alignment.found) * alignment.gold_words)
        if lost:
            notes.append(
                f"{counted(lost, 'word')} of the gold text {'is' if lost == 1 else 'are'} nowhere on the "
                f"page, "
                "or in another order: no verdict can find them"
            )
    segments = []
    for why, matched in zip(explanation.segments, alignment.matched.tolist(), strict=True):
        if math.isnan(matched):
            segments.append(replace(why, against="unknown", matched=None))
            continue
        clean = matched >= 0.5
        against: Against = "right" if clean == why.kept else "wrongly kept" if why.kept else "wrongly removed"
        segments.append(replace(why, against=against, matched=matched))
    return replace(
        explanation, segments=tuple(segments), notes=tuple(notes), gold=source, found=alignment.found
    )
