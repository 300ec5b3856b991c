"""JSON lines: one object per page."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import orjson

from ncleaner.document import Document
from ncleaner.document._kept import has_line_ends, json_of, number_kept, thousandths
from ncleaner.document.kept import Kept
from ncleaner.document.tables import STATE, ZONES
from ncleaner.page import Page
from ncleaner.sinks.sink import Sink, SinkOptions, replace_surrogates
from ncleaner.sinks.text import kept_text, removed_text

# What `str.splitlines` takes for line ends besides controls, which JSON escapes: U+0085, U+2028, U+2029.
_LINE_ENDS = ((b"\xc2\x85", rb"\u0085"), (b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"))


class JsonlSink(Sink):
    """One object per page, also for pages without clean text, whose `text` is empty.

    Args:
        options: what the objects contain; see `row_of`.
    """

    suffix = ".jsonl"

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a page as a line of JSON; its keys are those of `row_of`."""
        text = orjson.Fragment(json_of(document.tables, kept.mask))
        row = row_of(page, document, kept, self.options, text)
        line = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        if has_line_ends(line):
            for end, escape in _LINE_ENDS:
                line = line.replace(end, escape)
        return line


def row_of(page: Page, document: Document, kept: Kept, options: SinkOptions, text: object) -> dict[str, Any]:
    """Returns what jsonl has of a page.

    Keys: url, date, title, lang (as the page declares it), language (that of the page, ISO 639-1, else ISO
    639-3), model (empty if the method has none), page_kind (the most probable one), page_kinds (the
    probability of each; see `Kept.kinds`), quality (the estimated F1 of the text, 0 to 1; null if there is
    no text or no estimate), origin (`page`, `state` or `both`; see `Document.origin`), duplicate_of
    (URL of the page that this one repeats, by the survey of sites), encoding, offset, record_id,
    truncated (why the crawler has cut the page), segments_kept, text; and as the options say markdown,
    metadata (the fields of `Metadata` and `Rights`), signals (see `signals_of`), removed (the text of the
    other segments) and segments (see `segments_to_write`).
    Unknown values are empty.

    The archive's name is left out, so that the same bytes from standard input give the same output.

    Args:
        page: the captured page.
        document: its text dump.
        kept: mask and scores.
        options: what the row contains.
        text: the value of the key `text`.
    """
    row: dict[str, Any] = {
        "url": replace_surrogates(page.url),
        "date": replace_surrogates(page.date),
        "title": replace_surrogates(document.title),
        "lang": replace_surrogates(document.lang),
        "language": kept.remarks.language,
        "model": replace_surrogates(kept.remarks.model),
        "page_kind": kept.kind,
        "page_kinds": thousandths(kept.kinds),
        "quality": kept.quality,
        "origin": document.origin(kept.mask),
        "duplicate_of": kept.remarks.duplicate_of,
        "encoding": document.encoding,
        "offset": page.offset,
        "record_id": replace_surrogates(page.record_id),
        "truncated": page.truncated and replace_surrogates(page.truncated),
        "segments_kept": number_kept(document.tables, kept.mask),
        "text": text,
    }
    if options.markdown:
        row["markdown"] = _markdown().markdown_of(document, kept, options.markup, page.url).decode()
    if options.metadata:
        row["metadata"] = metadata_to_write(page, document)
    if options.signals:
        row["signals"] = signals_to_write(page, document, kept, options.duplicates)
    if options.removed:
        row["removed"] = removed_text(document, kept).decode()
    if options.segments:
        row["segments"] = segments_to_write(document, kept, options)
    return row


def metadata_to_write(page: Page, document: Document) -> dict[str, Any]:
    """Returns the fields of `Metadata` and of `Rights`; unknown values are empty."""
    metadata, rights = _describing()
    url = replace_surrogates(page.url)
    said = rights.rights_of(document, page.rights, url).to_dict()
    return {**metadata.metadata_of(document, url).to_dict(), **said}


@cache
def _markdown() -> ModuleType:
    """Loads what writes Markdown, which few runs want."""
    from ncleaner.markup import render

    return render


@cache
def _describing() -> tuple[ModuleType, ModuleType]:
    """Loads what describes pages, which few runs want; an import for each page would take 8 µs."""
    from ncleaner.describing import metadata, rights

    return metadata, rights


def signals_to_write(page: Page, document: Document, kept: Kept, duplicates: bool = False) -> dict[str, Any]:
    """Returns the figures of a page; see `signals_of`."""
    # imported only where it is wanted
    from ncleaner.describing.signals import signals_of

    return signals_of(page, document, kept, kept_text(document, kept), duplicates)


def segments_to_write(document: Document, kept: Kept, options: SinkOptions) -> list[dict[str, Any]]:
    """Returns the kept segments of a page, each as a dict; and with `removed` the others that readers see.

    Keys: index (in the whole document), kind, zone (empty outside of zones), origin (`page` or `state`; see
    `Document.origin`), start and end (offsets in `kept_text`, in code points; of removed segments in
    `removed_text`), score (four decimal places) if the method has scores; with a survey that knows paragraphs
    seen (`Kept.seen`, two decimal places, null if it is unknown), with `removed` kept, and with `source`
    source_start, source_end (null where they are unknown) and selector; see `Sources`.
    """
    removed, sources = options.removed, document.sources if options.source else None
    found = []
    ends = {True: 0, False: 0}
    rows = np.flatnonzero(kept.mask | document.visible if removed else kept.mask)
    table = document.segments[["zone", "start", "end", "flags"]][rows].tolist()
    marks = kept.marks_of(document)[rows].tolist()
    for row, kind, (zone, start, end, flags) in zip(rows.tolist(), marks, table, strict=True):
        length = len(document.data[start:end].decode())
        is_kept = bool(kept.mask[row])
        at = ends[is_kept]
        entry: dict[str, Any] = {
            "index": row,
            "kind": chr(kind),
            "zone": ZONES[zone],
            "origin": "state" if flags & STATE else "page",
            "start": at,
            "end": at + length,
        }
        if removed:
            entry["kept"] = is_kept
        if kept.scores is not None:
            entry["score"] = round(float(kept.scores[row]), 4)
        if kept.seen is not None:
            entry["seen"] = None if np.isnan(kept.seen[row]) else round(float(kept.seen[row]), 2)
        if sources is not None:
            first = int(sources.starts[row])
            entry["source_start"] = first if first >= 0 else None
            entry["source_end"] = int(sources.ends[row]) if first >= 0 else None
            entry["selector"] = sources.selectors[row]
        found.append(entry)
        ends[is_kept] += length + 1
    return found
