"""The tokens of simple words, one on a line: a word of ASCII letters and digits, hyphens and apostrophes between them,
with at most one sign before and one behind it. Nine of ten words in a text of Western Europe are such."""

from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy
from ncleaner.text._ascii cimport is_digit, is_letter

cdef enum:
    LONGEST = 1_000  # as in `tokens`


cdef inline bint _is_space(unsigned char c) noexcept nogil:
    """Returns whether `str.split` splits at an ASCII character."""
    return c == c' ' or 9 <= c <= 13 or 28 <= c <= 31


cdef inline bint _is_inner(unsigned char c) noexcept nogil:
    return is_letter(c) or is_digit(c)


cdef char* _add(char* out, const unsigned char* start, const unsigned char* end, bint glued) noexcept nogil:
    """Writes a token with its line end, after the mark of a token without a space before it; returns the end."""
    if glued:
        memcpy(out, b"<g/>\n", 5)
        out += 5
    memcpy(out, start, end - start)
    out += end - start
    out[0] = c'\n'
    return out + 1


cdef char* _add_word(char* out, const unsigned char* start, const unsigned char* end) noexcept nogil:
    """Writes the tokens of a simple word; returns their end, or NULL for another word, of which it writes nothing."""
    cdef const unsigned char* first = start + (memchr(b"\"'(", start[0], 3) != NULL)
    cdef const unsigned char* last = first
    while last < end and (
        _is_inner(last[0])
        or ((last[0] == c"'" or last[0] == c'-') and last > first and last + 1 < end and _is_inner(last[1]))
    ):
        last += 1
    # at the end, a space or the byte after all is looked at
    if last == first or end - start > LONGEST or end - last > (memchr(b".,;:!?\"')", last[0], 9) != NULL):
        return NULL
    if first > start:
        out = _add(out, start, first, False)
    out = _add(out, first, last, first > start)
    return _add(out, last, end, True) if last < end else out


def lines_of(str text not None, lines_of_word not None):
    """Returns the tokens of a text, each on a line, with `<g/>` between those without white space between them.

    Args:
        text: any text; white space between words is that of `str.split`.
        lines_of_word: returns the lines of a word that is not simple.
    """
    cdef bytes data = text.encode()
    cdef const unsigned char* at = data
    cdef const unsigned char* end = at + len(data)
    cdef const unsigned char* word
    cdef list parts = []
    # `(a)` and the space behind it take sixteen bytes
    cdef char* lines = <char*> malloc(4 * (len(data) + 1))
    cdef char* out = lines
    cdef char* after
    if lines == NULL:
        raise MemoryError
    try:
        while at < end:
            word = at
            while at < end and not _is_space(at[0]):
                at += 1
            if at > word:
                after = _add_word(out, word, at)
                if after == NULL:
                    parts.append(lines[:out - lines].decode())
                    # beyond ASCII, there is other white space
                    parts += map(lines_of_word, word[:at - word].decode().split())
                    after = lines
                out = after
            at += 1
        parts.append(lines[:out - lines].decode())
    finally:
        free(lines)
    return "".join(parts)
