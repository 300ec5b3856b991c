"""Interface of what tells the layout of a plain text."""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.text._lines cimport lines_t

cpdef enum:
    # The layouts, in the order of `page.TextLayout.NAMES`.
    LINES = 0
    PARAGRAPHS = 1
    WRAPPED = 2

# How the lines of a text are laid out.
ctypedef struct shape_t:
    uint32_t width       # column at which lines are wrapped, in characters
    uint32_t margin      # indentation of most long lines

cdef bint measure(const uint8_t* text, const lines_t* lines, shape_t* shape) noexcept nogil
cdef int tell_layout(
    const uint8_t* text, const lines_t* lines, const uint8_t* apart, const shape_t* shape
) noexcept nogil
cdef bint ended_early(
    uint32_t width, const uint8_t* end, const uint8_t* after, const uint8_t* stop, uint32_t column
) noexcept nogil
