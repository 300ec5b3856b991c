from __future__ import annotations

import json
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ncleaner.text.visible import counted, json_text, visible, visible_lines

# what acts: controls, surrogates, separators, and what changes the direction of text
ACTING = [
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in ("Cc", "Cs", "Zl", "Zp")
    or unicodedata.bidirectional(chr(code)) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    or chr(code) in "\u200e\u200f\u061c"
]
TEXTS = st.text(st.one_of(st.sampled_from(ACTING), st.characters()))


def test_nothing_that_acts_is_left() -> None:
    for character in ACTING:
        for text in (character, f"a{character}b"):
            assert not set(visible(text)) & set(ACTING)
            assert visible_lines(text) == (text if character == "\n" else visible(text))
    assert len(ACTING) > 2100


def test_everything_else_stays() -> None:
    acting = set(ACTING) | set(map(chr, range(0x206A, 0x2070)))
    others = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code) not in acting)
    assert visible(others) == visible_lines(others) == others


def test_forms() -> None:
    assert visible("\x1b[31m\x9b\u202e\n\r\t") == r"\x1b[31m\x9b\u202e\n\r\t"
    # a byte of a file's name, and a surrogate that is none
    assert visible("caf\udce9 \ud800") == r"caf\xe9 \ud800"
    assert visible(ValueError("a\nb")) == r"a\nb"
    # joiners are letters to some scripts, and parts of emoji
    assert visible("می\u200cخواهم 👩\u200d🚀 a\u00adb") == "می\u200cخواهم 👩\u200d🚀 a\u00adb"


def test_long_texts_are_cut() -> None:
    assert visible("abcdef", 4) == "abc…" and visible("abcd", 4) == "abcd"
    assert visible("\x1b" * 10, 3) == r"\x1b\x1b…"


@given(TEXTS)
def test_any_text(text: str) -> None:
    assert not set(visible(text)) & set(ACTING)
    assert not (set(visible_lines(text)) - {"\n"}) & set(ACTING)
    assert visible(visible(text)) == visible(text)
    visible(text).encode()


@given(st.recursive(TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=5))
def test_json_is_the_same_data(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert not (set(text) - {"\n"}) & set(ACTING)


def test_counted() -> None:
    assert counted(1, "page") == "1 page" and counted(0, "page") == "0 pages"
    assert counted(12345, "page is", "pages are") == "12,345 pages are"
