"""The training of models for the methods `hybrid` and `ngram`, as the Python API offers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from ncleaner.arguments import check_all, check_choice, check_is, check_number
from ncleaner.document import Document
from ncleaner.modelling.alphabet import Alphabet
from ncleaner.modelling.decision import Statistic
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.training.examples import Scheme
from ncleaner.training.hybrid import train_hybrid
from ncleaner.training.ngrams import DEFAULT_ALPHABET, NGramOptions, train_and_score
from ncleaner.training.pairs import Pair

__all__ = ["train"]


@overload
def train(
    pairs: Sequence[Pair],
    *,
    method: Literal["hybrid"] = "hybrid",
    order: int | None = None,
    q: float | None = None,
    alphabet: str | Alphabet = DEFAULT_ALPHABET,
    size: int = 60,
    cased: bool = False,
    scheme: Scheme = "aligned",
    statistic: Statistic = "page",
    threshold: float | None = None,
    more_clean: Sequence[Document] = (),
    more_dirty: Sequence[Document] = (),
    base: NGramModel | HybridModel | None = None,
    about: Mapping[str, Any] | None = None,
) -> HybridModel: ...


@overload
def train(
    pairs: Sequence[Pair],
    *,
    method: Literal["ngram"],
    order: int | None = None,
    q: float | None = None,
    alphabet: str | Alphabet = DEFAULT_ALPHABET,
    size: int = 60,
    cased: bool = False,
    scheme: Scheme = "aligned",
    statistic: Statistic = "page",
    threshold: float | None = None,
    more_clean: Sequence[Document] = (),
    more_dirty: Sequence[Document] = (),
    base: NGramModel | HybridModel | None = None,
    about: Mapping[str, Any] | None = None,
) -> NGramModel: ...


def train(
    pairs: Sequence[Pair],
    *,
    method: Literal["hybrid", "ngram"] = "hybrid",
    order: int | None = None,
    q: float | None = None,
    alphabet: str | Alphabet = DEFAULT_ALPHABET,
    size: int = 60,
    cased: bool = False,
    scheme: Scheme = "aligned",
    statistic: Statistic = "page",
    threshold: float | None = None,
    more_clean: Sequence[Document] = (),
    more_dirty: Sequence[Document] = (),
    base: NGramModel | HybridModel | None = None,
    about: Mapping[str, Any] | None = None,
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
        size: characters of a learned alphabet.
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
        standard errors, of pages that are cleaned by models without their sites; see `training.validation`.

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
    if threshold is not None:
        check_number("threshold", threshold, "a number of bits")
    if base is not None:
        check_is("base", base, (NGramModel, HybridModel), "an n-gram model or a hybrid")
    options = NGramOptions(
        order=order, q=q, alphabet=alphabet, size=size, cased=cased, scheme=scheme, statistic=statistic,
        threshold=threshold if method == "ngram" else None, more_clean=more_clean, more_dirty=more_dirty,
        base=None if base is None else NGramModel.of_model(base),
    )  # fmt: skip
    if method == "ngram":
        return train_and_score(pairs, options, about).model
    start = base if isinstance(base, HybridModel) else None
    return train_hybrid(pairs, ngrams=options, base=start, threshold=threshold, about=about)
