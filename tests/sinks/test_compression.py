from __future__ import annotations

import gzip
import zlib
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncleaner.reading.archive import pages
from ncleaner.reading.inflating import zstandard
from ncleaner.sinks import compression
from ncleaner.sinks.compression import ordered
from ncleaner.sinks.formats import COMPRESSIONS, Output
from ncleaner.sinks.sink import Sink

from ..outputs import GROUPS, Pipe, rendered, written

zstd = zstandard()

BOTH = pytest.mark.parametrize("how", COMPRESSIONS)


def packed(name: str, how: str) -> Sink:
    return Output(format=name, compression=how).sink()


def members(data: bytes, how: str) -> list[bytes]:
    """What each member or frame holds."""
    found = []
    while data:
        stream = zlib.decompressobj(31) if how == "gz" else zstd.ZstdDecompressor()
        found.append(stream.decompress(data))
        assert stream.eof
        data = stream.unused_data
    return found


def unpacked(data: bytes, how: str) -> bytes:
    """By the readers that people use."""
    if how == "gz":
        return gzip.decompress(data)
    return bytes(zstd.decompress(data))


@BOTH
@pytest.mark.parametrize("name", ["text", "cleaneval", "jsonl", "vertical"])
def test_the_same_as_without(name: str, how: str) -> None:
    plain = Output(format=name).sink()
    parts = rendered(plain, 20)
    assert rendered(packed(name, how), 20) == parts
    assert unpacked(written(packed(name, how), parts, [3, 7]), how) == b"".join(parts)


@BOTH
def test_pieces_of_one_size(how: str) -> None:
    data = b"".join(b"%07d\n" % number for number in range(500_000))
    found = members(written(packed("text", how), [data]), how)
    assert b"".join(found) == data
    assert [len(piece) for piece in found] == [1 << 20] * 3 + [len(data) - (3 << 20)]


@BOTH
def test_a_last_piece_that_is_whole(how: str) -> None:
    assert [len(piece) for piece in members(written(packed("text", how), [bytes(2 << 20)]), how)] == [
        1 << 20
    ] * 2


@BOTH
def test_an_empty_stream_is_one(how: str) -> None:
    assert members(written(packed("text", how), [], [1, 1]), how) == [b""]


@pytest.mark.slow
@BOTH
@settings(max_examples=50)
@given(groups=GROUPS, piece=st.sampled_from([61, 1000]))
def test_the_bytes_do_not_depend_on_the_groups(how: str, groups: list[int], piece: int) -> None:
    sink = packed("jsonl", how)
    parts = rendered(sink, 12)
    with patch.object(compression, "_PIECE", piece):
        assert written(sink, parts, groups) == written(sink, parts)


def test_a_gzip_member_says_nothing_of_time_or_name() -> None:
    head = written(packed("text", "gz"), [b"x"])[:10]
    assert head[:8] == b"\x1f\x8b\x08\0\0\0\0\0"


@BOTH
def test_nothing_is_written_after_an_exception(how: str) -> None:
    out = Pipe()
    with pytest.raises(KeyboardInterrupt), packed("text", how).wrapped(out) as stream:
        stream.write(bytes(50 << 20))
        before = list(out.parts)
        raise KeyboardInterrupt
    assert out.parts == before


@BOTH
def test_outputs_are_inputs(how: str, tmp_path: Path) -> None:
    sink = packed("text", how)
    path = tmp_path / f"clean{sink.suffix}"
    parts = rendered(sink, 3)
    path.write_bytes(written(sink, parts))
    assert [page.body for page in pages(path)] == [b"".join(parts)]


def test_work_is_written_in_order_and_bounded() -> None:
    out = Pipe()
    with ordered(out, lambda data: data * 2, 4, 8) as work:
        for number in range(500):
            work.begin(b"%d " % number)
            assert number - len(out.parts) < 8
        work.finish()
    numbers = [int(part.split()[0]) for part in out.parts]
    assert len(numbers) == 500
    assert all(after == before + 1 for before, after in pairwise(numbers))


def test_what_the_work_raises_comes_through() -> None:
    def fail(data: bytes) -> bytes:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), ordered(Pipe(), fail, 1, 1) as work:
        work.begin(b"")
        work.finish()
