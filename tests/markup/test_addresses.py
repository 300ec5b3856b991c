"""Addresses: absolute, harmless, and nothing but an address."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.markup.addresses import address_of, base_of

BASE = "https://harbour.example/log/may.html"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("june.html", "https://harbour.example/log/june.html"),
        ("../a?b=c&d#e", "https://harbour.example/a?b=c&d#e"),
        ("//o.example/a", "https://o.example/a"),
        (" \n/a b(c)<d>\t", "https://harbour.example/a%20b%28c%29%3Cd%3E"),
        ("/ä_*~", "https://harbour.example/ä_*~"),
        ("http://x.example/a]b`c|d\\e\"f'", "http://x.example/a%5Db%60c%7Cd%5Ce%22f'"),
        ("tel:+49", "tel:+49"),
        ("", ""),
        ("#a", ""),
        ("javascript:alert(1)", ""),
        ("JaVa\nScRiPt:alert(1)", ""),
        ("\x01javascript:a", ""),
        ("vbscript:a", ""),
        ("data:text/html,a", ""),
        ("file:///etc/passwd", ""),
        ("blob:https://x.example/1", ""),
        ("http://[x", ""),
        ("a" * 5_000, ""),
    ],
)
def test_addresses(written: str, expected: str) -> None:
    assert address_of(written.encode(), BASE).decode() == expected


def test_images_have_fewer_schemes() -> None:
    assert address_of(b"i.png", BASE, image=True) == b"https://harbour.example/log/i.png"
    assert address_of(b"mailto:a@b.example", BASE, image=True) == b""


def test_without_an_address_of_the_page() -> None:
    assert address_of(b"a/b.html", "") == b"a/b.html"
    assert address_of(b"javascript:a", "") == b""
    assert address_of(b"1x:a", "") == b"1x:a"


def test_bases() -> None:
    assert base_of(BASE, b"") == BASE
    assert base_of(BASE, b"/d/") == "https://harbour.example/d/"
    assert base_of(BASE, b" https://o.example/\n") == "https://o.example/"
    assert base_of(BASE, b"http://[") == BASE


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")), st.booleans())
def test_an_address_is_nothing_else(written: str, image: bool) -> None:
    found = address_of(written.encode("utf-8", "replace"), BASE, image).decode()
    assert not re.search(r"[\s\x00-\x20()<>\"\\`|\[\]]", found)
    assert re.match(r"(?:https?|ftps?|mailto|tel):", found) or not found
