"""A page as a row: the columns of jsonl, Parquet, data frames and engines, which all have the same."""

import hashlib
import uuid
from datetime import datetime
from functools import cache
from types import ModuleType
from typing import Any, NotRequired, TypedDict

import numpy as np

from ncleaner.document import Document
from ncleaner.document._kept import number_kept, thousandths
from ncleaner.document.kept import NOTICE, Kept
from ncleaner.document.tables import STATE, ZONES
from ncleaner.document.tags import CODE
from ncleaner.markup._render import tags_around
from ncleaner.options import OptionError
from ncleaner.page import Page, Skip
from ncleaner.sinks.sink import SinkOptions, capture_time, replace_surrogates
from ncleaner.sinks.text import kept_text, posts_in, removed_text
from ncleaner.text.hosts import host_of

# {column: the option that asks for it}; all others are always there.
ASKED_FOR = {
    "left_out": "all_pages",
    **{name: name for name in ("markdown", "metadata", "signals", "removed", "segments", "posts")},
}
# Levels of headings by their tags, and blocks between a heading and its tag. A heading without one is below
# those with tags, but for the first one.
_LEVELS, _NEAR, _UNTAGGED = {CODE[f"h{level}"]: level for level in range(1, 7)}, 8, 7
# Characters of a heading in a path: many segments repeat it.
_LONGEST_HEADING = 200
# Namespace of all ids made here; it is fixed, so that a page gets the same id wherever it is cleaned.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "tag:ncleaner,2024:record")


class SegmentRow(TypedDict):
    """A segment in a row; the last four are there if they are asked for.

    Attributes:
        index: in the whole document.
        kind: `p`, `h` or `l`.
        zone: the part of the page, such as `comments`; None outside of all.
        origin: `page` or `state`; see `Document.origin`.
        start, end: offsets in the text, in code points; those of removed segments in `removed`.
        score: four decimal places; None for a method without scores.
        seen: the share that earlier pages have, two decimal places; None if it is unknown.
        path: the kept headings above it, from the first level on, with ` > ` between them; empty if there is
            none. Of each, the first 200 characters.
        kept: whether it is in the text; with `removed`.
        source_start, source_end, selector: with `source`; see `Sources`.
    """

    index: int
    kind: str
    zone: str | None
    origin: str
    start: int
    end: int
    score: float | None
    seen: float | None
    path: str
    kept: NotRequired[bool]
    source_start: NotRequired[int | None]
    source_end: NotRequired[int | None]
    selector: NotRequired[str]


class Row(TypedDict):
    """A page as a row. None is what is unknown; the last seven are there if they are asked for.

    >>> import ncleaner
    >>> row: ncleaner.Row = next(ncleaner.rows("examples/crawl.warc.gz"))
    >>> sorted(set(ncleaner.Row.__annotations__) - set(row))
    ['left_out', 'markdown', 'metadata', 'posts', 'removed', 'segments', 'signals']

    Attributes:
        id: that of the record, or of the row of a table; else it is derived from URL, date and body of the
            page.
        url, truncated: as those of `Page`.
        host: of the URL.
        date: of the capture, in UTC and whole seconds.
        html_title: the contents of `<title>`.
        lang: the language that the page declares.
        language: that of the text, ISO 639-1, else ISO 639-3.
        language_score: the probability of this language, 0 to 1; 1 where letters or frequent words show it.
        model: name of the model that decided.
        page_kind: the most probable kind of the page.
        page_kinds: the probability of each kind.
        quality: the estimated F1 of the text, 0 to 1.
        origin: where the text is from: `page` (what it shows), `state` (the data of its scripts) or `both`.
        duplicate_of: URL of the page that this one repeats, by the survey of sites.
        encoding: of the page.
        archive: path or URL of the input, as it was given; None for standard input.
        offset: where the record begins in it, in bytes; of a table, the number of the row, from 0 on; None
            for a file that is one page.
        length: stored bytes of the record, where it has a member of the archive to itself: one request for
            this range fetches the page.
        http_status: of the response.
        segments_kept: number of kept segments.
        text: these segments, one per line.
        left_out: why there is no text: `empty`, `notice`, `seen`, a key of `LEFT_OUT`, or why the page was
            given up; None with a text.
        markdown: the text as Markdown.
        metadata: the fields of `Metadata` and `Rights`.
        signals: figures to filter by; see `signals_of`.
        removed: the other text that readers of the page see.
        segments: the kept segments, and with `removed` the others.
        posts: of a forum, a question with its answers, or comments: the fields of `Post`.
    """

    id: str
    url: str | None
    host: str | None
    date: datetime | None
    html_title: str | None
    lang: str | None
    language: str | None
    language_score: float | None
    model: str | None
    page_kind: str | None
    page_kinds: dict[str, float] | None
    quality: float | None
    origin: str | None
    duplicate_of: str | None
    encoding: str | None
    archive: str | None
    offset: int | None
    length: int | None
    http_status: int | None
    truncated: str | None
    segments_kept: int
    text: str
    left_out: NotRequired[str | None]
    markdown: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    signals: NotRequired[dict[str, Any]]
    removed: NotRequired[str]
    segments: NotRequired[list[SegmentRow]]
    posts: NotRequired[list[dict[str, Any]]]


def check_carried(options: SinkOptions) -> None:
    """Raises OptionError: a carried column has the name of another one."""
    for each in options.carried:
        if each.name in Row.__annotations__:
            raise OptionError("carry", f"{each.name}: the output has a column of this name")


def row_of(
    page: Page, document: Document, kept: Kept, options: SinkOptions, text: Any = None
) -> dict[str, Any] | None:
    """Returns a page as a `Row`, with the columns that the options carry; None for a page without clean text,
    unless the options want all pages.

    Args:
        page: the captured page.
        document: its text dump.
        kept: mask and scores.
        options: what the row contains.
        text: the value of `text` if the caller has it already.
    """
    segments_kept = number_kept(document.tables, kept.mask)
    if not segments_kept and not options.all_pages:
        return None
    remarks = kept.remarks
    row: dict[str, Any] = {
        "id": page_id(page),
        "url": _known(page.url),
        "host": (host_of(page.url) or None) if "://" in page.url else None,
        "date": capture_time(page.date),
        "html_title": _known(document.title),
        "lang": _known(document.lang),
        "language": remarks.language or None,
        "language_score": remarks.language_score,
        "model": _known(remarks.model),
        "page_kind": kept.kind or None,
        "page_kinds": thousandths(kept.kinds) if kept.kinds else None,
        "quality": kept.quality,
        "origin": document.origin(kept.mask) or None,
        "duplicate_of": remarks.duplicate_of or None,
        "encoding": document.encoding or None,
        "archive": None if page.source == "-" else _known(page.source),
        "offset": page.offset if page.offset >= 0 else None,
        "length": page.length if page.length >= 0 else None,
        "http_status": page.status or None,
        "truncated": _known(page.truncated),
        "segments_kept": segments_kept,
        "text": kept_text(document, kept).decode() if text is None else text,
    }
    if options.all_pages:
        row["left_out"] = None if segments_kept else _why_empty(kept)
    if options.markdown:
        row["markdown"] = _markdown().markdown_of(document, kept, options.markup, page.url).decode()
    if options.metadata:
        said = metadata_to_write(page, document)
        row["metadata"] = {name: None if value in ("", []) else value for name, value in said.items()}
    if options.signals:
        row["signals"] = signals_to_write(page, document, kept, bands=options.duplicates)
    if options.removed:
        row["removed"] = removed_text(document, kept).decode()
    if options.segments:
        row["segments"] = segments_of(document, kept, options)
    if options.posts:
        row["posts"] = post_rows(document, kept, page.url)
    if options.carry:
        carried = dict(page.carried)
        row |= {each.name: carried.get(each.name) for each in options.carried}
    return row


def lost_row(page: Page | Skip, why: str) -> dict[str, Any]:
    """Returns the row of a page that is given up, which has no text; `left_out` says why."""
    known = {name: getattr(page, name, None) or None for name in ("url", "truncated")}
    at = {name: place for name in ("offset", "length") if (place := getattr(page, name, -1)) >= 0}
    return {
        **{name: None for name in Row.__annotations__ if name not in ASKED_FOR},
        **{name: replace_surrogates(text) for name, text in known.items() if text},
        "id": page_id(page if isinstance(page, Page) else Page(b"", page.url, offset=page.offset)),
        "archive": None if page.source == "-" else _known(page.source),
        **at,
        "segments_kept": 0,
        "text": "",
        "left_out": why,
    }


def _known(text: str) -> str | None:
    return replace_surrogates(text) if text else None


def _why_empty(kept: Kept) -> str:
    """Returns why a page has no clean text; see `Row.left_out`."""
    if kept.remarks.left_out:
        return kept.remarks.left_out
    return "seen" if kept.remarks.seen else "notice" if kept.kind == NOTICE else "empty"


def page_id(page: Page) -> str:
    """Returns the id of a page: that of its record; without one, it is derived from URL, date and body."""
    if page.record_id:
        return replace_surrogates(page.record_id)
    return derived_id(f"{page.url}\n{page.date}\n{hashlib.sha256(page.body).hexdigest()}").urn


def derived_id(name: str) -> uuid.UUID:
    """Returns an id that is the same for the same name in every run."""
    return uuid.uuid5(_NAMESPACE, replace_surrogates(name))


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


def signals_to_write(page: Page, document: Document, kept: Kept, **which: bool) -> dict[str, Any]:
    """Returns the figures of a page; see `signals_of`."""
    from ncleaner.describing.signals import signals_of

    return signals_of(page, document, kept, kept_text(document, kept), **which)


def post_rows(document: Document, kept: Kept, url: str) -> list[dict[str, Any]]:
    """Returns the posts of a page with the fields of `Post`; what is unknown is None."""
    found = posts_in(document, kept, replace_surrogates(url))
    return [
        {name: None if value == "" else value for name, value in post._asdict().items()} for post in found
    ]


def segments_of(document: Document, kept: Kept, options: SinkOptions) -> list[dict[str, Any]]:
    """Returns the kept segments of a page as `SegmentRow`; and with `removed` the others that readers see."""
    removed, sources = options.removed, document.sources if options.source else None
    found = []
    ends = {True: 0, False: 0}
    path: dict[int, str] = {}
    rows = np.flatnonzero(kept.mask | document.visible if removed else kept.mask)
    table = document.segments[["zone", "start", "end", "flags", "element"]][rows].tolist()
    marks = kept.marks_of(document)[rows].tolist()
    for row, kind, (zone, start, end, flags, element) in zip(rows.tolist(), marks, table, strict=True):
        text = document.data[start:end].decode()
        length = len(text)
        is_kept = bool(kept.mask[row])
        at = ends[is_kept]
        is_seen = kept.seen is not None and not np.isnan(kept.seen[row])
        level = _UNTAGGED + 1
        if is_kept and chr(kind) == "h":
            level = _level(document, element, _UNTAGGED if path else 1)
        path = {above: heading for above, heading in path.items() if above < level}
        entry: dict[str, Any] = {
            "index": row,
            "kind": chr(kind),
            "zone": ZONES[zone] or None,
            "origin": "state" if flags & STATE else "page",
            "start": at,
            "end": at + length,
            "score": None if kept.scores is None else round(float(kept.scores[row]), 4),
            "seen": round(float(kept.seen[row]), 2) if kept.seen is not None and is_seen else None,
            "path": " > ".join(path.values()),
        }
        if level <= _UNTAGGED:
            path[level] = " ".join(text.split())[:_LONGEST_HEADING]
        if removed:
            entry["kept"] = is_kept
        if sources is not None:
            first = int(sources.starts[row])
            entry["source_start"] = first if first >= 0 else None
            entry["source_end"] = int(sources.ends[row]) if first >= 0 else None
            entry["selector"] = sources.selectors[row]
        found.append(entry)
        ends[is_kept] += length + 1
    return found


def _level(document: Document, element: int, untagged: int) -> int:
    """Returns the level of a heading by the tag around it, else `untagged`."""
    around = tags_around(document.tables, element)[:_NEAR]
    return next((_LEVELS[tag] for tag in around if tag in _LEVELS), untagged)
