from __future__ import annotations

import re

from ncleaner.cli.parts import bars, curve, distribution, tiles


def test_bars_have_their_shares_and_a_rest() -> None:
    drawn = bars("By <name>", [(f"n{number}", 100 - number) for number in range(20)])
    assert "By &lt;name&gt;" in drawn
    assert drawn.count("<i style") == 13 and "8 others" in drawn
    assert 'style="width:100.0%"' in drawn
    assert bars("Nothing", []) == "" and bars("Nothing", [("a", 0)]) == ""


def test_one_bar_is_a_sentence() -> None:
    assert bars("Pages by language", [("en", 1200)]) == "<p>Pages by language: en 1,200, no other.</p>\n"


def test_a_small_share_is_not_nothing() -> None:
    assert "1 (&lt; 1 %)" in bars("x", [("a", 1000), ("b", 1)]).replace("(< 1 %)", "(&lt; 1 %)")


def test_a_distribution_has_a_bar_for_each_bin() -> None:
    drawn = distribution("Words", "about", [1, 0, 3], ["0", "1", "2"])
    assert drawn.count("<rect") == 3 and 'height="130.0"' in drawn and "2: 3 (75 %)" in drawn
    assert 'aria-label="Words. about"' in drawn
    # one bin says nothing
    assert distribution("Words", "about", [0, 4, 0], ["0", "1", "2"]) == ""


def test_the_names_of_many_bins_do_not_touch() -> None:
    drawn = distribution("Words", "", [1] * 40, [str(1 << n) for n in range(40)])
    assert drawn.count("<text") == 5
    drawn = distribution("Words", "", [1] * 15, [str(1 << n >> 1) for n in range(15)])
    assert drawn.count("<text") == 8


def test_a_curve_ends_at_its_last_point() -> None:
    drawn = curve("Pages", "", [(float(x), float(x)) for x in range(100_000)], ("first", "last"))
    path = re.findall(r'd="([^"]+)"', drawn)[0]
    assert path.startswith("M0.0,130.0") and path.endswith("H420.0V0.0")
    assert len(drawn) < 40_000
    assert curve("Pages", "", [(0, 0), (1, 5)], ("", "")) == ""
    assert curve("Pages", "", [(1, 0), (1, 5), (1, 6)], ("", "")) == ""


def test_tiles_escape_what_they_show() -> None:
    assert "&lt;b&gt;" in tiles([("<b>", "1")])
