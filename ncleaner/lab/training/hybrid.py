"""Training of hybrids: n-grams of a language, with the calibrated shipped structure model or with its own.

`train` is what the Python API offers, for the methods `hybrid` and `ngram`. About 50 pages are enough for the
n-grams of a language and for the calibration of the shipped structure model. An own structure model is for
hundreds of pages, or for pages of an unusual kind: its forests see scores of n-grams that were trained
without the page's site, as in use.
"""

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ncleaner.arguments import check_choice, check_is
from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT
from ncleaner.document.tables import ZONES
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training import NGramOptions, StructureSource, check_all
from ncleaner.lab.training.annotations import Annotated
from ncleaner.lab.training.calibration import Scored, fit_calibration
from ncleaner.lab.training.conventions import conventions_of
from ncleaner.lab.training.examples import count_sites
from ncleaner.lab.training.fragments import Fragment, cut_of, fragment_of
from ncleaner.lab.training.labels import gold_of
from ncleaner.lab.training.ngrams import train_and_score
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.structure import Example, train_structure
from ncleaner.lab.training.validation import Fold, cleaned_by, page_figures, validated
from ncleaner.modelling import Scheme, Statistic
from ncleaner.modelling.alphabet import Alphabet
from ncleaner.modelling.hybrid import Calibration, HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import Structure, shipped_structure
from ncleaner.options import check_names, options_of
from ncleaner.text.visible import counted, joined

_HEADLINE, _COMMENT = ZONES.index("headline"), ZONES.index("comment")
# A page gives a fragment if so much of its gold text is on the page, of segments that the gold text contains
# to this share.
_WHOLE, _SURELY = 0.5, 0.9
# fewer pages are too few for a structure model
_ADVISED = 50
# A structure model of its own: for each site, there must be two others.
_LEAST_SITES = 3


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

    The gold standard has no labels for headlines, on which the user decides, and none for readers'
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
        clean = pair.alignment.shares
        found.append(_example(pair, pair.document, clean, scored, slice(None), ngrams, pair.kind, silent))
    return found


def _example(
    pair: Pair, document: Document, clean: npt.NDArray[Any], scored: Scored, rows: Any, ngrams: NGramModel,
    kind: str, silent: npt.NDArray[np.bool_],
) -> Example:  # fmt: skip
    """Returns a page of a pair, or the part of it that these rows are, as a training page."""
    sums, counts = scored.sums[rows], scored.counts[rows]
    words = pair.alignment.words[rows].astype(np.float64)
    return Example(
        document, pair.site or pair.name, clean[rows].astype(np.float64), words, sums,
        ngrams.decision.statistics(sums, counts), kind, silent,
    )  # fmt: skip


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
        clean = pair.alignment.shares >= _SURELY
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
                # they teach only their kind
                silent = np.ones(len(fragment.rows), bool)
                found.append(
                    _example(pair, fragment.document, clean, scored, fragment.rows, ngrams, kind, silent)
                )
    return found


def train_hybrid(
    pairs: Sequence[Pair],
    annotated: Sequence[Annotated] = (),
    *,
    structure: StructureSource | Structure = "shipped",
    without: Iterable[str] = (),
    threads: int = 1,
    ngrams: NGramOptions = NGramOptions(),
    base: HybridModel | None = None,
    threshold: float | None = None,
    about: Mapping[str, Any] | None = None,
) -> HybridModel:
    """Trains a hybrid from pages with their cleaned text, from annotated pages, or from both.

    The same pages in the same order give the same model, to the byte of its file. Plain text teaches only the
    n-grams: a shipped structure model judges such pages, too, unless they come out better without it.

    Args:
        pairs: see `read_pairs`.
        annotated: pages with labels; see `lab.training.annotations`.
        structure: `shipped` calibrates the shipped model to these pages; `own` trains one on them, which
            needs LightGBM (extra `train`); or a structure model.
        without: features of an own structure model to leave out; see `modelling.features`.
        threads: of LightGBM; the result does not depend on their number.
        ngrams: options of its n-grams.
        base: the hybrid that is adapted; without pages of two sites its calibration stays.
        threshold: in bits, instead of a decision for the page as a whole.
        about: further entries of the header.

    Returns:
        The model. `model.about["validation"]` has the figures of `lab.training.validation` by cross-
        validation, and their standard errors (`…_error`); empty if all pages are of one site.

    Warns:
        TrainingWarning: as in `train_and_score`; or few pages for a structure model.

    Raises:
        TrainingError: as in `train_and_score`; no structure model can be trained on pages of plain text, or
            of fewer than three sites, or without LightGBM.
        ValueError: no such feature.
    """
    pairs = [*pairs, *map(pair_of, annotated)]
    trained, used, scores, unseen = train_and_score(pairs, ngrams, about)
    pages = [number for number, pair in enumerate(used) if not pair.document.is_text]
    if structure == "own":
        _check_own(used, bool(scores))
    made: list[Example] = []
    if scores:
        made = examples_of([used[page] for page in pages], [scores[page] for page in pages], trained)
    model = shipped_structure() if isinstance(structure, str) else structure
    parts = [model] * len(unseen)
    if structure == "own":
        fragments = fragments_of(used, scores, trained)
        model = train_structure([*made, *fragments], without=without, threads=threads, about=about)
        parts = [_without(fold.pages, made, fragments, without, threads) for fold in unseen]
    examples = dict(zip(pages, made, strict=False))
    start = Calibration() if base is None else base.calibration
    calibration, folds = _calibrated(unseen, parts, examples, start, threshold)
    text_by_ngrams = _ngrams_are_better(used, folds)
    if text_by_ngrams:
        folds = [Fold(fold.pages, replace(fold.model, text_by_ngrams=True)) for fold in folds]
    recorded = {**trained.about, **(validated(used, folds, "hybrid") if folds else {})}
    return HybridModel(
        trained, model, calibration, threshold,
        own=structure != "shipped", text_by_ngrams=text_by_ngrams, about=recorded,
    )  # fmt: skip


def _ngrams_are_better(pairs: Sequence[Pair], folds: Sequence[Fold[HybridModel]]) -> bool:
    """Returns whether the n-grams clean unseen pages of plain text better alone than together with the
    shipped structure model, which knows dumps of web pages, but not mail."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for fold in folds:
        texts = [pairs[number] for number in fold.pages if pairs[number].document.is_text]
        for alone, f_scores in found.items() if texts else ():
            mask_of = cleaned_by("hybrid", replace(fold.model, text_by_ngrams=alone))
            f_scores += [page_figures(pair, mask_of(pair.document))[2] for pair in texts]
    return sum(found[True]) > sum(found[False])


def _calibrated(
    unseen: Sequence[Fold[NGramModel]],
    parts: Sequence[Structure],
    examples: Mapping[int, Example],
    start: Calibration,
    threshold: float | None,
) -> tuple[Calibration, list[Fold[HybridModel]]]:
    """Returns the calibration on pages that the models have not seen, and the hybrid for each fold,
    calibrated on the others. `unseen` and `parts` are n-grams and structure model for each fold."""
    judged = {
        number: (page.clean, page.words, part.judge(page.document, page.odds, page.posterior).odds)
        for fold, part in zip(unseen, parts, strict=True)
        for number in fold.pages
        if (page := examples.get(number)) is not None
    }

    def without(pages: Collection[int]) -> Calibration:
        return fit_calibration([judged[number] for number in sorted(judged) if number not in pages], start)

    folds = [
        Fold(fold.pages, HybridModel(fold.model, part, without(fold.pages), threshold))
        for fold, part in zip(unseen, parts, strict=True)
    ]
    return without(()), folds


def _check_own(pairs: Sequence[Pair], has_scores: bool) -> None:
    """Checks that pages can teach a structure model. Raises TrainingError."""
    if names := [pair.name for pair in pairs if pair.document.is_text]:
        raise TrainingError(
            f"{counted(len(names), 'page is', 'pages are')} plain text, which has no structure to learn "
            f"from: {joined(names, 10)}; give HTML pages, or leave --structure own out"
        )
    if not has_scores or count_sites(pair.site for pair in pairs) < _LEAST_SITES:
        raise TrainingError("a structure model needs pages of at least three sites")
    if len(pairs) < _ADVISED:
        warnings.warn(
            f"{counted(len(pairs), 'page is', 'pages are')} few for a structure model: {_ADVISED} and "
            "more are advised",
            TrainingWarning,
            stacklevel=3,
        )


def _without(
    pages: Collection[int],
    examples: Sequence[Example],
    fragments: Sequence[Example],
    without: Iterable[str],
    threads: int,
) -> Structure:
    """Returns a structure model that has not seen the sites of some pages."""
    sites = {examples[number].site for number in pages}
    rest = [each for number, each in enumerate(examples) if number not in pages]
    rest += [fragment for fragment in fragments if fragment.site not in sites]
    return train_structure(rest, without=without, threads=threads)


class _Options(TypedDict, total=False):
    order: int | None
    q: float | None
    alphabet: str | Alphabet
    size: int
    cased: bool
    scheme: Scheme
    statistic: Statistic
    threshold: float | None
    more_clean: Sequence[Document]
    more_dirty: Sequence[Document]
    base: NGramModel | HybridModel | None
    about: Mapping[str, Any] | None


@overload
def train(
    pairs: Sequence[Pair], *, method: Literal["hybrid"] = "hybrid", **options: Unpack[_Options]
) -> HybridModel: ...


@overload
def train(pairs: Sequence[Pair], *, method: Literal["ngram"], **options: Unpack[_Options]) -> NGramModel: ...


def train(
    pairs: Sequence[Pair],
    *,
    method: Literal["hybrid", "ngram"] = "hybrid",
    threshold: float | None = None,
    base: NGramModel | HybridModel | None = None,
    about: Mapping[str, Any] | None = None,
    **options: Any,
) -> HybridModel | NGramModel:
    """Trains a model from pages and their cleaned text: n-grams (Evert 2008, section 3), and the calibration
    of the shipped structure model to these pages.

    The same pages in the same order give the same model, to the byte of its file.

    >>> import ncleaner
    >>> pairs = ncleaner.read_pairs("examples/pages", "examples/gold")
    >>> model = ncleaner.train(pairs, alphabet="nonlexical", about={"name": "mine", "language": "en"})
    >>> ncleaner.Cleaner(model=model).clean("<nav><a href=/>Home</a></nav><p>The ferry sails until May.</p>")
    'The ferry sails until May.'

    Args:
        pairs: see `read_pairs`; about 50 pages of a dozen sites are enough.
        method: `hybrid`, or `ngram` for the n-grams alone. Either model serves both methods.
        order: n, 1 to 8. By default 2, and 3 from two million characters of text.
        q: interpolation factor, between 0 and 1; larger values smooth more; 0.8 by default.
        alphabet: `learned` from the pages, `ascii`, `nonlexical`, or an `Alphabet`.
        size: characters of a learned alphabet, 60 by default.
        cased: a learned alphabet tells capitals apart.
        scheme: `aligned` labels the pages' segments by the gold text; `differential` subtracts counts as in
            Evert (2008).
        statistic: by which n-grams decide on a segment: `page`, its log-odds given the whole page; `segment`,
            its log-odds alone; `character`, their mean per character.
        threshold: in bits; segments that reach it are kept. By default `ngram` has the best one of the
            cross-validation, and `hybrid` decides for the page as a whole.
        more_clean, more_dirty: documents that are clean or dirty as a whole; see `read_texts`.
        base: a model to adapt: its counts are added and weigh at most twice the new pages; order, q and
            alphabet are its own. Without pages its decision stays, too.
        about: further entries of the model's header: name, language, sources, date.

    Returns:
        The model. `model.about["validation"]` has precision, recall and F of words, 0 to 1, with their
        standard errors, of pages that are cleaned by models without their sites; see
        `lab.training.validation`.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts, very few pages or sites.

    Raises:
        TrainingError: nothing to train on, no page has anything left to call clean or dirty, or most raw and
            clean texts do not belong together.
        TypeError: an argument has another type.
        ValueError: n or q is out of range, or there is no such method, alphabet, scheme or statistic.
    """
    check_all("pairs", pairs, Pair, "pairs of pages and their clean text, as read_pairs returns them")
    check_choice("method", method, ("hybrid", "ngram"))
    if about is not None:
        check_is("about", about, Mapping, "a mapping {name: value}")
    if base is not None:
        check_is("base", base, (NGramModel, HybridModel), "an n-gram model or a hybrid")
    check_names([each.name for each in options_of(NGramOptions)], options, "train")
    ngrams = NGramOptions(
        threshold=threshold, base=None if base is None else NGramModel.of_model(base), **options
    )
    if method == "ngram":
        return train_and_score(pairs, ngrams, about).model
    start = base if isinstance(base, HybridModel) else None
    # the threshold is the hybrid's
    ngrams = replace(ngrams, threshold=None)
    return train_hybrid(pairs, ngrams=ngrams, base=start, threshold=threshold, about=about)
