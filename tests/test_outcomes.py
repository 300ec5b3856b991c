"""What becomes of odd pages (docs/outcomes.md), in every format the same."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.page import Page
from ncleaner.sinks.formats import Output

# every line that these pages take is run by other tests, too
pytestmark = pytest.mark.untraced

PROSE = (
    "The ferry between the two islands was late again this morning, and nobody on the pier knew why, or would "
    "say so to those who had come early and stood there for more than an hour in the rain."
)
MORE = (
    "At noon a fishing boat took the doctor and the mail across, and the teacher stayed behind with eleven "
    "children who had brought no lunch."
)
RUSSIAN = (
    "Сегодня утром паром между двумя островами снова опоздал, и никто на пристани не знал почему. Люди ждали "
    "под дождём больше часа, а потом разошлись по домам."
)
NAV = "<nav><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li><li><a href=/c>Contact</a></li></ul></nav>"
FOOTER = "<footer><p>© 2024 The Harbour Gazette. All rights reserved.</p></footer>"


def site(body: str, title: str = "Late again - The Harbour Gazette", lang: str = "en") -> str:
    return (
        f"<html lang={lang}><head><title>{title}</title></head>"
        f"<body>{NAV}<main>{body}</main>{FOOTER}</body></html>"
    )


def lines(data: bytes) -> list[str]:
    return data.decode().splitlines()


# format: its text without white space and markup
READERS: dict[str, Callable[[bytes], str]] = {
    "text": lambda data: "".join(lines(data)),
    "cleaneval": lambda data: re.sub(r"(?m)^(URL: .*|<[phl]>)", "", data.decode()),
    "jsonl": lambda data: "".join(json.loads(line)["text"] for line in lines(data)),
    "parquet": lambda data: "".join(json.loads(line)["text"] for line in lines(data)),
    "wet": lambda data: (gzip.decompress(data) if data else b"").decode().partition("\r\n\r\n")[2],
    "vertical": lambda data: "".join(line for line in lines(data) if not line.startswith("<")),
}


@cache
def cleaner(news: bool = False, headline: bool | None = None, notices: bool = False) -> Cleaner:
    return Cleaner(news=news, headline=headline, notices=notices)


def cleaned(page: str, kind: Any = "html", **wanted: bool) -> str:
    """The text of a page, without white space; it is the same in each format."""
    source = Page(page.encode(), "https://a.example/", kind=kind, content_type="text/html; charset=utf-8")
    document, kept = cleaner(**wanted).page(source)
    found = {
        name: re.sub(r"\s", "", read(Output(format=name).sink().render(source, document, kept, True)))
        for name, read in READERS.items()
    }
    assert len(set(found.values())) == 1, found
    return found["text"]


def squeezed(*texts: str) -> str:
    return re.sub(r"\s", "", "".join(texts))


@pytest.mark.parametrize("page", ["", " ", "<html></html>", "<p></p>", "<script>var a;</script>", site("")])
def test_an_empty_page_stays_empty(page: str) -> None:
    assert cleaned(page) == ""


def test_a_few_links_are_no_text() -> None:
    languages = ", ".join(
        f"<a href=/{name}>{name}</a>" for name in ("Russian", "Spanish", "French", "Polish")
    )
    assert cleaned(site(f"<p>{languages}</p>")) == ""


@pytest.mark.parametrize("text", ["Hello", "Hello world", "42", "Ferry.", "Паром", "渡船"])
def test_a_fragment_of_a_word_or_two_stays(text: str) -> None:
    assert cleaned(f"<p>{text}</p>") == squeezed(text)


@pytest.mark.parametrize(
    "page",
    [
        f"<h1>Late again</h1><p>{PROSE}</p><p>{MORE}</p>",
        f"<p>{PROSE}</p>",
        f"<div dir=ltr>Dear Anna,<br><br>{PROSE}<br><br>{MORE}<br><br>Yours, Tom</div>",
        f"<article class=markdown-body><h1>ferrytimes</h1><p>{PROSE}</p><pre><code>pip install x</code></pre>"
        f"<ul><li>reads time tables</li><li>writes them</li></ul></article>",
    ],
)
def test_a_fragment_without_boilerplate_stays_whole(page: str) -> None:
    assert cleaned(page) == squeezed(re.sub("<[^>]*>", " ", page))


def test_numbers_names_and_code_are_in_no_language() -> None:
    table = "".join(
        f"<tr><td>{day} May</td><td>{day % 12}:10</td><td>1.{day}</td></tr>" for day in range(1, 9)
    )
    assert cleaned(f"<h1>Tides</h1><table>{table}</table>") == squeezed("Tides", re.sub("<[^>]*>", "", table))
    _, kept = cleaner().page(Page(b"<p>12:10 1.40 7 = 3 + 4</p>"))
    assert kept.remarks.language == ""


def test_a_page_in_two_languages_keeps_both() -> None:
    page = site(f"<h1>Late again</h1><p>{PROSE}</p><p>{RUSSIAN}</p><p>{MORE}</p>")
    assert cleaned(page) == squeezed("Late again", PROSE, RUSSIAN, MORE)


@pytest.mark.parametrize("declared", ["ru", "x", "en-Cyrl-DE", "?"])
def test_a_declared_language_that_is_not_the_pages_does_not_count(declared: str) -> None:
    page = site(f"<h1>Late again</h1><p>{PROSE}</p><p>{MORE}</p>", lang=declared)
    assert cleaned(page) == squeezed("Late again", PROSE, MORE)
    assert cleaner().page(Page(page.encode()))[1].remarks.language == "en"


def test_a_language_without_a_model() -> None:
    page = site(
        "<h1>Bussen kommer inte</h1><p>I morse kom bussen för tredje gången den här veckan inte, och ingen vid "
        "hållplatsen visste om det skulle komma någon mer eller inte.</p><p>Mitt på dagen hämtade läraren "
        "barnen med sin egen bil, fyra åt gången, tills alla var hemma.</p>",
        lang="sv",
    )
    _, kept = cleaner().page(Page(page.encode()))
    assert (kept.remarks.language, kept.remarks.model) == ("sv", "nonlexical")
    assert cleaned(page).startswith("Bussenkommerinte") and "Home" not in cleaned(page)


def test_zones_change_nothing_in_plain_text() -> None:
    text = f"Late again\n\n{PROSE}\n\n{MORE}\n"
    assert cleaned(text, kind="text", headline=False) == cleaned(text, kind="text")


def test_a_page_with_six_h1_has_one_headline() -> None:
    parts = "".join(f"<h1>Part {number}</h1><p>{PROSE}</p><p>{MORE}</p>" for number in range(1, 7))
    page = site(parts, title="Part 1")
    assert cleaned(page).count("Part") == 6
    without = cleaned(page, headline=False)
    assert "Part1" not in without and without.count("Part") == 5


def test_a_headline_in_an_image_is_none() -> None:
    page = site(f"<h1><img src=a.png alt='Late again'></h1><p>{PROSE}</p><p>{MORE}</p>")
    assert cleaned(page) == cleaned(page, headline=False) == squeezed(PROSE, MORE)


ERROR = (
    "<h1>Page not found</h1><p>Sorry, the page that you are looking for does not exist or has been moved.</p>"
)


@pytest.mark.parametrize(
    "page",
    [
        site(ERROR, title="Page not found - The Harbour Gazette"),
        f"<title>Page not found</title>{ERROR}",
        "<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1><hr>nginx</body></html>",
        site("<h1>Search</h1><p>No products were found matching your selection.</p>", title="Search"),
        site(
            "<div class=modal><h2>We value your privacy</h2><p>We and our partners use cookies to store "
            "information on your device. Choose Accept all to agree.</p></div>"
        ),
    ],
)
def test_notices_come_out_empty(page: str) -> None:
    assert cleaned(page) == ""
    assert cleaned(page, notices=True) != ""
    assert cleaner().page(Page(page.encode()))[1].kind == "notice"


def test_an_error_page_of_two_thousand_words() -> None:
    links = "".join(f"<li><a href=/{number}>Pier and tide number {number}</a></li>" for number in range(400))
    assert cleaned(site(f"{ERROR}<h2>All pages</h2><ul>{links}</ul>", title="Page not found")) == ""
    # who writes so much of their own about it has written a text
    assert (
        cleaned(site(f"{ERROR}{f'<p>{PROSE}</p><p>{MORE}</p>' * 40}", title="Page not found")).count("noon")
        == 40
    )
