"""Writes characters as Markdown that means itself, or as HTML: escaping, code, and the TeX of formulas.

A backslash is only before what might be read as markup at its place: `_` inside of a word and `*` between spaces
stay as they are. In doubt there is a backslash.
"""

from libc.stdint cimport uint32_t
from libc.stdio cimport snprintf
from libc.string cimport memchr, memcmp, memmove, strlen

from ncleaner.text._ascii cimport is_digit, is_letter, table_of
from ncleaner.text._letters cimport NO_LETTER, after_white, decode_utf8, is_punctuation, is_white, letter_case, strip

from ncleaner.text.wordlists import word_lists

cdef enum:
    # Classes of bytes.
    PLAIN, SPECIAL
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
    return _kind_of_character(code)


cdef int kind_after(const uint8_t* p, const uint8_t* last) noexcept nogil:
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


# `environments.txt` says what these are, and how to add one.
_NAMES = "environments, as written"
cdef const char** ENVIRONMENTS = table_of(word_lists("markup/environments", _NAMES)[_NAMES])


cdef const uint8_t* _put_environment(out_t* out, const uint8_t* p, const uint8_t* end, int flags) noexcept nogil:
    """Writes the formula in an environment of TeX that begins at `p`, if one does; returns its end, or `p`."""
    cdef const uint8_t* name = p + 7
    cdef const uint8_t* q = name
    cdef const char** each = ENVIRONMENTS
    while q < end and q[0] != c"}" and q - name < 12:
        q += 1
    cdef size_t n = <size_t> (q - name)
    while each[0] != NULL and not (strlen(each[0]) > n and memcmp(name, each[0], n) == 0 and each[0][n] == c":"):
        each += 1
    if q >= end or q[0] != c"}" or each[0] == NULL:
        return p
    cdef const char* inside = each[0] + n + 1
    cdef const uint8_t* start = q + 1
    q = start
    while q < end and not (
        <size_t> (end - q) >= n + 6 and memcmp(q, b"\\end{", 5) == 0 and memcmp(q + 5, name, n) == 0
        and (q + 5 + n)[0] == c"}"
    ):
        q += 1
    if q >= end or not is_tex(start, q):
        return p
    put(out, b"$$")
    if inside[0]:
        put(out, b"\\begin{")
        put(out, inside)
        put(out, b"}")
    else:
        start = after_white(start, q)
    end = q + n + 6
    while q > start and is_white((q - 1)[0]):
        q -= 1
    _put_source(out, start, q, flags & IN_CELL)
    if inside[0]:
        put(out, b"\\end{")
        put(out, inside)
        put(out, b"}")
    put(out, b"$$")
    return end


cdef const uint8_t* _put_typeset(
    out_t* out, const uint8_t* p, const uint8_t* end, int flags
) noexcept nogil:
    """Writes the formula in the delimiters of TeX that begins at `p`, if one does; returns its end, or `p`."""
    cdef const uint8_t* start = p + 2
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
    cdef const uint8_t* q = start
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
    strip(&start, &q)
    if not is_tex(start, q) or not flags & TYPESET and not _says_formula(start, q):
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
    cdef const uint8_t* after
    cdef uint8_t c, following, before
    cdef bint escaped
    if flags & LINE_START and p < end:
        p = _put_line_start(out, p, end, last)
    cdef const uint8_t* start = p
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
            # at the ends, markup may be beside it
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


cdef void put_code(out_t* out, const uint8_t* p, const uint8_t* end, bint in_cell) noexcept nogil:
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


cdef bint is_tex(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether TeX can be between dollar signs: none is in it, and no backslash takes the last one away."""
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
    cdef char[12] digits
    snprintf(digits, sizeof(digits), "%d", number)
    put(out, digits)


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
