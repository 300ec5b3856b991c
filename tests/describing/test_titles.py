"""Titles without the name of the site."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing.titles import plain_title, without_site

URL = "https://www.harbour-gazette.example/2024/ferry"


@pytest.mark.parametrize(
    ("text", "site", "url", "wanted"),
    [
        ("The ferry is back | Harbour Gazette", "Harbour Gazette", "", "The ferry is back"),
        ("The ferry is back - News - Harbour Gazette", "Harbour Gazette", "", "The ferry is back - News"),
        ("Harbour Gazette: The ferry", "Harbour Gazette", "", "Harbour Gazette: The ferry"),
        ("Harbour Gazette | The ferry", "Harbour Gazette", "", "The ferry"),
        ("The ferry is back – The Harbour Gazette Online", "Harbour Gazette", "", "The ferry is back"),
        ("The ferry is back - Harbour Gazette", "", URL, "The ferry is back"),
        ("The ferry is back - a history", "Harbour Gazette", URL, "The ferry is back - a history"),
        ("The ferry is back | gazette.example", "", "", "The ferry is back"),
        ("Harbour Gazette", "Harbour Gazette", URL, "Harbour Gazette"),
        ("Trains &amp; <b>ferries</b>\n", "", "", "Trains & ferries"),
        ("a < b > c", "", "", "a < b > c"),
        ("", "Harbour Gazette", URL, ""),
    ],
)
def test_titles(text: str, site: str, url: str, wanted: str) -> None:
    assert without_site(text, site, url) == wanted


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_title(text: str, site: str) -> None:
    title = plain_title(text)
    found = without_site(text, site, URL)
    assert found in title and bool(found) == bool(title)


def test_many_separators_take_no_time() -> None:
    assert without_site("x | " * 2_000, "x")
