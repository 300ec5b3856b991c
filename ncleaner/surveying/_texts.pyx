"""Hashes of the texts and of the layout of a page."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from ncleaner.document._hashes cimport hash_bytes, mix
from ncleaner.document._tables cimport element_t, fill_styles

# The version of both hashes. Files of surveys record it.
HASHES_VERSION = 1


def text_hashes(bytes data not None, const uint32_t[::1] starts, const uint32_t[::1] ends):
    """Returns a hash of each segment [starts, ends) of UTF-8 text: shape (segments,), uint32."""
    cdef Py_ssize_t n = starts.shape[0], i
    cdef const unsigned char* text = data
    cdef size_t size = len(data)
    found = np.empty(n, np.uint32)
    cdef uint32_t[::1] out = found
    for i in range(n):
        if not starts[i] <= ends[i] <= size:
            raise IndexError("a segment is outside of the text")
    with nogil:
        for i in range(n):
            out[i] = <uint32_t> (
                mix(hash_bytes(ends[i] - starts[i], text + starts[i], ends[i] - starts[i])) >> 32
            )
    return found


def layout_hash(elements not None):
    """Returns the smallest hash of a style on a page, 0 to 2³² - 1; 0 without elements.

    A style is the tags and classes from the root to a block. Two pages have the same hash with a probability that
    is the share of the styles of both that they have in common (Broder 1997).
    """
    cdef Py_ssize_t m = len(elements), i
    cdef uint64_t* styles
    cdef uint32_t least = 0, own
    cdef const uint8_t[::1] rows
    if not m:
        return 0
    rows = elements.view(np.uint8)
    styles = <uint64_t*> malloc(m * sizeof(uint64_t))
    if styles == NULL:
        raise MemoryError
    try:
        with nogil:
            fill_styles(<const element_t*> &rows[0], m, styles)
            for i in range(m):
                own = <uint32_t> (mix(styles[i]) >> 32)
                if i == 0 or own < least:
                    least = own
    finally:
        free(styles)
    return least
