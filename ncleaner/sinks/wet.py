"""WET: a WARC archive of clean text, as Common Crawl's, one gzip member a record."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from io import BytesIO
from re import Match
from urllib.parse import quote

import regex
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import Need, SinkOptions, Writable
from ncleaner.sinks.metadata import captured, made_id
from ncleaner.sinks.text import kept_text
from ncleaner.text.codes import iso_639_3

__all__ = ["WetSink"]

# The standard wants a date in every record. This one is valid, the same in every run, and before the Web: it
# cannot be taken for that of a capture, as the time of the cleaning could.
_NO_DATE = "1970-01-01T00:00:00Z"
# Readers bound a record's header, some at 32 KiB.
_VALUE_BYTES = 8_000
# What would end a header line, be lost at its ends, or have no UTF-8 form; a URI has none of it.
_FOREIGN = regex.compile(r"[\p{Cc}\p{Cs}\p{Z}<>\ufeff]")


class _Writer(WARCWriter):  # type: ignore[misc]
    """warcio's writer. The text is the whole block, so that a digest of the block is one of the text."""

    NO_PAYLOAD_DIGEST_TYPES = (*WARCWriter.NO_PAYLOAD_DIGEST_TYPES, "conversion")


class WetSink:
    """A `conversion` record for each page with clean text, after a `warcinfo` record.

    Record ids are made of the ids of the original records, so that they are the same in every run. A page
    without a date gets 1970, one without a URL its record's id for one: the standard demands both. The
    language is the one that was found, whether a model was chosen for it or not. URLs
    and ids of more than 8,000 bytes are cut.
    """

    suffix = ".warc.wet.gz"
    needs: frozenset[Need] = frozenset({"language"})

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        pass

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """A record; none for a page that nothing is left of."""
        text = kept_text(document, kept)
        if not text:
            return b""
        date = captured(page.date)
        own = f"urn:uuid:{made_id(page, text)}"
        headers = [
            ("WARC-Type", "conversion"),
            ("WARC-Target-URI", _value(page.url) or own),
            ("WARC-Date", _NO_DATE if date is None else f"{date.replace(tzinfo=None).isoformat()}Z"),
            ("WARC-Record-ID", f"<{own}>"),
        ]
        original = _value(page.record_id)
        if original:
            headers.append(("WARC-Refers-To", f"<{original}>"))
        language = iso_639_3(kept.remarks.language)
        if language:
            headers.append(("WARC-Identified-Content-Language", language))
        return _record("conversion", headers, text, "text/plain")

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """An archive, which begins with its `warcinfo` record even if it has no other."""
        archive = _Archive(out)
        yield archive
        archive.finish()


def _value(text: str) -> str:
    """A header's value: what it cannot have is written with percent signs, as in URIs, and it is cut where it
    is longer than readers take."""

    def quoted(found: Match[str]) -> str:
        return quote(found[0].encode("utf-8", "surrogatepass"), safe="")

    value: str = _FOREIGN.sub(quoted, text[:_VALUE_BYTES])
    return value.encode()[:_VALUE_BYTES].decode("utf-8", "ignore")


def _record(kind: str, headers: list[tuple[str, str]], block: bytes, content_type: str) -> bytes:
    out = BytesIO()
    writer = _Writer(out, gzip=True)
    writer.write_record(
        writer.create_warc_record(
            "",
            kind,
            payload=BytesIO(block),
            length=len(block),
            warc_content_type=content_type,
            warc_headers=StatusAndHeaders("", headers, protocol=writer.warc_version),
        )
    )
    return out.getvalue()


def _warcinfo(date: str, following: str) -> bytes:
    """The record that an archive begins with: of the date of the next one, and with an id made of its id."""
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Date", date),
        ("WARC-Record-ID", f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'warcinfo:{following}')}>"),
    ]
    fields = {
        "software": f"ncleaner/{version('ncleaner')}",
        "format": "WARC File Format 1.0",
        "description": "clean text of web pages",
    }
    block = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return _record("warcinfo", headers, block.encode(), "application/warc-fields")


class _Archive:
    """Records behind a `warcinfo` record, which has to wait for the first."""

    def __init__(self, out: Writable) -> None:
        self._out = out
        self._begun = False

    def write(self, data: bytes) -> None:
        """Takes whole records."""
        if not data:
            return
        if not self._begun:
            first = next(ArchiveIterator(BytesIO(data))).rec_headers
            self._begin(first.get_header("WARC-Date"), first.get_header("WARC-Record-ID"))
        self._out.write(data)

    def finish(self) -> None:
        """An archive without records is still one."""
        if not self._begun:
            self._begin(_NO_DATE, "")

    def _begin(self, date: str, following: str) -> None:
        self._out.write(_warcinfo(date, following))
        self._begun = True
