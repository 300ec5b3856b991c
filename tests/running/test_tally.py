from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.cli.progress import run_summary
from ncleaner.document.kept import LEFT_OUT, NOTICE, Kept, Remarks
from ncleaner.dumping.html import dump_html
from ncleaner.page import Damage, Page, Skip
from ncleaner.running.tally import LENGTHS, SHARES, TIMES, Tally


def test_counts_add_up() -> None:
    total = Tally()
    for number in range(3):
        part = Tally(inputs=1)
        page = Page(b"<p>one two<p>three", offset=number)
        part.add_page(page, dump_html(page.body), Kept(np.array([number > 0, False])), 0.1)
        part.add_item(Skip("record type request"))
        part.add_item(Skip("too large", "http://x.example/", "a.warc", 7, lost=True))
        part.add_item(Damage("clipped", "a.warc", 1234))
        total += part
    assert (total.inputs, total.pages, total.cleaned, total.empty, total.bytes) == (3, 6, 2, 1, 54)
    assert (total.segments_kept, total.segments_removed, total.words_kept, total.words_removed) == (
        2,
        4,
        4,
        5,
    )
    assert (total.skipped["record type request"], total.lost["too large"], total.damaged) == (3, 3, 3)
    assert not total.complete
    assert Tally().complete
    summary = run_summary(total)
    assert "6 pages read: 2 cleaned, 1 empty, 3 given up (too large: 3)" in summary
    assert "3 records skipped (record type request: 3)" in summary
    assert "3 places of damage" in summary and "Download truncated archives again" in summary


def test_an_input_that_is_missing_or_empty_is_no_truncated_one() -> None:
    total = Tally()
    total.add_item(Damage("No such file or directory", "a.warc", unread=True))
    assert "1 input could not be read, or not to the end" in run_summary(total)
    assert "damage" not in run_summary(total)
    total.add_item(Damage("empty", "b.warc", 0, whole=True))
    assert "1 input has nothing to clean" in run_summary(total) and "damage" not in run_summary(total)


def test_pages_left_out_are_not_among_the_empty_ones() -> None:
    total = Tally(
        pages=9, cleaned=2, empty=7, left_out=Counter(foreign=1, doubtful=2, duplicate=1, reserved=1)
    )
    assert "9 pages read: 2 cleaned, 2 empty, 5 left out, 0 given up" in run_summary(total)


def test_pages_that_another_method_cleaned_are_told_once() -> None:
    total = Tally()
    for instead in ("everything", "", "everything"):
        part = Tally()
        kept = Kept(np.array([True]), remarks=Remarks(fallback=instead))
        part.add_page(Page(b""), dump_html("<p>one"), kept, 0.1)
        total += part
    assert total.fallbacks == {"everything": 2}
    said = [line for line in run_summary(total).splitlines() if "no structure" in line]
    assert said == ["2 pages are plain text, which has no structure: cleaned by the method everything"]
    assert "no structure" not in run_summary(Tally())


def test_notices_are_counted_beside_empty_pages() -> None:
    total = Tally()
    for keeps, share in ((False, 0.9), (False, 0.4), (True, 0.9)):
        part = Tally()
        part.add_page(Page(b""), dump_html("<p>one"), Kept(np.array([keeps]), kinds={NOTICE: share}), 0.1)
        total += part
    # one is kept, as with `--notices`
    assert (total.cleaned, total.empty, total.notices) == (1, 2, 1)
    assert "1 empty page is only a notice" in run_summary(total)
    assert "notice" not in run_summary(Tally(pages=1, empty=1))
    assert Tally.of_record(total.record()).notices == 1


def test_estimated_qualities_are_counted_and_pages_left_out_for_them() -> None:
    total = Tally()
    for quality in (0.0, 0.449, 0.95, 1.0, None):
        part = Tally()
        kept = Kept(np.array([quality != 0.449]), quality=quality).remarked(
            left_out="doubtful" if quality == 0.449 else ""
        )
        part.add_page(Page(b""), dump_html("<p>one"), kept, 0.1)
        total += part
    assert total.record()["qualities"] == {"0": 1, "40": 1, "90": 2}
    assert (total.cleaned, total.empty, total.left_out) == (4, 1, {"doubtful": 1})
    assert "1 page is left out for low estimated quality" in run_summary(total)
    assert Tally.of_record(total.record()).left_out == {"doubtful": 1}
    part = Tally()
    part.add_page(Page(b""), dump_html("<p>one"), Kept(np.array([False])).remarked(left_out="reserved"), 0.1)
    assert (part.empty, part.left_out, part.notices) == (1, {"reserved": 1}, 0)
    assert "1 page is left out for opting out" in run_summary(part)
    kept = Kept(np.array([False]), remarks=Remarks(language="en", left_out="foreign"))
    part.add_page(Page(b""), dump_html("<p>one"), kept, 0.1)
    assert (part.empty, part.left_out["foreign"], part.languages["en"]) == (2, 1, 1)
    assert "1 page is left out for being in another language" in run_summary(part)


def test_notes_say_what_and_where() -> None:
    tally = Tally()
    tally.add_item(Skip("too large", "http://x.example/", "a.warc", 12345, lost=True))
    tally.add_item(Damage("a record is clipped", "b.warc.gz"))
    tally.add_item(Damage("cannot read on", "c.warc", unread=True))
    assert [note.event for note in tally.notes] == ["page_given_up", "damage", "unread"]
    assert [str(note) for note in tally.notes] == [
        "a.warc at byte 12,345: page given up: too large (http://x.example/)",
        "b.warc.gz: a record is clipped",
        "c.warc: cannot read on",
    ]
    assert (tally.damaged, tally.unread) == (2, 1)


def test_what_is_carried_along_is_bounded() -> None:
    total = Tally()
    for number in range(1000):
        tally = Tally()
        tally.add_item(Damage("broken", "x", number))
        tally.add_quarantined("killed its worker", "killed", Page(b"", offset=number))
        for kind in "ab":
            tally.add_item(Skip(f"media type {kind}/{number}"))
        total += tally
    tally = Tally()
    for number in range(1000):
        tally.add_item(Damage("broken", "x", number))
    assert len(tally.notes) == 100
    assert (total.damaged, len(total.damages), len(total.quarantined)) == (1000, 100, 100)
    # media types are whatever a server says
    assert (total.skipped.total(), total.skipped["others"]) == (2000, 1000)


def test_the_slowest_pages_are_known() -> None:
    kept = Kept(np.array([True]))
    total = Tally()
    for number in range(30):
        tally = Tally()
        tally.add_page(
            Page(b"", f"http://x.example/{number}", offset=number), dump_html("<p>x"), kept, number % 20
        )
        total += tally
    assert [(seconds, offset) for seconds, offset, _ in total.slowest] == [
        (19, 19), (18, 18), (17, 17), (16, 16), (15, 15)
    ]  # fmt: skip
    assert total.record()["slowest"][0] == {"seconds": 19, "offset": 19, "url": "http://x.example/19"}


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1000)), max_size=20))
def test_distributions_count_every_page_once(pages: list[tuple[int, int, float]]) -> None:
    total = Tally()
    for kept, removed, seconds in pages:
        part = Tally()
        document = dump_html("<p>" + "one " * kept + "<p>" + "two " * removed)
        mask = np.array([str(segment).startswith("one") for segment in document], bool)
        part.add_page(Page(b""), document, Kept(mask), seconds)
        total += part
    assert total.lengths.total() == total.times.total() == len(pages)
    assert total.shares.total() == sum(kept + removed > 0 for kept, removed, _ in pages)
    assert total.shares["100"] == sum(kept > 0 and not removed for kept, removed, _ in pages)
    assert total.shares["0"] == sum(removed > 0 and not kept for kept, removed, _ in pages)
    # a bin holds what is between its name and the next one
    for name, bins, values in (
        ("lengths", LENGTHS, [kept for kept, _, _ in pages]),
        ("times", TIMES, [1000 * seconds for *_, seconds in pages]),
        ("shares", SHARES, [100 * kept / (kept + removed) for kept, removed, _ in pages if kept + removed]),
    ):
        counter = getattr(total, name)
        assert set(counter) <= set(bins)
        for low, high in zip(bins, (*bins[1:], "inf"), strict=True):
            inside = sum(float(low) <= value < float(high) for value in values)
            # of shares, 0 and 100 are bins of their own: there is something between 0 and 1, too
            if name != "shares" or float(low) > 1:
                assert counter[low] == inside, (name, low)
    assert Tally.of_record(total.record()).record() == total.record()
    assert list(total.record()["times"]) == sorted(total.record()["times"], key=float)


def test_a_distribution_with_a_bin_that_is_no_number_is_not_read() -> None:
    record = {**Tally().record(), "times": {"soon": 1}}
    with pytest.raises(ValueError):
        Tally.of_record(record)


def test_kinds_of_pages_are_counted() -> None:
    tally = Tally()
    kept = Kept(np.array([True]), kinds={"article": 0.7, "forum": 0.3})
    tally.add_page(Page(b""), dump_html("<p>one"), kept, 0.1)
    assert tally.record()["kinds"] == {"article": 1}


@pytest.mark.parametrize("reason", LEFT_OUT)
def test_each_reason_for_leaving_a_page_out_is_counted_and_said(reason: str) -> None:
    tally = Tally()
    kept = Kept(np.array([False])).remarked(left_out=reason, duplicate_of="http://a.example/")
    tally.add_page(Page(b""), dump_html("<p>one"), kept, 0.1)
    assert Tally.of_record(tally.record()).left_out == {reason: 1}
    assert f"1 page is left out for {LEFT_OUT[reason].sentence}" in run_summary(tally)


def test_an_empty_page_that_repeats_another_is_left_out_only_on_request() -> None:
    tally = Tally()
    kept = Kept(np.array([False])).remarked(duplicate_of="http://a.example/")
    tally.add_page(Page(b""), dump_html("<p>one"), kept, 0.1)
    assert (tally.empty, tally.duplicates, tally.left_out) == (1, 1, {})
