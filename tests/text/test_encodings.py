"""Decoding is held to the WHATWG Encoding Standard, as an independent implementation understands it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.text.encodings import lookup, transcode

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
