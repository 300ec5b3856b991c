"""What is said of a verdict is what led to it: scores are sums, and verdicts follow from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner
from ncleaner import Cleaner, Page
from ncleaner.document.kept import Kept
from ncleaner.document.tables import SiteCounts
from ncleaner.lab.explaining.explain import Explanation, explain
from ncleaner.lab.explaining.verdicts import lines_of, said_of_segment
from ncleaner.modelling import structure

from ...structures import PROSE, page_html

EXAMPLES = Path(__file__).parents[3] / "examples"
PAGES = sorted((EXAMPLES / "pages").glob("*.html"))
CLEANERS = {name: Cleaner(name) for name in ("hybrid", "ngram")}


def check(found: Explanation) -> None:
    """Scores are the sums of what is said to make them up, and with the bar and the rules they give the
    verdicts."""
    assert found.explained
    for why in found.segments:
        assert why.base is not None and why.score is not None
        assert why.base + sum(reason.bits for reason in (*why.features, *why.steps)) == pytest.approx(
            why.score, abs=1e-9
        )
        keeps = why.bar is not None and why.score >= why.bar
        assert why.kept == (why.rulings[-1].keeps if why.rulings else keeps)
        if why.ngrams is not None and why.ngrams.pieces:
            assert sum(piece.bits for piece in why.ngrams.pieces) == pytest.approx(why.ngrams.bits, abs=1e-9)
            assert sum(gram.bits for gram in why.ngrams.grams) == pytest.approx(why.ngrams.bits, abs=1e-9)
    assert [why.kept for why in found.segments] == found.mask.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("method", CLEANERS)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_of_the_examples(path: Path, method: str) -> None:
    found = explain(path.read_bytes(), CLEANERS[method])
    check(found)
    kept = CLEANERS[method].keep(found.document)
    assert kept.mask.tolist() == found.mask.tolist()
    assert kept.scores is not None and found.kept.scores is not None
    assert kept.scores.tolist() == found.kept.scores.tolist()


OPTIONS: list[dict[str, Any]] = [
    {"threshold": "precision"}, {"threshold": "recall"}, {"threshold": 1.5}, {"headline": False},
    {"comments": False, "captions": False}, {"news": True}, {"model": "nonlexical"}, {"model": "en"},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("method", CLEANERS)
def test_with_options(method: str, options: dict[str, Any]) -> None:
    for name in ("slow-gears-blog", "harbour-gazette-ferry", "mayak-novosti-ru"):
        check(explain((EXAMPLES / "pages" / f"{name}.html").read_bytes(), Cleaner(method, **options)))


@given(
    parts=st.lists(
        st.sampled_from(
            [
                *PROSE, "Advertisement", "© 2024 All rights reserved", "Home | News | Jobs", "***", "Read more",
                "Корабль придёт утром, и никто не знает, когда он уйдёт обратно в гавань.", "渡し船は今朝も遅れた。", "e\u0301te\u0301",
            ]
        ),
        max_size=12,
    ),
    tags=st.lists(st.sampled_from(["p", "li", "h1", "h2", "nav", "td", "div hidden", "footer", "aside"]), min_size=12, max_size=12),
    method=st.sampled_from(sorted(CLEANERS)),
)  # fmt: skip
def test_of_pages_of_all_sorts(parts: list[str], tags: list[str], method: str) -> None:
    body = "".join(f"<{tag}>{part}</{tag.split()[0]}>" for part, tag in zip(parts, tags, strict=False))
    found = explain(f"<title>A page</title><body>{body}", CLEANERS[method])
    check(found)
    assert len(list(lines_of(found, reasons=True))) >= len(parts) + 3


@pytest.mark.slow
@pytest.mark.traced
def test_what_follows_the_score_is_told() -> None:
    text = " ".join(PROSE)
    copy = f"<div class=narrow><p>{text}</p></div><article class=wide><p>{text}</p><p>{PROSE[1]} {PROSE[2]}</p></article>"
    found = explain(copy)
    check(found)
    assert [ruling.name for why in found.segments for ruling in why.rulings] == ["copy"]
    assert "a copy of segment 0" in str(found)

    rows = "".join(f"<tr><td>{sentence}</td><td>Pier {n}</td></tr>" for n, sentence in enumerate(PROSE))
    found = explain(f"<article><p>{PROSE[0]}</p><table>{rows}</table><p>{text}</p></article>")
    check(found)
    assert [[ruling.name for ruling in why.rulings] for why in found.segments if why.rulings] == [["copy"]]

    found = explain(
        f"<article><p>{text}</p><div hidden><p>{PROSE[0]}</p></div><p>{text} And more.</p></article>"
    )
    check(found)
    assert {ruling.name for why in found.segments for ruling in why.rulings} >= {"hidden"}
    assert "not shown when the page opens" in str(found)

    notice = explain(
        "<title>404 Not Found</title><h1>Not Found</h1><p>The page was not found on this server.</p>"
    )
    check(notice)
    assert {ruling.name for why in notice.segments for ruling in why.rulings} == {"notice"}
    assert any("nothing but a notice" in note for note in notice.notes)

    shell = explain("<title>A forum</title><div id=root></div><script src=app.js></script>")
    check(shell)
    assert shell.notes == ("the file has no text: scripts may load it later",)
    assert not any("kind of page" in line for line in shell.summary())

    menu = explain("<ul>" + "".join(f"<li><a href=/{i}>Page {i}</a>" for i in range(6)) + "</ul>")
    check(menu)

    page = (EXAMPLES / "pages" / "slow-gears-blog.html").read_bytes()
    either = [explain(page, Cleaner(headline=headline)) for headline in (True, False)]
    assert "headline" in {ruling.name for found in either for why in found.segments for ruling in why.rulings}

    links = "".join(f"<li><a href=/{n}>Another story of the day, number {n}</a>" for n in range(9))
    beside = explain(f"<article><h1>Pier</h1><p>{text}</p><p>{text}</p></article><ul>{links}</ul>")
    check(beside)


def test_what_a_site_repeats() -> None:
    from dataclasses import replace

    cleaner = Cleaner()
    document = cleaner.document(page_html(5))
    texts = np.zeros(len(document), np.int32)
    texts[4] = 9
    found = explain(replace(document, site=SiteCounts("a.example", 10, texts)), cleaner)
    check(found)
    assert [step.name for step in found.segments[4].steps][-1] == "site"


def test_plain_text_is_judged_by_its_lines_and_ngrams() -> None:
    body = "\n\n".join((*PROSE, "Home | News | Jobs")).encode()
    found = explain(Page(body, "http://a.example/", kind="text"), Cleaner())
    check(found)
    assert found.source == "http://a.example/"
    for why in found.segments:
        assert why.features and [step.name for step in why.steps].count("n-grams") == 1
    assert found.segments[0].kept and not found.segments[-1].kept


def test_a_page_in_two_languages_is_read_by_two_models() -> None:
    greek = (
        "Το πλοίο άργησε και σήμερα το πρωί, και κανείς δεν ήξερε γιατί δεν ήρθε στην ώρα του στο λιμάνι. "
    )
    body = "".join(f"<p>{text}</p>" for text in (*PROSE, *PROSE)) + f"<p>{greek * 3}</p>"
    for cleaner in CLEANERS.values():
        found = explain(body, cleaner)
        check(found)
        models = [why.ngrams.model for why in found.segments if why.ngrams]
        assert (models[0], models[-1]) == ("en", "el")


@pytest.mark.parametrize(
    "method", ["victor", "bte", "density", "fiasco", "kimatu", "everything", "heuristics-only"]
)
def test_other_methods_show_their_verdicts(method: str) -> None:
    cleaner = Cleaner(method, headline=False)
    found = explain(page_html(2), cleaner)
    assert not found.explained and any("only hybrid and ngram" in note for note in found.notes)
    assert found.mask.tolist() == cleaner.keep(found.document).mask.tolist()
    assert all(why.base is None and not why.features for why in found.segments)
    assert str(found) and found.to_dict()["segments"]


def test_a_decision_of_ones_own() -> None:
    document = Cleaner().document(page_html(2))
    kept = Kept(np.arange(len(document)) % 2 == 0)
    found = explain(document, kept=kept)
    assert [why.kept for why in found.segments] == kept.mask.tolist() and not found.explained
    assert "<iframe sandbox" in found._repr_html_()
    with pytest.raises(ValueError, match="give both"):
        explain("<p>x", kept=kept)
    with pytest.raises(ValueError, match="give both"):
        explain(Cleaner().document("<p>x"), kept=kept)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"page": "<p>x", "cleaner": "hybrid"}, "cleaner must be"),
        ({"page": "<p>x", "gold": b"x"}, "gold must be"),
        ({"page": "<p>x", "kept": [True]}, "kept must be"),
        ({"page": None}, "None"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(TypeError, match=what):
        explain(**arguments)


@pytest.mark.parametrize("method", CLEANERS)
@pytest.mark.parametrize("page", ["", "<p></p>", "<title>x</title>"])
def test_a_page_without_segments(page: str, method: str) -> None:
    found = ncleaner.explain(page, CLEANERS[method])
    assert found.segments == () and found.to_dict()["segments"] == []
    assert "0 of 0 segments kept" in str(found)
    assert "no text" in found._repr_html_()


def test_data_for_programs() -> None:
    import json

    found = explain(page_html(3))
    whole, short = found.to_dict(), found.to_dict(3)
    assert json.loads(json.dumps(whole)) == whole
    first = whole["segments"][0]
    assert first["base"] + sum(
        part["bits"] for part in (*first["features"], *first["steps"])
    ) == pytest.approx(first["score"])
    assert max(len(segment["features"]) for segment in short["segments"]) == 3
    assert set(first) == set(short["segments"][0])


def test_the_words_that_are_named() -> None:
    found = explain("<html lang=en><p>Privacy policy privacy terms", CLEANERS["ngram"])
    said = said_of_segment(found.segments[0])
    assert (said.words and said.words[0].bits < 0 and str(said).startswith("against it")) or said.speaking_for


def test_of_many_segments_only_the_strong_features_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.lab.explaining.explain._MANY", 5)
    found = explain(page_html(3))
    check(found)
    assert {len(why.features) for why in found.segments} == {21}
    assert {why.features[-1].name for why in found.segments} == {"rest"}


def test_a_page_that_is_judged_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(structure._RULES, "most", 5)
    structure.shipped_structure.cache_clear()
    found = explain(page_html(3), Cleaner())
    structure.shipped_structure.cache_clear()
    assert not found.explained and any("judged in parts" in note for note in found.notes)
    assert all(why.score is not None and why.base is None for why in found.segments)
