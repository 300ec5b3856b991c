from __future__ import annotations

import pytest

from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.modelling._terms import phrase_hashes


def hash_of(text: str) -> int:
    (found,) = phrase_hashes(dump_html(f"<pre>{text}</pre>").tables).tolist()
    return int(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Advertisement", "ADVERTISEMENT"),
        ("7 Likes", "1,204 likes:"),
        ("Read more", "read more »"),
        ("РЕКЛАМА", "Реклама"),
        ("Διαφήμιση.", "διαφήμιση"),
        ("广告", "【广告】"),
        ("Share|Tweet", "share  tweet"),
    ],
)
def test_case_numbers_and_signs_make_no_difference(one: str, other: str) -> None:
    assert hash_of(one) == hash_of(other) > 0


def test_other_words_are_another_phrase() -> None:
    texts = [
        "Advertisement",
        "Advertisements",
        "Read more",
        "more Read",
        "7 likes",
        "seven likes",
        "广告",
        "7",
    ]
    assert len({hash_of(text) for text in texts}) == len(texts)


@pytest.mark.parametrize("text", ["***", "—", "one two three four five six seven eight", "a-b-c-d-e-f-g-h"])
def test_what_is_no_phrase(text: str) -> None:
    assert hash_of(text) == 0


def test_one_place_for_each_segment() -> None:
    assert phrase_hashes(dump_html("").tables).shape == (0,)
    document = dump_text(
        "Advertisement\n\nIt was a long, grey and very cold morning on the pier.\n\nAdvertisement\n"
    )
    first, second, third = phrase_hashes(document.tables).tolist()
    assert first == third > 0 == second
