"""WET: WARC archives with a record for the clean text of each page."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from io import BytesIO
from urllib.parse import quote

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.rows import derived_id, page_id
from ncleaner.sinks.sink import Sink, Writable, capture_time
from ncleaner.sinks.text import kept_text
from ncleaner.text.codes import iso_639_3

# The date of a record without one, since the standard requires a date. It is valid, the same in every run,
# and before the Web: unlike the time of the cleaning, it cannot be mistaken for the time of a capture.
NO_DATE = "1970-01-01T00:00:00Z"
# Longest value; readers bound a record's header, some to 32 KiB.
_VALUE_BYTES = 8_000
# Characters that would end a header line, be stripped from its ends, or have no UTF-8 form: controls, all
# separators of Unicode, surrogates, angle brackets and the byte order mark. A URI has none of them.
_FOREIGN = re.compile(
    "[\x00-\x20<>\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff\ufeff]"
)


class _Writer(WARCWriter):  # type: ignore[misc]
    """warcio's writer, without payload digests: they are those of the whole block."""

    NO_PAYLOAD_DIGEST_TYPES = (*WARCWriter.NO_PAYLOAD_DIGEST_TYPES, "conversion")


def write_record(kind: str, headers: list[tuple[str, str]], block: bytes, media_type: str) -> bytes:
    """Returns a WARC record as a gzip member."""
    out = BytesIO()
    writer = _Writer(out, gzip=True)
    writer.write_record(
        writer.create_warc_record(
            dict(headers).get("WARC-Target-URI", ""),
            kind,
            payload=BytesIO(block),
            length=len(block),
            warc_content_type=media_type,
            warc_headers=StatusAndHeaders("", headers, protocol=writer.warc_version),
        )
    )
    return out.getvalue()


class WetSink(Sink):
    """WET, like Common Crawl's: a `conversion` record for each page with text, after a `warcinfo` record.

    Each record is a gzip member. A page in an unknown language has no header for it.

    Record ids are derived from the ids of the original records, so that they are the same in every run. The
    standard requires a date and a URL: a page without a date gets 1970, a page without a URL the id of its
    record. URLs and ids of more than 8,000 bytes are cut.
    """

    suffix = ".warc.wet.gz"

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a record; empty for a page without clean text."""
        block = kept_text(document, kept)
        if not block:
            return b""
        date = capture_time(page.date)
        own = derived_id(page_id(page)).urn
        headers = [
            ("WARC-Type", "conversion"),
            ("WARC-Target-URI", _value(page.url) or own),
            ("WARC-Date", NO_DATE if date is None else f"{date.replace(tzinfo=None).isoformat()}Z"),
            ("WARC-Record-ID", f"<{own}>"),
        ]
        original = _value(page.record_id)
        if original:
            headers.append(("WARC-Refers-To", f"<{original}>"))
        language = iso_639_3(kept.remarks.language)
        if language:
            headers.append(("WARC-Identified-Content-Language", language))
        return write_record("conversion", headers, block, "text/plain")

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """Returns an archive, which has a `warcinfo` record even if it has no other."""
        archive = _Archive(out)
        yield archive
        archive.finish()


def _value(text: str) -> str:
    """Returns a header's value: forbidden characters are percent-encoded as in URIs, long values are cut."""

    def quoted(found: re.Match[str]) -> str:
        return quote(found[0].encode("utf-8", "surrogatepass"), safe="")

    value = _FOREIGN.sub(quoted, text[:_VALUE_BYTES])
    return value.encode()[:_VALUE_BYTES].decode("utf-8", "ignore")


class _Archive:
    """Writes a `warcinfo` record before the first record, on whose date and id it depends."""

    def __init__(self, out: Writable) -> None:
        self._out = out
        self._begun = False

    def write(self, data: bytes) -> None:
        """Writes complete records."""
        if not data:
            return
        if not self._begun:
            first = next(ArchiveIterator(BytesIO(data))).rec_headers
            self._begin(first.get_header("WARC-Date"), first.get_header("WARC-Record-ID"))
        self._out.write(data)

    def finish(self) -> None:
        """Writes the `warcinfo` record if the archive has no other."""
        if not self._begun:
            self._begin(NO_DATE, "")

    def _begin(self, date: str, following: str) -> None:
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
        self._out.write(write_record("warcinfo", headers, block.encode(), "application/warc-fields"))
        self._begun = True
