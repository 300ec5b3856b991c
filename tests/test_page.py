from __future__ import annotations

import pytest

from ncleaner.page import binary


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", ""),
        (b"<html>\r\n\t\x0c\x1b$B text", ""),
        ("Größe, размер, 尺寸".encode(), ""),
        ("размер".encode("koi8-r") * 50, ""),
        ("尺寸".encode("gbk") * 50, ""),
        (b"<p>one stray \0 in a long page " + b"x" * 100, ""),
        ("<html><p>wide text".encode("utf-16"), ""),
        ("<html><p>wide text".encode("utf-16-le"), ""),
        ("<html><p>wide text".encode("utf-16-be"), ""),
        (b"\0" * 100, "not text"),
        (bytes(range(256)), "not text"),
        (b"GIF89a" + b"x" * 100, "not text (GIF image)"),
        (b"\xff\xd8\xff\xe0", "not text (JPEG image)"),
        (b"PK\x03\x04 text", "not text (ZIP, as are docx, odt and epub)"),
        (b"\x7fELF", "not text (program)"),
        (b"\x1f\x8b\x08", "not text (gzip)"),
        (b"%PDF-1.7\n", "not text (PDF)"),
    ],
)
def test_binary(body: bytes, reason: str) -> None:
    found = binary(body)
    assert (found.reason if found else "") == reason


def test_declared_wide_text_is_no_binary() -> None:
    body = "尺寸、大小、规模".encode("utf-16-le")
    assert not binary(body, "text/html; charset=UTF-16")
