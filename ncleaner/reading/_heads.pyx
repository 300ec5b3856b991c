"""HTTP header blocks: what the package needs of them, in one pass over their bytes."""

from libc.string cimport memchr, memcmp

from ncleaner.text._ascii cimport is_digit, lower
from ncleaner.text._letters cimport is_white

#: Longest HTTP header block in bytes; servers refuse much shorter ones.
MAX_HEAD = 1 << 16
cdef enum:
    _MAX_HEAD = 1 << 16
    _MAX_NAME = 256


cdef class Head:
    """The fields of an HTTP header block that the package needs.

    Attributes:
        status: the status code; 0 if the status line has no code.
        content_type: the whole Content-Type; empty when missing.
        content_encoding: Content-Encoding, in lower case; empty when missing.
        transfer_encoding: Transfer-Encoding, in lower case; empty when missing.
        rights: the fields X-Robots-Tag, TDM-Reservation and TDM-Policy, as they are, with a line feed between two;
            empty when missing.
        end: offset in the block at which the body begins.
    """

    cdef readonly int status
    cdef readonly str content_type
    cdef readonly str content_encoding
    cdef readonly str transfer_encoding
    cdef readonly str rights
    cdef readonly Py_ssize_t end

    def __init__(
        self, int status, str content_type, str content_encoding, str transfer_encoding, Py_ssize_t end,
        str rights="",
    ):
        self.status = status
        self.content_type = content_type
        self.content_encoding = content_encoding
        self.transfer_encoding = transfer_encoding
        self.end = end
        self.rights = rights


def split_head(bytes block not None):
    """Returns the HTTP header block at the beginning of a record; None if it does not begin with one."""
    return head_at(block, len(block))


cdef inline bint _is_blank(unsigned char c) noexcept nogil:
    return c == 32 or c == 9


cdef bint begins(
    const unsigned char* p, Py_ssize_t size, const char* word, Py_ssize_t length
) noexcept nogil:
    """Whether bytes begin with a word, given in lower case, in any case."""
    cdef Py_ssize_t i
    if size < length:
        return False
    for i in range(length):
        if lower(p[i]) != <unsigned char> word[i]:
            return False
    return True


cdef int _status(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Returns the code of a status line, `HTTP/1.1 200` or `ICY 200`; -1 if there is none."""
    cdef Py_ssize_t i
    if begins(p, n, b"http", 4):
        i = 4
        if i < n and p[i] == 47:
            i += 1
            if i == n or not is_digit(p[i]):
                return -1
            while i < n and not is_white(p[i]):
                i += 1
    elif begins(p, n, b"icy", 3):
        i = 3
    else:
        return -1
    cdef Py_ssize_t digits
    if i == n or not _is_blank(p[i]):
        return -1
    while i < n and _is_blank(p[i]):
        i += 1
    digits = i
    if i + 3 > n or not (is_digit(p[i]) and is_digit(p[i + 1]) and is_digit(p[i + 2])):
        return -1
    i += 3
    if i < n and (is_digit(p[i]) or p[i] == 95 or 97 <= lower(p[i]) <= 122):
        return -1
    return (p[digits] - 48) * 100 + (p[digits + 1] - 48) * 10 + (p[digits + 2] - 48)


cdef Py_ssize_t _find(
    const unsigned char* p, Py_ssize_t n, const char* word, Py_ssize_t length
) noexcept nogil:
    """Returns the index of a word whose last byte is a line feed, or that begins with one; -1 without it."""
    cdef const unsigned char* found
    cdef Py_ssize_t i = 0
    while i + length <= n:
        found = <const unsigned char*> memchr(p + i, word[0], n - length + 1 - i)
        if found == NULL:
            return -1
        i = found - p
        if memcmp(found, word, length) == 0:
            return i
        i += 1
    return -1


cdef Py_ssize_t _line_end(const unsigned char* p, Py_ssize_t position, Py_ssize_t n) noexcept nogil:
    """Returns the index behind a line's line feed; `n` if there is none within MAX_HEAD bytes."""
    cdef Py_ssize_t room = min(n - position, <Py_ssize_t> _MAX_HEAD)
    cdef const unsigned char* found = <const unsigned char*> memchr(p + position, 10, room)
    return n if found == NULL else found - p + 1


cdef bint _is_field(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Whether a line is a header field, or continues one."""
    cdef Py_ssize_t i = 0
    if _is_blank(p[0]):
        return True
    while i < n and i < _MAX_NAME and not is_white(p[i]) and p[i] != 58 and p[i] != 60 and p[i] != 62:
        i += 1
    if i == 0:
        return False
    while i < n and _is_blank(p[i]):
        i += 1
    return i < n and p[i] == 58


cdef bint _is_empty(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if not is_white(p[i]):
            return False
    return True


cdef Py_ssize_t _ragged_end(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Returns the end of a header block without a blank line: the first line that is not a header."""
    cdef Py_ssize_t limit = min(n, <Py_ssize_t> _MAX_HEAD)
    cdef const unsigned char* found = <const unsigned char*> memchr(p, 10, limit)
    cdef Py_ssize_t position, end
    if found == NULL:
        return limit
    position = found - p + 1
    while position < n:
        end = _line_end(p, position, n)
        if _is_empty(p + position, end - position):
            return end
        if not _is_field(p + position, end - position):
            return position
        position = end
    return n


cdef str _value(const unsigned char* p, Py_ssize_t start, Py_ssize_t end):
    while start < end and is_white(p[start]):
        start += 1
    while end > start and is_white(p[end - 1]):
        end -= 1
    return p[start:end].decode("latin-1")


cdef inline bint _is_about_rights(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    # "x-robots-tag" has 12 letters: lines of as many or fewer, with no value, are not looked at
    return (
        begins(p, n, b"x-robots-tag", 12) or begins(p, n, b"tdm-reservation", 15) or begins(p, n, b"tdm-policy", 10)
    )


cdef object head_at(const unsigned char* block, Py_ssize_t size):
    """Returns the Head of a block; None if it does not begin with one."""
    cdef int status = _status(block, size)
    if status < 0:
        return None
    cdef Py_ssize_t limit = min(size, <Py_ssize_t> _MAX_HEAD)
    cdef Py_ssize_t end = _find(block, limit, b"\r\n\r\n", 4)
    cdef Py_ssize_t after = end + 4
    # Some servers end lines with a line feed alone, and a few send no blank line before the markup.
    cdef Py_ssize_t other = _find(block, end if end >= 0 else limit, b"\n\n", 2)
    if other >= 0:
        end = other
        after = other + 2
    if end < 0 or _find(block, end, b"\n<", 2) >= 0:
        end = after = _ragged_end(block, size)
    content_type = content_encoding = transfer_encoding = rights = ""
    cdef Py_ssize_t start = 0, stop, at, value
    cdef int length
    cdef const unsigned char* found
    # The last one counts if a field occurs twice, as in browsers.
    while start < end:
        found = <const unsigned char*> memchr(block + start, 10, end - start)
        stop = end if found == NULL else found - block
        length = 0
        if stop - start > 12:
            if begins(block + start, stop - start, b"content-type", 12):
                length = 12
            elif begins(block + start, stop - start, b"content-encoding", 16):
                length = 16
            elif begins(block + start, stop - start, b"transfer-encoding", 17):
                length = 17
            elif _is_about_rights(block + start, stop - start):
                line = _value(block, start, stop)
                rights = f"{rights}\n{line}" if rights else line
        if length:
            at = start + length
            while at < stop and _is_blank(block[at]):
                at += 1
            if at < stop and block[at] == 58:
                value = at + 1
                found = <const unsigned char*> memchr(block + value, 13, stop - value)
                text = _value(block, value, stop if found == NULL else found - block)
                if length == 12:
                    content_type = text
                elif length == 16:
                    content_encoding = text
                else:
                    transfer_encoding = text
        start = stop + 1
    return Head(status, content_type, content_encoding.lower(), transfer_encoding.lower(), after, rights)
