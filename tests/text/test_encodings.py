"""Encodings of the web, and UTF-8 that was encoded twice."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.text._letters import examine
from ncleaner.text.charset import decode
from ncleaner.text.encodings import lookup, mended, transcode

from .encoding_inputs import LABELS, NAMES, inputs

EXPECTED = json.loads(Path(__file__).with_name("encodings.json").read_text())
# Encodings that the standard replaces by an error, and one that is of no use here.
DIFFERENT = {
    "csiso2022kr": "iso-2022-kr",
    "hz-gb-2312": "hz-gb-2312",
    "iso-2022-kr": "iso-2022-kr",
    "x-user-defined": "windows-1252",
}


def test_labels() -> None:
    assert len(LABELS) == 228 and set(LABELS) == set(EXPECTED["labels"])
    for label, name in EXPECTED["labels"].items():
        assert lookup(label) == DIFFERENT.get(label, name)
        assert lookup(f" \t{label.upper()}\n") == lookup(label)


@pytest.mark.parametrize("name", NAMES)
def test_every_pointer_and_random_strings(name: str) -> None:
    for kind, data in inputs(name).items():
        assert hashlib.sha256(transcode(data, name)[0]).hexdigest() == EXPECTED["sha256"][name][kind], kind


@pytest.mark.parametrize(
    ("name", "before", "character"),
    [
        ("euc-jp", b"\xad\xa1", "①"),
        ("iso-2022-jp", b"\x1b$B\x2d\x21", "①"),
        ("shift_jis", b"\x87\x40", "①"),
        ("big5", b"\xa3\xe1", "€"),
        ("gbk", b"\x80", "€"),
        ("euc-kr", b"\xa2\xe6", "€"),
    ],
)
def test_a_character_that_python_lacks_costs_no_other(name: str, before: bytes, character: str) -> None:
    text = "漢字" if name != "euc-kr" else "한국"
    tail = webencodings.encode(text, name).removeprefix(b"\x1b$B")
    assert transcode(before + tail, name) == ((character + text).encode(), 0)


@given(
    st.sampled_from(sorted({name for name in map(lookup, LABELS) if name not in (None, "utf-8")})),
    st.binary(max_size=60),
)
def test_anything_gives_utf8(name: str, body: bytes) -> None:
    text, broken = transcode(body, name)
    text.decode()
    assert 0 <= broken <= len(body)


def test_bytes_that_a_windows_code_page_leaves_out_are_no_text() -> None:
    assert transcode(b"a\x81\x8db\x80", "windows-1252") == ("a\x81\x8db€".encode(), 2)
    assert transcode(b"a\x84b", "iso-8859-2") == ("a\x84b".encode(), 0)


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
