"""UTF-8 that was encoded twice is decoded twice, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.text._utf8 import examine
from ncleaner.text.charset import decode
from ncleaner.text.encodings import mended


def twice(text: str, codec: str = "latin-1") -> str:
    """A text as it looks after somebody read its UTF-8 in `codec`; bytes that `codec` lacks as in Latin-1."""
    return "".join(
        bytes([byte]).decode(codec)
        if codec == "latin-1" or byte not in b"\x81\x8d\x8f\x90\x9d"
        else chr(byte)
        for byte in text.encode()
    )


def mend(text: str) -> str:
    return decode(text.encode())[0].decode()


ENGLISH = "It’s the ferry’s “last” trip – or isn’t it? Café, naïve, 20° ☂ €5 ™ …"
PLAIN = " The ferry will sail until the end of May." * 20


@pytest.mark.parametrize("codec", ["latin-1", "cp1252"])
@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "L’été dernier, la mère était à l’hôtel – déjà.",
        "Żółw, gęś i źdźbło: " + "zażółć gęślą jaźń " * 5,
        "Паром не ходит до конца мая. " * 5,
        "Το πλοίο δεν πηγαίνει μέχρι τον Μάιο. " * 5,
        "渡轮五月底停航。" * 5,
        "フェリーは五月末まで運航します。" * 5,
        "Fog \U0001f32b\ufe0f and tide \U0001f30a " * 10,
    ],
)
def test_text_encoded_twice_is_mended(text: str, codec: str) -> None:
    wrong = twice(text, codec)
    assert mend(PLAIN + wrong + PLAIN) == PLAIN + text + PLAIN
    assert decode(wrong.encode())[1] == "utf-8"


def test_text_encoded_three_times_is_mended() -> None:
    assert mend(twice(twice(ENGLISH, "cp1252"), "cp1252")) == ENGLISH


def test_only_what_was_encoded_twice_is_mended() -> None:
    # one part of a page may be right, and another wrong
    assert mend("Übersee: " + twice(ENGLISH)) == "Übersee: " + ENGLISH
    # a character cut in two stays
    wrong = twice(ENGLISH)
    assert mend(wrong + " Ã( â€ x") == ENGLISH + " Ã( â€ x"


@pytest.mark.parametrize(
    "text",
    [
        "",
        PLAIN,
        ENGLISH,
        "L’été… « déjà » à » é » É » – « voilà… »" * 30,
        "SÃO PAULO, CORAÇÃO, JOÃO, Â, MAÇÃ” " * 30,
        "Größe „Ä“, „Ö“, Ä…, „ä“ … „ß“ " * 30,
        "În câmp… hotărâ” â–Ã—" * 3,
        # pages about such errors
        "I often see Ã© instead of é, and â€™ instead of ’.",
        "<td>Ã©<td>é<td>Ã¨<td>è<td>Ã¢<td>â<td>â€™<td>’<td>â€œ<td>“",
        "A page shows donâ€™t, canâ€™t and wonâ€™t. It should be don’t, can’t and won’t, and so on: “it’s”.",
        "Once: cafÃ©.",
    ],
)
def test_text_that_is_right_stays(text: str) -> None:
    data = text.encode()
    assert decode(data)[0] is data


def test_pages_with_a_mark_or_with_damage_are_mended() -> None:
    wrong = twice(ENGLISH).encode()
    assert decode(b"\xef\xbb\xbf" + wrong)[0].decode() == ENGLISH
    assert decode(wrong + b" \xe2\x80")[0].decode() == ENGLISH + " \ufffd"


def test_other_encodings_are_not_touched() -> None:
    wrong = twice(ENGLISH)
    assert decode(wrong.encode(), encoding="utf-8")[0] == wrong.encode()
    assert decode(wrong)[0] == wrong.encode()


@given(st.text(), st.text(max_size=20))
def test_any_text(text: str, more: str) -> None:
    data = (text + twice(more) + text).encode("utf-8", "replace")
    length, signs, others = examine(data)
    assert length == len(data)
    assert signs + others <= data.count(b"\xc3")
    decode(data)[0].decode()


@given(st.text(st.characters(min_codepoint=0xA0, max_codepoint=0xFF), min_size=30))
def test_any_letters_of_latin_1_that_were_encoded_twice(text: str) -> None:
    data = (PLAIN + twice(text)).encode()
    assert mended(data, *examine(data)[1:]).decode() == PLAIN + text


@pytest.mark.slow
def test_the_time_is_linear() -> None:
    for piece in ("Ã", "Ã©", "â", "â€", "Ã©x", "ÃƒÂ©", "ðŸ", "Ã "):
        data = (piece * 300_000).encode()
        decode(data)[0].decode()
