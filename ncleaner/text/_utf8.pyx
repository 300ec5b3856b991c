"""Tests whether bytes are valid UTF-8.

Every page is tested, so the test has to be cheap against the parsing. Python can only decode, which
allocates and fills a string four times as large for a page with a single emoji.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy


cdef size_t _valid_length(const uint8_t* p, size_t n) noexcept nogil:
    """Returns the length of the longest prefix that is valid UTF-8 (Unicode 15, table 3-7)."""
    cdef size_t i = 0
    cdef uint64_t word
    cdef uint8_t c, low, high
    cdef size_t follow, k
    while i < n:
        # eight ASCII characters at a time
        while i + 8 <= n:
            memcpy(&word, p + i, 8)
            if word & <uint64_t> 0x8080808080808080:
                break
            i += 8
        if i == n:
            return i
        c = p[i]
        if c < 0x80:
            i += 1
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= c <= 0xDF:
            follow = 1
        elif 0xE0 <= c <= 0xEF:
            follow = 2
            if c == 0xE0:
                low = 0xA0
            elif c == 0xED:
                high = 0x9F
        elif 0xF0 <= c <= 0xF4:
            follow = 3
            if c == 0xF0:
                low = 0x90
            elif c == 0xF4:
                high = 0x8F
        else:
            return i
        if i + follow >= n or not low <= p[i + 1] <= high:
            return i
        for k in range(2, follow + 1):
            if not 0x80 <= p[i + k] <= 0xBF:
                return i
        i += follow + 1
    return i


def valid_length(bytes data not None):
    """Returns the length in bytes of the longest prefix of `data` that is valid UTF-8.

    `data` as a whole is valid UTF-8 if the result equals `len(data)`.
    """
    cdef size_t n = len(data), length
    cdef const uint8_t* p = <const uint8_t*> <const char*> data
    with nogil:
        length = _valid_length(p, n)
    return length
