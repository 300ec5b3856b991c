"""Archives in ZIP files: WACZ as Webrecorder makes it, as other programs make it, and damaged."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from ncleaner.page import Damage, Page
from ncleaner.reading.archive import read, reread_record
from ncleaner.reading.inputs import find_inputs

from ..archives import damage, deflated_wacz, html, items, members, pages, skips, url, wacz, warc, write

TEN = [warc(i) for i in range(10)]


def test_pages_have_offsets_in_the_zip_file(tmp_path: Path) -> None:
    path = write(tmp_path / "crawl.wacz", wacz(TEN))
    found = [item for item in read(path) if isinstance(item, Page)]
    assert [page.url for page in found] == [url(i) for i in range(10)]
    for number, page in enumerate(found):
        assert path.read_bytes()[page.offset :].startswith(members(TEN[number : number + 1]))
        record = reread_record(page)
        assert record is not None and record.url == page.url and record.block is not None
        assert record.block.endswith(page.body)


def test_a_compressed_archive_has_the_offset_of_its_file(tmp_path: Path) -> None:
    path = write(tmp_path / "crawl.wacz", deflated_wacz(TEN))
    found = [item for item in read(path) if isinstance(item, Page)]
    assert [page.offset for page in found] == [0] * 10
    assert reread_record(found[3]) is None


def test_directories_are_searched_for_it(tmp_path: Path) -> None:
    write(tmp_path / "crawl.wacz", wacz(TEN))
    [found] = find_inputs([tmp_path])
    assert found.relative == "crawl.wacz" and found.stem == "crawl"


def test_behind_other_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "behind.wacz", b"x" * 100 + wacz(TEN))
    with path.open("rb") as stream:
        stream.seek(100)
        assert len(pages(read(stream))) == 10


@pytest.mark.parametrize("cut", [1, 30, 600, 2500])
def test_without_its_directory(cut: int) -> None:
    data = wacz(TEN)[:-cut]
    found = items(data, name="crawl.wacz")
    assert damage(found)[0] == "the directory of the ZIP file cannot be read"
    whole = [page for page in pages(found) if page.body == html(int(page.url.rpartition("/")[2]))]
    assert len(whole) == sum(record in data for record in (members([one]) for one in TEN))


def test_a_zip_file_of_something_else() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("word/document.xml", "<html><p>No archive.")
    assert skips(items(out.getvalue(), name="report.docx")) == ["not text (ZIP, as are docx, odt and epub)"]
    assert skips(items(out.getvalue()[:-30], name="report.docx")) == [
        "not text (ZIP, as are docx, odt and epub)"
    ]


def test_an_encrypted_archive() -> None:
    data = bytearray(wacz(TEN))
    for signature, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = data.rindex(
            signature,
            0,
            data.rindex(b"archive/data-1.warc.gz", 0, data.rindex(signature) if at == 6 else None) + 1,
        )
        data[place + at] |= 1
    found = items(bytes(data), name="crawl.wacz")
    assert [page.url for page in pages(found)] == [url(i) for i in range(5)]
    assert "archive/data-1.warc.gz in the ZIP file cannot be read" in damage(found)[0]


def test_a_broken_archive_costs_no_neighbour() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(3):
            file.writestr(f"archive/{number}.warc", TEN[number] * 2)
    data = bytearray(out.getvalue())
    at = data.index(b"archive/1.warc") + 200
    data[at : at + 20] = b"\xff" * 20
    found = items(bytes(data), name="crawl.wacz")
    assert [page.url for page in pages(found) if page.body == html(int(page.url[-1]))].count(url(2)) == 2
    assert any("archive/1.warc in the ZIP file cannot be read" in what for what in damage(found))


def test_any_wrong_bytes() -> None:
    dice = random.Random(7)
    whole = [wacz(TEN), deflated_wacz(TEN)]
    for _ in range(300):
        data = bytearray(dice.choice(whole))
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(data)) if dice.random() < 0.5 else len(data) - dice.randrange(1, 500)
            data[at] = dice.randrange(256)
        assert any(isinstance(item, Page | Damage) for item in read(io.BytesIO(data), name="crawl.wacz"))
