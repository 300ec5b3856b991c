"""Addresses: absolute, harmless, and nothing but an address."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncleaner.markup.render import Addresses

BASE = "https://harbour.example/log/may.html"
PAGE = Addresses(BASE, b"")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("june.html", "https://harbour.example/log/june.html"),
        ("../a?b=c&d#e", "https://harbour.example/a?b=c&d#e"),
        ("//o.example/a", "https://o.example/a"),
        (" \n/a b(c)<d>\t", "https://harbour.example/a%20b(c)%3Cd%3E"),
        ("/ä_*~", "https://harbour.example/ä_*~"),
        ("http://x.example/a]b`c|d\"e'", "http://x.example/a%5Db%60c%7Cd%22e'"),
        ("c\\d.html?e\\f", "https://harbour.example/log/c/d.html?e%5Cf"),
        ("\\\\o.example\\a", "https://o.example/a"),
        ("https://O.Example:8/A", "https://o.example:8/A"),
        ("http://A:B@O.example?q", "http://A:B@o.example/?q"),
        ("HTTP://o.example", "http://o.example/"),
        ("tel:+49", "tel:+49"),
        # what a page that only leads on has in its own address
        ("https://www.google.com/url?q=https://o.example/a?b%26c&sa=D", "https://o.example/a?b&c"),
        ("http://www.google.co.uk/url?sa=t&url=http%3A%2F%2Fo.example", "http://o.example/"),
        (
            "https://www.google.com/url?q=javascript:alert(1)",
            "https://www.google.com/url?q=javascript:alert(1)",
        ),
        ("https://o.example/url?q=https://a.example", "https://o.example/url?q=https://a.example"),
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
    assert PAGE.of(written.encode()).decode() == expected


def test_images_have_fewer_schemes() -> None:
    assert PAGE.of(b"i.png", image=True) == b"https://harbour.example/log/i.png"
    assert PAGE.of(b"mailto:a@b.example", image=True) == b""


def test_without_an_address_of_the_page() -> None:
    assert Addresses("", b"").of(b"a/b.html") == b"a/b.html"
    assert Addresses("", b"").of(b"javascript:a") == b""
    assert Addresses("", b"").of(b"1x:a") == b"1x:a"


def test_bases() -> None:
    assert Addresses(BASE, b"").base == BASE
    assert Addresses(BASE, b"/d/").base == "https://harbour.example/d/"
    assert Addresses(BASE, b" https://o.example/\n").base == "https://o.example/"
    assert Addresses(BASE, b"http://[").base == BASE


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")), st.booleans())
@example("\u1680", False)
def test_an_address_is_nothing_else(written: str, image: bool) -> None:
    found = PAGE.of(written.encode("utf-8", "replace"), image).decode()
    assert not re.search(r"[\s\x00-\x20<>\"\\`|\[\]]", found)
    assert re.match(r"(?:https?|ftps?|mailto|tel):", found) or not found


PIECES = st.sampled_from(
    [
        "http://",
        "https://",
        "x.example",
        "X",
        "/",
        "//",
        ".",
        "..",
        "?",
        "#",
        ";",
        "a",
        "b=c",
        "&",
        ":",
        "80",
        "@",
        "%20",
        "-",
        "'",
        "_",
    ]
)


@given(
    st.lists(PIECES, max_size=12).map("".join),
    st.sampled_from([BASE, "", "http://x.example", "ftp://x.example/a", "file:///a"]),
    st.booleans(),
)
def test_addresses_that_need_no_parsing(written: str, url: str, image: bool) -> None:
    page = Addresses(url, b"")
    assert page.of(written.encode(), image) == page._joined(written.encode(), image)
