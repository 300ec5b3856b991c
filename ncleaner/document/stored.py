"""Documents as bytes, with what is known of their pages.

A stored document has a head about the page (`page.stored_head`), which is enough to read an archive of them,
and a Zstandard frame with a line of JSON about the Document and with its tables (`_stored`).
"""

from __future__ import annotations

import json

import numpy as np
import zstandard
from zstandard import ZstdError

from ncleaner.document._stored import pack, unpack
from ncleaner.document.tables import Document, Fact, Sources
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Page, stored_head
from ncleaner.versions import DOCUMENTS

# Level 6 takes twice the time for 3 per cent fewer bytes.
_LEVEL = 4
# Bytes of a document for each byte of the largest page: one of nothing but short elements has 9.
_MOST_BYTES = 16
# What is stored of a Document besides its tables, facts and sources.
_TOLD = {"title": str, "lang": str, "encoding": str, "dropped_tags": int, "has_state": bool}


def stored(page: Page, document: Document, has_marks: bool) -> bytes:
    """Returns a document with its page as bytes.

    Args:
        page: of which the document is the dump.
        document: without what a survey knows of its site.
        has_marks: whether it was dumped with marks.
    """
    sources = document.sources
    about = {
        "version": DOCUMENTS,
        **{name: getattr(document, name) for name in _TOLD},
        "has_marks": has_marks,
        "facts": document.facts,
        "sources": sources and [sources.starts.tolist(), sources.ends.tolist(), sources.selectors],
    }
    packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(
        b"%b\n%b" % (json.dumps(about).encode(), pack(document.tables))
    )
    return stored_head(page) + packed


def restored(block: bytes, limits: Limits = Limits()) -> tuple[Document, bool]:
    """Returns the document of a block that `stored` has made, and whether it was dumped with marks.

    Raises:
        InputError: the block is damaged, too large, or by another version of ncleaner.
    """
    try:
        packed = block.split(b"\n", 2)[2]
        if zstandard.frame_content_size(packed) > _MOST_BYTES * limits.bytes:
            raise InputError("the stored document exceeds the limit of bytes (--max-bytes)")
        line, _, packed_tables = zstandard.ZstdDecompressor().decompress(packed).partition(b"\n")
        about = json.loads(line)
        if about["version"] != DOCUMENTS:
            raise InputError(
                f"the stored document has format {about['version']}, and this version of ncleaner reads "
                f"{DOCUMENTS}: store the pages again"
            )
        tables, facts, sources = unpack(packed_tables), about["facts"], about["sources"]
        if {name: type(about[name]) for name in _TOLD} != _TOLD:
            raise ValueError
        document = Document(
            tables,
            **{name: about[name] for name in _TOLD},
            facts=None if facts is None else tuple(Fact(*map(_text, each)) for each in facts),
            sources=None if sources is None else _sources(len(tables), *sources),
        )
        return document, bool(about["has_marks"])
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, ZstdError):
        raise InputError("the stored document is damaged") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _sources(number: int, starts: list[int], ends: list[int], selectors: list[str]) -> Sources:
    if not len(starts) == len(ends) == len(selectors) == number:
        raise ValueError
    return Sources(np.array(starts, np.int64), np.array(ends, np.int64), tuple(map(_text, selectors)))
