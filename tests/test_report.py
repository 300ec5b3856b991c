from __future__ import annotations

import numpy as np

from ncleaner.dump import dump_html
from ncleaner.methods import Kept
from ncleaner.page import Damage, Skip
from ncleaner.report import Tally


def test_counts_add_up() -> None:
    total = Tally()
    for number in range(3):
        part = Tally(inputs=1)
        part.add_page(dump_html("<p>one two<p>three"), Kept(np.array([number > 0, False])), 100)
        part.add_skip(Skip("record type request"))
        part.add_skip(Skip("too large", "http://x.example/", "a.warc", 7, lost=True))
        part.add_damage(Damage("clipped", "a.warc", 1234))
        total += part
    assert (total.inputs, total.pages, total.cleaned, total.empty, total.bytes) == (3, 6, 2, 1, 300)
    assert (total.segments_kept, total.segments_removed, total.words_kept, total.words_removed) == (
        2,
        4,
        4,
        5,
    )
    assert (total.skipped["record type request"], total.lost["too large"], total.damaged) == (3, 3, 3)
    assert not total.complete
    assert Tally().complete
    summary = total.summary()
    assert "6 pages read: 2 cleaned, 1 empty, 3 given up (too large: 3)" in summary
    assert "3 records skipped (record type request: 3)" in summary
    assert "3 places of damage" in summary


def test_pages_that_another_method_cleaned_are_told_once() -> None:
    total = Tally()
    for instead in ("ngram", "", "ngram"):
        part = Tally()
        part.add_page(dump_html("<p>one"), Kept(np.array([True]), instead=instead), 100)
        total += part
    assert total.instead == {"ngram": 2}
    said = [line for line in total.summary().splitlines() if "without structure" in line]
    assert said == ["2 pages are plain text, without structure: cleaned by the method ngram"]
    assert "without structure" not in Tally().summary()


def test_messages_say_what_and_where() -> None:
    tally = Tally()
    tally.add_skip(Skip("too large", "http://x.example/", "a.warc", 12345, lost=True))
    tally.add_damage(Damage("a record is clipped", "b.warc.gz"))
    assert tally.messages == [
        "a.warc at byte 12,345: page given up: too large (http://x.example/)",
        "b.warc.gz: a record is clipped",
    ]


def test_messages_are_bounded() -> None:
    tally = Tally()
    for number in range(1000):
        tally.add_damage(Damage("broken", "x", number))
    assert tally.damaged == 1000
    assert len(tally.messages) == 100
