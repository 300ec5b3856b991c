from __future__ import annotations

import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ncleaner.text._tokens import lines_of
from ncleaner.text.tokens import LONGEST, tokens

from ..outputs import HOSTILE_TEXT

WORDS = [
    ("don't", "don't"),
    ("l’homme", "l’homme"),
    ("rock'n'roll", "rock'n'roll"),
    ("1980's", "1980's"),
    ("dogs'", "dogs '"),
    ("(well-known,", "( well-known ,"),
    ("COVID-19.", "COVID-19 ."),
    ("2024-05-01", "2024-05-01"),
    ("so—and", "so — and"),
    ("--", "--"),
    ("3.14,", "3.14 ,"),
    ("1,234.5", "1,234.5"),
    ("$5", "$ 5"),
    ("50%", "50 %"),
    ("12:30", "12 : 30"),
    ("1/2", "1 / 2"),
    ("U.S.", "U.S."),
    ("e.g.,", "e.g. ,"),
    ("Ph.D.", "Ph.D."),
    ("U.S.A", "U.S.A"),
    ("end.", "end ."),
    ("1990.The", "1990 . The"),
    ("foo_bar", "foo_bar"),
    ("AT&T", "AT & T"),
    ("wait...", "wait ..."),
    ("what?!!", "what ? !!"),
    ("((x))", "( ( x ) )"),
    ("[1][2]", "[ 1 ] [ 2 ]"),
    ("#tag", "# tag"),
    ("e\u0301te\u0301", "e\u0301te\u0301"),
    ("\u0301a", "\u0301 a"),
    ("می\u200cخواهم", "می\u200cخواهم"),
    ('שב"כ', 'שב"כ'),
    ("한국어는", "한국어는"),
    ("灯台守は船を。", "灯 台 守 は 船 を 。"),
    ("葛\U000e0100城", "葛\U000e0100 城"),
    ("カタカナと漢字", "カタカナ と 漢 字"),
    ("ก็ดี", "ก็ ดี"),
    ("👩‍👩‍👧👍🏽", "👩‍👩‍👧 👍🏽"),
    ("🇩🇪🇫🇷", "🇩🇪 🇫🇷"),
    ("❤️❤️", "❤️ ❤️"),
    ("1️⃣", "1️⃣"),
    ("(https://example.org/a_(b),c?d=e#f).", "( https://example.org/a_(b),c?d=e#f ) ."),
    ("HTTP://EXAMPLE.ORG/,", "HTTP://EXAMPLE.ORG/ ,"),
    ("www.example.org!", "www.example.org !"),
    ("https://ru.example.org/wiki/Маяк.", "https://ru.example.org/wiki/Маяк ."),
    ("看https://example.org吧", "看 https://example.org 吧"),
    ("http://", "http : //"),
    ("<me@example.co.uk>;", "< me@example.co.uk > ;"),
    ("联系me@example.org吧", "联 系 me@example.org 吧"),
    ("@user", "@ user"),
    ("a@b", "a @ b"),
    # what cannot be seen
    ("a\u200eb", "ab"),
    ("a\u00adb", "ab"),
    ("\ufeffa\x01b\x7f", "ab"),
    ("a\u200bb", "a b"),
    ("\u200b\u200d\ufe0f", ""),
    ("\x00\x9b", ""),
]


@pytest.mark.parametrize(("word", "expected"), WORDS)
def test_tokens(word: str, expected: str) -> None:
    assert tokens(word) == expected.split()


PLAIN = st.text(st.sampled_from("abzÄéДЯ漢字かなカナ한글กดשא٣५19_,;()éָ́̈😀"), min_size=1, max_size=20)


@given(word=PLAIN)
def test_words_are_those_of_unicode(word: str) -> None:
    """Where none of our own rules applies: no signs twice, and no marks but on letters."""
    assume(not regex.search(r"(?V1)[\p{P}\p{S}--_]{2}", word))
    assume(not regex.search(r"(?:^|[\p{P}\p{S}\p{N}])\p{M}", word))
    expected = [token for token in regex.split(r"(?V1w)\b", word) if token]
    # in katakana it is a matter of underscores, which nobody writes
    assume(not ("_" in word and regex.search(r"\p{Katakana}", word)))
    assert tokens(word) == expected


@given(text=st.text(st.sampled_from("aB1'\"(-.,:;!?)@&_é \n\x1d\x85\u2003")))
@example(text=f"{'a' * LONGEST} {'a' * LONGEST}.")
def test_lines_have_the_same_tokens(text: str) -> None:
    lines = lines_of(text, lambda word: "".join(f"{token}\n" for token in tokens(word)))
    words = map(tokens, text.split())
    assert lines.replace("<g/>\n", "") == "".join(f"{token}\n" for found in words for token in found)


@given(word=HOSTILE_TEXT)
def test_nothing_that_can_be_seen_is_lost(word: str) -> None:
    word = "".join(word.split())
    seen = regex.compile(r"[^\p{C}\p{Default_Ignorable_Code_Point}]")
    assert seen.findall("".join(tokens(word))) == seen.findall(word)
    assert all(seen.search(token) or regex.search(r"[\p{Co}\p{Cn}\p{Cf}]", token) for token in tokens(word))


UNITS = "a a- a. a@ @a-. www.( http:// h:!// (( a() 👩\u200d \u0301 a\u0301 漢 .,".split()


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_long_words_take_no_longer_than_their_length(unit: str) -> None:
    """No time is measured: in quadratic time this would not end."""
    for word in (unit * 30_000, "www." + unit * 30_000, "@" + unit * 30_000):
        found = tokens(word)
        assert "".join(found) == word
        assert max(map(len, found)) <= LONGEST
