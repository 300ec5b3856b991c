"""Training of a hybrid: n-grams of a language, with the calibrated shipped structure model or with its own.

About 50 pages are enough for the n-grams of a language and for the calibration of the shipped structure
model. An own
structure model is for hundreds of pages, or for pages of an unusual kind: its forests see scores of n-grams
that were trained without the page's site, as in use.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT
from ncleaner.document.tables import ZONES
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.modelling._decide import probabilities_of
from ncleaner.modelling.card import validation_of
from ncleaner.modelling.decision import PRESETS
from ncleaner.modelling.hybrid import Calibration, HybridModel, keep_of
from ncleaner.modelling.labels import gold_of
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import Structure, load_structure
from ncleaner.text.counted import counted
from ncleaner.training.annotations import Annotated
from ncleaner.training.calibration import Scored, fit_logistic
from ncleaner.training.conventions import conventions_of
from ncleaner.training.examples import FOLDS
from ncleaner.training.fragments import Fragment, cut_of, fragment_of
from ncleaner.training.ngrams import NGramOptions, train_and_score
from ncleaner.training.pairs import Pair
from ncleaner.training.sites import folds
from ncleaner.training.structure import Example, train_structure

__all__ = ["examples_of", "fragments_of", "pair_of", "train_hybrid"]

StructureSource = Literal["shipped", "own"]
_HEADLINE, _COMMENT = ZONES.index("headline"), ZONES.index("comment")
# A page gives a fragment if so much of its gold text is on the page, of segments that the gold text contains
# to this share.
_WHOLE, _SURELY = 0.5, 0.9
# fewer pages are too few for a structure model
_ADVISED = 50
# pseudo-pages on which the structure model is taken to be calibrated
_PRIOR_PAGES = 10.0


def pair_of(page: Annotated) -> Pair:
    """Returns an annotated page as a pair with a gold text in CleanEval's markup."""
    kept, kinds, continues = gold_of(page.document, page.labels)
    lines: list[str] = []
    for row in np.flatnonzero(kept).tolist():
        text = str(page.document[row]).replace("\n", " ")
        if continues[row] and lines:
            lines[-1] += f" {text}"
        else:
            lines.append(f"<{chr(kinds[row])}>{text}")
    return Pair(page.name, page.document, "\n".join(lines), page.site)


def examples_of(pairs: Sequence[Pair], scores: Sequence[Scored], ngrams: NGramModel) -> list[Example]:
    """Returns training pages of one gold standard for a structure model.

    The gold standard says nothing about headlines, on which the user decides, and nothing about readers'
    comments if its convention is to leave them out.

    Args:
        pairs, scores: the pages, with the scores of `train_and_score`.
        ngrams: the n-grams of these scores.
    """
    without_comments = conventions_of(pairs)["comment"].convention == "left out"
    found = []
    for pair, scored in zip(pairs, scores, strict=True):
        zones = pair.document.segments["zone"]
        silent = zones == _HEADLINE
        if without_comments and pair.kind != "forum":
            silent = silent | (zones == _COMMENT)
        labels = np.nan_to_num(pair.alignment.matched), pair.alignment.words
        found.append(
            _example(pair, pair.document, *labels, scored.sums, scored.counts, ngrams, pair.kind, silent)
        )
    return found


def _example(
    pair: Pair,
    document: Document,
    clean: npt.NDArray[Any],
    words: npt.NDArray[Any],
    sums: npt.NDArray[np.float64],
    counts: npt.NDArray[np.uint32],
    ngrams: NGramModel,
    kind: str,
    silent: npt.NDArray[np.bool_],
) -> Example:
    """Returns a page of a pair, or a part of it, as a training page."""
    return Example(
        document,
        pair.site or pair.name,
        clean.astype(np.float64),
        words.astype(np.float64),
        sums,
        ngrams.decision.statistics(sums, counts),
        kind,
        silent,
    )


def fragments_of(pairs: Sequence[Pair], scores: Sequence[Scored], ngrams: NGramModel) -> list[Example]:
    """Returns fragments of pages as training pages for a structure model.

    Of every three pages, one gives a fragment with markup of its own, and the same with a menu and a footer
    if the kind of the page is known. One is cut down to its clean segments.

    Args:
        pairs, scores, ngrams: as for `examples_of`.
    """
    found = []
    for number, (pair, scored) in enumerate(zip(pairs, scores, strict=True)):
        if pair.alignment.found < _WHOLE:
            continue
        clean = np.nan_to_num(pair.alignment.matched) >= _SURELY
        made: list[tuple[str, Fragment | None]] = []
        if number % 3 == 0:
            made.append((FRAGMENT, fragment_of(pair.document, clean, pair.name)))
            if pair.kind:
                dirty = pair.alignment.matched == 0
                made.append((pair.kind, fragment_of(pair.document, clean, pair.name, dirty)))
        elif number % 3 == 1:
            made.append((FRAGMENT, cut_of(pair.document, clean)))
        for kind, fragment in made:
            if fragment is not None:
                rows = fragment.rows
                labels = clean[rows], pair.alignment.words[rows]
                # they teach only their kind
                silent = np.ones(len(rows), bool)
                scores_of = scored.sums[rows], scored.counts[rows]
                found.append(_example(pair, fragment.document, *labels, *scores_of, ngrams, kind, silent))
    return found


def _calibrate(examples: Sequence[Example], odds: Sequence[npt.NDArray[np.float64]]) -> Calibration:
    """Fits a logistic regression of the labels on the log-odds, all pages weighing the same.

    `_PRIOR_PAGES` pseudo-pages, on which the log-odds are right, pull it towards no change.
    """
    values = np.concatenate(odds)
    clean = np.concatenate([example.clean for example in examples])
    weights = np.concatenate([example.words / max(example.words.sum(), 1.0) for example in examples])
    right = probabilities_of(values)
    pseudo = weights * _PRIOR_PAGES / len(examples)
    slope, offset = fit_logistic(
        np.concatenate((values, values)),
        np.concatenate((clean, right)),
        np.concatenate((weights, pseudo)),
    )
    return Calibration(round(slope, 6), round(offset, 6)) if slope > 0 else Calibration()


def _figures(
    pairs: Sequence[Pair], examples: Sequence[Example], odds: Sequence[npt.NDArray[np.float64]], preset: str
) -> dict[str, float]:
    """Returns precision, recall and F of words of a preset's decision, averaged by page, 0 to 1."""
    found = []
    for pair, example, values in zip(pairs, examples, odds, strict=True):
        mask = keep_of(pair.document, values, preset)
        right = float((example.clean * example.words)[mask].sum())
        kept, gold = float(example.words[mask].sum()), float(pair.alignment.gold_words)
        precision = right / kept if kept else float(not gold)
        recall = right / gold if gold else float(not kept)
        found.append((precision, recall, 2 * right / (kept + gold) if kept + gold else 1.0))
    means = np.mean(found, axis=0)
    return {
        name: round(float(value), 6)
        for name, value in zip(("precision", "recall", "f_score"), means, strict=True)
    }


def train_hybrid(
    pairs: Sequence[Pair],
    annotated: Sequence[Annotated] = (),
    *,
    structure: StructureSource | Structure = "shipped",
    without: Iterable[str] = (),
    threads: int = 1,
    ngrams: NGramOptions = NGramOptions(),
    about: Mapping[str, Any] | None = None,
) -> HybridModel:
    """Trains a hybrid from pages with their cleaned text, from annotated pages, or from both.

    The same pages in the same order give the same model, to the byte of its file.

    Args:
        pairs: see `read_pairs`.
        annotated: pages with labels; see `training.annotations`.
        structure: `shipped` calibrates the shipped model to these pages; `own` trains one on them, which
            needs LightGBM (extra `train`); or a structure model.
        without: features of an own structure model to leave out; see `modelling.features`.
        threads: threads for an own structure model; the result does not depend on them.
        ngrams: options of its n-grams.
        about: further entries of the header.

    Warns:
        TrainingWarning: as in `train_and_score`; or few pages for a structure model.

    Raises:
        TrainingError: as in `train_and_score`; all pages are of one site; LightGBM is needed and missing.
        ValueError: no such feature.
    """
    pairs = [*pairs, *map(pair_of, annotated)]
    plain = [pair.name for pair in pairs if not len(pair.document.elements) and len(pair.document)]
    if plain:
        shown = ", ".join(plain[:10]) + (" …" if len(plain) > 10 else "")
        raise TrainingError(
            f"{counted(len(plain), 'page is', 'pages are')} plain text, which has no structure to learn "
            f"from: {shown}; give HTML pages, or train n-grams"
        )
    trained, used, scores = train_and_score(pairs, ngrams, about)
    if not scores:
        raise TrainingError(
            "all pages come from one site: a hybrid needs at least two, to see what holds on the next"
        )
    examples = examples_of(used, scores, trained)
    if structure == "own":
        if len(used) < _ADVISED:
            warnings.warn(
                f"{counted(len(used), 'page is', 'pages are')} few for a structure model: {_ADVISED} and "
                "more are advised",
                TrainingWarning,
                stacklevel=2,
            )
        fragments = fragments_of(used, scores, trained)
        model = train_structure([*examples, *fragments], without=without, threads=threads, about=about)
        odds: list[npt.NDArray[np.float64]] = [np.zeros(0)] * len(examples)
        for fold in folds([example.site for example in examples], FOLDS):
            held_out = set(fold)
            sites = {examples[number].site for number in fold}
            rest = [example for number, example in enumerate(examples) if number not in held_out]
            if len({example.site for example in rest}) > 1:
                rest += [fragment for fragment in fragments if fragment.site not in sites]
                part = train_structure(rest, without=without, threads=threads)
                for number in fold:
                    odds[number] = part.judge(*_asked(examples[number])).odds
        if any(len(values) != len(example.clean) for values, example in zip(odds, examples, strict=True)):
            raise TrainingError("a structure model needs pages of at least three sites")
    else:
        model = load_structure() if structure == "shipped" else structure
        odds = [model.judge(*_asked(example)).odds for example in examples]
    calibration = _calibrate(examples, odds)
    calibrated = [calibration(values) for values in odds]
    figures = {validation_of(preset): _figures(used, examples, calibrated, preset) for preset in PRESETS}
    recorded = {**trained.about, **figures}
    return HybridModel(
        trained,
        model,
        calibration,
        own=structure != "shipped",
        about=recorded,
    )


def _asked(example: Example) -> tuple[Document, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return example.document, example.odds, example.posterior
