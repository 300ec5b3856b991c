"""Htmcleaner: runs of sentences with many function words and few links (Girardi 2007).

C. Girardi, "Htmcleaner: Extracting the Relevant Text from the Web Pages" (WAC-3, 2007), as V. Baisa's thesis
(2009, section 1.2) describes it: sentences of the content are longer, have fewer links and more function
words. A *good* sentence is longer than the average, begins with a capital and ends with punctuation. A run of
sentences that begins and ends with a good one scores

    nFW - nA,

its characters in function words less its characters in links; the runs with the highest scores are the
content.

The runs are the disjoint ones that cannot score more by being longer or shorter, as Ruzzo and Tompa (1999)
define them, and each must score more than a share of the best one. Function words are no list: they are the
words of at most four letters that the clean n-grams find likeliest, or the likeliest letters in a script
without spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import CONTEXT_BIT
from ncleaner.methods.base import parameter
from ncleaner.modelling.likely import is_unspaced, likely_words
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.text.sentences import is_final, sentences_of

__all__ = ["Htmcleaner", "best_runs"]

_LINK = 1 << CONTEXT_BIT["a"]


def best_runs(gains: npt.NDArray[np.int64], good: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The disjoint runs of highest score that begin and end with a good sentence, in linear time.

    Args:
        gains: shape (sentences,): nFW - nA of each sentence.
        good: shape (sentences,): where a run may begin and end.

    Returns:
        First and last sentence of each run, in reading order; only runs that score more than 0.
    """
    # what stands between two good sentences belongs to a run as a whole or not at all
    before = np.concatenate(([0], np.cumsum(gains)))
    # each entry: first, last, sum up to its begin, sum up to its end, the nearest entry that begins lower
    stack: list[tuple[int, int, int, int, int]] = []
    for place in np.flatnonzero(good).tolist():
        first, left, right = place, int(before[place]), int(before[place + 1])
        # join with the nearest run that begins lower, as long as the new one ends higher
        while True:
            lower = len(stack) - 1
            while lower >= 0 and stack[lower][2] >= left:
                lower = stack[lower][4]
            if lower < 0 or stack[lower][3] >= right:
                # worth nothing by itself, a sentence may still begin a run
                stack.append((first, place, left, max(left, right), lower))
                break
            first, _, left, _, _ = stack[lower]
            del stack[lower:]
    return [(first, last) for first, last, left, right, _ in stack if right > left]


def _linked(document: Document) -> npt.NDArray[np.int64]:
    """The number of characters in links before each character of the dump: shape (code points + 1,)."""
    codes = np.frombuffer(document.data, np.uint8)
    runs = document.runs[document.runs["context"] & _LINK != 0]
    steps = np.zeros(len(codes) + 1, np.int64)
    steps[runs["start"]] += 1
    steps[runs["end"]] -= 1
    inside = np.cumsum(steps)[:-1][codes & 0xC0 != 0x80]
    return np.concatenate(([0], np.cumsum(inside)))


@dataclass(frozen=True)
class Htmcleaner:
    """Keeps the segments most of whose sentences are in the best runs. It has no scores.

    Args:
        model: the n-grams; the function words are those of their clean side.
    """

    model: NGramModel
    share: float = parameter(0.1, "least score of a run, relative to the best one", 0, 1)
    words: int = parameter(100, "number of function words", 1)

    name = "htmcleaner"

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The function words of the model's language."""
        return frozenset(likely_words(self.model, self.words))

    def keep(self, document: Document) -> Kept:
        """A segment that a run cuts is kept if at least half of its characters are inside."""
        size = len(document)
        inside, whole = np.zeros(size), np.zeros(size)
        owners: list[int] = []
        spans: list[tuple[int, int]] = []
        gains: list[int] = []
        fits: list[bool] = []
        linked = _linked(document)
        words, unspaced = self.function_words, is_unspaced(self.model)
        at = 0
        visible = document.visible.tolist()
        for row, text in enumerate(document.texts):
            if visible[row]:
                for begin, end in sentences_of(text):
                    sentence = text[begin:end]
                    units = sentence if unspaced else sentence.lower().split()
                    function = sum(map(len, filter(words.__contains__, units)))
                    owners.append(row)
                    spans.append((begin, end))
                    gains.append(function - int(linked[at + end] - linked[at + begin]))
                    fits.append(not sentence[:1].islower() and is_final(sentence))
            at += len(text) + 1
        if not spans:
            return Kept(np.zeros(size, bool))
        lengths = np.array([end - begin for begin, end in spans])
        good = np.array(fits) & (lengths > lengths.mean())
        gain = np.array(gains, np.int64)
        runs = best_runs(gain, good)
        totals = [int(gain[first : last + 1].sum()) for first, last in runs]
        chosen = np.zeros(len(spans), bool)
        for (first, last), total in zip(runs, totals, strict=True):
            chosen[first : last + 1] = total >= self.share * max(totals)
        np.add.at(whole, owners, lengths)
        np.add.at(inside, owners, lengths * chosen)
        return Kept((inside > 0) & (2 * inside >= whole))
