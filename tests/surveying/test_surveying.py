"""Signatures, surveys made of them, and what they say of a page."""

from __future__ import annotations

import pickle
import random
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.cleaner import Cleaner
from ncleaner.document.kept import Kept
from ncleaner.document.tables import KNOWN, OFTEN, SELDOM, SiteCounts
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError, ModelError, OutputError
from ncleaner.methods.choice import load_method
from ncleaner.surveying._texts import layout_hash, text_hashes
from ncleaner.surveying.build import Builder
from ncleaner.surveying.signatures import MOST_TEXTS, Signature, signature_of
from ncleaner.surveying.survey import Contents, Survey, portrait_of
from ncleaner.versions import SURVEYS

from .sealing import sealed_again

PLACES = "harbour castle market station library museum theatre bridge garden school".split()
# it reads like any paragraph of an article
TEMPLATE = (
    "Our reporters have been at work since the early morning, and they will be there until late at night, so that "
    "everybody in the county hears what is going on, whether it is about the weather, the roads or the council."
)


def article(number: int) -> str:
    place = PLACES[number % len(PLACES)]
    return "".join(
        f"<p>Sentence {part} about the {place}, number {number}, says that nobody had expected the {place} to be open "
        f"on day {part} of the week, and that the council has {number + part} other plans for it.</p>"
        for part in range(4)
    )


def page(number: int, extra: str = "") -> str:
    menu = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
    return f"<html lang=en><title>Story {number}</title><body>{menu}<div class=main><h1>Story {number}</h1>{article(number)}{extra}<p>{TEMPLATE}</p></div>"


def url(number: int, site: str = "www.county.example.org") -> str:
    return f"http://{site}/story/{number}"


def sign(number: int, html: str | None = None, site: str = "www.county.example.org") -> Signature:
    document = dump_html(page(number) if html is None else html)
    found = signature_of(url(number, site), document, Kept(document.visible))
    assert found is not None
    return found


def made(path: Path, signatures: Iterable[Signature], pages: int = 32) -> Survey:
    with Builder(path, Contents(pages)) as builder:
        builder.add(signatures)
        builder.finish()
    return Survey(path)


# --------------------------------------------------------------------------------------------------
# Hashes and signatures.


def test_hashes_are_of_the_text_alone() -> None:
    one = dump_html("<p>Home</p><div class=x><b>Ho</b>me</div><p>home</p>")
    hashes = text_hashes(one.tables).tolist()
    assert hashes[0] == hashes[1] != hashes[2]
    assert text_hashes(dump_text("Home").tables).tolist() == hashes[:1]
    # files of surveys have these values
    assert text_hashes(dump_text("Home\n\nΠαρά").tables).tolist() == [2736915936, 3328051481]


def test_layout_is_of_tags_and_classes() -> None:
    one, other = dump_html("<div class=a><p>x"), dump_html("<div class=a><p>y<p>z")
    assert layout_hash(one.tables) == layout_hash(other.tables) != 0
    assert layout_hash(dump_text("x").tables) == 0
    different = {layout_hash(dump_html(f"<div class=a{n}><p class=b{n}>x").tables) for n in range(20)}
    assert len(different) > 5


def test_signature_of_a_page() -> None:
    document = dump_html("<p>one two<p>one two<p hidden>three<p>four")
    kept = Kept(np.array([True, False, True, False])).remarked(language="en")
    found = signature_of("https://News.County.example.co.uk/a", document, kept)
    assert found is not None
    assert (found.site, found.words, found.kept, found.language, found.kind) == (
        "example.co.uk",
        5,
        2,
        "en",
        "",
    )
    # the hidden text and the second copy are left out
    assert found.texts.tolist() == sorted(set(text_hashes(document.tables)[[0, 3]].tolist()))
    for address, site in [("http://10.0.0.1/x", "10.0.0.1"), ("http://[2001:db8::1]/", "2001:db8::1"),
                          ("http://bücher.example/", "xn--bcher-kva.example")]:  # fmt: skip
        signed = signature_of(address, document, kept)
        assert signed is not None and signed.site == site
    assert signature_of("", document, kept) is None and signature_of("urn:uuid:1", document, kept) is None


def test_many_texts_are_bounded() -> None:
    document = dump_html("".join(f"<p>text {number}" for number in range(3 * MOST_TEXTS)))
    found = signature_of(url(1), document, Kept(document.visible))
    assert found is not None and len(found.texts) == MOST_TEXTS
    assert found.texts.tolist() == sorted(text_hashes(document.tables).tolist())[:MOST_TEXTS]


@given(
    st.builds(
        Signature,
        st.text(min_size=1),
        st.integers(0, 2**63 - 1),
        st.integers(0, 2**32 - 1),
        st.just(9),
        st.integers(0, 9),
        st.text(),
        st.text(),
        st.lists(st.integers(0, 2**32 - 1), unique=True).map(
            lambda found: np.array(sorted(found), np.uint32)
        ),
    )
)
def test_lines(signature: Signature) -> None:
    line = signature.line()
    assert line.count(b"\n") == 1 and Signature.of_line(line, "here").line() == line


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line[:40],
        lambda line: b"[]",
        lambda line: line.replace(b'"site":"example.org"', b'"site":""'),
        lambda line: line.replace(b'"words":', b'"words":-'),
        lambda line: line.replace(b'"texts":"', b'"texts":"ffffffff'),
        lambda line: line.replace(b'"texts":"', b'"texts":"x'),
        lambda line: line.replace(b'"page":', b'"page":9'),
        lambda line: line.replace(b'"page":', b'"page":1e999,"old":'),
    ],
)
def test_damaged_lines(change: object) -> None:
    line = change(sign(1).line())  # type: ignore[operator]
    with pytest.raises(InputError, match="parts, line 3: not the signature of a page"):
        Signature.of_line(line, "parts, line 3")


def test_lines_of_another_version() -> None:
    with pytest.raises(InputError, match=r"signatures of version 9.*survey the pages again"):
        Signature.of_line(sign(1).line().replace(b'"signature":1', b'"signature":9'), "parts")


# --------------------------------------------------------------------------------------------------
# Surveys.


def test_the_same_bytes_in_any_order_and_division(tmp_path: Path) -> None:
    signatures = [sign(number, site=f"s{number % 7}.example{number % 5}.org") for number in range(120)]
    whole = made(tmp_path / "whole.ncs", signatures, 5).path.read_bytes()
    generator = random.Random(1)
    for attempt in range(3):
        generator.shuffle(signatures)
        third = len(signatures) // 3
        parts = [
            made(tmp_path / f"{attempt}{part}.ncs", signatures[part * third : (part + 1) * third], 5).path
            for part in range(3)
        ]
        with Builder(tmp_path / "merged.ncs", Contents(5)) as builder:
            for part in parts:
                builder.add_survey(part)
            builder.finish()
        assert (tmp_path / "merged.ncs").read_bytes() == whole
        assert made(tmp_path / "again.ncs", signatures, 5).path.read_bytes() == whole


def test_pages_of_a_site_are_bounded_and_pruned_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signatures = [sign(number) for number in range(60)]
    late = made(tmp_path / "late.ncs", signatures, 4).path.read_bytes()
    monkeypatch.setattr("ncleaner.surveying.build._BETWEEN", 10)
    survey = made(tmp_path / "early.ncs", signatures, 4)
    assert survey.path.read_bytes() == late
    portrait = portrait_of(survey)
    assert (portrait.sites, portrait.total.pages, portrait.total.sampled) == (1, 60, 4)


def test_captures_of_one_page_are_one_page(tmp_path: Path) -> None:
    captures = [sign(1), sign(1, page(1, "<p>Updated."))]
    one, other = made(tmp_path / "a.ncs", captures), made(tmp_path / "b.ncs", reversed(captures))
    assert one.path.read_bytes() == other.path.read_bytes()
    assert portrait_of(one).total.sampled == 1


def test_nothing_is_left_of_a_survey_that_fails(tmp_path: Path) -> None:
    with pytest.raises(InputError), Builder(tmp_path / "sites.ncs", Contents()) as builder:
        builder.add_lines([sign(1).line(), b"nonsense\n"], "parts")
    assert not list(tmp_path.iterdir())
    for pages in (1, 65):
        with pytest.raises(ValueError, match="from 2 to 64"):
            Builder(tmp_path / "sites.ncs", Contents(pages))
    with pytest.raises(OutputError, match="cannot write the survey"):
        Builder(tmp_path / "nowhere" / "sites.ncs", Contents())


def test_merging_needs_as_many_pages(tmp_path: Path) -> None:
    small = made(tmp_path / "small.ncs", [sign(1)], 4)
    with (
        Builder(tmp_path / "large.ncs", Contents(8)) as builder,
        pytest.raises(InputError, match="at most 4 pages of a site, not 8"),
    ):
        builder.add_survey(small.path)


def test_files_that_are_no_surveys(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no survey"):
        Survey(tmp_path / "none.ncs")
    (tmp_path / "text.ncs").write_text("text")
    with pytest.raises(ModelError, match="is not a survey"):
        Survey(tmp_path / "text.ncs")
    foreign = sqlite3.connect(tmp_path / "foreign.ncs")
    foreign.execute("CREATE TABLE t (a)")
    foreign.close()
    with pytest.raises(ModelError, match="a database, but not a survey"):
        Survey(tmp_path / "foreign.ncs")
    path = made(tmp_path / "old.ncs", [sign(1)]).path
    for statement, message in [
        ("PRAGMA user_version = 99", "of version 99: make it again"),
        (f"PRAGMA user_version = {SURVEYS}; UPDATE about SET value = 0 WHERE key = 'hashes'", "other hashes"),
    ]:
        database = sqlite3.connect(path)
        database.executescript(statement)
        database.close()
        sealed_again(path)
        with pytest.raises(ModelError, match=message):
            Survey(path)


def mutants(data: bytes, number: int) -> Iterator[bytes]:
    """Other bytes: some cut off at the end, one flipped, some inserted, some missing, two parts swapped."""
    random = Random(5)
    for _ in range(number // 5):
        at, size = random.randrange(len(data)), random.randrange(1, 5000)
        yield data[:-size]
        yield data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
        yield data[:at] + random.randbytes(size) + data[at:]
        yield data[:at] + data[at + size :]
        yield data[at:] + data[:at] if at else data + data


def test_damage_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.ncs", [sign(number) for number in range(9)])
    path = tmp_path / "damaged.ncs"
    data = whole.path.read_bytes()
    for changed in (data[:-1], data[:-500], data + b"\0", b"", *mutants(data, 500)):
        path.write_bytes(changed)
        with pytest.raises(ModelError, match=r"damaged\.ncs"):
            Survey(path)
    path.write_bytes(data)
    found, expected = (each.look_up(url(1), dump_html(page(1))) for each in (Survey(path), whole))
    assert found is not None and expected is not None and found.texts.tolist() == expected.texts.tolist()


def test_a_survey_is_read_once_and_stays_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "whole.ncs", [sign(number) for number in range(9)]).path
    survey = Survey(path)
    # workers, which are forked, have many of them
    monkeypatch.setattr("ncleaner.surveying.shards.digest_of", None)
    assert len(pickle.loads(pickle.dumps(survey))) == len(Survey(path)) == len(survey)
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()


# --------------------------------------------------------------------------------------------------
# What is known of a page.


def test_texts_of_other_pages_are_counted(tmp_path: Path) -> None:
    survey = made(tmp_path / "sites.ncs", [sign(number) for number in range(6)])
    document = dump_html(page(99))
    site = survey.look_up(url(99), document)
    assert site is not None and (site.name, site.pages) == ("example.org", 6)
    texts = dict(zip(document.texts, site.texts.tolist(), strict=True))
    assert texts["Home"] == texts["News"] == texts[TEMPLATE] == 6 and texts["Story 99"] == 0
    known = dict(zip(document.texts, site.repetition.tolist(), strict=True))
    assert {text for text, often in known.items() if often} == {"Home", "News", TEMPLATE}
    assert known[TEMPLATE] == KNOWN


def test_the_page_itself_and_its_print_version_do_not_count(tmp_path: Path) -> None:
    signatures = [sign(number) for number in range(6)]
    print_version = sign(1000, f"<html><body><h1>Story 3</h1>{article(3)}</body>")
    survey = made(tmp_path / "sites.ncs", [*signatures, print_version])
    document = dump_html(page(3))
    site = survey.look_up(url(3), document)
    assert site is not None and site.pages == 5
    assert not site.texts[document.texts.index("Story 3")]
    assert site.texts.max() == 5


def test_two_pages_know_little_and_one_nothing(tmp_path: Path) -> None:
    survey = made(tmp_path / "sites.ncs", [sign(number) for number in range(3)])
    # two others are known: a text that is on both may still be that of a series
    site = survey.look_up(url(1), dump_html(page(1)))
    assert site is not None and site.pages == 2 and site.repetition.max() == OFTEN
    assert survey.look_up(url(1, "elsewhere.example"), dump_html(page(1))) is None
    assert survey.look_up("", dump_html(page(1))) is None
    assert survey.look_up(url(1), dump_html("")) is None
    alone = made(tmp_path / "alone.ncs", [sign(1)])
    assert alone.look_up(url(1), dump_html(page(1))) is None


def test_how_often_a_text_is_on_other_pages() -> None:
    def found(pages: int, *texts: int) -> list[int]:
        return list(SiteCounts("a", pages, np.array(texts, np.int32)).repetition)

    assert found(4, 0, 1, 2, 3, 4) == [0, SELDOM, KNOWN, KNOWN, KNOWN]
    assert found(9, 4, 5) == [SELDOM, KNOWN]
    assert found(3, 1, 2) == [SELDOM, KNOWN]
    assert found(2, 0, 1, 2) == [0, OFTEN, OFTEN]
    assert found(1, 0, 1) == [0, OFTEN]


def test_teasers_that_change_are_on_few_pages(tmp_path: Path) -> None:
    """Of an article, what is on any other page of its site loses log-odds."""

    def story(number: int) -> str:
        teasers = "".join(
            f"<li><a href=/{n}>A long line of the day about the weather in place {n}, and what it means</a>"
            for n in range(number, number + 10)
        )
        return f"<body><article><h1>Story {number}</h1>{article(number)}</article><ul>{teasers}</ul></body>"

    # neighbours have most teasers in common, and no teaser is on half of the pages
    numbers = [0, 7, 40, 60, 80, 100]
    signatures = [sign(number, story(number)) for number in numbers]
    survey = made(tmp_path / "sites.ncs", signatures)
    document = dump_html(story(3))
    site = survey.look_up(url(3), document)
    assert site is not None and site.repetition.max() == SELDOM
    hybrid = load_method("hybrid", "en", news=True)
    alone, known = hybrid.keep(document), hybrid.keep(replace(document, site=site))
    assert alone.scores is not None and known.scores is not None
    lost = np.isclose(alone.scores - known.scores, 3.0 / np.log(2))
    assert np.array_equal(lost, site.texts > 0) and lost.sum() >= 9


def test_a_cleaner_removes_what_the_site_repeats(tmp_path: Path) -> None:
    survey = made(tmp_path / "sites.ncs", [sign(number) for number in range(8)])
    before, after = Cleaner().clean(page(99), url(99)), Cleaner(sites=survey.path).clean(page(99), url(99))
    assert TEMPLATE in before and after == before.replace(f"\n{TEMPLATE}", "")
    # a page without a URL, or of an unknown site, is judged as without a survey
    cleaner = Cleaner(sites=survey)
    assert cleaner.clean(page(99)) == before == cleaner.clean(page(99), "http://other.example/")
    again: Cleaner = pickle.loads(pickle.dumps(cleaner))
    assert again.clean(page(99), url(99)) == after
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda: results.append(cleaner.clean(page(99), url(99)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [after] * 4


def test_the_headline_stays(tmp_path: Path) -> None:
    # the front page, the section and the list of most read stories have it as a link
    lists = [
        sign(number, f"<body><p>{'x ' * 60}{number}<h1>Story 99</h1><p>{number}")
        for number in range(500, 506)
    ]
    survey = made(tmp_path / "sites.ncs", [*lists, *(sign(number) for number in range(6))])
    text = Cleaner(sites=survey).clean(page(99), url(99))
    assert text.startswith("Story 99\n")


def test_portrait(tmp_path: Path) -> None:
    signatures = [sign(number) for number in range(4)] + [sign(1, site="other.example.com")]
    portrait = portrait_of(made(tmp_path / "sites.ncs", signatures), most=1)
    assert (portrait.sites, portrait.single, portrait.total.pages) == (2, 1, 5)
    assert [(row.site, row.pages, row.layouts, row.sampled) for row in portrait.largest] == [
        ("example.org", 4, 1, 4)
    ]
    assert portrait.to_dict()["largest"][0]["kept"] == portrait.largest[0].words


# --------------------------------------------------------------------------------------------------
# Reference pages.


def signed_with_page(number: int) -> Signature:
    html = page(number, "<p>more</p>" * number).encode()
    document = dump_html(html)
    found = signature_of(url(number), document, Kept(document.visible), html)
    assert found is not None
    return found


def test_the_reference_is_the_page_of_median_size(tmp_path: Path) -> None:
    signatures = [signed_with_page(number) for number in range(7)]
    lines = [signature.line() for signature in signatures]
    assert Signature.of_line(lines[3], "").html == signatures[3].html
    for name, added in (("a", lines), ("b", lines[::-1])):
        with Builder(tmp_path / f"{name}.ncs", Contents(references=True)) as builder:
            builder.add_lines(added, name)
            builder.finish()
    assert (tmp_path / "a.ncs").read_bytes() == (tmp_path / "b.ncs").read_bytes()
    survey = Survey(tmp_path / "a.ncs", references=True)
    site = survey.look_up(url(3), dump_html(page(3)))
    # of the other six, of 0, 1, 2, 4, 5 and 6 more paragraphs
    assert site is not None and site.reference is not None and site.reference.title == "Story 4"
    again = pickle.loads(pickle.dumps(survey)).look_up(url(3), dump_html(page(3)))
    assert again.reference.data == site.reference.data
    # nobody asks
    plain = Survey(tmp_path / "a.ncs").look_up(url(3), dump_html(page(3)))
    assert plain is not None and plain.reference is None
    cleaner = Cleaner("site", sites=tmp_path / "a.ncs")
    text = cleaner.clean(page(3), url(3))
    assert "Story 3" in text and "Home" not in text and TEMPLATE not in text


def test_references_are_asked_for(tmp_path: Path) -> None:
    without = made(tmp_path / "without.ncs", [signed_with_page(1)])
    with pytest.raises(ModelError, match="has no reference pages"):
        Survey(without.path, references=True)
    with (
        Builder(tmp_path / "with.ncs", Contents(references=True)) as builder,
        pytest.raises(InputError, match="is without references, and this one is to be with them"),
    ):
        builder.add_survey(without.path)
