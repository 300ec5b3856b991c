"""Classes of ASCII characters, and the search for words in bytes; inline for compiled modules.

Bytes and code points beyond ASCII are in none of the classes.
"""

from cpython.ref cimport Py_INCREF
from libc.stdint cimport uint32_t
from libc.stdlib cimport malloc
from libc.string cimport memchr, memcmp, memset, strlen


cdef inline bint is_letter(uint32_t c) noexcept nogil:
    return c'a' <= (c | 0x20) <= c'z'


cdef inline bint is_digit(uint32_t c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef inline bint is_space(uint32_t c) noexcept nogil:
    """Returns whether a character is white space to HTML."""
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r' or c == c'\f'


cdef inline unsigned char lower(unsigned char c) noexcept nogil:
    return c + 32 if c'A' <= c <= c'Z' else c


cdef inline bint begins(const unsigned char* text, size_t length, const char* small) noexcept nogil:
    """Returns whether a text begins with `small` letters, which may be capitals in it."""
    cdef size_t i = 0
    while small[i]:
        if i == length or lower(text[i]) != <unsigned char> small[i]:
            return False
        i += 1
    return True


cdef inline size_t begins_any(const unsigned char* text, size_t length, const char** small) noexcept nogil:
    """Returns the length of the one of several `small` texts that a text begins with; 0 for none. The last is NULL."""
    while small[0] != NULL:
        if begins(text, length, small[0]):
            return strlen(small[0])
        small += 1
    return 0


cdef inline size_t find(const unsigned char* text, size_t length, const char* small) noexcept nogil:
    """Returns where `small` letters, which may be capitals, end in a text; 0 if they are not in it."""
    cdef size_t i
    for i in range(length):
        if begins(text + i, length - i, small):
            return i + strlen(small)
    return 0


cdef inline const char** table_of(words) except NULL:
    """Returns a table of words that lasts as long as the process: the longest first, so that the first one with which a
    text begins is the right one; then NULL."""
    cdef list texts = sorted([word.encode() for word in words], key=len, reverse=True)
    cdef const char** table = <const char**> malloc((len(texts) + 1) * sizeof(const char*))
    cdef Py_ssize_t k
    if table == NULL:
        raise MemoryError
    for k in range(len(texts)):
        table[k] = texts[k]
    table[len(texts)] = NULL
    Py_INCREF(texts)
    return table


cdef struct words_t:
    const char** small  # as `table_of`
    # By the last five bits of each of their first three bytes, which capitals share with small letters: a bit for each
    # of them, and for each 32nd one after it.
    uint32_t begin[3][32]


cdef inline int fill_words(words_t* words, small) except -1:
    """Fills a table for `find_any`. Raises ValueError for a word of less than three bytes."""
    cdef int k, i
    memset(words, 0, sizeof(words_t))
    words.small = table_of(small)
    for k in range(len(small)):
        if strlen(words.small[k]) < 3:
            raise ValueError(f"{words.small[k].decode()} is too short: it would be found everywhere")
        for i in range(3):
            words.begin[i][words.small[k][i] & 31] |= <uint32_t> 1 << (k & 31)
    return 0


cdef inline bint find_any(const unsigned char* text, size_t length, words_t* words) noexcept nogil:
    """Returns whether one of several words is in a text, as `find`."""
    cdef size_t i
    for i in range(2, length):
        if words.begin[0][text[i - 2] & 31] & words.begin[1][text[i - 1] & 31] & words.begin[2][text[i] & 31] \
                and begins_any(text + i - 2, length - i + 2, words.small):
            return True
    return False


cdef inline bint holds(const unsigned char* text, size_t length, const char* wanted, size_t rare) noexcept nogil:
    """Returns whether a text has `wanted` in it, of whose characters the one at `rare` is the rarest."""
    cdef const unsigned char* p = text + rare
    cdef const unsigned char* end
    cdef size_t n = strlen(wanted)
    if length < n:
        return False
    end = text + length - (n - 1 - rare)
    while p < end:
        p = <const unsigned char*> memchr(p, wanted[rare], <size_t> (end - p))
        if p == NULL:
            return False
        if memcmp(p - rare, wanted, n) == 0:
            return True
        p += 1
    return False
