from __future__ import annotations

from ncleaner.dumping.html import dump_html
from ncleaner.text.words import is_final, words_of


def test_words_and_characters() -> None:
    assert words_of("Don't stop, ABC中文def!") == ["don", "t", "stop", "abc", "中", "文", "def"]
    assert words_of("ไทย") == ["ไ", "ท", "ย"]
    assert words_of("snake_case 3.5") == ["snake_case", "3", "5"]
    assert words_of(" … ") == []


def test_final() -> None:
    assert is_final("So it is.") and is_final("“Is it?”") and is_final("是。")
    assert not is_final("So it is") and not is_final("") and not is_final("”")


def test_marks_belong_to_their_letter() -> None:
    """Vowel signs of Arabic, Devanagari and Hebrew, and a composed accent."""
    for text in ("يَذْهَبُ الصَّبِيُّ إِلَى الْمَدْرَسَةِ", "लड़का आज स्कूल जाता", "שָׁלוֹם לְכָל בְּנֵי עוֹלָם", "cafe\u0301 à la carte"):
        assert len(words_of(text)) == 4, text


def test_each_sign_of_a_script_without_spaces_is_a_word() -> None:
    thai, tibetan = "เด็กชาย", "བུ་ཆུང་"
    assert len(words_of(thai)) == len(thai) and len(words_of(tibetan)) == len(tibetan)
    # as a document counts them, without signs that are no letters
    for text, letters in ((thai, 6), (tibetan, 3)):
        assert dump_html(f"<p>{text}".encode())[0].words == letters


def test_sentences_of_all_scripts_end() -> None:
    for text in ("ཡོད།", "ໄປ.", "ទៅ។", "သည်။", "ይሄዳል።", "है।", "گیا۔", "行った。", "է։"):
        assert is_final(text), text
