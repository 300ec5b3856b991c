"""Alphabets: they map characters to the symbols over which n-grams are counted; and the form of text that is
counted.

An alphabet gives each code point a small integer. Symbol 0 is the segment boundary and has no
character. The tables have two levels: an index of Unicode pages (256 code points each), and the pages. Equal
pages are stored once, and compiled code folds a character with two table accesses.

`ascii`      lexical: the 95 printable ASCII characters. Accented Latin letters and typographic punctuation
             fold to the ASCII character that a typist would use, all other characters to `~` (Evert 2008,
             section 3).
`nonlexical` letters fold to `a`, digits to `0`, other characters as in `ascii` (Evert 2008, section 3). The
             symbols keep the shape of text, which is similar in many languages.
`learned`    the most frequent characters of the training pages, and classes for all other characters: lexical
             in any script. A model file records its characters.

Text is counted in Unicode's normalisation form C (NFC): a page may write an accented letter as one character
or as a letter and a mark, and both give the same n-grams. The Document keeps the text of the page unchanged.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner._ngram import Encoder
from ncleaner.errors import ModelError
from ncleaner.fastclass import fastclass
from ncleaner.modelling import ALPHABET_NAMES, FIXED_ALPHABETS, MAX_LEARNED
from ncleaner.text._letters import may_compose
from ncleaner.text.wordlists import word_lists

# A symbol fits a byte. The classes, white space and the boundary need symbols too.
_PAGES = (sys.maxunicode + 1) >> 8
_OTHER = "~"

# Characters that a typist replaces by ASCII but that the normalisation form NFKD keeps.
_TYPED = {
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "`": "'", "´": "'", "ʻ": "'", "ʼ": "'",
    "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "«": '"', "»": '"', "‹": "'", "›": "'",
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "•": "*", "·": "*", "‣": "*",
    "▪": "*", "●": "*", "…": ".", "¦": "|", "│": "|", "×": "x", "÷": "/", "⁄": "/", "¡": "!", "¿": "?",
    "ß": "s", "æ": "a", "Æ": "A", "œ": "o", "Œ": "O", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "t", "Þ": "T", "ħ": "h", "Ħ": "H", "ı": "i", "ŋ": "n", "Ŋ": "N",
    "→": ">", "←": "<", "►": ">", "◄": "<", "▶": ">", "⟩": ">", "⟨": "<",
}  # fmt: skip

# Blocks of Latin letters, punctuation and letter-like signs: only their characters can fold to ASCII.
_LATIN_BLOCKS = (
    (0x80, 0x250), (0x2B0, 0x300), (0x1E00, 0x1F00), (0x2000, 0x2150), (0x2190, 0x2200), (0x2500, 0x2600),
    (0x27E0, 0x27F0), (0x3000, 0x3003), (0xFB00, 0xFB07), (0xFF01, 0xFF5F),
)  # fmt: skip
# Blocks that mix letters with other characters. In the rest of the first plane every assigned character is a
# letter (CJK, Hangul) or rare.
_MIXED_BLOCKS = ((0x80, 0x3400), (0x4DC0, 0x4E00), (0xA000, 0xAC00), (0xD7A4, 0x10000))


@fastclass
class Alphabet:
    """A map from code points to symbols.

    Attributes:
        name: the name that a model file records.
        size: number of symbols, boundary included; symbols are 0 … size − 1.
        bits: number of bits that hold a symbol.
        index: shape (4352,), uint16: for each page of 256 code points its row in `pages`.
        pages: shape (rows, 256), uint8: symbol of each code point.
        characters: length `size`: the text that shows each symbol when n-grams are printed.
        parameters: further values that a model file records, so that the alphabet can be built again.
    """

    name: str
    size: int
    bits: int
    index: npt.NDArray[np.uint16]
    pages: npt.NDArray[np.uint8]
    characters: tuple[str, ...]
    parameters: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def encoder(self) -> Encoder:
        """The compiled form of the alphabet, shared by all its models."""
        return Encoder(self.index, self.pages)

    def header(self) -> dict[str, Any]:
        """Returns what a model file records of the alphabet."""
        return {"name": self.name, "size": self.size, **self.parameters}


def _pack(
    name: str,
    characters: Sequence[str],
    table: npt.NDArray[np.uint8],
    parameters: dict[str, Any] | None = None,
) -> Alphabet:
    """Builds an alphabet from `table`, shape (4352, 256): the symbol of every code point."""
    rows: dict[bytes, int] = {}
    # nearly all pages are as the one before
    wide = table.view(np.uint64)
    begins = [0, *np.flatnonzero((wide[1:] != wide[:-1]).any(axis=1)) + 1]
    numbers = np.array([rows.setdefault(table[at].tobytes(), len(rows)) for at in begins], np.uint16)
    index = numbers.repeat(np.diff([*begins, len(table)]))
    pages = np.frombuffer(b"".join(rows), np.uint8).reshape(-1, 256)
    size = len(characters)
    bits = (size - 1).bit_length()
    return Alphabet(name, size, bits, index, pages, tuple(characters), parameters or {})


def _table(
    other: int, codes: npt.NDArray[np.int64], symbols: npt.NDArray[np.uint8], default: int | None = None
) -> npt.NDArray[np.uint8]:
    """Returns the symbols of all code points, shape (4352, 256).

    `codes` have `symbols`. Other code points get `other`, but on a Unicode page without any of `codes` they
    get `default`, if given.
    """
    table = np.full((_PAGES, 256), other if default is None else default, np.uint8)
    # without np.unique, which would load numpy.ma
    table[np.flatnonzero(np.bincount(codes >> 8))] = other
    table.reshape(-1)[codes] = symbols
    return table


def _categories(
    ranges: Iterable[tuple[int, int]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Returns the code points of ranges, and the two letters of the Unicode category of each."""
    codes = np.concatenate([np.arange(first, last) for first, last in ranges])
    letters = "".join(map(unicodedata.category, map(chr, codes.tolist()))).encode()
    return codes, np.frombuffer(letters, np.uint8)[::2], np.frombuffer(letters, np.uint8)[1::2]


def _fold(character: str) -> str:
    """Returns the ASCII character that a typist would use, or `~`."""
    typed = _TYPED.get(character)
    if typed:
        return typed
    base = unicodedata.normalize("NFKD", character)[:1]
    return base if " " <= base <= "~" else _OTHER


def _folded() -> dict[int, str]:
    folded = {code: chr(code) for code in range(0x20, 0x7F)}
    for first, last in _LATIN_BLOCKS:
        for code in range(first, last):
            folded[code] = _fold(chr(code))
    # The dumper leaves no other white space inside a segment.
    folded[0x0A] = folded[0x09] = " "
    return folded


def _ascii() -> Alphabet:
    characters = "\n" + "".join(map(chr, range(0x20, 0x7F)))
    symbol = {character: position for position, character in enumerate(characters)}
    folded = _folded()
    symbols = np.array([symbol[character] for character in folded.values()], np.uint8)
    return _pack("ascii", characters, _table(symbol[_OTHER], np.fromiter(folded, np.int64), symbols))


def _nonlexical() -> Alphabet:
    characters = "\n !\"#$%&'()*+,-./0:;<=>?@[\\]^_`a{|}~"
    symbol = {character: position for position, character in enumerate(characters)}
    codes, category, _ = _categories(((0x09, 0x7F), *_MIXED_BLOCKS))
    folded = np.full(_PAGES << 8, symbol[_OTHER], np.uint8)
    for code, typed in _folded().items():
        folded[code] = symbol["a" if typed.isalpha() else "0" if typed.isdigit() else typed]
    symbols = folded[codes]
    # Many scripts write vowels with marks, so a mark counts as a letter.
    symbols[(category == ord("L")) | (category == ord("M"))] = symbol["a"]
    symbols[category == ord("N")] = symbol["0"]
    return _pack("nonlexical", characters, _table(symbol[_OTHER], codes, symbols, default=symbol["a"]))


# -------------------------------------------------------------------------------------------------
# Learned alphabets

# The classes of the characters that are not among an alphabet's own: kinds of signs, and letters by script.
_CLASSES = (
    "other", "digit", "punctuation", "letter", "Latin", "Greek", "Cyrillic", "Hebrew", "Arabic", "Indic",
    "Southeast Asian", "Kana", "Hangul", "Han", "capital",
)  # fmt: skip
#: {class of characters: its number}
CLASS = {name: number for number, name in enumerate(_CLASSES)}
# `scripts.txt` says what these are.
_SCRIPTS = word_lists("modelling/scripts", *_CLASSES[4:-1])
# Beyond the first plane only these code points are no letters.
_PICTURES = (0x1D000, 0x20000)


@lru_cache
def classes_of_characters() -> tuple[npt.NDArray[np.uint8], dict[int, int]]:
    """Returns the class of every code point, and {capital: small letter} where both are one code point."""
    table = np.full(_PAGES << 8, CLASS["letter"], np.uint8)
    table[slice(*_PICTURES)] = CLASS["other"]
    for script, ranges in _SCRIPTS.items():
        for each in ranges:
            first, last = (int(code, 16) for code in each.split("-"))
            table[first:last] = CLASS[script]
    codes, category, kind = _categories(((0, 0x80), *_MIXED_BLOCKS))
    # Many scripts write vowels with marks, so a mark counts as a letter.
    letters = (category == ord("L")) | (category == ord("M"))
    table[codes[~letters]] = CLASS["other"]
    table[codes[category == ord("N")]] = CLASS["digit"]
    table[codes[category == ord("P")]] = CLASS["punctuation"]
    capitals = codes[letters & ((kind == ord("u")) | (kind == ord("t")))].tolist()
    lower = {code: chr(code).lower() for code in capitals}
    small = {code: ord(character) for code, character in lower.items() if len(character) == 1}
    return table, small


@lru_cache
def scripts() -> Alphabet:
    """Returns an alphabet of the classes alone: the script of each letter, and the kind of each other sign.

    Signs, digits and punctuation are the first symbols.
    """
    return _pack("scripts", _CLASSES, classes_of_characters()[0].reshape(_PAGES, 256))


def _learned(characters: str, cased: bool) -> Alphabet:
    """Returns an alphabet of these characters, of classes for all others, and of white space."""
    classes, small = classes_of_characters()
    if len(set(characters)) != len(characters) or "\n" in characters or " " in characters:
        raise ValueError("the characters of a learned alphabet must be distinct, and no white space")
    if not 1 <= len(characters) <= MAX_LEARNED:
        raise ValueError(f"a learned alphabet has from 1 to {MAX_LEARNED} characters, not {len(characters)}")
    first_class = 2 + len(characters)
    table = classes + np.uint8(first_class)
    if cased:
        table[np.fromiter(small, np.int64)] = first_class + CLASS["capital"]
    for position, character in enumerate(characters):
        table[ord(character)] = 2 + position
    if not cased:
        capitals = np.fromiter(small, np.int64)
        table[capitals] = table[np.fromiter(small.values(), np.int64)]
    table[[0x09, 0x0A, 0x20]] = 1
    names = ("\n", " ", *characters, *(f"<{name}>" for name in _CLASSES))
    return _pack("learned", names, table.reshape(_PAGES, 256), {"characters": characters, "cased": cased})


ALPHABETS = dict(zip(FIXED_ALPHABETS, (_ascii, _nonlexical), strict=True))


@lru_cache
def _named(name: str) -> Alphabet:
    return ALPHABETS[name]()


def alphabet(header: str | dict[str, Any]) -> Alphabet:
    """Returns the alphabet of this name, or the one that a model's header describes.

    Raises:
        ModelError: the alphabet is unknown in this version.
        ValueError: the header describes a learned alphabet that is not possible.
    """
    name = header if isinstance(header, str) else header.get("name")
    if name == "learned" and isinstance(header, dict):
        return _learned(str(header["characters"]), bool(header["cased"]))
    if name not in ALPHABETS:
        raise ModelError(
            f"unknown alphabet {name!r}: this version knows {', '.join(ALPHABET_NAMES)}; "
            "the model may come from a newer version of ncleaner"
        )
    return _named(name)


# Normalisation form C.

Offsets = npt.NDArray[np.uint32]

# After this number of marks in a row an invisible joiner is inserted, as in Unicode's stream-safe text format
# (UAX #15, section 13): the time to order the marks grows with the square of their number.
_MARKS = 30
# Number of characters that are composed at once: Python's buffer grows by ten characters at a time, and each
# growth may copy the whole buffer.
_PIECE = 1 << 16
# A quick test that nearly all pages pass. A mark takes two bytes or more, and its first byte never begins a
# Latin letter, an ideograph or a Hangul syllable. So a text without a long run of such bytes has no long run
# of marks.
_FOREIGN = re.compile(rb"[\x80-\xbf\xcc-\xe3\xea\xef\xf0]{%d}" % (2 * _MARKS))
# Three Tibetan signs are not marks, but they decompose to marks.
_MADE_OF_MARKS = "\u0f73\u0f75\u0f81"


@cache
def _run_of_marks() -> re.Pattern[str]:
    """Returns a pattern that matches `_MARKS` marks in a row if a further mark follows."""
    # From 0x20000 on there are only ideographs and no marks.
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, 0x20000)))) + _MADE_OF_MARKS
    return re.compile(f"[{marks}]{{{_MARKS}}}(?=[{marks}])")


def _begins(character: str) -> bool:
    """Whether a piece of text may begin with this character: it neither composes nor changes places with the
    character before."""
    return not unicodedata.combining(character) and not may_compose(character.encode())


def composed(text: str) -> str:
    """Returns text in normalisation form C."""
    if _FOREIGN.search(text.encode("utf-8", "surrogatepass")):
        text = _run_of_marks().sub("\\g<0>\u034f", text)

    pieces = []
    start = 0
    while len(text) - start > _PIECE:
        most = start + _PIECE
        cut = next((at for at in range(most, most - _PIECE // 2, -1) if _begins(text[at])), most)
        pieces.append(unicodedata.normalize("NFC", text[start:cut]))
        start = cut
    return "".join(pieces) + unicodedata.normalize("NFC", text[start:])


def compose(data: bytes, starts: Offsets, ends: Offsets) -> tuple[bytes, Offsets, Offsets]:
    """Returns the segments [starts, ends) of UTF-8 text in normalisation form C: a buffer and new offsets.

    Most pages are in that form already. For them the function returns the arguments themselves.

    Args:
        data: UTF-8 text.
        starts, ends: shape (segments,), uint32: byte offsets into `data`.
    """
    if not may_compose(data):
        return data, starts, ends
    parts = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    made = [
        composed(part.decode("utf-8", "replace")).encode() if may_compose(part) else part for part in parts
    ]
    if made == parts:
        return data, starts, ends
    lengths = np.array([len(part) for part in made], np.uint32)
    new_ends = np.cumsum(lengths, dtype=np.uint32)
    return b"".join(made), new_ends - lengths, new_ends
