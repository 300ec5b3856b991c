"""Writers of the segments of a page, with their inline elements."""

from libc.stdint cimport int32_t, uint8_t

from ncleaner.document._tables cimport tables_t
from ncleaner.markup._blocks cimport blocks_t
from ncleaner.markup._escape cimport out_t

cdef enum:
    # Inline elements, from the outermost to the innermost where several begin at once.
    # UNDERLINE and the next two are only in HTML.
    LINK, STRIKE, ITALIC, BOLD, UNDERLINE, HIGHLIGHT, QUOTED, SUP, SUB, INLINES

# A writer of text, and the inline elements that are open.
ctypedef struct line_t:
    const blocks_t* blocks
    out_t* out
    bint html
    int flags            # of text: IN_CELL, IN_HEADING
    bint flat            # line breaks are blanks
    bint light           # bold is nothing special here
    const out_t* prefix  # what a new line begins with
    int n                # of the open elements
    int kinds[INLINES]
    int32_t links[INLINES]
    size_t at[INLINES]   # where they begin in the output
    bint tags[INLINES]   # as tags of HTML
    size_t closed        # where the last emphasis has ended
    size_t coded         # where the last code span has ended
    size_t began         # where the line has begun


cdef void begin_line(line_t* line, const blocks_t* blocks, out_t* out, bint html, const out_t* prefix) noexcept nogil
cdef void put_segments(line_t* line, Py_ssize_t first, Py_ssize_t last, bint code=*) noexcept nogil
cdef void put_break(line_t* line) noexcept nogil
cdef bint is_media(const tables_t* t, Py_ssize_t image) noexcept nogil
cdef Py_ssize_t link_around(const tables_t* t, const uint8_t* kept, Py_ssize_t image) noexcept nogil
cdef void put_picture(line_t* line, Py_ssize_t mark) noexcept nogil
