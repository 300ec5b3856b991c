"""Tests whether bytes are valid UTF-8.

Every page is tested, so the test has to be cheap against the parsing. Python can only decode, which
allocates and fills a string four times as large for a page with a single emoji.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    BLOCK = 64


cdef inline bint _is_ascii(const uint8_t* p) noexcept nogil:
    """Returns whether the BLOCK bytes at `p` are ASCII."""
    cdef uint64_t word, all_ = 0
    cdef int k
    for k in range(BLOCK // 8):
        memcpy(&word, p + 8 * k, 8)
        all_ |= word
    return not all_ & <uint64_t> 0x8080808080808080


cdef inline bint _is_plain(const uint8_t* p) noexcept nogil:
    """Returns whether the BLOCK bytes at `p` are valid UTF-8, except that the last character may go on behind them,
    without any sign of UTF-8 encoded twice.

    The three bytes before `p` are read, and end with a character; so are the two bytes behind the block. There is no
    branch in the loop: the compiler makes it one of vectors.
    """
    cdef uint8_t bad = 0, c, before, third, fourth
    cdef int k
    for k in range(BLOCK):
        c, before, third, fourth = p[k], p[k - 1], p[k - 2], p[k - 3]
        # a byte in the middle of a character stands behind those that ask for one, and nowhere else
        bad |= ((c & 0xC0) == 0x80) ^ ((before >= 0xC0) | (third >= 0xE0) | (fourth >= 0xF0))
        bad |= ((c & 0xFE) == 0xC0) | (c >= 0xF5)
        bad |= (before == 0xE0) & (c < 0xA0)
        bad |= (before == 0xED) & (c > 0x9F)
        bad |= (before == 0xF0) & (c < 0x90)
        bad |= (before == 0xF4) & (c > 0x8F)
        bad |= (c == 0xC3) & (p[k + 2] >= 0xC0)
    return bad == 0


cdef size_t _valid_length(const uint8_t* p, size_t n, size_t* signs, size_t* others) noexcept nogil:
    """Returns the length of the longest prefix that is valid UTF-8 (Unicode 15, table 3-7).

    Adds to `signs` and `others` the numbers of places that look like UTF-8 encoded twice, see `examine`."""
    cdef size_t i = 0
    cdef uint64_t word
    cdef uint8_t c, low, high
    cdef size_t follow, k
    cdef size_t odd = 3           # up to here, characters are looked at one by one
    while i < n:
        # eight ASCII characters at a time, and behind such ones 64
        while i + 8 <= n:
            memcpy(&word, p + i, 8)
            if word & <uint64_t> 0x8080808080808080:
                break
            i += 8
            while i + BLOCK <= n and _is_ascii(p + i):
                i += BLOCK
        if i == n:
            return i
        c = p[i]
        if i >= odd and i + BLOCK + 2 <= n:
            if _is_plain(p + i):
                i += BLOCK
                # back to a character that goes on behind the block
                if p[i - 1] >= 0xC0:
                    i -= 1
                elif p[i - 2] >= 0xE0:
                    i -= 2
                elif p[i - 3] >= 0xF0:
                    i -= 3
                continue
            odd = i + BLOCK
        if c < 0x80:
            i += 1
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= c <= 0xDF:
            follow = 1
            if c == 0xC3 and i + 2 < n and 0x82 <= p[i + 1] <= 0xB4 and (
                p[i + 2] == 0xC2 or p[i + 2] == 0xE2 or 0xC5 <= p[i + 2] <= 0xC6 or p[i + 2] == 0xCB
            ):
                if p[i + 1] <= 0x83 or p[i + 1] == 0xA2:
                    signs[0] += 1
                else:
                    others[0] += 1
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
    return examine(data)[0]


def examine(bytes data not None):
    """Returns (length as `valid_length`, number of signs of UTF-8 encoded twice, number of further places).

    A sign is Â, Ã or â before a character that windows-1252 or Latin-1 has in the place of a further byte of UTF-8.
    A further place is any other letter before such a character."""
    cdef size_t n = len(data), length, signs = 0, others = 0
    cdef const uint8_t* p = <const uint8_t*> <const char*> data
    with nogil:
        length = _valid_length(p, n, &signs, &others)
    return length, signs, others
