"""Finds segments whose form is suspect, in one pass over the bytes and without comparing words.

`methods/heuristics.py` then examines these segments; on most pages there are only a few of them.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from ncleaner.text._letters cimport NO_LETTER, decode_utf8, letter_case

import numpy as np

# The bits that `suspects` returns. They may mark more segments than the patterns in `methods/heuristics.py` match, but
# never fewer.
cpdef enum:
    SEPARATED = 1   # contains | » « • · or ::
    COPYRIGHT = 2   # begins with ©, (c) or copyright, after at most three other characters
    WORDLESS = 4    # contains no letter or digit

cdef enum:
    MARKS = 3       # characters that may stand before a copyright sign

    # classes of bytes
    IS_WORD = 1
    IS_SUSPECT = 2  # may belong to a separator; a second test decides

cdef uint8_t byte_class[256]


cdef void _classify():
    memset(byte_class, 0, sizeof(byte_class))
    for c in range(128):
        if chr(c).isalnum():
            byte_class[c] = IS_WORD
    for c in (0x7C, 0x3A, 0xC2, 0xE2):
        byte_class[c] = IS_SUSPECT

_classify()


cdef inline bint _separates(const uint8_t* p, size_t left) noexcept nogil:
    if p[0] == c'|':
        return True
    if left < 2:
        return False
    if p[0] == c':':
        return p[1] == c':'
    if p[0] == 0xC2:
        return p[1] == 0xBB or p[1] == 0xAB or p[1] == 0xB7
    return left > 2 and p[1] == 0x80 and p[2] == 0xA2


cdef bint _says_copyright(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether the word begins here, in any case. Like the pattern, it also accepts a dotted capital or a dotless i."""
    cdef const char* word = "copyright"
    cdef size_t k
    for k in range(9):
        if p < end and p[0] | 0x20 == <uint8_t> word[k]:
            p += 1
        elif word[k] == c'i' and end - p > 1 and p[0] == 0xC4 and p[1] | 1 == 0xB1:
            p += 2
        else:
            return False
    return True


cdef bint _is_copyright(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether ©, (c) or copyright follows at most `MARKS` characters that are neither letters nor digits."""
    cdef uint32_t code
    cdef size_t width
    cdef int _i
    for _i in range(MARKS + 1):
        if p == end:
            return False
        width = decode_utf8(p, <size_t> (end - p), &code)
        if code == 0xA9 or _says_copyright(p, end):
            return True
        if code == c'(' and end - p > 2 and p[1] | 0x20 == c'c' and p[2] == c')':
            return True
        if letter_case(code) != NO_LETTER:
            return False
        p += width
    return False


cdef bint _has_word(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether there is a letter or digit beyond ASCII."""
    cdef uint32_t code
    while p < end:
        p += decode_utf8(p, <size_t> (end - p), &code)
        if letter_case(code) != NO_LETTER:
            return True
    return False


def suspects(bytes data not None, starts, ends):
    """Returns the bits above for each segment [starts, ends) of `data`.

    Args:
        data: UTF-8 text.
        starts, ends: shape (segments,), uint32: byte offsets into `data`.

    Returns:
        Shape (segments,), uint8.

    Raises:
        ValueError: the arrays have different lengths, or a segment is outside the text.
    """
    cdef const uint32_t[:] first = np.asarray(starts, np.uint32)
    cdef const uint32_t[:] last = np.asarray(ends, np.uint32)
    cdef Py_ssize_t n = first.shape[0], i
    cdef size_t length = len(data)
    cdef const uint8_t* text = <const uint8_t*> <const char*> data
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef uint8_t seen, bits, kind
    found = np.zeros(n, np.uint8)
    cdef uint8_t[::1] out = found
    if last.shape[0] != n:
        raise ValueError("as many ends as starts")
    for i in range(n):
        if last[i] > length or first[i] > last[i]:
            raise ValueError("segment outside of the text")
    with nogil:
        for i in range(n):
            p = text + first[i]
            end = text + last[i]
            bits = 0
            if _is_copyright(p, end):
                bits = COPYRIGHT
            seen = 0
            while p < end:
                kind = byte_class[p[0]]
                seen |= kind
                if kind == IS_SUSPECT and not bits & SEPARATED and _separates(p, <size_t> (end - p)):
                    bits |= SEPARATED
                p += 1
            if not seen & IS_WORD and not _has_word(text + first[i], end):
                bits |= WORDLESS
            out[i] = bits
    return found
