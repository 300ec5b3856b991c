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
        (
            b'<?xml version="1.0"?>\n<!-- made > by hand -->\n<rss version="2.0"><channel>',
            "not a page (RSS feed)",
        ),
        (b'\xef\xbb\xbf<!DOCTYPE rss [ <!ENTITY n "x"> ]><RSS>', "not a page (RSS feed)"),
        ('<?xml version="1.0" encoding="utf-16"?><rss>'.encode("utf-16"), "not a page (RSS feed)"),
        (b'<rdf:RDF xmlns:rdf="x" xmlns="http://purl.org/rss/1.0/">', "not a page (RSS feed)"),
        (
            b'<?xml-stylesheet href="a"?><a:feed xmlns:a="http://www.w3.org/2005/Atom">',
            "not a page (Atom feed)",
        ),
        (b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">', "not a page (sitemap)"),
        (b" <!--" + b"long " * 1000 + b"--><sitemapindex>", "not a page (sitemap)"),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">', "not a page (SVG image)"),
        (b"<svg><defs/></svg><p>a page behind a picture", ""),
        (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x"><html><p>&lt;rss>', ""),
        (b"<feed><p>of another program", ""),
        (b"<!-- <rss> --><p>a page", ""),
        (b"<!--" * 500_000, ""),
        (b"<!-- --><" * 500_000, ""),
        (b"<!-- --> " * 500_000 + b"<p>", ""),
        (b"<!DOCTYPE [ " * 100_000, ""),
    ],
)
def test_binary(body: bytes, reason: str) -> None:
    found = binary(body)
    assert (found.reason if found else "") == reason


def test_declared_wide_text_is_no_binary() -> None:
    body = "尺寸、大小、规模".encode("utf-16-le")
    assert not binary(body, "text/html; charset=UTF-16")
