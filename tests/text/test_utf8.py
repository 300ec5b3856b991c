"""The test for valid UTF-8 compared with Python's decoder, in text longer than the blocks that it takes at once."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.text._letters import examine, valid_length

TEXTS = [
    "The ferry, 20° ☂, leaves at five. ",
    "Το πλοίο δεν πηγαίνει μέχρι τον Μάιο. ",
    "Паром не ходит до конца мая. ",
    "渡轮五月底停航。フェリー",
    "\U0001f6a2\U0001f30a\u2068é\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff",
    "ÃÂâ€ Ã© â€™ Å“ é\u2122",
]
# where a character begins or goes on wrongly, and the letters behind which the limits are others
ODD = b"\x00A\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xc3\xdf\xe0\xe2\xed\xef\xf0\xf4\xf5\xff"
# UTF-8 encoded twice: see `examine`
SIGN = re.compile(rb"\xc3(?=[\x82\x83\xa2](?:\xc2|\xe2|\xc5|\xc6|\xcb))")
OTHER = re.compile(rb"\xc3(?=[\x84-\xa1\xa3-\xb4](?:\xc2|\xe2|\xc5|\xc6|\xcb))")


def check(data: bytes) -> None:
    try:
        data.decode()
        length = len(data)
    except UnicodeDecodeError as error:
        length = error.start
    assert valid_length(data) == length
    if length == len(data):
        assert examine(data) == (length, len(SIGN.findall(data)), len(OTHER.findall(data)))


@given(
    st.lists(st.tuples(st.sampled_from(TEXTS), st.integers(0, 60), st.integers(0, 60)), max_size=8),
    st.lists(st.tuples(st.integers(0, 1000), st.sampled_from(ODD)), max_size=3),
)
def test_any_bytes_in_texts(pieces: list[tuple[str, int, int]], changes: list[tuple[int, int]]) -> None:
    data = bytearray("".join((text * 3)[start : start + size] for text, start, size in pieces).encode())
    for place, byte in changes:
        if data:
            data[place % len(data)] = byte
    check(bytes(data))


@pytest.mark.parametrize("text", TEXTS)
def test_every_byte_at_every_place(text: str) -> None:
    data = (text * 6).encode()[:160]
    for place in range(len(data)):
        for byte in ODD:
            check(data[:place] + bytes([byte]) + data[place + 1 :])
        check(data[:place])


@pytest.mark.untraced
def test_two_wrong_bytes_after_each_other() -> None:
    whole = "".join(TEXTS).encode() * 2
    chosen = random.Random(0)
    for _ in range(5000):
        place = chosen.randrange(len(whole) - 2)
        check(whole[:place] + bytes(chosen.choices(ODD, k=2)) + whole[place + 2 :])
