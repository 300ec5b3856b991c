"""Titles without the name of the site, and names of authors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing.names import names_in, names_on_page, plain_title, without_site

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


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["Ann Lee"], ["Ann Lee"]),
        (["By Ann Lee and Ben Moss"], ["Ann Lee", "Ben Moss"]),
        (["Ann Lee, Ben Moss & Carla Diaz"], ["Ann Lee", "Ben Moss", "Carla Diaz"]),
        (["Ann Lee, Ph.D., Ben Moss Jr"], ["Ann Lee, Ph.D", "Ben Moss Jr"]),
        (["Ann Lee", "ann lee", "Ben Moss"], ["Ann Lee", "Ben Moss"]),
        (["Ann &amp; Ben"], ["Ann", "Ben"]),
        (["von Anna Müller und Bernd Maier"], ["Anna Müller", "Bernd Maier"]),
        (["作者：王小明"], ["王小明"]),
        (["Της Άννας Λη", "a-paper.gr"], ["Άννας Λη"]),
        (["Анна Петрова и Иван Сидоров"], ["Анна Петрова", "Иван Сидоров"]),
        (["Posted by Ann Lee on 3 May 2024"], ["Ann Lee"]),
        # a role, an agency, a department and a day beside the name
        (["Ann Lee, Senior Editor", "Ben Moss, Trial Attorney"], ["Ann Lee", "Ben Moss"]),
        (["By ANN LEE Associated Press Writer"], ["ANN LEE"]),
        (["By: Ann Lee | World News | Thursday January 12"], ["Ann Lee"]),
        (["Autor: annlee. Data publikacji"], ["annlee"]),
        (["Prof. Ann Lee", "J. K. Moss"], ["Prof. Ann Lee", "J. K. Moss"]),
        # a publisher and its address
        (["Moss & Sons Ltd", "The Pier, Southern Gate", "Tel: 01234 567"], ["Moss & Sons Ltd"]),
        # no people
        (["S", "gazette.example.gr", "Contributor", "5 mins read", "Founder of the Gazette"], []),
        (["admin", "https://a.example/ann", "ann@a.example.com", "", "—", "2024"], []),
        (["x" * 61], []),
        (["This is a sentence about the author that is too long to be a name of anybody"], []),
    ],
)
def test_names(values: list[str], wanted: list[str]) -> None:
    assert list(names_in(values)) == wanted


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["By\nAnn Lee\nSenior Reporter\n@annlee"], ["Ann Lee"]),
        (
            ["Written by\n \nAnn Lee\n,\nBen Moss\nand\nCarla Diaz\nGuest Columnists"],
            ["Ann Lee", "Ben Moss", "Carla Diaz"],
        ),
        (["Follow", "Ann Lee"], ["Ann Lee"]),
        # posts of a forum
        ([f"user-{letter}\nMember" for letter in "abcdefg"], ["user-a"]),
    ],
)
def test_elements_of_a_page(values: list[str], wanted: list[str]) -> None:
    assert list(names_on_page(values)) == wanted


@given(st.lists(st.text(max_size=80), max_size=15))
def test_any_texts(values: list[str]) -> None:
    for found in (names_in(values), names_on_page(values)):
        assert len(found) <= 10 and all(name.strip() and "\n" not in name for name in found)
