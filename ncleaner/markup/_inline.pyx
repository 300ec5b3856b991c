"""Writes the segments of a page with the inline elements around their runs.

Segments are written run by run. Each run has a set of inline elements around it. Where the set changes, elements are
closed and opened, so that they are always nested. Spaces between runs are outside of what is closed and opened there.

Emphasis in Markdown begins and ends only beside certain characters. Whether it does is known at its end: if not,
`<strong>`, `<em>` or `<del>` takes its place at both sides.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memchr, strlen

from ncleaner.document._marks cimport (
    MARK_IMAGE, MARK_LINK, MARK_LINK_END, MARK_MEDIA, STYLE_BOLD, STYLE_ITALIC, STYLE_LIGHT, STYLE_UPRIGHT,
)
from ncleaner.document._tables cimport segment_t, tables_t
from ncleaner.document._tags cimport (
    CONTEXT_ALT, CONTEXT_BOLD, CONTEXT_CODE, CONTEXT_ITALIC, CONTEXT_MARK, CONTEXT_QUOTE, CONTEXT_STRIKE, CONTEXT_SUB,
    CONTEXT_SUP, CONTEXT_UNDERLINE,
)
from ncleaner.markup._blocks cimport DISPLAY, extra_t, given_t
from ncleaner.markup._escape cimport (
    DOLLARS, IN_CELL, IN_LINK, LINE_START, PUNCTUATION, SPACE, TYPESET, TYPESET_DOLLARS, WORD, insert, is_tex,
    kind_after, kind_before, line_end, out_t, put, put_attribute, put_between, put_byte, put_bytes, put_code,
    put_escaped, put_markdown, put_tex,
)
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport strip

# Marks between an image and the link around it, and runs through which an element is followed.
cdef enum:
    NEAR = 32

cdef const char** SIGNS = [b"[", b"~~", b"*", b"**", b"", b"", b"", b"<sup>", b"<sub>"]
cdef const char** TAGS = [
    b"", b"<del>", b"<em>", b"<strong>", b"<u>", b"<mark>", b"<q>", b"<sup>", b"<sub>",
]
cdef const char** CLOSING_TAGS = [
    b"</a>", b"</del>", b"</em>", b"</strong>", b"</u>", b"</mark>", b"</q>", b"</sup>", b"</sub>",
]
# The bit of each in the context of a run; the first is no link that is written.
cdef int* BITS = [
    -1, CONTEXT_STRIKE, CONTEXT_ITALIC, CONTEXT_BOLD, CONTEXT_UNDERLINE, CONTEXT_MARK, CONTEXT_QUOTE, CONTEXT_SUP,
    CONTEXT_SUB,
]
cdef uint32_t CONTEXTS = 0
for _k in range(1, INLINES):
    CONTEXTS |= <uint32_t> 1 << BITS[_k]


cdef void begin_line(line_t* line, const blocks_t* blocks, out_t* out, bint html, const out_t* prefix) noexcept nogil:
    """Makes a writer of text. `prefix` is NULL for HTML."""
    line.blocks = blocks
    line.out = out
    line.html = html
    line.prefix = prefix
    line.flags = 0
    line.flat = line.light = False
    line.n = 0
    line.closed = line.coded = <size_t> -1
    line.began = out.size


# --------------------------------------------------------------------------------------------------
# Opening and closing.

cdef inline const given_t* _address(const line_t* line, int32_t mark) noexcept nogil:
    """Returns the address of a link or an image, or the TeX of a formula; or NULL."""
    if line.blocks.addresses == NULL or line.blocks.addresses[mark].data == NULL:
        return NULL
    return &line.blocks.addresses[mark]


cdef int32_t _link_of(const line_t* line, int32_t run) noexcept nogil:
    """Returns the mark of the link around a run that is written, -1 for none."""
    cdef int32_t mark = line.blocks.extras[run].link - 1
    return mark if mark >= 0 and _address(line, mark) != NULL else -1


cdef bint _has(const line_t* line, int32_t run, int kind, int32_t link) noexcept nogil:
    """Returns whether an inline element is around a run; none is around -1."""
    if run < 0:
        return False
    if kind == LINK:
        return link >= 0 and _link_of(line, run) == link
    if line.light and kind == BOLD or not line.html and UNDERLINE <= kind <= QUOTED:
        return False
    # an inline style counts for more than the element
    if kind == BOLD and line.blocks.extras[run].style & (STYLE_BOLD | STYLE_LIGHT):
        return line.blocks.extras[run].style & STYLE_BOLD
    if kind == ITALIC and line.blocks.extras[run].style & (STYLE_ITALIC | STYLE_UPRIGHT):
        return line.blocks.extras[run].style & STYLE_ITALIC != 0
    return line.blocks.t.runs[run].context >> BITS[kind] & 1


cdef void _open_link(line_t* line, const given_t* address) noexcept nogil:
    cdef const uint8_t* target = <const uint8_t*> address.data
    if not line.html:
        put(line.out, b"[")
        return
    put(line.out, b"<a href=")
    put_attribute(line.out, target, target + address.length)
    put(line.out, b">")


cdef void _close_link(line_t* line, const given_t* address) noexcept nogil:
    if line.html:
        put(line.out, b"</a>")
        return
    put_between(line.out, b"](", address.data, <size_t> address.length, b")")


cdef void _escape_exclamation(out_t* out) noexcept nogil:
    """Escapes an exclamation mark at the end of the output: with a bracket after it, it would begin an image."""
    if out.size and out.data[out.size - 1] == c'!':
        out.data[out.size - 1] = c'\\'
        put_byte(out, c'!')


cdef void _push(line_t* line, int kind, int32_t link) noexcept nogil:
    cdef out_t* out = line.out
    cdef bint tag = line.html
    if line.n == INLINES:
        return
    if kind == LINK and not tag:
        _escape_exclamation(out)
    if not line.html and STRIKE <= kind <= BOLD and line.closed == out.size:
        # the signs of one that ends and one that begins would be read together
        tag = True
    line.kinds[line.n] = kind
    line.links[line.n] = link
    line.at[line.n] = out.size
    line.tags[line.n] = tag
    line.n += 1
    if not tag:
        put(out, SIGNS[kind])
    elif kind != LINK:
        put(out, TAGS[kind])
    else:
        _open_link(line, _address(line, link))


cdef bint _is_in_emphasis(const line_t* line, size_t at) noexcept nogil:
    """Returns whether signs at a place of the output are inside of emphasis, which they could end; those that begin
    together with it cannot."""
    cdef int i
    for i in range(line.n):
        if (line.kinds[i] == ITALIC or line.kinds[i] == BOLD) and not line.tags[i] \
                and line.at[i] + strlen(SIGNS[line.kinds[i]]) < at:
            return True
    return False


cdef void _pop(line_t* line, int after) noexcept nogil:
    """Closes the innermost element; `after` is the kind of the character that follows."""
    cdef out_t* out = line.out
    cdef const uint8_t* first
    cdef const uint8_t* p
    cdef size_t at, size
    cdef int kind, before, inside
    line.n -= 1
    kind = line.kinds[line.n]
    if line.html:
        put(out, CLOSING_TAGS[kind])
        return
    if kind == LINK:
        _close_link(line, _address(line, line.links[line.n]))
        return
    if not STRIKE <= kind <= BOLD:
        put(out, CLOSING_TAGS[kind])
        return
    at = line.at[line.n]
    size = strlen(SIGNS[kind])
    if not line.tags[line.n]:
        first = out.data + line.began
        p = out.data + at
        while p > first and (p - 1)[0] == c'*' and kind != STRIKE:
            p -= 1
        before = kind_before(first, p)
        p = out.data + at + size
        while p < out.data + out.size and p[0] == c'*' and kind != STRIKE:
            p += 1
        inside = kind_after(p, out.data + out.size)
        line.tags[line.n] = inside != WORD and before != SPACE and before != PUNCTUATION \
            or before != SPACE and (before != PUNCTUATION or inside != WORD) and _is_in_emphasis(line, at)
        p = out.data + out.size
        while p > first and (p - 1)[0] == c'*' and kind != STRIKE:
            p -= 1
        inside = kind_before(first, p)
        if inside != WORD and after != SPACE and after != PUNCTUATION:
            line.tags[line.n] = True
        if line.tags[line.n]:
            insert(out, at, size, TAGS[kind])
    if line.tags[line.n]:
        put(out, CLOSING_TAGS[kind])
    else:
        put(out, SIGNS[kind])
        line.closed = out.size


cdef int _wanted_below(const line_t* line, int32_t run) noexcept nogil:
    """Returns how many of the open elements are around a run, from the outermost on."""
    cdef int n = 0
    while n < line.n and _has(line, run, line.kinds[n], line.links[n]):
        n += 1
    return n


cdef inline bint _is_bare(const line_t* line, int32_t run) noexcept nogil:
    """Returns whether no inline element is around a run, as around most."""
    cdef const extra_t* extra = &line.blocks.extras[run]
    return not extra.link and not extra.style and not line.blocks.t.runs[run].context & CONTEXTS


cdef bint _opens(const line_t* line, int32_t run, int n) noexcept nogil:
    """Returns whether elements begin before a run, if the outermost `n` stay open."""
    cdef int kind, found = 0
    if _is_bare(line, run):
        return False
    for kind in range(INLINES):
        found += _has(line, run, kind, _link_of(line, run))
    return found > n


cdef void _close(line_t* line, int n, int after) noexcept nogil:
    while line.n > n:
        _pop(line, after)


cdef int32_t _reach(const line_t* line, int32_t run, int kind, int32_t link) noexcept nogil:
    """Returns through how many runs of a segment an inline element goes on that is not open; at most `NEAR`."""
    cdef int32_t end = run
    cdef int i
    for i in range(line.n):
        if line.kinds[i] == kind:
            return 0
    cdef int32_t last = min(run + NEAR, line.blocks.t.segments[line.blocks.t.runs[run].segment].last_run + 1)
    while end < last and _has(line, end, kind, link):
        end += 1
    return end - run


cdef void _open(line_t* line, int32_t run) noexcept nogil:
    """Opens the elements around a run that are not open, those that reach the farthest first."""
    cdef int32_t reach, farthest = 0
    cdef int kind, first = -1
    if _is_bare(line, run):
        return
    cdef int32_t link = _link_of(line, run)
    for kind in range(INLINES):
        reach = _reach(line, run, kind, link)
        if reach > farthest:
            first, farthest = kind, reach
    if first >= 0:
        _push(line, first, link)
        _open(line, run)


# --------------------------------------------------------------------------------------------------
# What is between runs, and runs that are written otherwise.

cdef void put_break(line_t* line) noexcept nogil:
    """Writes a line break."""
    if line.flat:
        put(line.out, b" ")
    elif line.html:
        put(line.out, b"<br>\n")
    elif line.flags & IN_CELL:
        put(line.out, b"<br>")
    else:
        put(line.out, b"\\\n")
        put_bytes(line.out, line.prefix.data, line.prefix.size)


cdef void _put_text(line_t* line, const uint8_t* p, const uint8_t* end, const uint8_t* first, const uint8_t* last,
                    bint begins) noexcept nogil:
    """Writes text of a run, which `begins` a line."""
    cdef const blocks_t* blocks = line.blocks
    cdef int flags = line.flags, i
    if line.html:
        put_escaped(line.out, p, end)
        return
    for i in range(line.n):
        if line.kinds[i] == LINK:
            flags |= IN_LINK
    if begins and not line.flags:
        flags |= LINE_START
    if blocks.has_formulas or blocks.typeset:
        flags |= DOLLARS
    if blocks.typeset:
        flags |= TYPESET | (TYPESET_DOLLARS if blocks.typeset == 2 else 0)
    put_markdown(line.out, p, end, first, last, flags)


cdef bint is_media(const tables_t* t, Py_ssize_t image) noexcept nogil:
    """Returns whether the mark of an image is that of a video, a sound or a player."""
    return image > 0 and t.marks[image - 1].kind == MARK_MEDIA


cdef Py_ssize_t link_around(const tables_t* t, const uint8_t* kept, Py_ssize_t image) noexcept nogil:
    """Returns the mark of the link that is around an image and has no kept text, -1 for none."""
    cdef Py_ssize_t mark = image, end = image
    cdef uint32_t run = t.marks[image].run
    while mark > 0 and mark > image - NEAR and t.marks[mark - 1].run == run:
        mark -= 1
        if t.marks[mark].kind == MARK_LINK_END:
            break
        if t.marks[mark].kind == MARK_LINK:
            while end < t.n_marks and end < image + NEAR and t.marks[end].kind != MARK_LINK_END:
                end += 1
            if end == t.n_marks or t.marks[end].kind != MARK_LINK_END \
                    or t.marks[end].run > min(run + NEAR, <uint32_t> t.n_runs):
                return -1
            while run < t.marks[end].run:
                if kept[t.runs[run].segment]:
                    return -1
                run += 1
            return mark
    return -1


cdef void put_picture(line_t* line, Py_ssize_t mark) noexcept nogil:
    """Writes an image, with the link around it if this has no text."""
    cdef const given_t* address = _address(line, <int32_t> mark)
    cdef const given_t* target = NULL
    cdef const tables_t* t = line.blocks.t
    if address == NULL or mark + 1 >= t.n_marks:
        return
    cdef Py_ssize_t link = link_around(t, line.blocks.kept, mark)
    if link >= 0:
        target = _address(line, <int32_t> link)
    if target != NULL:
        _open_link(line, target)
    _put_image(line, mark, address)
    if target != NULL:
        _close_link(line, target)


cdef void _put_image(line_t* line, Py_ssize_t mark, const given_t* address) noexcept nogil:
    cdef const tables_t* t = line.blocks.t
    cdef const uint8_t* alt = t.values + t.marks[mark + 1].value
    cdef const uint8_t* end = alt + t.marks[mark + 1].length
    if is_media(t, mark):
        _put_media(line, alt, end, address)
        return
    if line.html:
        put(line.out, b"<img src=")
        put_attribute(line.out, <const uint8_t*> address.data, <const uint8_t*> address.data + address.length)
        put(line.out, b" alt=")
        put_attribute(line.out, alt, end)
        put(line.out, b">")
        return
    put(line.out, b"!")
    _open_link(line, address)
    _put_alt(line, alt, end)
    _close_link(line, address)


cdef void _put_media(line_t* line, const uint8_t* title, const uint8_t* end, const given_t* address) noexcept nogil:
    """Writes a video or a sound as a link with its title, or else its address."""
    if title == end:
        title = <const uint8_t*> address.data
        end = title + address.length
    _open_link(line, address)
    if line.html:
        put_escaped(line.out, title, end)
    else:
        _put_alt(line, title, end)
    _close_link(line, address)


cdef void _put_alt(line_t* line, const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Writes an alternative text: one line without controls, whose white space at the ends is left out."""
    cdef const uint8_t* q
    cdef bint begun = False
    while p < end:
        q = p
        while q < end and q[0] > 32 and q[0] != 127:
            q += 1
        if p < q and begun:
            put(line.out, b" ")
        put_markdown(line.out, p, q, p, q, IN_LINK | (line.flags & IN_CELL))
        begun |= p < q
        p = q + 1


cdef bint _put_pictures(line_t* line, int32_t run) noexcept nogil:
    """Writes the images before a run, with a space around them. Returns whether there are any."""
    cdef bint found = False
    cdef Py_ssize_t mark = line.blocks.extras[run].image - 1
    cdef const tables_t* t = line.blocks.t
    while mark < t.n_marks and t.marks[mark].run == <uint32_t> run:
        if t.marks[mark].kind == MARK_IMAGE and _address(line, <int32_t> mark) != NULL and _is_in_line(line, run, mark):
            if line.out.size and line.out.data[line.out.size - 1] > 32:
                put(line.out, b" ")
            put_picture(line, mark)
            put(line.out, b" ")
            found = True
        mark += 1
    return found


cdef bint _is_in_line(const line_t* line, int32_t run, Py_ssize_t mark) noexcept nogil:
    """Returns whether an image is in the line: inside of the segment, or at its beginning in the same block."""
    cdef const tables_t* t = line.blocks.t
    return run and t.runs[run].segment == t.runs[run - 1].segment or t.marks[mark].element == t.runs[run].element


cdef int32_t _end_of_group(const line_t* line, int32_t run, int32_t last, bint code) noexcept nogil:
    """Returns the last run of a code span, or of a formula."""
    cdef const tables_t* t = line.blocks.t
    cdef const segment_t* s = &t.segments[t.runs[run].segment]
    while run < last:
        if line.blocks.extras[run + 1].breaks or line.blocks.extras[run + 1].image and line.blocks.images:
            break
        if code:
            if not t.runs[run + 1].context >> CONTEXT_CODE & 1 or line.blocks.extras[run + 1].formula \
                    or _link_of(line, run) != _link_of(line, run + 1) \
                    or line.blocks.extras[run + 1].code and t.runs[run].end < t.runs[run + 1].start:
                break
        elif line.blocks.extras[run + 1].formula != line.blocks.extras[run].formula:
            break
        run += 1
    return run if run <= s.last_run else s.last_run


cdef int32_t _plainest(const line_t* line, int32_t run, int32_t last) noexcept nogil:
    """Returns the run of a code span with the fewest inline elements: those around a part of it are left out."""
    cdef int32_t found = run
    cdef int kind, n, fewest = INLINES
    while fewest and run <= last:
        n = 0
        for kind in range(STRIKE, INLINES):
            n += _has(line, run, kind, -1)
        if n < fewest:
            fewest, found = n, run
        run += 1
    return found


cdef void _put_note(line_t* line, int32_t note, const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Writes a reference to a footnote."""
    cdef const given_t* label = &line.blocks.labels[note]
    if line.html:
        put_between(line.out, b'<sup><a href="#note-', label.data, <size_t> label.length, b'">')
        put_escaped(line.out, p, end)
        put(line.out, b"</a></sup>")
        return
    _escape_exclamation(line.out)
    put_between(line.out, b"[^", label.data, <size_t> label.length, b"]")


# --------------------------------------------------------------------------------------------------

cdef void _put_runs(line_t* line, Py_ssize_t segment) noexcept nogil:
    """Writes a segment; at its end, no element is open."""
    cdef const blocks_t* blocks = line.blocks
    cdef const tables_t* t = blocks.t
    cdef const segment_t* s = &t.segments[segment]
    cdef const uint8_t* first = t.text + s.start
    cdef const uint8_t* last = t.text + s.end
    cdef const uint8_t* p
    cdef const given_t* written
    cdef int32_t run = s.first_run, through, note, following, plain
    cdef int n, after
    cdef bint begins = True, is_break, code, formula
    cdef const uint8_t* end = first
    while run <= s.last_run:
        p = t.text + t.runs[run].start + blocks.extras[run].skip
        through = run
        note = blocks.extras[run].note
        code = t.runs[run].context >> CONTEXT_CODE & 1
        formula = blocks.extras[run].formula > 0
        if note:
            while through < s.last_run and blocks.extras[through + 1].note == note \
                    and blocks.extras[through + 1].link == blocks.extras[run].link:
                through += 1
        elif formula or code:
            through = _end_of_group(line, run, s.last_run, code and not formula)
        is_break = blocks.extras[run].breaks > 0 and run > s.first_run
        if note < 0 or blocks.images and t.runs[run].context >> CONTEXT_ALT & 1:
            # a link back to the text, or the alternative text of an image that is written
            if blocks.extras[run].image and blocks.images:
                _close(line, 0, PUNCTUATION)
                _put_pictures(line, run)
            end = t.text + t.runs[through].end
            run = through + 1
            continue
        # what ends before this run, a space, and what begins
        plain = _plainest(line, run, through) if through > run and code and not formula else run
        following = -1 if note > 0 else plain
        n = _wanted_below(line, following)
        if is_break or p > end:
            after = SPACE
        elif note > 0 or code or formula or _opens(line, plain, n) or blocks.extras[run].image and blocks.images:
            after = PUNCTUATION
        else:
            after = kind_after(p, last)
        if blocks.extras[run].image and blocks.images:
            n = 0
        _close(line, n, after)
        if is_break:
            put_break(line)
            begins = True
        elif p > end and not begins and line.out.data[line.out.size - 1] != c" ":
            put(line.out, b" ")
        if blocks.images and blocks.extras[run].image and _put_pictures(line, run):
            begins = False
        end = t.text + t.runs[through].end
        if note > 0:
            _put_note(line, note - 1, p, end)
        else:
            _open(line, plain)
            if formula and (line.html or is_tex(p, end) and not (end < last and is_digit(end[0]))):
                _put_formula(line, p, end, blocks.extras[run].formula & DISPLAY)
            elif code and not formula:
                if line.html:
                    put(line.out, b"<code>")
                    put_escaped(line.out, p, end)
                    put(line.out, b"</code>")
                else:
                    if line.coded == line.out.size:
                        # the signs of two spans would be read together
                        put(line.out, b" ")
                    put_code(line.out, p, end, line.flags & IN_CELL)
                    line.coded = line.out.size
            else:
                _put_text(line, p, end, first, last, begins)
        note = blocks.extras[through].noted
        if note > 0:
            _close(line, 0, PUNCTUATION)
            written = &blocks.labels[note - 1]
            _put_note(line, note - 1, <const uint8_t*> written.data, <const uint8_t*> written.data + written.length)
        begins = False
        run = through + 1
    _close(line, 0, SPACE)


cdef void _put_formula(line_t* line, const uint8_t* p, const uint8_t* end, bint display) noexcept nogil:
    if line.html:
        put(line.out, b"\\[" if display else b"\\(")
        put_escaped(line.out, p, end)
        put(line.out, b"\\]" if display else b"\\)")
        return
    if line.out.size > line.began and line.out.data[line.out.size - 1] == c"$":
        # the signs of two formulas would be read together
        put(line.out, b" ")
    put_tex(line.out, p, end, display, line.flags & IN_CELL)


cdef void put_segments(line_t* line, Py_ssize_t first, Py_ssize_t last, bint code=False) noexcept nogil:
    """Writes the kept ones of some segments, with a line break between two; with `code`, a code span for each line."""
    cdef const tables_t* t = line.blocks.t
    cdef const segment_t* s
    cdef bint begun = False
    cdef Py_ssize_t i
    for i in range(first, last + 1):
        if not line.blocks.kept[i]:
            continue
        if begun:
            put_break(line)
        begun = True
        s = &t.segments[i]
        if not code and 0 <= s.first_run <= s.last_run < t.n_runs \
                and memchr(t.text + s.start, c"\n", s.end - s.start) == NULL:
            _put_runs(line, i)
        else:
            # a segment of a document that has no runs, or preformatted text where there is no place for it
            _put_lines(line, t.text + s.start, t.text + s.end, code)


cdef void _put_lines(line_t* line, const uint8_t* p, const uint8_t* last, bint code) noexcept nogil:
    """Writes the lines of a text that are not empty, with a line break between two."""
    cdef const uint8_t* end
    cdef const uint8_t* stop
    cdef bint begun = False
    while p < last:
        end = stop = line_end(p, last)
        if not code:
            strip(&p, &stop)
        if p < stop and begun:
            put_break(line)
        if p < stop:
            begun = True
            if code:
                put_code(line.out, p, stop, True)
            else:
                _put_text(line, p, stop, p, stop, True)
        p = end + 1
