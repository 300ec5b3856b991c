"""The language of a page: by its text, and as declared if the text does not contradict.

The letters of a sample give the script. A script that only one language uses gives the language. For other
scripts, the most frequent words of three languages are looked up. On all other pages a language identifier
reads the sample; if the page declares a language of this script, it first reads only the beginning of it, and
mostly agrees.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.methods._sample import OF_LANGUAGE, Sampler, in_main_interpreter
from ncleaner.modelling.alphabet import scripts
from ncleaner.modelling.files import models_folder
from ncleaner.text.codes import declared_language, iso_639_1
from ncleaner.text.wordlists import word_lists

# Languages whose frequent words are known.
_LISTED = ("en", "pl", "ru")
# `frequent_words.txt` says what these are, and how to add one.
_WORDS = word_lists("methods/frequent_words", *_LISTED)
# They show the declared language from `_FEWEST_DECLARED` such words on, any language from `_FEWEST` on, if
# one in `_SPARSEST` words is listed: a sentence about cookies has a few, too, on a page in another language.
# 98 of 100 English, Polish and Russian pages have more; the identifier reads the others.
_FEWEST_DECLARED, _FEWEST, _SPARSEST = 2, 3, 16
# Fewer words are enough if letters show the language, and none is of another one: of Russian, ы or э (which
# Bulgarian has not), and only its 33 letters. Patterns of UTF-8.
_LETTERS = {
    "ru": (
        re.compile(rb"\xd1[\x8b\x8d]"),
        re.compile(rb"\xd0[\x80\x82-\x8f]|\xd1[\x90\x92-\xbf]|[\xd2-\xd4]"),
    )
}
# Listed words of the language are at least this multiple of the listed words of others.
_OTHERS = 4
# Number of bytes of the sample that are enough to confirm a declared language, with this probability.
_FIRST_BYTES, _CONFIRMED = 80, 0.5
# The text has another language than the declared one if the identifier gives the other one at least the first
# probability, and the declared one less than the second.
_SURE, _EXCLUDED = 0.7, 0.05
# More languages than can have such probabilities together.
_CANDIDATES = 8
# Below this probability the identifier does not know the language. From a number of words on, it is below the
# second one, and then the text is not in the declared language either: so are 9 of 3,068 gold pages, in
# isiXhosa, isiZulu or Indonesian, or of filler text or scrambled letters.
_UNSURE, _UNSURE_OF_MANY, _MANY_WORDS = 0.2, 0.3, 24
# `scripts.txt` says what these are, and how to add one.
_LANGUAGES_OF = word_lists(
    "methods/scripts", "Latin", "Greek", "Cyrillic", "Hebrew", "Arabic", "Indic", "Southeast Asian", "Kana",
    "Hangul", "Han", "letter",
)  # fmt: skip
_SCRIPTS_OF: dict[str, list[str]] = {}
for _script, _languages in _LANGUAGES_OF.items():
    for _language in _languages:
        _SCRIPTS_OF.setdefault(_language, []).append(_script)
_DEFAULT_SCRIPTS = ["Latin"]
# Scripts of a single language.
_ALONE = {"Greek": "el", "Hangul": "ko", "Kana": "ja", "Han": "zh"}
# Labels of the identifier that are not codes of ISO 639 for the same language.
_LABELS = {"als": "gsw", "bh": "bho"}


@cache
def _sampler() -> tuple[Sampler, tuple[str, ...]]:
    """Returns the sampler, and the names of the scripts by their numbers."""
    classes = scripts()
    names = classes.characters
    words = [[word.encode() for word in listed] for listed in _WORDS.values()]
    return Sampler(classes.index, classes.pages, names.index("letter"), names.index("Kana"), words), names


Predictions = list[tuple[float, str]]


@cache
def _identifier() -> Callable[[str, int, float, str], Predictions]:
    """Returns fastText's small identifier of 176 languages. The first page that needs it loads it."""
    if not in_main_interpreter():
        # fastText waits forever for the lock of the first one
        raise ImportError("the language identifier fastText works only in the main interpreter")
    import fasttext

    predict: Any = fasttext.load_model(str(models_folder() / "lid.176.ftz")).f.predict
    return predict  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)
def _code(label: str) -> str:
    """Returns the language of a label such as `__label__en`, in the codes of `page_language`."""
    code = label.removeprefix("__label__")
    return iso_639_1(declared_language(_LABELS.get(code, code)))


def _predictions(text: bytes, most: int) -> Predictions:
    """Returns the likeliest languages of a text, as (probability, label), the likeliest first."""
    return _identifier()(text.decode("utf-8", "ignore") + "\n", most, 0.0, "strict")


@cache
def _known() -> frozenset[str]:
    """Returns the languages that the identifier knows."""
    # with a negative limit it also returns the languages of probability 0
    return frozenset(_code(label) for _, label in _identifier()("\n", 1000, -1.0, "strict"))


def _identify(text: bytes, script: str, declared: str, words: int) -> tuple[str, float | None]:
    """Returns the language of a text in `script`, `declared` unless the text contradicts it, and its
    probability; None for a language that the identifier does not know."""
    if declared:
        if declared not in _known():
            return declared, None
        for probability, label in _predictions(text[:_FIRST_BYTES], 1):
            if probability >= _CONFIRMED and _code(label) == declared:
                return declared, probability
    found = _predictions(text, _CANDIDATES)
    best, most = next(
        (
            (code, probability)
            for probability, label in found
            if script in _SCRIPTS_OF.get(code := _code(label), _DEFAULT_SCRIPTS)
        ),
        ("", 0.0),
    )
    least = _UNSURE_OF_MANY if words >= _MANY_WORDS else 0.0 if declared else _UNSURE
    if declared:
        own = sum(probability for probability, label in found if _code(label) == declared)
        if most < _SURE or own >= _EXCLUDED:
            best, most = declared, own
    return (best, most) if most >= least else ("", None)


def _has_letters(text: bytes, language: str) -> bool:
    """Returns whether a text has letters that show a language, and none of others; see `_LETTERS`."""
    if language not in _LETTERS:
        return False
    shown, others = _LETTERS[language]
    return shown.search(text) is not None and others.search(text) is None


@lru_cache(maxsize=1024)
def _declared(lang: str) -> str:
    return iso_639_1(declared_language(lang))


class PageLanguage(NamedTuple):
    """The language of a page.

    Attributes:
        language: an ISO 639-1 code, or an ISO 639-3 code if it has no other; empty if it is unknown.
        script: the script of most letters, as its number among the scripts; 0 without letters.
        mixed: whether the sample has text in another script or in another language with frequent words.
        score: the probability of the language by the identifier, three decimal places; 1 where letters or
            frequent words show it; None where it is only declared, or unknown.
    """

    language: str
    script: int = 0
    mixed: bool = False
    score: float | None = None


def find_language(document: Document) -> PageLanguage:
    """Finds the language of a page.

    The language that `<html lang>` declares counts unless the text contradicts: its letters are in another
    script, or the identifier is sure of another language and excludes this one. If it finds next to nothing
    of any language in many words, the language is unknown. Without such a declaration a script of a single
    language decides, for other scripts frequent words or the identifier. A page without letters has the
    declared language.
    """
    declared = _declared(document.lang)
    sampler, names = _sampler()
    number, text, words, most, listed, others, foreign = sampler.take(document.tables)
    if not number:
        return PageLanguage(declared)
    script = names[number]
    if declared and script not in _SCRIPTS_OF.get(declared, _DEFAULT_SCRIPTS):
        declared = ""
    mixed = bool(foreign) or others >= _FEWEST_DECLARED
    if script in _ALONE:
        return PageLanguage(declared or _ALONE[script], number, mixed, 1.0)
    if (
        listed
        and others * _OTHERS <= listed
        and script in _SCRIPTS_OF.get(language := _LISTED[most], _DEFAULT_SCRIPTS)
    ):
        fewest = _FEWEST_DECLARED if language == declared else _FEWEST
        if declared in ("", language) and (
            (listed >= fewest and listed * _SPARSEST >= words)
            or (listed >= _FEWEST_DECLARED and _has_letters(text, language))
        ):
            return PageLanguage(language, number, mixed, 1.0)
    language, score = _identify(text, script, declared, words)
    score = None if score is None else min(round(score, 3), 1.0)
    # two languages with frequent words, one of them the language of the page
    mixed = mixed or (listed >= _FEWEST_DECLARED and language != _LISTED[most])
    return PageLanguage(language, number, mixed, score)


def page_language(document: Document) -> str:
    """Returns the language of a page; see `PageLanguage.language` and `find_language`."""
    return find_language(document).language


def foreign_segments(document: Document, found: PageLanguage) -> dict[str, npt.NDArray[np.intp]]:
    """Finds the long segments of a page that are not in its language.

    Returns:
        {language: rows of its segments}. The language is empty for segments in another script that several
        languages use, if they have too few frequent words of one.
    """
    sampler, names = _sampler()
    classes = sampler.foreign(document.tables, found.script, _FEWEST)
    rows: dict[str, list[npt.NDArray[np.intp]]] = {}
    for number in np.unique(classes[classes > 0]).tolist():
        listed = number - OF_LANGUAGE
        language = _LISTED[listed] if listed >= 0 else _ALONE.get(names[number], "")
        if language != found.language:
            rows.setdefault(language, []).append(np.flatnonzero(classes == number))
    return {language: np.concatenate(parts) for language, parts in rows.items()}
