"""HTML to Document: decode, bound, parse, walk."""

import re
from collections.abc import Callable
from functools import partial

from ncleaner.document.tables import Document, Fact
from ncleaner.dumping._builder import Builder
from ncleaner.dumping._walk import walk
from ncleaner.limits import Limits
from ncleaner.parsing._lexbor import SCRIPTS, Parsed, parsed_within_bounds, release_memory
from ncleaner.parsing._nodes import LAYOUT_PROVED
from ncleaner.text.charset import decode

if not LAYOUT_PROVED:
    from importlib.metadata import version

    raise ImportError(
        f"ncleaner cannot read the trees of selectolax {version('selectolax')}: their layout is not the one "
        "expected; install another version or build (`ncleaner doctor` says how)"
    )

# A page is thin if it shows less than `_THIN` bytes of text outside links, and also less than `_THIN` bytes
# in segments of at least `_LINE` bytes, in links or not: such segments are text rather than labels. The unit
# is bytes of UTF-8, which treats languages more equally than characters: a page of 1,200 Chinese characters
# is not thin.
_THIN, _LINE = 900, 60
# A page that shows less than `_POOR` bytes outside links, and as little in such segments, may show only the
# beginning of a text that its data has as a whole.
_POOR, _MORE = 1_500, 2
# The tree of a page with this many runs and elements takes tens of megabytes. They go back to the system, so
# that a worker keeps no more for each large page that it has met. No gold page has a tenth of it.
_LARGE = 100_000
# The tree of a page of this many bytes is freed. The memory of a smaller one is the next page's.
_LARGE_PAGE = 1_000_000

# makes a Fact of its fields, in a fifth of the time of calling the class
_fact: Callable[[tuple[str, str, str]], Fact] = partial(tuple.__new__, Fact)

# A class of Google Docs in its style sheet and in its elements, and what is read of it.
_CLASS, _CLASSES = re.compile(rb"\.(c\d+)\{([^{}]*)\}"), re.compile(rb"\bclass=\"((?:c\d+ ?)+)\"")
_STYLE = re.compile(rb"font-(?:weight:700|style:italic)")
# What is among the first bytes of a page that is exported or published.
_HEAD, _OF_DOCS = 4_000, re.compile(rb"lst-kix_|>ol\{margin:0;padding:0\}|Google Docs")

# What a page has that may have data in attributes: `&#123;`, `&lbrace;` and `&lsqb;` are brackets.
_OF_DATA = (b"{", b"[", b"&#", b"&l")
# What a page has whose data may have its text as a whole.
_OF_STATE = b"articleBody STATE__ DATA__ PROPS__ __NUXT__ application/json <astro-island data-page=".split()


def parse(utf8: bytes, limits: Limits = Limits(), scripts: str = "all", places: bool = False) -> Parsed:
    """Returns the parsed tree of a page, within the limits.

    Args:
        utf8: the page.
        limits: limits of size.
        scripts: those whose content is in the tree, each with those before: `formulas`, `statements`,
            `typesetters` (of formulas) or `all`.
        places: note where texts are in the page.
    """
    again = len(utf8) <= _LARGE_PAGE
    return parsed_within_bounds(
        utf8, limits.nesting, limits.tags, again, scripts=SCRIPTS[scripts], places=places
    )


def _decoded(html: bytes | str, content_type: str, encoding: str | None, limits: Limits) -> tuple[bytes, str]:
    """Returns a page as UTF-8, and the name of its encoding. Raises InputError: as `dump_html`."""
    limits.check_size(len(html))
    utf8, used = decode(html, content_type, encoding)
    limits.check_decoded(html, utf8)
    return utf8, used


def _with_styles(page: bytes) -> bytes:
    """Returns a page of Google Docs with the bold and italic type of its classes in its elements."""
    styles = {name: b";".join(_STYLE.findall(style)) for name, style in _CLASS.findall(page)}

    def with_style(found: re.Match[bytes]) -> bytes:
        return found[0] + b' style="%s"' % b";".join(styles.get(name, b"") for name in found[1].split())

    return _CLASSES.sub(with_style, page)


def _add_unshown(
    tree: Parsed, builder: Builder, limits: Limits, utf8: bytes, title: bytes
) -> tuple[int, bool]:
    """Adds text of <noframes> and of data to a page that shows little.

    Returns the number of tags that were dropped from it, and whether the data has text.
    """
    dropped = 0
    own, in_lines = builder.shown(_LINE)
    shows = max(own, in_lines)
    if shows < _THIN:
        # data is in an attribute with a bracket, perhaps as a character reference, or in a script
        least = 0.0 if any(sign in utf8 for sign in _OF_DATA) or b"<script" in utf8.lower() else None
    else:
        least = _MORE * shows if shows < _POOR and any(sign in utf8 for sign in _OF_STATE) else None
    if not shows:
        # what a page of frames says to browsers without them is all that it says
        for node in tree.parser.tags("noframes"):
            dropped += _add_markup(node.text().encode(), builder, limits)
    if least is None:
        return dropped, False
    before = builder.count_segments()
    dropped += _add_embedded(tree, builder, limits, title, least)
    return dropped, builder.count_segments() > before


def _add_embedded(tree: Parsed, builder: Builder, limits: Limits, title: bytes, least: float) -> int:
    """Adds text that is only in the page's data, and returns the number of tags that were dropped from it.

    Args:
        tree: the page.
        builder: has what the page shows.
        limits: limits of size.
        title: the page's <title>.
        least: fewest characters of a text that is taken from a page that is not thin; 0 for a thin one.
    """
    # The import is here because few pages are thin, and compiling the module's patterns takes time.
    from ncleaner.dumping.embedded import add_record, find_record

    shown, passed_over = builder.dumped().decode(), tree.passed_over()
    record = find_record(tree.parser, title.decode("utf-8", "replace"), shown, least, passed_over)
    return add_record(builder, record, lambda markup: _add_markup(markup, builder, limits)) if record else 0


def _add_markup(markup: bytes, builder: Builder, limits: Limits) -> int:
    """Adds the text of some markup, and returns the number of tags that were dropped from it."""
    fragment = parse(markup, limits)
    walk(fragment.parser, builder)
    fragment.release()
    return fragment.dropped


def dump_html(
    html: bytes | str,
    *,
    content_type: str = "",
    encoding: str | None = None,
    limits: Limits = Limits(),
    alt_text: bool = False,
    readings: bool = True,
    facts: bool = False,
    marks: bool = False,
    sources: bool = False,
) -> Document:
    """Dumps one HTML page.

    Args:
        html: the page as served, or as decoded text (then `content_type` and `encoding` have no effect).
        content_type: the HTTP header, which may declare a charset.
        encoding: a WHATWG label that overrides every declaration.
        limits: limits of size; see `Limits`. A page that is nested too deep is flattened, not refused.
        alt_text: include the alternative texts of images.
        readings: include the readings of <ruby>, in brackets after its text.
        facts: also collect the metadata of the page (`Document.facts`).
        marks: fill the table of marks, too, which only formats with structure need.
        sources: find out where the segments are in the page (`Document.sources`).

    Raises:
        InputError: `encoding` is not a known label, or the page exceeds `limits.bytes` or `limits.segments`.
    """
    utf8, used = _decoded(html, content_type, encoding, limits)
    # marks say which script typesets formulas
    scripts = "typesetters" if marks else "statements" if facts else "formulas"
    is_of_docs = marks and not sources and _OF_DOCS.search(utf8, 0, _HEAD)
    tree = parse(_with_styles(utf8) if is_of_docs else utf8, limits, scripts, sources)
    builder = Builder(len(utf8) // 8, limits.segments, marks)
    met = bytearray() if sources else None
    said: list[tuple[str, str, str]] | None = [] if facts else None
    title, lang = walk(tree.parser, builder, alt_text, readings, met, said)
    dropped, has_state = _add_unshown(tree, builder, limits, utf8, title)
    if has_state or builder.may_be_stated():
        from ncleaner.dumping.embedded import stated_lines  # imported lazily: few pages have such classes

        builder.mark_stated(stated_lines(tree.parser, tree.passed_over()))
    limits.check_segments(builder.count_segments())
    tables, places = builder.tables(title), None
    if met is not None:
        from ncleaner.dumping.source import sources_of_page  # imported lazily: rarely needed

        places = sources_of_page(html, used, utf8, tree, met, tables)
    dropped += tree.dropped
    tree.release()
    # that of a large page, which no other page gets, is many times as large as the page: it goes now
    del tree
    document = Document(
        tables, title=" ".join(title.decode("utf-8", "replace").split()),
        lang=lang.decode("utf-8", "replace").strip(), encoding=used, dropped_tags=dropped,
        facts=None if said is None else tuple(map(_fact, said)), has_state=has_state, sources=places,
    )  # fmt: skip
    if tables.n_runs + tables.n_elements > _LARGE:
        release_memory()
    return document
