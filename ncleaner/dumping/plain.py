"""Plain-text dumps to Documents: the output of Lynx, w3m and earlier crawls.

There are three layouts. A *wrapped* dump has lines of at most the width of a screen. Empty lines, bullets,
enumerations and changes of indentation separate its segments (Evert 2008, section 2). In a dump with *one
paragraph on each line*, each line is a segment. In a text with *paragraphs between empty lines*, all lines of
a paragraph are a segment, whatever their forms. The Document is the same as for HTML, but has no elements.

Mail and newsgroup articles are wrapped text with header fields, quotes of other messages, and signatures.
These three become separate segments, and keep the characters by which an n-gram model can learn to recognize
them.
"""

from ncleaner.arguments import check_is
from ncleaner.document.tables import Document
from ncleaner.dumping._builder import Builder
from ncleaner.dumping._plain import fill
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import LAYOUT_CHOICES, LAYOUTS, TextLayout
from ncleaner.text._lines import without_placeholders
from ncleaner.text.charset import decode

# The numbers by which compiled code knows the layouts, -1 for one that is not known yet.
_NUMBERS = {"auto": -1, **{name: number for number, name in enumerate(LAYOUTS)}}


def dump_text(
    text: bytes | str,
    *,
    content_type: str = "",
    encoding: str | None = None,
    limits: Limits = Limits(),
    layout: str | TextLayout = "auto",
    sources: bool = False,
) -> Document:
    """Converts one plain-text dump to a Document.

    Args:
        text: the dump, as bytes in any encoding or as decoded text.
        content_type: the HTTP header, which may declare a charset.
        encoding: a WHATWG label that overrides all other information about the encoding.
        limits: the limits of size; only `bytes` and `segments` apply to text.
        layout: `lines` (a paragraph on each line), `paragraphs` (between empty lines), `wrapped` (as by Lynx
            or in mail), or `auto`: as the lines tell. For a piece of a longer text, a `TextLayout`.
        sources: find out where the segments are in the text (`Document.sources`).

    Raises:
        TypeError: `layout` has another type.
        InputError: `encoding` is not a known label, there is no such layout, or the text exceeds
            `limits.bytes` or `limits.segments`.
    """
    limits.check_size(len(text))
    if not isinstance(layout, TextLayout):
        check_is("layout", layout, str, "auto, lines, paragraphs or wrapped")
        layout = TextLayout(layout)
    number = _NUMBERS.get(layout.name)
    if number is None:
        raise InputError(f"unknown layout of text {layout.name!r}: give {', '.join(LAYOUT_CHOICES)}")
    utf8, used = decode(text, content_type, encoding, html=False)
    limits.check_decoded(text, utf8)
    limits.check_lines(utf8)
    builder = Builder(len(utf8), limits.segments)
    plain = without_placeholders(utf8)
    fill(builder, plain, number, layout.width, layout.margin, layout.begins, layout.ends)
    limits.check_segments(builder.count_segments())
    tables, places = builder.tables(), None
    if sources:
        # imported lazily: rarely needed
        from ncleaner.dumping.source import sources_of_text

        places = sources_of_text(text, used, utf8, tables)
    return Document(tables, encoding=used, facts=(), sources=places)
