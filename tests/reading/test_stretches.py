"""Archives in stretches give the items of a sequential reading, whatever their bytes are."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage
from ncleaner.reading.archive import read
from ncleaner.reading.inflating import Codec
from ncleaner.reading.records import ArchiveKind
from ncleaner.reading.stretches import Layout, layout_of, open_stretch

from ..archives import (
    FILEDESC,
    Item,
    arc,
    frames,
    frames_with_dictionary,
    html,
    http,
    lz4_frames,
    members,
    plain,
    skippable,
    twice,
    warc,
    whole,
    write,
)

RECORDS = [warc(i % 10, http(html(i % 10, 40 * i))) for i in range(40)]
PACKED = {
    "a.warc.gz": members(RECORDS),
    "b.warc": plain(RECORDS),
    "c.warc.zst": frames(RECORDS),
    "d.warc.lz4": lz4_frames(RECORDS),
    "e.warc.zst": frames_with_dictionary(RECORDS),
    "f.warc.gz": whole(RECORDS),
    "g.arc": plain([FILEDESC, *(arc(i % 10) for i in range(30))]),
    "h.arc.gz": members([FILEDESC, *(arc(i % 10) for i in range(30))]),
    "i.warc.gz": members([b"".join(RECORDS[i : i + 3]) for i in range(0, 40, 3)]),
    # records that go on in a second member, and pages that are archives or look like them
    "j.warc.gz": members([*RECORDS[:9], RECORDS[9][:300], RECORDS[9][300:], *RECORDS[10:]]),
    "k.warc": plain([RECORDS[0], warc(1, http(b"<p>" + b"\n".join(RECORDS[:20]))), *RECORDS[20:]]),
    "l.warc.gz": members([RECORDS[0], warc(1, http(members(RECORDS[:20]))), *RECORDS[20:]]),
}
# level 0 stores what it compresses, so that members stand in the page as they are
PACKED["m.warc.gz"] = (
    members(RECORDS[:2]) + gzip.compress(warc(2, http(members(RECORDS[:30]))), 0) + members(RECORDS[3:])
)


def in_stretches(path: Path, step: int, limits: Limits = Limits()) -> tuple[list[Item], int]:
    """Reads as the engine does; returns the items, and the number of stretches that were read again."""
    layout = layout_of(str(path), "auto")
    assert layout is not None
    found: list[Item] = []
    reached = again = 0
    starts = range(0, path.stat().st_size, step)
    for start in starts:
        end = start + step if start != starts[-1] else -1
        if reached < 0 or 0 <= end <= reached:
            continue
        with open_stretch(str(path), layout, start, end, start == 0, limits=limits) as stretch:
            items = list(stretch)
        if stretch.began != reached:
            again += 1
            with open_stretch(str(path), layout, reached, end, True, limits=limits) as stretch:
                items = list(stretch)
        found += items
        reached = stretch.ended
        assert reached < 0 or reached >= end
    assert reached == -1
    return found or [Damage("empty", str(path), 0)], again


@pytest.mark.parametrize("step", [100, 1000, 7000, 10**6])
@pytest.mark.parametrize("name", PACKED)
def test_every_packing(name: str, step: int, tmp_path: Path) -> None:
    path = write(tmp_path / name, PACKED[name])
    items, again = in_stretches(path, step)
    assert items == list(read(path))
    if name in ("a.warc.gz", "b.warc", "c.warc.zst", "d.warc.lz4", "h.arc.gz", "i.warc.gz"):
        # where nothing begins in the last stretch, this is looked at again
        assert again <= 1


def test_false_beginnings_are_found_out(tmp_path: Path) -> None:
    for name in ("k.warc", "m.warc.gz"):
        path = write(tmp_path / name, PACKED[name])
        assert in_stretches(path, 1000)[1] > 0


def layout(data: bytes, name: str, folder: Path) -> Layout | None:
    return layout_of(str(write(folder / name, data)), "auto")


def unread(items: Iterable[Item]) -> list[str]:
    return [item.what for item in items if isinstance(item, Damage) and item.unread]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("name", PACKED)
def test_an_archive_that_becomes_shorter(name: str, share: float, tmp_path: Path) -> None:
    path = write(tmp_path / name, PACKED[name])
    size = path.stat().st_size
    found = layout_of(str(path), "auto")
    if found is None:
        pytest.skip("is not read in stretches")
    os.truncate(path, int(size * share))
    with open_stretch(str(path), found, 0, -1, True, limits=Limits()) as stretch:
        said = f"cannot read on: the file had {size:,} bytes, and has become shorter"
        (what,) = unread(stretch)
    assert what.startswith(said)


def test_an_archive_that_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", PACKED["a.warc.gz"])
    found = layout_of(str(path), "auto")
    assert found is not None
    write(tmp_path / "other", PACKED["a.warc.gz"] * 2).replace(path)
    with (
        pytest.raises(InputError, match="replaced by another file"),
        open_stretch(str(path), found, 0, -1, True, limits=Limits()),
    ):
        pass


@pytest.mark.untraced
@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("name", ["a.warc.gz", "b.warc", "c.warc.zst", "x.html"])
def test_a_file_that_becomes_shorter_while_it_is_read(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, PACKED.get(name, b"<p>A page.") * 500)
    items = read(path, on_read=lambda: os.truncate(path, path.stat().st_size // 2))
    assert len(unread(items)) == 1


@pytest.mark.parametrize(
    ("name", "kind", "codec"),
    [
        ("a.warc.gz", "warc", "gzip"), ("b.warc", "warc", "plain"), ("c.warc.zst", "warc", "zstd"),
        ("d.warc.lz4", "warc", "lz4"), ("g.arc", "arc", "plain"), ("h.arc.gz", "arc", "gzip"),
    ],
)  # fmt: skip
def test_layout(name: str, kind: ArchiveKind, codec: Codec, tmp_path: Path) -> None:
    found = layout(PACKED[name], name, tmp_path)
    assert found is not None and found[:3] == (kind, codec, len(PACKED[name]))


def test_what_cannot_be_read_in_stretches(tmp_path: Path) -> None:
    assert layout(twice(RECORDS), "a.warc.gz", tmp_path) is None
    stream = plain(RECORDS)
    blocks = members([stream[i : i + 1000] for i in range(0, len(stream), 1000)])
    assert layout(blocks, "b.warc.gz", tmp_path) is None
    assert layout(b"<p>A page.", "c.html", tmp_path) is None
    assert layout(b"A text.", "d.txt", tmp_path) is None
    assert layout(b"", "e.warc", tmp_path) is None
    assert layout_of(str(write(tmp_path / "f.warc.gz", PACKED["a.warc.gz"])), "html") is None


@pytest.mark.slow
@given(st.data())
def test_any_damage(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PACKED)))
    archive = bytearray(PACKED[name])
    inserts = [b"", b"\0", b"junk", b"\r\n\r\n", skippable(b"x" * 30), members([b""]), bytes(archive[:2000])]
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(archive)))
        insert = data.draw(st.sampled_from([*inserts, bytes(archive[at : at + 500])]))
        archive[at : at + data.draw(st.sampled_from([0, 1, 8, 100, 5000]))] = insert
    limits = Limits(bytes=data.draw(st.sampled_from([20_000_000, 600])))
    with TemporaryDirectory() as folder:
        path = write(Path(folder, name), bytes(archive))
        if layout_of(str(path), "auto") is None:
            return
        step = data.draw(st.sampled_from([300, 3000, len(archive) // 2 + 1]))
        assert in_stretches(path, step, limits)[0] == list(read(path, limits=limits))
