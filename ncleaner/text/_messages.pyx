"""Headers and signatures of messages in a plain text: the lines that are not running text.

A message begins with the text, at a form feed, or at the `From ` line of a mailbox after an empty line.
"""

from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc
from libc.string cimport memcmp, memset

from ncleaner.text._letters cimport is_white
from ncleaner.text._lines cimport FEED, SEPARATOR, SPACED, STRICT_FROM, line_t, lines_t, read_line

cdef enum:
    # Most lines of a signature after a line `--`: by convention four lines by the author, and the lines that a mailing
    # list adds. With a space at the end (`-- `), the line always begins a signature, of any length. Without it, the
    # line may also be a separator in ordinary text.
    LONGEST_SIGNATURE = 16
    FIELDS = 11

# A block of fields is a header only if it has one of these: ordinary text may begin with `Note: `.
cdef const char** MAIL_FIELDS = [
    b"from:", b"to:", b"subject:", b"date:", b"sender:", b"reply-to:", b"message-id:", b"newsgroups:", b"path:",
    b"received:", b"return-path:",
]


cdef inline bint _is_empty(const line_t* line) noexcept nogil:
    return line.start == line.end


cdef inline bint _is_separator(const uint8_t* text, const line_t* line) noexcept nogil:
    return (
        line.end - line.start == 2 and not line.indent and text[line.start] == c'-' and text[line.start + 1] == c'-'
    )


cdef bint _is_field(const uint8_t* text, const line_t* line, bint* mail) noexcept nogil:
    """Returns whether a line is a field of a header; sets `mail` if it is one that only mail has.

    RFC 5322, section 2.2: the name of a field consists of printable characters except the colon.
    """
    cdef const uint8_t* p = text + line.start
    cdef const uint8_t* end = text + line.end
    cdef const uint8_t* at = p
    cdef const char* name
    cdef int i
    if line.indent:
        return False
    while at < end and c'!' <= at[0] <= c'~' and at[0] != c':':
        at += 1
    if at == p or at == end or at[0] != c':':
        return False
    for i in range(FIELDS):
        name = MAIL_FIELDS[i]
        at = p
        while name[0] and at < end and <uint8_t> name[0] == (at[0] | 0x20 if c'A' <= at[0] <= c'Z' else at[0]):
            name += 1
            at += 1
        if not name[0]:
            mail[0] = True
            break
    # the white space after the colon
    at = p
    while at[0] != c':':
        at += 1
    return at + 1 == end or is_white(at[1])


cdef inline bint _is_in_header(const uint8_t* text, const line_t* line, bint first, bint* mail) noexcept nogil:
    """Returns whether a line may be in a header; `first`: whether it is its first line. `mail` is as in `_is_field`."""
    if _is_field(text, line, mail):
        return True
    if not first:
        return line.flags & SPACED != 0
    return not line.indent and line.end - line.start > 5 and memcmp(text + line.start, b"From ", 5) == 0


cdef const uint8_t* header_end(
    const uint8_t* text, const uint8_t* p, const uint8_t* end, bint returns
) noexcept nogil:
    """Returns where the header of the message that begins at `p` ends, at an empty line; NULL if it has none.

    For texts whose lines are not in a table; otherwise as `_mark_header`.
    """
    cdef line_t line
    cdef bint mail = False, first = True
    while p < end:
        p = read_line(text, p, end, returns, True, &line)
        if _is_empty(&line):
            if first:
                continue
            break
        if line.flags & FEED and not first:
            break
        if not _is_in_header(text, &line, first, &mail):
            return NULL
        first = False
    return p if mail else NULL


cdef void _mark_header(
    const uint8_t* text, const lines_t* lines, size_t start, size_t stop, uint8_t* apart
) noexcept nogil:
    """Marks the lines of the header of a message, if the message begins with a header.

    A header is a block of lines that are all fields, up to an empty line. At least one of the fields must be a field
    that only mail has.
    """
    cdef size_t begin = start, end, i
    cdef bint mail = False
    while begin < stop and _is_empty(&lines.rows[begin]):
        begin += 1
    end = begin
    while end < stop and not _is_empty(&lines.rows[end]):
        if not _is_in_header(text, &lines.rows[end], end == begin, &mail):
            return
        end += 1
    if mail:
        for i in range(begin, end):
            apart[i] = FOLDED if lines.rows[i].flags & SPACED else FIELD


cdef size_t _signature(
    const uint8_t* text, const lines_t* lines, size_t start, size_t stop, bint written
) noexcept nogil:
    """Returns the line at which the signature of a message begins, or `stop` if it has no signature.

    `written`: whether there is text of the message before `start`. A separator begins a signature only after text.
    """
    cdef size_t i = start, near = stop, below = 0
    while i < stop and not _is_separator(text, &lines.rows[i]):
        i += 1
    if i == stop:
        return stop
    # Finds the first line from which a separator without a space has at most LONGEST_SIGNATURE lines after it.
    near = stop - 1
    while near > start and below + (not _is_empty(&lines.rows[near])) <= LONGEST_SIGNATURE:
        below += not _is_empty(&lines.rows[near])
        near -= 1
    for i in range(start, stop):
        if written and _is_separator(text, &lines.rows[i]) and (lines.rows[i].flags & SEPARATOR or i >= near):
            return i
        written = written or not _is_empty(&lines.rows[i])
    return stop


cdef uint8_t* find_apart(const uint8_t* text, const lines_t* lines, bint begins, bint ends) noexcept nogil:
    """Returns for each line what it is, in memory that the caller frees; NULL if there is not enough memory.

    Args:
        begins, ends: whether the text begins and ends with these lines, or they are a piece of it. A header is looked
            for where a message begins, a signature where one ends.
    """
    cdef uint8_t* apart = <uint8_t*> calloc(lines.n + 1, 1)
    cdef size_t start = 0, stop, signature
    cdef bint first = True
    if apart == NULL:
        return NULL
    while start < lines.n:
        stop = start + 1
        while stop < lines.n and not (
            lines.rows[stop].flags & FEED
            or (lines.rows[stop].flags & STRICT_FROM and _is_empty(&lines.rows[stop - 1]))
        ):
            stop += 1
        if begins or not first:
            _mark_header(text, lines, start, stop, apart)
        if ends or stop < lines.n:
            signature = _signature(text, lines, start, stop, first and not begins)
            memset(apart + signature, SIGNATURE, stop - signature)
        first = False
        start = stop
    return apart
