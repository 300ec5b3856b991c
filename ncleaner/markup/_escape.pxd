"""Text as Markdown that means it."""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.markup._out cimport out_t

cdef enum:
    # Where a text stands.
    IN_LINK = 1
    IN_CELL = 2
    IN_HEADING = 4
    DOLLARS = 8           # a dollar sign may begin a formula
    TYPESET = 16          # formulas are in the text, in the delimiters of TeX
    TYPESET_DOLLARS = 32  # also in single dollar signs
    IMAGES = 64           # an image, a link or a note may follow
    LINE_START = 128
    # Kinds of characters for those who look whether emphasis can begin or end.
    SPACE = 0
    WORD = 1
    PUNCTUATION = 2
    OTHER = 3

cdef void put_markdown(
    out_t* out, const uint8_t* p, const uint8_t* end, const uint8_t* first, const uint8_t* last, int flags
) noexcept nogil
cdef void put_code(out_t* out, const uint8_t* p, const uint8_t* end, bint in_cell) noexcept nogil
cdef bint is_tex(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void put_tex(out_t* out, const uint8_t* p, const uint8_t* end, bint display, bint in_cell) noexcept nogil
cdef int kind_of_character(uint32_t code) noexcept nogil
cdef int kind_before(const uint8_t* first, const uint8_t* p) noexcept nogil
cdef int kind_after(const uint8_t* p, const uint8_t* last) noexcept nogil
