"""What the dumper and a method make of a page, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ncleaner.cleaner import Cleaner
from ncleaner.document import tags
from ncleaner.document.kept import NOTICE
from ncleaner.errors import InputError, NcleanerError
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import find_inputs
from ncleaner.running.tally import Note, note_of
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible

__all__ = ["dump_lines", "page_table"]


def dump_lines(
    paths: list[str],
    input_format: Any,
    encoding: str | None,
    alt_text: bool,
    marker: str | None = None,
    text: str = "auto",
) -> Iterator[bytes | str]:
    """Yields the segments of all pages as lines of bytes, and what went wrong as str.

    `marker` sets off the documents of a text, and `text` is its layout, as in `archive.read`.
    """
    cleaner = Cleaner("everything", encoding=encoding, alt_text=alt_text, text=text)
    for source in find_inputs(paths):
        for item in read(source.path, input_format=input_format, marker=marker, text=text):
            if isinstance(item, Damage) or (isinstance(item, Skip) and item.lost):
                yield str(note_of(item))
            elif isinstance(item, Page):
                try:
                    document, shown = cleaner.page(item)
                except NcleanerError as error:
                    yield str(Note("page_given_up", str(error), item.source, item.offset, item.url))
                    continue
                layout = item.layout
                is_one = item.offset < 0 or (layout is not None and layout.is_piece)
                if not is_one:
                    yield f"URL: {visible(item.url or f'offset:{item.offset}')}\n".encode()
                for segment in (document[row] for row in shown.mask.nonzero()[0].tolist()):
                    yield f"{segment.kind}\t{segment.text}\n".encode()
                if not is_one:
                    yield b"\n"


def page_table(path: str, number: int, cleaner: Cleaner, input_format: Any) -> Iterator[str]:
    """Yields lines about the page, then one for each segment: kept or not, score, kind, words, link density,
    text.

    Raises:
        InputError: the input has fewer pages.
    """
    items = read(path, input_format=input_format, text=cleaner.text)
    pages = (item for item in items if isinstance(item, Page))
    page = next(islice(pages, number - 1, None), None)
    if page is None:
        raise InputError(f"{path} has no page {number}")
    document, kept = cleaner.page(page)
    yield f"{visible(page.url or path)}  [{document.encoding or 'decoded'}]  {document!r}"
    declared = f" (the page declares {document.lang!r})" if document.lang else ""
    model = f"; model {kept.remarks.model}" if kept.remarks.model else ""
    yield f"language {kept.remarks.language or 'unknown'}{declared}{model}"
    if kept.kinds:
        ranked = sorted(kept.kinds.items(), key=lambda item: -item[1])
        yield "kind of page: " + ", ".join(f"{kind} {share:.2f}" for kind, share in ranked if share >= 0.005)
    if kept.kind == NOTICE and not kept.mask.any():
        yield "nothing is kept, because the page holds nothing but a notice (`clean --notices` keeps it)"
    yield "keep   score kind words links zone        text"
    for segment in document:
        fate = "  +  " if kept.mask[segment.index] else "  -  "
        score = "      " if kept.scores is None else f"{kept.scores[segment.index]:+6.2f}"
        folded = visible(segment.text.replace("\n", "⏎"))
        numbers = f"{segment.words:6} {segment.link_density:5.2f}"
        yield f"{fate} {score}  {segment.kind} {numbers} {segment.zone:<10}  {folded}"
    if document.dropped_tags:
        dropped = counted(document.dropped_tags, "tag was", "tags were")
        yield f"{dropped} dropped: the page is nested too deep for the parser"
    elements = document.elements
    if len(elements):
        cues = sorted({name for bits in elements["cues"] for name in tags.bit_names(int(bits), tags.CUES)})
        yield f"cues of class, id and role on the page: {', '.join(cues) or 'none'}"
