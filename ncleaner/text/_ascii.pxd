"""Classes of ASCII characters, inline for compiled modules. Bytes and code points beyond ASCII are in none of them."""

from libc.stdint cimport uint32_t


cdef inline bint is_letter(uint32_t c) noexcept nogil:
    return c'a' <= (c | 0x20) <= c'z'


cdef inline bint is_digit(uint32_t c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef inline bint is_space(uint32_t c) noexcept nogil:
    """Returns whether a character is white space to HTML."""
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r' or c == c'\f'


cdef inline unsigned char lower(unsigned char c) noexcept nogil:
    return c + 32 if c'A' <= c <= c'Z' else c
