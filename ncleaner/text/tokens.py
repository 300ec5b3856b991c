"""Tokens, for output formats that write one token per line.

Words follow Unicode's word boundaries (UAX #29): letters and digits with their combining marks, apostrophes
and full stops between letters (`don't`, `example.com`), commas and full stops between digits (`1,234.5`),
runs of katakana, emoji with all their parts. The rules differ where corpora need other units than text
editors:

- a URL or an e-mail address is one token, without the punctuation that ends the sentence around it;
- hyphens and apostrophes join both letters and digits (`well-known`, `COVID-19`, `2024-05-01`, `1980's`);
- an abbreviation of single letters includes its last full stop (`U.S.`, `e.g.`, `Ph.D.`);
- a run of the same sign is one token (`...`, `!!!`), except brackets;
- invisible characters that do not belong to a word's spelling, such as controls and marks of direction, are
  left out, so that words that look the same are the same.

In scripts without spaces between words, such as those of Chinese, Japanese (except katakana), Thai, Lao,
Khmer and Burmese, each character is a token. A segmenter of the language must find the words; the marks
for tokens without a space between them let it restore the text.
"""

import regex

LONGEST = 1_000
"""Code points of the longest token; longer ones, hardly words, are cut. The CWB takes 4,095 bytes."""

# Combining marks and joiners, which attach to the character before them.
_MARK = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"
_MARKS = rf"{_MARK}*+"
_LETTER = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
_DIGIT = r"\p{WB=Numeric}"
_WORD = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{WB=ExtendNumLet}]"
# Punctuation that may be within a word, depending on the characters on both sides.
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
        # a run of ideographs, hiragana and their punctuation, each of which is a token
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
# Parts of a URL: characters that it may end with, characters that may only be within it, and pairs of
# brackets.
_INNER = r"[A-Za-z0-9\-_~#$%&+=/@|\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Extend}]"
_STOP = r"[.,:;!?'*]"
_PAIR = rf"\((?:{_INNER}|{_STOP})*+\)"
_URL = rf"(?:(?:https?|ftp)://|www\.)(?:{_INNER}++|{_PAIR}|{_STOP}++(?={_INNER}|{_PAIR}))++"
# The part before the @ is at most as long as the standard allows, which bounds the search at every token.
_NAME = r"[A-Za-z0-9_\p{WB=ALetter}"
_ADDRESS = rf"{_NAME}.%+\-]{{1,64}}+@{_NAME}\-]++(?:\.{_NAME}\-]++)++"

_FLAGS = regex.VERSION1 | regex.DOTALL
_OF_WORDS = regex.compile(_PLAIN, _FLAGS)
_OF_ALL = regex.compile(f"(?i:{_URL})|{_ADDRESS}|{_PLAIN}", _FLAGS)
# Controls, marks of direction, soft hyphens, word joiners, byte order marks, marks of interlinear
# annotations, and noncharacters.
_UNSEEN = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\p{Bidi_Control}\u00ad\u2060-\u2064\ufeff\ufff9-\ufffb]++",
    _FLAGS,
)


def tokens(word: str) -> list[str]:
    """Returns the tokens of a text without white space; none if it has no visible character.

    Args:
        word: text without white space.
    """
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
