"""The lines of a plain text, and the marks at their beginnings: bullets, enumerations, quotes.

Lines end with LF, CRLF or CR. White space at their ends does not count. The functions read UTF-8 in place and copy
nothing.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport realloc
from libc.string cimport memchr, memcmp, strlen

from ncleaner.text._ascii cimport begins, is_digit, is_letter
from ncleaner.text._letters cimport after_white, decode_utf8, enumeration_end, is_blank, is_white

cdef enum:
    TAB = 8
    # The letters of a name before `>`, such as `JD> `.
    NAME = 12
    # The first character of the scripts that are written without spaces.
    IDEOGRAPH = 0x2E80
    # Longest `From ` line of a mailbox, in bytes.
    LONGEST_FROM = 1_000


cdef inline size_t _space_width(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the bytes of the white space character at `p`, as Python's `str.isspace` defines it; 0 if it is none."""
    cdef uint8_t c = p[0]
    if c < 0x80:
        return 1 if is_white(c) or 0x1C <= c <= 0x1F else 0
    if c == 0xC2:
        return 2 if end - p > 1 and (p[1] == 0x85 or p[1] == 0xA0) else 0
    if end - p < 3:
        return 0
    if c == 0xE1:
        return 3 if p[1] == 0x9A and p[2] == 0x80 else 0
    if c == 0xE2:
        if p[1] == 0x80:
            return 3 if p[2] <= 0x8A or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF else 0
        return 3 if p[1] == 0x81 and p[2] == 0x9F else 0
    return 3 if c == 0xE3 and p[1] == 0x80 and p[2] == 0x80 else 0


cdef bint _is_blank(const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef size_t width
    while p < end:
        width = _space_width(p, end)
        if not width:
            return False
        p += width
    return True


cdef bint has_returns(const uint8_t* text, size_t length) noexcept nogil:
    """Returns whether a text has CR, so that lines may end without LF."""
    return memchr(text, c'\r', length) != NULL


cdef const uint8_t* _line_end(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns a pointer to the first CR or LF from `p` on, or `end`.

    Each is looked for in pieces that grow: a text may have only one of them, and lines are looked for from each one."""
    cdef const uint8_t* found
    cdef const uint8_t* sooner
    cdef size_t size = 256
    while p < end:
        size = min(size, <size_t> (end - p))
        found = <const uint8_t*> memchr(p, c'\n', size)
        sooner = <const uint8_t*> memchr(p, c'\r', <size_t> (found - p) if found != NULL else size)
        if sooner != NULL:
            return sooner
        if found != NULL:
            return found
        p += size
        size *= 2
    return end


cdef uint32_t _continuations(const uint8_t* p, size_t length) noexcept nogil:
    """Returns the number of bytes after the first one of a character. Compilers make vectors of the inner loop."""
    cdef uint32_t found = 0
    cdef uint8_t count
    cdef size_t k
    while length >= 32:
        count = 0
        for k in range(32):
            count += <uint8_t> ((p[k] & 0xC0) == 0x80)
        found += count
        p += 32
        length -= 32
    for k in range(length):
        found += (p[k] & 0xC0) == 0x80
    return found


cdef const uint8_t* read_line(
    const uint8_t* text, const uint8_t* p, const uint8_t* end, bint returns, bint measured, line_t* line
) noexcept nogil:
    """Reads the line at `p`, before `end`; returns where the next one begins.

    Args:
        text: the beginning of the text, from which offsets count.
        returns: whether the text has CR.
        measured: whether indentation, size and width are needed.
    """
    cdef const uint8_t* stop
    cdef const uint8_t* first = p
    cdef const uint8_t* at
    cdef uint32_t column = 0, tab
    if returns:
        stop = _line_end(p, end)
    else:
        stop = <const uint8_t*> memchr(p, c'\n', <size_t> (end - p))
        if stop == NULL:
            stop = end
    cdef const uint8_t* after = stop
    if stop < end:
        after += 2 if stop[0] == c'\r' and end - stop > 1 and stop[1] == c'\n' else 1
    line.flags = 0
    line.indent = line.size = line.width = 0
    if p < stop and p[0] == c'\f':
        line.flags = FEED
        while p < stop and p[0] == c'\f':
            p += 1
        first = p
    if stop - p == 3 and p[0] == c'-' and p[1] == c'-' and p[2] == c' ' and not line.flags:
        line.flags |= SEPARATOR
    while stop > p and is_white((stop - 1)[0]):
        stop -= 1
    if measured:
        while p < stop and is_white(p[0]):
            column = (column // TAB + 1) * TAB if p[0] == c'\t' else column + 1
            p += 1
    else:
        p = after_white(p, stop)
    if p == stop or ((p[0] >= 0x80 or p[0] < 0x20) and _is_blank(p, stop)):
        line.start = line.end = <uint32_t> (p - text)
        return after
    line.start = <uint32_t> (p - text)
    line.end = <uint32_t> (stop - text)
    if not measured:
        return after
    if first[0] == c' ' or first[0] == c'\t':
        line.flags |= SPACED
    line.indent = column
    tab = 0
    if memchr(p, c'\t', <size_t> (stop - p)) != NULL:
        at = p
        while at < stop:
            if at[0] == c'\t':
                tab += TAB - column % TAB - 1
                column = (column // TAB + 1) * TAB
            else:
                column += 1
            at += 1
    line.size = line.indent + <uint32_t> (stop - p) + tab
    line.width = line.size - _continuations(p, <size_t> (stop - p))
    if not column and p[0] == c'F' and is_from_line(p, <size_t> (stop - p)):
        line.flags |= STRICT_FROM
    return after


cdef bint read_lines(const uint8_t* text, size_t length, lines_t* lines) noexcept nogil:
    """Adds all lines of a text to a table, which the caller frees; returns False if there is not enough memory."""
    cdef const uint8_t* p = text
    cdef const uint8_t* end = text + length
    cdef bint returns = has_returns(text, length)
    cdef line_t* moved
    cdef size_t cap
    while p < end:
        if lines.n == lines.cap:
            cap = 2 * lines.cap if lines.cap else length // 32 + 16
            moved = <line_t*> realloc(lines.rows, cap * sizeof(line_t))
            if moved == NULL:
                return False
            lines.rows = moved
            lines.cap = cap
        p = read_line(text, p, end, returns, True, &lines.rows[lines.n])
        lines.n += 1
    return True


# --------------------------------------------------------------------------------------------------
# Marks.

cdef size_t bullet_length(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the bytes of the bullet at the beginning of a line, without the white space after it; 0 if none.

    Lynx marks nested list items by level: * + o # @ -. Other dumpers and authors use the other characters.
    """
    cdef size_t width = 0
    if p == end:
        return 0
    cdef uint8_t c = p[0]
    if c < 0x80:
        if c == c'*' or c == c'+' or c == c'o' or c == c'#' or c == c'@' or c == c'=' or c == c'~' or c == c'-':
            width = 1
    elif c == 0xE2 and end - p > 3:
        if (
            (p[1] == 0x80 and (p[2] == 0xA2 or p[2] == 0xA3)) or (p[1] == 0x96 and p[2] == 0xAA)
            or (p[1] == 0x97 and (p[2] == 0x8F or p[2] == 0xA6))
        ):
            width = 3
    elif c == 0xC2 and end - p > 2 and p[1] == 0xB7:
        width = 2
    # the line has no white space at its end; `* * *` is a rule, and `- 3 -` the number of a page
    return width if width and p + width < end and is_white(p[width]) and not (end[-1] == c and is_white(end[-2])) else 0


cdef size_t enumeration_length(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the bytes of the enumeration at the beginning of a line, without the white space after it; 0 if none."""
    cdef int kind
    cdef const uint8_t* at = enumeration_end(p, end, &kind)
    return <size_t> (at - p) if at != NULL and at < end and is_white(at[0]) else 0


cdef uint32_t first_word(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the length of the first word in code points, or 1 if it begins with an ideograph.

    A line had no room for more if it had none for that many characters of the next one.
    """
    cdef uint32_t code, n = 0
    cdef size_t width
    while p < end:
        width = _space_width(p, end)
        if width:
            if n:
                break
            p += width
            continue
        width = decode_utf8(p, <size_t> (end - p), &code)
        if not n and code >= IDEOGRAPH:
            return 1
        n += 1
        p += width
    return n


cdef size_t quote_length(const uint8_t* text, const line_t* line) noexcept nogil:
    """Returns the bytes of the quotation prefix of a line, without its indentation; 0 if the line is not quoted.

    Mail and news readers mark quoted lines with `> `, `>> `, `> > `, `| `, `JD> `, and mixtures of these. The mark is
    in the first or second column: text that Lynx indents further is part of a page.
    """
    cdef const uint8_t* p = text + line.start
    cdef const uint8_t* end = text + line.end
    cdef const uint8_t* found = p
    cdef const uint8_t* at
    cdef uint32_t column = line.indent
    cdef uint8_t closing
    if line.indent > 1 or (line.indent and not line.flags & SPACED):
        return 0
    # In a mailbox, a line that begins with `From ` starts a message. Such a line in the text of a message is masked.
    if not line.indent and end - p >= 6 and memcmp(p, b">From ", 6) == 0:
        return 0
    while p < end:
        at = p
        if p[0] == c'|':
            at = p + 1
            if at < end and not (at[0] == c' ' or at[0] == c'\t'):
                break
            if memchr(at, c'|', <size_t> (end - at)) != NULL:
                break
        else:
            if p[0] != c'>':
                if not c'A' <= p[0] <= c'Z':
                    break
                while at < end and at - p < NAME and is_letter(at[0]):
                    at += 1
                if at == end or at[0] != c'>':
                    break
                closing = (at + 1)[0] if at + 1 < end else c' '
                if closing != c' ' and closing != c'\t' and closing != c'>':
                    break
            at += 1
        column += <uint32_t> (at - p)
        found = at
        if at < end and (at[0] == c' ' or at[0] == c'\t'):
            found = at + 1
            if at[0] == c'\t' and column % TAB != TAB - 1:
                # the tab is several spaces
                break
            column += 1
            at += 1
        p = at
    return <size_t> (found - text - line.start)


# --------------------------------------------------------------------------------------------------
# Mailboxes.

cdef const char* DAYS = b"MonTueWedThuFriSatSun"
cdef const char* MONTHS = b"JanFebMarAprMayJunJulAugSepOctNovDec"


cdef inline bint _is_one_of(const uint8_t* p, const char* names, int n) noexcept nogil:
    cdef int i
    for i in range(n):
        if memcmp(p, names + 3 * i, 3) == 0:
            return True
    return False


cdef bint is_from_line(const uint8_t* p, size_t length) noexcept nogil:
    """Returns whether a line is one with which a message in a mailbox begins: an address, and a date as by `asctime`.

    `From jane@harbour.example Mon Jan  1 10:00:00 2001`: the address may have spaces (`jane at harbour.example`), the
    seconds may be missing, and names of time zones may be before or after the year.
    """
    cdef const uint8_t* end = p + length
    if length < 24 or length > LONGEST_FROM or memcmp(p, b"From ", 5) != 0 or p[5] == c' ':
        return False
    cdef const uint8_t* at = p + 6
    # ` Mon Jan 11 10:00`
    while end - at >= 17:
        if (
            at[0] == c' ' and at[4] == c' ' and at[8] == c' ' and _is_one_of(at + 1, DAYS, 7)
            and _is_one_of(at + 5, MONTHS, 12)
        ):
            at += 9
            if at[0] == c' ':
                at += 1
            while at < end and is_digit(at[0]):
                at += 1
            if end - at < 6 or not (
                at[0] == c' ' and is_digit(at[1]) and is_digit(at[2]) and at[3] == c':' and is_digit(at[4])
                and is_digit(at[5])
            ):
                return False
            at += 6
            # the year
            while end - at >= 5:
                if (
                    at[0] == c' ' and (at[1] == c'1' or at[1] == c'2') and is_digit(at[2]) and is_digit(at[3])
                    and is_digit(at[4]) and (end - at == 5 or not is_digit(at[5]))
                ):
                    return True
                at += 1
            return False
        at += 1
    return False


def is_mailbox_line(bytes line not None):
    """Returns whether a line, without its line break, is one with which a message in a mailbox begins."""
    return is_from_line(<const uint8_t*> <const char*> line, len(line))


# --------------------------------------------------------------------------------------------------
# Where a text may be cut.

def lines_with(bytes text not None, Py_ssize_t end, bytes beginning not None):
    """Finds the lines of a text that begin with certain bytes, or with a byte order mark of UTF-8 and these bytes.

    Args:
        text: which begins with a line.
        end: lines that begin at this place or after it do not count, and no line goes beyond it.
        beginning: the bytes, without a line feed.

    Returns:
        A list with the place of each line and the line with its line feed.
    """
    cdef const char* start = text
    cdef const char* p = start
    cdef const char* stop = start + min(end, len(text))
    cdef const char* line
    cdef const char* feed
    cdef const char* wanted = beginning
    cdef Py_ssize_t length = len(beginning)
    cdef list found = []
    while p < stop:
        feed = <const char*> memchr(p, c'\n', <size_t> (stop - p))
        feed = stop if feed == NULL else feed + 1
        line = p + 3 if feed - p >= 3 and memcmp(p, b"\xef\xbb\xbf", 3) == 0 else p
        if feed - line >= length and memcmp(line, wanted, <size_t> length) == 0:
            found.append((p - start, p[: feed - p]))
        p = feed
    return found


def find_cut(const uint8_t[::1] text not None, size_t start, size_t end, bint by_line):
    """Finds the first place in bytes at which a text may be cut between paragraphs.

    It is the beginning of a line that has more than white space, and that is read to its end. The line before is empty,
    unless each line is a paragraph. The line has neither `>` nor `|`: whether it is quoted depends on the lines before.

    Args:
        text: the beginning of the text, in any encoding that contains ASCII.
        start, end: the first place that comes into question, and the end of the bytes that count.
        by_line: whether each line is a paragraph.

    Returns:
        The place, or 0 if there is none; and where the search goes on when there is more text.
    """
    cdef const uint8_t* line_end
    cdef bint empty, blank
    if start < 1 or end > <size_t> text.shape[0] or start >= end:
        return 0, start
    cdef const uint8_t* begin = &text[0]
    cdef const uint8_t* stop = begin + end
    cdef const uint8_t* p = <const uint8_t*> memchr(begin + start - 1, c'\n', end - start + 1)
    if p == NULL:
        return 0, end
    # whether the line before is empty
    cdef const uint8_t* at = p
    while at > begin and (at - 1)[0] != c'\n' and is_white((at - 1)[0]):
        at -= 1
    empty = at == begin or (at - 1)[0] == c'\n'
    p += 1
    while p < stop:
        line_end = <const uint8_t*> memchr(p, c'\n', <size_t> (stop - p))
        if line_end == NULL:
            break
        blank = is_blank(p, <size_t> (line_end - p))
        if (
            not blank and (by_line or empty) and memchr(p, c'>', <size_t> (line_end - p)) == NULL
            and memchr(p, c'|', <size_t> (line_end - p)) == NULL
        ):
            return p - begin, p - begin
        empty = blank
        p = line_end + 1
    return 0, p - begin


# --------------------------------------------------------------------------------------------------
# What Lynx writes for an image without alternative text: its kind, or the name of its file.

cdef enum:
    LONGEST_PLACEHOLDER = 1_000  # in bytes; text may have many beginnings of one

cdef const char** KINDS = [b"INLINE]", b"IMG]", b"LINK]", b"EMBED]", b"ISMAP]", b"USEMAP]"]
cdef const char** SUFFIXES = [b".gif", b".jpg", b".jpeg", b".png", b".bmp", b".ico", b".svg", b".webp"]


cdef size_t _placeholder(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the bytes of the placeholder of an image at the `[` at `p`; 0 if there is none."""
    cdef const uint8_t* at = p + 1
    cdef size_t size
    cdef int i
    if at < end and (at[0] == c'I' or at[0] == c'L' or at[0] == c'E' or at[0] == c'U'):
        for i in range(6):
            size = strlen(KINDS[i])
            if <size_t> (end - at) >= size and memcmp(at, KINDS[i], size) == 0:
                return size + 1
        if end - at > 7 and memcmp(at, b"USEMAP:", 7) == 0:
            at += 7
            if end - at > LONGEST_PLACEHOLDER:
                end = at + LONGEST_PLACEHOLDER
            while at < end and at[0] != c']' and at[0] != c'\n':
                at += 1
            if at < end and at[0] == c']':
                return <size_t> (at + 1 - p)
            at = p + 1
    while at < end and not is_white(at[0]) and at[0] != c'[' and at[0] != c']':
        at += 1
    # `[figure.png](…)` is a link of Markdown
    if at < end and at[0] == c']' and not (end - at > 1 and at[1] == c'('):
        for i in range(8):
            # at least one character before the suffix
            if at - p > 6 and begins(at - 5, 5, SUFFIXES[i]) and SUFFIXES[i][4]:
                return <size_t> (at + 1 - p)
            if at - p > 5 and not SUFFIXES[i][4] and begins(at - 4, 4, SUFFIXES[i]):
                return <size_t> (at + 1 - p)
    return 0


def without_placeholders(bytes text not None):
    """Returns a text without what Lynx writes for images without alternative text; the same object if it has none."""
    cdef const uint8_t* p = <const uint8_t*> <const char*> text
    cdef const uint8_t* end = p + len(text)
    cdef const uint8_t* kept = p
    cdef size_t length
    cdef list parts = None
    while True:
        p = <const uint8_t*> memchr(p, c'[', <size_t> (end - p))
        if p == NULL:
            break
        length = _placeholder(p, end)
        if not length:
            p += 1
            continue
        if parts is None:
            parts = []
        parts.append((<const char*> kept)[: p - kept])
        p += length
        kept = p
    if parts is None:
        return text
    parts.append((<const char*> kept)[: end - kept])
    return b"".join(parts)
