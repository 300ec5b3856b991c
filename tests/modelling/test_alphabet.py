from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from ncleaner.errors import ModelError
from ncleaner.lab.training.ngrams import learned_alphabet
from ncleaner.modelling.alphabet import _FOREIGN, _MARKS, ALPHABETS, Alphabet, _run_of_marks, alphabet


def fold(text: str, name: str | Alphabet) -> str:
    symbols = alphabet(name) if isinstance(name, str) else name
    return "".join(symbols.characters[symbols.pages[symbols.index[ord(c) >> 8], ord(c) & 255]] for c in text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Plain ASCII, 123!", "Plain ASCII, 123!"),
        ("Crème brûlée – “fine”", 'Creme brulee - "fine"'),
        ("Łódź, Straße, Ærø, ﬁne", "Lodz, Strase, Aro, fne"),
        ("a\tb\nc", "a b c"),
        ("привет 世界 ∑", "~~~~~~ ~~ ~"),
        ("ＦＵＬＬ", "FULL"),
        ("…·•", ".**"),
        ("\U0001f600", "~"),
    ],
)
def test_ascii(text: str, folded: str) -> None:
    assert fold(text, "ascii") == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Plain ASCII, 123!", "aaaaa aaaaa, 000!"),
        ("Crème – “x”", 'aaaaa - "a"'),
        ("привет, 世界。", "aaaaaa, aa~"),
        ("नमस्ते ٣", "aaaaaa 0"),
        ("a|b", "a|a"),
    ],
)
def test_nonlexical(text: str, folded: str) -> None:
    assert fold(text, "nonlexical") == folded


SAMPLES = ["Ελληνικά και English, ελληνικά 123. «Και» — 漢字"]


@pytest.mark.parametrize(
    ("cased", "text", "folded"),
    [
        (False, "Και ΚΑΙ και", "και και και"),
        (True, "Και ΚΑΙ", "<capital>αι <capital><capital><capital>"),
        (False, "κ1κ٣", "κ<digit>κ<digit>"),
        (False, "ж漢ะあ한אع", "<Cyrillic><Han><Southeast Asian><Kana><Hangul><Hebrew><Arabic>"),
        (False, "न\u093f", "<Indic><Indic>"),
        (False, "q\tω\n!☃😀", "<Latin> <Greek> <punctuation><other><other>"),
        (False, "ႠԱ", "<letter><letter>"),
    ],
)
def test_learned(cased: bool, text: str, folded: str) -> None:
    symbols = learned_alphabet(SAMPLES, size=8, cased=cased)
    assert fold(text, symbols) == folded


@pytest.mark.parametrize("size", [1, 60, 200])
def test_every_code_point_has_a_symbol(size: int) -> None:
    symbols = learned_alphabet(["".join(map(chr, range(0x4E00, 0x4F00))) + "Aa"], size=size)
    assert not np.any(symbols.pages == 0)
    assert symbols.pages.max() < symbols.size <= 1 << symbols.bits <= 256


@pytest.mark.parametrize("name", ALPHABETS)
def test_tables_are_complete(name: str) -> None:
    symbols = alphabet(name)
    assert symbols.index.shape == (4352,)
    assert symbols.pages.shape[1] == 256
    assert symbols.index.max() < len(symbols.pages)
    assert symbols.pages.max() < symbols.size <= 1 << symbols.bits
    assert len(set(symbols.characters)) == len(symbols.characters) == symbols.size
    # symbol 0 is the boundary: no character has it
    assert not np.any(symbols.pages == 0)
    assert alphabet(symbols.header()) is symbols


def test_unknown_name() -> None:
    with pytest.raises(ModelError, match="unknown alphabet 'runes'"):
        alphabet("runes")


def test_all_marks_are_known_as_such() -> None:
    for code in range(0x80, 0x110000):
        if unicodedata.combining(unicodedata.normalize("NFD", chr(code))[0]):
            page = chr(code) * (_MARKS + 1)
            assert _FOREIGN.search(page.encode()), hex(code)
            assert _run_of_marks().search(page), hex(code)
