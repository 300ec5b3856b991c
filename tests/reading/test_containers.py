"""Archives in ZIP files: WACZ as Webrecorder makes it, as other programs make it, and damaged."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from pathlib import Path

import pytest

from ncleaner.page import Damage, Page, Skip
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


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return out.getvalue()


both_ways = pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])


@both_ways
def test_packages_of_packages(tmp_path: Path, compression: int) -> None:
    inner = zipped({"c.zip": wacz(TEN[6:9]), "none.zip": zipped({"a.html": html(1)})}, compression)
    files = {
        "datapackage.json": b"{}",
        "a.wacz": wacz(TEN[:4]),
        "b.wacz": deflated_wacz(TEN[4:6]),
        "c.zip": inner,
    }
    data = zipped({**files, "d.warc": TEN[9]}, compression)
    found = items(data, name="crawls.wacz")
    assert [page.url for page in pages(found)] == [url(i) for i in range(10)]
    assert not damage(found)
    if compression == zipfile.ZIP_STORED:
        path = write(tmp_path / "crawls.wacz", data)
        pages_there = [page for page in read(path) if isinstance(page, Page)]
        for page in (*pages_there[:4], *pages_there[6:]):
            assert (record := reread_record(page)) is not None and record.url == page.url


@both_ways
def test_a_broken_package_costs_no_neighbour(compression: int) -> None:
    files = {"a.wacz": wacz(TEN[:4])[:-40], "b.wacz": b"", "c.wacz": wacz(TEN[4:8]), "d.warc": TEN[8]}
    found = items(zipped(files, compression), name="crawls.wacz")
    assert [page.url for page in pages(found)] == [url(i) for i in range(9)]
    assert "the directory of the ZIP file cannot be read" in damage(found)


def test_packages_that_hold_no_archive() -> None:
    data = zipped({"a.zip": zipped({"a.html": html(1)})})
    assert skips(items(data, name="a.zip")) == ["not text (ZIP, as are docx, odt and epub)"]
    for _ in range(5):
        data = zipped({"a.zip": data})
    assert skips(items(data, name="a.zip")) == ["not text (ZIP, as are docx, odt and epub)"]


@pytest.mark.slow
@pytest.mark.traced
def test_packages_that_are_bombs() -> None:
    """One that is unpacked to gigabytes, and one whose files are all in the same place, at three depths."""
    huge = io.BytesIO()
    with (
        zipfile.ZipFile(huge, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("a.wacz", "w", force_zip64=True) as one,
    ):
        for _ in range(100):
            one.write(bytes(1 << 20))
    found = damage(items(huge.getvalue() + b"", name="crawls.wacz"))
    assert (
        found[-1]
        == "a.wacz in the ZIP file cannot be read (it has more than 64 times its bytes when it is unpacked)"
    )
    data = wacz(TEN)
    for _ in range(3):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            file.writestr("a.wacz", data)
            file.filelist *= 500
        data = out.getvalue()
    with_all = items(data, name="crawls.wacz")
    assert len(pages(with_all)) <= 10 * 8
    assert damage(with_all)[-1] == "a.wacz in the ZIP file cannot be read (its place is wrong)"


URL = "https://example.org/harbour/" + "ferry-" * 20 + "timetable?line=2"
TEXT = "Die Fähre fährt im Winter nur an den ungeraden Tagen über den Fluß."


def saved(charset: str = "utf-8", encoding: str = "quoted-printable", first: str = "") -> bytes:
    """A page with a picture and a frame, as Chromium saves it."""
    message = MIMEMultipart("related", boundary="----part")
    for number, words in enumerate((TEXT, "A frame with an advert.")):
        part = EmailMessage()
        part.set_content(f"<!doctype html><p>{words}", subtype="html", charset=charset, cte=encoding)
        part["Content-Location"] = URL if not number else "cid:frame-1@mhtml.blink"
        message.attach(part)
        if not number:
            picture = EmailMessage()
            picture.set_content(b"\x89PNG\r\n\x1a\n\0\0\0", "image", "png")
            message.attach(picture)
    head = f"From: <Saved by Blink>\r\nSnapshot-Content-Location: {URL}\r\nSubject: Ferries\r\n"
    return (first or head).encode() + message.as_bytes()


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [("utf-8", "quoted-printable"), ("windows-1252", "base64"), ("iso-8859-1", "8bit")],
)
def test_the_page_is_read(charset: str, encoding: str) -> None:
    [page] = pages(items(saved(charset, encoding), name="-"))
    assert (page.url, page.source, page.kind, page.offset) == (URL, "-", "html", -1)
    assert charset in page.content_type
    assert page.body.decode(charset).strip() == f"<!doctype html><p>{TEXT}"


def test_the_name_of_a_file_tells_its_format(tmp_path: Path) -> None:
    write(tmp_path / "older.mht", saved(first="X-Saved-By: a browser\r\n"))
    write(tmp_path / "page.mhtml.gz", gzip.compress(saved()))
    found = find_inputs([tmp_path])
    assert [item.stem for item in found] == ["older", "page"]
    assert [page.url for item in found for page in read(item.path) if isinstance(page, Page)] == [URL] * 2


PLAIN = f"Lieber Ben,\n\n{TEXT}\n"
FROM = b"From ana@example.org Mon Mar 11 10:00:00 2024\n"


def mail(
    encoding: str = "quoted-printable", charset: str = "utf-8", markup: str = "", plain: str = PLAIN
) -> bytes:
    message = EmailMessage()
    message["Received"] = "from quay.example.org by mail.example.org, " * 3
    message["From"] = "Ana <ana@example.org>"
    message.set_content(plain, charset=charset, cte=encoding)
    if markup:
        message.add_alternative(markup, subtype="html", cte=encoding)
    return message.as_bytes()


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize("markup", ["", f"<html><body><p>{TEXT}</html>"])
def test_the_text_of_a_message_is_decoded(encoding: str, charset: str, markup: str) -> None:
    one = mail(encoding, charset, markup)
    # a message, and a mailbox in which the first one needs no decoding
    [page] = pages(items(one, name="ferry.eml"))
    plain, boxed = pages(items(FROM + mail("8bit", plain="Later.\n") + b"\n" + FROM + one + b"\n", name="-"))
    assert plain.body.startswith(b"Received: ") and plain.body.endswith(b"Later.\n\n")
    for each in (page, boxed):
        assert (each.kind, each.body.decode(charset).strip()) == (
            "text",
            PLAIN.strip(),
        ) and charset in each.content_type


def test_a_message_of_html_alone() -> None:
    message = mail(markup=f"<p>{TEXT}", plain="\n")
    for name in ("-", "mail.txt"):
        [page] = pages(items(message, name=name))
        assert (page.kind, page.body.decode().strip()) == ("html", f"<p>{TEXT}")


def test_a_message_without_text_is_as_it_was() -> None:
    message = EmailMessage()
    message["Message-ID"] = "<1@example.org>"
    message.add_attachment("A list of ferries.", filename="list.txt")
    [page] = pages(items(message.as_bytes(), name="-"))
    assert (page.kind, page.body) == ("text", message.as_bytes())


@pytest.mark.untraced
@pytest.mark.slow
@pytest.mark.traced
def test_parts_within_parts() -> None:
    """Python's parser of mail calls itself for each."""
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(5000))
    assert len(pages(items(b"MIME-Version: 1.0\n" + deep, name="-"))) == 1
    assert skips(items(deep, name="page.mhtml")) == ["no page in the MHTML file"]


def test_fields_alone_are_no_mail() -> None:
    [page] = pages(items(b"Title: Ferries\nDate: Monday\nTags: sea\n<html><p>They sail.", name="-"))
    assert page.kind == "html"


@pytest.mark.parametrize(
    "data", [b"From: <Saved by Blink>\r\n", b"just words", saved().replace(b"html", b"calendar")]
)
def test_files_without_a_page(data: bytes) -> None:
    [item] = items(data, name="page.mhtml")
    assert isinstance(item, Skip) and item.lost
    assert item.reason == "no page in the MHTML file" and item.advice


def test_a_picture_in_place_of_the_page() -> None:
    data = saved(encoding="base64").replace(b"text/html", b"image/svg", 1).replace(b"image/png", b"text/html")
    assert skips(items(data, name="page.mht")) == ["not text (PNG image)"]


def test_a_file_that_is_cut() -> None:
    data = saved()
    for cut in range(data.index(b"=C3") + 30, len(data) - 6, 7):
        found = items(data[:cut], name="page.mhtml")
        [page] = pages(found)
        assert page.body.startswith(b"<!doctype html><p>Die F")
        assert damage(found) == ["message cut short: its last boundary is missing"]
    one = mail(markup=f"<p>{TEXT}")
    for message in (one[:-9], FROM + b"\n" + FROM + one[:-9]):
        found = items(message, name="ferry.eml")
        assert "message cut short: its last boundary is missing" in damage(found)
        assert PLAIN.encode() in pages(found)[-1].body


def test_a_page_in_broken_base64() -> None:
    data = saved(encoding="base64")
    start, end = data.index(b"PCFk") + 4, data.index(b"4K") + 2
    for broken in (data[:start] + b"\xff*" + data[start:], data[:end] + b"x" + data[end:]):
        found = items(broken, name="page.mhtml")
        [page] = pages(found)
        assert TEXT.encode() in page.body
        assert damage(found) == ["broken base64 in the message"]
