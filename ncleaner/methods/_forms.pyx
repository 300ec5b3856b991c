"""Finds navigation and footer lines by their form, in one pass over the bytes and without comparing words.

`methods/baselines.py` says what the forms are.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t

from ncleaner.document._tables cimport HEADER, HIDDEN, Tables, segment_t
from ncleaner.text._letters cimport Py_UNICODE_ISALNUM, Py_UNICODE_ISSPACE, decode_utf8

import numpy as np

cdef enum:
    MARKS = 3           # characters that may come before a copyright sign
    ITEM_WORDS = 5      # of the longest item of a menu
    FOOTER_WORDS = 40   # of the longest footer line
    BLOCK = 32          # bytes that are looked at together

cdef inline size_t _separator(const uint8_t* p, size_t left) noexcept nogil:
    """Returns the length of the separator that begins here: one of | » « • · ::, or 0."""
    if p[0] == c'|':
        return 1
    if left < 2:
        return 0
    if p[0] == c':':
        return 2 if p[1] == c':' else 0
    if p[0] == 0xC2:
        return 2 if p[1] == 0xBB or p[1] == 0xAB or p[1] == 0xB7 else 0
    return 3 if p[0] == 0xE2 and left > 2 and p[1] == 0x80 and p[2] == 0xA2 else 0


cdef inline bint _is_word(uint32_t code) noexcept nogil:
    return code == c'_' or Py_UNICODE_ISALNUM(code)


cdef bint _says_copyright(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether the word begins here, in any case, which may have a dotted capital or a dotless i, and ends as a word."""
    cdef const char* word = "copyright"
    cdef uint32_t code
    cdef size_t k
    for k in range(9):
        if p < end and p[0] | 0x20 == <uint8_t> word[k]:
            p += 1
        elif word[k] == c'i' and end - p > 1 and p[0] == 0xC4 and p[1] | 1 == 0xB1:
            p += 2
        else:
            return False
    if p == end:
        return True
    decode_utf8(p, <size_t> (end - p), &code)
    return not _is_word(code)


cdef bint _is_copyright(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether ©, (c) or copyright follows at most `MARKS` characters that are neither letters nor digits nor `_`."""
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
        if _is_word(code):
            return False
        p += width
    return False


cdef bint _has_word(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether there is a letter or digit."""
    cdef uint32_t code
    while p < end:
        p += decode_utf8(p, <size_t> (end - p), &code)
        if Py_UNICODE_ISALNUM(code):
            return True
    return False


cdef bint _is_menu(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether text with separators is a menu: short items between them, or one short item after a separator."""
    cdef uint32_t code, first = 0
    cdef size_t width
    cdef uint32_t separators = 0, items = 0, words = 0
    cdef bint in_item = False, in_word = False
    while p < end:
        width = _separator(p, <size_t> (end - p))
        if width:
            if not first:
                decode_utf8(p, <size_t> (end - p), &first)
            separators += 1
            in_item = in_word = False
            p += width
            continue
        p += decode_utf8(p, <size_t> (end - p), &code)
        if Py_UNICODE_ISSPACE(code):
            in_word = False
            continue
        if not first:
            first = code
        if not in_word:
            in_word = True
            words += 1
            items += not in_item
            in_item = True
    if separators < 2:
        return (
            separators == 1 and 0 < words <= ITEM_WORDS and (first == c'|' or first == 0xBB or first == 0xAB)
        )
    return words <= ITEM_WORDS * (items if items else 1)


cdef inline bint _any_suspect(const uint8_t* p) noexcept nogil:
    """Whether a separator may begin in the BLOCK bytes at `p`."""
    cdef uint8_t found = 0
    cdef int k
    # a loop without a branch, for the vector units of a processor
    for k in range(BLOCK):
        found |= (p[k] == c'|') | (p[k] == c':') | (p[k] == 0xC2) | (p[k] == 0xE2)
    return found != 0


cdef inline bint _begins_separator(const uint8_t* p, const uint8_t* stop, const uint8_t* end) noexcept nogil:
    """Whether a separator begins before `stop`."""
    while p < stop:
        if (p[0] >= 0x7C or p[0] == c':') and _separator(p, <size_t> (end - p)):
            return True
        p += 1
    return False


cdef bint _is_separated(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether there is a separator."""
    if end - p >= BLOCK:
        while end - p >= BLOCK:
            if _any_suspect(p) and _begins_separator(p, p + BLOCK, end):
                return True
            p += BLOCK
        # with bytes that have been looked at
        if not _any_suspect(end - BLOCK):
            return False
    return _begins_separator(p, end, end)


cdef bint _is_removed(const uint8_t* p, const uint8_t* end, uint32_t words) noexcept nogil:
    return (
        not _has_word(p, end)
        or (_is_separated(p, end) and _is_menu(p, end))
        or (words <= FOOTER_WORDS and _is_copyright(p, end))
    )


def removed_forms(Tables tables not None):
    """Returns the segments that look like navigation or footer, are hidden, or are fields of the header of a message:
    shape (segments,), bool."""
    cdef Py_ssize_t n = tables.t.n_segments, i
    cdef const segment_t* s = tables.t.segments
    cdef const uint8_t* text = tables.t.text
    # quickly made, as every page has one
    found = PyByteArray_FromStringAndSize(NULL, n)
    cdef char* out = PyByteArray_AS_STRING(found)
    with nogil:
        for i in range(n):
            out[i] = s[i].flags & (HIDDEN | HEADER) != 0 or _is_removed(text + s[i].start, text + s[i].end, s[i].words)
    return np.frombuffer(found, np.bool_)
