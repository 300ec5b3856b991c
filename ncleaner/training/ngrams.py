"""Training of n-gram models from pages and their cleaned text, with the calibration of their decision.

There are two schemes. *Differential training* (Evert 2008, section 3) uses only the two texts: the clean
model counts the gold text, and the dirty model counts the surplus of each n-gram in the raw text. *Aligned*
training labels the page's own segments by alignment with the gold text and counts each side directly.

The decision is calibrated by cross-validation within the training pages, with no site on both sides: a model
that has seen a site says nothing about the next site.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ncleaner.arguments import check_all, check_choice, check_flag, check_is, check_number, check_whole
from ncleaner.document import Document
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.modelling import DEFAULT_Q
from ncleaner.modelling.alphabet import ALPHABET_NAMES, MAX_LEARNED, Alphabet, learned_alphabet
from ncleaner.modelling.alphabet import alphabet as named_alphabet
from ncleaner.modelling.counts import Counts, GramCounter, Tallies, add_counts, add_tallies, two_sides
from ncleaner.modelling.decision import STATISTICS, Decision, Statistic
from ncleaner.modelling.ngrams import MAX_ORDER, NGramModel, interpolation_weights
from ncleaner.training.calibration import Scored, fit_decision
from ncleaner.training.examples import ADVICE, SCHEMES, Examples, Scheme, checked_pairs
from ncleaner.training.pairs import Pair
from ncleaner.training.validation import Fold, validated

__all__ = [
    "DEFAULT_ALPHABET",
    "DEFAULT_Q",
    "NGramOptions",
    "Trained",
    "default_order",
    "train_and_score",
    "training_alphabet",
]

DEFAULT_ALPHABET = "learned"
# from this many characters of training text trigrams are better than bigrams on unseen sites
# (docs/languages.md)
_TRIGRAMS_FROM = 2_000_000
# the counts of a base model weigh at most this many times the counts of the new pages
_BASE_WEIGHT = 2.0


def default_order(characters: int) -> int:
    """Returns the n that training takes for pages with so many characters of text, without white space."""
    return 3 if characters >= _TRIGRAMS_FROM else 2


def _more(
    clean: Sequence[Document], dirty: Sequence[Document], symbols: Alphabet, order: int
) -> list[Counts] | None:
    """Returns the counts of documents that are completely clean or dirty; None without any."""
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
    """Returns the alphabet of this name; `learned` learns it from the text of the documents.

    Raises:
        TrainingError: the documents have no text.
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
    """A model and its training pages.

    Attributes:
        model: the model.
        pairs: the usable pages.
        scores: for each of them, by a model trained without its site; empty if all pages are of one site.
        unseen: these models, with decisions that are fitted without these pages, too.
    """

    model: NGramModel
    pairs: Sequence[Pair]
    scores: list[Scored]
    unseen: list[Fold[NGramModel]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NGramOptions:
    """How n-grams are trained: the keyword arguments of `train` as one value, for whoever trains n-grams as a
    part."""

    order: int | None = None
    q: float | None = None
    alphabet: str | Alphabet = DEFAULT_ALPHABET
    size: int = 60
    cased: bool = False
    scheme: Scheme = "aligned"
    statistic: Statistic = "page"
    threshold: float | None = None
    more_clean: Sequence[Document] = ()
    more_dirty: Sequence[Document] = ()
    base: NGramModel | None = None

    def __post_init__(self) -> None:
        if self.order is not None:
            check_whole("order", self.order, 1, MAX_ORDER)
        if self.q is not None:
            check_number("q", self.q, "a number between 0 and 1")
            interpolation_weights(1, self.q)
        if not isinstance(self.alphabet, Alphabet):
            check_choice("alphabet", self.alphabet, ALPHABET_NAMES)
        check_whole("size", self.size, 1, MAX_LEARNED)
        check_flag("cased", self.cased)
        check_choice("scheme", self.scheme, SCHEMES)
        check_choice("statistic", self.statistic, STATISTICS)
        if self.threshold is not None:
            check_number("threshold", self.threshold, "a number of bits")
        for name, documents in (("more_clean", self.more_clean), ("more_dirty", self.more_dirty)):
            check_all(name, documents, Document, "documents")
        if self.base is not None:
            check_is("base", self.base, NGramModel, "an n-gram model")


def train_and_score(
    pairs: Sequence[Pair], options: NGramOptions = NGramOptions(), about: Mapping[str, Any] | None = None
) -> Trained:
    """Trains n-grams (Evert 2008, section 3), and scores each page by a model that has not seen its site.

    The same pages in the same order give the same model, to the byte of its file.

    Args:
        pairs: see `read_pairs`.
        options: see `train`.
        about: what the model's header is to record besides.

    Returns:
        The model. `model.about["validation"]` has the figures of the method `ngram` by cross-validation; see
        `training.validation`. It is empty if all pages are of one site.

    Warns, raises: as `train`.
    """
    base, more_clean, more_dirty = options.base, options.more_clean, options.more_dirty
    order, q, scheme, statistic = options.order, options.q, options.scheme, options.statistic
    if not pairs and not (base and (more_clean or more_dirty)):
        raise TrainingError(f"no pages to train on: {ADVICE}")
    examples = Examples(checked_pairs(pairs) if pairs else [])
    pairs = examples.pairs
    if base is not None:
        symbols, order, q = base.alphabet, base.order, base.q
    else:
        documents = [*(pair.document for pair in pairs), *more_clean, *more_dirty]
        symbols = training_alphabet(options.alphabet, documents, options.size, options.cased)
        order = order or default_order(examples.characters)
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
    validation: Mapping[str, dict[str, Any]] = {"validation": {}}
    scores: list[Scored] = []
    unseen: list[Fold[NGramModel]] = []
    if len(parts) > 1:
        folds = examples.folds
        models = [model_of([*parts[:number], *parts[number + 1 :]]) for number in range(len(folds))]
        scored = [examples.scored(part, fold) for part, fold in zip(models, folds, strict=True)]
        score_of = dict(zip(chain(*folds), chain(*scored), strict=True))
        scores = [score_of[page] for page in range(len(pairs))]
        decision = fit_decision([*chain(*scored)], statistic)
        for number, (fold, part) in enumerate(zip(folds, models, strict=True)):
            own = fit_decision([*chain(*scored[:number], *scored[number + 1 :])], statistic)
            if options.threshold is not None:
                own = own.with_threshold(options.threshold)
            unseen.append(Fold(fold, replace(part, decision=own)))
        validation = validated(pairs, unseen, "ngram")
    elif pairs and base is None:
        # no site can be held out: decide by even odds of each segment
        warnings.warn(
            "all pages come from one site: the threshold stays at even odds of each segment",
            TrainingWarning,
            stacklevel=2,
        )
        decision = Decision("segment" if statistic == "page" else statistic)
    else:
        assert base is not None
        decision = base.decision
    if options.threshold is not None:
        decision = decision.with_threshold(options.threshold)
    training = {
        "pages": len(pairs),
        "sites": examples.sites,
        "words": sum(int(pair.alignment.words.sum()) for pair in pairs),
        "clean_characters": characters["clean"],
        "dirty_characters": characters["dirty"],
        "scheme": scheme,
    }
    recorded = {**(about or {}), "training": training, **validation}
    if base is not None:
        recorded["adapted_from"] = base.name
    return Trained(replace(model, decision=decision, about=recorded), pairs, scores, unseen)


def _with_base(own: list[Counts], base: NGramModel) -> list[Counts]:
    """Adds the counts of a base model, scaled down to at most `_BASE_WEIGHT` times the new counts."""
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
