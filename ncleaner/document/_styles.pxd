"""Styles of blocks: the tags and classes from the root down. Inline, for the modules that compare segments by them."""

from libc.stdint cimport uint64_t

from ncleaner.document._hashes cimport mix
from ncleaner.document._tables cimport element_t, segment_t


cdef inline uint64_t chain(uint64_t above, uint64_t own) noexcept nogil:
    """Returns the hash of a value of a block together with those of all blocks above it; 0 is above the root."""
    return mix((above if above else 7) * 31 + own)


cdef inline void fill_styles(const element_t* elements, Py_ssize_t m, uint64_t* styles) noexcept nogil:
    """Writes the style of each element from the root down."""
    cdef Py_ssize_t i
    for i in range(m):
        styles[i] = chain(styles[elements[i].parent] if elements[i].parent >= 0 else 0, elements[i].style)


cdef inline uint64_t style_of(const uint64_t* styles, const segment_t* s) noexcept nogil:
    """Returns the style of a segment's block; all segments without a block share one."""
    return styles[s.element] if s.element >= 0 else 3
