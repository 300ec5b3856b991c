"""Coarse bounds for the pages that the guard cannot bound.

`thinned` removes what the tokenizer would take too long for before the guard sees a token. `bounded` is for
systems on which Lexbor's functions are not found (`_lexbor`), so that there is no guard: it scans a page
before it is parsed, and turns a page that may take too long into its text.
"""

from ncleaner.document.tags import INLINE, ROLE, TAGS, VOID
from ncleaner.parsing._markup import tags
from ncleaner.parsing.elements import ELEMENTS

# As in `_guard.pxd`, which says why.
MANY_ATTRIBUTES, ALL_ATTRIBUTES, ALL_UNKNOWN = 1_000, 100_000, 100_000

# A page with so few tags takes no time, whatever they are.
_FEW = 1_000
# Most look-ups in the stack of open elements, formatting elements that are created again, and bytes of text
# that are moved out of tables; look-ups for each tag of a <select> before an <option>.
_LOOK_UPS, _REOPENED, _MOVED = 300_000_000, 2_000_000, 5_000_000_000
_SELECTING = 6

_KNOWN = frozenset(name.encode() for name in (*TAGS, *VOID) if len(name) > 1 or name.isalpha())
_INLINE = frozenset(name.encode() for name, role in ROLE.items() if role == INLINE and name != "head")
_FORMATTING = frozenset(name.encode() for name in ELEMENTS["format"])
_TABLE = frozenset(b"table tbody thead tfoot tr colgroup /td /th /tr /tbody /thead /tfoot".split())
_RAW = frozenset(name.encode() for name in ELEMENTS["text"])
# Another one, or their parent's end, closes them: they do not nest by themselves.
_CLOSED = frozenset(b"p li dt dd tr td th tbody thead tfoot colgroup option optgroup rb rp rt rtc".split())
_SINGLE = frozenset(name.encode() for name in VOID)


def thinned(html: bytes) -> tuple[bytes, int]:
    """Removes the attributes of tags that have too many, and tags with invented names beyond the bound.

    Returns:
        (the page, number of tags that were removed).
    """
    parts: list[bytes] = []
    written = 0
    attributes = removed = 0
    known = set(_KNOWN)
    for start, name, end, own in tags(html):
        written_name = html[start + 1 : name].strip(b"/").lower()
        if written_name not in known and len(known) < ALL_UNKNOWN:
            known.add(written_name)
        if written_name not in known:
            parts += html[written:start], b" "
            removed += html[start + 1 : start + 2] != b"/"
        elif own > MANY_ATTRIBUTES or attributes + own > ALL_ATTRIBUTES:
            parts += html[written:name], b">"
        else:
            attributes += own
            continue
        written = end
    return b"".join((*parts, html[written:])), removed


def flattened(html: bytes, most: int) -> tuple[bytes, int]:
    """Turns a page into its text: at most `most` paragraphs, and spaces.

    Returns:
        (the page, number of tags that were removed).
    """
    parts: list[bytes] = []
    written = 0
    paragraphs = removed = 0
    before = b""
    for start, name_end, end, _own in tags(html):
        name = html[start + 1 : name_end].lower()
        if before not in _RAW or name != b"/" + before:
            text = html[written:start]
            parts.append(text.replace(b"<", b"&lt;") if before == b"xmp" else text)
        before = name
        removed += name[:1] != b"/"
        written = end
        if ROLE.get(name.strip(b"/").decode("latin-1"), INLINE) == INLINE:
            continue
        parts.append(b"<p>" if paragraphs < most and name[:1] != b"/" else b" ")
        paragraphs += parts[-1] == b"<p>"
    rest = html[written:]
    parts.append(rest.replace(b"<", b"&lt;") if before in (b"xmp", b"plaintext") else rest)
    return b"".join(parts), removed


def _is_costly(html: bytes, most_tags: int) -> bool:
    """Returns whether a page may take the parser too long, or too much memory."""
    open_: list[bytes] = []
    listed = drawings = root_attributes = select_at = written = 0
    look_ups = reopened = misplaced = moved = 0
    in_table = False
    for count, (start, name_end, end, own) in enumerate(tags(html), 1):
        name = html[start + 1 : name_end].lower()
        if in_table and html[written:start].strip():
            misplaced += start - written
            moved += misplaced
        in_table, written = name in _TABLE, end
        if open_ and name == b"/" + open_[-1]:
            drawings -= name in (b"/svg", b"/math")
            listed -= open_.pop() in _FORMATTING
        elif not (
            name[:1] == b"/"
            or name in _SINGLE
            or name in _CLOSED
            or (drawings and html[end - 2 : end] == b"/>")
        ):
            open_.append(name)
            drawings += name in (b"svg", b"math")
            listed += name in _FORMATTING
        look_ups += len(open_) + listed
        reopened += listed if name not in _INLINE else 0
        if name in (b"html", b"body"):
            root_attributes += own
            look_ups += 4 * own * root_attributes
        elif name == b"select":
            select_at = count
        elif name == b"option":
            look_ups += _SELECTING * (count - select_at)
        if look_ups > _LOOK_UPS or reopened > _REOPENED or moved > _MOVED:
            return True
    return html.count(b"<") > most_tags


def bounded(html: bytes, most_tags: int) -> tuple[bytes, int]:
    """Returns a page that the parser takes in linear time.

    Args:
        html: the page as UTF-8.
        most_tags: most tags and comments.

    Returns:
        (the page, usually as it is; number of tags that were removed).
    """
    if html.count(b"<") <= _FEW and len(html) <= 100 * _FEW:
        return html, 0
    html, removed = thinned(html)
    if not _is_costly(html, most_tags):
        return html, removed
    html, more = flattened(html, most_tags // 2)
    return html, removed + more
