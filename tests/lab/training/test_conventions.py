"""The conventions of a gold standard, by pages of our own."""

from __future__ import annotations

import pytest

from ncleaner.document.tables import ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.lab.training.conventions import ZoneUse, conventions_of
from ncleaner.lab.training.pairs import Pair

PROSE = (
    "The ferry between the two islands was late again this morning, and nobody on the pier knew why.",
    "Those who had come early stood there for an hour and talked about the weather and the harbour.",
)
COMMENT = "So it is every winter, and the harbour board never says a word about it."
CAPTION = "The old ferry at the pier"


def pair(number: int, gold: str, *, caption: bool = True, comment: bool = True, kind: str = "") -> Pair:
    """A page whose headline stands in its breadcrumb, too."""
    body = "".join(f"<p>{text}</p>" for text in PROSE)
    html = (
        f"<title>Boats: late again {number}</title><nav><a href=/>Home</a> <b>Boats: late again {number}</b></nav>"
        f"<article><h1>Boats: late again {number}</h1>{body}"
        + f"<figure><img src=f.png><figcaption>{CAPTION}</figcaption></figure>" * caption
        + "</article>"
        + f"<div class=comments><p>{COMMENT}</p></div>" * comment
    )
    return Pair(f"page{number}", dump_html(html), gold, f"s{number}.example", kind)


def gold(number: int, *parts: str, headline: bool = True) -> str:
    return "\n".join([f"Boats – late again {number}"] * headline + [*PROSE, *parts])


def test_each_zone_has_its_convention() -> None:
    pairs = [pair(number, gold(number, CAPTION, headline=number > 0)) for number in range(6)]
    found = conventions_of(pairs)
    assert list(found) == list(ZONES[1:])
    assert (found["headline"].pages, found["headline"].kept) == (6, 5)
    assert found["headline"].convention == "kept"
    assert found["caption"] == ZoneUse("caption", 6, 6)
    assert found["comment"] == ZoneUse("comment", 6, 0)
    assert found["comment"].convention == "left out"
    assert found["standfirst"] == ZoneUse("standfirst", 0, 0)
    assert found["standfirst"].share is None and found["standfirst"].convention == "unknown"


def test_zones_count_where_they_are() -> None:
    pairs = [pair(number, gold(number), comment=number < 2, caption=number < 5) for number in range(6)]
    found = conventions_of(pairs)
    assert (found["comment"].pages, found["comment"].convention) == (2, "unknown")
    assert (found["caption"].pages, found["caption"].convention) == (5, "left out")


def test_a_headline_is_looked_for_at_the_beginning_of_the_gold_text() -> None:
    late = [pair(number, "\n".join([*PROSE * 2, gold(number)])) for number in range(6)]
    assert conventions_of(late)["headline"].kept == 0
    dated = [pair(number, f"<p>Tuesday\n<h>{gold(number)}") for number in range(6)]
    assert conventions_of(dated)["headline"].kept == 6


def test_half_of_the_words_of_a_zone_are_enough() -> None:
    words = COMMENT.split()
    for share, kept in ((0.6, 6), (0.4, 0)):
        part = " ".join(words[: round(share * len(words))])
        assert (
            conventions_of([pair(number, gold(number, part)) for number in range(6)])["comment"].kept == kept
        )


def test_pages_that_say_nothing_do_not_count() -> None:
    forums = [pair(number, gold(number), kind="forum") for number in range(6)]
    assert conventions_of(forums)["comment"].pages == 0
    assert conventions_of(forums)["caption"].pages == 6
    empty = [pair(number, "") for number in range(6)]
    foreign = [
        pair(number, "A page of another site with quite other words in each of its lines.")
        for number in range(6)
    ]
    for pairs in (empty, foreign, []):
        assert all(use.pages == 0 for use in conventions_of(pairs).values())


@pytest.mark.parametrize(
    ("pages", "kept", "convention"),
    [
        (4, 4, "unknown"),
        (5, 5, "kept"),
        (6, 4, "kept"),
        (6, 3, "mixed"),
        (6, 2, "left out"),
        (5, 0, "left out"),
    ],
)
def test_a_convention_holds_on_two_thirds(pages: int, kept: int, convention: str) -> None:
    use = ZoneUse("headline", pages, kept)
    assert use.convention == convention
    assert use.to_dict() == {"pages": pages, "kept": kept, "share": kept / pages, "convention": convention}
