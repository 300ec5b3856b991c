"""Documents as bytes, with what is known of their pages.

A stored document is a line that names the format, a line of JSON about the page, and a Zstandard frame with a
line of JSON about the Document and its tables (`_stored`). Whoever reads an archive of them needs the first
two lines only.
"""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import NamedTuple

import numpy as np
import zstandard

from ncleaner.document._stored import pack, unpack
from ncleaner.document.tables import Document, Fact, Sources
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import STORED_LINE, Page
from ncleaner.versions import DOCUMENTS

__all__ = ["Stored", "restored", "stored"]

# Level 6 takes twice the time for 3 per cent fewer bytes.
_LEVEL = 4
# Bytes of a document for each byte of the largest page: one of nothing but short elements has 9.
_MOST_BYTES = 16


class Stored(NamedTuple):
    """A Document from a file.

    Attributes:
        document: as it was dumped.
        has_marks: whether it was dumped with marks.
    """

    document: Document
    has_marks: bool


def stored(page: Page, document: Document, has_marks: bool) -> bytes:
    """Returns a document with its page as bytes.

    Args:
        page: of which the document is the dump.
        document: without what a survey knows of its site.
        has_marks: whether it was dumped with marks.
    """
    place = {
        "url": page.url,
        "date": page.date,
        "record_id": page.record_id,
        "offset": page.offset,
        "rights": page.rights,
        "layout": None if page.layout is None else astuple(page.layout),
    }
    sources = document.sources
    about = {
        "version": DOCUMENTS,
        "title": document.title,
        "lang": document.lang,
        "encoding": document.encoding,
        "dropped_tags": document.dropped_tags,
        "has_state": document.has_state,
        "has_marks": has_marks,
        "facts": document.facts,
        "sources": sources and [sources.starts.tolist(), sources.ends.tolist(), sources.selectors],
    }
    packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(
        b"%b\n%b" % (json.dumps(about).encode(), pack(document.tables))
    )
    return b"%b%b\n%b" % (STORED_LINE, json.dumps(place).encode(), packed)


def restored(block: bytes, limits: Limits = Limits()) -> Stored:
    """Returns the document of a block that `stored` has made.

    Raises:
        InputError: the block is damaged, too large, or by another version of ncleaner.
    """
    try:
        packed = block.split(b"\n", 2)[2]
        if zstandard.frame_content_size(packed) > _MOST_BYTES * limits.bytes:
            raise InputError("the stored document exceeds the limit of bytes (--max-bytes)")
        line, _, tables = zstandard.ZstdDecompressor().decompress(packed).partition(b"\n")
        about = json.loads(line)
        if about["version"] != DOCUMENTS:
            raise InputError(
                f"the stored document has format {about['version']}, and this version of ncleaner reads "
                f"{DOCUMENTS}: store the pages again"
            )
        facts, sources = about["facts"], about["sources"]
        document = Document(
            unpack(tables),
            title=about["title"],
            lang=about["lang"],
            encoding=about["encoding"],
            dropped_tags=about["dropped_tags"],
            facts=None if facts is None else tuple(Fact(*each) for each in facts),
            has_state=about["has_state"],
            sources=None if sources is None else _sources(*sources),
        )
        return Stored(document, about["has_marks"])
    except (IndexError, KeyError, TypeError, ValueError, zstandard.ZstdError):
        raise InputError("the stored document is damaged") from None


def _sources(starts: list[int], ends: list[int], selectors: list[str]) -> Sources:
    return Sources(np.array(starts, np.int64), np.array(ends, np.int64), tuple(selectors))
