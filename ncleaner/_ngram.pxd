"""Contract of the n-gram core: encode UTF-8 to symbols, look n-grams up, add up scores.

A gram of k symbols is an integer, the last symbol in the lowest bits. Each segment is framed by boundary
symbols (0): order − 1 before it, one after it that is predicted like a character.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    MAX_ORDER = 8

# Code points to symbols, by pages of 256 (alphabet.py).
ctypedef struct symbols_t:
    const uint16_t* index
    const uint8_t* pages
    uint8_t low[2048]         # of the code points below U+0800 directly: one or two bytes of UTF-8

# Open addressing, linear probing; a slot is empty when `used` is 0.
ctypedef struct slots_t:
    uint64_t mask
    uint64_t* keys
    double* values
    uint8_t* used

# The value of a gram is that of its longest suffix in the tables.
ctypedef struct grams_t:
    int order
    int bits
    uint64_t window           # mask of `order` symbols
    const float* dense        # 2^(order·bits) values, or NULL
    slots_t levels[MAX_ORDER + 1]

cdef double look_up(const grams_t* g, uint64_t gram) noexcept nogil
cdef double score(
    const grams_t* g, const symbols_t* s, const uint8_t* p, size_t length, uint32_t* characters
) noexcept nogil
