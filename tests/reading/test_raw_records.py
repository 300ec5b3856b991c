from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.page import Damage
from ncleaner.reading.archive import read_stored
from ncleaner.reading.raw_records import filedesc

from ..archives import (
    FILEDESC,
    PACKINGS,
    Pipe,
    arc,
    arc2,
    frames,
    html,
    http,
    members,
    skippable,
    twice,
    warc,
    whole,
    write,
)

Stored = tuple[str, str, str, int, bytes]


def stored(data: bytes, folder: Path | None = None, name: str = "x.warc.gz") -> list[Stored | str]:
    """What is found: (kind, type, codec, offset, bytes) of records, and texts of damage. Files are read with the
    fast reader where that is possible, streams never, which must make no difference."""
    ways: list[list[Stored | str]] = []
    sources: list[object] = [io.BytesIO(data), Pipe(data), Pipe(data, 61)]
    if folder is not None:
        sources.append(write(folder / name, data))
    for source in sources:
        way: list[Stored | str] = []
        for item in read_stored(source):  # type: ignore[arg-type]
            if isinstance(item, Damage):
                way.append(item.what)
                continue
            block = item.data.read()
            assert len(block) == item.size
            way.append((item.kind, item.type, item.codec, item.offset, block))
        ways.append(way)
    assert all(way == ways[0] for way in ways)
    return ways[0]


def blocks(found: list[Stored | str]) -> list[bytes]:
    assert not [item for item in found if isinstance(item, str)]
    return [item[4] for item in found if not isinstance(item, str)]


RECORDS = [
    warc(0, b"software: test\r\n", kind="warcinfo", target=None, content_type="application/warc-fields"),
    *(warc(i, http(html(i, 4 if i % 7 else 400))) for i in range(1, 90)),
    warc(90, b"GET / HTTP/1.1\r\n\r\n", kind="request", content_type="application/http; msgtype=request"),
    warc(91, b"", kind="revisit"),
]


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_packing(packing: str, tmp_path: Path) -> None:
    found = stored(PACKINGS[packing](RECORDS), tmp_path)
    if packing in ("members", "twice", "wacz"):
        assert blocks(found) == [gzip.compress(record, mtime=0) for record in RECORDS]
    elif packing in ("frames", "lz4_frames"):
        assert b"".join(blocks(found)) == PACKINGS[packing](RECORDS)
    else:
        assert blocks(found) == RECORDS


@pytest.mark.parametrize("packing", PACKINGS)
def test_arc(packing: str, tmp_path: Path) -> None:
    records = [FILEDESC, *(arc(i) for i in range(8)), arc2(8)]
    found = stored(PACKINGS[packing](records), tmp_path, "x.arc.gz")
    assert b"".join(blocks(found)) == (
        members(records) if packing in ("twice", "wacz") else PACKINGS[packing](records)
        if packing in ("members", "frames", "lz4_frames") else b"".join(records)
    )  # fmt: skip
    assert {item[0] for item in found} == {"arc"}


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 4)), min_size=1, max_size=30),
    st.sampled_from([members, frames]),
)
def test_members_with_any_number_of_records(
    tmp_path_factory: pytest.TempPathFactory, groups: list[tuple[int, int]], pack: object
) -> None:
    number = 0
    data = b""
    expected: list[bytes] = []
    for size, count in groups:
        records = [warc(number + i, http(html(number + i, size // 100))) for i in range(count)]
        number += count
        member = pack([b"".join(records)])  # type: ignore[operator]
        data += member
        expected += [member] if count == 1 else records
    assert blocks(stored(data, tmp_path_factory.mktemp("members"))) == expected


def test_records_that_go_on_in_a_second_member(tmp_path: Path) -> None:
    """Whoever reads on finds whole members again after it."""
    one, two, three = warc(1, http(html(1, 300))), warc(2), warc(3)
    data = members([one[:500], one[500:] + two, three, warc(4)])
    assert blocks(stored(members([warc(0)]) + data, tmp_path)) == [
        *(gzip.compress(warc(0), mtime=0),),
        one,
        two,
        gzip.compress(three, mtime=0),
        gzip.compress(warc(4), mtime=0),
    ]


def test_white_space_and_padding(tmp_path: Path) -> None:
    records = [warc(i) for i in range(5)]
    packed = [
        gzip.compress(b"\r\n\r\n" + records[0], mtime=0),
        gzip.compress(records[1] + b"\r\n" * 100, mtime=0),
    ]
    found = stored(b"".join(packed) + members(records[2:]) + bytes(10), tmp_path)
    # a member that ends in much white space is made anew
    assert blocks(found) == [
        packed[0],
        records[1],
        *(gzip.compress(record, mtime=0) for record in records[2:]),
    ]


def test_skippable_frames_are_no_records() -> None:
    data = frames([warc(0)]) + skippable(b"index") + frames([warc(1)])
    assert b"".join(blocks(stored(data))) == frames([warc(0), warc(1)])


DEFECTS: dict[str, Callable[[bytes, int], bytes]] = {
    "a byte in a member": lambda m, at: m[:at] + bytes([m[at] ^ 4]) + m[at + 1 :],
    "a checksum": lambda m, _: m[:-7] + bytes([m[-7] ^ 1]) + m[-6:],
    "a length": lambda m, _: m[:-1] + bytes([m[-1] ^ 1]),
    "no end": lambda m, at: m[:at],
    "no trailer": lambda m, _: m[:-8],
}


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("position", [0, 40, 88, 89])
def test_a_broken_member_is_left_out_and_its_neighbours_are_not(
    defect: str, position: int, tmp_path: Path
) -> None:
    whole_members = [gzip.compress(warc(i, http(html(i, 50))), mtime=0) for i in range(90)]
    broken = list(whole_members)
    broken[position] = DEFECTS[defect](broken[position], len(broken[position]) // 2)
    found = stored(b"".join(broken), tmp_path)
    assert [item[4] for item in found if not isinstance(item, str)] == [
        member for i, member in enumerate(whole_members) if i != position
    ]
    damage = [item for item in found if isinstance(item, str)]
    assert damage
    assert f"{len(broken[position]):,} bytes are left out" in damage[-1]


@pytest.mark.parametrize("pack", [members, whole, b"".join])
@pytest.mark.parametrize("by", [-30, 30, 5000])
def test_a_wrong_length(pack: object, by: int, tmp_path: Path) -> None:
    records = [warc(i) for i in range(90)]
    block = http(html(40))
    records[40] = warc(40, block, length=len(block) + by)
    found = stored(pack(records), tmp_path, "x.warc" if pack == b"".join else "x.warc.gz")  # type: ignore[operator]
    kept = [item[4] for item in found if not isinstance(item, str)]
    expected = records[:40] + records[41:]
    assert kept == ([gzip.compress(record, mtime=0) for record in expected] if pack is members else expected)
    assert any(isinstance(item, str) for item in found)


def test_what_is_no_archive(tmp_path: Path) -> None:
    assert stored(b"", tmp_path) == ["empty"]
    assert stored(b"<html><p>A page", tmp_path, "x.html") == ["neither a WARC nor an ARC; it is left out"]
    assert stored(gzip.compress(b"some text"), tmp_path, "x.txt.gz") == [
        "neither a WARC nor an ARC; it is left out"
    ]


@given(st.integers(0, 2**32))
def test_damage_never_raises_and_loses_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    dice = random.Random(seed)
    records = [warc(i, http(html(i, dice.randrange(30)))) for i in range(20)]
    packing = dice.choice(list(PACKINGS.values()))
    data = bytearray(packing(records))
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(data))
        if dice.random() < 0.5:
            data[at] ^= 1 << dice.randrange(8)
        else:
            del data[at : at + dice.randrange(1, 60)]
    path = write(tmp_path_factory.mktemp("damage") / "x.warc", bytes(data))
    found = [item if isinstance(item, Damage) else item.data.read() for item in read_stored(path)]
    if packing in (members, twice):
        # the checksum of a member is not over its header, so compare what is in it
        blocks = [item for item in found if isinstance(item, bytes)]
        assert {gzip.decompress(block) if block[:2] == b"\x1f\x8b" else block for block in blocks} <= set(
            records
        )


@pytest.mark.slow
@pytest.mark.traced
def test_long_records_are_held_in_files(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(9 << 20)
    records = [warc(0), warc(1, http(noise)), warc(2), *(warc(i) for i in range(3, 8))]
    for pack in (members, whole, b"".join):
        path = write(tmp_path / "x.warc", pack(records))
        found = []
        for item in read_stored(path, tmp_path):
            assert not isinstance(item, Damage)
            found.append(item.data.read())
        assert b"".join(found) == (members(records) if pack is members else b"".join(records))


@pytest.mark.parametrize(("record", "version"), [(arc(1), b"1"), (arc2(1), b"2")])
def test_filedesc(record: bytes, version: bytes) -> None:
    first = filedesc("example.org.arc.gz", record)
    head, _, block = first.partition(b"\n")
    assert head.startswith(b"filedesc://example.org.arc.gz 0.0.0.0 20010203040506 text/plain ")
    assert int(head.split()[-1]) == len(block) - 1
    assert block.startswith(version + b" 0 ")
    assert blocks(stored(first + record)) == [first, record]
