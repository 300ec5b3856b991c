"""Characters to symbols: the alphabets over which n-grams are counted.

An alphabet gives each code point a small integer. Symbol 0 is the segment boundary and stands for no
character. Code points are looked up through two levels, a page of 256 at a time, so that folding is one
table access per character in compiled code.

`ascii`      lexical: the 95 printable ASCII characters; accented Latin letters and typographic punctuation
             fold to the ASCII character a typist would use, everything else to `~` (Evert 2008, section 3).
`nonlexical` letters to `a`, digits to `0`, other characters as in `ascii` (ibid.): what is left is the shape
             of text, which carries over between languages.
"""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner._ngram import Encoder
from ncleaner.errors import ModelError

__all__ = ["ALPHABETS", "Alphabet", "alphabet"]

_PAGES = (sys.maxunicode + 1) >> 8
_OTHER = "~"

# What NFKD does not fold to ASCII but a typist would.
_TYPED = {
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "`": "'", "´": "'", "ʻ": "'", "ʼ": "'",
    "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "«": '"', "»": '"', "‹": "'", "›": "'",
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "•": "*", "·": "*", "‣": "*",
    "▪": "*", "●": "*", "…": ".", "¦": "|", "│": "|", "×": "x", "÷": "/", "⁄": "/", "¡": "!", "¿": "?",
    "ß": "s", "æ": "a", "Æ": "A", "œ": "o", "Œ": "O", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "t", "Þ": "T", "ħ": "h", "Ħ": "H", "ı": "i", "ŋ": "n", "Ŋ": "N",
    "→": ">", "←": "<", "►": ">", "◄": "<", "▶": ">", "⟩": ">", "⟨": "<",
}  # fmt: skip

# Blocks where Latin letters, punctuation and letter-like signs stand: all that can fold to ASCII.
_LATIN_BLOCKS = (
    (0x80, 0x250), (0x2B0, 0x300), (0x1E00, 0x1F00), (0x2000, 0x2150), (0x2190, 0x2200), (0x2500, 0x2600),
    (0x27E0, 0x27F0), (0x3000, 0x3003), (0xFB00, 0xFB07), (0xFF01, 0xFF5F),
)  # fmt: skip
# Blocks outside of which every assigned character of the plane is a letter (CJK, Hangul) or rare.
_MIXED_BLOCKS = ((0x80, 0x3400), (0x4DC0, 0x4E00), (0xA000, 0xAC00), (0xD7A4, 0x10000))


@dataclass(frozen=True, eq=False)
class Alphabet:
    """A map from code points to symbols.

    Attributes:
        name: the name under which a model asks for it.
        size: number of symbols, boundary included; symbols are 0 … size − 1.
        bits: bits that hold a symbol.
        index: shape (4352,), uint16: for each page of 256 code points its row in `pages`.
        pages: shape (rows, 256), uint8: symbol of each code point.
        characters: length `size`: a character that stands for each symbol when n-grams are shown.
    """

    name: str
    size: int
    bits: int
    index: npt.NDArray[np.uint16]
    pages: npt.NDArray[np.uint8]
    characters: str

    @cached_property
    def encoder(self) -> Encoder:
        """Its compiled form, shared by all models over it."""
        return Encoder(self.index, self.pages)

    def header(self) -> dict[str, Any]:
        """What a model file records of it."""
        return {"name": self.name, "size": self.size}


def _build(
    name: str, characters: str, other: int, symbols: dict[int, int], default: int | None = None
) -> Alphabet:
    """`symbols` maps code points; those in no mentioned page get `default` (else `other`)."""
    rows: dict[int, npt.NDArray[np.uint8]] = {}
    for code_point, symbol in symbols.items():
        page = code_point >> 8
        if page not in rows:
            rows[page] = np.full(256, other, np.uint8)
        rows[page][code_point & 255] = symbol
    index = np.zeros(_PAGES, np.uint16)
    table = [np.full(256, other if default is None else default, np.uint8)]
    for page in sorted(rows):
        index[page] = len(table)
        table.append(rows[page])
    return Alphabet(
        name, len(characters), (len(characters) - 1).bit_length(), index, np.stack(table), characters
    )


def _fold(character: str) -> str:
    """The ASCII character that a typist would use, or `~`."""
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
    # the only white space that the dumper leaves inside a segment
    folded[0x0A] = folded[0x09] = " "
    return folded


def _ascii() -> Alphabet:
    characters = "\n" + "".join(map(chr, range(0x20, 0x7F)))
    symbol = {character: position for position, character in enumerate(characters)}
    return _build("ascii", characters, symbol[_OTHER], {code: symbol[c] for code, c in _folded().items()})


def _nonlexical() -> Alphabet:
    characters = "\n !\"#$%&'()*+,-./0:;<=>?@[\\]^_`a{|}~"
    symbol = {character: position for position, character in enumerate(characters)}
    symbols = {}
    folded = _folded()
    for first, last in ((0x09, 0x7F), *_MIXED_BLOCKS):
        for code in range(first, last):
            character = chr(code)
            # marks belong to letters in the scripts that write vowels with them
            category = unicodedata.category(character)[0]
            if category in "LM":
                symbols[code] = symbol["a"]
            elif category == "N":
                symbols[code] = symbol["0"]
            else:
                typed = folded.get(code, _OTHER)
                symbols[code] = symbol["a" if typed.isalpha() else "0" if typed.isdigit() else typed]
    return _build("nonlexical", characters, symbol[_OTHER], symbols, default=symbol["a"])


ALPHABETS = {"ascii": _ascii, "nonlexical": _nonlexical}


@lru_cache
def _named(name: str) -> Alphabet:
    return ALPHABETS[name]()


def alphabet(header: str | dict[str, Any]) -> Alphabet:
    """The alphabet of this name, or the one that a model's header describes.

    Raises:
        ModelError: no such alphabet.
    """
    name = header if isinstance(header, str) else header.get("name")
    if name not in ALPHABETS:
        raise ModelError(
            f"unknown alphabet {name!r}: this version knows {', '.join(ALPHABETS)}; "
            "the model may come from a newer version of ncleaner"
        )
    return _named(name)
