"""JSON lines: one object a page."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import orjson

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import Need, SinkOptions, Writable
from ncleaner.sinks.metadata import encodable
from ncleaner.sinks.text import kept_text

__all__ = ["JsonlSink", "kept_segments"]


class JsonlSink:
    """One object per page, also for pages that nothing is left of: `text` is empty then.

    Args:
        options: with `segments`, add each kept segment with its index in the uncut document, kind, score, and
            where it stands in `text`, in code points.
    """

    suffix = ".jsonl"
    needs: frozenset[Need] = frozenset()

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        self.segments = options.segments

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Keys: url, date, title, lang, encoding, offset, record_id, segments_kept, text; where a model was
        chosen for each page, also the language found (ISO 639-1, empty where none was) and the model.

        The archive's name is not among them: the same bytes from standard input give the same output.
        """
        text = kept_text(document, kept).decode()
        record: dict[str, Any] = {
            "url": encodable(page.url),
            "date": encodable(page.date),
            "title": encodable(document.title),
            "lang": encodable(document.lang),
            "encoding": document.encoding,
            "offset": page.offset,
            "record_id": encodable(page.record_id),
            "segments_kept": int(kept.mask.sum()),
            "text": text,
        }
        if kept.remarks.model:
            record["language"] = kept.remarks.language
            record["model"] = kept.remarks.model
        if self.segments:
            record["segments"] = kept_segments(document, kept)
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """The pages as they are."""
        return nullcontext(out)


def kept_segments(document: Document, kept: Kept) -> list[dict[str, Any]]:
    """The kept segments: index in the uncut document, kind, where each stands in `kept_text`, in code points,
    and score, to four digits, where the method has scores."""
    found = []
    at = 0
    rows = np.flatnonzero(kept.mask)
    table = document.segments[["kind", "start", "end"]][rows].tolist()
    for row, (kind, start, end) in zip(rows.tolist(), table, strict=True):
        length = len(document.data[start:end].decode())
        entry: dict[str, Any] = {"index": row, "kind": chr(kind), "start": at, "end": at + length}
        if kept.scores is not None:
            entry["score"] = round(float(kept.scores[row]), 4)
        found.append(entry)
        at += length + 1
    return found
