from __future__ import annotations

import numpy as np
import pytest

from ncleaner.alphabet import ALPHABETS, alphabet
from ncleaner.errors import ModelError


def fold(text: str, name: str) -> str:
    symbols = alphabet(name)
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
