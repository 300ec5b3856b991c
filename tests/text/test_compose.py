"""Normalisation form C of segments."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncleaner.modelling.alphabet import compose
from ncleaner.text._letters import may_compose

# letters that compose, marks of several classes, signs that are replaced, Hangul, vowel signs, other planes
LETTERS = "aeoAйиēåạα\u1f00ωחשक\u0bc6ᄀ가각한😀\U00011099 x"
MARKS = "\u0300\u0301\u0308\u0323\u0345\u0313\u0342\u0338\u031b\u0327\u0306\u05bc\u05c1\u093c\u0bbe\u0bd7\u110bᅡᆨ\u0344\u0958\u0f73"
SIGNS = "\u2126\u212b\u037e\u0387\u0340\u2adc\ufb1d\uf900\U0002f800\U000110ba"
TEXTS = st.lists(
    st.text(st.sampled_from(LETTERS + 3 * MARKS + SIGNS), max_size=12) | st.text(max_size=8), max_size=6
)


@given(TEXTS)
@example(["e\u0301", "и\u0306\u0301", "\u0301e", "ệ".encode().decode(), "e\u0323\u0302", "e\u0302\u0323"])
def test_each_segment_is_composed(parts: list[str]) -> None:
    encoded = [part.encode("utf-8", "replace") for part in parts]
    data = b"|".join(encoded)
    ends = np.cumsum([len(part) + 1 for part in encoded], dtype=np.uint32) - np.uint32(1)
    starts = ends - np.array([len(part) for part in encoded], np.uint32)
    text, begins, stops = compose(data, starts, ends.astype(np.uint32))
    assert [text[start:end].decode() for start, end in zip(begins, stops, strict=True)] == [
        unicodedata.normalize("NFC", part.decode()) if may_compose(part) else part.decode()
        for part in encoded
    ]
    again = compose(text, begins, stops)
    assert again[0] is text and again[1] is begins and again[2] is stops


LONG = [
    "The ferry leaves at five. " * 6,
    "Το πλοίο δεν πηγαίνει. " * 6,
    "渡轮五月底停航。フェリー" * 6,
    "Việt Nam ‘lễ’ " * 9,
]


@pytest.mark.untraced
def test_a_letter_is_found_in_any_long_text() -> None:
    for code in range(0x80, 0x10000):
        if not 0xD800 <= code < 0xE000:
            letter = chr(code).encode()
            around = LONG[code % len(LONG)]
            cut = code * 7 % 80
            text = around[:cut].encode() + letter + around[cut:].encode()
            assert may_compose(text) == may_compose(letter), hex(code)


@pytest.mark.parametrize("text", LONG)
@pytest.mark.parametrize("letter", "\u0301\u0344\u0387\u0653\u093c\u1f71\u2001\u212b\u3099\uf900\ufb4e")
def test_a_letter_is_found_at_any_place(text: str, letter: str) -> None:
    assert not may_compose(text.encode())
    for place in range(150):
        assert may_compose((text[:place] + letter + text[place:]).encode())
