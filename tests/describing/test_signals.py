"""Figures of pages."""

from __future__ import annotations

import pytest

from ncleaner import Cleaner
from ncleaner.describing.signals import FILTERS, SIGNALS, signals_of
from ncleaner.page import Page
from ncleaner.sinks.text import kept_text

PAGE = Page(
    url="https://a.example/",
    body=(
        b"<h1>Ferry</h1><p>The ferry will sail until the <a href=/>end of May</a>.</p><ul><li>one, two</ul>"
        b"<p>Nobody knew</p>"
    ),
)


def test_figures_of_what_is_kept() -> None:
    document, kept = Cleaner("everything").page(PAGE)
    text = kept_text(document, kept)
    found = signals_of(PAGE, document, kept, text)
    plain = signals_of(PAGE, document, kept, text, filters=False)
    assert plain.items() < found.items() and found.keys() - plain.keys() == set(FILTERS)
    assert found["real_words"] == 14 and found["punctuated_lines"] == 0.25
    assert plain == {
        "chars": 55,
        "words": 14,
        "segments": 4,
        "share_kept": 1.0,
        "mean_score": None,
        "link_density": round(8 / 55, 4),
        "list_share": round(7 / 55, 4),
        # a line without final punctuation is one, too
        "heading_share": round(15 / 55, 4),
        "final_share": 0.25,
        "words_a_segment": 3.5,
        "hash": found["hash"],
    }
    assert {*SIGNALS, "hash"} == set(found) and int(found["hash"], 16) < 2**63
    other = signals_of(PAGE, document, kept._replace(mask=~kept.mask), b"")
    assert other["chars"] == 0 and other["share_kept"] == 0 and other["link_density"] is None
    assert other["hash"] != found["hash"]


def test_scores_are_weighted_by_characters() -> None:
    document, kept = Cleaner().page(PAGE)
    assert kept.scores is not None
    found = signals_of(PAGE, document, kept._replace(mask=kept.scores > -99), b"")
    chars = document.segments["chars"]
    assert found["mean_score"] == pytest.approx((kept.scores * chars).sum() / chars.sum(), abs=1e-4)


def test_near_duplicates_share_a_band() -> None:
    pytest.importorskip("rensa", reason="rensa is not installed")
    document, kept = Cleaner("everything").page(PAGE)
    words = " ".join(f"word{number}" for number in range(200))
    one, alike, other = (
        set(signals_of(PAGE, document, kept, text.encode(), bands=True)["bands"])
        for text in (words, words + " more", words[::-1])
    )
    assert len(one) == 14 and one & alike and not one & other
