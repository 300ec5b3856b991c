"""Writes text of a page as Markdown that means itself, or as HTML: escaping, and the inline elements around runs.

A backslash stands only before what might be read as markup at its place: `_` inside of a word and `*` between spaces
stay as they are. In doubt there is a backslash.

Segments are written run by run. Each run has a set of inline elements around it. Where the set changes, elements are
closed and opened, so that they are always nested. Spaces between runs stand outside of what is closed and opened there.

Emphasis in Markdown begins and ends only beside certain characters. Whether it does is known at its end: if not,
`<strong>`, `<em>` or `<del>` takes its place at both sides.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memchr, memcmp, memmove, strlen

from ncleaner.document._marks cimport (
    MARK_IMAGE, MARK_LINK, MARK_LINK_END, MARK_MEDIA, STYLE_BOLD, STYLE_ITALIC, STYLE_LIGHT, STYLE_UPRIGHT,
)
from ncleaner.document._tables cimport segment_t, tables_t
from ncleaner.document._tags cimport (
    CONTEXT_ALT, CONTEXT_BOLD, CONTEXT_CODE, CONTEXT_ITALIC, CONTEXT_MARK, CONTEXT_QUOTE, CONTEXT_STRIKE, CONTEXT_SUB,
    CONTEXT_SUP, CONTEXT_UNDERLINE,
)
from ncleaner.markup._sheet cimport DISPLAY, extra_t, text_t
from ncleaner.text._ascii cimport is_digit, is_letter
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, is_punctuation, is_white, letter_case

cdef enum:
    # Where a text stands, besides what the .pxd has.
    IN_LINK = 1
    DOLLARS = 8           # a dollar sign may begin a formula
    TYPESET = 16          # formulas are in the text, in the delimiters of TeX
    TYPESET_DOLLARS = 32  # also in single dollar signs
    LINE_START = 64
    # Kinds of characters for those who look whether emphasis can begin or end.
    SPACE = 0
    WORD = 1
    PUNCTUATION = 2
    OTHER = 3
    # Classes of bytes.
    PLAIN = 0
    SPECIAL = 1
    # Marks between an image and the link around it.
    NEAR = 32
    # Longest name of a character reference, in bytes; the longest one of HTML has 31.
    LONGEST_NAME = 40
    LONGEST_TEX = 5_000

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

cdef uint8_t classes[256]
for _c in range(256):
    classes[_c] = SPECIAL if chr(_c) in "\\`*_[]<&~$!|#^" else PLAIN


cdef inline bint _is_word(uint8_t c) noexcept nogil:
    return is_letter(c) or is_digit(c)


cdef inline bint _is_mark(uint8_t c) noexcept nogil:
    """Whether a byte is punctuation of ASCII, before which a backslash is no backslash."""
    return 33 <= c <= 126 and not _is_word(c)


cdef int _kind_of_character(uint32_t code) noexcept nogil:
    """Returns SPACE, WORD, PUNCTUATION or, for what readers of Markdown may take for one or the other, OTHER."""
    if code <= 32 or code == 0xA0:
        return SPACE
    if letter_case(code) != NO_LETTER:
        return WORD
    if code < 0x80 or is_punctuation(code) or code == 0xFF01 or code == 0xFF08 or code == 0xFF09 or code == 0xFF0C \
            or code == 0xFF0E or code == 0xFF1A or code == 0xFF1B or code == 0xFF1F:
        return PUNCTUATION
    return OTHER


cdef int _kind_before(const uint8_t* first, const uint8_t* p) noexcept nogil:
    """Returns the kind of the character before `p`; SPACE if the text begins there."""
    cdef const uint8_t* end = p
    cdef uint32_t code
    if p <= first:
        return SPACE
    p -= 1
    while p > first and (p[0] & 0xC0) == 0x80:
        p -= 1
    decode_utf8(p, <size_t> (end - p), &code)
    return _kind_of_character(code)


cdef int _kind_after(const uint8_t* p, const uint8_t* last) noexcept nogil:
    """Returns the kind of the character at `p`; SPACE if the text ends there."""
    cdef uint32_t code
    if p >= last:
        return SPACE
    decode_utf8(p, <size_t> (last - p), &code)
    return _kind_of_character(code)


cdef bint _is_reference(const uint8_t* p, const uint8_t* last) noexcept nogil:
    """Whether what follows an ampersand makes it a character reference."""
    cdef const uint8_t* start = p
    if p < last and p[0] == c'#':
        p += 1
        start += 1
    while p < last and _is_word(p[0]) and p - start < LONGEST_NAME:
        p += 1
    return p > start and p < last and p[0] == c';'


cdef const uint8_t* _put_line_start(
    out_t* out, const uint8_t* p, const uint8_t* end, const uint8_t* last
) noexcept nogil:
    """Writes what would begin a block of another kind at the start of a line, with a backslash; returns its end."""
    cdef const uint8_t* q = p
    cdef uint8_t c = p[0]
    cdef uint8_t following = (p + 1)[0] if p + 1 < last else c' '
    if is_digit(c):
        while q < end and q - p < 10 and is_digit(q[0]):
            q += 1
        if q - p > 9 or q == end or q[0] != c'.' and q[0] != c')' or q + 1 < last and not is_white((q + 1)[0]):
            return p
        put_bytes(out, p, <size_t> (q - p))
    elif c == c'#':
        while q < last and q[0] == c'#':
            q += 1
        if q - p > 6 or q < last and not is_white(q[0]):
            return p
        q = p
    elif c == c'-' or c == c'+':
        if _is_word(following) or following >= 0x80:
            return p
    elif c != c'>' and c != c'=' and c != c'~' and c != c':' and c != c'|' and c != c'*' and c != c'[':
        return p
    put_byte(out, c"\\")
    put_byte(out, q[0])
    return q + 1


cdef bint _says_formula(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether text between delimiters is a formula also where no script typesets formulas: it has a command, a script
    or a relation, or is a letter. A regular expression in `\\(…\\)` has none of them before a letter."""
    if end - p == 1:
        return _is_word(p[0])
    while p + 1 < end:
        if (p[0] == c"\\" or p[0] == c"^" or p[0] == c"_") and ((p + 1)[0] == c"{" or _is_word((p + 1)[0])):
            return True
        if p[0] == c" " and ((p + 1)[0] == c"=" or (p + 1)[0] == c"<" or (p + 1)[0] == c"+"):
            return True
        p += 1
    return False


# Environments of formulas on lines of their own, and what they are inside of dollar signs.
cdef const char** ENVIRONMENTS = [
    b"equation", b"equation*", b"displaymath", b"align", b"align*", b"eqnarray", b"eqnarray*", b"gather", b"gather*",
    b"multline", b"multline*", b"aligned", b"gathered", b"cases", b"array", b"matrix", b"pmatrix", b"bmatrix",
    b"vmatrix", b"split",
]
cdef const char** INSIDE = [
    b"", b"", b"", b"aligned", b"aligned", b"aligned", b"aligned", b"gathered", b"gathered",
    b"gathered", b"gathered", b"aligned", b"gathered", b"cases", b"array", b"matrix", b"pmatrix", b"bmatrix",
    b"vmatrix", b"split",
]
cdef enum:
    N_ENVIRONMENTS = 20


cdef const uint8_t* _put_environment(out_t* out, const uint8_t* p, const uint8_t* end, int flags) noexcept nogil:
    """Writes the formula in an environment of TeX that begins at `p`, if one does; returns its end, or `p`."""
    cdef const uint8_t* name = p + 7
    cdef const uint8_t* q = name
    cdef const uint8_t* start
    cdef size_t n
    cdef int i
    while q < end and q[0] != c"}" and q - name < 12:
        q += 1
    n = <size_t> (q - name)
    if q >= end or q[0] != c"}":
        return p
    for i in range(N_ENVIRONMENTS):
        if n == strlen(ENVIRONMENTS[i]) and memcmp(name, ENVIRONMENTS[i], n) == 0:
            break
    else:
        return p
    start = q + 1
    q = start
    while q < end and not (
        <size_t> (end - q) >= n + 6 and memcmp(q, b"\\end{", 5) == 0 and memcmp(q + 5, name, n) == 0
        and (q + 5 + n)[0] == c"}"
    ):
        q += 1
    if q >= end or not _is_tex(start, q):
        return p
    put(out, b"$$")
    if INSIDE[i][0]:
        put(out, b"\\begin{")
        put(out, INSIDE[i])
        put(out, b"}")
    else:
        while start < q and is_white(start[0]):
            start += 1
    end = q + n + 6
    while q > start and is_white((q - 1)[0]):
        q -= 1
    _put_source(out, start, q, flags & IN_CELL)
    if INSIDE[i][0]:
        put(out, b"\\end{")
        put(out, INSIDE[i])
        put(out, b"}")
    put(out, b"$$")
    return end


cdef const uint8_t* _put_typeset(
    out_t* out, const uint8_t* p, const uint8_t* end, int flags
) noexcept nogil:
    """Writes the formula in the delimiters of TeX that begins at `p`, if one does; returns its end, or `p`."""
    cdef const uint8_t* start = p + 2
    cdef const uint8_t* q
    cdef const uint8_t* stop = end if end - p < LONGEST_TEX else p + LONGEST_TEX
    cdef uint8_t closing = 0
    cdef bint display
    if p[0] == c'$':
        display = p + 1 < end and (p + 1)[0] == c'$'
        if not display:
            if not flags & TYPESET_DOLLARS or p + 1 >= end or is_white((p + 1)[0]):
                return p
            start = p + 1
    elif p + 1 < end and ((p + 1)[0] == c'(' or (p + 1)[0] == c'['):
        display = (p + 1)[0] == c'['
        closing = c']' if display else c')'
    elif stop - p > 8 and memcmp(p, b"\\begin{", 7) == 0:
        return _put_environment(out, p, stop, flags)
    else:
        return p
    q = start
    while q < stop:
        if closing:
            if q[0] == c'\\' and q + 1 < stop and (q + 1)[0] == closing:
                break
        elif q[0] == c'$':
            if not display and not is_white((q - 1)[0]) or display and q + 1 < stop and (q + 1)[0] == c'$':
                break
        q += 1 + (q[0] == c'\\' and q + 1 < stop)
    if q >= stop:
        return p
    end = q + (2 if closing or display else 1)
    while start < q and is_white(start[0]):
        start += 1
    while start < q and is_white((q - 1)[0]):
        q -= 1
    if not _is_tex(start, q) or not flags & TYPESET and not _says_formula(start, q):
        return p
    _put_tex(out, start, q, display, flags & IN_CELL)
    return end


cdef void _put_markdown(
    out_t* out, const uint8_t* p, const uint8_t* end, const uint8_t* first, const uint8_t* last, int flags
) noexcept nogil:
    """Writes text so that it means itself.

    Args:
        p, end: the text.
        first, last: what it is a part of, without markup.
        flags: IN_LINK …
    """
    cdef const uint8_t* begin = p
    cdef const uint8_t* start
    cdef const uint8_t* after
    cdef uint8_t c, following, before
    cdef bint escaped
    if flags & LINE_START and p < end:
        p = _put_line_start(out, p, end, last)
    start = p
    while p < end:
        c = p[0]
        if classes[c] == PLAIN:
            p += 1
            continue
        following = (p + 1)[0] if p + 1 < last else c' '
        before = (p - 1)[0] if p > first else c' '
        escaped = False
        if c == c'\\' or c == c'$':
            put_bytes(out, start, <size_t> (p - start))
            after = _put_typeset(out, p, end, flags)
            start = after
            if after != p:
                p = after
                continue
            escaped = flags & DOLLARS > 0 if c == c'$' else _is_mark(following) or p + 1 == end
        elif c == c'`':
            escaped = True
        elif c == c'*':
            # at the ends, markup may stand beside it
            escaped = p == begin or p + 1 == end or not (is_white(before) and is_white(following))
        elif c == c'_':
            after = p
            while after < last and after[0] == c'_':
                after += 1
            while p > start and (p - 1)[0] == c'_':
                p -= 1
            # likewise
            escaped = not (p > begin and _is_word((p - 1)[0]) and after < end and _is_word(after[0]))
            put_bytes(out, start, <size_t> (p - start))
            if after > end:
                after = end
            while p < after:
                if escaped:
                    put_byte(out, c"\\")
                put_byte(out, c"_")
                p += 1
            start = p
            continue
        elif c == c'[':
            escaped = flags & IN_LINK > 0 or following == c'^' or before == c'!'
        elif c == c']':
            escaped = flags & IN_LINK > 0 or following == c'(' or following == c':' or following == c'['
        elif c == c'<':
            escaped = _is_word(following) or following == c'/' or following == c'!' or following == c'?' or p + 1 == end
        elif c == c'&':
            escaped = _is_reference(p + 1, last)
        elif c == c'~':
            escaped = p == begin or p + 1 == end or not is_white(before) or following == c'~'
        elif c == c'^':
            # `^[` begins a note, also where the bracket is that of a link
            escaped = following == c'[' or p + 1 == end and not flags & IN_LINK
        elif c == c'|':
            escaped = flags & IN_CELL > 0
        elif c == c'#':
            escaped = flags & IN_HEADING and (is_white(following) or following == c'#')
        if escaped:
            put_bytes(out, start, <size_t> (p - start))
            put_byte(out, c"\\")
            start = p
        p += 1
    put_bytes(out, start, <size_t> (p - start))


cdef size_t backticks(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the length of the longest sequence of backticks in a text."""
    cdef size_t longest = 0, n = 0
    while p < end:
        n = n + 1 if p[0] == c'`' else 0
        longest = max(longest, n)
        p += 1
    return longest


cdef void _put_code(out_t* out, const uint8_t* p, const uint8_t* end, bint in_cell) noexcept nogil:
    """Writes a code span."""
    cdef size_t fence = backticks(p, end) + 1
    cdef bint padded = p == end or p[0] == c'`' or (end - 1)[0] == c'`' or p[0] == c' ' and (end - 1)[0] == c' '
    put_times(out, c"`", fence)
    if padded:
        put_byte(out, c" ")
    while p < end:
        if in_cell and p[0] == c'|':
            # tables take the backslash away, also in code
            put_byte(out, c"\\")
        put_byte(out, c" " if is_white(p[0]) else p[0])
        p += 1
    if padded:
        put_byte(out, c" ")
    put_times(out, c"`", fence)


cdef bint _is_tex(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether TeX can stand between dollar signs: none is in it, and no backslash takes the last one away."""
    cdef const uint8_t* q = p
    if p >= end or memchr(p, c'$', <size_t> (end - p)) != NULL:
        return False
    while q < end:
        if q[0] == c'`' or q[0] < 32:
            return False
        q += 1
    q = end
    while q > p and (q - 1)[0] == c'\\':
        q -= 1
    return (end - q) % 2 == 0


cdef void _put_tex(out_t* out, const uint8_t* p, const uint8_t* end, bint display, bint in_cell) noexcept nogil:
    """Writes a formula."""
    put(out, b"$$" if display else b"$")
    _put_source(out, p, end, in_cell)
    # a space before the sign would make it one of money
    while out.data[out.size - 1] == c" " and out.data[out.size - 2] != c"\\":
        out.size -= 1
    put(out, b"$$" if display else b"$")


cdef void _put_source(out_t* out, const uint8_t* p, const uint8_t* end, bint in_cell) noexcept nogil:
    """Writes TeX."""
    while p < end:
        if in_cell and p[0] == c'\\' and p + 1 < end and (p + 1)[0] == c'|':
            put(out, b"\\Vert ")
            p += 2
            continue
        if p[0] == c'\\' and p + 1 < end:
            put_bytes(out, p, 2)
            p += 2
            continue
        if in_cell and p[0] == c'|':
            put(out, b"\\vert ")
        else:
            put_byte(out, p[0])
            # A space says nothing in TeX. Who reads Markdown without formulas finds no tag and no link in it.
            if p + 1 < end and (p[0] == c'<' and not is_white((p + 1)[0]) or p[0] == c']' and (p + 1)[0] == c'('):
                put_byte(out, c" ")
        p += 1


# --------------------------------------------------------------------------------------------------
# Numbers, and text as HTML.

cdef void _insert(out_t* out, size_t at, size_t length, const char* text) noexcept nogil:
    """Puts a text in the place of `length` bytes that have been written."""
    cdef size_t size = strlen(text)
    if size > length and not grow(
        <void**> &out.data, &out.cap, out.size + size - length, 1, &out.no_memory
    ):
        return
    memmove(out.data + at + size, out.data + at + length, out.size - at - length)
    memcpy(out.data + at, text, size)
    out.size += size - length


cdef void put_number(out_t* out, int number) noexcept nogil:
    """Writes a number in decimal digits."""
    cdef uint8_t digits[12]
    cdef int n = 12
    cdef long long left = number
    if left < 0:
        put_byte(out, c"-")
        left = -left
    while True:
        n -= 1
        digits[n] = <uint8_t> (c"0" + left % 10)
        left //= 10
        if not left:
            break
    put_bytes(out, digits + n, <size_t> (12 - n))


cdef void put_escaped(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Writes text as HTML."""
    cdef const uint8_t* start = p
    while p < end:
        if p[0] == c"&" or p[0] == c"<" or p[0] == c">":
            put_bytes(out, start, <size_t> (p - start))
            put(out, b"&amp;" if p[0] == c"&" else b"&lt;" if p[0] == c"<" else b"&gt;")
            start = p + 1
        p += 1
    put_bytes(out, start, <size_t> (p - start))


cdef void _put_attribute(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Writes the value of an attribute in double quotes; controls are blanks."""
    put_byte(out, c'"')
    while p < end:
        if p[0] == c'"':
            put(out, b"&quot;")
        elif p[0] < 32:
            put_byte(out, c" ")
        else:
            put_escaped(out, p, p + 1)
        p += 1
    put_byte(out, c'"')


# --------------------------------------------------------------------------------------------------
# Inline elements.

cdef void begin_line(line_t* line, const sheet_t* sheet, out_t* out, bint html, const out_t* prefix) noexcept nogil:
    """Makes a writer of text. `prefix` is NULL for HTML."""
    line.sheet = sheet
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

cdef inline const text_t* _address(const line_t* line, int32_t mark) noexcept nogil:
    """Returns the address of a link or an image, or the TeX of a formula; or NULL."""
    if line.sheet.addresses == NULL or line.sheet.addresses[mark].data == NULL:
        return NULL
    return &line.sheet.addresses[mark]


cdef int32_t _link_of(const line_t* line, int32_t run) noexcept nogil:
    """Returns the mark of the link around a run that is written, -1 for none."""
    cdef int32_t mark = line.sheet.extras[run].link - 1
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
    if kind == BOLD and line.sheet.extras[run].style & (STYLE_BOLD | STYLE_LIGHT):
        return line.sheet.extras[run].style & STYLE_BOLD
    if kind == ITALIC and line.sheet.extras[run].style & (STYLE_ITALIC | STYLE_UPRIGHT):
        return line.sheet.extras[run].style & STYLE_ITALIC != 0
    return line.sheet.t.runs[run].context >> BITS[kind] & 1


cdef void _open_link(line_t* line, const text_t* address) noexcept nogil:
    cdef const uint8_t* target = <const uint8_t*> address.data
    if not line.html:
        put(line.out, b"[")
        return
    put(line.out, b"<a href=")
    _put_attribute(line.out, target, target + address.length)
    put(line.out, b">")


cdef void _close_link(line_t* line, const text_t* address) noexcept nogil:
    if line.html:
        put(line.out, b"</a>")
        return
    put(line.out, b"](")
    put_bytes(line.out, address.data, <size_t> address.length)
    put(line.out, b")")


cdef void _escape_exclamation(out_t* out) noexcept nogil:
    """Escapes an exclamation mark at the end of the output: with a bracket behind it, it would begin an image."""
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
        before = _kind_before(first, p)
        p = out.data + at + size
        while p < out.data + out.size and p[0] == c'*' and kind != STRIKE:
            p += 1
        inside = _kind_after(p, out.data + out.size)
        line.tags[line.n] = inside != WORD and before != SPACE and before != PUNCTUATION \
            or before != SPACE and (before != PUNCTUATION or inside != WORD) and _is_in_emphasis(line, at)
        p = out.data + out.size
        while p > first and (p - 1)[0] == c'*' and kind != STRIKE:
            p -= 1
        inside = _kind_before(first, p)
        if inside != WORD and after != SPACE and after != PUNCTUATION:
            line.tags[line.n] = True
        if line.tags[line.n]:
            _insert(out, at, size, TAGS[kind])
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
    cdef const extra_t* extra = &line.sheet.extras[run]
    return not extra.link and not extra.style and not line.sheet.t.runs[run].context & CONTEXTS


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


cdef void _open(line_t* line, int32_t run) noexcept nogil:
    """Opens the elements around a run that are not open."""
    cdef int32_t link
    cdef int kind, i
    cdef bint found
    if _is_bare(line, run):
        return
    link = _link_of(line, run)
    for kind in range(INLINES):
        if _has(line, run, kind, link):
            found = False
            for i in range(line.n):
                found |= line.kinds[i] == kind
            if not found:
                _push(line, kind, link)


# --------------------------------------------------------------------------------------------------
# What stands between runs, and runs that are written otherwise.

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
    cdef const sheet_t* sheet = line.sheet
    cdef int flags = line.flags, i
    if line.html:
        put_escaped(line.out, p, end)
        return
    for i in range(line.n):
        if line.kinds[i] == LINK:
            flags |= IN_LINK
    if begins and not line.flags:
        flags |= LINE_START
    if sheet.has_formulas or sheet.typeset:
        flags |= DOLLARS
    if sheet.typeset:
        flags |= TYPESET | (TYPESET_DOLLARS if sheet.typeset == 2 else 0)
    _put_markdown(line.out, p, end, first, last, flags)


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
    cdef const text_t* address = _address(line, <int32_t> mark)
    cdef const text_t* target = NULL
    cdef const tables_t* t = line.sheet.t
    cdef Py_ssize_t link
    if address == NULL or mark + 1 >= t.n_marks:
        return
    link = link_around(t, line.sheet.kept, mark)
    if link >= 0:
        target = _address(line, <int32_t> link)
    if target != NULL:
        _open_link(line, target)
    _put_image(line, mark, address)
    if target != NULL:
        _close_link(line, target)


cdef void _put_image(line_t* line, Py_ssize_t mark, const text_t* address) noexcept nogil:
    cdef const tables_t* t = line.sheet.t
    cdef const uint8_t* alt = t.values + t.marks[mark + 1].value
    cdef const uint8_t* end = alt + t.marks[mark + 1].length
    if is_media(t, mark):
        _put_media(line, alt, end, address)
        return
    if line.html:
        put(line.out, b"<img src=")
        _put_attribute(line.out, <const uint8_t*> address.data, <const uint8_t*> address.data + address.length)
        put(line.out, b" alt=")
        _put_attribute(line.out, alt, end)
        put(line.out, b">")
        return
    put(line.out, b"!")
    _open_link(line, address)
    _put_alt(line, alt, end)
    _close_link(line, address)


cdef void _put_media(line_t* line, const uint8_t* title, const uint8_t* end, const text_t* address) noexcept nogil:
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
    cdef bint blank = False, begun = False
    while p < end:
        if p[0] <= 32 or p[0] == 127:
            blank = begun
            p += 1
            continue
        q = p
        while q < end and q[0] > 32 and q[0] != 127:
            q += 1
        if blank:
            put(line.out, b" ")
        _put_markdown(line.out, p, q, p, q, IN_LINK | (line.flags & IN_CELL))
        blank = False
        begun = True
        p = q


cdef bint _put_pictures(line_t* line, int32_t run) noexcept nogil:
    """Writes the images before a run, with a space around them. Returns whether there are any."""
    cdef bint found = False
    cdef Py_ssize_t mark = line.sheet.extras[run].image - 1
    cdef const tables_t* t = line.sheet.t
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
    """Returns whether an image stands in the line: inside of the segment, or at its beginning in the same block."""
    cdef const tables_t* t = line.sheet.t
    if run and t.runs[run].segment == t.runs[run - 1].segment:
        return True
    return t.marks[mark].element == t.runs[run].element


cdef int32_t _end_of_group(const line_t* line, int32_t run, int32_t last, bint code) noexcept nogil:
    """Returns the last run of a code span, or of a formula."""
    cdef const tables_t* t = line.sheet.t
    cdef const segment_t* s = &t.segments[t.runs[run].segment]
    while run < last:
        if line.sheet.extras[run + 1].breaks or line.sheet.extras[run + 1].image and line.sheet.images:
            break
        if code:
            if not t.runs[run + 1].context >> CONTEXT_CODE & 1 or line.sheet.extras[run + 1].formula \
                    or _link_of(line, run) != _link_of(line, run + 1) \
                    or line.sheet.extras[run + 1].code and t.runs[run].end < t.runs[run + 1].start:
                break
        elif line.sheet.extras[run + 1].formula != line.sheet.extras[run].formula:
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
    cdef const text_t* label = &line.sheet.labels[note]
    if line.html:
        put(line.out, b'<sup><a href="#note-')
        put_bytes(line.out, label.data, <size_t> label.length)
        put(line.out, b'">')
        put_escaped(line.out, p, end)
        put(line.out, b"</a></sup>")
        return
    _escape_exclamation(line.out)
    put(line.out, b"[^")
    put_bytes(line.out, label.data, <size_t> label.length)
    put(line.out, b"]")


# --------------------------------------------------------------------------------------------------

cdef void _put_runs(line_t* line, Py_ssize_t segment) noexcept nogil:
    """Writes a segment; at its end, no element is open."""
    cdef const sheet_t* sheet = line.sheet
    cdef const tables_t* t = sheet.t
    cdef const segment_t* s = &t.segments[segment]
    cdef const uint8_t* first = t.text + s.start
    cdef const uint8_t* last = t.text + s.end
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const uint8_t* tex
    cdef const uint8_t* stop
    cdef const text_t* written
    cdef int32_t run = s.first_run, through, note, following, plain
    cdef int n, after
    cdef bint begins = True, is_break, code, formula
    end = first
    while run <= s.last_run:
        p = t.text + t.runs[run].start + sheet.extras[run].skip
        through = run
        note = sheet.extras[run].note
        code = t.runs[run].context >> CONTEXT_CODE & 1
        formula = sheet.extras[run].formula > 0
        if note:
            while through < s.last_run and sheet.extras[through + 1].note == note \
                    and sheet.extras[through + 1].link == sheet.extras[run].link:
                through += 1
        elif formula or code:
            through = _end_of_group(line, run, s.last_run, code and not formula)
        is_break = sheet.extras[run].breaks > 0 and run > s.first_run
        if note < 0 or sheet.images and t.runs[run].context >> CONTEXT_ALT & 1:
            # a link back to the text, or the alternative text of an image that is written
            if sheet.extras[run].image and sheet.images:
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
        elif note > 0 or code or formula or _opens(line, plain, n) or sheet.extras[run].image and sheet.images:
            after = PUNCTUATION
        else:
            after = _kind_after(p, last)
        if sheet.extras[run].image and sheet.images:
            n = 0
        _close(line, n, after)
        if is_break:
            put_break(line)
            begins = True
        elif p > end and not begins and line.out.data[line.out.size - 1] != c" ":
            put(line.out, b" ")
        if sheet.images and sheet.extras[run].image and _put_pictures(line, run):
            begins = False
        end = t.text + t.runs[through].end
        if note > 0:
            _put_note(line, note - 1, p, end)
        else:
            _open(line, plain)
            tex, stop = p, end
            if formula and sheet.extras[run].tree:
                written = _address(line, sheet.extras[run].tree - 1)
                tex = stop = NULL
                if written != NULL:
                    tex = <const uint8_t*> written.data
                    stop = tex + written.length
            if formula and tex != NULL and (line.html or _is_tex(tex, stop) and not (end < last and is_digit(end[0]))):
                _put_formula(line, tex, stop, sheet.extras[run].formula & DISPLAY)
            elif code and not formula:
                if line.html:
                    put(line.out, b"<code>")
                    put_escaped(line.out, p, end)
                    put(line.out, b"</code>")
                else:
                    if line.coded == line.out.size:
                        # the signs of two spans would be read together
                        put(line.out, b" ")
                    _put_code(line.out, p, end, line.flags & IN_CELL)
                    line.coded = line.out.size
            else:
                _put_text(line, p, end, first, last, begins)
        note = sheet.extras[through].noted
        if note > 0:
            _close(line, 0, PUNCTUATION)
            written = &sheet.labels[note - 1]
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
    _put_tex(line.out, p, end, display, line.flags & IN_CELL)


cdef void put_segments(line_t* line, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Writes the kept ones of some segments, with a line break between two."""
    cdef const tables_t* t = line.sheet.t
    cdef const segment_t* s
    cdef const uint8_t* p
    cdef bint begun = False
    cdef Py_ssize_t i
    cdef int32_t run
    for i in range(first, last + 1):
        if not line.sheet.kept[i]:
            continue
        if begun:
            put_break(line)
        begun = True
        s = &t.segments[i]
        run = s.first_run
        if 0 <= run <= s.last_run < t.n_runs and memchr(t.text + s.start, c"\n", s.end - s.start) == NULL:
            _put_runs(line, i)
        else:
            # a segment of a document that has no runs, or preformatted text where there is no place for it
            p = t.text + s.start
            while p < t.text + s.end:
                p = _put_one_line(line, p, t.text + s.start, t.text + s.end)


cdef const uint8_t* _put_one_line(
    line_t* line, const uint8_t* p, const uint8_t* first, const uint8_t* last
) noexcept nogil:
    """Writes a line of a segment, after a line break if it is not the first one; returns where the next one begins."""
    cdef const uint8_t* end = line_end(p, last)
    cdef const uint8_t* stop = end
    if p > first:
        put_break(line)
    while p < stop and p[0] <= 32:
        p += 1
    while stop > p and (stop - 1)[0] <= 32:
        stop -= 1
    if p < stop:
        _put_text(line, p, stop, p, stop, True)
    return end + 1 if end < last else last


cdef void put_code_lines(line_t* line, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Writes preformatted text in a cell of Markdown: a code span for each line."""
    cdef const tables_t* t = line.sheet.t
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const uint8_t* stop
    cdef bint begun = False
    cdef Py_ssize_t i
    for i in range(first, last + 1):
        if not line.sheet.kept[i]:
            continue
        p = t.text + t.segments[i].start
        stop = t.text + t.segments[i].end
        while p < stop:
            end = line_end(p, stop)
            if end > p:
                if begun:
                    put_break(line)
                begun = True
                _put_code(line.out, p, end, True)
            p = end + 1
