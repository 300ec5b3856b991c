"""Escapes text, code and formulas for CommonMark with the tables of GitHub.

A backslash stands only before what might be read as markup at its place: `_` inside of a word and `*` between spaces
stay as they are. In doubt there is a backslash.
"""

from libc.string cimport memchr, memmove

from ncleaner.text._ascii cimport is_digit, is_letter
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, is_white, letter_case

cdef enum:
    PLAIN = 0
    SPECIAL = 1
    # Longest name of a character reference, in bytes; the longest one of HTML has 31.
    LONGEST_NAME = 40
    LONGEST_TEX = 5_000

cdef uint8_t classes[256]
for _c in range(256):
    classes[_c] = SPECIAL if chr(_c) in "\\`*_[]<&~$!|#^" else PLAIN


cdef inline bint _is_word(uint8_t c) noexcept nogil:
    return is_letter(c) or is_digit(c)


cdef inline bint _is_mark(uint8_t c) noexcept nogil:
    """Whether a byte is punctuation of ASCII, before which a backslash is no backslash."""
    return 33 <= c <= 126 and not _is_word(c)


cdef int kind_of_character(uint32_t code) noexcept nogil:
    """Returns SPACE, WORD, PUNCTUATION or, for what readers of Markdown may take for one or the other, OTHER."""
    if code <= 32 or code == 0xA0:
        return SPACE
    if letter_case(code) != NO_LETTER:
        return WORD
    if code < 0x80 or 0x2010 <= code <= 0x2027 or 0x2030 <= code <= 0x205E or 0x3001 <= code <= 0x3003 \
            or 0x3008 <= code <= 0x3011 or code == 0xAB or code == 0xBB or code == 0xA1 or code == 0xBF \
            or code == 0xFF01 or code == 0xFF08 or code == 0xFF09 or code == 0xFF0C or code == 0xFF0E \
            or code == 0xFF1A or code == 0xFF1B or code == 0xFF1F:
        return PUNCTUATION
    return OTHER


cdef int kind_before(const uint8_t* first, const uint8_t* p) noexcept nogil:
    """Returns the kind of the character before `p`; SPACE if the text begins there."""
    cdef const uint8_t* end = p
    cdef uint32_t code
    if p <= first:
        return SPACE
    p -= 1
    while p > first and (p[0] & 0xC0) == 0x80:
        p -= 1
    decode_utf8(p, <size_t> (end - p), &code)
    return kind_of_character(code)


cdef int kind_after(const uint8_t* p, const uint8_t* last) noexcept nogil:
    """Returns the kind of the character at `p`; SPACE if the text ends there."""
    cdef uint32_t code
    if p >= last:
        return SPACE
    decode_utf8(p, <size_t> (last - p), &code)
    return kind_of_character(code)


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
    if not is_tex(start, q):
        return p
    put_tex(out, start, q, display, flags & IN_CELL)
    return end


cdef void put_markdown(
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
            if flags & TYPESET:
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
        elif c == c'!':
            escaped = p + 1 == end and flags & IMAGES
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


cdef void put_code(out_t* out, const uint8_t* p, const uint8_t* end, bint in_cell) noexcept nogil:
    """Writes a code span."""
    cdef const uint8_t* q
    cdef size_t longest = 0, n = 0, _k
    cdef bint padded
    q = p
    while q < end:
        n = n + 1 if q[0] == c'`' else 0
        longest = max(longest, n)
        q += 1
    padded = p == end or p[0] == c'`' or (end - 1)[0] == c'`' or p[0] == c' ' and (end - 1)[0] == c' '
    for _k in range(longest + 1):
        put_byte(out, c"`")
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
    for _k in range(longest + 1):
        put_byte(out, c"`")


cdef bint is_tex(const uint8_t* p, const uint8_t* end) noexcept nogil:
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


cdef void put_tex(out_t* out, const uint8_t* p, const uint8_t* end, bint display, bint in_cell) noexcept nogil:
    """Writes a formula."""
    put(out, b"$$" if display else b"$")
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
    put(out, b"$$" if display else b"$")


# --------------------------------------------------------------------------------------------------
# Numbers, and text as HTML.


cdef void insert(out_t* out, size_t at, size_t length, const char* text) noexcept nogil:
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


cdef void put_attribute(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil:
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
