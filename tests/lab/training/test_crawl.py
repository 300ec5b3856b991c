from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.cli.cards import card_text
from ncleaner.dumping.html import dump_html
from ncleaner.errors import TrainingError
from ncleaner.lab.training.crawl import pages_by_language, train_from_crawl
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling.container import ModelFile
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.page import Damage, Page, Skip

NAMES = "Fähre Brücke Bäckerei Werkstatt Schule Bücherei Mühle Gärtnerei Poststelle Hafenmeisterei".split()
DEEDS = (
    "hat am Dienstag wieder geöffnet, nachdem das Dach über den Winter erneuert worden war",
    "bleibt bis zum Ende des Monats geschlossen, weil die Leitungen im Keller nicht dicht sind",
    "wird von drei Schwestern geführt, die den Betrieb von ihrer Großmutter übernommen haben",
    "steht seit hundert Jahren an derselben Stelle, und niemand möchte sie von dort vertreiben",
    "sucht für den Sommer zwei Aushilfen, die früh aufstehen und schwere Kisten tragen können",
    "lädt am Sonntag alle Nachbarn ein, die sich die neuen Räume einmal ansehen möchten",
)
MENU = "Startseite Kontakt Impressum Datenschutz Anmelden Warenkorb Newsletter Archiv Termine Suche".split()
NOTE = "Wir verwenden Cookies, damit diese Seite funktioniert. Alle Rechte vorbehalten."


def paragraphs(number: int) -> list[str]:
    draw = random.Random(number)
    return [
        " ".join(f"Die {draw.choice(NAMES)} im Ort {draw.choice(DEEDS)}." for _ in range(3)) for _ in range(4)
    ]


def html(number: int, site: int, language: str = "de") -> str:
    draw = random.Random(site)
    menu = "".join(f"<li><a href=/{item}>{item}</a>" for item in draw.sample(MENU, 7))
    prose = "".join(f"<p>{text}</p>" for text in paragraphs(number))
    return (
        f"<html lang={language}><title>Nachricht {number}</title><ul class=menu>{menu}</ul>"
        f"<article><h1>Neues aus dem Ort {number}</h1>{prose}</article><footer><p>{NOTE}</footer>"
    )


def page(number: int, site: int, language: str = "de") -> Page:
    return Page(html(number, site, language).encode(), f"http://s{site}.example/{number}", source="x.warc")


def pairs(number: int = 24) -> list[Pair]:
    return [Pair(f"{n}", dump_html(html(n, n % 6)), "", f"s{n % 6}.example") for n in range(number)]


@pytest.fixture(scope="module")
def model() -> HybridModel:
    return train_from_crawl(pairs(), about={"name": "ort", "language": "de"})


def test_pages_alone_teach_a_model(model: HybridModel) -> None:
    assert model.ngrams.alphabet.name == "learned"
    for number in (100, 101, 102):
        document = Cleaner().document(html(number, 9))
        for method in ("hybrid", "ngram"):
            kept = Cleaner(method, model, headline=False).keep(document)
            found = [str(segment) for segment in document if kept.mask[segment.index]]
            assert found == paragraphs(number), method


def test_the_model_says_what_it_has_learned_from(model: HybridModel) -> None:
    training = model.about["training"]
    assert (training["pages"], training["sites"], training["scheme"]) == (24, 6, "raw pages")
    assert 1 <= training["rounds"] <= 5
    # how far n-grams agree with their teacher is no accuracy
    assert "validation" not in model.about and "validation" not in model.ngrams.about
    assert model.about["agreement"]["f_score"] > 0.9
    for each in (model, model.ngrams):
        again: ModelFile = type(each).from_bytes(each.to_bytes())
        assert again.about == each.about
        assert "no page was cleaned by hand" in card_text(again.card(3))


@pytest.mark.untraced
def test_the_same_pages_give_the_same_bytes(model: HybridModel) -> None:
    seen: list[tuple[int, int]] = []
    again = train_from_crawl(
        pairs(), about={"name": "ort", "language": "de"}, progress=lambda *step: seen.append(step)
    )
    assert again.to_bytes() == model.to_bytes()
    assert seen == [(done, 5) for done in range(1, model.about["training"]["rounds"] + 1)]


def test_cleaned_pages_adapt_it(model: HybridModel) -> None:
    gold = [
        Pair(f"{n}", dump_html(html(n, n)), "\n".join(paragraphs(n)), f"t{n}.example") for n in range(50, 62)
    ]
    adapted = train(gold, base=model)
    assert adapted.about["adapted_from"] == "ort"
    assert adapted.about["validation"]["f_score"] > 0.9


def test_text_that_is_repeated_on_a_site_is_not_learned_as_clean() -> None:
    """As a notice in the middle of the article, on all pages of one site."""
    notice = (
        "Lesen Sie mehr über die Leute im Ort, wenn Sie unseren Rundbrief am Freitag bestellen möchten. " * 2
    )
    with_notice = [
        Pair(
            pair.name,
            dump_html(html(n, n % 6).replace("</p><p>", f"</p><p>{notice}</p><p>", 1)),
            "",
            pair.site,
        )
        for n, pair in enumerate(pairs())
    ]
    twice = train_from_crawl(with_notice)
    grams = [gram for gram, *_ in dict(twice.ngrams.informative_grams(400))["clean"]]
    # no other text has an R at the beginning of a word before u: "Rundbrief"
    assert not any("rund" in gram for gram in grams)


@pytest.mark.parametrize("number", [0, 1, 4])
def test_few_pages_are_too_few(number: int) -> None:
    with pytest.raises(TrainingError, match=r"in this language (is|are) too few to learn from"):
        train_from_crawl(pairs(number))


def test_one_site_is_too_few() -> None:
    one = [Pair(pair.name, pair.document, "", "s.example") for pair in pairs()]
    with pytest.raises(TrainingError, match=r"24 pages of 1 site in this language are too few"):
        train_from_crawl(one)


def test_pages_that_show_nothing_surely_teach_nothing() -> None:
    menus = [
        Pair(f"{n}", dump_html(f"<ul><li><a href=/>{MENU[n % 9]} {n}</a></ul>"), "", f"s{n}.example")
        for n in range(20)
    ]
    with pytest.raises(TrainingError, match="0 pages of 0 sites judged surely are too few"):
        train_from_crawl(menus)


# the pages of a crawl -----------------------------------------------------------------------------


def items() -> Iterator[Page | Skip | Damage]:
    yield Skip("record type warcinfo")
    yield Damage("damaged", "x.warc", 7)
    yield page(1, 1)
    yield Page(page(1, 2).body, "http://s2.example/1", source="x.warc")
    yield Page(page(1, 2).body, "http://s3.example/1", source="x.warc")
    yield Page(
        b"<html lang=en><p>The ferry will sail until the end of May, and nobody knows why it was late.",
        "http://e.example/",
    )
    yield Page("Die Fähre fährt nicht.".encode(), "http://t.example/", kind="text")
    yield Page(b"<p>" * 10 + b"x", "http://x.example/")
    yield from (page(number, 5) for number in range(200, 230))


def test_pages_of_a_crawl_are_chosen() -> None:
    dump = Cleaner("everything").document
    by_language, passed = pages_by_language(items(), dump, "de".__eq__)
    found = by_language["de"]
    assert [pair.site for pair in found[:2]] == ["s1.example", "s2.example"]
    # a text is a page, too
    assert len(found) == 23 and [pair.site for pair in found[2:]] == ["t.example", *["s5.example"] * 20]
    assert passed == {
        "beyond 20 of a site": 10, "in other languages": 2, "the same as another page": 1
    }  # fmt: skip
    seen: list[tuple[int, int]] = []
    few, _ = pages_by_language(items(), dump, "de".__eq__, 3, lambda *step: seen.append(step))
    assert [pair.name for pair in few["de"]] == [pair.name for pair in found[:3]]
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    for number in range(24):
        (tmp_path / "pages").mkdir(exist_ok=True)
        canonical = f"<link rel=canonical href=http://s{number % 6}.example/{number}>"
        text = html(number, number % 6).replace("<title>", f"{canonical}<title>")
        (tmp_path / "pages" / f"{number:02}.html").write_text(text, "utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [Path(sys.executable).parent / "ncleaner", "train", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    done = run("--from-crawl", "pages", "--language", "de", "-o", "de.ncm")
    assert done.returncode == 0, done.stderr
    assert "24 pages read: 24 in de\n" in done.stderr and "raw pages, 24 pages of 6 sites" in done.stderr
    one_by_one = run(
        "--from-crawl",
        "pages/00.html",
        *(f"pages/{n:02}.html" for n in range(1, 24)),
        "--language",
        "deu",
        "-o",
        "again.ncm",
    )
    assert one_by_one.returncode == 0, one_by_one.stderr
    assert run("--from-crawl", "pages", "--language", "de", "-m", "ngram", "-o", "n.ncm").returncode == 0
    for wrong in (
        ["--from-crawl", "pages", "-o", "x.ncm"],
        ["pages", "--raw", "pages", "--clean", "pages", "-o", "x.ncm"],
        ["--from-crawl", "pages", "--language", "de", "--raw", "pages", "-o", "x.ncm"],
        ["--from-crawl", "pages", "--language", "de", "--threshold", "1", "-o", "x.ncm"],
        ["--from-crawl", "pages", "--language", "de", "-m", "victor", "-o", "x.ncm"],
    ):
        assert run(*wrong).returncode == 2, wrong
    too_few = run("--from-crawl", "pages", "--language", "fr", "-o", "x.ncm")
    assert too_few.returncode == 1 and "too few to learn from" in too_few.stderr
