"""Limits a page to what the parser can process in linear time and memory.

Lexbor follows the HTML standard's tree construction. Its cost is the number of tags times the depth of nesting: a
tag searches the stack of open elements, and every block reopens the formatting elements that are still unclosed.
100,000 nested <div> take 14 seconds, and 40 KB of unclosed <b> with different attributes make 4 million nodes. A page
with 200,000 invented names is as slow. So is a page with text directly inside a table: the parser moves it before the
table and joins it to the text that it moved there earlier. Native code cannot be stopped inside a process, so each
page is checked: by the guard (`_guard.pyx`), while it is parsed, and if the guard stops it, by this module:

1. `_scan` follows the tokenizer (`_markup.pyx`). It computes upper bounds of the nesting and of the unclosed
   formatting elements, with a stack that contains every element that the parser's stack may contain (`_stack.pyx`).
   On real pages this takes an eighth of the time of parsing.
2. Only a page that exceeds the bounds is rewritten, by the same scan. The new page is well nested, and each element
   is closed by its own end tag, so that the parser's stack equals the scan's. Tags that would nest too deep are
   removed. Scripts, comments, controls of forms and foreign markup are also removed; all text remains.

The same scan finds two defects that would cost the rest of the page, and they are mended:

- raw text, such as a <title>, without an end tag (`ended`);
- a <noscript> that leaves a comment or an element open. The parser reads its content as markup, as a browser without
  scripts does. A browser with scripts sees only its end tag, so what begins inside it has to end there (`_closed`).
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcmp

import re

from selectolax.lexbor import LexborHTMLParser

from ncleaner.document._markup cimport *
from ncleaner.document._stack cimport *

cdef void _write_preformatted(scan_t* s, const char* p, const char* end) noexcept nogil:
    cdef bint room = s.written < s.max_tags and s.depth < s.max_depth
    s.written += room
    s.dropped += not room
    write(s, b"<pre>" if room else b" ", 5 if room else 1)
    while p < end:
        if p[0] == c'<':
            write(s, b"&lt;", 4)
        elif p[0] == c'&':
            write(s, b"&amp;", 5)
        else:
            write(s, p, 1)
        p += 1
    write(s, b"</pre>" if room else b" ", 6 if room else 1)


cdef const char* _skip_raw(
    scan_t* s, const char* name, size_t length, uint64_t key, const char* p, const char* end
) noexcept nogil:
    """Skips an element of raw text; returns a pointer to the first character after its end tag.

    `p` points to the first character after its start tag. A rewritten page keeps raw text that is text of the page,
    and the title."""
    cdef const char* last = end
    cdef const char* close = end
    cdef bint self_closing
    cdef uint64_t attributes = 0
    s.tags += 1
    if s.selects:
        s.doubt = True
        unsure(s)
    if key != PLAINTEXT and not (s.inside and s.bare):
        last = raw_end(p, end, name, length, key == SCRIPT)
        if last < end:
            close = attributes_end(last + 2 + length, end, &self_closing, &attributes)
            close = end if close == end else close + 1
    if (key == XMP or key == PLAINTEXT) and not s.doubt:
        close_paragraph(s)
    if s.guarded and last == end and not (s.inside and s.bare):
        s.torn = True
        if key == SCRIPT or key == STYLE:
            s.cut = name - 1
        elif key == TITLE or key == TEXTAREA:
            last = close = line_end(p, end)
        elif key != XMP and key != PLAINTEXT:
            last = close = p
    elif last == end and key != PLAINTEXT and key != XMP and s.out == NULL and s.endless == NULL:
        s.endless = p
    if s.inside and (s.bare or last == end or key == STYLE and has_tag(p, last)):
        s.bare = True
        s.dropped += 1
        return p  # a style or title of svg: its content is ordinary markup
    if s.out != NULL:
        if key == TITLE and not s.inside and not s.titled and p < last < end:
            s.titled = True
            write(s, b"<title>", 7)
            write(s, p, <size_t> (last - p))
            write(s, b"</title>", 8)
        elif key == XMP or key == PLAINTEXT:
            _write_preformatted(s, p, last)
        else:
            s.dropped += 1
            write(s, b" ", 1)
    return close


cdef bint _note(scan_t* s, const char* start, const char* end, bint is_open) noexcept nogil:
    """Adds a <noscript> to the list of those that have to be mended. Returns whether there is room for it."""
    cdef loose_t* noted
    if s.loose == NULL:
        s.loose = <loose_t*> calloc(LOOSE, sizeof(loose_t))
    if s.loose == NULL or s.n_loose == LOOSE:
        return False
    noted = &s.loose[s.n_loose]
    noted.start = start
    noted.end = end
    noted.cut = s.cut if s.cut != NULL else end
    noted.open = is_open
    s.n_loose += 1
    return True


cdef const char* _scan_noscript(const char* p, const char* end, scan_t* s) noexcept nogil:
    """Scans the content of a <noscript> up to its first end tag, and returns a pointer to this end tag.

    Returns `p` if there is no end tag; then a browser with scripts shows nothing of the rest of the page, and the
    content is read like the rest of it."""
    cdef size_t depth = s.depth, inside = s.inside
    cdef bint bare = s.bare
    cdef const char* last
    if s.guarded or s.unended or s.trusting:
        return p
    last = raw_end(p, end, b"noscript", 8, False)
    if last == end:
        s.unended = True  # otherwise, each <noscript> that follows would need a search
        return p
    s.guarded = True
    s.torn = False
    s.cut = NULL
    s.floor = s.depth
    s.floor_listed = s.n_listed
    _scan(p, <size_t> (last - p), s)
    s.guarded = False
    if s.over:
        return last
    if s.torn or s.depth > s.floor or s.n_listed > s.floor_listed:
        if s.out == NULL and not _note(s, p, last, True):
            s.over = True
        pop_to(s, s.floor)
        unlist_to(s, s.floor_listed)
    elif s.out == NULL and s.floor < depth:
        _note(s, p, last, False)
    s.inside = inside
    s.bare = bare
    return last


cdef inline bint _is_foreign(scan_t* s) noexcept nogil:
    """Returns whether svg or math is certainly open, and the content of its innermost element is not HTML."""
    return s.island and (s.stack[s.depth - 1].kind & GROUP) != TEXT_POINT


cdef inline void _tear(scan_t* s, const char* at) noexcept nogil:
    """Handles a tag, a comment or the like that begins at `at` and does not end."""
    if s.guarded:
        s.torn = True
        s.cut = at


cdef void _scan(const char* p, size_t n, scan_t* s) noexcept nogil:
    cdef const char* end = p + n
    cdef const char* q
    cdef const char* name
    cdef const char* close
    cdef size_t length, depth
    cdef uint64_t key, before
    cdef uint8_t kind
    cdef bint self_closing, keep, ours
    while p < end and not s.over:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        if q == NULL or q + 1 >= end:
            if s.guarded:
                if s.tables:
                    text_in_table(s, p, end)
                if q != NULL:
                    write(s, p, <size_t> (q - p))
                    write(s, b"&lt;", 4)
                    return
            write(s, p, <size_t> (end - p))
            return
        if s.tables and q > p:
            text_in_table(s, p, q)
        write(s, p, <size_t> (q - p))
        p = q + 1
        s.markup += 1
        if s.out == NULL and ((s.depth + s.n_listed) * s.markup > LOOK_UPS or s.moved > <uint64_t> 1000 * MOVED_KB):
            s.over = True  # the limits of the parser's cost also limit the time of the scan itself
        if is_letter(p[0]):
            name = p
            p = name_end(p, end)
            length = <size_t> (p - name)
            before = s.attributes
            close = attributes_end(p, end, &self_closing, &s.attributes)
            s.own = s.attributes - before
            if close == end:
                _tear(s, q)
                return  # the tokenizer drops a tag that does not end
            s.crowded += s.own > MANY_ATTRIBUTES
            key = name_key(name, length)
            kind = class_of(key)
            if (kind & GROUP) == RAW and not s.foreign:
                p = _skip_raw(s, name, length, key, close + 1, end)
                continue
            # A <noscript> of svg or math is an element like others there.
            ours = key == NOSCRIPT and not _is_foreign(s)
            keep = start_tag(s, key, kind, self_closing, name, length)
            if s.out != NULL:
                if not keep:
                    s.dropped += 1
                    # A space replaces a tag that separates words.
                    if not runs_on(kind):
                        write(s, b" ", 1)
                else:
                    s.written += 1
                    if s.own > MANY_ATTRIBUTES or s.attributes > ALL_ATTRIBUTES:
                        write(s, q, <size_t> (p - q))
                        write(s, b">", 1)
                    else:
                        write(s, q, <size_t> (close + 1 - q))
            p = close + 1
            if ours:
                p = _scan_noscript(p, end, s)
        elif p[0] == c'/':
            p += 1
            if p < end and is_letter(p[0]):
                name = p
                p = name_end(p, end)
                close = attributes_end(p, end, &self_closing, &s.attributes)
                if close == end:
                    _tear(s, q)
                    return
                key = name_key(name, <size_t> (p - name))
                kind = class_of(key)
                depth = s.depth
                end_tag(s, key, kind)
                if s.depth == depth and not runs_on(kind):
                    write(s, b" ", 1)
                p = close + 1
            else:
                p = <const char*> memchr(p, c'>', <size_t> (end - p))
                if p == NULL:
                    _tear(s, q)
                    return
                p += 1
        elif starts(p, end, b"!--", 3):
            p = comment_end(p + 3, end)
            if p == end and not is_closed(q, end):
                _tear(s, q)
        elif s.foreign and starts(p, end, b"![CDATA[", 8):
            # Inside foreign markup, the parser reads text up to `]]>`; elsewhere, a comment up to `>`.
            close = p
            while True:
                close = <const char*> memchr(close, c'>', <size_t> (end - close))
                if close == NULL:
                    close = end - 1
                    _tear(s, q)
                    break
                if memcmp(close - 2, b"]]", 2) == 0:
                    break
                close += 1
            if _is_foreign(s):
                p = close + 1
            else:
                s.doubt = True
                p += 8
        elif p[0] == c'!' or p[0] == c'?':
            close = <const char*> memchr(p, c'>', <size_t> (end - p))
            if close == NULL:
                _tear(s, q)
                return
            if p[0] == c'!' and (p[1] | 0x20) == c'd':
                write(s, q, <size_t> (close + 1 - q))
            p = close + 1
        else:
            write(s, b"&lt;", 4)


cdef uint64_t _hidden(const char* p, size_t n, scan_t* s) noexcept nogil:
    """Returns how many more start tags the parser may find than the scan.

    If scan and tokenizer may read the page differently (`doubt`), everything that looks like a start tag may be
    one, and each `<` markup; otherwise the number is 0."""
    cdef const char* end = p + n
    cdef uint64_t tags = 0, markup = 0
    if not s.doubt:
        return 0
    while True:
        p = <const char*> memchr(p, c'<', <size_t> (end - p))
        if p == NULL or p + 1 >= end:
            s.markup = max(s.markup, markup)
            return tags - s.tags if tags > s.tags else 0
        p += 1
        markup += 1
        tags += is_letter(p[0])


# Elements of raw text whose end tag may be missing, and where they then end: a browser swallows the rest of the page. A
# title, and text in a form, end at the first tag or line end; fallback text (`<iframe …/>` in <noscript>) is empty.
# A script or a style sheet may be cut off with the page, and ends only where the body begins.
_LINE = re.compile(rb"\s*+[^<\r\n]*+")
_PLAINTEXT = re.compile(rb"<plaintext(?=[\s/>])", re.IGNORECASE)
_BODY = re.compile(rb"(?=</head[\s>]|<body[\s>])", re.IGNORECASE)
_ENDS = {
    b"title": _LINE, b"textarea": _LINE, b"iframe": re.compile(b""), b"noframes": re.compile(b""),
    b"noembed": re.compile(b""), b"script": _BODY, b"style": _BODY,
}


def _ended(bytes html, Py_ssize_t at, set known):
    """Returns the page with an end tag for the raw text that begins at `at` and does not end, or None.

    `known` has the names of all elements that do not end. If such a name occurs again, all tags of this name
    from there on become those of a paragraph: there is no end tag for any of them, and each would need a search."""
    start = html.rfind(b"<", max(at - 2_000, 0), at)
    tag = html[start + 1 : at].split(None, 1)[0] if start >= 0 else b""
    name = tag.rstrip(b">").partition(b"/")[0].lower()
    if name not in _ENDS:
        return None
    if name in known:
        return html[:start] + re.compile(b"<" + name + rb"(?=[\s/>])", re.IGNORECASE).sub(b"<p", html[start:])
    known.add(name)
    place = _ENDS[name].search(html, at)
    if place is None or place.end() == len(html):
        return None
    return html[: place.end()] + b"</" + name + b">" + html[place.end() :]


def _closed(bytes html not None, list loose not None):
    """Returns the page with <noscript> elements that leave nothing open.

    `loose` has (start, end, end of what can be read, whether something stays open) of the content of some of them, in
    the order of the page. The parser reads the content by itself, and its tree is written again. So the text and the
    structure of the content are those that it has for a browser without scripts."""
    parts = []
    written = 0
    for start, end, cut, _open in loose:
        content, plain = _PLAINTEXT.subn(b"<pre", html[start:cut])
        if plain:
            # what was its text is markup now, and may leave something open as well
            content = ended(b"<noscript>" + content + b"</noscript>")[len(b"<noscript>") : -len(b"</noscript>")]
        # the content is no page, so these are never those of the page
        content, _dropped = bounded(content)
        parts += html[written:start], (LexborHTMLParser(content, is_fragment=True).html or "").encode()
        written = end
    return b"".join((*parts, html[written:]))


def judge(bytes html not None):
    """Returns upper bounds of the cost of parsing a page (UTF-8), {name: number}, or None if a bound is exceeded.

    `tags` is an upper bound of the number of start tags. `nesting` is one of the depth of the stack of open elements,
    without <html> and <body>, and `reopened` one of the number of formatting elements that the parser creates again.
    `memory` is one of the bytes that the parser's tree takes, without attributes, texts and names: it counts tags, end
    tags, comments, and what the parser creates again. `hidden` is the number of further start tags that the parser
    may find; `tags` includes them, `nesting` and `reopened` do not. Raises MemoryError if there is not enough memory.
    """
    return _judge(html, True)[0]


def _judge(bytes html not None, bint trusting=False):
    """Returns (the bounds, as `judge`; offset of the content of an element of raw text that does not end, or -1; the
    <noscript> elements as in `_closed`, none if nothing stays open).

    If something stays open, the bounds are not those of the page. If `trusting`, no <noscript> is looked for."""
    cdef scan_t s
    cdef const char* p = html
    cdef size_t n = len(html)
    cdef uint64_t hidden
    cdef Py_ssize_t endless
    cdef bint fits
    if scan_init(&s, DEEPEST, 0) < 0:
        raise MemoryError
    s.trusting = trusting
    with nogil:
        _scan(p, n, &s)
        hidden = _hidden(p, n, &s)
        endless = s.endless - p if s.endless != NULL else -1
        fits = (
            not s.over
            and s.attributes <= ALL_ATTRIBUTES
            and s.crowded == 0
            and s.unknown <= ALL_UNKNOWN
            and s.roots <= ROOTS
            and s.ends <= ROOTS
            and (s.deepest + s.most_listed + hidden) * s.markup <= LOOK_UPS
            and s.reopened + hidden * s.tags <= REOPENED
        )
    try:
        loose = [(it.start - p, it.end - p, it.cut - p, it.open) for it in s.loose[: s.n_loose]]
    finally:
        scan_free(&s)
    if not any(is_open for _start, _end, _cut, is_open in loose):
        loose = []
    if not fits:
        return None, endless, loose
    bounds = {
        "tags": s.tags + hidden, "nesting": s.deepest + s.most_listed, "reopened": s.reopened, "hidden": hidden,
        "memory": TAG_MEMORY * s.markup + REOPENED_MEMORY * s.reopened + CLONED_MEMORY * s.cloned,
    }
    return bounds, endless, loose


def _judge_ended(bytes html not None):
    """Returns (the page, as `ended`; the bounds of this page, as `judge`)."""
    known = set()
    bounds, endless, loose = _judge(html)
    for _turn in range(2 * len(_ENDS)):
        mended = _ended(html, endless, known) if endless >= 0 else None
        if mended is None:
            break
        html = mended
        bounds, endless, loose = _judge(html)
    if loose and bounds is not None:
        html = _closed(html, loose)
        bounds = _judge(html, True)[0]
    return html, bounds


def ended(bytes html not None):
    """Returns the page with an end for everything that would swallow the rest of it: titles and other raw text without
    an end tag, and what begins inside a <noscript>."""
    return _judge_ended(html)[0]


def rewritten(bytes html not None, size_t nesting=512, size_t tags=450_000):
    """Returns (the page rewritten as well-nested HTML within these bounds, number of tags that were dropped).

    Each element has an end tag of its own, so that a page has half as many elements as `tags`.

    Raises MemoryError if there is not enough memory."""
    cdef const char* p = html
    cdef size_t n = len(html)
    cdef scan_t s
    if scan_init(&s, nesting, tags // 2) < 0:
        raise MemoryError
    try:
        # The new page can be longer than the page: a single `<` becomes four bytes, an element of three bytes
        # (`<b>`) gets an end tag of four bytes, a cell gets also the end tags of <tbody> and <tr>, and text in a
        # table gets a tag of five bytes before it.
        s.out = <char*> malloc(8 * n + 64)
        if s.out == NULL:
            raise MemoryError
        with nogil:
            _scan(p, n, &s)
        return s.out[: s.out_length], s.dropped
    finally:
        free(s.out)
        scan_free(&s)


def bounded(bytes html not None, size_t nesting=512, size_t tags=450_000):
    """Returns the page in a form that the parser can process safely, and the number of tags that were dropped.

    Args:
        html: the page as UTF-8.
        nesting: largest depth of nesting, in elements, of a rewritten page.
        tags: largest number of tags, end tags and comments, or of what takes the same memory in the parser's tree; a
            page with more is rewritten.

    Returns:
        (html, 0), usually with the same object, or (rewritten page, number of dropped tags) for a pathological page.

    Raises:
        MemoryError: there is not enough memory.
    """
    cdef const char* p = html
    if outgrows(p, p + len(html)):
        html = html.replace(b"&nGt;", "≫\u20d2".encode()).replace(b"&nLt;", "≪\u20d2".encode())
    html, bounds = _judge_ended(html)
    if bounds is not None and bounds["memory"] <= TAG_MEMORY * tags:
        return html, 0
    return rewritten(html, nesting, tags)
