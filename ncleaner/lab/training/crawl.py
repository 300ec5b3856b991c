"""Training from raw pages alone: a model of a language without any cleaned page.

The structure model with non-lexical n-grams, which needs no language, judges the pages. What it is sure of is
the training text of n-grams of the language: self-training, with the structure of pages and their letters as
two views (Blum and Mitchell, "Combining Labeled and Unlabeled Data with Co-Training", 1998). Each further
round judges with what the last one has learned. A page is always judged by n-grams that have not seen its
site, so that no round repeats its own errors.

Rounds end when n-grams no longer agree better with the judgement of the whole, again on sites that they have
not seen. That needs no gold text. docs/languages.md has figures, also for other choices.
"""

import hashlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import NOTICE
from ncleaner.errors import NcleanerError, TrainingError, TrainingWarning
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.alignment import Alignment
from ncleaner.lab.training.examples import count_sites
from ncleaner.lab.training.ngrams import Trained, train_and_score
from ncleaner.lab.training.pairs import Pair, site_of
from ncleaner.lab.training.validation import cleaned_by, page_figures
from ncleaner.methods.choice import read_ngrams
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.language import page_language
from ncleaner.methods.registry import FALLBACK_MODEL
from ncleaner.modelling.container import AGREEMENT, BEFORE
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import Damage, Page, Skip
from ncleaner.text.visible import counted, joined

DEFAULT_PAGES = 1000
# Largest number of pages of one site: more of them teach the same menus.
_PER_SITE = 20
# The judgement is sure of a segment from this probability on, and below the other one.
_SURE, _SURELY_NOT = 0.8, 0.2
# A page teaches if it has at least this number of words of clean text, and is judged surely for at least this
# share of its words.
_FEW_WORDS, _SURE_SHARE = 20, 0.5
_ROUNDS = 5
# Pages from which the figure without the model is.
_FOR_FIGURE = 200
# A smaller rise of the agreement does not count.
_RISE = 0.002
_LEAST_PAGES, _LEAST_SITES = 5, 2
# The same of a language in a run: its user does not look at the model.
_FEW_PAGES = 20


def pages_by_language(
    pages: Iterable[Page | Skip | Damage],
    dump: Callable[[Page], Document],
    wanted: Callable[[str], bool],
    most: int = DEFAULT_PAGES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[dict[str, list[Pair]], Counter[str]]:
    """Collects pages by their language, each text once, up to twenty of a site.

    Args:
        pages: as `read` yields them; other items are passed over.
        dump: dumps a page.
        wanted: whether a language is, by its ISO 639 code as `page_language` returns it.
        most: number of pages after which nothing more is read.
        progress: called with the number of pages found and with `most`.

    Returns:
        The pages, without gold text; and the numbers of other pages, by why they are left out.
    """
    found: dict[str, list[Pair]] = {}
    passed: Counter[str] = Counter()
    of_site: Counter[tuple[str, str]] = Counter()
    texts: set[bytes] = set()
    for page in pages:
        if not isinstance(page, Page):
            continue
        try:
            document = dump(page)
        except NcleanerError:
            passed["too large"] += 1
            continue
        language = page_language(document)
        if not wanted(language):
            passed["in other languages"] += 1
        elif (text := hashlib.sha256(document.data).digest()) in texts:
            passed["the same as another page"] += 1
        elif (site := _site_of(page)) and of_site[language, site] >= _PER_SITE:
            passed[f"beyond {_PER_SITE} of a site"] += 1
        else:
            texts.add(text)
            of_site[language, site] += 1
            name = page.url or f"{page.source}:{page.offset}"
            found.setdefault(language, []).append(Pair(name, document, "", site))
            progress(len(texts), most)
            if len(texts) == most:
                break
    return found, passed


def _site_of(page: Page) -> str:
    """Returns the site of a page; without a URL, the page is parsed once more to find it."""
    return site_of(page.url if "://" in page.url else "", page.body)


def learn_languages(
    pages: Iterable[Page],
    dump: Callable[[Page], Document],
    wanted: Callable[[str], bool],
    named: Iterable[str] = (),
    say: Callable[[str], object] = len,
) -> Iterator[tuple[str, HybridModel]]:
    """Yields a model of each language of some pages, by its code, as `train_from_crawl` makes it.

    Args:
        pages, dump, wanted: see `pages_by_language`.
        named: languages of which something is said even if no page is in them.
        say: gets a sentence about each language.
    """
    found: dict[str, list[Pair]] = {code: [] for code in named}
    found |= pages_by_language(pages, dump, wanted)[0]
    few = sorted((-len(pairs), code) for code, pairs in found.items() if len(pairs) < _FEW_PAGES)
    if few:
        listed = joined([f"{code}: {-number}" for number, code in few], 10)
        say(f"no model is learned of languages with fewer than {_FEW_PAGES} pages ({listed})")
    for _, code in few:
        del found[code]
    for language, pairs in sorted(found.items()):
        given = f"{counted(len(pairs), 'page')} in {language}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TrainingWarning)
                model = train_from_crawl(pairs, about={"name": language, "language": language})
        except TrainingError as error:
            say(f"no model is learned from {given}: {error}")
        else:
            say(f"a model is learned from {model.about['training']['pages']:,} of {given}")
            yield language, model


def train_from_crawl(
    pairs: Sequence[Pair],
    *,
    ngrams: NGramOptions = NGramOptions(),
    start: HybridModel | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> HybridModel:
    """Trains a hybrid on raw pages: n-grams of their language, with the shipped structure model as it is.

    The same pages in the same order give the same model, to the byte of its file.

    Args:
        pairs: pages in one language; their gold texts are not used. See `pages_by_language`.
        ngrams: options of the n-grams.
        start: judges in the first round; the shipped structure model with the non-lexical n-grams by default.
        about: further entries of the header: name, language, sources.
        progress: called with the number of rounds done, and of rounds at most.

    Returns:
        The model. Its header has `agreement` in place of figures of accuracy: precision, recall and F of the
        n-grams against the judgement that taught them, on sites that they had not seen; and the F of the
        n-grams of `start` against the same judgement of up to 200 pages.

    Raises:
        TrainingError: there are fewer than five pages, or all of one site; or hardly any is judged surely.
    """
    _check(pairs, "in this language")
    # a text that is on several pages of a site is rarely the main text of one
    seen = Counter((pair.site, text) for pair in pairs for text in set(pair.document.texts))
    if start is None:
        start = HybridModel.of_ngrams(read_ngrams(FALLBACK_MODEL))
    judges = [start] * len(pairs)
    best: HybridModel | None = None
    agreement: dict[str, float] = {}
    for rounds in range(1, _ROUNDS + 1):
        labelled = [_labelled(pair, judge, seen) for pair, judge in zip(pairs, judges, strict=True)]
        taught = [pair for pair in labelled if pair is not None]
        trained = _taught(taught, ngrams, about, rounds)
        found = dict(trained.model.about["validation"])
        if best is not None and found["f_score"] < agreement["f_score"] + _RISE:
            break
        agreement = found | {BEFORE: _f_score(taught, start.ngrams)}
        best = _recorded(trained.model, start, rounds, agreement)
        # a page that has not taught anything is judged by all the others
        judges = [best] * len(pairs)
        chosen = [number for number, pair in enumerate(labelled) if pair is not None]
        for fold in trained.unseen:
            unseen = HybridModel(fold.model, start.structure)
            for number in fold.pages:
                judges[chosen[number]] = unseen
        progress(rounds, _ROUNDS)
    assert best is not None
    return best


def _taught(used: list[Pair], ngrams: NGramOptions, about: Mapping[str, Any] | None, rounds: int) -> Trained:
    """Trains n-grams on pages with the labels of the last judgement."""
    _check(used, "judged surely")
    with warnings.catch_warnings():
        if rounds > 1:
            # the first round has already warned about these pages
            warnings.simplefilter("ignore", TrainingWarning)
        return train_and_score(used, ngrams, about)


def _recorded(model: NGramModel, start: HybridModel, rounds: int, agreement: dict[str, float]) -> HybridModel:
    """Returns a hybrid whose header has `agreement` in place of figures of accuracy."""
    told = {key: value for key, value in model.about.items() if not key.startswith("validation")}
    learned = model.about["training"] | {"scheme": "raw pages", "rounds": rounds}
    told |= {"training": learned, AGREEMENT: agreement}
    return HybridModel(replace(model, about=told), start.structure, about=told)


def _f_score(used: Sequence[Pair], model: NGramModel) -> float:
    """Returns the F of n-grams against the judgement of some pages."""
    mask_of = cleaned_by("ngram", model)
    found = [page_figures(pair, mask_of(pair.document))[2] for pair in used[:_FOR_FIGURE]]
    return round(float(np.mean(found)), 6)


def _check(pairs: Sequence[Pair], which: str) -> None:
    """Checks that there are enough pages. Raises TrainingError."""
    sites = count_sites(pair.site for pair in pairs)
    if len(pairs) < _LEAST_PAGES or sites < _LEAST_SITES:
        raise TrainingError(
            f"{counted(len(pairs), 'page')} of {counted(sites, 'site')} {which} "
            f"{'is' if len(pairs) == 1 else 'are'} too few to learn from: {_LEAST_PAGES} pages of "
            f"{_LEAST_SITES} sites are the least, some hundred are better"
        )


def _labelled(pair: Pair, model: HybridModel, seen: Mapping[tuple[str, str], int]) -> Pair | None:
    """Returns a page with labels in place of a gold text; None if hardly anything on it is sure."""
    document = pair.document
    kept = Hybrid(model).keep(document)
    if kept.scores is None or kept.kind == NOTICE:
        return None
    odds = np.clip(kept.scores, -60.0, 60.0)
    probabilities = 1 / (1 + np.exp2(-odds))
    site = pair.site
    repeated = np.array([bool(site) and seen[site, text] > 1 for text in document.texts], bool)
    clean = kept.mask & (probabilities >= _SURE) & ~repeated
    dirty = ~kept.mask & (probabilities <= _SURELY_NOT)
    words = pair.alignment.words
    sure = np.where(clean | dirty, words, 0)
    if sure[clean].sum() < _FEW_WORDS or sure.sum() < _SURE_SHARE * words.sum():
        return None
    matched = np.where(sure > 0, clean.astype(np.float64), np.nan)
    return pair.labelled(Alignment(sure, matched, int(sure[clean].sum()), 1.0))
