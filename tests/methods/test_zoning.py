from __future__ import annotations

import numpy as np
import pytest

from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods.registry import entry_of
from ncleaner.methods.zoning import ZoneOptions

PROSE = (
    "The ferry was late, and nobody on the pier knew why, or would say so to those who had come early and "
    "stood there for more than an hour in the rain of this long, grey and very cold morning."
)
ARTICLE = dump_html(
    f"<title>Late again</title><nav>Menu</nav><h1>Late again</h1><p>{PROSE}</p><p>{PROSE}</p>"
    "<figure><figcaption>The pier</figcaption></figure><div id=comments><p>So it was.</p></div>"
)
TEXTS = [segment.text for segment in ARTICLE]


def kept(wanted: ZoneOptions, *texts: str, **kinds: float) -> list[str]:
    """The texts that are kept of those that a method keeps."""
    decision = Kept(np.array([text in texts for text in TEXTS]), kinds=kinds)
    return [text for text, stays in zip(TEXTS, wanted.applied(ARTICLE, decision).mask, strict=True) if stays]


@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        (ZoneOptions(), [PROSE, PROSE, "The pier", "So it was."]),
        (ZoneOptions(headline=True), ["Late again", PROSE, PROSE, "The pier", "So it was."]),
        (ZoneOptions(headline=False), [PROSE, PROSE, "The pier", "So it was."]),
        (ZoneOptions(comments=False), [PROSE, PROSE, "The pier"]),
        (ZoneOptions(captions=False), [PROSE, PROSE, "So it was."]),
        (ZoneOptions(True, False, False), ["Late again", PROSE, PROSE]),
    ],
)
def test_the_user_decides_about_zones(wanted: ZoneOptions, texts: list[str]) -> None:
    assert kept(wanted, PROSE, "The pier", "So it was.") == texts


def test_what_a_method_removes_stays_away() -> None:
    assert kept(ZoneOptions(), PROSE) == [PROSE, PROSE]
    assert kept(ZoneOptions(headline=False), "Late again", PROSE) == [PROSE, PROSE]


def test_a_page_without_clean_text_keeps_no_headline() -> None:
    assert kept(ZoneOptions(headline=True)) == []


def test_comments_that_are_the_page_stay() -> None:
    # by the kind of the page
    whole = [PROSE, PROSE, "So it was."]
    assert kept(ZoneOptions(comments=False), PROSE, "So it was.", forum=0.9) == whole
    assert kept(ZoneOptions(comments=False), PROSE, "So it was.", forum=0.1) == [PROSE, PROSE]
    assert kept(ZoneOptions(comments=False), PROSE, "So it was.", documentation=0.5) == whole
    # because hardly anything else is there
    assert kept(ZoneOptions(comments=False), "The pier", "So it was.") == ["The pier", "So it was."]


def test_what_the_user_says_counts_more_than_a_guess() -> None:
    # much text above the comments is an article, whatever the page looks like
    document = dump_html(
        f"<h1>Late again</h1>{f'<p>{PROSE}</p>' * 15}<div id=comments><p>So it was.</p></div>"
    )
    decision = Kept(np.ones(len(document), bool), kinds={"forum": 0.9})
    assert not ZoneOptions(comments=False).applied(document, decision).mask[-1]
    assert kept(ZoneOptions(comments=False, news=True), PROSE, "So it was.", forum=0.9) == [PROSE, PROSE]


@pytest.mark.parametrize(("method", "headline", "comments"), [("hybrid", True, False), ("bte", None, True)])
def test_what_methods_want_by_default(method: str, headline: bool | None, comments: bool) -> None:
    assert ZoneOptions.by_default(entry_of(method)) == ZoneOptions(headline=headline, comments=comments)


def test_plain_text_and_an_empty_page() -> None:
    for document in (dump_text("Comments\n\nNone."), dump_html("")):
        decision = Kept(np.ones(len(document), bool))
        np.testing.assert_array_equal(
            ZoneOptions(True, False, False).applied(document, decision).mask, decision.mask
        )
