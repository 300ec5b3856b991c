"""Archives that are made for a measurement: of given pages, or of a part of another archive."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

__all__ = ["sampled", "write_pages", "write_wet"]

_DATE = "2024-05-01T10:00:00Z"


def _headers(number: int) -> dict[str, str]:
    return {"WARC-Date": _DATE, "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"}


def write_pages(target: Path, pages: Iterable[bytes]) -> int:
    """Writes a response for each page, each in a member of gzip; returns how many there are."""
    count = 0
    with target.open("wb") as output:
        writer = WARCWriter(output, gzip=True)
        for count, body in enumerate(pages, 1):
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    f"http://page{count}.example/",
                    "response",
                    payload=BytesIO(body),
                    length=len(body),
                    http_headers=http,
                    warc_headers_dict=_headers(count),
                )
            )
    return count


def write_wet(target: Path, texts: Iterable[bytes]) -> None:
    """Writes a conversion record for each text, not compressed."""
    with target.open("wb") as output:
        writer = WARCWriter(output, gzip=False)
        for number, text in enumerate(texts, 1):
            writer.write_record(
                writer.create_warc_record(
                    f"http://text{number}.example/",
                    "conversion",
                    payload=BytesIO(text),
                    length=len(text),
                    warc_content_type="text/plain",
                    warc_headers_dict=_headers(number),
                )
            )


def sampled(archive: Path, count: int, target: Path) -> int:
    """Copies as many responses as asked, at even distances; returns how many there are."""
    with archive.open("rb") as stream:
        total = sum(record.rec_type == "response" for record in ArchiveIterator(stream, no_record_parse=True))
    count = min(count, total)
    wanted = {i * total // count for i in range(count)}
    position = 0
    with archive.open("rb") as stream, target.open("wb") as output:
        writer = WARCWriter(output, gzip=True)
        for record in ArchiveIterator(stream, no_record_parse=True):
            if record.rec_type == "response":
                if position in wanted:
                    writer.write_record(record)
                position += 1
    return count
