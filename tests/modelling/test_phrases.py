from __future__ import annotations

import numpy as np
import pytest

from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.modelling._terms import drop_phrases, phrase_hashes


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


def test_phrases_that_their_score_does_not_save() -> None:
    tables = dump_text("About us\n\nIt was a grey morning.\n\nLog in\n\nAbout us\n\nAbout us\n").tables
    known = np.array(sorted({hash_of("About us"), hash_of("Log in")}), np.uint32)
    # in nats; the scores are bits
    losses = np.where(known == hash_of("Log in"), 2, 5).astype(np.float32)
    scores = np.array([7.3, -9, 2.8, 7.1, 9])
    mask = np.array([True, True, True, True, False])
    drop_phrases(tables, mask, scores, 0, known[:0], losses[:0])
    drop_phrases(tables, mask[:], scores, -10, known, losses)
    assert mask.tolist() == [True, True, True, True, False]
    drop_phrases(tables, mask, scores, 0, known, losses)
    assert mask.tolist() == [True, False, False, False, False]
    for wrong in (
        (mask[:3], scores, known, losses),
        (mask, scores[:2], known, losses),
        (mask, scores, known, losses[:1]),
    ):
        with pytest.raises(ValueError, match="differ"):
            drop_phrases(tables, wrong[0], wrong[1], 0, wrong[2], wrong[3])
