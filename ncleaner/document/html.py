"""HTML to Document: decode, bound, parse, walk."""

from __future__ import annotations

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from ncleaner.document import _dump, _walk
from ncleaner.document._bound import bounded
from ncleaner.document._document import Builder
from ncleaner.document.tables import Document
from ncleaner.limits import Limits
from ncleaner.text.charset import decode

__all__ = ["dump_html"]

_walk_tree = _dump.walk if _dump.LAYOUT_PROVED else _walk.walk
# mutation events serve scripted documents; nothing here listens
_OPTIONS = int(LexborDocumentOptions.WO_EVENTS)

# A page is thin when it shows less than `_THIN` bytes of text outside its links, and as little in segments of
# `_LINE` bytes and more, in links or not: those are text rather than labels. Bytes of UTF-8 are fairer to
# languages than characters: a page of 1,200 Chinese characters is not thin.
_THIN, _LINE = 900, 60


def _parse(utf8: bytes, limits: Limits) -> tuple[LexborHTMLParser, int]:
    """A tree within the limits, and how many tags were dropped to keep them."""
    utf8, dropped = bounded(utf8, limits.nesting, limits.tags)
    return LexborHTMLParser(utf8, options=_OPTIONS), dropped


def _is_thin(builder: Builder) -> bool:
    """Whether a page shows so little that its text may stand in its data."""
    own, in_lines = builder.shown(_LINE)
    return own < _THIN and in_lines < _THIN


def _add_embedded(parser: LexborHTMLParser, builder: Builder, limits: Limits) -> int:
    """Adds text that stands in the page's data only; gives the tags that were dropped from it."""
    # few pages are thin, and its patterns take their time to compile
    from ncleaner.document.embedded import add_passages, find_passages

    passages = find_passages(parser, builder.dumped().decode())
    if not passages:
        return 0

    def walk(markup: bytes) -> int:
        fragment, dropped = _parse(markup, limits)
        _walk_tree(fragment, builder, False)
        return dropped

    return add_passages(builder, passages, walk)


def dump_html(
    html: bytes | str,
    *,
    content_type: str = "",
    encoding: str | None = None,
    limits: Limits = Limits(),
    alt_text: bool = False,
) -> Document:
    """Dumps one HTML page.

    Args:
        html: the page as served, or as decoded text (then `content_type` and `encoding` do not matter).
        content_type: the HTTP header, for its charset.
        encoding: a WHATWG label that overrides every declaration.
        limits: bounds; see `Limits`. A page nested too deep is flattened, never refused.
        alt_text: take in the alternative text of images.

    Raises:
        InputError: `encoding` is no known label, or the page is above `limits.bytes` or `limits.segments`.
    """
    limits.check_size(len(html))
    if isinstance(html, str):
        utf8, used = html.encode("utf-8", "replace"), ""
    else:
        utf8, used = decode(html, content_type, encoding)
    parser, dropped = _parse(utf8, limits)
    builder = Builder(len(utf8) // 8)
    title, lang = _walk_tree(parser, builder, alt_text)
    if _is_thin(builder):
        dropped += _add_embedded(parser, builder, limits)
    document = Document.of_tables(
        builder.tables(),
        title=" ".join(title.decode("utf-8", "replace").split()),
        lang=lang.decode("utf-8", "replace").strip(),
        encoding=used,
        dropped_tags=dropped,
    )
    limits.check_segments(len(document))
    return document
