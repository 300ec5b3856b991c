"""Makes a WARC of a gold directory, shaped as Common Crawl's are, to measure and try the reader on.

    python scripts/make_warc.py GOLD_DIR OUT.warc.gz

GOLD_DIR holds `manifest.jsonl` (one object per page: id, url, lang, page_type) and `raw/ID.html`. The
archive begins with a warcinfo record; then come a request, a response and a metadata record per page, in
the order of the manifest, each a gzip member of its own. The same directory gives the same bytes: dates
are fixed and record ids follow from what they name. The HTTP Content-Type is `text/html` without a
charset, as on most servers, so that whoever reads the archive has to find the encoding.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from io import BytesIO
from pathlib import Path
from string import printable
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

DATE = "2024-05-01T10:00:00Z"
HTTP_DATE = "Wed, 01 May 2024 10:00:00 GMT"
SPACE = uuid.UUID("5d3c6f0e-5f0b-5d7e-9a4e-6f1d0c1b2a39")


def record_id(*parts: str) -> str:
    """Make a record id that is the same whenever the parts are."""
    return f"<urn:uuid:{uuid.uuid5(SPACE, ' '.join(parts))}>"


def write_page(writer: Any, name: str, entry: dict[str, Any], body: bytes) -> None:
    """Write the three records of one page."""
    # A WARC without a target URI is none; `.invalid` names no site by RFC 2606.
    url = quote(str(entry.get("url") or f"http://{name}.invalid/{entry['id']}"), safe=printable)
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    response_id = record_id("response", name, str(entry["id"]))
    request = StatusAndHeaders(
        f"GET {path} HTTP/1.1",
        [
            ("User-Agent", "ncleaner-sample/1.0"),
            ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            ("Accept-Encoding", "br,gzip"),
            ("Host", parts.netloc),
            ("Connection", "Keep-Alive"),
        ],
        is_http_request=True,
    )
    response = StatusAndHeaders(
        "200 OK",
        [
            ("Date", HTTP_DATE),
            ("Server", "nginx"),
            ("Content-Type", "text/html"),
            ("X-Crawler-Content-Encoding", "gzip"),
            ("Content-Length", str(len(body))),
        ],
        protocol="HTTP/1.1",
    )
    metadata = f"fetchTimeMs: 312\r\npage-type: {entry.get('page_type') or ''}\r\n".encode()
    for kind, http, payload, media in (
        ("request", request, b"", "application/http; msgtype=request"),
        ("response", response, body, "application/http; msgtype=response"),
        ("metadata", None, metadata, "application/warc-fields"),
    ):
        headers = {"WARC-Date": DATE, "WARC-Record-ID": record_id(kind, name, str(entry["id"]))}
        if kind == "response":
            headers["WARC-Identified-Payload-Type"] = "text/html"
        else:
            headers["WARC-Concurrent-To"] = response_id
        writer.write_record(
            writer.create_warc_record(
                url,
                kind,
                payload=BytesIO(payload),
                length=len(payload),
                warc_content_type=media,
                warc_headers_dict=headers,
                http_headers=http,
            )
        )


def write_archive(gold: Path, out: BinaryIO, name: str) -> int:
    """Write the archive of all pages that the manifest names; return how many there are."""
    # warcio's gzip members carry mtime 0, so nothing in the file depends on the clock.
    writer = WARCWriter(out, gzip=True)
    info = b"software: ncleaner make_warc\r\nformat: WARC File Format 1.0\r\n"
    writer.write_record(
        writer.create_warc_record(
            "",
            "warcinfo",
            payload=BytesIO(info),
            length=len(info),
            warc_content_type="application/warc-fields",
            warc_headers_dict={
                "WARC-Date": DATE,
                "WARC-Record-ID": record_id("warcinfo", name),
                "WARC-Filename": f"{name}.warc.gz",
            },
        )
    )
    count = 0
    with (gold / "manifest.jsonl").open(encoding="utf-8") as manifest:
        for line in manifest:
            if line.strip():
                entry = json.loads(line)
                write_page(writer, name, entry, (gold / "raw" / f"{entry['id']}.html").read_bytes())
                count += 1
    return count


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Make a WARC of a gold directory.")
    parser.add_argument("gold", type=Path, metavar="GOLD_DIR")
    parser.add_argument("out", type=Path, metavar="OUT.warc.gz")
    options = parser.parse_args()
    if not (options.gold / "manifest.jsonl").is_file():
        print(f"make_warc: no manifest.jsonl in {options.gold}", file=sys.stderr)
        return 2
    with options.out.open("wb") as out:
        count = write_archive(options.gold, out, options.gold.resolve().name)
    print(f"{options.out}: {count} pages", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
