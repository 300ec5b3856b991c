"""Training: from pages and their cleaned text to a pair of n-gram models, and the decision that goes with it.

Two schemes. *Differential training* (Evert 2008, section 3) needs nothing but the two texts: the clean model
counts the gold text, the dirty one what the raw text has more of each n-gram, never below zero. *Aligned*
training first labels the page's own segments by alignment with the gold text and counts each side directly.

The decision (`decision.py`) is calibrated by cross-validation within the training pages, with no site on both
sides: what a model knows of a site by heart says nothing about the next one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.alphabet import Alphabet, learned_alphabet
from ncleaner.alphabet import alphabet as named_alphabet
from ncleaner.counts import Counts, GramCounter, Tallies, add_counts, add_tallies, two_sides
from ncleaner.decision import Decision, Scored, Statistic, fit_decision
from ncleaner.document import Document
from ncleaner.errors import TrainingError
from ncleaner.gold import gold_document
from ncleaner.model import NGramModel
from ncleaner.pairs import Pair
from ncleaner.sites import folds

__all__ = [
    "DEFAULT_Q",
    "FOLDS",
    "SCHEMES",
    "Examples",
    "Scheme",
    "Trained",
    "TrainingWarning",
    "checked_pairs",
    "labelled",
    "score_page",
    "train",
    "train_and_score",
    "training_alphabet",
]

Scheme = Literal["aligned", "differential"]
SCHEMES: tuple[Scheme, ...] = ("aligned", "differential")
DEFAULT_Q = 0.8
# characters of training text from which trigrams pay on sites that were not seen (docs/languages.md)
_TRIGRAMS_FROM = 2_000_000
FOLDS = 5
# a pair belongs together when at least this share of the clean text stands in the raw page
_BELONGS = 0.3
# clean texts shorter than this, in words, say nothing about whether they belong to their page
_FEW_WORDS = 5
# a model to start from counts for at most this many times the new pages
_BASE_WEIGHT = 2.0
_ADVISED = "about 50 are advised"


class TrainingWarning(UserWarning):
    """Something about the training data that its owner should know; the rest is used."""


class Examples:
    """Training pages that are used again and again: by folds, alphabets, orders.

    Args:
        pairs: pages with their gold text.
        k: folds for cross-validation.
    """

    def __init__(self, pairs: Sequence[Pair], k: int = FOLDS) -> None:
        self.pairs = pairs
        self.folds = folds([pair.site for pair in pairs], k) if pairs else []

    @property
    def sites(self) -> int:
        """Sites that are known, and one for each page whose site is not."""
        known = {pair.site for pair in self.pairs if pair.site}
        return len(known) + sum(not pair.site for pair in self.pairs)

    @property
    def characters(self) -> int:
        """Characters of the raw text, white space apart."""
        return sum(int(pair.document.segments["chars"].sum()) for pair in self.pairs)

    def tallies(self, symbols: Alphabet, order: int, scheme: Scheme) -> list[tuple[Tallies, Tallies]]:
        """For each fold the counts of its clean text, and of its dirty text (`aligned`) or all its raw text
        (`differential`)."""
        return [
            self._count([self.pairs[page] for page in fold], symbols, order, scheme) for fold in self.folds
        ]

    @staticmethod
    def _count(
        pairs: Sequence[Pair], symbols: Alphabet, order: int, scheme: Scheme
    ) -> tuple[Tallies, Tallies]:
        clean, other = GramCounter(symbols, order), GramCounter(symbols, order)
        for pair in pairs:
            table = pair.document.segments
            if scheme == "differential":
                gold = gold_document(pair.gold)
                clean.add(gold.data, gold.segments["start"], gold.segments["end"])
                other.add(pair.document.data, table["start"], table["end"])
            else:
                alignment, visible = pair.alignment, pair.document.visible
                for counter, side in ((clean, alignment.clean), (other, alignment.dirty)):
                    chosen = table[side & visible]
                    counter.add(pair.document.data, chosen["start"], chosen["end"])
        return clean.tallies(), other.tallies()

    def scored(self, model: NGramModel, fold: Sequence[int]) -> list[Scored]:
        """The pages of a fold with their labels and a model's scores."""
        return [score_page(self.pairs[page], model) for page in fold]


def score_page(pair: Pair, model: NGramModel) -> Scored:
    """A page with its labels and a model's scores, as calibration and tuning take them."""
    table = pair.document.segments
    return labelled(pair, *model.log_odds(pair.document.data, table["start"], table["end"]))


def labelled(pair: Pair, sums: npt.NDArray[np.float64], counts: npt.NDArray[np.uint32]) -> Scored:
    """A page's labels beside scores of its segments: log-odds in bits, and characters with one boundary. What
    is not shown counts for nothing: n-grams do not keep it."""
    alignment, visible = pair.alignment, pair.document.visible
    words = alignment.words * visible
    matched = np.nan_to_num(alignment.matched) * words
    return Scored(pair.site, sums, counts, words, alignment.clean & visible, alignment.gold_words, matched)


def checked_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that can be used; says what is wrong with the others.

    Raises:
        TrainingError: most raw and clean texts do not belong together, or all clean texts are empty.
    """
    empty = [pair for pair in pairs if not pair.alignment.gold_words]
    foreign = [
        pair for pair in pairs if pair.alignment.gold_words >= _FEW_WORDS and pair.alignment.found < _BELONGS
    ]
    if len(empty) == len(pairs):
        raise TrainingError("all clean files are empty: there is no clean text to learn from")
    if foreign:
        shown = ", ".join(f"{pair.name} ({100 * pair.alignment.found:.0f} %)" for pair in foreign[:10])
        shown += f" and {len(foreign) - 10} more" if len(foreign) > 10 else ""
        said = (
            f"{len(foreign)} of {len(pairs)} raw and clean texts do not belong together (in brackets how "
            f"many of the clean words stand in the raw page): {shown}"
        )
        if 2 * len(foreign) > len(pairs) - len(empty):
            raise TrainingError(f"{said}; check that the files of both directories have the same names")
        warnings.warn(f"{said}; they are left out", TrainingWarning, stacklevel=3)
    if empty:
        names = ", ".join(pair.name for pair in empty[:10]) + (" …" if len(empty) > 10 else "")
        warnings.warn(
            f"{len(empty)} clean files are empty, so all text of their pages counts as dirty: {names}",
            TrainingWarning,
            stacklevel=3,
        )
    left_out = {id(pair) for pair in foreign}
    used = [pair for pair in pairs if id(pair) not in left_out]
    if len(used) < 10:
        number = "only one page" if len(used) == 1 else f"only {len(used)} pages"
        warnings.warn(f"{number} to train on: {_ADVISED}", TrainingWarning, stacklevel=3)
    return used


def _more(
    clean: Sequence[Document], dirty: Sequence[Document], symbols: Alphabet, order: int
) -> list[Counts] | None:
    """Counts of examples that are clean or dirty as a whole."""
    if not clean and not dirty:
        return None
    sides = []
    for documents in (clean, dirty):
        counter = GramCounter(symbols, order)
        for document in documents:
            counter.add(document.data, document.segments["start"], document.segments["end"])
        sides.append(counter.tallies())
    return two_sides(sides[0], sides[1], differential=False)


def training_alphabet(
    wanted: str | Alphabet, documents: Sequence[Document], size: int, cased: bool
) -> Alphabet:
    """The alphabet of this name; `learned` from all the text of these documents.

    Raises:
        TrainingError: there is no text to learn from.
    """
    if isinstance(wanted, Alphabet):
        return wanted
    if wanted != "learned":
        return named_alphabet(wanted)
    try:
        return learned_alphabet((document.data.decode() for document in documents), size=size, cased=cased)
    except ValueError as error:
        raise TrainingError(str(error)) from error


class Trained(NamedTuple):
    """A model and what it was trained on.

    Attributes:
        model: the model.
        pairs: the pages that were used.
        scores: of each of them, by a model that has not seen its site; empty where all are of one site.
    """

    model: NGramModel
    pairs: Sequence[Pair]
    scores: list[Scored]


def train(pairs: Sequence[Pair], **options: Any) -> NGramModel:
    """Trains a model from pages and their cleaned text: the model of `train_and_score`, whose options it
    takes."""
    return train_and_score(pairs, **options).model


def train_and_score(
    pairs: Sequence[Pair],
    *,
    order: int | None = None,
    q: float | None = None,
    alphabet: str | Alphabet = "learned",
    size: int = 60,
    cased: bool = False,
    scheme: Scheme = "aligned",
    statistic: Statistic = "page",
    threshold: float | None = None,
    more_clean: Sequence[Document] = (),
    more_dirty: Sequence[Document] = (),
    base: NGramModel | None = None,
    about: dict[str, Any] | None = None,
) -> Trained:
    """Trains a model from pages and their cleaned text, and scores each page by one that has not seen its
    site.

    The same pages in the same order give the same model, to the byte of its file.

    Args:
        pairs: see `read_pairs`; about 50 pages of a dozen sites are enough.
        order: n, 1 to 8. By default 2, and 3 from two million characters of text.
        q: interpolation factor, between 0 and 1; 0.8 by default.
        alphabet: `learned` from the pages, `ascii`, `nonlexical`, or an alphabet of one's own.
        size, cased: of a learned alphabet (`learned_alphabet`).
        scheme: `aligned`, or `differential` as in Evert (2008).
        statistic: what a segment is decided by, see `decision.py`.
        threshold: in bits; by default the best one of the cross-validation.
        more_clean, more_dirty: documents that are clean or dirty as a whole.
        base: a model to adapt: its counts are added, weighing at most twice the new pages; order, q and
            alphabet are its own. Without pages the decision stays its own, too.
        about: what the model's header is to record besides.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts, very few pages.

    Raises:
        TrainingError: nothing to train on, no page has anything left to call clean or dirty, or most raw and
            clean texts do not belong together.
    """
    if not pairs and not (base and (more_clean or more_dirty)):
        raise TrainingError(f"no pages to train on: {_ADVISED}")
    examples = Examples(checked_pairs(pairs) if pairs else [])
    pairs = examples.pairs
    if base is not None:
        symbols, order, q = base.alphabet, base.order, base.q
    else:
        documents = [*(pair.document for pair in pairs), *more_clean, *more_dirty]
        symbols = training_alphabet(alphabet, documents, size, cased)
        order = order or (3 if examples.characters >= _TRIGRAMS_FROM else 2)
        q = DEFAULT_Q if q is None else q
    chosen_order, chosen_q = order, q
    parts = examples.tallies(symbols, chosen_order, scheme)
    more = _more(more_clean, more_dirty, symbols, chosen_order)

    def model_of(chosen: Sequence[tuple[Tallies, Tallies]]) -> NGramModel:
        levels: list[list[Counts]] = [] if more is None else [more]
        if chosen:
            clean, other = (add_tallies([part[side] for part in chosen]) for side in (0, 1))
            levels.append(two_sides(clean, other, scheme == "differential"))
        own = add_counts(levels)
        return NGramModel(chosen_order, chosen_q, symbols, own if base is None else _with_base(own, base))

    model = model_of(parts)
    characters = {side: int(getattr(model.levels[0], side).sum()) for side in ("clean", "dirty")}
    for side, number in characters.items():
        if number == 0:
            raise TrainingError(
                f"the training pages hold no {side} text: "
                + ("raw and clean are the same" if side == "dirty" else "do raw and clean belong together?")
            )
    validation: dict[str, float] = {}
    scores: list[Scored] = []
    if len(parts) > 1:
        held_out: dict[int, Scored] = {}
        for number, fold in enumerate(examples.folds):
            unseen = model_of([part for position, part in enumerate(parts) if position != number])
            held_out.update(zip(fold, examples.scored(unseen, fold), strict=True))
        scores = [held_out[page] for page in range(len(pairs))]
        decision, validation = fit_decision(
            [held_out[page] for fold in examples.folds for page in fold], statistic
        )
    elif pairs and base is None:
        # nothing to hold out: even odds of the segment alone
        warnings.warn(
            "all pages come from one site: the threshold stays at even odds of each segment",
            TrainingWarning,
            stacklevel=2,
        )
        decision = Decision("segment" if statistic == "page" else statistic)
    else:
        assert base is not None
        decision = base.decision
    if threshold is not None:
        decision = decision.with_threshold(threshold)
    training = {
        "pages": len(pairs),
        "sites": examples.sites,
        "words": sum(int(pair.alignment.words.sum()) for pair in pairs),
        "clean_characters": characters["clean"],
        "dirty_characters": characters["dirty"],
        "scheme": scheme,
    }
    recorded = {**(about or {}), "training": training, "validation": validation}
    if base is not None:
        recorded["adapted_from"] = base.name
    return Trained(replace(model, decision=decision, about=recorded), pairs, scores)


def _with_base(own: list[Counts], base: NGramModel) -> list[Counts]:
    """A base model's counts, scaled down to weigh at most `_BASE_WEIGHT` times the new ones, and these."""
    scaled = []
    factors = {}
    for side in ("clean", "dirty"):
        there = int(getattr(base.levels[0], side).sum())
        here = int(getattr(own[0], side).sum())
        factors[side] = min(1.0, _BASE_WEIGHT * here / max(there, 1)) if here else 1.0
    for level in base.levels:
        clean = np.rint(level.clean * factors["clean"]).astype(np.int64)
        dirty = np.rint(level.dirty * factors["dirty"]).astype(np.int64)
        left = clean + dirty > 0
        scaled.append(Counts(level.keys[left], clean[left], dirty[left]))
    return add_counts([scaled, own])
