from __future__ import annotations

from ncleaner.text.words import is_final, words_of


def test_words_and_characters() -> None:
    assert words_of("Don't stop, ABC中文def!") == ["don", "t", "stop", "abc", "中", "文", "def"]
    assert words_of("ไทย") == ["ไ", "ท", "ย"]
    assert words_of("snake_case 3.5") == ["snake_case", "3", "5"]
    assert words_of(" … ") == []


def test_final() -> None:
    assert is_final("So it is.") and is_final("“Is it?”") and is_final("是。")
    assert not is_final("So it is") and not is_final("") and not is_final("”")
