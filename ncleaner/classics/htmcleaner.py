"""Htmcleaner: runs of sentences with many function words and few links (Girardi 2007).

C. Girardi, "Htmcleaner: Extracting the Relevant Text from the Web Pages" (WAC-3, 2007), as V. Baisa's thesis
(2009, section 1.2) describes it: sentences of the content are longer, have fewer links and more function
words. A *good* sentence is longer than the average, begins with a capital and ends with punctuation. A run of
sentences that begins and ends with a good one scores

    nFW - nA,

its characters in function words less its characters in links; the runs with the highest scores are the
content.

The runs are the disjoint ones that cannot score more by being longer or shorter, as Ruzzo and Tompa (1999)
define them, and each must score more than a share of the best one. There is no list of function words: they
are the words of at most four letters that the clean n-grams find likeliest, or the likeliest letters in a
script without spaces.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ncleaner.classics.punctuation import sentences_in
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import places_in_text
from ncleaner.document.tags import CONTEXT_BIT
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.options import option

_LINK = 1 << CONTEXT_BIT["a"]
# Most letters of a function word.
_LETTERS = 4
# Number of beginnings of words that are extended, of each length.
_BEAM = 60
# Sharper than in models for segments: here only seen words matter.
_Q = 0.1
# Spaces of all characters; in running text of spaced scripts, every fifth to eighth character is one.
_SPACED = 0.04


def best_runs(gains: npt.NDArray[np.int64], good: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The disjoint runs of highest score that begin and end with a good sentence, in linear time.

    Args:
        gains: shape (sentences,): nFW - nA of each sentence.
        good: shape (sentences,): where a run may begin and end.

    Returns:
        First and last sentence of each run, in reading order; only runs that score more than 0.
    """
    # the text between two good sentences belongs to a run as a whole or not at all
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
                stack.append((first, place, left, right, lower))
                break
            first, _, left, _, _ = stack[lower]
            del stack[lower:]
    return [(first, last) for first, last, left, right, _ in stack if right > left]


def _linked(document: Document) -> npt.NDArray[np.int64]:
    """The number of characters in links before each character of the dump: shape (code points + 1,)."""
    runs = document.runs[document.runs["context"] & _LINK != 0]
    steps = np.zeros(len(document.data) + 1, np.int64)
    steps[runs["start"]] += 1
    steps[runs["end"]] -= 1
    inside = np.cumsum(steps)[:-1]
    if not document.data.isascii():
        inside = inside[np.frombuffer(document.data, np.uint8) & 0xC0 != 0x80]
    return np.concatenate(([0], np.cumsum(inside)))


def characters_in(
    words: frozenset[str], text: str, begins: npt.NDArray[np.int64], unspaced: bool
) -> npt.NDArray[np.int64]:
    """The characters of each sentence that are in these words, or letters if it is `unspaced`: shape
    (sentences,). The sentences begin at `begins`, in code points."""
    found = []
    # a sentence may end without white space
    for begin, end in pairwise([*begins.tolist(), len(text)]):
        parts = text[begin:end] if unspaced else text[begin:end].lower().split()
        found.append(sum(map(len, filter(words.__contains__, parts))))
    return np.array(found, np.int64)


@dataclass(frozen=True)
class Htmcleaner:
    """Keeps the segments most of whose sentences are in the best runs. It has no scores.

    Args:
        model: the n-grams; the function words are those of their clean side.
    """

    model: NGramModel
    share: float = option(0.1, "least score of a run, relative to the best one", low=0, high=1)
    words: int = option(100, "number of function words", low=1)

    name = "htmcleaner"

    def __post_init__(self) -> None:
        # now, so that copies of the model for single pages have them
        likely_words(self.model, self.words)

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The function words of the model's language."""
        return frozenset(likely_words(self.model, self.words))

    @cached_property
    def _unspaced(self) -> bool:
        return _is_unspaced(self.model)

    def keep(self, document: Document) -> Kept:
        """A segment that a run cuts is kept if at least half of its characters are inside."""
        size, text = len(document), document.text
        every = sentences_in(text, *places_in_text(document, document.segments))
        function = characters_in(self.function_words, text, every.begins, self._unspaced)
        shown = document.visible[every.owners]
        begins, ends, owners, final = (column[shown] for column in every)
        if not len(begins):
            return Kept(np.zeros(size, bool))
        linked = _linked(document)
        gains = function[shown] - (linked[ends] - linked[begins])
        lengths = ends - begins
        capital = np.array([not text[begin].islower() for begin in begins.tolist()])
        runs = best_runs(gains, capital & final & (lengths > lengths.mean()))
        chosen = np.zeros(len(begins), bool)
        if runs:
            before = np.concatenate(([0], np.cumsum(gains)))
            first, last = np.array(runs).T
            totals = before[last + 1] - before[first]
            for one, other in np.array(runs)[totals >= self.share * totals.max()].tolist():
                chosen[one : other + 1] = True
        inside = np.bincount(owners, lengths * chosen, minlength=size)
        whole = np.bincount(owners, lengths, minlength=size)
        return Kept((inside > 0) & (2 * inside >= whole))


def _is_unspaced(model: NGramModel) -> bool:
    """Tells whether the clean text of a model is in a script that does not separate words."""
    level = model.levels[0]
    spaces = [symbol for symbol, shown in enumerate(model.alphabet.characters) if " " in shown]
    return float(level.clean[np.isin(level.keys, spaces)].sum()) < _SPACED * float(level.clean.sum())


def likely_words(model: NGramModel, number: int) -> list[str]:
    """Returns the words of at most four letters that the clean n-grams find likeliest, the likeliest first.

    They are the most frequent ones of clean text, and some that only look like words, which no page has. In a
    script that does not separate words, they are its likeliest letters.

    Args:
        model: the n-grams.
        number: number of words.
    """
    # the model keeps them; a copy for one page (`with_others`) has what the model had
    known: dict[int, list[str]] = model.__dict__.setdefault("_likely_words", {})
    if number not in known:
        known[number] = _likely_words(model, number)
    return known[number]


def _likely_words(model: NGramModel, number: int) -> list[str]:
    symbols = model.alphabet.characters
    letters = sorted(
        {shown for shown in symbols if len(shown) == 1 and shown.isalpha() and shown == shown.lower()}
    )
    if _is_unspaced(model):
        level = model.levels[0]
        counts = dict(zip(level.keys.tolist(), level.clean.tolist(), strict=True))
        order = {shown: counts.get(symbol, 0) for symbol, shown in enumerate(symbols)}
        return sorted(letters, key=lambda letter: (-order[letter], letter))[:number]
    sharp = model.with_parameters(q=_Q)
    grams = sharp.log_grams("clean")
    beginnings: list[tuple[float, str]] = [(0.0, "")]
    found: list[tuple[float, str]] = []
    for length in range(1, _LETTERS + 1):
        longer: list[tuple[float, str]] = []
        for _, beginning in beginnings:
            for letter in letters:
                word = beginning + letter
                # after the end of a sentence before; the last value but one is that of the space after the
                # word
                values = grams.values(sharp.alphabet.encoder, f". {word} ".encode())
                likely = float(values[2 : 2 + length].sum())
                longer.append((-likely, word))
                found.append((-likely - float(values[2 + length]), word))
        beginnings = sorted(longer)[:_BEAM]
    return [word for _, word in sorted(found)[:number]]
