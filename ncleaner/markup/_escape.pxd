"""Writers of text: the bytes of an output that grow, and characters as Markdown and HTML."""

from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcpy, strlen

from ncleaner.document._tables cimport grow

cdef enum:
    # Where a text stands.
    IN_LINK = 1
    IN_CELL = 2
    IN_HEADING = 4
    DOLLARS = 8           # a dollar sign may begin a formula
    TYPESET = 16          # formulas are in the text, in the delimiters of TeX
    TYPESET_DOLLARS = 32  # also in single dollar signs
    LINE_START = 64
    # Kinds of characters for those who look whether emphasis can begin or end.
    SPACE = 0, WORD, PUNCTUATION, OTHER

ctypedef struct out_t:
    uint8_t* data
    size_t size
    size_t cap
    bint no_memory


cdef inline const uint8_t* line_end(const uint8_t* p, const uint8_t* stop) noexcept nogil:
    """Returns a pointer to the end of the line at `p`."""
    cdef const uint8_t* end = <const uint8_t*> memchr(p, c"\n", <size_t> (stop - p))
    return end if end != NULL else stop


cdef inline void put_bytes(out_t* out, const void* data, size_t length) noexcept nogil:
    if length and grow(<void**> &out.data, &out.cap, out.size + length, 1, &out.no_memory):
        memcpy(out.data + out.size, data, length)
        out.size += length


cdef inline void put(out_t* out, const char* text) noexcept nogil:
    put_bytes(out, text, strlen(text))


cdef inline void put_between(
    out_t* out, const char* before, const void* data, size_t length, const char* after
) noexcept nogil:
    """Writes bytes between two texts."""
    put(out, before)
    put_bytes(out, data, length)
    put(out, after)


cdef inline void put_byte(out_t* out, uint8_t c) noexcept nogil:
    if out.size < out.cap or grow(<void**> &out.data, &out.cap, out.size + 1, 1, &out.no_memory):
        out.data[out.size] = c
        out.size += 1


cdef inline void put_times(out_t* out, uint8_t c, size_t n) noexcept nogil:
    cdef size_t _i
    for _i in range(n):
        put_byte(out, c)


cdef int kind_before(const uint8_t* first, const uint8_t* p) noexcept nogil
cdef int kind_after(const uint8_t* p, const uint8_t* last) noexcept nogil
cdef void put_markdown(
    out_t* out, const uint8_t* p, const uint8_t* end, const uint8_t* first, const uint8_t* last, int flags
) noexcept nogil
cdef size_t backticks(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void put_code(out_t* out, const uint8_t* p, const uint8_t* end, bint in_cell) noexcept nogil
cdef bint is_tex(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void put_tex(out_t* out, const uint8_t* p, const uint8_t* end, bint display, bint in_cell) noexcept nogil
cdef void insert(out_t* out, size_t at, size_t length, const char* text) noexcept nogil
cdef void put_number(out_t* out, int number) noexcept nogil
cdef void put_escaped(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void put_attribute(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil
