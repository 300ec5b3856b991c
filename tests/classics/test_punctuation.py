from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.classics.punctuation import count_capitals, count_ends, phrase_marks, sentences_in
from ncleaner.text.words import is_final


def sentences_of(text: str) -> list[tuple[int, int]]:
    found = sentences_in(text, np.zeros(1, np.int64), np.full(1, len(text)))
    return list(zip(found.begins.tolist(), found.ends.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three", ["One.", "Two!", "Three"]),
        ("He said “No.” Then he left.", ["He said “No.”", "Then he left."]),
        ("Version 3.5 is out.", ["Version 3.5 is out."]),
        ("天下雨了。他没来！", ["天下雨了。", "他没来！"]),
        ("  Wait… What?!  ", ["Wait…", "What?!"]),
        ("Τι; Ναι.", ["Τι; Ναι."]),
        ("... Two", ["...", "Two"]),
        ("! One", ["! One"]),
        ("是。 . No", ["是。", ". No"]),
        ("End.\t\n  Next", ["End.", "Next"]),
        ("", []),
        ("   ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert [text[begin:end].strip() for begin, end in sentences_of(text)] == parts


@given(st.text(alphabet="ab.!? 。…\n\"'", max_size=60))
def test_every_character_is_in_one_sentence_or_between(text: str) -> None:
    at = 0
    for begin, end in sentences_of(text):
        assert at <= begin < end and not text[at:begin].strip()
        at = end
    assert not text[at:].strip()


@given(st.lists(st.text(alphabet="ab.!? 。…\t\"'", max_size=20), max_size=6))
def test_sentences_of_a_dump_are_those_of_its_segments(texts: list[str]) -> None:
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64) - 1
    starts = ends - np.array([len(text) for text in texts], np.int64)
    dump = "".join(f"{text}\n" for text in texts)
    found = sentences_in(dump, starts, ends)
    spans = [
        (begin + start, end + start, row)
        for row, (text, start) in enumerate(zip(texts, starts.tolist(), strict=True))
        for begin, end in sentences_of(text)
    ]
    assert list(zip(*(column.tolist() for column in found[:3]), strict=True)) == spans
    assert found.final.tolist() == [is_final(dump[begin:end]) for begin, end, _ in spans]


def test_marks_without_end_take_linear_time() -> None:
    assert sentences_of("." * 300_000 + "x") == [(0, 300_001)]
    assert len(sentences_of(".)" * 150_000 + "x")) == 1


@given(st.lists(st.text(alphabet="aA Éé,Жж漢İ𐐀\n", max_size=12).map(str.strip), max_size=5))
def test_capitals(texts: list[str]) -> None:
    assert counts(count_capitals, *texts) == [
        sum(word[0].isupper() for word in text.split()) for text in texts
    ]


def counts(counted: object, *texts: str) -> list[int]:
    data = "".join(f"{text}\n" for text in texts).encode()
    sizes = [len(text.encode()) + 1 for text in texts]
    ends = np.cumsum(sizes).astype(np.uint32) - np.uint32(1)
    starts = ends - np.array(sizes, np.uint32) + np.uint32(1)
    found: list[int] = counted(data, starts, ends).tolist()  # type: ignore[operator]
    return found


def test_counts_of_marks() -> None:
    assert counts(count_ends, "One. Two!", "3.5", "没来。好！", "") == [2, 0, 2, 0]
    assert counts(phrase_marks, "First, second; third: 12:30, 3.5.", "他来了，好。", "e.g") == [5, 2, 0]
    assert count_ends(b"", np.zeros(0, np.uint32), np.zeros(0, np.uint32)).tolist() == []


@given(st.lists(st.text(alphabet="ab.!? 。，é", max_size=12), max_size=5))
def test_counts_are_those_of_each_text_alone(texts: list[str]) -> None:
    assert counts(count_ends, *texts) == [counts(count_ends, text)[0] for text in texts]
