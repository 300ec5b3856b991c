"""Contract of the n-gram core: it encodes UTF-8 to symbols, looks n-grams up, and adds up scores.

An n-gram of k symbols is an integer with the last symbol in the lowest bits. Each segment has boundary symbols
(0) around it: order − 1 before it, and one after it. The model predicts the last one like a character.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    MAX_ORDER = 8

# The map from code points to symbols, by pages of 256 (alphabet.py).
ctypedef struct symbols_t:
    const uint16_t* index
    const uint8_t* pages
    uint8_t low[2048]         # symbols of the code points below U+0800, which take one or two bytes of UTF-8

# A hash table with open addressing and linear probing. A slot is empty if `used` is 0.
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

cdef class Encoder:
    cdef symbols_t symbols
    cdef object _keep         # the arrays that `symbols` points to

cdef class Grams:
    cdef grams_t grams
    cdef object _dense        # the array of `grams.dense`
