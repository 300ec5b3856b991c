"""Interface of the functions on single characters: how a line begins and ends."""

from libc.stdint cimport uint8_t, uint32_t

cdef extern from "Python.h" nogil:
    # these only look up a table, and need no GIL
    bint Py_UNICODE_ISALNUM(Py_UCS4)
    bint Py_UNICODE_ISALPHA(Py_UCS4)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4)
    bint Py_UNICODE_ISDIGIT(Py_UCS4)
    bint Py_UNICODE_ISLOWER(Py_UCS4)
    bint Py_UNICODE_ISSPACE(Py_UCS4)
    bint Py_UNICODE_ISUPPER(Py_UCS4)
    uint32_t Py_UNICODE_TOLOWER(Py_UCS4)

cdef enum:
    # values of `letter_case`
    NO_LETTER   # neither letter nor digit
    UPPER       # a capital, or a digit
    LOWER
    UNCASED     # a letter of a script without case

cdef enum:
    # kinds of enumerations, of `enumeration_end`
    NUMBERED
    LETTERED
    ROMAN


cdef inline size_t decode_utf8(const uint8_t* p, size_t length, uint32_t* code) noexcept nogil:
    """Decodes one character of valid UTF-8; returns its width in bytes. A character cut short is U+FFFD."""
    cdef uint32_t c = p[0]
    if c < 0x80:
        code[0] = c
        return 1
    if c < 0xE0 and length > 1:
        code[0] = (c & 0x1F) << 6 | (p[1] & 0x3F)
        return 2
    if c < 0xF0 and length > 2:
        code[0] = (c & 0x0F) << 12 | (<uint32_t> p[1] & 0x3F) << 6 | (p[2] & 0x3F)
        return 3
    if length > 3:
        c = (c & 0x07) << 18 | (<uint32_t> p[1] & 0x3F) << 12 | (<uint32_t> p[2] & 0x3F) << 6 | (p[3] & 0x3F)
        code[0] = c if c <= 0x10FFFF else 0xFFFD
        return 4
    code[0] = 0xFFFD
    return length


cdef inline bint is_white(uint8_t c) noexcept nogil:
    """Returns whether a byte is white space of ASCII."""
    return c == c' ' or 9 <= c <= 13


cdef inline const uint8_t* after_white(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns a pointer to the first character from `p` on that is no white space of ASCII, or `end`."""
    while p < end and is_white(p[0]):
        p += 1
    return p


cdef inline bint is_blank(const uint8_t* text, size_t length) noexcept nogil:
    """Returns whether a text is white space of ASCII only, or empty."""
    return after_white(text, text + length) == text + length


cdef inline void strip(const uint8_t** start, const uint8_t** end) noexcept nogil:
    """Leaves out white space of ASCII on both sides of a text."""
    start[0] = after_white(start[0], end[0])
    while start[0] < end[0] and is_white((end[0] - 1)[0]):
        end[0] -= 1


cdef inline bint is_punctuation(uint32_t c) noexcept nogil:
    """Returns whether a character beyond ASCII is ¡, «, », ¿, or punctuation of the general block or of CJK."""
    return (
        c == 0xA1 or c == 0xAB or c == 0xBB or c == 0xBF or 0x2010 <= c <= 0x2027 or 0x2030 <= c <= 0x205E
        or 0x3001 <= c <= 0x3003 or 0x3008 <= c <= 0x3011
    )


cdef inline bint is_unspaced(uint32_t c) noexcept nogil:
    """Returns whether a character is of a script without spaces between words: `UNSPACED` of text/words.py."""
    return (
        0x0E00 <= c <= 0x0FFF or 0x1000 <= c <= 0x109F or 0x1780 <= c <= 0x17FF or 0x3040 <= c <= 0x30FF
        or 0x3400 <= c <= 0x4DBF or 0x4E00 <= c <= 0x9FFF or 0xF900 <= c <= 0xFAFF
    )


cdef inline bint is_bullet(uint32_t c) noexcept nogil:
    """Returns whether a character before a space is the bullet of a list item, a dash or not."""
    return (
        c == c'*' or c == c'-' or c == c'o' or c == c'+' or c > 0x7F and (
            c == 0xA7 or c == 0xB7 or c == 0xBB or c == 0x2013 or c == 0x2014 or c == 0x2022 or c == 0x2023
            or c == 0x2192 or c == 0x25A0 or c == 0x25AA or c == 0x25BA or c == 0x25CB or c == 0x25CF or c == 0x25E6
            or c == 0x30FB
        )
    )


cdef int letter_case(uint32_t code) noexcept nogil
cdef int fold(uint32_t* code) noexcept nogil
cdef uint32_t last_mark(const uint8_t* start, const uint8_t* end) noexcept nogil
cdef bint is_final(uint32_t code) noexcept nogil
cdef const uint8_t* enumeration_end(const uint8_t* p, const uint8_t* end, int* kind) noexcept nogil
cdef bint has_marker(const uint8_t* start, const uint8_t* end) noexcept nogil
cdef bint may_change(const uint8_t* p, const uint8_t* end) noexcept nogil
