"""Pages at addresses: archive, offset and length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncleaner
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading import addresses, archive
from ncleaner.reading.cells import Address
from ncleaner.storage.places import read_range

from ..archives import FILEDESC, PACKINGS, arc, frames, html, members, plain, url, warc, whole

FOUR = [warc(i) for i in range(4)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of archives, in which the test works."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.warc.gz").write_bytes(members([warc(i) for i in range(6)]))
    (tmp_path / "b.warc").write_bytes(plain([warc(i) for i in range(6, 9)]))
    (tmp_path / "c.warc.zst").write_bytes(frames([warc(i) for i in range(9, 12)]))
    (tmp_path / "d.arc.gz").write_bytes(members([FILEDESC, arc(12), arc(13)]))
    # records without members of their own, and a page that is a file
    (tmp_path / "e.warc.gz").write_bytes(whole([warc(i) for i in range(14, 17)]))
    (tmp_path / "f.html").write_bytes(html(17))
    return tmp_path


def table(rows: list[dict[str, Any]], name: str = "chosen.jsonl") -> str:
    Path(name).write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    return name


def read(rows: list[dict[str, Any]], **more: Any) -> list[Page | Skip | Damage]:
    return list(archive.read(table(rows), **more))


def test_rows_go_in_again(place: Path) -> None:
    rows: list[Any] = list(ncleaner.rows(place, ncleaner.Cleaner("everything"), all_pages=True))
    assert len(rows) == 18
    with_length = [row["length"] is not None for row in rows]
    assert with_length == 14 * [True] + 4 * [False]
    again = list(ncleaner.rows(table(rows[::-1]), ncleaner.Cleaner("everything"), all_pages=True))

    def key(row: Any) -> tuple[str, int]:
        return row["archive"], row["offset"] or 0

    assert sorted(again, key=key) == sorted(rows, key=key)
    # archives in the order of their first rows, and in each of them by offset
    assert [row["archive"] for row in again] == [
        row["archive"] for row in sorted(rows, key=key, reverse=True)
    ]


def test_each_packing_has_lengths_or_is_read_whole(tmp_path: Path) -> None:
    for name, packing in PACKINGS.items():
        path = tmp_path / ("x.wacz" if "wacz" in name else "x.warc")
        path.write_bytes(packing(FOUR))
        pages = [page for page in archive.read(path) if isinstance(page, Page)]
        asked = [Address(str(path), page.offset, page.length, page.url, ()) for page in pages]
        for each in asked:
            if each.length > 0:
                stored = read_range(str(path), each.offset, each.length)
                assert len(stored) == each.length
        found = list(addresses.pages_at(asked, Limits(), archive.read))
        if name == "nested":
            continue
        assert [page._replace(layout=None) for page in found if isinstance(page, Page)] == pages, name


def test_common_crawls_index(place: Path) -> None:
    pages = [page for page in archive.read("a.warc.gz") if isinstance(page, Page)]
    rows = [
        {
            "url_surtkey": "org,example)/", "url": page.url, "content_mime_type": "text/html", "label": page.offset,
            "warc_filename": "a.warc.gz", "warc_record_offset": page.offset, "warc_record_length": page.length,
        }
        for page in (pages[4], pages[1])
    ]  # fmt: skip
    found = read(rows, prefix=str(place), carry=[("label", int)])
    assert [(page.url, page.offset, page.carried) for page in found if isinstance(page, Page)] == [
        (page.url, page.offset, (("label", page.offset),)) for page in (pages[1], pages[4])
    ]
    assert {page.source for page in found} == {f"{place}/a.warc.gz"}


def test_addresses_that_are_wrong(place: Path) -> None:
    pages = [page for page in archive.read("a.warc.gz") if isinstance(page, Page)]
    first, second = pages[:2]
    size = (place / "a.warc.gz").stat().st_size

    def row(
        offset: object, length: object, of: str = first.url, name: str | None = "a.warc.gz"
    ) -> dict[str, Any]:
        return {"url": of, "archive": name, "offset": offset, "length": length}

    found = read(
        [
            row(first.offset, first.length),
            row(first.offset + 7, first.length),
            row(second.offset, second.length),
            row(size - 5, 100),
            row(size + 10**9, 100),
            row("x", 100),
            row(-3, 100),
            row(0, 10, name=None),
            row(second.offset, second.length // 2, second.url),
            row(0, 10, name="gone.warc"),
            row(0, 10, name="gone.warc"),
            row(5, None),
            row(0, 10**12),
        ]
    )
    assert [(item.reason, item.offset) for item in found if isinstance(item, Skip)] == [
        ("row without an address", 5),
        ("row without an address", 6),
        ("row without an address", 7),
        ("too large", 0),
        ("address where no record begins", first.offset + 7),
        ("address of the record of another URL", second.offset),
        # half of it
        ("address where no record begins", second.offset),
        ("address beyond the end of its archive", size - 5),
        ("address beyond the end of its archive", size + 10**9),
        ("address where no page begins", 5),
    ]
    damages = [item for item in found if isinstance(item, Damage)]
    assert [(item.source, item.unread) for item in damages] == [("gone.warc", True)]
    assert damages[0].what == "No such file or directory; 2 addresses in it"
    assert [page.url for page in found if isinstance(page, Page)] == [first.url]


def test_neighbours_come_with_one_request(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def counted(path: str, start: int, size: int) -> bytes:
        asked.append((start, size))
        return read_range(path, start, size)

    monkeypatch.setattr(addresses, "read_range", counted)
    pages = [page for page in archive.read("a.warc.gz") if isinstance(page, Page)]
    chosen = [Address("a.warc.gz", page.offset, page.length, page.url, ()) for page in pages[::2]]
    found = list(addresses.pages_at(chosen, Limits(), archive.read))
    assert [page.url for page in found] == [url(0), url(2), url(4)]
    assert asked == [(pages[0].offset, pages[4].offset + pages[4].length)]
    asked.clear()
    monkeypatch.setattr(addresses, "_GAP", 10)
    assert list(addresses.pages_at(chosen, Limits(), archive.read)) == found
    assert asked == [(page.offset, page.length) for page in pages[::2]]
    asked.clear()
    monkeypatch.setattr(addresses, "_GAP", 1 << 20)
    monkeypatch.setattr(addresses, "_MOST", pages[0].length)
    assert list(addresses.pages_at(chosen, Limits(), archive.read)) == found
    assert len(asked) == 3
