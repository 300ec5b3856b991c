"""Training of n-gram models from pages and their cleaned text, with the calibration of their decision.

There are two schemes. *Differential training* (Evert 2008, section 3) uses only the two texts: the clean
model counts the gold text, and the dirty model counts the surplus of each n-gram in the raw text. *Aligned*
training labels the page's own segments by alignment with the gold text and counts each side directly.

The decision is calibrated by cross-validation within the training pages, with no site on both sides: a model
that has seen a site gives no evidence about the next site.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ncleaner.document import Document
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.calibration import Scored, fit_decision
from ncleaner.lab.training.counting import GramCounter, Tallies, add_counts, add_tallies, two_sides
from ncleaner.lab.training.examples import ADVICE, Examples, checked_pairs, score_page
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.validation import Fold, validated
from ncleaner.modelling import DEFAULT_Q, MAX_LEARNED
from ncleaner.modelling.alphabet import CLASS, Alphabet, classes_of_characters, composed
from ncleaner.modelling.alphabet import alphabet as named_alphabet
from ncleaner.modelling.decision import Decision
from ncleaner.modelling.ngrams import Counts, NGramModel

# from this many characters of training text trigrams are better than bigrams on unseen sites
# (docs/languages.md)
_TRIGRAMS_FROM = 2_000_000
# the counts of a base model weigh at most this many times the counts of the new pages
_BASE_WEIGHT = 2.0


def default_order(characters: int) -> int:
    """Returns the n that training takes for this number of characters of text, without white space."""
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


def learned_alphabet(texts: Iterable[str], *, size: int = 60, cased: bool = False) -> Alphabet:
    """Returns the alphabet of the `size` most frequent characters of some text, with classes for all others.

    The classes are digits, punctuation, other signs, and letters by script. Digits are always a class. The
    alphabet serves any script: where a script has more than `size` letters, the frequent letters keep symbols
    of their own.

    Args:
        texts: training text; the function converts it to NFC.
        size: number of characters, 1 to 200.
        cased: whether capitals and small letters have different symbols.

    Raises:
        ValueError: `size` is out of range, or the text has no character that can be a symbol.
    """
    if not 1 <= size <= MAX_LEARNED:
        raise ValueError(f"a learned alphabet has from 1 to {MAX_LEARNED} characters, not {size}")
    classes, small = classes_of_characters()
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(composed(text))
    frequencies: Counter[str] = Counter()
    for character, times in counted.items():
        code = ord(character)
        # A surrogate is half a character of UTF-16, and a model file (UTF-8) cannot hold it.
        whole = not 0xD800 <= code < 0xE000
        if whole and not character.isspace() and classes[code] != CLASS["digit"]:
            frequencies[character if cased else chr(small.get(code, code))] += times
    chosen = sorted(frequencies, key=lambda character: (-frequencies[character], character))[:size]
    if not chosen:
        raise ValueError("there is no text to learn an alphabet from")
    return named_alphabet({"name": "learned", "characters": "".join(sorted(chosen)), "cased": cased})


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


def train_and_score(
    pairs: Sequence[Pair], options: NGramOptions = NGramOptions(), about: Mapping[str, Any] | None = None
) -> Trained:
    """Trains n-grams (Evert 2008, section 3), and scores each page by a model that has not seen its site.

    The same pages in the same order give the same model, to the byte of its file.

    Args:
        pairs: see `read_pairs`.
        options: see `train`.
        about: further entries of the model's header.

    Returns:
        The model. `model.about["validation"]` has the figures of the method `ngram` by cross-validation; see
        `lab.training.validation`. It is empty if all pages are of one site.

    Warns, raises: as `train`.
    """
    counted = _Counted(pairs, options)
    model = counted.model_of(counted.parts)
    _check_sides(model)
    unseen: list[Fold[NGramModel]] = []
    scores: list[Scored] = []
    validation: Mapping[str, dict[str, Any]] = {"validation": {}}
    if len(counted.parts) > 1:
        decision, scores, unseen = _held_out(counted)
        validation = validated(counted.examples.pairs, unseen, "ngram")
    else:
        decision = _unvalidated(options)
    if options.threshold is not None:
        decision = decision.with_threshold(options.threshold)
    recorded = {**(about or {}), "training": _training_of(counted, model), **validation}
    if options.base is not None:
        recorded["adapted_from"] = options.base.name
    model = replace(model, decision=decision, about=recorded)
    return Trained(model, counted.examples.pairs, scores, unseen)


class _Counted:
    """The n-grams of the training pages: `parts` are the counts of both sides in each fold, `more` those of
    further texts, None without them."""

    def __init__(self, pairs: Sequence[Pair], options: NGramOptions) -> None:
        base, more_clean, more_dirty = options.base, options.more_clean, options.more_dirty
        if not pairs and not (base and (more_clean or more_dirty)):
            raise TrainingError(f"no pages to train on: {ADVICE}")
        self.options = options
        self.examples = Examples(checked_pairs(pairs) if pairs else [])
        if base is not None:
            self._symbols, self._order, self._q = base.alphabet, base.order, base.q
        else:
            documents = [*(pair.document for pair in self.examples.pairs), *more_clean, *more_dirty]
            self._symbols = training_alphabet(options.alphabet, documents, options.size, options.cased)
            self._order = options.order or default_order(self.examples.characters)
            self._q = DEFAULT_Q if options.q is None else options.q
        self.parts = self.examples.tallies(self._symbols, self._order, options.scheme)
        self._more = _more(more_clean, more_dirty, self._symbols, self._order)

    def model_of(self, chosen: Sequence[tuple[Tallies, Tallies]]) -> NGramModel:
        """Makes a model of some parts, further texts, and the base."""
        levels: list[list[Counts]] = [] if self._more is None else [self._more]
        if chosen:
            clean, other = (add_tallies([part[side] for part in chosen]) for side in (0, 1))
            levels.append(two_sides(clean, other, self.options.scheme == "differential"))
        own, base = add_counts(levels), self.options.base
        return NGramModel(self._order, self._q, self._symbols, own if base is None else _with_base(own, base))


def _check_sides(model: NGramModel) -> None:
    """Raises TrainingError: there is no clean or no dirty text."""
    for side in ("clean", "dirty"):
        if not getattr(model.levels[0], side).sum():
            raise TrainingError(
                f"the training pages hold no {side} text: "
                + ("raw and clean are the same" if side == "dirty" else "do raw and clean belong together?")
            )


def _held_out(counted: _Counted) -> tuple[Decision, list[Scored], list[Fold[NGramModel]]]:
    """Scores each page by a model without its site. Returns the decision fitted to all pages; the scores of
    each page; and for each fold the model that has not seen it, with the decision fitted to the others."""
    options, parts, folds = counted.options, counted.parts, counted.examples.folds
    models = [counted.model_of([*parts[:number], *parts[number + 1 :]]) for number in range(len(folds))]
    pairs = counted.examples.pairs
    scored = [
        [score_page(pairs[page], part) for page in fold] for part, fold in zip(models, folds, strict=True)
    ]
    score_of = dict(zip(chain(*folds), chain(*scored), strict=True))
    unseen = []
    for number, (fold, part) in enumerate(zip(folds, models, strict=True)):
        own = fit_decision([*chain(*scored[:number], *scored[number + 1 :])], options.statistic)
        if options.threshold is not None:
            own = own.with_threshold(options.threshold)
        unseen.append(Fold(fold, replace(part, decision=own)))
    scores = [score_of[page] for page in range(len(pairs))]
    return fit_decision([*chain(*scored)], options.statistic), scores, unseen


def _unvalidated(options: NGramOptions) -> Decision:
    """Returns the decision if no site can be held out: even odds of each segment, or the decision of the
    base."""
    if options.base is not None:
        return options.base.decision
    warnings.warn(
        "all pages come from one site, so that no figures tell how the model does on others, and its "
        "threshold stays at even odds of each segment: add pages of other sites",
        TrainingWarning,
        stacklevel=3,
    )
    return Decision("segment" if options.statistic == "page" else options.statistic)


def _training_of(counted: _Counted, model: NGramModel) -> dict[str, Any]:
    """Returns the record of the training for the model's header."""
    pairs = counted.examples.pairs
    return {
        "pages": len(pairs),
        "sites": counted.examples.sites,
        "words": sum(int(pair.alignment.words.sum()) for pair in pairs),
        "clean_characters": int(model.levels[0].clean.sum()),
        "dirty_characters": int(model.levels[0].dirty.sum()),
        "scheme": counted.options.scheme,
    }


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
