"""Sibling blocks of a page: cards, posts, rows, list items, questions with answers, articles one below the other.

A table beside segments and elements, made of them when somebody asks.
"""

from libc.stdint cimport int32_t, uint32_t

from ncleaner.document._tables cimport tables_t

cpdef enum:
    # Bit of `block_t.facts`.
    LINKED = 1           # its heading, or without one its first segment, is a link

# One of two or more sibling blocks, in document order.
ctypedef struct block_t:
    int32_t element
    int32_t group        # number of the group, in the order of their first blocks
    int32_t size         # blocks of the group
    int32_t order        # blocks of the group before it
    int32_t parent       # the innermost such block around it, -1 for none
    int32_t first_segment    # segments [first_segment, last_segment]
    int32_t last_segment
    int32_t heading      # its first segment that is a heading, -1 for none
    uint32_t words
    uint32_t chars       # number of code points, without white space
    uint32_t link_chars
    uint32_t facts       # the bit LINKED

# Makes the table in new memory, which the caller frees. Returns its number of rows; -1: there was not enough memory.
cdef Py_ssize_t find_blocks(const tables_t* t, block_t** rows) noexcept nogil

cdef class Blocks:
    cdef block_t* rows
    cdef Py_ssize_t n
