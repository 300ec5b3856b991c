"""HTTP header blocks, compared with what regular expressions say of the same bytes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncleaner.reading._warc import MAX_HEAD, split_head

FIELD = re.compile(
    rb"^(content-type|content-encoding|transfer-encoding)[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)",
    re.IGNORECASE | re.MULTILINE,
)
STATUS = re.compile(rb"(?:HTTP/\d\S*|ICY|HTTP)[ \t]+(\d{3})\b", re.IGNORECASE)
HEADER_LINE = re.compile(rb"[^\s:<>]{1,256}[ \t]*:|[ \t]")

Fields = tuple[int, str, str, str, int]


def expected(block: bytes) -> Fields | None:
    status = STATUS.match(block)
    if status is None:
        return None
    before, blank, _ = block[:MAX_HEAD].partition(b"\r\r")
    if blank and b"\n" not in before and block[len(before) + 2 :][:1] != b"\n":
        # the lines end with a carriage return
        block = block[:MAX_HEAD].replace(b"\r", b"\n")
    end = block.find(b"\r\n\r\n", 0, MAX_HEAD)
    after = end + 4
    other = block.find(b"\n\n", 0, end if end >= 0 else MAX_HEAD)
    if other >= 0:
        end, after = other, other + 2
    if end < 0 or block.find(b"\n<", 0, end) >= 0:
        end = after = ragged_end(block)
    fields = {b"content-type": "", b"content-encoding": "", b"transfer-encoding": ""}
    for match in FIELD.finditer(block, 0, end):
        lines = [line.strip() for line in match[2].strip().split(b"\n")]
        fields[match[1].lower()] = b" ".join(lines).partition(b"\r")[0].rstrip(b" \t").decode("latin-1")
    content_type, content_encoding, transfer_encoding = fields.values()
    return int(status[1]), content_type, content_encoding.lower(), transfer_encoding.lower(), after


def ragged_end(block: bytes) -> int:
    position = block.find(b"\n", 0, MAX_HEAD) + 1
    if not position:
        return min(len(block), MAX_HEAD)
    while position < len(block):
        line_end = block.find(b"\n", position, position + MAX_HEAD)
        line_end = len(block) if line_end < 0 else line_end + 1
        if not block[position:line_end].strip():
            return line_end
        if not HEADER_LINE.match(block, position, line_end):
            return position
        position = line_end
    return len(block)


def found(block: bytes) -> Fields | None:
    head = split_head(block)
    if head is None:
        return None
    return head.status, head.content_type, head.content_encoding, head.transfer_encoding, head.end


PIECES = st.sampled_from(
    [
        b"HTTP/1.1", b"HTTP", b"http/2", b"ICY", b"HTTP/", b" ", b"\t", b"200", b"404", b"2000", b"20x", b"x_", b"OK",
        b"\r\n", b"\n", b"\r", b"\r\r", b"\r\n ", b"\n\n", b"\r\n\r\n", b"\x0b", b"\xa0", b":", b"<", b">", b"<p>", b"Content-Type",
        b"content-encoding", b"Transfer-Encoding", b"Content-Length", b"text/html; charset=X\xe4", b"gzip", b"Chunked",
        b"a" * 256, b"a" * 257, b"",
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=1000)
@given(st.lists(PIECES, max_size=24), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n"]))
def test_a_head_is_what_regular_expressions_say(pieces: list[bytes], before: bytes) -> None:
    block = before + b"".join(pieces)
    assert found(block) == expected(block)


@pytest.mark.parametrize("size", [MAX_HEAD - 3, MAX_HEAD - 2, MAX_HEAD - 1, MAX_HEAD, MAX_HEAD + 1])
@pytest.mark.parametrize("line", [b"a: b\r\n", b"a: b\n", b"no field\n"])
@pytest.mark.parametrize("end", [b"\r\n\r\nbody", b"\n\nbody", b"\nbody", b""])
def test_a_head_is_bounded(size: int, line: bytes, end: bytes) -> None:
    start = b"HTTP/1.0 200 OK\r\n" + line + b"Content-Type: text/html"
    block = start + b"x" * (size - len(start) - len(end)) + end + b"\r\nmore: fields\r\n\r\n"
    assert found(block) == expected(block)
