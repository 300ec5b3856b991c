"""Tokens, for formats with a token a line.

Words are those of Unicode's word boundaries (UAX #29): letters and digits with the marks on them, apostrophes
and full stops between letters (`don't`, `example.com`), commas and full stops between digits (`1,234.5`),
runs of katakana, emoji with all that they are joined of. Where corpora want other units than text editors,
the rules differ:

- a URL or an e-mail address is a token, without the punctuation that ends the sentence around it;
- hyphens and apostrophes join letters and digits alike (`well-known`, `COVID-19`, `2024-05-01`, `1980's`);
- an abbreviation of single letters has its last full stop, too (`U.S.`, `e.g.`, `Ph.D.`);
- a run of the same sign is a token (`...`, `!!!`), but for brackets;
- what cannot be seen and is not part of how a word is spelled, as controls and marks of direction, is left
  out: words that look the same are the same.

Scripts that do not set words off, as those of Chinese, Japanese (but for katakana), Thai, Lao, Khmer and
Burmese, come a character a token: for their words a language's own segmenter has to follow, and the marks of
what stands together keep the text whole for it.
"""

from __future__ import annotations

import re

import regex

__all__ = ["LONGEST", "tokens"]

LONGEST = 1_000
"""Code points of the longest token; what is longer, hardly a word, is cut. The CWB takes 4,095 bytes."""

# Attach to what they stand behind: combining marks, joiners.
_MARK = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"
_MARKS = rf"{_MARK}*+"
_LETTER = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
_DIGIT = r"\p{WB=Numeric}"
_WORD = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{WB=ExtendNumLet}]"
# What may stand within a word, by what stands on its sides.
_JOINT = "|".join(
    (
        rf"(?<=[{_LETTER}{_MARK}])[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS}(?={_LETTER})",
        rf"(?<={_DIGIT})[\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS}(?={_DIGIT})",
        rf"[-\u2010\u2011'\u2019]{_MARKS}(?=[{_LETTER}{_DIGIT}])",
        r'(?<=\p{WB=Hebrew_Letter})"(?=\p{WB=Hebrew_Letter})',
    )
)
_PLAIN = "|".join(
    (
        r"(?P<unseen>\p{Default_Ignorable_Code_Point}++)",
        # many tokens at once: ideographs, hiragana and their punctuation
        rf"(?P<each>(?:[\p{{Ideographic}}\p{{Hiragana}}、。，：；？！「」『』（）《》](?!{_MARK}))++)",
        rf"{_LETTER}{{1,2}}\.(?:{_LETTER}\.)++(?!{_WORD})",
        rf"(?:{_WORD}{_MARKS})++(?:(?:{_JOINT})(?:{_WORD}{_MARKS})++)*+",
        rf"(?:\p{{WB=Katakana}}{_MARKS})++",
        rf"\p{{Regional_Indicator}}{{2}}{_MARKS}",
        rf"\p{{Extended_Pictographic}}{_MARKS}(?:(?<=\u200d)\p{{Extended_Pictographic}}{_MARKS})*+",
        r"(?P<sign>[[\p{P}\p{S}]--[\p{Ps}\p{Pe}]])(?P=sign)++",
        rf".{_MARKS}",
    )
)
# Of a URL: what it may end with, and what only stands within one, as brackets do in pairs.
_INNER = r"[A-Za-z0-9\-_~#$%&+=/@|\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Extend}]"
_STOP = r"[.,:;!?'*]"
_PAIR = rf"\((?:{_INNER}|{_STOP})*+\)"
_URL = rf"(?:(?:https?|ftp)://|www\.)(?:{_INNER}++|{_PAIR}|{_STOP}++(?={_INNER}|{_PAIR}))++"
# The first part is as long as standards allow: to look for an @ from every token on must not take for ever.
_NAME = r"[A-Za-z0-9_\p{WB=ALetter}"
_ADDRESS = rf"{_NAME}.%+\-]{{1,64}}+@{_NAME}\-]++(?:\.{_NAME}\-]++)++"

_FLAGS = regex.VERSION1 | regex.DOTALL
_OF_WORDS = regex.compile(_PLAIN, _FLAGS)
_OF_ALL = regex.compile(f"(?i:{_URL})|{_ADDRESS}|{_PLAIN}", _FLAGS)
# Controls, marks of direction, soft hyphens, ties, marks of byte order and of annotations, and what is no
# character.
_UNSEEN = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\p{Bidi_Control}\u00ad\u2060-\u2064\ufeff\ufff9-\ufffb]++",
    _FLAGS,
)
# Most words, which need none of all that: the same tokens ten times as fast.
_SIMPLE = re.compile(r"""(["'(]?)([A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*)([.,;:!?"')]?)""", re.ASCII)


def tokens(word: str) -> list[str]:
    """The tokens of what stands between white space; none if nothing of it can be seen.

    Args:
        word: text without white space.
    """
    if len(word) <= LONGEST:
        if word.isascii() and word.isalnum():
            return [word]
        simple = _SIMPLE.fullmatch(word)
        if simple:
            return [token for token in simple.groups() if token]
    return _tokens(word)


def _tokens(word: str) -> list[str]:
    found: list[str] = []
    if not word.isprintable():
        word = _UNSEEN.sub("", word)
    pattern = _OF_ALL if "@" in word or "://" in word or "ww." in word.lower() else _OF_WORDS
    for match in pattern.finditer(word):
        token = match[0]
        kind = match.lastgroup
        if kind == "each":
            found += token
        elif kind != "unseen":
            found += [token[start : start + LONGEST] for start in range(0, len(token), LONGEST)]
    return found
