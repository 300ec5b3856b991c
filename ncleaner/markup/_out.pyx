"""Writes numbers, and text as HTML."""

from libc.stdint cimport uint8_t
from libc.string cimport memmove, strlen


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
