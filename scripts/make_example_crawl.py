#!/usr/bin/env python3
"""Pack the pages of `examples/pages` into `examples/crawl.warc.gz`, laid out as Common Crawl does it.

Every page of `examples/manifest.jsonl` becomes a request, a response and a metadata record. Between them
stand records that a cleaner has to skip: an image and a page that was not found. One response is stored
with Content-Encoding gzip and one in chunks, because crawlers keep what the server sent.

The archive depends on nothing but the pages: dates come from the manifest, record ids from names.

    python scripts/make_example_crawl.py            # write the archive
    python scripts/make_example_crawl.py --check    # exit 1 when it is not what the pages give
"""

from __future__ import annotations

import argparse
import gzip
import json
import struct
import sys
import uuid
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
ARCHIVE = "crawl.warc.gz"

GZIPPED = "slow-gears-blog"
CHUNKED = "kettle-product"

# 1 × 1 pixel, transparent.
_IMAGE = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c000000000100010000020144003b")
_NOT_FOUND = b"""<!DOCTYPE html>
<html lang="en"><head><title>Page not found | The Harbour Gazette</title></head>
<body><h1>404</h1><p>We cannot find that page. It may have sailed with the late boat.</p></body></html>
"""


@dataclass(frozen=True, slots=True)
class Capture:
    """One answer of a server: the body as it was served, before any transfer or content encoding."""

    name: str
    url: str
    date: str
    status: str
    content_type: str
    body: bytes
    charset: str = ""
    language: str = ""


def stored_gzip(data: bytes) -> bytes:
    """Return a gzip member in stored (uncompressed) blocks.

    How much a compressor saves is up to the zlib at hand, and the payload digest with it; stored blocks
    are the same everywhere.
    """
    starts = range(0, len(data), 0xFFFF) or range(1)
    blocks = []
    for start in starts:
        block = data[start : start + 0xFFFF]
        blocks.append(struct.pack("<BHH", start == starts[-1], len(block), len(block) ^ 0xFFFF) + block)
    header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    return header + b"".join(blocks) + struct.pack("<II", zlib.crc32(data), len(data))


def chunked(data: bytes, size: int = 3000) -> bytes:
    """Return `data` in HTTP/1.1 chunks of `size` bytes."""
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def captures(examples: Path) -> list[Capture]:
    """Read the pages in the manifest's order and put the two records to skip among them."""
    pages = []
    for line in (examples / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        pages.append(
            Capture(
                name=entry["id"],
                url=entry["url"],
                date=entry["date"],
                status=f"{entry['status']} OK",
                content_type=entry["content_type"],
                body=(examples / "pages" / f"{entry['id']}.html").read_bytes(),
                charset=entry["encoding"],
                language=entry["lang"],
            )
        )
    site = "https://harbour-gazette.example"
    image = Capture("image", f"{site}/img/pixel.gif", "2024-03-18T07:42:11Z", "200 OK", "image/gif", _IMAGE)
    lost = Capture("lost", f"{site}/2019/x", "2024-03-18T07:42:12Z", "404 Not Found", "text/html", _NOT_FOUND)
    return [pages[0], image, *pages[1:], lost]


def build(examples: Path) -> bytes:
    """Return the archive of the example pages."""
    return archive_of(captures(examples))


def archive_of(listed: list[Capture]) -> bytes:
    """Return an archive: warcinfo, then request, response and metadata of every capture."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="WARC/1.0")
    info = {
        "software": "ncleaner example crawl",
        "description": "Fictional pages written for ncleaner",
        "format": "WARC File Format 1.0",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.0/",
    }
    record = writer.create_warcinfo_record(ARCHIVE, info)
    record.rec_headers.replace_header("WARC-Record-ID", _record_id("warcinfo", ""))
    record.rec_headers.replace_header("WARC-Date", "2024-10-01T00:00:00Z")
    writer.write_record(record)
    for number, capture in enumerate(listed):
        _write_capture(writer, number, capture)
    return out.getvalue()


def _write_capture(writer: WARCWriter, number: int, capture: Capture) -> None:
    parts = urlsplit(capture.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    request = StatusAndHeaders(
        f"GET {target} HTTP/1.1",
        [("User-Agent", "example-crawler/1.0"), ("Accept-Encoding", "gzip"), ("Host", parts.netloc)],
        is_http_request=True,
    )
    body = capture.body
    headers = [("Server", "example"), ("Content-Type", capture.content_type)]
    if capture.name == GZIPPED:
        body = stored_gzip(body)
        headers.append(("Content-Encoding", "gzip"))
    if capture.name == CHUNKED:
        body = chunked(body)
        headers.append(("Transfer-Encoding", "chunked"))
    else:
        headers.append(("Content-Length", str(len(body))))
    response = StatusAndHeaders(capture.status, headers, protocol="HTTP/1.1")
    fields = f"fetchTimeMs: {80 + 7 * number}\r\n"
    if capture.charset:
        fields += f"charset-detected: {capture.charset}\r\nlanguage: {capture.language}\r\n"

    common = {"WARC-Date": capture.date, "WARC-Warcinfo-ID": _record_id("warcinfo", "")}
    response_id = _record_id("response", capture.url)
    address = {"WARC-IP-Address": f"192.0.2.{number + 1}"}
    for kind, extra, http, payload in (
        ("request", address, request, b""),
        ("response", address, response, body),
        ("metadata", {}, None, fields.encode()),
    ):
        named = {"WARC-Record-ID": _record_id(kind, capture.url), **common, **extra}
        if kind != "response":
            named["WARC-Concurrent-To"] = response_id
        writer.write_record(
            writer.create_warc_record(
                capture.url,
                kind,
                payload=BytesIO(payload),
                length=len(payload),
                warc_headers_dict=named,
                http_headers=http,
            )
        )


def _record_id(kind: str, url: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{kind} {url}')}>"


def is_current(archive: Path, expected: bytes) -> bool:
    """Compare two archives by what is in them: another zlib may compress the same records differently."""
    try:
        return gzip.decompress(archive.read_bytes()) == gzip.decompress(expected)
    except (OSError, EOFError, zlib.error):
        return False


def main(arguments: list[str] | None = None) -> int:
    """Write the archive, or check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 when the archive is outdated"
    )
    parser.add_argument("--examples", type=Path, default=EXAMPLES, help="directory of pages and manifest")
    options = parser.parse_args(arguments)
    archive: Path = options.examples / ARCHIVE
    data = build(options.examples)
    if not options.check:
        archive.write_bytes(data)
        print(f"{archive}: {len(data)} bytes")
        return 0
    if is_current(archive, data):
        return 0
    print(f"{archive} is not what the pages give: run {Path(__file__).name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
