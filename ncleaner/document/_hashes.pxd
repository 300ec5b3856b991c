"""Hash functions, and hash tables that are used during one page only; inline, for all compiled modules."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ncleaner.text._ascii cimport is_digit, is_letter
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, fold


# A random number of this process, so that a page cannot be constructed whose keys are all in a few rows of a table.
cdef uint64_t secret


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    h *= <uint64_t> 0x9E3779B97F4A7C15
    return h ^ h >> 32


cdef inline uint64_t hash_bytes(uint64_t h, const unsigned char* p, size_t length) noexcept nogil:
    """Returns the hash `h` extended by `length` bytes, eight at a time."""
    cdef uint64_t word
    while length >= 8:
        memcpy(&word, p, 8)
        h = mix(h ^ word)
        p += 8
        length -= 8
    if length:
        word = 0
        memcpy(&word, p, length)
        h = mix(h ^ word)
    return h


cdef extern from *:
    """
    #define FNV_OFFSET UINT64_C(0xCBF29CE484222325)
    #define FNV_PRIME UINT64_C(0x100000001B3)
    """
    const uint64_t FNV_OFFSET
    const uint64_t FNV_PRIME


cdef inline uint64_t fnv(uint64_t h, uint64_t code) noexcept nogil:
    """Returns the FNV-1a hash `h` extended by one character."""
    return (h ^ code) * FNV_PRIME


cdef inline uint64_t extended(uint64_t h, uint64_t code) noexcept nogil:
    """Returns the hash `h` of a word extended by one character."""
    return fnv(h, code) + 1


cdef inline uint64_t letters_hash(const uint8_t* p, const uint8_t* end, bint digits, int most) noexcept nogil:
    """Returns the hash of the letters in a text, without case, and of its digits if `digits` is set; of the first
    `most`, if this is not 0."""
    cdef uint64_t h = 7
    cdef uint32_t code
    cdef int n = 0
    while p < end:
        code = p[0]
        if code < 0x80:
            p += 1
            if is_letter(code):
                code |= 0x20
            elif not (digits and is_digit(code)):
                continue
        else:
            p += decode_utf8(p, <size_t> (end - p), &code)
            if fold(&code) == NO_LETTER or is_digit(code) and not digits:
                continue
        h = extended(h, code)
        n += 1
        if n == most:
            break
    return mix(h)


cdef inline uint16_t packed_name_hash(uint64_t key) noexcept nogil:
    """Returns the hash of a word of class, id or role in the table of names, from its first eight letters in one
    integer."""
    return <uint16_t> (mix(key) >> 48)


cdef inline uint64_t rows_for(uint64_t keys) noexcept nogil:
    """Returns the number of rows of a hash table for this number of keys: a power of two, at least twice as many."""
    cdef uint64_t rows = 64
    while rows < 2 * keys:
        rows *= 2
    return rows


cdef inline void* row_of(void* table, size_t width, uint64_t mask, uint64_t key) noexcept nogil:
    """Returns the row of a hash table that begins with `key`, which must not be 0.

    If the table has no such row, a free row receives the key.

    `width` is the number of bytes per row. `mask` is the number of rows minus 1. The number of rows is a power of
    two, and larger than the number of keys.
    """
    cdef uint64_t slot = mix(key ^ secret) >> 20 & mask
    cdef uint64_t* row = <uint64_t*> (<char*> table + slot * width)
    while row[0] and row[0] != key:
        slot = (slot + 1) & mask
        row = <uint64_t*> (<char*> table + slot * width)
    row[0] = key
    return row
