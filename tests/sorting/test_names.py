from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.sorting.names import DIRECTORIES, directory_of, place_of, stem_of


@pytest.mark.parametrize(
    ("site", "stem"),
    [
        ("www.example.org", "www.example.org"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("a_b.example", "a_b.example"),
        ("2001:db8::1", "2001%3adb8%3a%3a1"),
        ("a b/c\\d.example", "a%20b%2fc%5cd.example"),
        ("..", "%2e."),
        (".hidden", "%2ehidden"),
        ("-rf.example", "%2drf.example"),
        ("a%2fb", "a%252fb"),
        ("é", "%c3%a9"),
        ("nul", "%6eul"),
        ("con.example", "%63on.example"),
        ("console.example", "console.example"),
    ],
)
def test_stem(site: str, stem: str) -> None:
    assert stem_of(site) == stem


def test_long_names() -> None:
    stems = {stem_of("a" * number) for number in range(190, 300)}
    assert len(stems) == 110
    assert max(map(len, stems)) == 200


SITES = st.text(st.characters(codec=None), min_size=1, max_size=300).map(str.lower)


@given(SITES)
def test_every_file_system_takes_the_name(site: str) -> None:
    stem = stem_of(site)
    assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-%~")
    assert 0 < len(stem) <= 200
    assert stem[0] not in ".-"


@given(SITES, SITES)
def test_no_two_sites_have_one_name(one: str, two: str) -> None:
    assert (stem_of(one) == stem_of(two)) == (one == two)


def test_places() -> None:
    place = place_of("http://WWW.Example.co.uk./x", "host")
    assert place.stem == "www.example.co.uk"
    assert place_of("http://news.example.co.uk", "domain").stem == "example.co.uk"
    assert place_of("http://news.example.co.uk", "domain") == place_of("http://example.co.uk/x", "host")
    assert DIRECTORIES[place_of("urn:x", "host").directory] == "no-host"
    assert place_of("", "domain").stem == "no-host"


def test_directories_have_equal_numbers_of_sites() -> None:
    counts = Counter(
        directory_of(f"www.{word}{number}.example") for word in ("a", "shop") for number in range(50_000)
    )
    assert len(counts) == 256
    assert min(counts.values()) > 300 and max(counts.values()) < 500
