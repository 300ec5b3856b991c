"""Pages that browsers save as MHTML."""

from __future__ import annotations

import gzip
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from pathlib import Path

import pytest

from ncleaner.page import Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import find_inputs

from ..archives import items, pages, skips, write

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


def test_mail_is_text() -> None:
    [page] = pages(items(saved(first="From: Ana <ana@example.org>\r\n"), name="mail.txt"))
    assert page.kind == "text"


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
    [page] = pages(items(data[: data.index(b"=C3") + 30], name="page.mhtml"))
    assert page.body.startswith(b"<!doctype html><p>Die F")
