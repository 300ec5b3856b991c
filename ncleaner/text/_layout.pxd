"""Interface of what tells the layout of a plain text, and its headers and signatures of messages."""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.text._lines cimport lines_t

cpdef enum:
    # The layouts, in the order of `page.LAYOUTS`.
    LINES = 0
    PARAGRAPHS = 1
    WRAPPED = 2

cdef enum:
    # What a line is: running text; the first line of a field of a header; a further line of it; a signature; a block of
    # code with the fences around it; its last line.
    RUNNING = 0
    FIELD = 1
    FOLDED = 2
    SIGNATURE = 3
    FENCED = 4
    LAST_FENCED = 5

# How the lines of a text are laid out.
ctypedef struct shape_t:
    uint32_t width       # column at which lines are wrapped, in characters
    uint32_t margin      # indentation of most long lines

# The lines of a text, what sets each of them apart from the text around it (RUNNING …), and their shape.
ctypedef struct outline_t:
    lines_t lines
    uint8_t* apart
    shape_t shape

cdef bint read_outline(
    const uint8_t* text, size_t length, bint begins, bint ends, outline_t* found
) noexcept nogil
cdef void free_outline(outline_t* found) noexcept nogil
cdef int tell_layout(const uint8_t* text, const outline_t* outline) noexcept nogil
cdef bint ended_early(
    uint32_t width, const uint8_t* end, const uint8_t* after, const uint8_t* stop, uint32_t column
) noexcept nogil
cdef const uint8_t* header_end(const uint8_t* text, const uint8_t* p, const uint8_t* end, bint returns) noexcept nogil
